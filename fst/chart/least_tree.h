/* What the cheapest tree of an order costs (chart/spans.h), and which tree that is. Private to the chart. */
#ifndef PF_CHART_LEAST_TREE_H
#define PF_CHART_LEAST_TREE_H

#include "chart/shape.h"

/* One leaf of an order: a position, an arc of a word graph between two nodes, or a unit, of which two runs may be around a
 * block. */
typedef struct {
    unsigned begin, end;
    unsigned gap_begin, gap_end; /* the block; equal: there is none */
    unsigned moves;              /* of the order: more than one of a unit only */
} pfi_tree_leaf;

typedef struct {
    const pfi_shape *shape;
    bool whole;      /* all blocks of an order are looked at, as trees cost different sums or one is to be written */
    double *cost;    /* of the leaves a .. b-1, by a * (leaves + 1) + b, as one block; INFINITY: they are none */
    unsigned *begin; /* of the block, as `cost` */
    unsigned *stack; /* of blocks: begin and end */
} pfi_least_tree;

typedef PF_VEC(uint32_t) pfi_tree_codes;

/* Borrows the shape. `write`: trees are to be written. pfi_least_tree_free is to be called after an error, too. PF_ENOMEM. */
pf_err pfi_least_tree_init(pfi_least_tree *tree, const pfi_shape *shape, bool write);
void pfi_least_tree_free(pfi_least_tree *tree);

/* The least sum of costs of nodes over the trees of an order of `leaves` leaves; INFINITY: it has no tree.
 * O(n^3); O(n) where all trees of an order cost the same, and none is to be written. */
double pfi_least_tree_cost(pfi_least_tree *tree, const pfi_tree_leaf *order, unsigned leaves);

/* The codes (machine/answer.h) of the tree of that sum, for the order whose cost was asked for last; it has a tree. Of equal
 * trees it is the one whose splits, the root first and the left part before the right one, are the smallest; a run of words that
 * costs as much as a node is a leaf. `codes` is empty at first. PF_ENOMEM. O(n^2). */
pf_err pfi_least_tree_write(pfi_least_tree *tree, const pfi_tree_leaf *order, unsigned leaves, pfi_tree_codes *codes);

#endif
