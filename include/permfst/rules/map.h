/* Learning rules by sorting, for corpora of any size: parts of a corpus are mapped to lines, on any machine and in any order; the
 * lines of all parts are sorted by their bytes (LC_ALL=C sort); and the sorted lines are reduced to rules.
 *
 * A line is tags, reordering and count, with tabs between. A line without a reordering counts occurrences of its tags. So lines of
 * the same tags lie together, those that count occurrences first, and reducing keeps one group of lines in memory. The first
 * line of each part has the options, which must be the same in all parts. It begins with a tab, so it is sorted to the top.
 *
 * Counting every sequence of up to max_length tags needs lines for all of them, although most are never reordered. Two passes
 * count only the sequences that some sentence reorders: the first pass is without totals, the second is pf_rule_map_list.
 * Writing is O(bytes); what is asked is O(1). */
#ifndef PF_RULES_MAP_H
#define PF_RULES_MAP_H

#include <permfst/rules/rules.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_rule_map pf_rule_map;

/* Writes to `writer`, which must outlive it. With `totals` it counts every sequence, else reorderings only. Memory: about `bytes`
 * at most, in which repeated lines are counted together (0: 64 MiB). PF_EARG, PF_ENOMEM. *out belongs to the caller. */
pf_err pf_rule_map_new(pf_writer *writer, const pf_rule_options *options, bool totals, size_t bytes, pf_rule_map **out);
void pf_rule_map_free(pf_rule_map *map);

/* A sentence; perm as in pf_rules_learn. O(words x max_length^2) bytes with totals, else O(words). PF_EINPUT, without file and
 * line, for a tag that begins with a byte below TAB; PF_EIO, PF_ENOMEM. */
pf_err pf_rule_map_pair(pf_rule_map *map, const pf_words *tags, const unsigned *perm);

/* Writes what is still in memory; call it after the last sentence. Errors of the writer; PF_ENOMEM. What was left out so far is
 * borrowed. */
pf_err pf_rule_map_end(pf_rule_map *map);
const pf_rules_left_out *pf_rule_map_omitted(const pf_rule_map *map);

/* The second pass: list the sequences of the lines of a first pass (in any order) in `rules`, count them by pf_rules_count, and
 * write their counts. PF_EINPUT with file and line: a line that no first pass writes; PF_ENOMEM, errors of the writer. */
pf_err pf_rule_map_list(pf_reader *lines, pf_rules *rules);
pf_err pf_rule_map_totals(const pf_rules *rules, pf_writer *writer);

/* Makes the rule file of pf_rules_write from sorted lines. PF_EINPUT with file and line: something that is not a line of a map,
 * parts with different options, lines out of order, sequences whose occurrences nobody counted. O(lines), memory: a line. */
pf_err pf_rule_reduce(pf_reader *sorted, double max_cost, pf_writer *writer, pf_rules_left_out *left_out);

#ifdef __cplusplus
}
#endif
#endif
