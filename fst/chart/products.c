/* Four rows of a block of columns are kept in registers while all sums go by, so each number of `other` is read once for four. */
#include "chart/products.h"

enum { COLUMNS = PFI_PRODUCT_COLUMNS, ROWS = 4 };

static void take_row(const pfi_min_product *product, size_t row, size_t column) {
    const float *one = product->one + row * product->row_step, *other = product->other + column;
    float *to = product->to + row * product->to_stride + column, least[COLUMNS];
    for (unsigned t = 0; t < COLUMNS; t++) least[t] = to[t];
    for (size_t k = 0; k < product->sums; k++, one += product->sum_step, other += product->other_stride)
        for (unsigned t = 0; t < COLUMNS; t++) {
            const float sum = *one + (other[t] + product->cost);
            least[t] = sum < least[t] ? sum : least[t];
        }
    for (unsigned t = 0; t < COLUMNS; t++) to[t] = least[t];
}

void pfi_min_product_plain(const pfi_min_product *product) {
    for (size_t column = 0; column < product->columns; column += COLUMNS)
        for (size_t row = 0; row < product->rows; row++) take_row(product, row, column);
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

__attribute__((target("avx2"))) static void take_rows_avx2(const pfi_min_product *product, size_t row, size_t column) {
    const float *one = product->one + row * product->row_step, *other = product->other + column;
    float *to = product->to + row * product->to_stride + column;
    const __m256 cost = _mm256_set1_ps(product->cost);
    __m256 least[ROWS];
    for (unsigned r = 0; r < ROWS; r++) least[r] = _mm256_loadu_ps(to + r * product->to_stride);
    for (size_t k = 0; k < product->sums; k++, one += product->sum_step, other += product->other_stride) {
        const __m256 beyond = _mm256_add_ps(_mm256_loadu_ps(other), cost);
        least[0] = _mm256_min_ps(_mm256_add_ps(_mm256_set1_ps(one[0]), beyond), least[0]);
        least[1] = _mm256_min_ps(_mm256_add_ps(_mm256_set1_ps(one[product->row_step]), beyond), least[1]);
        least[2] = _mm256_min_ps(_mm256_add_ps(_mm256_set1_ps(one[2 * product->row_step]), beyond), least[2]);
        least[3] = _mm256_min_ps(_mm256_add_ps(_mm256_set1_ps(one[3 * product->row_step]), beyond), least[3]);
    }
    for (unsigned r = 0; r < ROWS; r++) _mm256_storeu_ps(to + r * product->to_stride, least[r]);
}

__attribute__((target("avx2"))) static void take_row_avx2(const pfi_min_product *product, size_t row, size_t column) {
    const float *one = product->one + row * product->row_step, *other = product->other + column;
    float *to = product->to + row * product->to_stride + column;
    const __m256 cost = _mm256_set1_ps(product->cost);
    __m256 least = _mm256_loadu_ps(to);
    for (size_t k = 0; k < product->sums; k++, one += product->sum_step, other += product->other_stride)
        least = _mm256_min_ps(_mm256_add_ps(_mm256_set1_ps(*one), _mm256_add_ps(_mm256_loadu_ps(other), cost)), least);
    _mm256_storeu_ps(to, least);
}

__attribute__((target("avx2"))) static void take_avx2(const pfi_min_product *product) {
    for (size_t column = 0; column < product->columns; column += COLUMNS) {
        size_t row = 0;
        for (; row + ROWS <= product->rows; row += ROWS) take_rows_avx2(product, row, column);
        for (; row < product->rows; row++) take_row_avx2(product, row, column);
    }
}

void pfi_min_product_take(const pfi_min_product *product) {
    if (__builtin_cpu_supports("avx2")) take_avx2(product);
    else pfi_min_product_plain(product);
}
#else
void pfi_min_product_take(const pfi_min_product *product) { pfi_min_product_plain(product); }
#endif
