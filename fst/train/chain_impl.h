/* The Markov chain of one pair in one direction: the words that are linked, one after the other, each with one of the n words
 * of the other side or with the empty word.
 *
 * States 0 .. n-1 are words. The empty word has a state for each place where the chain was before: n .. 2n-1 after a word, 2n
 * at the beginning. */
#ifndef PFI_CHAIN_IMPL_H
#define PFI_CHAIN_IMPL_H

#include "train/jumps_impl.h"

/* All memory but `links` belongs to the chain; all zero is empty. */
typedef struct {
    size_t n, links;                /* words that can be linked with; words to be linked */
    double empty;                   /* the probability of the empty word */
    PF_VEC(double) emission;        /* [link * n + word]; the caller fills it */
    PF_VEC(double) empty_emission;  /* [link] */
    PF_VEC(double) jump, first;     /* [from * n + to] and [to]; with 1 - empty */
    PF_VEC(double) forward, backward; /* [link * (2n + 1) + state], scaled */
    PF_VEC(double) scale;           /* [link] */
    PF_VEC(double) place;           /* [word]: scratch */
    PF_VEC(uint32_t) before;        /* [link * (2n + 1) + state]: the best state before */
} pfi_chain;

void pfi_chain_free(pfi_chain *chain);

/* Begins a pair: room for the emissions, and the probabilities of jumps. Both numbers are at least 1. PF_ENOMEM. */
pf_err pfi_chain_begin(pfi_chain *chain, size_t words, size_t links, const pfi_jumps *first, const pfi_jumps *inner, double empty);

/* The posteriors of links, [link * n + word], and of the empty word, [link]. Returns the log-likelihood. PF_ENOMEM. */
pf_err pfi_chain_expect(pfi_chain *chain, double *posterior, double *empty_posterior, double *log_likelihood);

/* After pfi_chain_expect: the expected jumps by distance, of the first and of all others, and the expected departures from
 * each word, [word]. */
void pfi_chain_count(pfi_chain *chain, const double *posterior, double first[PFI_JUMP_WEIGHTS], double inner[PFI_JUMP_WEIGHTS],
                     double *departed);

/* The best alignment: for each link its word, or UINT32_MAX. PF_ENOMEM. */
pf_err pfi_chain_best(pfi_chain *chain, uint32_t *word);

#endif
