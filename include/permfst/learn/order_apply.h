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
    /* One of them: records; matrices as text, a row a line and an empty line after each, as permute/wm_file.h reads them; or, of
     * the pair of positions earlier < later of each sentence that has it, the features that decided. */
    pf_stream_writer *stream;
    pf_writer *matrices, *why;
    unsigned earlier, later;
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
