/* A model of pairs applied to sentences: the matrix of each sentence, alone or as the weights of its permutation automaton; and why
 * a pair is scored as it is. */
#ifndef PF_LEARN_ORDER_APPLY_H
#define PF_LEARN_ORDER_APPLY_H

#include <permfst/base/workers.h>
#include <permfst/io/stream.h>
#include <permfst/learn/order_model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The orders of one sentence in a space, each at the sum of the costs of its pairs, for a search (ops/open.h, search/best.h):
 *
 *     pf_factored sentence = {.column = {[PF_COLUMN_WORDS] = &words}};
 *     pf_numbered numbered = {.n = 0};
 *     pf_err err = pf_order_model_find(model, &sentence, &numbered);
 *     if (!err) err = pf_order_permute(model, &numbered, input, space, spaces, &orders);
 *
 * `input` is an automaton of the same words, such as pf_fst_of_words makes. `space` has the constraints, all of which must hold.
 * *out has one reference, the caller's; NULL after an error. Threads may share the model. Errors of pf_expr_permute; PF_ENOMEM.
 * O(n^2 templates) for n words. */
pf_err pf_order_permute(const pf_order_model *model, const pf_numbered *sentence, pf_expr *input, const char *const *space,
                        size_t spaces, pf_expr **out);

typedef struct {
    const char *const *space; /* constraints of the automata, all of which must hold */
    size_t spaces;
    size_t threads;
    const pf_workers_hooks *hooks;
    /* What is written: exactly one of these is not NULL. */
    pf_stream_writer *stream; /* records: the automaton of each sentence */
    pf_writer *matrices;      /* text: a line for each row, and an empty line after each matrix, as permute/wm_file.h reads them */
    pf_writer *why;           /* text: of each sentence with more than `later` words, the features that decided the pair
                                 earlier < later */
    unsigned earlier, later;  /* positions, from 0; for `why` alone */
    void (*done)(void *self, uint64_t sentence); /* in order; NULL: not called */
    void *self;
} pf_order_apply_options;

/* Applies the model to all sentences of a corpus. Errors of pf_factor_next, pf_expr_permute and the writers; PF_EARG: no such
 * constraint. O(n^2 templates) for a sentence. */
pf_err pf_order_apply(const pf_order_model *model, pf_factor_reader *reader, const pf_order_apply_options *options);

#ifdef __cplusplus
}
#endif
#endif
