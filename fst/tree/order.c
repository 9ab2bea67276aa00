/* From the orders of blocks to the order of words, and whether constituents are one run. */
#include <permfst/tree/tree.h>

#include <assert.h>
#include <stdlib.h>

/* The words that are marks from `at` on go to the order. */
static unsigned put_marks(const pf_tree *tree, unsigned at, unsigned end, unsigned *perm, unsigned n) {
    for (; at < end && tree->word[at].node == PF_TREE_NONE; at++) perm[n++] = at;
    return n;
}

static unsigned put_unit(const pf_tree *tree, uint32_t v, unsigned end, unsigned *perm, unsigned n) {
    const pf_tree_node *node = &tree->node[v];
    for (uint32_t i = 0; i < node->words; i++) {
        unsigned word = tree->member[node->first + i];
        perm[n++] = word;
        n = put_marks(tree, word + 1, end, perm, n);
    }
    return n;
}

/* The next block of each node on the way from the top. */
typedef struct {
    uint32_t node, next;
} frame;

pf_err pf_tree_order(const pf_tree *tree, const uint32_t *block, unsigned *perm) {
    frame *way = malloc((tree->nodes + 1) * sizeof *way);
    unsigned n = put_marks(tree, 0, tree->n, perm, 0), end = tree->n; /* from `end` on there are marks that stay */
    if (!way) return pf_nomem();
    while (end > n && tree->word[end - 1].node == PF_TREE_NONE) end--;
    way[0] = (frame){tree->nodes, 0};
    for (size_t depth = 1; depth;) {
        frame *top = &way[depth - 1];
        const pf_tree_node *node = &tree->node[top->node];
        if (top->next == node->n_blocks) {
            depth--;
            continue;
        }
        uint32_t v = block[node->blocks + top->next++];
        if (v == top->node) n = put_unit(tree, v, end, perm, n);
        else way[depth++] = (frame){v, 0};
    }
    n = put_marks(tree, end, tree->n, perm, n);
    assert(n == tree->n);
    free(way);
    return PF_OK;
}

/* The first and the last word of a constituent, in words of the tree. */
typedef struct {
    uint32_t first, last;
} span;

pf_err pf_tree_discontinuous(const pf_tree *tree, bool *broken, unsigned *count) {
    span *spans = malloc((tree->nodes + 1) * sizeof *spans);
    uint32_t *order = malloc((tree->nodes + 1) * sizeof *order), found = 0, at = 0;
    *count = 0;
    if (!spans || !order) {
        free(spans);
        free(order);
        return pf_nomem();
    }
    order[found++] = tree->nodes;
    for (uint32_t v = 0; v <= tree->nodes; v++) spans[v] = (span){UINT32_MAX, 0};
    for (unsigned j = 0; j < tree->n; j++) {
        uint32_t v = tree->word[j].node;
        if (v == PF_TREE_NONE) continue;
        if (spans[v].first == UINT32_MAX) spans[v].first = at;
        spans[v].last = at++;
    }
    for (uint32_t i = 0; i < found; i++) {
        const pf_tree_node *node = &tree->node[order[i]];
        for (uint32_t k = 0; k < node->n_blocks; k++)
            if (tree->block[node->blocks + k] != order[i]) order[found++] = tree->block[node->blocks + k];
    }
    for (uint32_t i = found; i-- > 1;) {
        uint32_t v = order[i], head = tree->node[v].head;
        bool apart = spans[v].last - spans[v].first + 1 != tree->node[v].size;
        if (broken) broken[v] = apart;
        *count += apart;
        if (spans[v].first < spans[head].first) spans[head].first = spans[v].first;
        if (spans[v].last > spans[head].last) spans[head].last = spans[v].last;
    }
    free(spans);
    free(order);
    return PF_OK;
}
