/* permalign train: the options of permalign, and the training of an HMM on two texts. */
#ifndef TOOLTRAIN_H
#define TOOLTRAIN_H

#include "toolalign.h"
#include "toolmap.h"

/* What training can write besides -o. */
enum { TOOLTRAIN_FORWARD, TOOLTRAIN_REVERSE, TOOLTRAIN_FORWARD_LIKELY, TOOLTRAIN_REVERSE_LIKELY, TOOLTRAIN_FILES };

typedef struct {
    tool_common common;
    int from, to, method, compat, links, show; /* places among formats, methods, and the words of permalign's table */
    const char *source, *target, *gold;
    bool invert, invert_second, per_line;
    double min_posterior, alpha;
    const char *paths[TOOLTRAIN_FILES]; /* train, from here on */
    double empty;
    uint64_t model1, hmm, max_words;
    bool alone, verbose;
} align_options;

int tooltrain(tool_call *call);

#endif
