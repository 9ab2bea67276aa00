/* Four rows of two blocks of columns are kept in registers while all sums go by, so each number of `other` is read once for four
 * rows, and each of `one` once for two blocks. */
#include "chart/products.h"

#include "base/contract.h"
#include "search/wide.h"

#include <math.h>

enum { COLUMNS = PFI_PRODUCT_COLUMNS, ROWS = 4, BLOCKS = 2 };

static void take_row(const pfi_min_product *product, size_t row, size_t column) {
    const float *one = product->one + row * product->row_step, *other = product->other + column;
    float *to = product->to + row * product->to_stride + column, least[COLUMNS];
    for (unsigned t = 0; t < COLUMNS; t++) least[t] = INFINITY;
    for (size_t i = 0; i < product->sums.n; i++) {
        const size_t k = pfi_gapped_at(&product->sums, i);
        for (unsigned t = 0; t < COLUMNS; t++) {
            const float sum = one[k * product->sum_step] + other[k * product->other_stride + t];
            least[t] = sum < least[t] ? sum : least[t];
        }
    }
    for (unsigned t = 0; t < COLUMNS; t++) {
        const float sum = least[t] + product->cost;
        to[t] = sum < to[t] ? sum : to[t];
    }
}

void pfi_fill_infinity(float *to, size_t n) {
    size_t at = 0;
    for (; at + COLUMNS <= n; at += COLUMNS)
        for (unsigned t = 0; t < COLUMNS; t++) to[at + t] = INFINITY;
    for (; at < n; at++) to[at] = INFINITY;
}

void pfi_min_product_plain(const pfi_min_product *product) {
    for (size_t column = 0; column < product->columns; column += COLUMNS)
        for (size_t row = 0; row < product->rows.n; row++) take_row(product, pfi_gapped_at(&product->rows, row), column);
}

float pfi_least_sum_plain(const float *one, const float *other, size_t n, size_t *at) {
    size_t first = 0;
    for (size_t k = 1; k < n; k++)
        if (one[k] + other[k] < one[first] + other[first]) first = k;
    if (at) *at = first;
    return one[first] + other[first];
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* A part of the product: so many rows, and so many times COLUMNS. The compiler knows both numbers. */
typedef struct {
    const float *one[ROWS];
    float *to[ROWS];
    __m256 least[ROWS][BLOCKS];
} product_part;

/* The sums of `n` k, from where `one` and `other` are. */
PFI_WIDE_PART void add_sums(const pfi_min_product *product, product_part *part, size_t k, size_t n, size_t column, unsigned rows,
                   unsigned blocks) {
    const float *other = product->other + k * product->other_stride + column;
    const size_t sum_step = product->sum_step, end = (k + n) * sum_step;
    for (size_t at = k * sum_step; at < end; at += sum_step, other += product->other_stride)
#pragma GCC unroll 4
        for (unsigned r = 0; r < rows; r++)
#pragma GCC unroll 4
            for (unsigned b = 0; b < blocks; b++)
                part->least[r][b] = _mm256_min_ps(
                    _mm256_add_ps(_mm256_set1_ps(part->one[r][at]), _mm256_loadu_ps(other + b * COLUMNS)), part->least[r][b]);
}

PFI_WIDE_PART void take_part(const pfi_min_product *product, size_t row, size_t column, unsigned rows, unsigned blocks) {
    const size_t before = product->sums.gap_at < product->sums.n ? product->sums.gap_at : product->sums.n;
    product_part part;
#pragma GCC unroll 4
    for (unsigned r = 0; r < rows; r++) {
        const size_t i = pfi_gapped_at(&product->rows, row + r);
        part.one[r] = product->one + i * product->row_step;
        part.to[r] = product->to + i * product->to_stride + column;
#pragma GCC unroll 4
        for (unsigned b = 0; b < blocks; b++) part.least[r][b] = _mm256_set1_ps(INFINITY);
    }
    add_sums(product, &part, 0, before, column, rows, blocks);
    if (before < product->sums.n)
        add_sums(product, &part, before + product->sums.gap, product->sums.n - before, column, rows, blocks);
#pragma GCC unroll 4
    for (unsigned r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (unsigned b = 0; b < blocks; b++) {
            float *to = part.to[r] + b * COLUMNS;
            const __m256 least = _mm256_add_ps(part.least[r][b], _mm256_set1_ps(product->cost));
            _mm256_storeu_ps(to, _mm256_min_ps(least, _mm256_loadu_ps(to)));
        }
}

PFI_WIDE_PART void take_columns(const pfi_min_product *product, size_t column, unsigned blocks) {
    size_t row = 0;
    for (; row + ROWS <= product->rows.n; row += ROWS) take_part(product, row, column, ROWS, blocks);
    switch (product->rows.n - row) {
    case 1: take_part(product, row, column, 1, blocks); break;
    case 2: take_part(product, row, column, 2, blocks); break;
    case 3: take_part(product, row, column, 3, blocks); break;
    }
}

PFI_WIDE static void take_avx2(const pfi_min_product *product) {
    size_t column = 0;
    for (; column + COLUMNS < product->columns; column += BLOCKS * COLUMNS) take_columns(product, column, BLOCKS);
    if (column < product->columns) take_columns(product, column, 1);
}

void pfi_min_product_take(const pfi_min_product *product) {
    if (pfi_has_wide()) take_avx2(product);
    else pfi_min_product_plain(product);
}

/* All eight lanes have the least one. */
PFI_WIDE_PART __m256 least_lane(__m256 lanes) {
    lanes = _mm256_min_ps(lanes, _mm256_permute2f128_ps(lanes, lanes, 1));
    lanes = _mm256_min_ps(lanes, _mm256_permute_ps(lanes, _MM_SHUFFLE(1, 0, 3, 2)));
    return _mm256_min_ps(lanes, _mm256_permute_ps(lanes, _MM_SHUFFLE(2, 3, 0, 1)));
}

PFI_WIDE_PART __m256 add_columns(const float *one, const float *other, size_t k) {
    return _mm256_add_ps(_mm256_loadu_ps(one + k), _mm256_loadu_ps(other + k));
}

PFI_WIDE static float least_sum_avx2(const float *one, const float *other, size_t n, size_t *at) {
    __m256 least = _mm256_set1_ps(INFINITY);
    for (size_t k = 0; k < n; k += COLUMNS) least = _mm256_min_ps(least, add_columns(one, other, k));
    least = least_lane(least);
    if (!at) return _mm256_cvtss_f32(least);
    unsigned here = 0;
    for (*at = 0; !here; *at += COLUMNS)
        here = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(add_columns(one, other, *at), least, _CMP_EQ_OQ));
    *at += (size_t)__builtin_ctz(here) - COLUMNS;
    return one[*at] + other[*at];
}

float pfi_least_sum(const float *one, const float *other, size_t n, size_t *at) {
    return (pfi_has_wide() ? least_sum_avx2 : pfi_least_sum_plain)(one, other, n, at);
}
#else
void pfi_min_product_take(const pfi_min_product *product) { pfi_min_product_plain(product); }
float pfi_least_sum(const float *one, const float *other, size_t n, size_t *at) { return pfi_least_sum_plain(one, other, n, at); }
#endif
