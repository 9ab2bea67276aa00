/* Reading a linear automaton from its start, slot by slot. */
#include <permfst/permute/input.h>

#include <assert.h>
#include <stdlib.h>

static pf_err slot_of(pf_fst *fst, pf_state state, unsigned slot, pf_state *next) {
    pf_arcs arcs = pf_fst_arcs(fst, state);
    assert(arcs.n);
    *next = arcs.arc[0].to;
    if (pf_fst_final(fst, state) != INFINITY)
        return pf_fail(PF_EINPUT, "expected a linear automaton: the state after slot %u is final and has arcs", slot);
    for (uint32_t i = 1; i < arcs.n; i++)
        if (arcs.arc[i].to != *next)
            return pf_fail(PF_EINPUT, "expected a linear automaton: slot %u leads to more than one state", slot + 1);
    return PF_OK;
}

static pf_err read_slots(pf_fst *fst, pf_input *in, size_t *first_cap) {
    PF_VEC(pf_arc) arcs = {0};
    pf_state state = fst->start;
    pf_err err = pf_vec_reserve(&in->first, first_cap, 1, sizeof *in->first);
    if (!err) in->first[0] = 0;
    while (!err && pf_fst_arcs(fst, state).n) {
        pf_arcs slot_arcs = pf_fst_arcs(fst, state);
        pf_state next;
        if (in->n == PF_MAX_WORDS || arcs.n + slot_arcs.n > UINT32_MAX) {
            err = pf_fail(PF_ELIMIT, "a sentence has at most %u words; this one has more, or the automaton has a cycle",
                          PF_MAX_WORDS);
            break;
        }
        if ((err = slot_of(fst, state, in->n, &next)) || (err = PF_ROOM(&arcs, slot_arcs.n)) ||
            (err = pf_vec_reserve(&in->first, first_cap, in->n + 2u, sizeof *in->first)))
            break;
        for (uint32_t at = 0; at < slot_arcs.n; at++) {
            arcs.at[arcs.n] = slot_arcs.arc[at];
            arcs.at[arcs.n].in = slot_arcs.arc[at].out;
            arcs.n++;
        }
        in->first[++in->n] = (uint32_t)arcs.n;
        state = next;
    }
    in->arc = arcs.at;
    if (err) return err;
    in->final = pf_fst_final(fst, state);
    if (pf_fst_error(fst)) return pf_fst_error(fst);
    if (in->final != INFINITY) return PF_OK;
    return pf_fail(PF_EINPUT, "expected a linear automaton: its last state is not final");
}

pf_err pf_input_read(pf_fst *fst, pf_input *out) {
    size_t first_cap = 0;
    *out = (pf_input){0};
    if (fst->start == PF_NO_STATE)
        return pf_fail(PF_EINPUT, "expected a linear automaton, found one without states (an empty sentence has one state)");
    pf_err err = read_slots(fst, out, &first_cap);
    assert(err || (out->first[0] == 0 && out->n <= PF_MAX_WORDS));
    if (err) pf_input_free(out);
    return err;
}

/* A linear automaton has no more states than a walk along it meets. */
bool pf_input_branches(pf_fst *fst) {
    pf_state state = fst->start;
    for (pf_state met = 0; state != PF_NO_STATE && met <= pf_fst_states(fst); met++) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        if (!arcs.n) return false;
        for (uint32_t i = 1; i < arcs.n; i++)
            if (arcs.arc[i].to != arcs.arc[0].to) return true;
        state = arcs.arc[0].to;
    }
    return false;
}

static int by_label(const void *first, const void *second) {
    pf_label label = *(const pf_label *)first, next = *(const pf_label *)second;
    return (label > next) - (label < next);
}

pf_err pf_input_alphabet(const pf_input *input, pf_fst *fst) {
    size_t arcs = input->first[input->n], count = 0;
    PF_TRY(PF_ROOM(&fst->alphabet, arcs + 1));
    for (size_t i = 0; i < arcs; i++) fst->alphabet.at[i] = input->arc[i].out;
    qsort(fst->alphabet.at, arcs, sizeof(pf_label), by_label);
    for (size_t i = 0; i < arcs; i++)
        if (!count || fst->alphabet.at[count - 1] != fst->alphabet.at[i]) fst->alphabet.at[count++] = fst->alphabet.at[i];
    fst->alphabet.n = count;
    return PF_OK;
}

void pf_input_free(pf_input *in) {
    free(in->first);
    free(in->arc);
    *in = (pf_input){0};
}
