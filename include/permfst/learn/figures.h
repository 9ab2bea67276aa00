/* How good a model of pairs is on aligned text that it was not trained on: pairs, and the best orders of its matrices under several
 * constraints, as lader and TD-BTG score them (metric/orders.h).
 *
 * Reading decodes each sentence once for each constraint; writing is O(figures). */
#ifndef PF_LEARN_FIGURES_H
#define PF_LEARN_FIGURES_H

#include <permfst/base/workers.h>
#include <permfst/learn/examples.h>
#include <permfst/learn/order_decoder.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sums over sentences. */
typedef struct {
    uint64_t bad, chunks, falling, pairs; /* lader */
    uint64_t kept, match;                 /* TD-BTG: sentences that are not skipped; those without a falling pair */
    double fuzzy, tau;                    /* sums of their scores */
    uint64_t moved;                       /* sentences whose order is not that of the words */
    uint64_t unproven, inseparable;       /* ... was not proven to be the best; is not one of itg */
} pf_order_totals;

enum { PF_FIGURE_SPACES = 16 };
typedef struct {
    uint64_t sentences, pairs; /* pairs: those with gold by links */
    uint64_t right, in_order;  /* of these: those that the model has right (s >= 0: i first); that the words have right */
    pf_order_totals order[1 + PF_FIGURE_SPACES]; /* of the words as they are, then of each space */
} pf_learn_figures;

typedef struct {
    const char *const *space;
    size_t spaces;       /* at most PF_FIGURE_SPACES */
    uint64_t max_states; /* of a search; 0: no limit */
    bool sure_only;      /* score orders by sure links */
    size_t threads;
    const pf_workers_hooks *hooks;
} pf_figure_options;

/* Reads a corpus with links to its end. PF_EARG: no such space; errors of pf_factor_next and pf_order_decode. */
pf_err pf_learn_figures_read(const pf_order_model *model, pf_factor_reader *reader, const pf_figure_options *options,
                             pf_learn_figures *out);

/* A table. Errors of the writer. */
pf_err pf_learn_figures_write(const pf_learn_figures *figures, const pf_figure_options *options, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
