/* The separate costs of a composition's paths, and compositions with other scales.
 *
 * A chain of compositions "A with B1, then with B2 .." has the features A, B1, B2 ..: what each of them says of a path, before
 * it is multiplied by its scale. The cost of a path is the sum of its features times their scales, but for the rounding of
 * arcs to floats. An expression that is no composition has one feature, A. */
#ifndef PF_VERBS_FEATURES_H
#define PF_VERBS_FEATURES_H

#include <permfst/base/writer.h>
#include <permfst/io/expr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many features an expression has, at least 1. */
size_t pf_features_count(const pf_expr *expr);

/* The name of feature i: "A", "B1", "B2" .. Returns `name`. */
enum { PF_FEATURE_NAME = 24 };
const char *pf_feature_name(size_t i, char name[PF_FEATURE_NAME]);

/* The scale of each feature, which multiplies its costs on the way to the sum: of A that of every composition around it. */
void pf_features_scales(const pf_expr *expr, double *scale);

/* The same composition with these scales. *out has one reference, the caller's; NULL after an error. PF_ELIMIT, PF_ENOMEM.
 * O(features). */
pf_err pf_features_rescale(pf_expr *expr, const double *scale, pf_expr **out);

/* The features of all paths of an answer, of which the expression is what was searched: out[rank * features + i], costs in
 * double. Where several paths have the same labels and weights, it is the first of them. PF_EINPUT: a path is none of the
 * automaton; the errors of pf_open and of expanding. O(features * paths * arcs of the states on them). */
pf_err pf_features_of(pf_expr *expr, const pf_answer *answer, double *out);

/* An answer in the form of Moses' lists of n best translations, a line for each path: the number of the record, which Moses
 * counts from 0 (`record` counts from 1), words, features and the sum, separated by " ||| ". As Moses has logarithms of
 * probabilities, these are the features with their signs changed, and the sum is the path's cost with its sign changed.
 * `features` is what pf_features_of gives, `n` of them a path. */
pf_err pf_features_write(pf_writer *writer, const pf_answer *answer, uint64_t record, const double *features, size_t n);

/* The same with the features that pf_features_of finds. */
pf_err pf_features_put(pf_expr *expr, const pf_answer *answer, uint64_t record, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
