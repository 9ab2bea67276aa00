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
    uint64_t passes, min_count, max_length, margin; /* passes, margin 0: not given */
    bool invert, permutations, matrices, verbose;
} toollearn_options;

/* Opens the columns of --tags and --trees beside the words of `source`, and links if there are any (NULL: none). `target` (NULL:
 * none) only tells how many words that side has. *out is the caller's. */
pf_err toollearn_open(tool_call *call, const char *source, const char *target, const char *links, pf_factor_reader **out);

/* The templates of --templates, or the usual ones. PF_EARG: they need other columns than there are. */
pf_err toollearn_templates(tool_call *call, pf_templates *out);

/* A model from a file; and one that goes with the columns that are given. *out is the caller's. */
pf_err toollearn_any_model(tool_call *call, const char *path, pf_order_model **out);
pf_err toollearn_model(tool_call *call, const char *path, pf_order_model **out);

/* permlearn train, map and reduce: the operands after the command. */
pf_err toollearn_train(tool_call *call, int count, const char *const *operands);
pf_err toollearn_map(tool_call *call, int count, const char *const *operands);
pf_err toollearn_reduce(tool_call *call, int count, const char *const *operands);

#endif
