/* A tree from its words and their heads: nodes in the order of their first words, blocks of each, sizes. All in O(n). */
#include "tree/tree_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const pf_tree_word no_word = {"_", "_", "_", "_", "_", "_", PF_TREE_NONE, 0};

pf_err pfi_tree_draft_new(unsigned words, pfi_tree_draft *draft) {
    *draft = (pfi_tree_draft){calloc(1, sizeof(pf_tree)), malloc((words + 1) * sizeof *draft->unit),
                              malloc((words + 1) * sizeof *draft->head)};
    pf_tree *tree = draft->tree;
    if (tree) {
        tree->id = tree->source = "";
        tree->word = pf_arena_get(&tree->arena, (words + 1) * sizeof *tree->word);
    }
    if (!tree || !tree->word || !draft->unit || !draft->head) {
        pfi_tree_draft_free(draft);
        return pf_nomem();
    }
    tree->n = words;
    for (unsigned word = 0; word < words; word++) {
        tree->word[word] = no_word;
        draft->unit[word] = word;
        draft->head[word] = PFI_HEAD_TOP;
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

const char *pfi_tree_text(pf_tree *tree, const char *at, size_t length) {
    char *copy = pf_arena_get(&tree->arena, length + 1);
    if (!copy) return NULL;
    memcpy(copy, at, length);
    copy[length] = 0;
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
    for (unsigned word = 0; word < tree->n; word++) {
        uint32_t unit = draft->unit[word];
        assert(unit <= word && draft->unit[unit] == unit);
        if (draft->head[unit] == PFI_HEAD_MARK) tree->word[word].node = PF_TREE_NONE;
        else tree->word[word].node = unit == word ? tree->nodes++ : tree->word[unit].node;
    }
}

static void set_heads(const pfi_tree_draft *draft) {
    pf_tree *tree = draft->tree;
    tree->node[tree->nodes].head = tree->nodes;
    for (unsigned word = 0; word < tree->n; word++) {
        uint32_t node = tree->word[word].node;
        int32_t head = draft->head[draft->unit[word]];
        if (node == PF_TREE_NONE) continue;
        tree->node[node].words++;
        if (draft->unit[word] == word) tree->node[node].head = head == PFI_HEAD_TOP ? tree->nodes : tree->word[head].node;
        assert(tree->node[node].head <= tree->nodes);
    }
}

/* Nodes are visited in ascending order, so that members and blocks come out ascending. */
static void set_lists(pf_tree *tree) {
    uint32_t members = 0, blocks = 0;
    for (uint32_t unit = 0; unit < tree->nodes; unit++) tree->node[unit].n_blocks = 1;
    for (uint32_t unit = 0; unit < tree->nodes; unit++) tree->node[tree->node[unit].head].n_blocks++;
    for (uint32_t unit = 0; unit <= tree->nodes; unit++) {
        pf_tree_node *node = &tree->node[unit];
        node->first = members;
        node->blocks = blocks;
        members += node->words;
        blocks += node->n_blocks;
        node->words = node->n_blocks = 0;
    }
    for (unsigned word = 0; word < tree->n; word++) {
        if (tree->word[word].node == PF_TREE_NONE) continue;
        pf_tree_node *node = &tree->node[tree->word[word].node];
        tree->member[node->first + node->words++] = word;
    }
    for (uint32_t unit = 0; unit < tree->nodes; unit++) {
        pf_tree_node *head = &tree->node[tree->node[unit].head];
        tree->block[tree->node[unit].blocks + tree->node[unit].n_blocks++] = PF_TREE_NONE; /* its own place, found below */
        tree->block[head->blocks + head->n_blocks++] = unit;
    }
}

static int ascending(const void *first, const void *second) {
    uint32_t one = *(const uint32_t *)first, other = *(const uint32_t *)second;
    return (one > other) - (one < other);
}

static void sort_blocks(pf_tree *tree) {
    for (uint32_t unit = 0; unit < tree->nodes; unit++) {
        uint32_t *block = tree->block + tree->node[unit].blocks;
        for (uint32_t i = 0; i < tree->node[unit].n_blocks; i++)
            if (block[i] == PF_TREE_NONE) block[i] = unit;
        qsort(block, tree->node[unit].n_blocks, sizeof *block, ascending);
    }
}

/* From the top down: `order` is of all nodes; then sizes from the leaves up. */
static void set_sizes(pf_tree *tree, uint32_t *order) {
    uint32_t found = 0;
    order[found++] = tree->nodes;
    for (uint32_t at = 0; at < found; at++) {
        const pf_tree_node *node = &tree->node[order[at]];
        for (uint32_t k = 0; k < node->n_blocks; k++)
            if (tree->block[node->blocks + k] != order[at]) order[found++] = tree->block[node->blocks + k];
    }
    assert(found == tree->nodes + 1); /* there is no cycle */
    for (uint32_t unit = 0; unit < tree->nodes; unit++) tree->node[unit].size = tree->node[unit].words;
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
