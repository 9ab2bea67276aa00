/* Orders from trees: the four models of Zwarts & Dras 2006, section 3.4.
 *
 *   read-off  the blocks of each node in the order of the first words of their units: the sentence, if it is projective
 *   full      the blocks of each node in the order with the least sum of squared distances, SHD2 (sections 3.1, 3.2)
 *   limited   the same where only single words move, and only if that takes at least `ratio` of SHD2 away
 *   collins   six rules for the verbs, particles, subjects and negations of German and Dutch (after Collins et al. 2005)
 *
 * The distance of a child is that between its constituent and the unit of its head, in words of the tree: 1 for neighbours. SHD2 of
 * a node is the sum of their squares over its children. An order is written as tree->block is: for each node a permutation of its
 * blocks; pf_tree_order makes words of it. */
#ifndef PF_TREE_REORDER_H
#define PF_TREE_REORDER_H

#include <permfst/tree/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PF_TREE_READ_OFF, PF_TREE_FULL, PF_TREE_LIMITED, PF_TREE_COLLINS } pf_tree_model;

#define PF_TREE_RATIO 0.9 /* the paper's threshold for `limited` */

typedef struct {
    pf_tree_model model;
    double ratio; /* of `limited`: 0 takes all, 1 none */
} pf_tree_rule;

/* Memory that is used for one tree after the other, by one thread. *out is freed by pf_reorderer_free. PF_ENOMEM. */
typedef struct pf_reorderer pf_reorderer;
pf_err pf_reorderer_new(pf_reorderer **out);
void pf_reorderer_free(pf_reorderer *reorderer); /* NULL is accepted */

/* Writes the order that a rule gives to a tree, with as many entries as tree->block has.
 * The best order of a node is exact, for any number of children: no orders are enumerated. Of several with the least SHD2 it has
 * the fewest children on the other side of the head than before, then the least break count (section 3.2), then the smallest
 * numbers of blocks. PF_ELIMIT: a node has too many orders that are equally good: its dependents have several sizes, and there are
 * 40 of them or more (1 in 20 random nodes with 40 of 1 to 3 words, 1 in 3 with 50, none with 30); PF_ENOMEM. */
pf_err pf_tree_reorder(pf_reorderer *reorderer, const pf_tree *tree, const pf_tree_rule *rule, uint32_t *order);

/* SHD2 of a node in an order, or of all nodes. O(blocks). */
uint64_t pf_tree_node_shd2(const pf_tree *tree, uint32_t node, const uint32_t *order);
uint64_t pf_tree_shd2(const pf_tree *tree, const uint32_t *order);

#ifdef __cplusplus
}
#endif
#endif
