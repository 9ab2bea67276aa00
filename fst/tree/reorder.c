/* The models that go node by node; the rules of Collins are in collins.c. */
#include "tree/reorder_impl.h"

#include "tree/arrange.h"

#include <permfst/base/vec.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct pf_reorderer {
    pfi_arranger *arranger;
    PF_VEC(uint32_t) size;  /* of the blocks of a node */
    PF_VEC(uint32_t) place; /* their order: places among them */
};

static const double slack = 1e-9; /* of a ratio, for rounding */

pf_err pf_reorderer_new(pf_reorderer **out) {
    pf_reorderer *reorderer = *out = calloc(1, sizeof *reorderer);
    if (!reorderer) return pf_nomem();
    pf_err err = pfi_arranger_new(&reorderer->arranger);
    if (err) {
        free(reorderer);
        *out = NULL;
    }
    return err;
}

void pf_reorderer_free(pf_reorderer *reorderer) {
    if (!reorderer) return;
    pfi_arranger_free(reorderer->arranger);
    PF_VEC_FREE(&reorderer->size);
    PF_VEC_FREE(&reorderer->place);
    free(reorderer);
}

static uint32_t size_of(const pf_tree *tree, uint32_t node, uint32_t block) {
    return block == node ? tree->node[node].words : tree->node[block].size;
}

uint64_t pf_tree_node_shd2(const pf_tree *tree, uint32_t node, const uint32_t *order) {
    const pf_tree_node *of = &tree->node[node];
    uint64_t sum = 0, distance = 1;
    const uint32_t *block = order + of->blocks;
    uint32_t at = 0;
    if (node == tree->nodes) return 0;
    while (block[at] != node) at++;
    for (uint32_t i = at; i-- > 0; distance += tree->node[block[i]].size) sum += distance * distance;
    distance = 1;
    for (uint32_t i = at + 1; i < of->n_blocks; distance += tree->node[block[i++]].size) sum += distance * distance;
    return sum;
}

uint64_t pf_tree_shd2(const pf_tree *tree, const uint32_t *order) {
    uint64_t sum = 0;
    for (uint32_t v = 0; v < tree->nodes; v++) sum += pf_tree_node_shd2(tree, v, order);
    return sum;
}

/* The sum of squares before and after; is the new order accepted? */
static bool accepted(const pf_tree_rule *rule, uint64_t before, uint64_t after) {
    assert(after <= before);
    if (rule->model == PF_TREE_FULL) return true;
    return (double)(before - after) >= rule->ratio * (double)before - slack;
}

static pf_err reorder_node(pf_reorderer *reorderer, const pf_tree *tree, const pf_tree_rule *rule, uint32_t node, uint32_t *order) {
    const pf_tree_node *of = &tree->node[node];
    const uint32_t *block = tree->block + of->blocks;
    pfi_blocks blocks = {.n = of->n_blocks, .limited = rule->model == PF_TREE_LIMITED};
    uint64_t cost;
    PF_TRY(pf_vec_reserve(&reorderer->size.at, &reorderer->size.cap, of->n_blocks, sizeof *reorderer->size.at));
    PF_TRY(pf_vec_reserve(&reorderer->place.at, &reorderer->place.cap, of->n_blocks, sizeof *reorderer->place.at));
    for (uint32_t at = 0; at < of->n_blocks; at++) {
        reorderer->size.at[at] = size_of(tree, node, block[at]);
        if (block[at] == node) blocks.unit = at;
    }
    blocks.size = reorderer->size.at;
    PF_TRY(pfi_arrange(reorderer->arranger, &blocks, reorderer->place.at, &cost));
    if (!accepted(rule, pf_tree_node_shd2(tree, node, tree->block), cost)) return PF_OK;
    for (uint32_t i = 0; i < of->n_blocks; i++) order[of->blocks + i] = block[reorderer->place.at[i]];
    return PF_OK;
}

pf_err pf_tree_reorder(pf_reorderer *reorderer, const pf_tree *tree, const pf_tree_rule *rule, uint32_t *order) {
    const pf_tree_node *top = &tree->node[tree->nodes];
    memcpy(order, tree->block, (top->blocks + top->n_blocks) * sizeof *order);
    if (rule->model == PF_TREE_READ_OFF) return PF_OK;
    if (rule->model == PF_TREE_COLLINS) return pfi_tree_collins(tree, order);
    for (uint32_t v = 0; v < tree->nodes; v++)
        if (tree->node[v].n_blocks > 1) PF_TRY(reorder_node(reorderer, tree, rule, v, order));
    return PF_OK;
}
