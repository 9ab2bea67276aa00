/* One row of a table of routes: the innermost loops of the bound in free order. Private to the searches. */
#ifndef PF_SEARCH_ROUTE_ROW_H
#define PF_SEARCH_ROUTE_ROW_H

#include "search/bound.h"

/* What may come next: of each of the listed positions a row of what it costs, by the position before the last one, and all that
 * comes after it. */
typedef struct {
    const float *costs; /* of position j: from costs[j * stride] on */
    const float *then;  /* of position j: then[j * stride] */
    size_t stride;
    const uint16_t *listed;
    size_t count;
    float lost;         /* by rounding: is taken from each sum */
} pfi_route_row;

/* Fills after[column] with the least sum of all listed positions, from column `first` to before `end`, both multiples of PFI_CHUNK;
 * INFINITY where none is listed. What is plain does the same without AVX2. */
void pfi_route_row_fill(const pfi_route_row *row, size_t first, size_t end, float *after);
void pfi_route_row_plain(const pfi_route_row *row, size_t first, size_t end, float *after);

/* next[k] = after[k] - price, of so many costs. Returns the largest size of those that are finite. */
float pfi_route_row_price(const float *after, float price, size_t count, float *next);
float pfi_route_row_price_plain(const float *after, float price, size_t count, float *next);

#endif
