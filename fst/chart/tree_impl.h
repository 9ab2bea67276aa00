/* Private to trees of orders: the nodes of one. */
#ifndef PF_CHART_TREE_IMPL_H
#define PF_CHART_TREE_IMPL_H

#include <permfst/chart/tree.h>

typedef enum { PFI_NO_RUN, PFI_FIRST_RUN, PFI_SECOND_RUN } pfi_unit_run;

/* A leaf has no sons; its words are those of the arcs left .. right-1 of the path. A unit of two runs has three sons: its runs are
 * leaves, of which the first one has all the words, and the block between them is `inner`. */
typedef struct {
    unsigned begin, end;   /* begin .. end-1, numbers of positions in ascending order, from 1 */
    char open;             /* '[' or '<'; of a leaf 0 */
    uint32_t left, right;  /* sons, in the order of the source; of a leaf its arcs */
    bool around;           /* it is a unit of two runs */
    uint32_t inner;
    pfi_unit_run run;      /* of such a unit */
} pfi_order_node;

typedef struct {
    const pf_path *path;
    const pf_symtab *words; /* NULL: numbers */
    bool positions;
    bool binary;                  /* nodes are written as they are; else as one with those of the same brackets above */
    bool units;                   /* some unit has two runs: '~' marks these */
    PF_VEC(pfi_order_node) nodes; /* the last one is the root; sons come before their node, unless the tree is binary */
    PF_VEC(pf_label) sorted; /* the positions of the path */
    PF_VEC(uint32_t) stack;       /* of blocks; then of what is to be written */
} pfi_order_tree;

/* Finds the nodes of the tree of tree->path, a path of the answer, by its order. pfi_order_tree_free is to be called after an
 * error, too. Errors as pf_answer_write_tree. */
pf_err pfi_order_tree_read(pfi_order_tree *tree, const pf_answer *answer);

/* The same by the codes of the path, which has some, from its sorted positions. PF_EINPUT: they are no tree of the order. */
pf_err pfi_order_tree_decode(pfi_order_tree *tree);

/* The place of a position among those of the path, from 1. O(log positions). */
unsigned pfi_order_tree_rank(const pfi_order_tree *tree, pf_label position);
void pfi_order_tree_free(pfi_order_tree *tree);

/* Writes a tree that has nodes. */
pf_err pfi_order_tree_write(pfi_order_tree *tree, pf_writer *writer);

#endif
