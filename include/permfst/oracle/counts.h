/* The BLEU of one hypothesis, or of a corpus, from its counts; compared without rounding (Dreyer et al. 2007).
 *
 *   score = BP * (p_1 p_2 p_3 p_4)^(1/4),  p_n = matches_n / total_n, or 1e-10 where there is no match,
 *   BP = 1 where length >= reference, else exp(1 - reference / length), 0 where length = 0.
 *
 * All four orders count, also those of which the hypothesis is too short to have an n-gram. Each call is O(1), but where scores
 * are close: then products of numbers of a few hundred bits. */
#ifndef PF_ORACLE_COUNTS_H
#define PF_ORACLE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PF_ORACLE_ORDER = 4 };

typedef struct {
    uint64_t match[PF_ORACLE_ORDER], total[PF_ORACLE_ORDER]; /* n-grams of 1 to 4 words: matched, clipped; all */
    uint64_t length, reference;                              /* words; those of the reference closest to it */
} pf_oracle_counts; /* all zero: of nothing, to which others are added */

/* The totals of a hypothesis of this many words. */
void pf_oracle_counts_total(pf_oracle_counts *counts, uint64_t length);

/* Adds the counts of another one to those of a corpus. */
void pf_oracle_counts_add(pf_oracle_counts *sum, const pf_oracle_counts *counts);

/* 4 ln(score), -INFINITY for a score of 0; and the score, 0 to 1. Rounded. */
double pf_oracle_log(const pf_oracle_counts *counts, bool brevity);
double pf_oracle_score(const pf_oracle_counts *counts, bool brevity);

/* Plain BLEU of a corpus from its sums, 0 to 100: 0 where some order has no match (metric/bleu.h, smoothing none). */
double pf_oracle_corpus_bleu(const pf_oracle_counts *sum);

/* Is the first score less than (-1), equal to (0) or greater than (1) the second? In integers where the logarithms are close, and
 * with e^x to as many digits as it takes where the penalties differ: e^x is irrational for rational x other than 0, so that such
 * scores are never equal. */
int pf_oracle_compare(const pf_oracle_counts *first, const pf_oracle_counts *second, bool brevity);

#ifdef __cplusplus
}
#endif
#endif
