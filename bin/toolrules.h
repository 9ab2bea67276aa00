/* The parts of permrules: what its options say, a tagged corpus with the orders of its sentences, and applying rules. */
#ifndef TOOLRULES_H
#define TOOLRULES_H

#include "toolalign.h"
#include "toolmap.h"

typedef struct {
    const char *tags, *words, *lexicon, *permutations, *totals_of, *reference;
    uint64_t lexicalise, maxlen;       /* 0: not given */
    double maxcost, augment_cost;      /* negative: not given */
    bool one_tag, invert, no_totals;
    bool unweighted, only, statistics, per_line;
    tool_specs augment;
} toolrules_options;
extern toolrules_options toolrules;

/* The options for rules, with the paper's limits where none are given; *lexicon, which is the caller's, is that of --lexicon or
 * of --lexicalise, which reads --words for it. */
pf_err toolrules_rule_options(pf_rule_options *out, pf_lexicon **lexicon);

/* Sentences with their tags and orders, a line each. */
typedef struct {
    const pf_lexicon *lexicon;
    pf_parallel *rows;
    size_t tags, words, permutations, alignments; /* columns; 0: not there */
    pf_lexical_tags lexical;
    pf_words one;           /* PF_ONE_TAG, as often as it was needed */
    pf_permutation read;
    pf_unfolder *unfolder;
    pf_tuples unfolded;
    uint64_t repeated, null; /* links left out */
} toolrules_corpus;

/* Opens --tags and --words, as far as they are needed; then orders: --permutations, or the alignments of a file (NULL: no
 * orders, only tags). */
pf_err toolrules_corpus_open(toolrules_corpus *c, const pf_lexicon *lexicon, bool orders, const char *alignments);
void toolrules_corpus_free(toolrules_corpus *c);

/* The next sentence: *tags = NULL at the end. *perm = NULL where orders were not asked for. Both are borrowed. */
pf_err toolrules_corpus_next(toolrules_corpus *c, const pf_words **tags, const unsigned **perm);

/* n times PF_ONE_TAG. */
pf_err toolrules_one_tags(pf_words *one, size_t n);

/* permrules apply: the operands behind the command. *failed: with --keep-going, a record did. */
pf_err toolrules_apply(int n, char **operands, bool *failed);

/* One line on stderr about what was left out, where there is anything. */
void toolrules_say_left_out(const toolrules_corpus *c, const pf_rules_left_out *rules);

#endif
