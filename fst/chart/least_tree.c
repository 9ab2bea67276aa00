/* Leaves that follow one another and visit a block of positions are a node, if they are two such blocks: so the trees of an order
 * are found from its shortest blocks up. Where all straight nodes cost the same, and all inverted ones, any tree will do: that of
 * a shift-reduce parser (tree.c). */
#include "chart/least_tree.h"

#include "base/contract.h"

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
    for (unsigned leaf = 0; leaf < leaves; leaf++) {
        *top++ = order[leaf].begin;
        *top++ = order[leaf].end;
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

/* Some leaves, first .. last-1 in the order in which they are visited. */
typedef struct {
    const pfi_tree_leaf *order;
    unsigned leaves, first, last;
} tree_window;

static size_t place_of(const tree_window *window, unsigned first, unsigned last) { return first * (window->leaves + (size_t)1)
    + last; }

static unsigned gap_of(const pfi_tree_leaf *leaf) { return leaf->gap_end - leaf->gap_begin; }

/* Where the block of the window ends, which begins at begin. */
static unsigned end_of(const tree_window *window, unsigned begin) {
    for (unsigned leaf = window->first; leaf < window->last; leaf++) begin +=
        window->order[leaf].end - window->order[leaf].begin - gap_of(&window->order[leaf]);
    return begin;
}

/* Is the window a unit of two runs and the block between these? Which end has the unit? */
static bool is_around(const pfi_least_tree *tree, const tree_window *window, unsigned *kind) {
    if (window->last - window->first < 2) return false;
    const pfi_tree_leaf *first = &window->order[window->first], *last = &window->order[window->last - 1];
    const size_t after = place_of(window, window->first + 1, window->last), before = place_of(window, window->first,
        window->last - 1);
    const bool begins = gap_of(first) && tree->cost[after] < (double)INFINITY && tree->begin[after] == first->gap_begin;
    const bool ends = gap_of(last) && tree->cost[before] < (double)INFINITY && tree->begin[before] == last->gap_begin;
    if (begins) *kind = PF_TREE_BEFORE;
    else if (ends) *kind = PF_TREE_AFTER;
    return begins || ends;
}

/* Are the words of the window visited in their order, so that they may be one leaf? */
static bool is_run(const pfi_least_tree *tree, const tree_window *window) {
    if (!tree->shape->trees || !tree->shape->trees->runs) return window->last - window->first == 1;
    for (unsigned leaf = window->first + 1; leaf < window->last; leaf++)
        if (window->order[leaf].begin != window->order[leaf - 1].end) return false;
    return true;
}

/* The block begin .. end-1 of a window as a node of its leaves first .. parted-1 and parted .. last-1. *split: the place in
 * the source. */
static double node_cost(const pfi_least_tree *tree, const tree_window *window, unsigned parted, unsigned begin, unsigned end,
    unsigned *split) {
    const size_t first = place_of(window, window->first, parted), second = place_of(window, parted, window->last);
    double node[2];
    if (tree->cost[first] == (double)INFINITY || tree->cost[second] == (double)INFINITY) return (double)INFINITY;
    const bool straight = tree->begin[first] == begin;
    *split = straight ? tree->begin[second] : tree->begin[first];
    pfi_shape_tree_node(tree->shape, begin, *split, end, node);
    return tree->cost[first] + tree->cost[second] + node[straight ? PFI_STRAIGHT : PFI_INVERTED];
}

static double block_cost(const pfi_least_tree *tree, const tree_window *window, unsigned begin, unsigned end, bool run) {
    double least = (double)INFINITY;
    unsigned split, kind;
    if (run) least = 0;
    else if (is_around(tree, window, &kind))
        return tree->cost[kind == PF_TREE_BEFORE ? place_of(window, window->first + 1, window->last) : place_of(window,
            window->first, window->last - 1)];
    for (unsigned parted = window->first + 1; parted < window->last; parted++) {
        const double sum = node_cost(tree, window, parted, begin, end, &split);
        if (sum < least) least = sum;
    }
    return least;
}

static double best_tree(pfi_least_tree *tree, const pfi_tree_leaf *order, unsigned leaves) {
    const bool runs = tree->shape->trees && tree->shape->trees->runs;
    tree_window window = {.order = order, .leaves = leaves};
    for (window.first = leaves; window.first-- > 0;) {
        unsigned low = order[window.first].begin, high = order[window.first].end, covered = 0;
        bool ascending = true;
        for (window.last = window.first + 1; window.last <= leaves; window.last++) {
            const pfi_tree_leaf last = order[window.last - 1];
            ascending = ascending && (window.last - 1 == window.first || last.begin == order[window.last - 2].end);
            covered += last.end - last.begin - gap_of(&last);
            if (last.begin < low) low = last.begin;
            if (last.end > high) high = last.end;
            const bool block = high - low == covered && pfi_shape_has(tree->shape, low, high);
            const bool run = window.last - window.first == 1 || (ascending && runs);
            tree->begin[place_of(&window, window.first, window.last)] = low;
            tree->cost[place_of(&window, window.first, window.last)] = block ? block_cost(tree, &window, low, high, run) :
                (double)INFINITY;
        }
    }
    return leaves ? tree->cost[leaves] : 0;
}

double pfi_least_tree_cost(pfi_least_tree *tree, const pfi_tree_leaf *order, unsigned leaves) {
    assert(leaves <= tree->shape->n);
    if (tree->whole) return best_tree(tree, order, leaves);
    return tree->shape->trees ? any_tree(tree, order, leaves) : 0;
}

/* ---- which tree it is ---- */

/* The node of the least sum with the smallest split in the source: the leaves of the part visited first end before *parted. */
static void find_split(const pfi_least_tree *tree, const tree_window *window, unsigned *parted) {
    const size_t place = place_of(window, window->first, window->last);
    const unsigned begin = tree->begin[place], end = end_of(window, begin);
    unsigned least = UINT_MAX, split;
    for (unsigned at = window->first + 1; at < window->last; at++) {
        if (node_cost(tree, window, at, begin, end, &split) != tree->cost[place] || split >= least) continue;
        least = split;
        *parted = at;
    }
}

static unsigned moves_of(const tree_window *window, unsigned first, unsigned last) {
    unsigned moves = 0;
    for (; first < last; first++) moves += window->order[first].moves;
    return moves;
}

static void push_window(unsigned **top, unsigned first, unsigned last) {
    *--*top = last;
    *--*top = first;
}

/* Puts the code of a window to the others, and its parts on the stack. */
static pf_err write_window(pfi_least_tree *tree, const tree_window *window, unsigned **top, pfi_tree_codes *codes) {
    unsigned kind = PF_TREE_NODE, parted = window->first + 1;
    if (window->last - window->first == 1) return window->order[window->first].moves > 1 ? PF_PUSH(codes,
        (uint32_t)PF_TREE_UNIT) : PF_OK;
    if (is_run(tree, window) && tree->cost[place_of(window, window->first, window->last)] == 0) return PF_PUSH(codes,
        (uint32_t)PF_TREE_RUN);
    if (!is_around(tree, window, &kind)) find_split(tree, window, &parted);
    else if (kind == PF_TREE_AFTER) parted = window->last - 1;
    if (kind != PF_TREE_AFTER) push_window(top, parted, window->last); /* below the part visited first, which is written first */
    if (kind != PF_TREE_BEFORE) push_window(top, window->first, parted);
    return PF_PUSH(codes, PF_TREE_KINDS * moves_of(window, window->first, parted) + kind);
}

pf_err pfi_least_tree_write(pfi_least_tree *tree, const pfi_tree_leaf *order, unsigned leaves, pfi_tree_codes *codes) {
    unsigned *end = tree->stack + 2 * (tree->shape->n + (size_t)1), *top = end;
    tree_window window = {.order = order, .leaves = leaves};
    if (!leaves) return PF_OK;
    *--top = leaves;
    *--top = 0;
    while (top < end) {
        window.first = *top++;
        window.last = *top++;
        PF_TRY(write_window(tree, &window, &top, codes));
    }
    return PF_OK;
}
