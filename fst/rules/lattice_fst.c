/* The size of a lattice, and the lattice as an automaton. Arcs lead to smaller numbers, so the numbers from that of the start down
 * are a topological order. States that the start no longer leads to, because paths were added, are skipped. */
#include <permfst/machine/build.h>
#include "rules/rule_lattice_impl.h"

#include <float.h>
#include <stdlib.h>

/* number[s] = the place of a state among those that are reached, from the start on; PF_NO_STATE for the others. */
static pf_err number_states(const pf_rule_lattice *lattice, pf_state **number, uint64_t *n) {
    *number = malloc(((size_t)lattice->states.n + 1) * sizeof **number);
    *n = 0;
    if (!*number) return pf_nomem();
    for (uint32_t s = 0; s < lattice->states.n; s++) (*number)[s] = PF_NO_STATE;
    if (lattice->start == PF_NO_STATE) return PF_OK;
    (*number)[lattice->start] = 0;
    for (pf_state s = lattice->start + 1; s--;) {
        if ((*number)[s] == PF_NO_STATE) continue;
        (*number)[s] = (pf_state)(*n)++;
        for (uint32_t i = 0; i < pfi_rule_arcs(lattice, s); i++) (*number)[pfi_rule_arc_at(lattice, s, i).to] = 0;
    }
    return PF_OK;
}

pf_err pf_rule_lattice_count(const pf_rule_lattice *lattice, pf_rule_lattice_size *size, mpz_t paths) {
    pf_state *number;
    *size = (pf_rule_lattice_size){0};
    mpz_set_ui(paths, lattice->start != PF_NO_STATE);
    PF_TRY(number_states(lattice, &number, &size->states));
    mpz_t *of = lattice->start == PF_NO_STATE ? NULL : calloc((size_t)lattice->start + 1, sizeof *of);
    if (!of) {
        free(number);
        return lattice->start == PF_NO_STATE ? PF_OK : pf_nomem();
    }
    for (pf_state s = 0; s <= lattice->start; s++) { /* from the end on */
        mpz_init(of[s]);
        if (number[s] == PF_NO_STATE) continue;
        uint32_t n = pfi_rule_arcs(lattice, s);
        if (!n) mpz_set_ui(of[s], 1);
        for (uint32_t i = 0; i < n; i++) mpz_add(of[s], of[s], of[pfi_rule_arc_at(lattice, s, i).to]);
        size->arcs += n;
    }
    mpz_set(paths, of[lattice->start]);
    for (pf_state s = 0; s <= lattice->start; s++) mpz_clear(of[s]);
    free(of);
    free(number);
    return PF_OK;
}

/* ---- the automaton ---- */

static pf_err add_slot(const pfi_rule_arc *a, const pf_input *words, pf_state from, pf_state to, pf_build *build) {
    for (uint32_t i = words->first[a->position]; i < words->first[a->position + 1]; i++) {
        const pf_arc *word = &words->arc[i];
        double w = (double)word->w + (double)a->cost;
        if (!(fabs(w) <= (double)FLT_MAX) && word->w != INFINITY)
            return pf_fail(PF_EINPUT, "the weights of position %u add up to %g, which is too large for an arc", a->position + 1, w);
        PF_TRY(pf_build_arc(build, from, (pf_label)a->position + 1, word->out, (float)w, to));
    }
    return PF_OK;
}

static pf_err build(const pf_rule_lattice *lattice, const pf_input *words, const pf_state *number, pf_build *made) {
    for (pf_state s = lattice->start + 1; s--;) {
        if (number[s] == PF_NO_STATE) continue;
        PF_TRY(pf_build_state(made, number[s]));
        for (uint32_t i = 0; i < pfi_rule_arcs(lattice, s); i++) {
            pfi_rule_arc a = pfi_rule_arc_at(lattice, s, i);
            PF_TRY(add_slot(&a, words, number[s], number[a.to], made));
        }
    }
    return pf_build_final(made, number[0], words->final);
}

pf_err pf_rule_lattice_fst(const pf_rule_lattice *lattice, const pf_input *words, pf_arc_type type, pf_fst **out) {
    pf_build made = {0};
    pf_state *number;
    uint64_t n;
    if (words->n != lattice->n) return pf_fail(PF_EARG, "expected %u words, found %u", lattice->n, words->n);
    PF_TRY(number_states(lattice, &number, &n));
    pf_err err = n ? build(lattice, words, number, &made) : PF_OK;
    free(number);
    if (!err) err = pf_build_finish(&made, type, 0, out);
    pf_build_free(&made);
    return err;
}
