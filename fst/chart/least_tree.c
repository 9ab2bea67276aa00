/* Moves that follow one another and visit a block of positions are a node, if they are two such blocks: so the trees of an order are
 * found from its shortest blocks up. Where all straight nodes cost the same, and all inverted ones, any tree will do: that of a
 * shift-reduce parser (tree.c). */
#include "chart/least_tree.h"

#include <stdlib.h>

pf_err pfi_least_tree_init(pfi_least_tree *tree, const pfi_shape *shape) {
    const size_t side = shape->n + (size_t)1, windows = shape->free_trees ? side * side : 0;
    *tree = (pfi_least_tree){.shape = shape};
    if (!shape->trees) return PF_OK;
    tree->cost = malloc((windows + 1) * sizeof *tree->cost);
    tree->begin = malloc((windows + 1) * sizeof *tree->begin);
    tree->stack = malloc(2 * side * sizeof *tree->stack);
    return tree->cost && tree->begin && tree->stack ? PF_OK : pf_nomem();
}

void pfi_least_tree_free(pfi_least_tree *tree) {
    free(tree->cost);
    free(tree->begin);
    free(tree->stack);
    *tree = (pfi_least_tree){0};
}

/* ---- any tree ---- */

static double any_tree(pfi_least_tree *tree, const pfi_tree_move *order, unsigned moves) {
    const double *node = tree->shape->trees->node;
    unsigned *top = tree->stack;
    double cost = 0;
    for (unsigned t = 0; t < moves; t++) {
        *top++ = order[t].begin;
        *top++ = order[t].end;
        while (top - tree->stack >= 4 && (top[-3] == top[-2] || top[-1] == top[-4])) {
            const bool straight = top[-3] == top[-2];
            cost += node[straight ? PFI_STRAIGHT : PFI_INVERTED];
            if (straight) top[-3] = top[-1];
            else top[-4] = top[-2];
            top -= 2;
        }
    }
    return top - tree->stack == 2 ? cost : (double)INFINITY;
}

/* ---- the best tree ---- */

/* The moves a .. b-1 as one block of i .. k-1. */
static double block_cost(const pfi_least_tree *tree, unsigned moves, unsigned a, unsigned b, unsigned i, unsigned k, bool ascending) {
    const size_t side = moves + (size_t)1;
    double least = (double)INFINITY, node[2];
    if (b - a == 1 || (ascending && tree->shape->trees->runs)) least = 0;
    for (unsigned s = a + 1; s < b; s++) {
        const size_t first = a * side + s, second = s * side + b;
        if (tree->cost[first] == (double)INFINITY || tree->cost[second] == (double)INFINITY) continue;
        const bool straight = tree->begin[first] == i;
        pfi_shape_tree_node(tree->shape, i, straight ? tree->begin[second] : tree->begin[first], k, node);
        double sum = tree->cost[first] + tree->cost[second] + node[straight ? PFI_STRAIGHT : PFI_INVERTED];
        if (sum < least) least = sum;
    }
    return least;
}

static double best_tree(pfi_least_tree *tree, const pfi_tree_move *order, unsigned moves) {
    const size_t side = moves + (size_t)1;
    for (unsigned a = moves; a-- > 0;) {
        unsigned low = order[a].begin, high = order[a].end, covered = 0;
        bool ascending = true;
        for (unsigned b = a + 1; b <= moves; b++) {
            const pfi_tree_move last = order[b - 1];
            ascending = ascending && (b - 1 == a || last.begin == order[b - 2].end);
            covered += last.end - last.begin;
            if (last.begin < low) low = last.begin;
            if (last.end > high) high = last.end;
            const bool block = high - low == covered && pfi_shape_has(tree->shape, low, high);
            tree->begin[a * side + b] = low;
            tree->cost[a * side + b] = block ? block_cost(tree, moves, a, b, low, high, ascending) : (double)INFINITY;
        }
    }
    return moves ? tree->cost[moves] : 0;
}

double pfi_least_tree_cost(pfi_least_tree *tree, const pfi_tree_move *order, unsigned moves) {
    if (!tree->shape->trees) return 0;
    return (tree->shape->free_trees ? best_tree : any_tree)(tree, order, moves);
}
