/* Which arcs of a machine have paths in common with another machine: the pairs of states that both reach with the same labels, then
 * those of them from which both reach an end. Arcs without labels go alone. O(pairs x arcs of their states). */
#include "draw/machine_impl.h"

#include <permfst/base/statetab.h>
#include <permfst/machine/build.h>

#include <assert.h>
#include <stdlib.h>

typedef struct {
    uint32_t from, to; /* pairs */
    size_t arc;        /* of the machine; NO_ARC: only the other machine has gone on */
} pair_link;
#define NO_ARC SIZE_MAX

typedef struct {
    pfi_shown_machine *shown;
    pf_fst *other;
    bool exact;            /* weights must be equal, too */
    pf_statetab pairs;     /* of two states, 8 bytes */
    PF_VEC(pair_link) links;
    bool *useful;          /* of each pair */
} common_paths;

static pf_err add_link(common_paths *common, uint32_t from, size_t arc, pf_state one, pf_state other) {
    pf_state key[2] = {one, other};
    pair_link link = {.from = from, .arc = arc};
    PF_TRY(pf_statetab_intern(&common->pairs, key, sizeof key, &link.to, NULL));
    return PF_PUSH(&common->links, link);
}

static bool is_silent(const pf_arc *arc) { return arc->in == PF_EPSILON && arc->out == PF_EPSILON; }
static bool are_equal(const common_paths *common, const pf_arc *arc, const pf_arc *other) {
    return arc->in == other->in && arc->out == other->out && (!common->exact || arc->w == other->w);
}

static pf_err extend_pair(common_paths *common, uint32_t pair) {
    size_t length;
    pf_state key[2];
    memcpy(key, pf_statetab_key(&common->pairs, pair, &length), sizeof key);
    assert(length == sizeof key);
    pf_arcs arcs = pf_fst_arcs(common->shown->fst, key[0]), others = pf_fst_arcs(common->other, key[1]);
    for (uint32_t other = 0; other < others.n; other++)
        if (is_silent(&others.arc[other])) PF_TRY(add_link(common, pair, NO_ARC, key[0], others.arc[other].to));
    for (uint32_t at = 0; at < arcs.n; at++) {
        size_t arc = common->shown->first[key[0]] + at;
        if (is_silent(&arcs.arc[at])) PF_TRY(add_link(common, pair, arc, arcs.arc[at].to, key[1]));
        for (uint32_t other = 0; other < others.n && !is_silent(&arcs.arc[at]); other++)
            if (are_equal(common, &arcs.arc[at], &others.arc[other]))
                PF_TRY(add_link(common, pair, arc, arcs.arc[at].to, others.arc[other].to));
    }
    return PF_OK;
}

static bool is_end(const common_paths *common, uint32_t pair) {
    size_t length;
    pf_state key[2];
    memcpy(key, pf_statetab_key(&common->pairs, pair, &length), sizeof key);
    return pf_fst_final(common->shown->fst, key[0]) != INFINITY && pf_fst_final(common->other, key[1]) != INFINITY;
}

/* Links are in the order of the pairs that they leave, so that few rounds from the last to the first are enough. */
static bool find_useful(common_paths *common) {
    bool again = false;
    assert(common->pairs.n);
    for (uint32_t pair = 0; pair < common->pairs.n; pair++) again |= common->useful[pair] = is_end(common, pair);
    while (again) {
        again = false;
        for (size_t i = common->links.n; i-- > 0;) {
            const pair_link *link = &common->links.at[i];
            if (!common->useful[link->to] || common->useful[link->from]) continue;
            again = common->useful[link->from] = true;
        }
    }
    return common->useful[0];
}

static pf_err find_common(common_paths *common, bool *found) {
    pf_state start[2] = {common->shown->fst->start, common->other->start};
    uint32_t pair;
    *found = false;
    pf_statetab_reset(&common->pairs);
    common->links.n = 0;
    if (start[0] == PF_NO_STATE || start[1] == PF_NO_STATE) return PF_OK;
    PF_TRY(pf_statetab_intern(&common->pairs, start, sizeof start, &pair, NULL));
    for (; pair < common->pairs.n; pair++) PF_TRY(extend_pair(common, pair));
    free(common->useful);
    common->useful = calloc(common->pairs.n, sizeof *common->useful);
    if (!common->useful) return pf_nomem();
    *found = find_useful(common);
    return PF_OK;
}

/* Paths with the same labels and costs; or, if there are none, as where costs were added in another order, with the same labels. */
static pf_err mark(pfi_shown_machine *shown, pf_fst *other, unsigned char bit, bool *found) {
    common_paths common = {.shown = shown, .other = other, .exact = true};
    pf_statetab_init(&common.pairs, 2 * sizeof(pf_state));
    pf_err err = find_common(&common, found);
    if (!err && !*found) {
        common.exact = false;
        err = find_common(&common, found);
    }
    for (size_t i = 0; !err && *found && i < common.links.n; i++) {
        const pair_link *link = &common.links.at[i];
        if (link->arc != NO_ARC && common.useful[link->from] && common.useful[link->to]) shown->bits[link->arc] |= bit;
    }
    pf_statetab_free(&common.pairs);
    PF_VEC_FREE(&common.links);
    free(common.useful);
    return err;
}

static pf_err make_chain(const pf_path *path, pf_fst **out) {
    pf_build build = {0};
    pf_err err = pf_build_final(&build, (pf_state)path->n, path->final);
    for (size_t at = 0; !err && at < path->n; at++)
        err = pf_build_arc(&build, (pf_state)at, path->arc[at].in, path->arc[at].out, path->arc[at].w, (pf_state)at + 1);
    if (!err) return pf_build_finish(&build, PF_STANDARD, 0, out);
    pf_build_free(&build);
    return err;
}

pf_err pfi_machine_mark_best(pfi_shown_machine *shown) {
    const pf_answer *best = shown->options->best;
    pf_fst *chain;
    if (!best || !best->paths.n) return PF_OK;
    PF_TRY(make_chain(&best->paths.at[0], &chain));
    pf_err err = mark(shown, chain, PFI_ARC_BEST, &shown->best);
    pf_fst_free(chain);
    return err;
}

pf_err pfi_machine_mark_kept(pfi_shown_machine *shown) {
    bool found;
    assert(shown->options->kept && !shown->grey);
    shown->grey = calloc((size_t)shown->states + 1, sizeof *shown->grey);
    if (!shown->grey) return pf_nomem();
    PF_TRY(mark(shown, shown->options->kept, PFI_ARC_KEPT, &found));
    for (pf_state state = 0; state < shown->states; state++) shown->grey[state] = state != shown->fst->start;
    for (pf_state state = 0; state < shown->states; state++) {
        pf_arcs arcs = pf_fst_arcs(shown->fst, state);
        for (uint32_t arc = 0; arc < arcs.n; arc++)
            if (shown->bits[shown->first[state] + arc] & PFI_ARC_KEPT) shown->grey[state] = shown->grey[arcs.arc[arc].to] = false;
    }
    return PF_OK;
}
