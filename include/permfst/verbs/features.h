/* The separate costs of a composition's paths, and compositions with other scales.
 *
 * A chain of compositions "A with B1, then with B2 .." has the features A, B1, B2 ..: what each of them says of a path, before it
 * is multiplied by its scale. The cost of a path is the sum of its features times their scales, but for the rounding of arcs to
 * floats. An expression that is not a composition has one feature, A.
 *
 * Where A is a permutation with several weights, these are features of their own, A1, A2 .., and A is what is left: the costs of
 * the arcs that are permuted, mostly 0. Each call is O(operands). */
#ifndef PF_VERBS_FEATURES_H
#define PF_VERBS_FEATURES_H

#include <permfst/base/writer.h>
#include <permfst/io/expr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many features an expression has, at least 1. */
size_t pf_features_count(const pf_expr *expr);

/* How many of them are weights of A: none, or two and more. They follow A. */
size_t pf_features_weights(const pf_expr *expr);

/* The name of feature i where `weights` of them are weights of A: "A", "A1" .., "B1", "B2" .. Returns `name`. */
enum { PF_FEATURE_NAME = 24 };
const char *pf_feature_name(size_t i, size_t weights, char name[PF_FEATURE_NAME]);

/* The scale of each feature, which multiplies its costs on the way to the sum: of A that of every composition around it, of a
 * weight of A that and its own (permute/wm.h). */
void pf_features_scales(const pf_expr *expr, double *scale);

/* The same composition with these scales. *out has one reference, the caller's; NULL after an error. PF_EARG: a scale of 0 for A,
 * but not for all of its weights, whose own scales multiply it; PF_ELIMIT, PF_ENOMEM. O(features). */
pf_err pf_features_rescale(pf_expr *expr, const double *scale, pf_expr **out);

/* The features of all paths of an answer, of which the expression is what was searched: out[rank * features + i], costs in double.
 * Where several paths have the same labels and weights, it is the first of them. PF_EINPUT: a path is not one of the automaton; the
 * errors of pf_open and of expanding. O(features * paths * arcs of the states on them). */
pf_err pf_features_of(pf_expr *expr, const pf_answer *answer, double *out);

/* An answer in the form of Moses' lists of n best translations, a line for each path: the number of the record, which Moses
 * counts from 0 (`record` counts from 1), or its name if `named` and it has one; words, features and the sum, separated by
 * " ||| ". As Moses has logarithms of probabilities, these are the features with their signs changed, and the sum is the path's
 * cost with its sign changed. Errors of pf_features_of and of the writer. */
pf_err pf_features_put(pf_expr *expr, const pf_answer *answer, uint64_t record, bool named, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
