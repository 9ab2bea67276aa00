/* Before a search: how large it can be. After it: what to say and what to write. O(1), but for copies of paths. */
#include <permfst/verbs/search.h>

#include <permfst/permute/con.h>

#include <stdio.h>

double pf_best_size(const pf_fst *fst, const pf_best_options *o) {
    const pf_con *con = pf_fst_space(fst);
    bool prunes = o->beam || o->widen || (o->threshold > 0 && !o->lattice);
    if (!con || prunes || o->max_states) return 0;
    pf_con_size size;
    pf_con_size_init(&size);
    pf_con_size_of(con, &size);
    double states = size.machine ? mpz_get_d(size.states) : 0;
    pf_con_size_clear(&size);
    return states;
}

const char *pf_answer_searched(const pf_answer *a, const pf_fst *fst, char words[PF_SEARCHED_BYTES]) {
    const pf_con *con = pf_fst_space(fst);
    char ahead[64] = "", reference[80] = "", proof[PF_PROOF_BYTES];
    if (con && con->looks_ahead)
        snprintf(ahead, sizeof ahead, ", %llu states looked ahead", (unsigned long long)pf_con_probes(con));
    if (a->compared && a->reference < (double)INFINITY)
        snprintf(reference, sizeof reference, "; reference %.6f, %s", a->reference, pf_verdict_name(pf_answer_verdict(a)));
    else if (a->compared) snprintf(reference, sizeof reference, "; reference not admitted");
    snprintf(words, PF_SEARCHED_BYTES, "%zu path%s, %s: %llu states, %llu arcs%s, %s%s", a->paths.n, a->paths.n == 1 ? "" : "s",
             a->search, (unsigned long long)a->states, (unsigned long long)a->arcs, ahead, pf_answer_proof(a, proof), reference);
    return words;
}

/* The lattice, with the answer's symbol tables. */
static pf_err take_lattice(pf_answer *a, pf_fst **out) {
    *out = a->lattice;
    a->lattice = NULL;
    if (!*out) PF_TRY(pf_fst_new(a->type, NULL, NULL, out));
    pf_fst_set_symbols(*out, a->isyms, a->osyms);
    return PF_OK;
}

pf_err pf_expr_of_search(pf_answer *a, pf_answer_form form, pf_expr **out) {
    pf_fst *fst;
    *out = NULL;
    if (form == PF_ANSWER_AS_PATHS) return pf_expr_of_answer(a, out);
    PF_TRY(form == PF_ANSWER_AS_LATTICE ? take_lattice(a, &fst) : pf_answer_fst(a, &fst));
    return pf_expr_of_fst(fst, out);
}
