/* The t(e|f) and t(f|e) of all pairs of words that occur together, and the counts of an iteration. */
#ifndef PFI_WORD_PAIRS_IMPL_H
#define PFI_WORD_PAIRS_IMPL_H

#include <permfst/base/statetab.h>
#include <permfst/train/hmm.h>

typedef struct {
    uint64_t words; /* source << 32 | target + 1; 0: empty */
    double given[PF_HMM_DIRECTIONS], count[PF_HMM_DIRECTIONS];
} pfi_word_pair;

/* What one direction knows of the words that it links, and of those that it links them with. */
typedef struct {
    PF_VEC(double) empty, empty_count; /* of each linked word: t given the empty word */
    PF_VEC(double) total;              /* of each word that is linked with: the sum of its counts */
    double empty_total;
} pfi_word_sums;

typedef struct {
    pf_statetab word[2]; /* source, target */
    pfi_word_pair *slot; /* mask + 1 of them, a power of two, or none; at most three of four are used */
    size_t mask, used;
    pfi_word_sums sums[PF_HMM_DIRECTIONS];
} pfi_word_pairs;

void pfi_word_pairs_init(pfi_word_pairs *table);
void pfi_word_pairs_free(pfi_word_pairs *table);

/* Adds the words and the t of a model. */
pf_err pfi_word_pairs_take(pfi_word_pairs *table, pf_hmm_direction direction, const pf_ibm1 *from);

/* The places of one target word and each of n source words; SIZE_MAX where two words were never together. */
void pfi_word_pairs_find(const pfi_word_pairs *table, const uint32_t *source, size_t n, uint32_t target, size_t *place);

/* The counts become new t. */
void pfi_word_pairs_update(pfi_word_pairs *table);

#endif
