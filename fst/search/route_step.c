/* The sums of a few chunks of columns are kept in registers while all next positions go by. */
#include "search/route_step.h"

#include "search/wide.h"

#include <assert.h>
#include <math.h>

static const float *costs_after(const pfi_route_step *step, uint32_t last) {
    return &step->costs[last * step->length * step->stride];
}

static void fill_chunk(const pfi_route_step *step, uint32_t last, size_t column, float *after) {
    float least[PFI_CHUNK];
    for (size_t k = 0; k < PFI_CHUNK; k++) least[k] = INFINITY;
    for (size_t i = 0; i < step->next_count; i++) {
        const float *cost = &costs_after(step, last)[step->nexts[i] + column], then = step->then[step->nexts[i] + last];
        for (size_t k = 0; k < PFI_CHUNK; k++) {
            const float sum = cost[k] + then;
            least[k] = sum < least[k] ? sum : least[k];
        }
    }
    for (size_t k = 0; k < PFI_CHUNK; k++) after[column + k] = least[k] - step->lost;
}

void pfi_route_step_plain(const pfi_route_step *step, float *after) {
    assert(step->first % PFI_CHUNK == 0 && step->end % PFI_CHUNK == 0);
    for (size_t i = 0; i < step->last_count; i++)
        for (size_t column = step->first; column < step->end; column += PFI_CHUNK)
            fill_chunk(step, step->lasts[i], column, &after[step->lasts[i] * step->stride]);
}

float pfi_route_price_plain(const float *after, float price, size_t count, float *next) {
    float largest = 0;
    assert(count % PFI_CHUNK == 0);
    for (size_t k = 0; k < count; k++) {
        next[k] = after[k] - price;
        const float size = next[k] < INFINITY ? fabsf(next[k]) : 0;
        largest = size > largest ? size : largest;
    }
    return largest;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

enum { MOST_CHUNKS = 4 }; /* at a time: registers hold their sums */

/* A few chunks of columns; how many is constant where it is inlined. */
PFI_WIDE_PART void fill_chunks(const pfi_route_step *step, uint32_t last, size_t column,
    size_t chunks, float *after) {
    const float *costs = costs_after(step, last) + column, *then = &step->then[last];
    const uint32_t *next = step->nexts, *const end = next + step->next_count;
    __m256 least[MOST_CHUNKS];
#pragma GCC unroll 4
    for (size_t k = 0; k < chunks; k++) least[k] = _mm256_set1_ps(INFINITY);
    for (; next < end; next++) {
        const float *cost = &costs[*next];
        const __m256 rest = _mm256_broadcast_ss(&then[*next]);
#pragma GCC unroll 4
        for (size_t k = 0; k < chunks; k++)
            least[k] = _mm256_min_ps(_mm256_add_ps(_mm256_loadu_ps(&cost[k * PFI_CHUNK]), rest), least[k]);
    }
#pragma GCC unroll 4
    for (size_t k = 0; k < chunks; k++)
        _mm256_storeu_ps(&after[k * PFI_CHUNK], _mm256_sub_ps(least[k], _mm256_set1_ps(step->lost)));
}

PFI_WIDE static void fill_avx2(const pfi_route_step *step, float *after) {
    enum { FOUR = 4 * PFI_CHUNK, TWO = 2 * PFI_CHUNK };
    assert(step->first % PFI_CHUNK == 0 && step->end % PFI_CHUNK == 0);
    for (size_t i = 0; i < step->last_count; i++) {
        const uint32_t last = step->lasts[i];
        float *row = &after[last * step->stride];
        size_t column = step->first;
        for (; column + FOUR <= step->end; column += FOUR) fill_chunks(step, last, column, 4, &row[column]);
        for (; column + TWO <= step->end; column += TWO) fill_chunks(step, last, column, 2, &row[column]);
        if (column < step->end) fill_chunks(step, last, column, 1, &row[column]);
    }
}

PFI_WIDE static float price_avx2(const float *after, float price, size_t count, float *next) {
    const __m256 sign = _mm256_set1_ps(-0.f), infinite = _mm256_set1_ps(INFINITY), all = _mm256_set1_ps(price);
    __m256 sizes = _mm256_setzero_ps();
    assert(count % PFI_CHUNK == 0);
    for (size_t at = 0; at < count; at += PFI_CHUNK) {
        const __m256 cost = _mm256_sub_ps(_mm256_loadu_ps(&after[at]), all);
        const __m256 finite = _mm256_and_ps(_mm256_andnot_ps(sign, cost), _mm256_cmp_ps(cost, infinite, _CMP_LT_OQ));
        _mm256_storeu_ps(&next[at], cost);
        sizes = _mm256_max_ps(finite, sizes);
    }
    __m128 largest = _mm_max_ps(_mm256_castps256_ps128(sizes), _mm256_extractf128_ps(sizes, 1));
    largest = _mm_max_ps(largest, _mm_movehl_ps(largest, largest));
    return _mm_cvtss_f32(_mm_max_ss(largest, _mm_movehdup_ps(largest)));
}

float pfi_route_price(const float *after, float price, size_t count, float *next) {
    return (pfi_has_wide() ? price_avx2 : pfi_route_price_plain)(after, price, count, next);
}

void pfi_route_step_fill(const pfi_route_step *step, float *after) {
    if (pfi_has_wide()) fill_avx2(step, after);
    else pfi_route_step_plain(step, after);
}
#else
float pfi_route_price(const float *after, float price, size_t count, float *next) {
    return pfi_route_price_plain(after, price, count, next);
}

void pfi_route_step_fill(const pfi_route_step *step, float *after) { pfi_route_step_plain(step, after); }
#endif
