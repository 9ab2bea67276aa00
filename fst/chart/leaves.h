/* The leaves of a chart: what is read without a node of its own. Private to the chart.
 *
 * Of a sentence a leaf is a word, of a word graph an arc, whose span is a pair of nodes. With units of several words
 * (zens-ney-2003, section 3.4) a leaf is a unit: a run of words, or two runs around a block. */
#ifndef PF_CHART_LEAVES_H
#define PF_CHART_LEAVES_H

#include <permfst/chart/best.h>
#include <permfst/base/vec.h>

typedef struct {
    unsigned begin, end;         /* the span */
    unsigned gap_begin, gap_end; /* the block between two runs; both are `end` where there is one run */
    uint32_t at, n;              /* what is read, in this order: alternatives, in leaves->read */
} pfi_leaf;

typedef struct {
    pf_slots_view slots;
    PF_VEC(pfi_leaf) leaf;    /* in the order of their spans */
    PF_VEC(uint32_t) read;
    uint32_t *to;             /* of each alternative: where it ends */
    bool *joined;             /* at i * (n + 1) + k: does a path lead from i to k? NULL: from each to all that follow */
} pfi_leaves;

/* What a permutation automaton of a sentence or of a word graph is made of; false: the machine is neither. */
bool pfi_leaf_slots(const pf_fst *fst, pf_slots_view *out);

/* The leaves of such an automaton. pfi_leaves_free is to be called after an error, too. PF_ENOMEM. O(leaves log leaves), and O(n
 * arcs) for a word graph; there may be n^2 leaves of two runs for each word of a unit. */
pf_err pfi_leaves_init(pfi_leaves *leaves, const pf_fst *fst, const pf_best_options *options);
void pfi_leaves_free(pfi_leaves *leaves);

/* The leaves of a span: *n of them. */
const pfi_leaf *pfi_leaves_of(const pfi_leaves *leaves, unsigned i, unsigned k, size_t *n);

static inline bool pfi_leaves_joined(const pfi_leaves *leaves, unsigned i, unsigned k) {
    return !leaves->joined || leaves->joined[i * (leaves->slots.n + (size_t)1) + k];
}

static inline bool pfi_leaf_has_gap(const pfi_leaf *leaf) { return leaf->gap_begin < leaf->gap_end; }

#endif
