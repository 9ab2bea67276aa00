/* Sums up what trees and their orders are like, over many sentences.
 *
 * A sentence costs a reordering by each model (reorder.h); joining is O(relations), and writing O(relations log relations). */
#ifndef PF_TREE_TOTALS_H
#define PF_TREE_TOTALS_H

#include <permfst/base/writer.h>
#include <permfst/tree/reorder.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PF_TREE_MODELS = 4 }; /* of pf_tree_model */

typedef struct pf_tree_totals pf_tree_totals;

/* *out belongs to the caller. PF_ENOMEM. */
pf_err pf_tree_totals_new(pf_tree_totals **out);
void pf_tree_totals_free(pf_tree_totals *totals); /* NULL is accepted */

/* Adds a sentence: its orders by all models, `limited` with this ratio. The errors of pf_tree_reorder. */
pf_err pf_tree_totals_add(pf_tree_totals *totals, pf_reorderer *reorderer, const pf_tree *tree, double ratio);

/* Adds what other totals have. PF_ENOMEM. */
pf_err pf_tree_totals_join(pf_tree_totals *totals, const pf_tree_totals *others);

/* Writes a table: sentences, words, punctuation left out, nodes, discontinuous constituents; for each model the sentences whose
 * order is not that of the text, the nodes that have another order than in the read-off, and SHD2; for each relation how often it
 * occurs and the mean distance under each model. Columns are separated by tabs. Errors of the
 * writer; PF_ENOMEM. */
pf_err pf_tree_totals_write(const pf_tree_totals *totals, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
