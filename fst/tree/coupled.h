/* A bound of the break count of a chain whose left and right groups share pools of blocks. */
#ifndef PF_TREE_COUPLED_H
#define PF_TREE_COUPLED_H

#include <permfst/base/err.h>
#include <permfst/base/vec.h>

#include <stdint.h>

/* The break count of two neighbours, the paper's max(0, a - b + 1), where they are not the same. */
static inline int32_t pfi_drop(int32_t from, int32_t to) { return from < to ? 0 : from - to + 1; }

enum { PFI_UNREACHED = INT32_MAX / 4 };

/* What is still to be placed of a class: forced blocks on the left and on the right, and a pool, ascending, of which so many go to
 * the left and all others to the right. */
typedef struct {
    const int32_t *pool;
    uint32_t n, picks;
    int32_t left_least, left_most, right_least, right_most; /* least > most: none are forced */
} pfi_coupled_class;

typedef struct {
    PF_VEC(int32_t) x, y;       /* the first block so far and the last one: what they may be */
    PF_VEC(int32_t) cost;       /* of each pair of these, x by x: the least break count inside */
    PF_VEC(int32_t) left, right;         /* scratch: the next x and y, */
    PF_VEC(int32_t) half, whole, next;   /* and costs of pairs */
    uint64_t steps;
} pfi_coupled;

void pfi_coupled_free(pfi_coupled *coupled);

/* Begins with the unit alone; then the classes are put around it, from the smallest size on. PF_ENOMEM. */
pf_err pfi_coupled_begin(pfi_coupled *coupled, int32_t unit);
pf_err pfi_coupled_add(pfi_coupled *coupled, const pfi_coupled_class *class);

/* The least cost where block `before` (-1: none) comes before all, and the cost after the last block y is after[y]. */
int32_t pfi_coupled_bound(const pfi_coupled *coupled, int32_t before, const int32_t *after);

#endif
