/* Rows are looked at alone, or four together, which have the same columns. So most of the time four pairs of one column are taken
 * at once, and what rows take by themselves is little. No pair has a lower bound than one of its items by itself (`total`), so
 * only the ends of rows ask for these. */
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

/* Are the next rows to be looked at? Then there is room for their pairs. Returns how many; 0: none is. */
PFI_WIDE_BODY uint32_t next_rows(const pfi_grid_rows *grid, uint32_t *from, uint32_t *to) {
    const uint32_t i = grid->row, left = grid->rows - i, rows = left < PFI_TOGETHER ? left : PFI_TOGETHER;
    if (!left || grid->n >= grid->most || grid->first.total[i] + grid->first.more[i] >= grid->worth) return 0;
    pfi_grid_columns(grid, i, from, to);
    if (i < PFI_CORNER) return grid->n + (*to - *from) <= grid->room;
    return grid->n + rows * (*to - *from) <= grid->room ? rows : 0;
}

PFI_WIDE_BODY void end_rows(pfi_grid_rows *grid, uint32_t rows, uint32_t to) {
    grid->columns += rows * to;
    grid->row += rows;
}

void pfi_grid_rows_plain(pfi_grid_rows *grid) {
    uint32_t from, to, rows;
    for (; (rows = next_rows(grid, &from, &to)); end_rows(grid, rows, to)) {
        const uint32_t first = grid->row;
        for (uint32_t k = from; k < to; k++)
            for (uint32_t i = first; i < first + rows; i++) {
                const double after = (double)grid->after[grid->first.last[i] * grid->kinds + grid->second.row[k]];
                const double rest = (double)grid->rest[grid->first.row[i] * grid->kinds + grid->second.last[k]];
                const double bound = grid->first.inner[i] + grid->second.inner[k] + grid->cost + after + rest;
                const double rank = bound + grid->first.more[i];
                if (bound > grid->limit) continue;
                if (rank < grid->worth) put_pair(grid, i, k, bound, rank);
                else if (bound < grid->dropped) grid->dropped = bound;
            }
        for (uint32_t i = first; !grid->corner && to < grid->second.n && i < first + rows; i++) drop_from(grid, i, to);
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

enum { TOGETHER = PFI_TOGETHER };

_Static_assert(PFI_CORNER * PFI_CORNER == TOGETHER, "a corner is four pairs");

/* Four pairs: what they cost by `inner` of their items, between them, and around them; and `more` of the first items. */
typedef struct {
    __m256d inner, after, rest, more;
} four_pairs;

/* Four numbers of single precision. A gather takes longer. */
PFI_WIDE_PART __m256d four_of(float first, float second, float third, float fourth) {
    return _mm256_cvtps_pd(_mm_setr_ps(first, second, third, fourth));
}

/* Puts those of the four pairs that are worth it, if they are pairs at all (`which`). Pair t is of row i + t / columns and column
 * k + t % columns. What is dropped of them is left to *dropped. */
PFI_WIDE_PART void take_pairs(pfi_grid_rows *grid, const four_pairs *pairs, __m256d which, uint32_t i, uint32_t k, unsigned columns,
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

PFI_WIDE_PART void take_least(pfi_grid_rows *grid, __m256d least) {
    const __m128d two = _mm_min_pd(_mm256_castpd256_pd128(least), _mm256_extractf128_pd(least, 1));
    const double one = _mm_cvtsd_f64(_mm_min_sd(two, _mm_unpackhi_pd(two, two)));
    if (one < grid->dropped) grid->dropped = one;
}

PFI_WIDE_PART const float *after_row(const pfi_grid_rows *grid, uint32_t i) {
    return grid->after + grid->first.last[i] * grid->kinds;
}
PFI_WIDE_PART const float *rest_row(const pfi_grid_rows *grid, uint32_t i) { return grid->rest + grid->first.row[i] * grid->kinds; }

PFI_WIDE_PART __m256d first_lanes(uint32_t n) {
    return _mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm_cmpgt_epi32(_mm_set1_epi32((int)n), _mm_setr_epi32(0, 1, 2, 3))));
}

/* The columns of one row. */
PFI_WIDE_PART void take_row(pfi_grid_rows *grid, uint32_t k, uint32_t to, __m256d *dropped) {
    const uint32_t i = grid->row;
    const float *after = after_row(grid, i), *rest = rest_row(grid, i);
    const __m256d inner = _mm256_set1_pd(grid->first.inner[i]), more = _mm256_set1_pd(grid->first.more[i]);
    for (; k < to; k += TOGETHER) {
        const uint32_t *row = grid->second.row + k, *last = grid->second.last + k;
        const four_pairs pairs = {
            _mm256_add_pd(inner, _mm256_loadu_pd(grid->second.inner + k)),
            four_of(after[row[0]], after[row[1]], after[row[2]], after[row[3]]),
            four_of(rest[last[0]], rest[last[1]], rest[last[2]], rest[last[3]]), more};
        take_pairs(grid, &pairs, first_lanes(to - k), i, k, TOGETHER, dropped);
    }
    if (!grid->corner && to < grid->second.n) drop_from(grid, i, to);
}

/* Four rows together, or so many of them. */
PFI_WIDE_PART void take_four_rows(pfi_grid_rows *grid, uint32_t rows, uint32_t k, uint32_t to, __m256d *dropped) {
    const uint32_t i = grid->row;
    const float *const after[TOGETHER] = {after_row(grid, i), after_row(grid, i + 1), after_row(grid, i + 2),
                                          after_row(grid, i + 3)};
    const float *const rest[TOGETHER] = {rest_row(grid, i), rest_row(grid, i + 1), rest_row(grid, i + 2), rest_row(grid, i + 3)};
    const __m256d inner = _mm256_loadu_pd(grid->first.inner + i), more = _mm256_loadu_pd(grid->first.more + i);
    const __m256d there = first_lanes(rows);
    for (; k < to; k++) {
        const uint32_t row = grid->second.row[k], last = grid->second.last[k];
        const four_pairs pairs = {_mm256_add_pd(inner, _mm256_set1_pd(grid->second.inner[k])),
                                  four_of(after[0][row], after[1][row], after[2][row], after[3][row]),
                                  four_of(rest[0][last], rest[1][last], rest[2][last], rest[3][last]), more};
        take_pairs(grid, &pairs, there, i, k, 1, dropped);
    }
    if (to == grid->second.n) return;
    const __m256d next = _mm256_max_pd(_mm256_loadu_pd(grid->first.total + i), _mm256_set1_pd(grid->second.least[to]));
    const __m256d within = _mm256_and_pd(there, _mm256_cmp_pd(next, _mm256_set1_pd(grid->limit), _CMP_LE_OQ));
    *dropped = _mm256_min_pd(*dropped, _mm256_blendv_pd(_mm256_set1_pd((double)INFINITY), next, within));
}

/* Both lanes of a pair of numbers twice: one after the other, and each by itself. */
PFI_WIDE_PART __m256d twice(const double *two) { return _mm256_broadcast_pd((const __m128d *)two); }
PFI_WIDE_PART __m256d each_twice(const double *two) { return _mm256_permute4x64_pd(twice(two), _MM_SHUFFLE(1, 1, 0, 0)); }

/* The corner of a grid, if it has all its columns: so many rows. */
PFI_WIDE_PART void take_corner(pfi_grid_rows *grid, uint32_t rows, __m256d *dropped) {
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

/* What is known so far is kept apart from the memory that pairs are put into, so that the compiler may hold it in registers. */
PFI_WIDE static void take_rows(pfi_grid_rows *of) {
    pfi_grid_rows known = *of, *grid = &known;
    __m256d dropped = _mm256_set1_pd((double)INFINITY);
    uint32_t from, to, rows;
    if (is_corner(grid)) {
        const bool both = grid->rows > 1 && grid->first.total[1] + grid->first.more[1] < grid->worth;
        take_corner(grid, both ? PFI_CORNER : 1, &dropped);
    }
    for (; (rows = next_rows(grid, &from, &to)); end_rows(grid, rows, to))
        if (grid->row < PFI_CORNER) take_row(grid, from, to, &dropped);
        else take_four_rows(grid, rows, from, to, &dropped);
    take_least(grid, dropped);
    *of = known;
}

void pfi_grid_rows_take(pfi_grid_rows *grid) {
    if (pfi_has_wide()) take_rows(grid);
    else pfi_grid_rows_plain(grid);
}
#else
void pfi_grid_rows_take(pfi_grid_rows *grid) { pfi_grid_rows_plain(grid); }
#endif
