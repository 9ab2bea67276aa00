/* One step of a table of routes: the innermost loops of the bound in free order. Private to the searches. */
#ifndef PF_SEARCH_ROUTE_STEP_H
#define PF_SEARCH_ROUTE_STEP_H

#include "search/bound.h"

#include <stdint.h>

/* After each of the last positions, by the position before it (a column): which next position is the cheapest, together with all
 * that comes after it? */
typedef struct {
    size_t length, stride; /* positions; floats in a row */
    const float *costs;    /* length x length rows: of a next position after a last one */
    const float *then;     /* length rows: of a next position, all that comes after it, by the last position */
    const uint32_t *nexts; /* of each next position: where its row begins */
    size_t next_count;
    const uint32_t *lasts; /* the last positions */
    size_t last_count;
    size_t first, end;     /* columns, from `first` to before `end`: multiples of PFI_CHUNK */
    float lost;            /* by rounding: is taken from each sum */
} pfi_route_step;

/* Fills the columns of after[last * stride], of each last position; with INFINITY where nothing comes next. What is plain does the
 * same without AVX2. O(last positions x next positions x columns). */
void pfi_route_step_fill(const pfi_route_step *step, float *after);
void pfi_route_step_plain(const pfi_route_step *step, float *after);

/* next[k] = after[k] - price, of so many costs, a multiple of PFI_CHUNK. Returns the largest size of those that are finite. */
float pfi_route_price(const float *after, float price, size_t count, float *next);
float pfi_route_price_plain(const float *after, float price, size_t count, float *next);

#endif
