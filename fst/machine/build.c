/* Arcs are collected in one list and put in place by a stable counting sort on their source. */
#include <permfst/machine/build.h>

#include "base/contract.h"
#include "machine/fst_check.h"

#include <assert.h>
#include <stdlib.h>

pf_err pf_build_state(pf_build *build, pf_state state) {
    if (state == PF_NO_STATE) return pf_fail(PF_ELIMIT, "the automaton has more than %u states", PF_NO_STATE);
    if (state < build->final.n) return PF_OK;
    PF_TRY(PF_ROOM(&build->final, (size_t)state + 1 - build->final.n));
    while (build->final.n <= state) build->final.at[build->final.n++] = INFINITY;
    return PF_OK;
}

pf_err pf_build_final(pf_build *build, pf_state state, float weight) {
    assert(weight == weight);
    PF_TRY(pf_build_state(build, state));
    build->final.at[state] = weight;
    return PF_OK;
}

pf_err pf_build_arc(pf_build *build, pf_state from, pf_label in, pf_label out, float weight, pf_state to) {
    assert(in >= 0 && out >= 0 && weight == weight);
    PF_TRY(pf_build_state(build, from > to ? from : to));
    PF_TRY(PF_ROOM(&build->from, 1));
    pf_arc arc = {in, out, weight, to};
    PF_TRY(PF_PUSH(&build->arcs, arc));
    build->from.at[build->from.n++] = from;
    return PF_OK;
}

static pf_err place(pf_build *build, pf_fst *fst) {
    size_t states = build->final.n, arcs = build->arcs.n;
    assert(build->from.n == arcs);
    PF_TRY(PF_ROOM(&fst->state, states));
    pf_arc *arc = arcs ? pf_arena_get(&fst->arcs, arcs * sizeof *arc) : NULL;
    size_t *end = calloc(states + 1, sizeof *end);
    if ((arcs && !arc) || !end) {
        free(end);
        return pf_nomem();
    }
    for (size_t i = 0; i < arcs; i++) end[build->from.at[i] + 1]++;
    for (size_t state = 0; state < states; state++) {
        size_t count = end[state + 1];
        end[state + 1] += end[state];
        if (count >= PF_NOT_DONE) {
            free(end);
            return pf_fail(PF_ELIMIT, "state %zu has too many arcs: %zu", state, count);
        }
        fst->state.at[state] = (pf_fst_record){count ? arc + end[state] : NULL, (uint32_t)count, build->final.at[state]};
    }
    for (size_t i = 0; i < arcs; i++) arc[end[build->from.at[i]]++] = build->arcs.at[i];
    free(end);
    fst->state.n = states;
    fst->expanded = states;
    fst->narcs = arcs;
    return PF_OK;
}

pf_err pf_build_finish(pf_build *build, pf_arc_type type, pf_state start, pf_fst **out) {
    assert(!build->final.n || start < build->final.n);
    pf_fst *fst = NULL;
    pf_err err = pf_fst_new(type, NULL, NULL, &fst);
    if (!err) err = place(build, fst);
    pf_build_free(build);
    if (err) {
        pf_fst_free(fst);
        return err;
    }
    fst->start = fst->state.n ? start : PF_NO_STATE;
    PFI_CHECK(pfi_fst_is_closed(fst));
    *out = fst;
    return PF_OK;
}

void pf_build_free(pf_build *build) {
    PF_VEC_FREE(&build->arcs);
    PF_VEC_FREE(&build->from);
    PF_VEC_FREE(&build->final);
}
