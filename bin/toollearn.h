/* The parts of permlearn: its options, and a corpus of factors as they say. */
#ifndef TOOLLEARN_H
#define TOOLLEARN_H

#include "toolalign.h"
#include "toolmap.h"

typedef struct {
    tool_common common;
    tool_specs tags, space;
    tool_reals why;
    const char *trees, *templates, *features, *state, *resume;
    int learner, gold, loss, links, from; /* places among names; TOOL_NOT_GIVEN */
    double lambda, tolerance;
    uint64_t passes, min_count, max_length, margin; /* passes 0: not given */
    bool invert, permutations, matrices, verbose;
} toollearn_options;

/* A call: what it works on, as far as it is open. */
typedef struct {
    tool_call *call;
    const toollearn_options *options;
    int count; /* operands after the command */
    const char *const *operands;
    tool_specs spaces; /* of --space, or itg */
    pf_order_model *model;
    pf_factor_reader *corpus;
} toollearn;

/* Opens the columns of --tags and --trees beside the words of a file; or of the operands SOURCE [TARGET] ALIGNMENTS, from the one
 * at `first` on, also the links. TARGET only tells how many words that side has. */
pf_err toollearn_open(toollearn *task, const char *source);
pf_err toollearn_open_aligned(toollearn *task, int first);

/* Reads any model; and one that must go with the columns that are given, or it is a PF_EARG. */
pf_err toollearn_any_model(toollearn *task, const char *path);
pf_err toollearn_model(toollearn *task, const char *path);

/* Makes a model to be learned: of --features, of --templates, or of the usual templates. PF_EARG: they need other columns than
 * there are. And which examples it is learned from. */
pf_err toollearn_make_model(toollearn *task);
pf_example_options toollearn_example_options(const toollearn *task);

/* Says how many of something were left out, if there were any. */
void toollearn_say_left_out(const toollearn *task, uint64_t count, const char *what);
#define TOOLLEARN_TOO_LONG "sentences of too many words (--max-length)"

/* permlearn train, map and reduce. */
pf_err toollearn_train(toollearn *task);
pf_err toollearn_map(toollearn *task);
pf_err toollearn_reduce(toollearn *task);

#endif
