/* Permuting records: the verb of lazyperm. A single expression is permuted by pf_expr_permute (io/expr.h).
 *
 * A record costs O(size of its specification), and what its files of trees and costs have for it. */
#ifndef PF_OPS_PERMUTE_H
#define PF_OPS_PERMUTE_H

#include <permfst/io/expr.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Constraints and weights for a sequence of records. Weights with a file get the costs of each record from it, and constraints with
 * a file its tree (permute/con_file.h), so the records come in order, by one thread. */
typedef struct pf_permuter pf_permuter;

/* Makes a permuter with `n_con` constraints and `n_wm` weights; their specifications must outlive it. `scale` has a finite number
 * for each weight, which replaces the one in its specification; NULL: those stay. With `acceptor` a word is input and output. The
 * files are opened (permute/wm_file.h, permute/con_file.h). *out belongs to the caller; NULL after an error. PF_EARG: no such
 * specification; PF_EINPUT, PF_EIO, PF_ENOMEM. */
pf_err pf_permuter_new(const char *const *con, size_t n_con, const char *const *wm, size_t n_wm, const double *scale,
                       bool acceptor, pf_permuter **out);
void pf_permuter_free(pf_permuter *permuter); /* NULL is accepted */

/* The next record permuted: a linear automaton, or an answer of one path, becomes the input of a permutation; a permutation gets
 * the constraints and weights in addition to its own. What makes no sense for the sentence is an error here, not where the
 * permutation is opened. A record that fails has used up its costs: the next one gets its own. *out has one reference, the
 * caller's; NULL after an error. PF_EINPUT: a composition, a model, several paths. PF_EARG: positions that the sentence lacks,
 * zones that cross, a difference that is empty. PF_ENOMEM; errors of the files. O(size of the sentence and of its costs). */
pf_err pf_permuter_permute(pf_permuter *permuter, pf_expr *expr, pf_expr **out);

/* Ends the files after the last record. PF_EINPUT: a file has costs for one more. */
pf_err pf_permuter_end(pf_permuter *permuter);

#ifdef __cplusplus
}
#endif
#endif
