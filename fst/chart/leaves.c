/* Words, arcs and units as leaves. */
#include "chart/leaves.h"

#include "base/contract.h"

#include <stdlib.h>

bool pfi_leaf_slots(const pf_fst *fst, pf_slots_view *out) {
    if (!fst->op || !(fst->op->slots || fst->op->graph)) return false;
    (fst->op->slots ? fst->op->slots : fst->op->graph)(fst->self, out);
    return true;
}

/* ---- words and arcs ---- */

static pf_err add_leaf(pfi_leaves *leaves, unsigned begin, uint32_t last, const unsigned gap[2], const uint32_t *read, uint32_t n) {
    const unsigned end = leaves->to[last];
    const pfi_leaf leaf = {begin, end, gap ? gap[0] : end, gap ? gap[1] : end, (uint32_t)leaves->read.n, n};
    for (uint32_t i = 0; i < n; i++) PF_TRY(PF_PUSH(&leaves->read, read[i]));
    return PF_PUSH(&leaves->leaf, leaf);
}

static pf_err add_words(pfi_leaves *leaves) {
    for (unsigned j = 0; j < leaves->slots.n; j++)
        for (uint32_t arc = leaves->slots.first[j]; arc < leaves->slots.first[j + 1]; arc++)
            PF_TRY(add_leaf(leaves, j, arc, NULL, &arc, 1));
    return PF_OK;
}

/* Nodes are in topological order. */
static pf_err find_joined(pfi_leaves *leaves) {
    const unsigned nodes = leaves->slots.n;
    const size_t side = nodes + (size_t)1;
    leaves->joined = calloc(side * side, sizeof *leaves->joined);
    if (!leaves->joined) return pf_nomem();
    for (unsigned begin = nodes; begin-- > 0;)
        for (uint32_t arc = leaves->slots.first[begin]; arc < leaves->slots.first[begin + 1]; arc++) {
            const unsigned to = leaves->to[arc];
            leaves->joined[begin * side + to] = true;
            for (unsigned end = to + 1; end <= nodes; end++)
                if (leaves->joined[to * side + end]) leaves->joined[begin * side + end] = true;
        }
    return PF_OK;
}

static pf_err find_ends(pfi_leaves *leaves, bool graph) {
    const pf_slots_view *slots = &leaves->slots;
    leaves->to = malloc((slots->first[slots->n] + (size_t)1) * sizeof *leaves->to);
    if (!leaves->to) return pf_nomem();
    for (unsigned j = 0; j < slots->n; j++)
        for (uint32_t arc = slots->first[j]; arc < slots->first[j + 1]; arc++) leaves->to[arc] = graph ? slots->arc[arc].to : j + 1;
    return graph ? find_joined(leaves) : PF_OK;
}

/* ---- units of several words ---- */

typedef struct {
    pfi_leaves *leaves;
    const pf_units *units;
    bool gaps;              /* units may be of two runs */
    unsigned begin, gap[2];
    bool has_gap;
    PF_VEC(uint32_t) read;
} unit_finder;

static pf_label said_by(const unit_finder *finder, uint32_t arc) { return finder->leaves->slots.arc[arc].out; }

static pf_err add_unit_from(unit_finder *finder, uint32_t arc);

/* The places that follow in slot `at`. */
static pf_err add_places(unit_finder *finder, uint32_t last, unsigned at) {
    const pf_slots_view *slots = &finder->leaves->slots;
    for (uint32_t arc = slots->first[at]; arc < slots->first[at + 1]; arc++)
        if (pf_units_follows(finder->units, said_by(finder, last), said_by(finder, arc))) PF_TRY(add_unit_from(finder, arc));
    return PF_OK;
}

static pf_err add_unit_from(unit_finder *f, uint32_t arc) {
    const unsigned to = f->leaves->to[arc];
    PF_TRY(PF_PUSH(&f->read, arc));
    pf_err err = PF_OK;
    if (said_by(f, arc) == PF_EPSILON || pf_units_ends(f->units, said_by(f, arc)))
        err = add_leaf(f->leaves, f->begin, arc, f->has_gap ? f->gap : NULL, f->read.at, (uint32_t)f->read.n);
    else {
        if (to < f->leaves->slots.n) err = add_places(f, arc, to);
        const bool had_gap = f->has_gap;
        for (unsigned at = to + 1; !err && f->gaps && !had_gap && at < f->leaves->slots.n; at++) {
            if (!pfi_leaves_joined(f->leaves, to, at)) continue;
            f->has_gap = true;
            f->gap[0] = to;
            f->gap[1] = at;
            err = add_places(f, arc, at);
        }
        f->has_gap = had_gap;
    }
    f->read.n--;
    return err;
}

static pf_err add_units(pfi_leaves *leaves, const pf_units *units, bool gaps) {
    unit_finder finder = {.leaves = leaves, .units = units, .gaps = gaps};
    pf_err err = PF_OK;
    for (finder.begin = 0; !err && finder.begin < leaves->slots.n; finder.begin++)
        for (uint32_t arc = leaves->slots.first[finder.begin]; !err && arc < leaves->slots.first[finder.begin + 1]; arc++) {
            const pf_label unit = said_by(&finder, arc);
            if (unit == PF_EPSILON || !pf_units_at(units, unit)->place) err = add_unit_from(&finder, arc);
        }
    PF_VEC_FREE(&finder.read);
    return err;
}

/* ---- all of them ---- */

static int by_span(const void *first, const void *second) {
    const pfi_leaf *one = first, *other = second;
    if (one->begin != other->begin) return one->begin < other->begin ? -1 : 1;
    if (one->end != other->end) return one->end < other->end ? -1 : 1;
    return (one->at > other->at) - (one->at < other->at);
}

pf_err pfi_leaves_init(pfi_leaves *leaves, const pf_fst *fst, const pf_best_options *options) {
    *leaves = (pfi_leaves){0};
    pfi_leaf_slots(fst, &leaves->slots);
    PF_TRY(find_ends(leaves, fst->op->graph));
    PF_TRY(options->grouping ? add_units(leaves, options->units, options->grouping == PF_GROUPING_EXTENDED) : add_words(leaves));
    if (leaves->leaf.n) qsort(leaves->leaf.at, leaves->leaf.n, sizeof *leaves->leaf.at, by_span);
    return PF_OK;
}

void pfi_leaves_free(pfi_leaves *leaves) {
    PF_VEC_FREE(&leaves->leaf);
    PF_VEC_FREE(&leaves->read);
    free(leaves->to);
    free(leaves->joined);
    *leaves = (pfi_leaves){0};
}

const pfi_leaf *pfi_leaves_of(const pfi_leaves *leaves, unsigned begin, unsigned end, size_t *count) {
    size_t low = 0, high = leaves->leaf.n;
    assert(begin < end);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const pfi_leaf *at = &leaves->leaf.at[middle];
        if (at->begin < begin || (at->begin == begin && at->end < end)) low = middle + 1;
        else high = middle;
    }
    const pfi_leaf *first = leaves->leaf.at + low;
    for (*count = 0; low + *count < leaves->leaf.n; ++*count)
        if (first[*count].begin != begin || first[*count].end != end) break;
    return first;
}
