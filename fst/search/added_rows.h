/* The least of sums over rows of floats that stand anywhere. Private to the searches. */
#ifndef PF_SEARCH_ADDED_ROWS_H
#define PF_SEARCH_ADDED_ROWS_H

#include <permfst/base/vec.h>

#include <stddef.h>

/* A row of costs, and what is added to them. */
typedef struct {
    const float *row;
    float cost;
} pfi_added_row;

typedef PF_VEC(pfi_added_row) pfi_added_rows;

/* least[k]: the least of row[first + k] + cost over all rows; INFINITY where there are none. Rows are read, and least[] is written,
 * up to the end of the last chunk of so many columns. O(rows x columns), several at once. */
void pfi_least_of_rows(const pfi_added_row *rows, size_t count, size_t first, size_t columns, float *least);

#endif
