/* The least of sums over rows of floats: what dynamic programs on tables of costs spend their time with. Private to the
 * searches. */
#ifndef PF_SEARCH_LEAST_SUMS_H
#define PF_SEARCH_LEAST_SUMS_H

#include <stddef.h>

/* Rows of costs, `stride` floats from one to the next, and what is added to each. */
typedef struct {
    const float *row;
    size_t stride;
    const float *added; /* to each row */
    size_t rows;
} pfi_summands;

/* least[k], of `width` places, a multiple of PFI_CHUNK: the least of row[k] + added over all rows; INFINITY where there are none.
 * What is plain does the same without AVX2. O(rows x width), several at once. */
void pfi_least_sums(const pfi_summands *summands, size_t width, float *least);
void pfi_least_sums_plain(const pfi_summands *summands, size_t width, float *least);

#endif
