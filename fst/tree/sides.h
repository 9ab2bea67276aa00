/* How many blocks of each size stand on the left of a node's unit, for the least sum of squared distances. */
#ifndef PF_TREE_SIDES_H
#define PF_TREE_SIDES_H

#include "tree/arrange.h"

#include <permfst/base/vec.h>

/* Blocks of one size, all but the unit; in limited mode only those of one word. `left` of them are left of the unit in the
 * read-off, and come first in item[]: blocks, ascending. */
typedef struct {
    uint32_t size, n, left;
    uint32_t item; /* the first of them, in pfi_sides.item */
} pfi_class;

/* What is known of the classes up to one, the smallest first, with so many words on the left. */
typedef struct {
    uint64_t cost;  /* UINT64_MAX: there is no such choice */
    uint32_t jumps; /* children on another side than in the read-off */
} pfi_sides_cell;

typedef struct {
    PF_VEC(pfi_class) class;     /* ascending sizes */
    PF_VEC(uint32_t) item;
    PF_VEC(pfi_sides_cell) cell;
    PF_VEC(size_t) row;          /* the first cell of each class */
    PF_VEC(uint32_t) word;       /* how many words the classes before each have */
    PF_VEC(uint32_t) fixed;      /* limited: the blocks that keep their order, ascending */
    bool pinned;                 /* limited: the unit is one of these, so none of them changes sides */
    uint64_t cost;               /* the least */
    uint32_t jumps;
    uint64_t steps;              /* of all that was done, to be limited */
} pfi_sides;

/* A choice: how many of each class are on the left, and, in limited mode, how many fixed blocks. */
typedef struct {
    uint32_t *left;
    uint32_t fixed_left;
} pfi_choice;

/* Finds the least cost, and the fewest jumps with it. */
pf_err pfi_sides_find(pfi_sides *sides, const pfi_blocks *blocks);
void pfi_sides_free(pfi_sides *sides);

/* Calls `use` with each choice that has this cost and so many jumps. choice->left has room for all classes. Stops at an error. */
pf_err pfi_sides_each(pfi_sides *sides, const pfi_blocks *blocks, pfi_choice *choice,
                      pf_err (*use)(void *self, const pfi_choice *choice), void *self);

#endif
