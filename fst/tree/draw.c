/* The arcs, which both kinds of pictures need. */
#include "tree/draw_impl.h"

#include <stdlib.h>
#include <string.h>

static int by_span(const void *first, const void *second) {
    const pfi_arc_drawn *one = first, *other = second;
    unsigned span = one->right - one->left, other_span = other->right - other->left;
    if (span != other_span) return span < other_span ? -1 : 1;
    if (one->left != other->left) return one->left < other->left ? -1 : 1;
    return 0;
}

/* height[position]: the highest arc so far over the gap after a position. */
static void set_levels(pfi_arcs_drawn *arcs, unsigned *height) {
    for (unsigned which = 0; which < arcs->n; which++) {
        pfi_arc_drawn *arc = &arcs->arc[which];
        for (unsigned position = arc->left; position < arc->right; position++)
            if (height[position] > arc->level) arc->level = height[position];
        arc->level++;
        for (unsigned position = arc->left; position < arc->right; position++) height[position] = arc->level;
        if (arc->level > arcs->levels) arcs->levels = arc->level;
    }
}

static void add_arc(pfi_arcs_drawn *arcs, unsigned head, unsigned dependent, const char *relation) {
    bool to_right = head < dependent;
    arcs->arc[arcs->n++] = (pfi_arc_drawn){to_right ? head : dependent, to_right ? dependent : head, to_right, 0, relation};
}

pf_err pfi_arcs_of(const pf_tree *tree, const unsigned *perm, pfi_arcs_drawn *out) {
    *out = (pfi_arcs_drawn){NULL, 0, 0};
    if (tree->n > PF_TREE_DRAWN_WORDS)
        return pf_fail(PF_ELIMIT, "expected at most %d words in a tree that is drawn, found %u", PF_TREE_DRAWN_WORDS, tree->n);
    unsigned *place = calloc(2 * (size_t)tree->n + 1, sizeof *place), *height = place ? place + tree->n : NULL;
    out->arc = calloc(tree->n + 1, sizeof *out->arc);
    if (!place || !out->arc) {
        free(place);
        free(out->arc);
        out->arc = NULL;
        return pf_nomem();
    }
    for (unsigned position = 0; position < tree->n; position++) place[perm[position]] = position;
    for (unsigned word = 0; word < tree->n; word++) {
        uint32_t node = tree->word[word].node;
        if (node == PF_TREE_NONE) continue;
        unsigned first = pf_tree_first(tree, node);
        uint32_t head = tree->node[node].head;
        if (word != first) add_arc(out, place[first], place[word], tree->word[word].relation);
        else if (head != tree->nodes) add_arc(out, place[pf_tree_first(tree, head)], place[word], tree->word[word].relation);
    }
    qsort(out->arc, out->n, sizeof *out->arc, by_span);
    set_levels(out, height);
    free(place);
    return PF_OK;
}
