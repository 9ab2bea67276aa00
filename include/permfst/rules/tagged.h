/* A tagged corpus: for each sentence its tags, and the order that its words take. Rules are learned from it.
 *
 * The columns are those of a pf_parallel. Tags stand in a column of their own, or every word has the tag PF_ONE_TAG; a lexicon
 * makes the tags of its words finer. Orders are read as permutations, or come from unfolding alignments (tuples/unfold.h). A
 * pair is O(bytes of its lines), and what learning of it costs (rules.h, map.h). */
#ifndef PF_RULES_TAGGED_H
#define PF_RULES_TAGGED_H

#include <permfst/align/parallel.h>
#include <permfst/rules/map.h>
#include <permfst/rules/rules.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    pf_parallel *pairs;
    size_t tags, words;              /* columns; 0: none. Without tags all words have one, and any other column tells how many */
    size_t permutations, alignments; /* the column of the orders; both 0: no orders */
    const pf_lexicon *lexicon;       /* borrowed; needs tags and words. NULL: none */
    void (*progress)(void *self, uint64_t sentence); /* called when a sentence was read, with its number; NULL: not */
    void *self;
} pf_tagged_columns;

typedef struct pf_tagged pf_tagged;

/* columns->pairs belongs to *out from here on, even if the call fails. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_tagged_new(const pf_tagged_columns *columns, pf_tagged **out);
void pf_tagged_free(pf_tagged *sentences);

/* The next sentence; *tags = NULL at the end. *perm is a permutation of 0..(*tags)->n - 1, NULL without orders. Both are borrowed
 * until the next call. The errors of pf_parallel_next, pf_permutation_read and pf_unfold; PF_EINPUT if nothing says how many words
 * a sentence of one tag has. */
pf_err pf_tagged_next(pf_tagged *sentences, const pf_words **tags, const unsigned **perm);

/* The links that were left out so far. Borrowed. */
const pf_align_left_out *pf_tagged_left_out(const pf_tagged *sentences);

/* ---- whole corpora ---- */

/* A corpus that can be read twice. With `orders`, *out needs a column of them. Each *out is freed by who opened it. */
typedef struct {
    pf_err (*open)(void *self, bool orders, pf_tagged **out);
    void *self;
} pf_tagged_corpus;

/* Learns the rules of a corpus and finishes them: opens it with orders, then once more without to count the tags, which rules of
 * one tag do not need. *left_out: links that were left out. The errors of pf_tagged_next, pf_rules_learn, pf_rules_finish. */
pf_err pf_rules_learn_corpus(pf_rules *rules, const pf_tagged_corpus *corpus, pf_align_left_out *left_out);

/* Maps all sentences, which need orders, and ends the map: pf_rule_map_pair, with file and line in its errors. */
pf_err pf_rule_map_corpus(pf_rule_map *map, pf_tagged *sentences);

/* The second pass of a map: counts the tag sequences of the lines of a first pass in all sentences, and writes their counts. Errors
 * of pf_rule_map_list, pf_tagged_next, pf_rules_count and pf_rule_map_totals; PF_ENOMEM. Memory: the sequences. */
pf_err pf_rule_map_totals_corpus(pf_reader *first_pass, pf_tagged *sentences, const pf_rule_options *options, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
