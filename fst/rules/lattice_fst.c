/* The size of a lattice, and the lattice as an automaton. Arcs lead to smaller numbers, so the numbers from that of the start down
 * are a topological order. States that the start no longer leads to, because paths were added, are skipped. */
#include <permfst/machine/build.h>
#include "rules/rule_lattice_impl.h"

#include <float.h>
#include <stdlib.h>

/* number[s] = the place of a state among those that are reached, from the start on; PF_NO_STATE for the others. */
static pf_err number_states(const pf_rule_lattice *lattice, pf_state **number, uint64_t *count) {
    *number = malloc(((size_t)lattice->states.n + 1) * sizeof **number);
    *count = 0;
    if (!*number) return pf_nomem();
    for (uint32_t s = 0; s < lattice->states.n; s++) (*number)[s] = PF_NO_STATE;
    if (lattice->start == PF_NO_STATE) return PF_OK;
    (*number)[lattice->start] = 0;
    for (pf_state state = lattice->start + 1; state--;) {
        if ((*number)[state] == PF_NO_STATE) continue;
        (*number)[state] = (pf_state)(*count)++;
        for (uint32_t i = 0; i < pfi_rule_arcs(lattice, state); i++) (*number)[pfi_rule_arc_at(lattice, state, i).to] = 0;
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
    for (pf_state state = 0; state <= lattice->start; state++) { /* from the end on */
        mpz_init(of[state]);
        if (number[state] == PF_NO_STATE) continue;
        uint32_t n = pfi_rule_arcs(lattice, state);
        if (!n) mpz_set_ui(of[state], 1);
        for (uint32_t i = 0; i < n; i++) mpz_add(of[state], of[state], of[pfi_rule_arc_at(lattice, state, i).to]);
        size->arcs += n;
    }
    mpz_set(paths, of[lattice->start]);
    for (pf_state state = 0; state <= lattice->start; state++) mpz_clear(of[state]);
    free(of);
    free(number);
    return PF_OK;
}

/* ---- the automaton ---- */

static pf_err add_slot(const pfi_rule_arc *arc, const pf_input *words, pf_state from, pf_state to, pf_build *build) {
    for (uint32_t i = words->first[arc->position]; i < words->first[arc->position + 1]; i++) {
        const pf_arc *word = &words->arc[i];
        double cost = (double)word->w + (double)arc->cost;
        if (!(fabs(cost) <= (double)FLT_MAX) && word->w != INFINITY)
            return pf_fail(PF_EINPUT, "the weights of position %u add up to %g, which is too large for an arc",
                arc->position + 1, cost);
        PF_TRY(pf_build_arc(build, from, (pf_label)arc->position + 1, word->out, (float)cost, to));
    }
    return PF_OK;
}

static pf_err build(const pf_rule_lattice *lattice, const pf_input *words, const pf_state *number, pf_build *made) {
    for (pf_state state = lattice->start + 1; state--;) {
        if (number[state] == PF_NO_STATE) continue;
        PF_TRY(pf_build_state(made, number[state]));
        for (uint32_t i = 0; i < pfi_rule_arcs(lattice, state); i++) {
            pfi_rule_arc arc = pfi_rule_arc_at(lattice, state, i);
            PF_TRY(add_slot(&arc, words, number[state], number[arc.to], made));
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
