/* The sums of two chunks of columns are kept in registers while all positions go by. */
#include "search/route_row.h"

#include <assert.h>
#include <math.h>

static void fill_chunk(const pfi_route_row *row, size_t column, float *after) {
    float least[PFI_CHUNK];
    for (size_t k = 0; k < PFI_CHUNK; k++) least[k] = INFINITY;
    for (size_t i = 0; i < row->count; i++) {
        const size_t j = row->listed[i];
        const float *cost = &row->costs[j * row->stride + column], then = row->then[j * row->stride];
        for (size_t k = 0; k < PFI_CHUNK; k++) {
            const float sum = cost[k] + then;
            least[k] = sum < least[k] ? sum : least[k];
        }
    }
    for (size_t k = 0; k < PFI_CHUNK; k++) after[column + k] = least[k] - row->lost;
}

void pfi_route_row_plain(const pfi_route_row *row, size_t first, size_t end, float *after) {
    assert(first % PFI_CHUNK == 0 && end % PFI_CHUNK == 0);
    for (size_t column = first; column < end; column += PFI_CHUNK) fill_chunk(row, column, after);
}

float pfi_route_row_price_plain(const float *after, float price, size_t count, float *next) {
    float largest = 0;
    for (size_t k = 0; k < count; k++) {
        next[k] = after[k] - price;
        const float size = next[k] < INFINITY ? fabsf(next[k]) : 0;
        largest = size > largest ? size : largest;
    }
    return largest;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

__attribute__((target("avx2"))) static void fill_chunk_avx2(const pfi_route_row *row, size_t column, float *after) {
    __m256 least = _mm256_set1_ps(INFINITY);
    for (size_t i = 0; i < row->count; i++) {
        const size_t j = row->listed[i];
        const __m256 then = _mm256_set1_ps(row->then[j * row->stride]);
        least = _mm256_min_ps(_mm256_add_ps(_mm256_loadu_ps(&row->costs[j * row->stride + column]), then), least);
    }
    _mm256_storeu_ps(&after[column], _mm256_sub_ps(least, _mm256_set1_ps(row->lost)));
}

__attribute__((target("avx2"))) static void fill_two_avx2(const pfi_route_row *row, size_t column, float *after) {
    __m256 least = _mm256_set1_ps(INFINITY), other = least;
    for (size_t i = 0; i < row->count; i++) {
        const size_t j = row->listed[i];
        const float *cost = &row->costs[j * row->stride + column];
        const __m256 then = _mm256_set1_ps(row->then[j * row->stride]);
        least = _mm256_min_ps(_mm256_add_ps(_mm256_loadu_ps(cost), then), least);
        other = _mm256_min_ps(_mm256_add_ps(_mm256_loadu_ps(cost + PFI_CHUNK), then), other);
    }
    _mm256_storeu_ps(&after[column], _mm256_sub_ps(least, _mm256_set1_ps(row->lost)));
    _mm256_storeu_ps(&after[column + PFI_CHUNK], _mm256_sub_ps(other, _mm256_set1_ps(row->lost)));
}

__attribute__((target("avx2"))) static void fill_avx2(const pfi_route_row *row, size_t first, size_t end, float *after) {
    size_t column = first;
    assert(first % PFI_CHUNK == 0 && end % PFI_CHUNK == 0);
    for (; column + PFI_CHUNK < end; column += 2 * PFI_CHUNK) fill_two_avx2(row, column, after);
    if (column < end) fill_chunk_avx2(row, column, after);
}

__attribute__((target("avx2"))) static float price_avx2(const float *after, float price, size_t count, float *next) {
    const __m256 sign = _mm256_set1_ps(-0.f), infinite = _mm256_set1_ps(INFINITY), all = _mm256_set1_ps(price);
    float size[PFI_CHUNK], largest;
    __m256 sizes = _mm256_setzero_ps();
    size_t at = 0;
    for (; at + PFI_CHUNK <= count; at += PFI_CHUNK) {
        const __m256 cost = _mm256_sub_ps(_mm256_loadu_ps(&after[at]), all);
        const __m256 finite = _mm256_and_ps(_mm256_andnot_ps(sign, cost), _mm256_cmp_ps(cost, infinite, _CMP_LT_OQ));
        _mm256_storeu_ps(&next[at], cost);
        sizes = _mm256_max_ps(finite, sizes);
    }
    _mm256_storeu_ps(size, sizes);
    largest = pfi_route_row_price_plain(&after[at], price, count - at, &next[at]);
    for (size_t k = 0; k < PFI_CHUNK; k++) largest = size[k] > largest ? size[k] : largest;
    return largest;
}

float pfi_route_row_price(const float *after, float price, size_t count, float *next) {
    return (__builtin_cpu_supports("avx2") ? price_avx2 : pfi_route_row_price_plain)(after, price, count, next);
}

void pfi_route_row_fill(const pfi_route_row *row, size_t first, size_t end, float *after) {
    if (__builtin_cpu_supports("avx2")) fill_avx2(row, first, end, after);
    else pfi_route_row_plain(row, first, end, after);
}
#else
float pfi_route_row_price(const float *after, float price, size_t count, float *next) {
    return pfi_route_row_price_plain(after, price, count, next);
}

void pfi_route_row_fill(const pfi_route_row *row, size_t first, size_t end, float *after) {
    pfi_route_row_plain(row, first, end, after);
}
#endif
