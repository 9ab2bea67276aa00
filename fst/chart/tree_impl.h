/* Private to trees of orders: the nodes of one. */
#ifndef PF_CHART_TREE_IMPL_H
#define PF_CHART_TREE_IMPL_H

#include <permfst/chart/tree.h>

/* A leaf has no sons; its words are those of the arcs left .. right-1 of the path. */
typedef struct {
    unsigned begin, end;   /* begin .. end-1, numbers of positions in ascending order, from 1 */
    char open;             /* '[' or '<'; of a leaf 0 */
    uint32_t left, right;  /* sons, in the order of the source; of a leaf its arcs */
} pfi_order_node;

typedef struct {
    const pf_path *path;
    const pf_symtab *words; /* NULL: numbers */
    bool positions;
    PF_VEC(pfi_order_node) nodes; /* sons come before their node; the last one is the root. A son may have the brackets of its node,
                                     and then stands for its own sons */
    PF_VEC(pf_label) sorted; /* the positions of the path */
    PF_VEC(uint32_t) stack;       /* of blocks; then of what is to be written */
} pfi_order_tree;

/* Finds the nodes of the tree of tree->path, a path of the answer. pfi_order_tree_free is to be called after an error, too. Errors as
 * pf_answer_write_tree. */
pf_err pfi_order_tree_read(pfi_order_tree *tree, const pf_answer *answer);
void pfi_order_tree_free(pfi_order_tree *tree);

/* Writes a tree that has nodes. */
pf_err pfi_order_tree_write(pfi_order_tree *tree, pf_writer *writer);

#endif
