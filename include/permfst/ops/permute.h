/* Permuting a description: the verb of lazyperm for one record. */
#ifndef PF_OPS_PERMUTE_H
#define PF_OPS_PERMUTE_H

#include <permfst/io/expr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The permutation that an expression is, or is the input of: itself; that of a linear automaton, or of an answer of one path,
 * with no constraint yet. *out has one reference, the caller's. PF_EINPUT: a composition, a model, several paths. */
pf_err pf_expr_permutation(pf_expr *expr, pf_expr **out);

/* Is there a space of n positions for the constraints of a permutation? What a specification names must be there: PF_EARG
 * for positions that the sentence lacks, zones that cross, a difference that is empty. O(size of the constraints). */
pf_err pf_expr_check_space(const pf_expr *permutation, unsigned n);

#ifdef __cplusplus
}
#endif
#endif
