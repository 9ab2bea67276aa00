/* Completions where the states are all sets of positions, as in free order: dynamic programming over subsets (Held & Karp 1962).
 * Private to the searches.
 *
 * What comes after a set and the position visited last in it costs the least, over the positions that the set lacks, of what one of
 * them costs after that position, and of what comes after the set with it; and a little less (completion_impl.h). Costs stand by
 * the position visited last, then by the set, as the arrivals of machine/moves.h. So the costs of sets that differ in the lowest
 * positions stand together, and so do those that they are made of: vectors go over sets, and all tables are read in order.
 * O(2^n n^2), some eight additions at once, of which about two in three are needed. What is plain does the same without AVX2. */
#ifndef PF_SEARCH_SUBSET_STEP_H
#define PF_SEARCH_SUBSET_STEP_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    unsigned n;         /* positions, from PF_SUBSETS_FROM to PF_SUBSETS_TO */
    const float *after; /* rows of `width` floats: of each position, what others cost after it */
    size_t width;
    const float *end;   /* what the end costs after each position */
    float *cost;        /* cost[i * subsets + set], of each position i and each set that has it */
    size_t subsets;
} pfi_subset_tables;

/* Fills the costs. Those of positions that are not in the set become anything. */
void pfi_fill_subsets(const pfi_subset_tables *tables);
void pfi_fill_subsets_plain(const pfi_subset_tables *tables);

#endif
