/* The best order of the blocks of one node (Zwarts & Dras 2006, sections 3.1, 3.2). */
#ifndef PF_TREE_ARRANGE_H
#define PF_TREE_ARRANGE_H

#include <permfst/base/err.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct pfi_arranger pfi_arranger; /* memory that one node after the other uses */

pf_err pfi_arranger_new(pfi_arranger **out);
void pfi_arranger_free(pfi_arranger *arranger); /* NULL is accepted */

/* The blocks of a node in read-off order: n of them, size[i] words each; block `unit` is the node's own unit. */
typedef struct {
    const uint32_t *size;
    uint32_t n, unit;
    bool limited; /* blocks of two words or more keep their relative order */
} pfi_blocks;

/* The sum of squared distances of the children to the unit where the blocks stand in this order; order[i] is a block. O(n). */
uint64_t pfi_blocks_cost(const pfi_blocks *blocks, const uint32_t *order);

/* Writes the best order to order[0..n-1], and its cost to *cost: of those with the least sum of squares, those with the fewest
 * children on another side of the unit than in the read-off; of these, those with the least break count; of these, the
 * lexicographically smallest. Exact; polynomial in the number of blocks (arrange.c). PF_ELIMIT: it takes more than
 * PFI_ARRANGE_LIMIT steps, which some hundred blocks of mixed sizes may take; PF_ENOMEM. */
#define PFI_ARRANGE_LIMIT (UINT64_C(1) << 31)
pf_err pfi_arrange(pfi_arranger *arranger, const pfi_blocks *blocks, uint32_t *order, uint64_t *cost);

#endif
