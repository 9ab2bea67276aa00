/* The least break count of one class of blocks, of which some stand left of all smaller ones and some right of them. */
#ifndef PF_TREE_SPLIT_H
#define PF_TREE_SPLIT_H

#include <permfst/base/err.h>
#include <permfst/base/vec.h>

#include <stdint.h>

/* The break count of two neighbours, the paper's max(0, a - b + 1), where they are not the same. */
static inline int32_t pfi_drop(int32_t from, int32_t to) { return from < to ? 0 : from - to + 1; }

enum { PFI_UNREACHED = INT32_MAX / 4 };

/* The smaller classes with the unit, as one thing: the least break count from a block before them to a block after them. Without
 * smaller classes `cost` is NULL, and the unit is alone. */
typedef struct {
    const int32_t *cost;   /* width x width; row and column 0: a block that is in no class, or none */
    size_t width;
    const uint32_t *place; /* of each block that is in a class: where it is in the order of sizes, from 1 */
    uint32_t offset, n;    /* the places that the table leaves out; blocks */
    int32_t unit;
} pfi_inside;

int32_t pfi_inside_cost(const pfi_inside *inside, int32_t before, int32_t after);

enum { PFI_EITHER, PFI_LEFT, PFI_RIGHT };

/* The blocks of a class that are still to be placed, ascending, and on which side each may stand; `left` of all go to the left. */
typedef struct {
    PF_VEC(int32_t) block;
    PF_VEC(char) side;
    uint32_t left;
} pfi_class_rest;

/* Memory that one call after the other uses. */
typedef struct {
    PF_VEC(int32_t) enter; /* of each block: what follows where it is the last on the left */
    PF_VEC(int32_t) row, next;
    uint64_t steps;        /* of all calls */
} pfi_splitter;

void pfi_splitter_free(pfi_splitter *splitter);

/* The least break count from `before` over the left group, what is inside, and the right group to `after`: of all splits and of all
 * orders of both groups. `before` is -1 and `after` the number of all blocks where there is none. Nothing is said of costs of
 * `limit` or more but that they are. O(n^2 left (n - left)) for n blocks that may go either way. PF_ENOMEM. */
pf_err pfi_split(pfi_splitter *splitter, const pfi_class_rest *rest, const pfi_inside *inside, int32_t before, int32_t after,
                 int32_t limit, int32_t *least);

/* The same where all blocks stand in one group. O(n). */
int32_t pfi_group_cost(const int32_t *block, size_t n, int32_t before, int32_t after);

#endif
