/* The orders of all sentences that give a corpus the best BLEU (Dreyer et al. 2007, section 3.3 and footnote 5).
 *
 * BLEU of a corpus adds counts, so that the best order of a sentence depends on the others. Each sentence has a front (bleu.h), of
 * which one choice is taken: by its own score (independent); in the order of the sentences, by the score of all so far and itself
 * (accumulate); or, from there, each again given all others, if that is better, until a pass changes nothing (iterate). Of equal
 * scores the first order, as in bleu.h; scores are compared exactly. */
#ifndef PF_ORACLE_CORPUS_H
#define PF_ORACLE_CORPUS_H

#include <permfst/oracle/bleu.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PF_CORPUS_INDEPENDENT, PF_CORPUS_ACCUMULATE, PF_CORPUS_ITERATE } pf_oracle_corpus;

/* Chooses from each of the fronts: chosen[i] is a place in choice.at, SIZE_MAX where a front is empty; *total is the sum of the
 * counts. O(choices) for each pass. */
void pf_oracle_choose(const pf_oracle_front *front, size_t fronts, pf_oracle_corpus how, bool brevity, size_t *chosen,
                      pf_oracle_counts *total);

/* What the BLEU of no other choice exceeds, 0 to 1: with totals M, and S the sum over the sentences of the largest sum of v_n /
 * M_n, the score is at most that of M times exp((S - 4) / 4), as ln is concave. S is computed in integers. A front that is not
 * whole has what no path exceeds. False: nothing is known, as some order has no match or lengths differ within a sentence.
 * O(choices), in integers of some 100 bits. */
bool pf_oracle_choose_bound(const pf_oracle_front *front, size_t fronts, const pf_oracle_counts *total, bool brevity,
                            double *bound);

#ifdef __cplusplus
}
#endif
#endif
