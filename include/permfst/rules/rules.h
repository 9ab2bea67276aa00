/* Reordering rules: tag sequences and the minimal reorderings that their words take in a corpus (Pecheux et al. 2016,
 * section 3.2; Crego and Marino 2006).
 *
 * A rule is a tag sequence and a minimal reordering of as many positions. Its cost is -ln(count(tags -> reordering) /
 * count(tags)), to nine digits, where count(tags) is every occurrence of the sequence in the corpus, overlapping ones too,
 * reordered or not.
 *
 * Learning in memory reads the corpus twice: pf_rules_learn takes the reorderings of each pair, then pf_rules_count the tags
 * of each sentence, for only then is it known which sequences have to be counted. tagged.h does it for a whole corpus. Memory: the
 * rules, not the corpus. map.h learns the same rules with the help of a program that sorts lines. apply.h and lattice.h apply
 * rules to a sentence. Listing is O(length of what is listed); reading is O(bytes), writing O(rules log rules), and what is
 * asked O(1). */
#ifndef PF_RULES_RULES_H
#define PF_RULES_RULES_H

#include <permfst/base/writer.h>
#include <permfst/rules/lexicon.h>
#include <permfst/rules/reordering.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PF_RULES_MAX_LENGTH 10 /* the paper's limits */
#define PF_RULES_MAX_COST 4.0

/* What all rules of a table have in common; the first line of a rule file says it. */
typedef struct {
    unsigned max_length;       /* of reorderings, 2 to PF_MAX_WORDS; longer ones are left out */
    double max_cost;           /* rules that cost more are left out */
    bool one_tag;              /* every word has the tag PF_ONE_TAG, and there are no others */
    const pf_lexicon *lexicon; /* words whose tags are "tag|word", see pf_lexicon_tags; NULL: none. It must outlive the rules */
} pf_rule_options;
#define PF_ONE_TAG "*"

/* What was left out. */
typedef struct {
    uint64_t too_long;   /* reorderings over max_length */
    uint64_t too_costly; /* rules over max_cost */
} pf_rules_left_out;

typedef struct pf_rules pf_rules;

/* No rules. PF_EARG for limits that make no sense, PF_ENOMEM. *out belongs to the caller. */
pf_err pf_rules_new(const pf_rule_options *options, pf_rules **out);
void pf_rules_free(pf_rules *rules);

const pf_rule_options *pf_rules_options(const pf_rules *rules);
const pf_rules_left_out *pf_rules_omitted(const pf_rules *rules);

/* ---- learning ---- */

/* Learns the minimal reorderings of a sentence; perm[0..tags->n) is a permutation, from 0. O(words). PF_ENOMEM. */
pf_err pf_rules_learn(pf_rules *rules, const pf_words *tags, const unsigned *perm);

/* Adds a sequence whose occurrences, and those of its beginnings, are counted even if nothing reorders it. PF_ENOMEM. */
pf_err pf_rules_list(pf_rules *rules, const pf_words *tags);

/* Counts the occurrences of the sequences that are known by now. O(words, times the length of the sequences met). PF_ENOMEM. */
pf_err pf_rules_count(pf_rules *rules, const pf_words *tags);

/* Computes the costs from the counts. Then the rules can be written and applied, and nothing more can be learned. PF_EINPUT: a
 * sequence was counted less often than reordered, so the two passes read different corpora; PF_ENOMEM. O(rules log rules). */
pf_err pf_rules_finish(pf_rules *rules);

/* The number of rules; 0 until they are finished or read. */
size_t pf_rules_size(const pf_rules *rules);

/* ---- files ----
 *
 * Text. The first line is "# permrules 1 maxlen=L maxcost=C tags=given" (or tags=one), followed, where there is a lexicon, by
 * a tab and its words. Then a line a rule, fields separated by tabs: tags; reordering, from 1; cost; count(tags ->
 * reordering); count(tags). They are written in the order of their bytes. Errors of the writer; PF_ENOMEM. */
pf_err pf_rules_write(const pf_rules *rules, pf_writer *writer);

/* Reads rules in any order, and finishes them. Costs are those of the file, not of its counts. Rules over the limits of `most` (its
 * one_tag and lexicon are ignored; NULL: no limits) or of their own first line are left out. The rules own their lexicon.
 * PF_EINPUT, PF_EIO, PF_ENOMEM. */
pf_err pf_rules_read(pf_reader *reader, const pf_rule_options *most, pf_rules **out);

#ifdef __cplusplus
}
#endif
#endif
