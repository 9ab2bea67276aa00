/* Products of matrices over (min, +), in single precision. Private to the chart. */
#ifndef PF_CHART_PRODUCTS_H
#define PF_CHART_PRODUCTS_H

#include <stddef.h>

enum { PFI_PRODUCT_COLUMNS = 8 }; /* that are taken at a time */

/* The numbers 0 .. n-1, where those from `gap_at` on stand for so many more: what comes before a span and after it. */
typedef struct {
    size_t n, gap_at, gap;
} pfi_gapped;

static inline size_t pfi_gapped_at(const pfi_gapped *of, size_t i) { return i < of->gap_at ? i : i + of->gap; }

/* A product: to(i, j) becomes the least of what it is and one(i, k) + other(k, j) over all k, and the cost. Columns are taken
 * some at a time, so those of `to` and `other` are rounded up to a multiple of that: there is memory for them, and what `to` has
 * there means nothing or is met by INFINITY. */
typedef struct {
    const float *one, *other;
    float *to;
    size_t row_step, sum_step;      /* from one(i, k) to one(i + 1, k), and to one(i, k + 1) */
    size_t other_stride, to_stride; /* from row to row */
    pfi_gapped rows, sums;          /* the i and the k that there are */
    size_t columns;                 /* how many j */
    float cost;
} pfi_min_product;

void pfi_fill_infinity(float *to, size_t n);

/* O(rows x sums x columns), 8 columns at a time where the processor can (AVX2); the plain way gives the same numbers. */
void pfi_min_product_take(const pfi_min_product *product);
void pfi_min_product_plain(const pfi_min_product *product);

/* The least one(k) + other(k), and, if `at` is not NULL, the first k that has it. n is a multiple of PFI_PRODUCT_COLUMNS, not 0.
 * The plain way gives the same numbers. */
float pfi_least_sum(const float *one, const float *other, size_t n, size_t *at);
float pfi_least_sum_plain(const float *one, const float *other, size_t n, size_t *at);

#endif
