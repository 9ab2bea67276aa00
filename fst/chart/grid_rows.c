/* Most rows that are looked at have one or two columns, so what a row takes by itself matters as much as what a pair takes: four
 * pairs of one row are taken together, or four rows of one column, or the corner. */
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
    grid->pair[grid->n++] = (pfi_grid_pair){rank, bound, grid->grid, row, column, grid->looked++};
}

/* Is the next row to be looked at? Then there is room for its pairs. */
PFI_WIDE_BODY bool next_row(const pfi_grid_rows *grid, uint32_t *from, uint32_t *to) {
    const uint32_t i = grid->row;
    if (i == grid->rows || grid->n >= grid->most || grid->first.total[i] + grid->first.more[i] >= grid->worth) return false;
    pfi_grid_columns(grid, i, from, to);
    return grid->n + (*to - *from) <= grid->room;
}

PFI_WIDE_BODY void end_row(pfi_grid_rows *grid, uint32_t end, uint32_t to) {
    if (end < to || (!grid->corner && to < grid->second.n)) drop_from(grid, grid->row, end);
    grid->columns += to;
    grid->row++;
}

void pfi_grid_rows_plain(pfi_grid_rows *grid) {
    uint32_t k, to;
    for (; next_row(grid, &k, &to); end_row(grid, k, to)) {
        const uint32_t i = grid->row;
        const float *after = grid->after + grid->first.last[i] * grid->kinds, *rest = grid->rest + grid->first.row[i] * grid->kinds;
        const double total = grid->first.total[i], more = grid->first.more[i];
        for (; k < to; k++) {
            const double least = larger(total, grid->second.least[k]);
            if (least > grid->limit || least + more >= grid->worth) break;
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

#define AVX2 __attribute__((target("avx2")))

enum { TOGETHER = 4 };

_Static_assert(PFI_CORNER * PFI_CORNER == TOGETHER, "a corner is four pairs");

typedef struct {
    __m256d total, more, inner;
    __m128i after, rest; /* where those of the first items begin */
} four_firsts;

typedef struct {
    __m256d least, inner;
    __m128i row, last;
} four_seconds;

/* What is asked of the four pairs. */
typedef struct {
    __m256d rank, bound, worth, least; /* worth: all bits of those that are worth a look */
    unsigned kept;                     /* a bit for each that is */
} four_pairs;

AVX2 static inline __m128 gather(const float *from, __m128i one, __m128i other, __m256d which) {
    const __m256i words = _mm256_permutevar8x32_epi32(_mm256_castpd_si256(which), _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    return _mm_mask_i32gather_ps(_mm_setzero_ps(), from, _mm_add_epi32(one, other), _mm_castsi128_ps(_mm256_castsi256_si128(words)),
                                 sizeof *from);
}

/* `which` are pairs at all. What is dropped of them is left to *dropped. */
AVX2 static inline four_pairs ask(const pfi_grid_rows *grid, const four_firsts *x, const four_seconds *y, __m256d which,
                                  __m256d *dropped) {
    const __m256d limit = _mm256_set1_pd(grid->limit), worth = _mm256_set1_pd(grid->worth);
    four_pairs pairs;
    pairs.least = _mm256_max_pd(x->total, y->least);
    pairs.worth = _mm256_and_pd(_mm256_cmp_pd(pairs.least, limit, _CMP_LE_OQ),
                                _mm256_cmp_pd(_mm256_add_pd(pairs.least, x->more), worth, _CMP_LT_OQ));
    pairs.worth = _mm256_and_pd(pairs.worth, which);
    pairs.kept = 0;
    if (_mm256_testz_pd(pairs.worth, pairs.worth)) return pairs;
    pairs.bound = _mm256_add_pd(_mm256_add_pd(x->inner, y->inner), _mm256_set1_pd(grid->cost));
    pairs.bound = _mm256_add_pd(pairs.bound, _mm256_cvtps_pd(gather(grid->after, x->after, y->row, pairs.worth)));
    pairs.bound = _mm256_add_pd(pairs.bound, _mm256_cvtps_pd(gather(grid->rest, x->rest, y->last, pairs.worth)));
    pairs.rank = _mm256_add_pd(pairs.bound, x->more);
    const __m256d within = _mm256_and_pd(pairs.worth, _mm256_cmp_pd(pairs.bound, limit, _CMP_LE_OQ));
    const __m256d near = _mm256_cmp_pd(pairs.rank, worth, _CMP_LT_OQ);
    pairs.kept = (unsigned)_mm256_movemask_pd(_mm256_and_pd(within, near));
    const __m256d none = _mm256_set1_pd((double)INFINITY);
    *dropped = _mm256_min_pd(*dropped, _mm256_blendv_pd(none, pairs.bound, _mm256_andnot_pd(near, within)));
    return pairs;
}

/* Pair t is of row i + t / columns and column k + t % columns. */
AVX2 static inline void put(pfi_grid_rows *grid, const four_pairs *pairs, uint32_t i, uint32_t k, unsigned columns) {
    double bound[TOGETHER], rank[TOGETHER];
    if (!pairs->kept) return;
    _mm256_storeu_pd(bound, pairs->bound);
    _mm256_storeu_pd(rank, pairs->rank);
    for (unsigned kept = pairs->kept; kept; kept &= kept - 1) {
        const unsigned t = (unsigned)__builtin_ctz(kept);
        put_pair(grid, i + t / columns, k + t % columns, bound[t], rank[t]);
    }
}

AVX2 static inline void take_least(pfi_grid_rows *grid, __m256d least) {
    const __m128d two = _mm_min_pd(_mm256_castpd256_pd128(least), _mm256_extractf128_pd(least, 1));
    const double one = _mm_cvtsd_f64(_mm_min_sd(two, _mm_unpackhi_pd(two, two)));
    if (one < grid->dropped) grid->dropped = one;
}

/* The columns of one row. Returns where they are not worth a look any more. */
AVX2 static inline uint32_t take_row(pfi_grid_rows *grid, uint32_t k, uint32_t to, __m256d *dropped) {
    const uint32_t i = grid->row;
    const four_firsts x = {
        _mm256_set1_pd(grid->first.total[i]), _mm256_set1_pd(grid->first.more[i]), _mm256_set1_pd(grid->first.inner[i]),
        _mm_set1_epi32((int)(grid->first.last[i] * grid->kinds)), _mm_set1_epi32((int)(grid->first.row[i] * grid->kinds))};
    for (; k < to; k += TOGETHER) {
        const four_seconds y = {_mm256_loadu_pd(grid->second.least + k), _mm256_loadu_pd(grid->second.inner + k),
                                _mm_loadu_si128((const __m128i *)(grid->second.row + k)),
                                _mm_loadu_si128((const __m128i *)(grid->second.last + k))};
        const __m128i there = _mm_cmpgt_epi32(_mm_set1_epi32((int)(to - k)), _mm_setr_epi32(0, 1, 2, 3));
        const four_pairs pairs = ask(grid, &x, &y, _mm256_castsi256_pd(_mm256_cvtepi32_epi64(there)), dropped);
        const unsigned worth = (unsigned)_mm256_movemask_pd(pairs.worth);
        put(grid, &pairs, i, k, TOGETHER);
        if (worth + 1 != 1u << TOGETHER) return k + (uint32_t)__builtin_popcount(worth); /* the least costs grow */
    }
    return to;
}

/* Four rows of one column each. */
AVX2 static inline void take_four_rows(pfi_grid_rows *grid, __m256d *dropped) {
    const uint32_t i = grid->row;
    const __m128i kinds = _mm_set1_epi32((int)grid->kinds);
    const __m256d none = _mm256_set1_pd((double)INFINITY);
    const four_firsts x = {
        _mm256_loadu_pd(grid->first.total + i), _mm256_loadu_pd(grid->first.more + i), _mm256_loadu_pd(grid->first.inner + i),
        _mm_mullo_epi32(_mm_loadu_si128((const __m128i *)(grid->first.last + i)), kinds),
        _mm_mullo_epi32(_mm_loadu_si128((const __m128i *)(grid->first.row + i)), kinds)};
    const four_seconds y = {_mm256_set1_pd(grid->second.least[0]), _mm256_set1_pd(grid->second.inner[0]),
                            _mm_set1_epi32((int)grid->second.row[0]), _mm_set1_epi32((int)grid->second.last[0])};
    const four_pairs pairs = ask(grid, &x, &y, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)), dropped);
    const __m256d next = grid->second.n > 1 ? _mm256_max_pd(x.total, _mm256_set1_pd(grid->second.least[1])) : none;
    const __m256d end = _mm256_blendv_pd(pairs.least, next, pairs.worth); /* nothing after what was looked at costs less */
    const __m256d within = _mm256_cmp_pd(end, _mm256_set1_pd(grid->limit), _CMP_LE_OQ);
    *dropped = _mm256_min_pd(*dropped, _mm256_blendv_pd(none, end, within));
    put(grid, &pairs, i, 0, 1);
    grid->columns += TOGETHER;
    grid->row += TOGETHER;
}

/* Both lanes of a pair of numbers twice: one after the other, and each by itself. */
AVX2 static inline __m256d twice(const double *two) { return _mm256_broadcast_pd((const __m128d *)two); }
AVX2 static inline __m256d each_twice(const double *two) { return _mm256_permute4x64_pd(twice(two), _MM_SHUFFLE(1, 1, 0, 0)); }
AVX2 static inline __m128i two_kinds(const uint32_t *two) { return _mm_loadl_epi64((const __m128i *)two); }

/* The corner of a grid, if it has all its columns: so many rows. */
AVX2 static inline void take_corner(pfi_grid_rows *grid, uint32_t rows, __m256d *dropped) {
    const __m128i kinds = _mm_set1_epi32((int)grid->kinds);
    const __m256d none = _mm256_set1_pd((double)INFINITY);
    const four_firsts x = {each_twice(grid->first.total), each_twice(grid->first.more), each_twice(grid->first.inner),
                           _mm_mullo_epi32(_mm_unpacklo_epi32(two_kinds(grid->first.last), two_kinds(grid->first.last)), kinds),
                           _mm_mullo_epi32(_mm_unpacklo_epi32(two_kinds(grid->first.row), two_kinds(grid->first.row)), kinds)};
    const four_seconds y = {twice(grid->second.least), twice(grid->second.inner),
                            _mm_unpacklo_epi64(two_kinds(grid->second.row), two_kinds(grid->second.row)),
                            _mm_unpacklo_epi64(two_kinds(grid->second.last), two_kinds(grid->second.last))};
    const __m256d there = _mm256_castsi256_pd(_mm256_setr_epi64x(-1, -1, -(int64_t)(rows > 1), -(int64_t)(rows > 1)));
    const four_pairs pairs = ask(grid, &x, &y, there, dropped);
    const __m256d beyond = _mm256_andnot_pd(pairs.worth, _mm256_and_pd(there, _mm256_cmp_pd(pairs.least,
        _mm256_set1_pd(grid->limit), _CMP_LE_OQ)));
    *dropped = _mm256_min_pd(*dropped, _mm256_blendv_pd(none, pairs.least, beyond));
    put(grid, &pairs, 0, 0, PFI_CORNER);
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

AVX2 static void take_rows(pfi_grid_rows *grid) {
    __m256d dropped = _mm256_set1_pd((double)INFINITY);
    uint32_t from, to;
    if (is_corner(grid)) {
        const bool both = grid->rows > 1 && grid->first.total[1] + grid->first.more[1] < grid->worth;
        take_corner(grid, both ? PFI_CORNER : 1, &dropped);
    }
    while (next_row(grid, &from, &to)) {
        if (are_four_rows(grid)) take_four_rows(grid, &dropped);
        else end_row(grid, take_row(grid, from, to, &dropped), to);
    }
    take_least(grid, dropped);
}

/* Where the number of a pair of kinds fits an index. */
void pfi_grid_rows_take(pfi_grid_rows *grid) {
    if (grid->kinds * grid->kinds <= INT32_MAX && __builtin_cpu_supports("avx2")) take_rows(grid);
    else pfi_grid_rows_plain(grid);
}
#else
void pfi_grid_rows_take(pfi_grid_rows *grid) { pfi_grid_rows_plain(grid); }
#endif
