/* Makes the order of words of the orders of blocks, and tells whether constituents are one run. */
#include <permfst/tree/tree.h>

#include <assert.h>
#include <stdlib.h>

/* The words that are marks from `at` on go to the order. */
static unsigned put_marks(const pf_tree *tree, unsigned at, unsigned end, unsigned *perm, unsigned placed) {
    for (; at < end && tree->word[at].node == PF_TREE_NONE; at++) perm[placed++] = at;
    return placed;
}

static unsigned put_unit(const pf_tree *tree, uint32_t unit, unsigned end, unsigned *perm, unsigned placed) {
    const pf_tree_node *node = &tree->node[unit];
    for (uint32_t member = 0; member < node->words; member++) {
        unsigned word = tree->member[node->first + member];
        perm[placed++] = word;
        placed = put_marks(tree, word + 1, end, perm, placed);
    }
    return placed;
}

/* The next block of each node on the way from the top. */
typedef struct {
    uint32_t node, next;
} frame;

pf_err pf_tree_order(const pf_tree *tree, const uint32_t *block, unsigned *perm) {
    frame *way = malloc((tree->nodes + 1) * sizeof *way);
    unsigned placed = put_marks(tree, 0, tree->n, perm, 0), end = tree->n; /* from `end` on there are marks that stay */
    if (!way) return pf_nomem();
    while (end > placed && tree->word[end - 1].node == PF_TREE_NONE) end--;
    way[0] = (frame){tree->nodes, 0};
    for (size_t depth = 1; depth;) {
        frame *top = &way[depth - 1];
        const pf_tree_node *node = &tree->node[top->node];
        if (top->next == node->n_blocks) {
            depth--;
            continue;
        }
        uint32_t son = block[node->blocks + top->next++];
        assert(son == top->node || depth <= tree->nodes);
        if (son == top->node) placed = put_unit(tree, son, end, perm, placed);
        else way[depth++] = (frame){son, 0};
    }
    placed = put_marks(tree, end, tree->n, perm, placed);
    assert(placed == tree->n);
    free(way);
    return PF_OK;
}

/* The first and the last word of a constituent, in words of the tree. */
typedef struct {
    uint32_t first, last;
} span;

pf_err pf_tree_discontinuous(const pf_tree *tree, bool *broken, unsigned *count) {
    span *spans = malloc((tree->nodes + 1) * sizeof *spans);
    uint32_t *order = malloc((tree->nodes + 1) * sizeof *order), found = 0, place = 0;
    *count = 0;
    if (!spans || !order) {
        free(spans);
        free(order);
        return pf_nomem();
    }
    order[found++] = tree->nodes;
    for (uint32_t unit = 0; unit <= tree->nodes; unit++) spans[unit] = (span){UINT32_MAX, 0};
    for (unsigned word = 0; word < tree->n; word++) {
        uint32_t unit = tree->word[word].node;
        if (unit == PF_TREE_NONE) continue;
        if (spans[unit].first == UINT32_MAX) spans[unit].first = place;
        spans[unit].last = place++;
    }
    for (uint32_t at = 0; at < found; at++) {
        const pf_tree_node *node = &tree->node[order[at]];
        for (uint32_t k = 0; k < node->n_blocks; k++)
            if (tree->block[node->blocks + k] != order[at]) order[found++] = tree->block[node->blocks + k];
    }
    for (uint32_t at = found; at-- > 1;) {
        uint32_t unit = order[at], head = tree->node[unit].head;
        bool apart = spans[unit].last - spans[unit].first + 1 != tree->node[unit].size;
        if (broken) broken[unit] = apart;
        *count += apart;
        if (spans[unit].first < spans[head].first) spans[head].first = spans[unit].first;
        if (spans[unit].last > spans[head].last) spans[head].last = spans[unit].last;
    }
    free(spans);
    free(order);
    return PF_OK;
}
