/* Trains an HMM on a corpus, and aligns a corpus with it, by several threads.
 *
 * Threads work on batches of pairs; their counts are added in the order of the corpus. So the model is the same, to the last bit,
 * with any number of threads. The corpus is opened again for each iteration and never kept. An iteration is that of hmm.h over
 * all pairs, shared by the workers. */
#ifndef PF_TRAIN_ALIGNER_H
#define PF_TRAIN_ALIGNER_H

#include <permfst/base/workers.h>
#include <permfst/train/hmm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How pairs are worked on. */
typedef struct {
    size_t threads;                /* at least 1 */
    const pf_workers_hooks *hooks; /* NULL: none */
    uint64_t longest;              /* pairs with more words on a side are passed over */
} pf_aligner_options;

/* Sums over the pairs of one reading. */
typedef struct {
    uint64_t pairs, too_long, wordless; /* all; those that were passed over: too long, or without words on a side */
    double log_likelihood[PF_HMM_DIRECTIONS];
} pf_aligner_counts;

/* Model 1 in both directions, each with `iterations` iterations, becomes the start of a new HMM. The model 1 of one direction is
 * freed before that of the other is made. Errors of the corpus, of pf_ibm1_train and pf_hmm_start. The corpus is read as often as
 * pf_ibm1_train reads it, for each direction. */
pf_err pf_aligner_start(pf_hmm *model, const pf_ibm1_corpus *corpus, uint64_t iterations);

/* Makes one iteration: opens the corpus, counts its pairs, then updates the model. *counts is of the model before. PF_EINPUT: the
 * corpus has changed since pf_aligner_start; its other errors, PF_EIO and PF_ENOMEM. O(J^2 I + J I^2) for a pair. */
pf_err pf_aligner_iterate(pf_hmm *model, const pf_ibm1_corpus *corpus, const pf_aligner_options *options,
                          pf_aligner_counts *counts);

/* What a training is made of. */
typedef struct {
    pf_hmm_options model;
    uint64_t model1, hmm; /* iterations: first of model 1, then of the HMM; each at least 1 */
    /* After each iteration of the HMM, with its number, from 1, and the counts of the model before it. NULL: not called. */
    void (*told)(void *self, uint64_t iteration, const pf_aligner_counts *counts);
    void *self;
} pf_aligner_training;

/* Trains a new HMM: pf_aligner_start, then pf_aligner_iterate as often as the training has iterations. Their errors. *out belongs
 * to the caller; NULL after an error. The corpus is read as often as both read it. */
pf_err pf_aligner_train(const pf_aligner_training *training, const pf_ibm1_corpus *corpus, const pf_aligner_options *options,
                        pf_hmm **out);

/* The alignments of a pair, borrowed by whoever gets them; no links in a pair that was passed over. */
typedef struct {
    uint64_t number;
    const pf_alignment *best[PF_HMM_DIRECTIONS], *likely[PF_HMM_DIRECTIONS]; /* pf_hmm_best, pf_hmm_likely */
} pf_aligned_pair;

/* Who takes the pairs of an aligned corpus: `take` gets each of them, in order, one at a time; its error ends the corpus. */
typedef struct {
    double least_posterior;
    pf_err (*take)(void *self, const pf_aligned_pair *pair);
    void *self;
} pf_aligner_taker;

/* Aligns the corpus. Errors of the corpus, as pf_aligner_iterate, and of `take`. O(J^2 I + J I^2) for a pair. */
pf_err pf_aligner_align(const pf_hmm *model, const pf_ibm1_corpus *corpus, const pf_aligner_options *options,
                        const pf_aligner_taker *taker, pf_aligner_counts *counts);

#ifdef __cplusplus
}
#endif
#endif
