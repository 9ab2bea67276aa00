/* Most rows that are looked at have one or two columns, so what a row takes by itself matters as much as what a pair takes: four
 * pairs of one row are taken together, or four rows of one column, or the corner. No pair has a lower bound than one of its items
 * by itself (`total`), so only the ends of rows ask for these. */
#include "chart/grid_rows.h"

#include "base/contract.h"
#include "search/wide.h"

#include <math.h>

PFI_WIDE_BODY double larger(double one, double other) { return one > other ? one : other; }

/* Nothing of the row from this column on costs less than the larger one of two. */
PFI_WIDE_BODY void drop_from(pfi_grid_rows *grid, uint32_t row, uint32_t column) {
    const double least = larger(grid->first.total[row], grid->second.least[column]);
    if (least <= grid->limit && least < grid->dropped) grid->dropped = least;
}

PFI_WIDE_BODY void put_pair(pfi_grid_rows *grid, uint32_t row, uint32_t column, double bound, double rank) {
    assert(grid->n < grid->room);
    grid->pair[grid->n++] = (pfi_grid_pair){rank, bound, grid->grid, row, column};
}

/* Is the next row to be looked at? Then there is room for its pairs. */
PFI_WIDE_BODY bool next_row(const pfi_grid_rows *grid, uint32_t *from, uint32_t *to) {
    const uint32_t i = grid->row;
    if (i == grid->rows || grid->n >= grid->most || grid->first.total[i] + grid->first.more[i] >= grid->worth) return false;
    pfi_grid_columns(grid, i, from, to);
    return grid->n + (*to - *from) <= grid->room;
}

/* Nothing of the row from column `to` on is looked at. */
PFI_WIDE_BODY void end_row(pfi_grid_rows *grid, uint32_t to) {
    if (!grid->corner && to < grid->second.n) drop_from(grid, grid->row, to);
    grid->columns += to;
    grid->row++;
}

void pfi_grid_rows_plain(pfi_grid_rows *grid) {
    uint32_t k, to;
    for (; next_row(grid, &k, &to); end_row(grid, to)) {
        const uint32_t i = grid->row;
        const float *after = grid->after + grid->first.last[i] * grid->kinds, *rest = grid->rest + grid->first.row[i] * grid->kinds;
        const double more = grid->first.more[i];
        for (; k < to; k++) {
            const double bound = grid->first.inner[i] + grid->second.inner[k] + grid->cost + (double)after[grid->second.row[k]] +
                (double)rest[grid->second.last[k]];
            if (bound > grid->limit) continue;
            if (bound + more < grid->worth) put_pair(grid, i, k, bound, bound + more);
            else if (bound < grid->dropped) grid->dropped = bound;
        }
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2"), always_inline)) static inline

enum { TOGETHER = 4 };

_Static_assert(PFI_CORNER * PFI_CORNER == TOGETHER, "a corner is four pairs");

/* Four pairs: what they cost by `inner` of their items, between them, and around them; and `more` of the first items. */
typedef struct {
    __m256d inner, after, rest, more;
} four_pairs;

/* Four numbers of single precision. A gather takes longer. */
AVX2 __m256d four_of(float first, float second, float third, float fourth) {
    return _mm256_cvtps_pd(_mm_setr_ps(first, second, third, fourth));
}

/* Puts those of the four pairs that are worth it, if they are pairs at all (`which`). Pair t is of row i + t / columns and column
 * k + t % columns. What is dropped of them is left to *dropped. */
AVX2 void take_pairs(pfi_grid_rows *grid, const four_pairs *pairs, __m256d which, uint32_t i, uint32_t k, unsigned columns,
                     __m256d *dropped) {
    const __m256d sum = _mm256_add_pd(_mm256_add_pd(pairs->inner, _mm256_set1_pd(grid->cost)), pairs->after);
    const __m256d bounds = _mm256_add_pd(sum, pairs->rest), ranks = _mm256_add_pd(bounds, pairs->more);
    const __m256d within = _mm256_and_pd(which, _mm256_cmp_pd(bounds, _mm256_set1_pd(grid->limit), _CMP_LE_OQ));
    const __m256d near = _mm256_cmp_pd(ranks, _mm256_set1_pd(grid->worth), _CMP_LT_OQ), none = _mm256_set1_pd((double)INFINITY);
    unsigned kept = (unsigned)_mm256_movemask_pd(_mm256_and_pd(within, near));
    *dropped = _mm256_min_pd(*dropped, _mm256_blendv_pd(none, bounds, _mm256_andnot_pd(near, within)));
    if (!kept) return;
    double bound[TOGETHER], rank[TOGETHER];
    _mm256_storeu_pd(bound, bounds);
    _mm256_storeu_pd(rank, ranks);
    for (; kept; kept &= kept - 1) {
        const unsigned t = (unsigned)__builtin_ctz(kept);
        put_pair(grid, i + t / columns, k + t % columns, bound[t], rank[t]);
    }
}

AVX2 void take_least(pfi_grid_rows *grid, __m256d least) {
    const __m128d two = _mm_min_pd(_mm256_castpd256_pd128(least), _mm256_extractf128_pd(least, 1));
    const double one = _mm_cvtsd_f64(_mm_min_sd(two, _mm_unpackhi_pd(two, two)));
    if (one < grid->dropped) grid->dropped = one;
}

AVX2 const float *after_row(const pfi_grid_rows *grid, uint32_t i) { return grid->after + grid->first.last[i] * grid->kinds; }
AVX2 const float *rest_row(const pfi_grid_rows *grid, uint32_t i) { return grid->rest + grid->first.row[i] * grid->kinds; }

/* The columns of one row. */
AVX2 void take_row(pfi_grid_rows *grid, uint32_t k, uint32_t to, __m256d *dropped) {
    const uint32_t i = grid->row;
    const float *after = after_row(grid, i), *rest = rest_row(grid, i);
    const __m256d inner = _mm256_set1_pd(grid->first.inner[i]), more = _mm256_set1_pd(grid->first.more[i]);
    for (; k < to; k += TOGETHER) {
        const uint32_t *row = grid->second.row + k, *last = grid->second.last + k;
        const __m128i there = _mm_cmpgt_epi32(_mm_set1_epi32((int)(to - k)), _mm_setr_epi32(0, 1, 2, 3));
        const four_pairs pairs = {
            _mm256_add_pd(inner, _mm256_loadu_pd(grid->second.inner + k)),
            four_of(after[row[0]], after[row[1]], after[row[2]], after[row[3]]),
            four_of(rest[last[0]], rest[last[1]], rest[last[2]], rest[last[3]]), more};
        take_pairs(grid, &pairs, _mm256_castsi256_pd(_mm256_cvtepi32_epi64(there)), i, k, TOGETHER, dropped);
    }
}

/* Four rows of one column each. */
AVX2 void take_four_rows(pfi_grid_rows *grid, __m256d *dropped) {
    const uint32_t i = grid->row, row = grid->second.row[0], last = grid->second.last[0];
    const __m256d none = _mm256_set1_pd((double)INFINITY);
    const four_pairs pairs = {
        _mm256_add_pd(_mm256_loadu_pd(grid->first.inner + i), _mm256_set1_pd(grid->second.inner[0])),
        four_of(after_row(grid, i)[row], after_row(grid, i + 1)[row], after_row(grid, i + 2)[row], after_row(grid, i + 3)[row]),
        four_of(rest_row(grid, i)[last], rest_row(grid, i + 1)[last], rest_row(grid, i + 2)[last], rest_row(grid, i + 3)[last]),
        _mm256_loadu_pd(grid->first.more + i)};
    take_pairs(grid, &pairs, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)), i, 0, 1, dropped);
    if (grid->second.n > 1) {
        const __m256d next = _mm256_max_pd(_mm256_loadu_pd(grid->first.total + i), _mm256_set1_pd(grid->second.least[1]));
        const __m256d within = _mm256_cmp_pd(next, _mm256_set1_pd(grid->limit), _CMP_LE_OQ);
        *dropped = _mm256_min_pd(*dropped, _mm256_blendv_pd(none, next, within));
    }
    grid->columns += TOGETHER;
    grid->row += TOGETHER;
}

/* Both lanes of a pair of numbers twice: one after the other, and each by itself. */
AVX2 __m256d twice(const double *two) { return _mm256_broadcast_pd((const __m128d *)two); }
AVX2 __m256d each_twice(const double *two) { return _mm256_permute4x64_pd(twice(two), _MM_SHUFFLE(1, 1, 0, 0)); }

/* The corner of a grid, if it has all its columns: so many rows. */
AVX2 void take_corner(pfi_grid_rows *grid, uint32_t rows, __m256d *dropped) {
    const uint32_t *row = grid->second.row, *last = grid->second.last, other = rows - 1;
    const four_pairs pairs = {
        _mm256_add_pd(each_twice(grid->first.inner), twice(grid->second.inner)),
        four_of(after_row(grid, 0)[row[0]], after_row(grid, 0)[row[1]], after_row(grid, other)[row[0]],
            after_row(grid, other)[row[1]]),
        four_of(rest_row(grid, 0)[last[0]], rest_row(grid, 0)[last[1]], rest_row(grid, other)[last[0]],
            rest_row(grid, other)[last[1]]),
        each_twice(grid->first.more)};
    const __m256d there = _mm256_castsi256_pd(_mm256_setr_epi64x(-1, -1, -(int64_t)other, -(int64_t)other));
    take_pairs(grid, &pairs, there, 0, 0, PFI_CORNER, dropped);
    grid->columns += rows * PFI_CORNER;
    grid->row = rows;
}

/* Is there room for all pairs of the corner? */
static bool is_corner(const pfi_grid_rows *grid) {
    return grid->corner && !grid->row && grid->rows && grid->second.n >= PFI_CORNER && grid->n + TOGETHER <= grid->most &&
        grid->n + TOGETHER <= grid->room && grid->first.total[0] + grid->first.more[0] < grid->worth;
}

/* May the next four rows be taken together? */
static bool are_four_rows(const pfi_grid_rows *grid) {
    const uint32_t last = grid->row + TOGETHER - 1;
    return !grid->corner && grid->row >= PFI_CORNER && grid->row >= grid->low_rows && last < grid->rows &&
        grid->near[grid->row] == 1 && grid->near[last] == 1 &&
        grid->n + TOGETHER <= grid->most && grid->n + TOGETHER <= grid->room &&
        grid->first.total[last] + grid->first.more[last] < grid->worth;
}

/* What is known so far is kept apart from the memory that pairs are put into, so that the compiler may hold it in registers. */
__attribute__((target("avx2"))) static void take_rows(pfi_grid_rows *of) {
    pfi_grid_rows rows = *of, *grid = &rows;
    __m256d dropped = _mm256_set1_pd((double)INFINITY);
    uint32_t from, to;
    if (is_corner(grid)) {
        const bool both = grid->rows > 1 && grid->first.total[1] + grid->first.more[1] < grid->worth;
        take_corner(grid, both ? PFI_CORNER : 1, &dropped);
    }
    while (next_row(grid, &from, &to)) {
        if (are_four_rows(grid)) {
            take_four_rows(grid, &dropped);
            continue;
        }
        take_row(grid, from, to, &dropped);
        end_row(grid, to);
    }
    take_least(grid, dropped);
    *of = rows;
}

void pfi_grid_rows_take(pfi_grid_rows *grid) {
    if (__builtin_cpu_supports("avx2")) take_rows(grid);
    else pfi_grid_rows_plain(grid);
}
#else
void pfi_grid_rows_take(pfi_grid_rows *grid) { pfi_grid_rows_plain(grid); }
#endif
