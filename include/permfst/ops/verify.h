/* Finds what a path costs from the machine alone: a check of searches that shares nothing with them. */
#ifndef PF_OPS_VERIFY_H
#define PF_OPS_VERIFY_H

#include <permfst/machine/answer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The cost of a path of the machine with the same labels and weights, arc by arc; where there is none, the least of one with
 * the same labels; INFINITY: there is none either. Follows every arc that fits, from the start to a final state. O(arcs of
 * the states that fit). Errors of expanding. */
pf_err pf_verify_path(pf_fst *fst, const pf_path *path, double *cost);

/* Verifies all paths of an answer. `wrong` (or NULL) is called for each one, `rank` from 1, whose cost in the machine is not
 * path->cost; *count is how many these are. Errors of expanding. As much as its paths cost one by one. */
typedef void (*pf_wrong_path)(void *self, const pf_path *path, size_t rank, double cost);
pf_err pf_verify_answer(pf_fst *fst, const pf_answer *answer, pf_wrong_path wrong, void *self, uint64_t *count);

#ifdef __cplusplus
}
#endif
#endif
