/* How likely the jumps of a Markov chain over the words of a sentence are: a weight for each distance, and the fit of the weights
 * to expected counts. */
#ifndef PFI_JUMPS_IMPL_H
#define PFI_JUMPS_IMPL_H

#include <permfst/train/hmm.h>

enum { PFI_JUMP_WEIGHTS = 2 * PF_HMM_FAR + 1 };

/* Departures from a word: how many words are before it, and how many are at it or after it. */
typedef struct {
    double weight[PFI_JUMP_WEIGHTS], count[PFI_JUMP_WEIGHTS]; /* of jumps by -PF_HMM_FAR .. PF_HMM_FAR; count: expected */
    double *departed; /* [before * side + behind - 1]: expected departures */
    size_t side;      /* places of each index */
} pfi_jumps;

/* The place of the weight of a jump. */
static inline size_t pfi_jump_place(size_t from, size_t to) {
    if (to >= from) return PF_HMM_FAR + (to - from < PF_HMM_FAR ? to - from : PF_HMM_FAR);
    return PF_HMM_FAR - (from - to < PF_HMM_FAR ? from - to : PF_HMM_FAR);
}

void pfi_jumps_init(pfi_jumps *jumps); /* equal weights, nothing counted */
void pfi_jumps_free(pfi_jumps *jumps);

/* Makes room for departures in sentences of so many words. PF_ENOMEM. */
pf_err pfi_jumps_room(pfi_jumps *jumps, size_t words);
static inline void pfi_jumps_depart(pfi_jumps *jumps, size_t before, size_t behind, double count) {
    jumps->departed[before * jumps->side + behind - 1] += count;
}

/* The counts become new weights, whose sum is 1, and begin anew. O(side^2). */
void pfi_jumps_update(pfi_jumps *jumps);

#endif
