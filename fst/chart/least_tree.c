/* Leaves that follow one another and visit a block of positions are a node, if they are two such blocks: so the trees of an order
 * are found from its shortest blocks up. Where all straight nodes cost the same, and all inverted ones, any tree will do: that of
 * a shift-reduce parser (tree.c). */
#include "chart/least_tree.h"

#include <permfst/machine/answer.h>

#include <limits.h>
#include <stdlib.h>

pf_err pfi_least_tree_init(pfi_least_tree *tree, const pfi_shape *shape, bool write) {
    const bool whole = shape->free_trees || write;
    const size_t side = shape->n + (size_t)1, windows = whole ? side * side : 0;
    *tree = (pfi_least_tree){.shape = shape, .whole = whole};
    if (!shape->trees && !whole) return PF_OK;
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

static double any_tree(pfi_least_tree *tree, const pfi_tree_leaf *order, unsigned leaves) {
    const double *node = tree->shape->trees->node;
    unsigned *top = tree->stack;
    double cost = 0;
    for (unsigned t = 0; t < leaves; t++) {
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

/* Some leaves, a .. b-1 in the order in which they are visited. */
typedef struct {
    const pfi_tree_leaf *order;
    unsigned leaves, a, b;
} tree_window;

static size_t place_of(const tree_window *w, unsigned a, unsigned b) { return a * (w->leaves + (size_t)1) + b; }

static unsigned gap_of(const pfi_tree_leaf *leaf) { return leaf->gap_end - leaf->gap_begin; }

/* Where the block of the window ends, which begins at i. */
static unsigned end_of(const tree_window *w, unsigned i) {
    for (unsigned b = w->a; b < w->b; b++) i += w->order[b].end - w->order[b].begin - gap_of(&w->order[b]);
    return i;
}

/* Is the window a unit of two runs and the block between these? Which end has the unit? */
static bool is_around(const pfi_least_tree *tree, const tree_window *w, unsigned *kind) {
    if (w->b - w->a < 2) return false;
    const pfi_tree_leaf *first = &w->order[w->a], *last = &w->order[w->b - 1];
    const size_t after = place_of(w, w->a + 1, w->b), before = place_of(w, w->a, w->b - 1);
    const bool begins = gap_of(first) && tree->cost[after] < (double)INFINITY && tree->begin[after] == first->gap_begin;
    const bool ends = gap_of(last) && tree->cost[before] < (double)INFINITY && tree->begin[before] == last->gap_begin;
    if (begins) *kind = PF_TREE_BEFORE;
    else if (ends) *kind = PF_TREE_AFTER;
    return begins || ends;
}

/* Are the words of the window visited in their order, so that they may be one leaf? */
static bool is_run(const pfi_least_tree *tree, const tree_window *w) {
    if (!tree->shape->trees || !tree->shape->trees->runs) return w->b - w->a == 1;
    for (unsigned t = w->a + 1; t < w->b; t++)
        if (w->order[t].begin != w->order[t - 1].end) return false;
    return true;
}

/* The block i .. k-1 of a window as a node of its leaves a .. s-1 and s .. b-1. *split: the place in the source. */
static double node_cost(const pfi_least_tree *tree, const tree_window *w, unsigned s, unsigned i, unsigned k, unsigned *split) {
    const size_t first = place_of(w, w->a, s), second = place_of(w, s, w->b);
    double node[2];
    if (tree->cost[first] == (double)INFINITY || tree->cost[second] == (double)INFINITY) return (double)INFINITY;
    const bool straight = tree->begin[first] == i;
    *split = straight ? tree->begin[second] : tree->begin[first];
    pfi_shape_tree_node(tree->shape, i, *split, k, node);
    return tree->cost[first] + tree->cost[second] + node[straight ? PFI_STRAIGHT : PFI_INVERTED];
}

static double block_cost(const pfi_least_tree *tree, const tree_window *w, unsigned i, unsigned k, bool run) {
    double least = (double)INFINITY;
    unsigned split, kind;
    if (run) least = 0;
    else if (is_around(tree, w, &kind))
        return tree->cost[kind == PF_TREE_BEFORE ? place_of(w, w->a + 1, w->b) : place_of(w, w->a, w->b - 1)];
    for (unsigned s = w->a + 1; s < w->b; s++) {
        const double sum = node_cost(tree, w, s, i, k, &split);
        if (sum < least) least = sum;
    }
    return least;
}

static double best_tree(pfi_least_tree *tree, const pfi_tree_leaf *order, unsigned leaves) {
    const bool runs = tree->shape->trees && tree->shape->trees->runs;
    tree_window w = {.order = order, .leaves = leaves};
    for (w.a = leaves; w.a-- > 0;) {
        unsigned low = order[w.a].begin, high = order[w.a].end, covered = 0;
        bool ascending = true;
        for (w.b = w.a + 1; w.b <= leaves; w.b++) {
            const pfi_tree_leaf last = order[w.b - 1];
            ascending = ascending && (w.b - 1 == w.a || last.begin == order[w.b - 2].end);
            covered += last.end - last.begin - gap_of(&last);
            if (last.begin < low) low = last.begin;
            if (last.end > high) high = last.end;
            const bool block = high - low == covered && pfi_shape_has(tree->shape, low, high);
            const bool run = w.b - w.a == 1 || (ascending && runs);
            tree->begin[place_of(&w, w.a, w.b)] = low;
            tree->cost[place_of(&w, w.a, w.b)] = block ? block_cost(tree, &w, low, high, run) : (double)INFINITY;
        }
    }
    return leaves ? tree->cost[leaves] : 0;
}

double pfi_least_tree_cost(pfi_least_tree *tree, const pfi_tree_leaf *order, unsigned leaves) {
    if (tree->whole) return best_tree(tree, order, leaves);
    return tree->shape->trees ? any_tree(tree, order, leaves) : 0;
}

/* ---- which tree it is ---- */

/* The node of the least sum with the smallest split in the source: the leaves of the part visited first end before *s. */
static void find_split(const pfi_least_tree *tree, const tree_window *w, unsigned *s) {
    const size_t place = place_of(w, w->a, w->b);
    const unsigned i = tree->begin[place], k = end_of(w, i);
    unsigned least = UINT_MAX, split;
    for (unsigned at = w->a + 1; at < w->b; at++) {
        if (node_cost(tree, w, at, i, k, &split) != tree->cost[place] || split >= least) continue;
        least = split;
        *s = at;
    }
}

static unsigned moves_of(const tree_window *w, unsigned a, unsigned b) {
    unsigned moves = 0;
    for (; a < b; a++) moves += w->order[a].moves;
    return moves;
}

static void push_window(unsigned **top, unsigned a, unsigned b) {
    *--*top = b;
    *--*top = a;
}

/* Puts the code of a window to the others, and its parts on the stack. */
static pf_err write_window(pfi_least_tree *tree, const tree_window *w, unsigned **top, pfi_tree_codes *codes) {
    unsigned kind = PF_TREE_NODE, s = w->a + 1;
    if (w->b - w->a == 1) return w->order[w->a].moves > 1 ? PF_PUSH(codes, (uint32_t)PF_TREE_UNIT) : PF_OK;
    if (is_run(tree, w) && tree->cost[place_of(w, w->a, w->b)] == 0) return PF_PUSH(codes, (uint32_t)PF_TREE_RUN);
    if (!is_around(tree, w, &kind)) find_split(tree, w, &s);
    else if (kind == PF_TREE_AFTER) s = w->b - 1;
    if (kind != PF_TREE_AFTER) push_window(top, s, w->b); /* below the part visited first, which is written first */
    if (kind != PF_TREE_BEFORE) push_window(top, w->a, s);
    return PF_PUSH(codes, PF_TREE_KINDS * moves_of(w, w->a, s) + kind);
}

pf_err pfi_least_tree_write(pfi_least_tree *tree, const pfi_tree_leaf *order, unsigned leaves, pfi_tree_codes *codes) {
    unsigned *end = tree->stack + 2 * (tree->shape->n + (size_t)1), *top = end;
    tree_window w = {.order = order, .leaves = leaves};
    if (!leaves) return PF_OK;
    *--top = leaves;
    *--top = 0;
    while (top < end) {
        w.a = *top++;
        w.b = *top++;
        PF_TRY(write_window(tree, &w, &top, codes));
    }
    return PF_OK;
}
