/* The parts of permrules: what its options say, opening a tagged corpus, and applying rules. */
#ifndef TOOLRULES_H
#define TOOLRULES_H

#include "toolalign.h"
#include "toolmap.h"

typedef struct {
    tool_common common;
    const char *tags, *words, *lexicon, *permutations, *totals_of, *reference;
    uint64_t lexicalise, maxlen;       /* 0: not given */
    double maxcost, augment_cost;      /* TOOL_NOT_GIVEN */
    bool one_tag, invert, no_totals;
    bool unweighted, only, statistics, per_line;
    tool_specs augment;
} toolrules_options;

/* The options for rules, with the paper's limits where none are given; *lexicon, which is the caller's, is that of --lexicon or
 * of --lexicalise, which reads --words for it. */
pf_err toolrules_rule_options(tool_call *call, pf_rule_options *out, pf_lexicon **lexicon);

/* A corpus to learn from, which can be opened more than once: --tags and --words, as far as they are needed; then orders:
 * --permutations, or the alignments of a file. */
typedef struct {
    tool_call *call;
    const pf_lexicon *lexicon;
    const char *alignments;
} toolrules_files;

/* The open() of a pf_tagged_corpus: opens a corpus, with orders or without. *files is a toolrules_files. */
pf_err toolrules_open(void *files, bool orders, pf_tagged **out);

/* permrules apply: the operands after the command. */
pf_err toolrules_apply(tool_call *call, int count, const char *const *operands);

/* One line on stderr about what was left out, if anything was; links NULL: no links were read. */
void toolrules_say_left_out(tool_call *call, const pf_align_left_out *links, const pf_rules_left_out *rules);

/* The same of rules that are to be written or applied; and a warning if the limit of costs leaves none of them. */
void toolrules_say_rules(tool_call *call, const pf_align_left_out *links, const pf_rules *rules);

#endif
