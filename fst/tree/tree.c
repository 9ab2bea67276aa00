/* A tree from its words and their heads: nodes in the order of their first words, blocks of each, sizes. All in O(n). */
#include "tree/tree_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const pf_tree_word no_word = {"_", "_", "_", "_", "_", "_", PF_TREE_NONE, 0};

pf_err pfi_tree_draft_new(unsigned n, pfi_tree_draft *draft) {
    *draft = (pfi_tree_draft){calloc(1, sizeof(pf_tree)), malloc((n + 1) * sizeof *draft->unit),
                              malloc((n + 1) * sizeof *draft->head)};
    pf_tree *tree = draft->tree;
    if (tree) {
        tree->id = tree->source = "";
        tree->word = pf_arena_get(&tree->arena, (n + 1) * sizeof *tree->word);
    }
    if (!tree || !tree->word || !draft->unit || !draft->head) {
        pfi_tree_draft_free(draft);
        return pf_nomem();
    }
    tree->n = n;
    for (unsigned j = 0; j < n; j++) {
        tree->word[j] = no_word;
        draft->unit[j] = j;
        draft->head[j] = PFI_HEAD_TOP;
    }
    return PF_OK;
}

void pfi_tree_draft_free(pfi_tree_draft *draft) {
    pf_tree_free(draft->tree);
    free(draft->unit);
    free(draft->head);
    *draft = (pfi_tree_draft){0};
}

void pf_tree_free(pf_tree *tree) {
    if (!tree) return;
    pf_arena_free(&tree->arena);
    free(tree);
}

const char *pfi_tree_text(pf_tree *tree, const char *at, size_t n) {
    char *copy = pf_arena_get(&tree->arena, n + 1);
    if (!copy) return NULL;
    memcpy(copy, at, n);
    copy[n] = 0;
    return copy;
}

/* ---- nodes ---- */

static pf_err make_room(pf_tree *tree) {
    tree->node = pf_arena_get(&tree->arena, (tree->nodes + 1) * sizeof *tree->node);
    tree->member = pf_arena_get(&tree->arena, (tree->n + 1) * sizeof *tree->member);
    tree->block = pf_arena_get(&tree->arena, (2 * (size_t)tree->nodes + 1) * sizeof *tree->block);
    if (!tree->node || !tree->member || !tree->block) return pf_nomem();
    memset(tree->node, 0, (tree->nodes + 1) * sizeof *tree->node);
    return PF_OK;
}

static void number_nodes(const pfi_tree_draft *draft) {
    pf_tree *tree = draft->tree;
    tree->nodes = 0;
    for (unsigned j = 0; j < tree->n; j++) {
        uint32_t unit = draft->unit[j];
        assert(unit <= j && draft->unit[unit] == unit);
        if (draft->head[unit] == PFI_HEAD_MARK) tree->word[j].node = PF_TREE_NONE;
        else tree->word[j].node = unit == j ? tree->nodes++ : tree->word[unit].node;
    }
}

static void set_heads(const pfi_tree_draft *draft) {
    pf_tree *tree = draft->tree;
    tree->node[tree->nodes].head = tree->nodes;
    for (unsigned j = 0; j < tree->n; j++) {
        uint32_t node = tree->word[j].node;
        int32_t head = draft->head[draft->unit[j]];
        if (node == PF_TREE_NONE) continue;
        tree->node[node].words++;
        if (draft->unit[j] == j) tree->node[node].head = head == PFI_HEAD_TOP ? tree->nodes : tree->word[head].node;
        assert(tree->node[node].head <= tree->nodes);
    }
}

/* Nodes are visited in ascending order, so that members and blocks come out ascending. */
static void set_lists(pf_tree *tree) {
    uint32_t members = 0, blocks = 0;
    for (uint32_t v = 0; v < tree->nodes; v++) tree->node[v].n_blocks = 1;
    for (uint32_t v = 0; v < tree->nodes; v++) tree->node[tree->node[v].head].n_blocks++;
    for (uint32_t v = 0; v <= tree->nodes; v++) {
        pf_tree_node *node = &tree->node[v];
        node->first = members;
        node->blocks = blocks;
        members += node->words;
        blocks += node->n_blocks;
        node->words = node->n_blocks = 0;
    }
    for (unsigned j = 0; j < tree->n; j++) {
        if (tree->word[j].node == PF_TREE_NONE) continue;
        pf_tree_node *node = &tree->node[tree->word[j].node];
        tree->member[node->first + node->words++] = j;
    }
    for (uint32_t v = 0; v < tree->nodes; v++) {
        pf_tree_node *head = &tree->node[tree->node[v].head];
        tree->block[tree->node[v].blocks + tree->node[v].n_blocks++] = PF_TREE_NONE; /* its own place, found below */
        tree->block[head->blocks + head->n_blocks++] = v;
    }
}

static int ascending(const void *first, const void *second) {
    uint32_t one = *(const uint32_t *)first, other = *(const uint32_t *)second;
    return (one > other) - (one < other);
}

static void sort_blocks(pf_tree *tree) {
    for (uint32_t v = 0; v < tree->nodes; v++) {
        uint32_t *block = tree->block + tree->node[v].blocks;
        for (uint32_t i = 0; i < tree->node[v].n_blocks; i++)
            if (block[i] == PF_TREE_NONE) block[i] = v;
        qsort(block, tree->node[v].n_blocks, sizeof *block, ascending);
    }
}

/* From the top down: `order` is of all nodes; then sizes from the leaves up. */
static void set_sizes(pf_tree *tree, uint32_t *order) {
    uint32_t found = 0;
    order[found++] = tree->nodes;
    for (uint32_t i = 0; i < found; i++) {
        const pf_tree_node *node = &tree->node[order[i]];
        for (uint32_t k = 0; k < node->n_blocks; k++)
            if (tree->block[node->blocks + k] != order[i]) order[found++] = tree->block[node->blocks + k];
    }
    assert(found == tree->nodes + 1); /* there is no cycle */
    for (uint32_t v = 0; v < tree->nodes; v++) tree->node[v].size = tree->node[v].words;
    for (uint32_t i = found; i-- > 1;) tree->node[tree->node[order[i]].head].size += tree->node[order[i]].size;
}

pf_err pfi_tree_finish(pfi_tree_draft *draft, pf_tree **out) {
    pf_tree *tree = draft->tree;
    number_nodes(draft);
    PF_TRY(make_room(tree));
    set_heads(draft);
    set_lists(tree);
    sort_blocks(tree);
    uint32_t *order = malloc((tree->nodes + 2) * sizeof *order);
    if (!order) return pf_nomem();
    set_sizes(tree, order);
    free(order);
    *out = tree;
    draft->tree = NULL;
    return PF_OK;
}
