/* What the cheapest tree of an order costs (chart/spans.h). Private to the chart. */
#ifndef PF_CHART_LEAST_TREE_H
#define PF_CHART_LEAST_TREE_H

#include "chart/shape.h"

typedef struct {
    const pfi_shape *shape;
    double *cost;    /* of the moves a .. b-1, by a * (moves + 1) + b, as one block; INFINITY: they are none */
    unsigned *begin; /* of the block, as `cost` */
    unsigned *stack; /* of blocks: begin and end */
} pfi_least_tree;

/* Borrows the shape. pfi_least_tree_free is to be called after an error, too. PF_ENOMEM. */
pf_err pfi_least_tree_init(pfi_least_tree *tree, const pfi_shape *shape);
void pfi_least_tree_free(pfi_least_tree *tree);

/* One move of an order: a position, or an arc of a word graph between two nodes. */
typedef struct {
    unsigned begin, end;
} pfi_tree_move;

/* The least sum of costs of nodes over the trees of an order of `moves` moves; INFINITY: it has no tree.
 * O(n^3); O(n) where all trees of an order cost the same. */
double pfi_least_tree_cost(pfi_least_tree *tree, const pfi_tree_move *order, unsigned moves);

#endif
