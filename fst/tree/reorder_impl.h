/* Private to the trees: the rules of Collins. */
#ifndef PF_TREE_REORDER_IMPL_H
#define PF_TREE_REORDER_IMPL_H

#include <permfst/tree/reorder.h>

/* Changes an order that is the read-off, block by block. PF_ENOMEM. */
pf_err pfi_tree_collins(const pf_tree *tree, uint32_t *order);

#endif
