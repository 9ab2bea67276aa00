/* Words, arcs and units as leaves. */
#include "chart/leaves.h"

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
    const unsigned n = leaves->slots.n;
    const size_t side = n + (size_t)1;
    leaves->joined = calloc(side * side, sizeof *leaves->joined);
    if (!leaves->joined) return pf_nomem();
    for (unsigned i = n; i-- > 0;)
        for (uint32_t arc = leaves->slots.first[i]; arc < leaves->slots.first[i + 1]; arc++) {
            const unsigned to = leaves->to[arc];
            leaves->joined[i * side + to] = true;
            for (unsigned k = to + 1; k <= n; k++)
                if (leaves->joined[to * side + k]) leaves->joined[i * side + k] = true;
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
    (void)options;
    PF_TRY(find_ends(leaves, fst->op->graph));
    PF_TRY(add_words(leaves));
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

const pfi_leaf *pfi_leaves_of(const pfi_leaves *leaves, unsigned i, unsigned k, size_t *n) {
    size_t low = 0, high = leaves->leaf.n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const pfi_leaf *at = &leaves->leaf.at[middle];
        if (at->begin < i || (at->begin == i && at->end < k)) low = middle + 1;
        else high = middle;
    }
    *n = 0;
    while (low + *n < leaves->leaf.n && leaves->leaf.at[low + *n].begin == i && leaves->leaf.at[low + *n].end == k) ++*n;
    return leaves->leaf.at + low;
}
