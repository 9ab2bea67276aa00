/* Counts features by sorting, for corpora of any size. Parts of a corpus are mapped to lines, on any machine and in any order. The
 * lines of all parts are sorted by their bytes (LC_ALL=C sort). The sorted lines are reduced to the features that enough pairs
 * have, and pf_examples takes these as they are.
 *
 * A line is template, values and count, with tabs between. The first line of each part begins with "#", so it is sorted to the top;
 * it has the templates and what is counted, which must be the same in all parts. A part is O(features of its pairs); reducing is
 * O(bytes). */
#ifndef PF_LEARN_FEATURE_MAP_H
#define PF_LEARN_FEATURE_MAP_H

#include <permfst/learn/examples.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_feature_map pf_feature_map;

/* Writes to `writer`, which must outlive it. The model has the templates and no features; it is borrowed. min_count has no use.
 * Memory: about `bytes` at most, in which repeated lines are counted together (0: 256 MiB), and the texts. *out belongs to the
 * caller. Errors of the writer; PF_ENOMEM. */
pf_err pf_feature_map_new(pf_writer *writer, const pf_example_options *options, pf_order_model *model, size_t bytes,
                          pf_feature_map **out);
void pf_feature_map_free(pf_feature_map *map); /* NULL is accepted */

/* Maps all sentences of a corpus and writes what is still in memory; *too_long: how many were left out. Errors of
 * pf_factor_next and the writer; PF_ENOMEM. */
pf_err pf_feature_map_read(pf_feature_map *map, pf_factor_reader *reader, uint64_t *too_long);

/* Reduces sorted lines to a file of the features that at least min_count pairs have; *rare: how many have fewer. PF_EINPUT with
 * file and line: something that is not a line of a map, parts with different options, lines out of order. O(lines), memory: a
 * line. */
pf_err pf_feature_reduce(pf_reader *sorted, uint64_t min_count, pf_writer *writer, uint64_t *rare);

/* Reads such a file as a model of these features, for a learner. *out belongs to the caller; NULL after an error. PF_EINPUT with
 * file and line; PF_ENOMEM. */
pf_err pf_features_read(pf_reader *reader, pf_learner learner, pf_order_model **out);

#ifdef __cplusplus
}
#endif
#endif
