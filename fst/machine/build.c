/* Arcs are collected in one list and put in place by a stable counting sort on their source. */
#include <permfst/machine/build.h>

#include "base/contract.h"
#include "machine/fst_check.h"

#include <assert.h>
#include <stdlib.h>

pf_err pf_build_state(pf_build *b, pf_state s) {
    if (s == PF_NO_STATE) return pf_fail(PF_ELIMIT, "the automaton has more than %u states", PF_NO_STATE);
    if (s < b->final.n) return PF_OK;
    PF_TRY(PF_ROOM(&b->final, (size_t)s + 1 - b->final.n));
    while (b->final.n <= s) b->final.at[b->final.n++] = INFINITY;
    return PF_OK;
}

pf_err pf_build_final(pf_build *b, pf_state s, float w) {
    assert(w == w);
    PF_TRY(pf_build_state(b, s));
    b->final.at[s] = w;
    return PF_OK;
}

pf_err pf_build_arc(pf_build *b, pf_state from, pf_label in, pf_label out, float w, pf_state to) {
    assert(in >= 0 && out >= 0 && w == w);
    PF_TRY(pf_build_state(b, from > to ? from : to));
    PF_TRY(PF_ROOM(&b->from, 1));
    pf_arc a = {in, out, w, to};
    PF_TRY(PF_PUSH(&b->arcs, a));
    b->from.at[b->from.n++] = from;
    return PF_OK;
}

static pf_err place(pf_build *b, pf_fst *f) {
    size_t states = b->final.n, n = b->arcs.n;
    assert(b->from.n == n);
    PF_TRY(PF_ROOM(&f->state, states));
    pf_arc *arc = n ? pf_arena_get(&f->arcs, n * sizeof *arc) : NULL;
    size_t *end = calloc(states + 1, sizeof *end);
    if ((n && !arc) || !end) {
        free(end);
        return pf_nomem();
    }
    for (size_t i = 0; i < n; i++) end[b->from.at[i] + 1]++;
    for (size_t s = 0; s < states; s++) {
        size_t count = end[s + 1];
        end[s + 1] += end[s];
        if (count >= PF_NOT_DONE) {
            free(end);
            return pf_fail(PF_ELIMIT, "state %zu has too many arcs: %zu", s, count);
        }
        f->state.at[s] = (pf_fst_record){count ? arc + end[s] : NULL, (uint32_t)count, b->final.at[s]};
    }
    for (size_t i = 0; i < n; i++) arc[end[b->from.at[i]]++] = b->arcs.at[i];
    free(end);
    f->state.n = states;
    f->expanded = states;
    f->narcs = n;
    return PF_OK;
}

pf_err pf_build_finish(pf_build *b, pf_arc_type type, pf_state start, pf_fst **out) {
    assert(!b->final.n || start < b->final.n);
    pf_fst *f = NULL;
    pf_err err = pf_fst_new(type, NULL, NULL, &f);
    if (!err) err = place(b, f);
    pf_build_free(b);
    if (err) {
        pf_fst_free(f);
        return err;
    }
    f->start = f->state.n ? start : PF_NO_STATE;
    PFI_CHECK(pfi_fst_is_closed(f));
    *out = f;
    return PF_OK;
}

void pf_build_free(pf_build *b) {
    PF_VEC_FREE(&b->arcs);
    PF_VEC_FREE(&b->from);
    PF_VEC_FREE(&b->final);
}
