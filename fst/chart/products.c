/* Four rows of two blocks of columns are kept in registers while all sums go by, so each number of `other` is read once for four
 * rows, and each of `one` once for two blocks. */
#include "chart/products.h"

#include <math.h>

enum { COLUMNS = PFI_PRODUCT_COLUMNS, ROWS = 4, BLOCKS = 2 };

static void take_row(const pfi_min_product *product, size_t row, size_t column) {
    const float *one = product->one + row * product->row_step, *other = product->other + column;
    float *to = product->to + row * product->to_stride + column, least[COLUMNS];
    for (unsigned t = 0; t < COLUMNS; t++) least[t] = INFINITY;
    for (size_t k = 0; k < product->sums; k++, one += product->sum_step, other += product->other_stride)
        for (unsigned t = 0; t < COLUMNS; t++) {
            const float sum = *one + other[t];
            least[t] = sum < least[t] ? sum : least[t];
        }
    for (unsigned t = 0; t < COLUMNS; t++) {
        const float sum = least[t] + product->cost;
        to[t] = sum < to[t] ? sum : to[t];
    }
}

void pfi_min_product_plain(const pfi_min_product *product) {
    for (size_t column = 0; column < product->columns; column += COLUMNS)
        for (size_t row = 0; row < product->rows; row++) take_row(product, row, column);
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

#define AVX2 __attribute__((target("avx2"), always_inline)) static inline

/* A part of the product: so many rows, and so many times COLUMNS. The compiler knows both numbers. */
AVX2 void take_part(const pfi_min_product *product, size_t row, size_t column, unsigned rows, unsigned blocks) {
    const size_t row_step = product->row_step, sum_step = product->sum_step, other_stride = product->other_stride;
    const float *one = product->one + row * row_step, *other = product->other + column;
    const float *const end = one + product->sums * sum_step;
    __m256 least[ROWS][BLOCKS];
#pragma GCC unroll 4
    for (unsigned r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (unsigned b = 0; b < blocks; b++) least[r][b] = _mm256_set1_ps(INFINITY);
    for (; one < end; one += sum_step, other += other_stride)
#pragma GCC unroll 4
        for (unsigned r = 0; r < rows; r++)
#pragma GCC unroll 4
            for (unsigned b = 0; b < blocks; b++)
                least[r][b] = _mm256_min_ps(
                    _mm256_add_ps(_mm256_set1_ps(one[r * row_step]), _mm256_loadu_ps(other + b * COLUMNS)), least[r][b]);
#pragma GCC unroll 4
    for (unsigned r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (unsigned b = 0; b < blocks; b++) {
            float *to = product->to + (row + r) * product->to_stride + column + b * COLUMNS;
            _mm256_storeu_ps(to, _mm256_min_ps(_mm256_add_ps(least[r][b], _mm256_set1_ps(product->cost)), _mm256_loadu_ps(to)));
        }
}

AVX2 void take_columns(const pfi_min_product *product, size_t column, unsigned blocks) {
    size_t row = 0;
    for (; row + ROWS <= product->rows; row += ROWS) take_part(product, row, column, ROWS, blocks);
    switch (product->rows - row) {
    case 1: take_part(product, row, column, 1, blocks); break;
    case 2: take_part(product, row, column, 2, blocks); break;
    case 3: take_part(product, row, column, 3, blocks); break;
    }
}

__attribute__((target("avx2"))) static void take_avx2(const pfi_min_product *product) {
    size_t column = 0;
    for (; column + COLUMNS < product->columns; column += BLOCKS * COLUMNS) take_columns(product, column, BLOCKS);
    if (column < product->columns) take_columns(product, column, 1);
}

void pfi_min_product_take(const pfi_min_product *product) {
    if (__builtin_cpu_supports("avx2")) take_avx2(product);
    else pfi_min_product_plain(product);
}

/* All eight lanes have the least one. */
AVX2 __m256 least_lane(__m256 lanes) {
    lanes = _mm256_min_ps(lanes, _mm256_permute2f128_ps(lanes, lanes, 1));
    lanes = _mm256_min_ps(lanes, _mm256_permute_ps(lanes, _MM_SHUFFLE(1, 0, 3, 2)));
    return _mm256_min_ps(lanes, _mm256_permute_ps(lanes, _MM_SHUFFLE(2, 3, 0, 1)));
}

AVX2 __m256 add_columns(const float *one, const float *other, size_t k) {
    return _mm256_add_ps(_mm256_loadu_ps(one + k), _mm256_loadu_ps(other + k));
}

__attribute__((target("avx2"))) static float least_sum_avx2(const float *one, const float *other, size_t n, size_t *at) {
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
    return (__builtin_cpu_supports("avx2") ? least_sum_avx2 : pfi_least_sum_plain)(one, other, n, at);
}
#else
void pfi_min_product_take(const pfi_min_product *product) { pfi_min_product_plain(product); }
float pfi_least_sum(const float *one, const float *other, size_t n, size_t *at) { return pfi_least_sum_plain(one, other, n, at); }
#endif
