/* One pass over the spans of a chart, from the shortest to the whole sentence (zens-ney-2003, section 3). Private to the chart. */
#ifndef PF_CHART_PASS_H
#define PF_CHART_PASS_H

#include "chart/forest.h"
#include "chart/outside.h"

typedef struct {
    size_t beam;         /* items kept of a span; 0: all */
    double threshold;    /* by how much an item's cost and rest cost may exceed those of the best one of its span; INFINITY: any */
    double limit;        /* orders that cost more are not looked for; INFINITY: none */
    uint64_t most_pairs; /* that are looked at; 0: any number */
    bool *given_up;      /* set where they have ended the pass; may be NULL */
    bool unlimited;      /* the options' limits of states and memory are not for this pass */
    bool patient;        /* nor is that of time */
} pfi_chart_pass;

enum {
    PFI_PASS_PAIRS = 4,
    PFI_ITEM_BYTES = 512 /* what an item takes, with its edges and its places in lists */
};

/* Fills the forest, which is empty, with the orders that the pass keeps. *dropped: no order that the beam or the threshold has
 * dropped costs less; INFINITY where there is none. *edges is added to. PF_ELIMIT: a limit was met; nothing is known then. With a
 * limit of states, which are the items, a pass looks at no more than PFI_PASS_PAIRS pairs for each of them and each position: so
 * the limit bounds the time, too. PF_ENOMEM. */
pf_err pfi_chart_fill(pfi_forest *forest, pfi_pieces *pieces, const pfi_outside *outside, const pf_best_options *options,
                      const pfi_chart_pass *how, double *dropped, uint64_t *edges);

#endif
