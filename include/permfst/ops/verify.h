/* What a path costs, found anew from the machine alone: a check of searches that shares nothing with them. */
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

#ifdef __cplusplus
}
#endif
#endif
