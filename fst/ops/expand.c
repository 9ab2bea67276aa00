/* Breadth-first from the start, backwards from the final states, and a copy of what both reach. A machine that knows a shorter
 * way is asked for all of it at once. */
#include <permfst/ops/expand.h>

#include <permfst/machine/build.h>
#include "base/contract.h"
#include "machine/fst_check.h"

#include <assert.h>
#include <stdlib.h>

typedef struct {
    PF_VEC(pf_state) order;   /* states in the order visited */
    PF_VEC(pf_state) number;  /* of each state: its place in `order`, or PF_NO_STATE */
    PF_VEC(uint32_t) in_end;  /* incoming arcs of place i: from in[in_end[i-1]] to in[in_end[i]] */
    PF_VEC(pf_state) in;      /* their sources, as places */
    PF_VEC(bool) useful;      /* place i reaches a final state */
} expand_walk;

static void walk_free(expand_walk *walk) {
    PF_VEC_FREE(&walk->order);
    PF_VEC_FREE(&walk->number);
    PF_VEC_FREE(&walk->in_end);
    PF_VEC_FREE(&walk->in);
    PF_VEC_FREE(&walk->useful);
}

static pf_err visit(expand_walk *walk, pf_state state) {
    while (walk->number.n <= state) PF_TRY(PF_PUSH(&walk->number, PF_NO_STATE));
    if (walk->number.at[state] != PF_NO_STATE) return PF_OK;
    walk->number.at[state] = (pf_state)walk->order.n;
    return PF_PUSH(&walk->order, state);
}

static pf_err forward(expand_walk *walk, pf_fst *fst, uint64_t max_states) {
    PF_TRY(visit(walk, fst->start));
    for (size_t i = 0; i < walk->order.n; i++) {
        if (max_states && i >= max_states) return pf_fst_past_limit(max_states, walk->order.n - i);
        pf_arcs arcs = pf_fst_arcs(fst, walk->order.at[i]);
        PF_TRY(pf_fst_error(fst));
        for (uint32_t k = 0; k < arcs.n; k++) PF_TRY(visit(walk, arcs.arc[k].to));
    }
    return PF_OK;
}

/* Counting sort of all arcs by their target. */
static pf_err reverse(expand_walk *walk, pf_fst *fst) {
    size_t states = walk->order.n, arcs = 0;
    PF_TRY(PF_ROOM(&walk->in_end, states + 1));
    for (; walk->in_end.n <= states; walk->in_end.n++) walk->in_end.at[walk->in_end.n] = 0;
    for (size_t i = 0; i < states; i++) {
        pf_arcs a = pf_fst_arcs(fst, walk->order.at[i]);
        arcs += a.n;
        for (uint32_t k = 0; k < a.n; k++) {
            assert(a.arc[k].to < walk->number.n && walk->number.at[a.arc[k].to] < states);
            walk->in_end.at[walk->number.at[a.arc[k].to] + 1]++;
        }
    }
    if (arcs > UINT32_MAX) return pf_fst_past_arcs();
    PF_TRY(PF_ROOM(&walk->in, arcs + 1));
    for (size_t i = 0; i < states; i++) walk->in_end.at[i + 1] += walk->in_end.at[i];
    for (size_t i = 0; i < states; i++) {
        pf_arcs a = pf_fst_arcs(fst, walk->order.at[i]);
        for (uint32_t k = 0; k < a.n; k++) walk->in.at[walk->in_end.at[walk->number.at[a.arc[k].to]]++] = (pf_state)i;
    }
    return PF_OK; /* in_end[i] is now where the arcs into place i end */
}

static pf_err backward(expand_walk *walk, pf_fst *fst) {
    PF_VEC(pf_state) todo = {0};
    pf_err err = PF_ROOM(&walk->useful, walk->order.n + 1);
    if (!err) err = PF_ROOM(&todo, walk->order.n + 1);
    for (size_t i = 0; !err && i < walk->order.n; i++) {
        walk->useful.at[i] = pf_fst_final(fst, walk->order.at[i]) != INFINITY;
        if (walk->useful.at[i]) todo.at[todo.n++] = (pf_state)i;
    }
    while (!err && todo.n) {
        pf_state i = todo.at[--todo.n];
        for (uint32_t k = i ? walk->in_end.at[i - 1] : 0; k < walk->in_end.at[i]; k++) {
            pf_state from = walk->in.at[k];
            if (walk->useful.at[from]) continue;
            walk->useful.at[from] = true;
            todo.at[todo.n++] = from;
        }
    }
    PF_VEC_FREE(&todo);
    return err;
}

/* The useful states under new numbers. */
static pf_err copy(expand_walk *walk, pf_fst *fst, pf_build *build) {
    pf_state next = 0;
    pf_state *renumber = calloc(walk->order.n + 1, sizeof *renumber);
    if (!renumber) return pf_nomem();
    assert(walk->order.at[0] == fst->start); /* it is state 0 of the copy */
    for (size_t i = 0; i < walk->order.n; i++) renumber[i] = walk->useful.at[i] ? next++ : PF_NO_STATE;
    pf_err err = PF_OK;
    for (size_t i = 0; i < walk->order.n && !err; i++) {
        if (!walk->useful.at[i]) continue;
        pf_arcs arcs = pf_fst_arcs(fst, walk->order.at[i]);
        err = pf_build_final(build, renumber[i], pf_fst_final(fst, walk->order.at[i]));
        for (uint32_t k = 0; k < arcs.n && !err; k++) {
            pf_state to = renumber[walk->number.at[arcs.arc[k].to]];
            if (to != PF_NO_STATE)
                err = pf_build_arc(build, renumber[i], arcs.arc[k].in, arcs.arc[k].out, arcs.arc[k].w, to);
        }
    }
    free(renumber);
    return err;
}

/* Of a machine that does it by itself. */
static pf_err take_whole(pf_fst *fst, uint64_t max_states, pf_moves_store *store, pf_fst **out) {
    PF_TRY(pf_fst_new(fst->type, NULL, NULL, out));
    pf_err err = fst->op->whole(fst, max_states, store, *out);
    if (err) {
        pf_fst_free(*out);
        *out = NULL;
        return err;
    }
    (*out)->start = 0;
    PFI_CHECK(pfi_fst_is_closed(*out));
    if (fst->watch) fst->watch(fst->watcher, (*out)->expanded);
    return PF_OK;
}

static pf_err walk_all(pf_fst *fst, uint64_t max_states, pf_fst **out) {
    expand_walk walk = {0};
    pf_build build = {0};
    pf_err err = PF_OK;
    if (fst->start != PF_NO_STATE) {
        err = forward(&walk, fst, max_states);
        if (!err) err = reverse(&walk, fst);
        if (!err) err = backward(&walk, fst);
        if (!err) err = copy(&walk, fst, &build);
    }
    walk_free(&walk);
    if (!err && fst->watch) fst->watch(fst->watcher, fst->expanded);
    if (err) {
        pf_build_free(&build);
        return err;
    }
    return pf_build_finish(&build, fst->type, 0, out);
}

pf_err pf_expand_shared(pf_fst *fst, uint64_t max_states, pf_moves_store *store, pf_fst **out) {
    PF_TRY(fst->op && fst->op->whole ? take_whole(fst, max_states, store, out) : walk_all(fst, max_states, out));
    pf_fst_set_symbols(*out, fst->isyms, fst->osyms);
    return PF_OK;
}

pf_err pf_expand(pf_fst *fst, uint64_t max_states, pf_fst **out) { return pf_expand_shared(fst, max_states, NULL, out); }
