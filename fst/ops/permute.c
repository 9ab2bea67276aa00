/* Whatever can be permuted becomes a permutation without a constraint; specifications are added to it (io/expr.h). */
#include <permfst/ops/permute.h>

#include <permfst/machine/answer.h>
#include <permfst/permute/perm.h>
#include <permfst/permute/wm_file.h>

#include <assert.h>
#include <stdlib.h>

static pf_err of_answer(const pf_expr *answer, pf_expr **out) {
    pf_expr *input;
    pf_fst *fst;
    PF_TRY(pf_answer_fst(answer->answer, &fst)); /* of one path: as linear as a sentence */
    PF_TRY(pf_expr_of_fst(fst, &input));
    pf_err err = pf_expr_permute(input, &(pf_perm_spec){0}, out);
    pf_expr_free(input);
    return err;
}

/* The permutation that an expression is, or is the input of. */
static pf_err to_permutation(pf_expr *e, pf_expr **out) {
    if (e->kind == PF_EXPR_FST) return pf_expr_permute(e, &(pf_perm_spec){0}, out);
    if (e->kind == PF_EXPR_BEST) return of_answer(e, out);
    if (e->kind != PF_EXPR_PERM || e->first->kind != PF_EXPR_FST)
        return pf_fail(PF_EINPUT, "expected a linear automaton, found a '%s' record", pf_expr_kind_name(e->kind));
    *out = pf_expr_ref(e);
    return PF_OK;
}

/* Is there a space of n positions for the constraints of a permutation? */
static pf_err check_space(const pf_expr *e, unsigned n) {
    pf_con *all;
    assert(e->kind == PF_EXPR_PERM);
    PF_TRY(pf_con_all(e->spec.con, e->spec.n_con, n, &all));
    pf_con_free(all);
    return PF_OK;
}

/* ---- sequences of records ---- */

/* A weight, and its costs for the record at work. */
typedef struct {
    const char *spec;
    pf_wm_file *file; /* NULL: it has none */
    double *cost;
    size_t n;
} filed_weight;

struct pf_permuter {
    const char *const *con;
    size_t n_con, n_wm;
    bool acceptor;
    uint64_t records; /* so far */
    pf_weight *spec;  /* n_wm of them, for one record at a time */
    filed_weight weight[];
};

static pf_err check_specs(const pf_permuter *p) {
    for (size_t i = 0; i < p->n_wm; i++) p->spec[i] = (pf_weight){.spec = p->weight[i].spec};
    return pf_perm_check(&(pf_perm_spec){.con = p->con, .n_con = p->n_con, .wm = p->spec, .n_wm = p->n_wm});
}

pf_err pf_permuter_new(const char *const *con, size_t n_con, const char *const *wm, size_t n_wm, bool acceptor, pf_permuter **out) {
    pf_permuter *p = calloc(1, sizeof *p + n_wm * sizeof *p->weight);
    *out = NULL;
    if (!p) return pf_nomem();
    p->con = con;
    p->n_con = n_con;
    p->n_wm = n_wm;
    p->acceptor = acceptor;
    p->spec = calloc(n_wm + 1, sizeof *p->spec);
    for (size_t i = 0; i < n_wm; i++) p->weight[i].spec = wm[i];
    pf_err err = p->spec ? check_specs(p) : pf_nomem();
    for (size_t i = 0; !err && i < n_wm; i++) err = pf_wm_file_open(wm[i], &p->weight[i].file);
    if (err) pf_permuter_free(p);
    else *out = p;
    return err;
}

void pf_permuter_free(pf_permuter *p) {
    if (!p) return;
    for (size_t i = 0; i < p->n_wm; i++) pf_wm_file_free(p->weight[i].file);
    free(p->spec);
    free(p);
}

/* The costs that the weights' files have for the sentence. */
static pf_err read_costs(pf_permuter *p, const pf_input *in, const pf_symtab *words) {
    for (size_t i = 0; i < p->n_wm; i++) {
        filed_weight *w = &p->weight[i];
        if (w->file) PF_TRY(pf_wm_file_next(w->file, in, words, &w->cost, &w->n));
    }
    return PF_OK;
}

static void drop_costs(pf_permuter *p) {
    for (size_t i = 0; i < p->n_wm; i++) {
        free(p->weight[i].cost);
        p->weight[i].cost = NULL;
        p->weight[i].n = 0;
    }
}

static pf_err add_specs(pf_permuter *p, pf_expr *perm, const pf_input *in, pf_expr **out) {
    pf_expr *more;
    for (size_t i = 0; i < p->n_wm; i++) p->spec[i] = (pf_weight){p->weight[i].spec, p->weight[i].cost, p->weight[i].n};
    PF_TRY(pf_expr_permute_more(perm, &(pf_perm_spec){p->con, p->n_con, p->spec, p->n_wm, p->acceptor}, &more));
    pf_err err = check_space(more, in->n);
    if (err) pf_expr_free(more);
    else *out = more;
    return err;
}

static pf_err permute_more(pf_permuter *p, pf_expr *perm, pf_expr **out) {
    pf_input in;
    PF_TRY(pf_input_read(perm->first->fst, &in));
    pf_err err = read_costs(p, &in, perm->first->fst->osyms);
    if (!err) err = add_specs(p, perm, &in, out);
    drop_costs(p);
    pf_input_free(&in);
    return err;
}

/* Whatever was left of the costs of a record that failed is skipped before the next one is read. */
static pf_err skip_costs(pf_permuter *p) {
    for (size_t i = 0; i < p->n_wm; i++)
        if (p->weight[i].file) PF_TRY(pf_wm_file_skip(p->weight[i].file, p->records));
    return PF_OK;
}

pf_err pf_permuter_permute(pf_permuter *p, pf_expr *e, pf_expr **out) {
    pf_expr *perm;
    *out = NULL;
    PF_TRY(skip_costs(p));
    p->records++;
    PF_TRY(to_permutation(e, &perm));
    pf_err err = permute_more(p, perm, out);
    pf_expr_free(perm);
    return err;
}

pf_err pf_permuter_end(pf_permuter *p) {
    PF_TRY(skip_costs(p));
    for (size_t i = 0; i < p->n_wm; i++)
        if (p->weight[i].file) PF_TRY(pf_wm_file_end(p->weight[i].file));
    return PF_OK;
}
