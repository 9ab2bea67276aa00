/* Sets are filled from the one of all positions down, as whole numbers: a set with one more position is a larger number. In
 * vectors, sixteen sets are filled at a time, a block: those that differ in the four lowest positions. The same sets with another
 * position are a block, too, which is filled before. */
#include "search/subset_step.h"

#include "search/completion_impl.h"
#include "search/wide.h"

#include <permfst/machine/moves.h>

#include <assert.h>

/* ---- one by one ---- */

static float least_after(const pfi_subset_tables *tables, unsigned last, size_t set) {
    const size_t all = ((size_t)1 << tables->n) - 1;
    const float *after = &tables->after[last * tables->width];
    float least = set == all ? tables->end[last] : INFINITY;
    for (unsigned next = 0; next < tables->n; next++) {
        const size_t with = set | (size_t)1 << next;
        if (with == set) continue;
        const float sum = after[next] + tables->cost[next * tables->subsets + with];
        least = sum < least ? sum : least;
    }
    return pfi_completion_less(least);
}

void pfi_fill_subsets_plain(const pfi_subset_tables *tables) {
    for (size_t set = ((size_t)1 << tables->n) - 1; set > 0; set--)
        for (unsigned last = 0; last < tables->n; last++)
            if (set >> last & 1) tables->cost[last * tables->subsets + set] = least_after(tables, last, set);
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* The sets of a block differ in the low positions. The last of these tells its halves apart, of a vector each. */
enum { LOW = 4, HALF = 8, BLOCK = 2 * HALF, OUTER = LOW - 1, MOST = PF_SUBSETS_TO, AT_ONCE = 4 };

/* A block has eight sets with a low position. They are packed into a vector, in the order that a shuffle of the halves gives: the
 * bits of a place in it are positions 1, 3, 2 for those with position 0; then 0, 3, 2; then 0, 1, 3; then 0, 1, 2. The table says
 * of the sets with one low position, in their order, at which place the same set with another one is among those with that one;
 * -1: the set has it already. */
static const int32_t place_with[LOW][LOW][HALF] = {
    {{0}, {1, -1, 3, -1, 5, -1, 7, -1}, {1, 3, 5, 7, -1, -1, -1, -1}, {1, 3, -1, -1, 5, 7, -1, -1}},
    {{1, -1, 3, -1, 5, -1, 7, -1}, {0}, {2, 3, 6, 7, -1, -1, -1, -1}, {2, 3, -1, -1, 6, 7, -1, -1}},
    {{4, -1, 5, -1, 6, -1, 7, -1}, {4, 5, -1, -1, 6, 7, -1, -1}, {0}, {4, 5, 6, 7, -1, -1, -1, -1}},
    {{2, -1, 3, -1, 6, -1, 7, -1}, {2, 3, -1, -1, 6, 7, -1, -1}, {4, 5, 6, 7, -1, -1, -1, -1}, {0}},
};

/* A position that may come next after all sets of a block. */
typedef struct {
    const float *then;          /* after the sets with it: what comes then */
    const float (*after)[HALF]; /* what it costs after each position */
} next_position;

typedef struct {
    _Alignas(32) float after[MOST + 1][MOST][HALF]; /* what each position, and the end, costs after each: all eight the same */
    _Alignas(32) float low[LOW][LOW][HALF];         /* what low positions cost after others, in sets without them; else INFINITY */
    _Alignas(32) float end[BLOCK];                  /* what comes after the end: nothing, after all positions */
    const pfi_subset_tables *tables;
} subset_filler;

typedef struct {
    float *cost;                  /* after position 0, from the first set of the block on */
    size_t lasts, nexts;
    size_t last[MOST];            /* the positions that all of its sets have */
    next_position next[MOST + 1]; /* those that none has */
} subset_block;

/* Something of each set of a block; the higher half has the last of the low positions. */
typedef struct {
    __m256 low, high;
} two_halves;

PFI_WIDE_PART __m256i load_places(size_t low, size_t next) {
    return _mm256_loadu_si256((const __m256i *)(const void *)place_with[low][next]);
}

PFI_WIDE_PART __m256 take_sum(__m256 least, __m256 after, __m256 then) { return _mm256_min_ps(_mm256_add_ps(after, then), least); }

/* The costs of the sets with a low position. */
PFI_WIDE_PART __m256 pack(size_t low, two_halves from) {
    if (low == 0) return _mm256_shuffle_ps(from.low, from.high, _MM_SHUFFLE(3, 1, 3, 1));
    if (low == 1) return _mm256_shuffle_ps(from.low, from.high, _MM_SHUFFLE(3, 2, 3, 2));
    if (low == 2) return _mm256_permute2f128_ps(from.low, from.high, 0x31);
    return from.high;
}

/* Sets without a low position get the costs of the same sets with it; those with it get `rest`, which has the same order. */
PFI_WIDE_PART two_halves unpack(size_t low, __m256 packed, __m256 rest) {
    const __m256d pairs = _mm256_castps_pd(packed), rests = _mm256_castps_pd(rest);
    if (low == 0) return (two_halves){_mm256_unpacklo_ps(packed, rest), _mm256_unpackhi_ps(packed, rest)};
    const __m256d first = _mm256_unpacklo_pd(pairs, rests), last = _mm256_unpackhi_pd(pairs, rests);
    if (low == 1) return (two_halves){_mm256_castpd_ps(first), _mm256_castpd_ps(last)};
    if (low == 2) return (two_halves){_mm256_permute2f128_ps(packed, rest, 0x20), _mm256_permute2f128_ps(packed, rest, 0x31)};
    return (two_halves){packed, rest};
}

/* The least sums after low positions, over the positions that no set of the block has. */
PFI_WIDE_PART void sum_low(const subset_block *block, __m256 least[LOW]) {
#pragma GCC unroll 4
    for (size_t low = 0; low < LOW; low++) least[low] = _mm256_set1_ps(INFINITY);
    for (const next_position *next = block->next; next < block->next + block->nexts; next++) {
        const two_halves then = {_mm256_loadu_ps(next->then), _mm256_loadu_ps(next->then + HALF)};
#pragma GCC unroll 4
        for (size_t low = 0; low < LOW; low++)
            least[low] = take_sum(least[low], _mm256_load_ps(next->after[low]), pack(low, then));
    }
}

/* Low positions come next, too. The costs of the set that has all four are known first; each round adds those with one less. */
PFI_WIDE_PART void add_low(const subset_filler *filler, const __m256 least[LOW], __m256 cost[LOW]) {
#pragma GCC unroll 4
    for (size_t low = 0; low < LOW; low++) cost[low] = pfi_completion_less_of_eight(least[low]);
#pragma GCC unroll 3
    for (unsigned round = 0; round < LOW - 1; round++) {
        __m256 sum[LOW];
#pragma GCC unroll 4
        for (size_t low = 0; low < LOW; low++) {
            sum[low] = least[low];
#pragma GCC unroll 3
            for (size_t further = 1; further < LOW; further++) {
                const size_t next = (low + further) % LOW;
                const __m256 then = _mm256_permutevar8x32_ps(cost[next], load_places(low, next));
                sum[low] = take_sum(sum[low], _mm256_load_ps(filler->low[low][next]), then);
            }
        }
#pragma GCC unroll 4
        for (size_t low = 0; low < LOW; low++) cost[low] = pfi_completion_less_of_eight(sum[low]);
    }
}

/* Fills the costs after low positions, and says what they are. */
PFI_WIDE_PART void fill_low(const subset_filler *filler, const subset_block *block, __m256 cost[LOW]) {
    __m256 least[LOW];
    sum_low(block, least);
    add_low(filler, least, cost);
#pragma GCC unroll 4
    for (size_t low = 0; low < LOW; low++) {
        const two_halves both = unpack(low, cost[low], cost[low]);
        float *to = &block->cost[low * filler->tables->subsets];
        if (low < OUTER) _mm256_storeu_ps(to, both.low);
        _mm256_storeu_ps(to + HALF, both.high);
    }
}

/* Fills the costs after a few positions that all sets have; how many is constant where it is inlined. */
PFI_WIDE_PART void fill_some(const subset_filler *filler, const subset_block *block, const size_t *last, size_t count,
    const __m256 after_low[LOW]) {
    const __m256 none = _mm256_set1_ps(INFINITY);
    two_halves least[AT_ONCE];
#pragma GCC unroll 4
    for (size_t k = 0; k < count; k++) least[k] = (two_halves){none, none};
    for (const next_position *next = block->next; next < block->next + block->nexts; next++) {
        const two_halves then = {_mm256_loadu_ps(next->then), _mm256_loadu_ps(next->then + HALF)};
#pragma GCC unroll 4
        for (size_t k = 0; k < count; k++) {
            const __m256 after = _mm256_load_ps(next->after[last[k]]);
            least[k].low = take_sum(least[k].low, after, then.low);
            least[k].high = take_sum(least[k].high, after, then.high);
        }
    }
#pragma GCC unroll 4
    for (size_t low = 0; low < LOW; low++)
#pragma GCC unroll 4
        for (size_t k = 0; k < count; k++) {
            const __m256 packed = _mm256_add_ps(_mm256_load_ps(filler->after[low][last[k]]), after_low[low]);
            const two_halves sum = unpack(low, packed, none);
            least[k].low = _mm256_min_ps(sum.low, least[k].low);
            if (low < OUTER) least[k].high = _mm256_min_ps(sum.high, least[k].high);
        }
#pragma GCC unroll 4
    for (size_t k = 0; k < count; k++) {
        float *to = &block->cost[last[k] * filler->tables->subsets];
        _mm256_storeu_ps(to, pfi_completion_less_of_eight(least[k].low));
        _mm256_storeu_ps(to + HALF, pfi_completion_less_of_eight(least[k].high));
    }
}

/* Which positions all sets of a block have, and which none. The end comes after the block that has all. */
PFI_WIDE_PART void begin_block(const subset_filler *filler, size_t first, subset_block *block) {
    const pfi_subset_tables *tables = filler->tables;
    const size_t lacks = ((size_t)1 << tables->n) - BLOCK - first;
    block->cost = &tables->cost[first];
    block->lasts = block->nexts = 0;
    for (size_t rest = first; rest; rest &= rest - 1) block->last[block->lasts++] = (size_t)__builtin_ctzll(rest);
    for (size_t rest = lacks; rest; rest &= rest - 1) {
        const size_t next = (size_t)__builtin_ctzll(rest);
        const float *then = &block->cost[next * tables->subsets + ((size_t)1 << next)];
        block->next[block->nexts++] = (next_position){then, filler->after[next]};
    }
    if (!lacks) block->next[block->nexts++] = (next_position){filler->end, filler->after[tables->n]};
}

PFI_WIDE_PART void fill_block(const subset_filler *filler, size_t first) {
    subset_block block;
    begin_block(filler, first, &block);
    __m256 after_low[LOW];
    fill_low(filler, &block, after_low);
    const size_t *last = block.last, *const end = last + block.lasts;
    for (; last + AT_ONCE <= end; last += AT_ONCE) fill_some(filler, &block, last, AT_ONCE, after_low);
    if (end - last == 3) fill_some(filler, &block, last, 3, after_low);
    else if (end - last == 2) fill_some(filler, &block, last, 2, after_low);
    else if (end - last == 1) fill_some(filler, &block, last, 1, after_low);
}

/* What comes after the end is -0, since the sum with it is the cost of the end to the bit. */
PFI_WIDE_PART void begin_filler(const pfi_subset_tables *tables, subset_filler *filler) {
    filler->tables = tables;
    for (size_t last = 0; last < tables->n; last++) {
        for (size_t next = 0; next < tables->n; next++)
            _mm256_store_ps(filler->after[next][last], _mm256_broadcast_ss(&tables->after[last * tables->width + next]));
        _mm256_store_ps(filler->after[tables->n][last], _mm256_broadcast_ss(&tables->end[last]));
    }
    for (size_t last = 0; last < LOW; last++)
        for (size_t next = 0; next < LOW; next++) {
            const __m256 has = _mm256_castsi256_ps(load_places(last, next)), after = _mm256_load_ps(filler->after[next][last]);
            _mm256_store_ps(filler->low[last][next], _mm256_blendv_ps(after, _mm256_set1_ps(INFINITY), has));
        }
    for (size_t set = 0; set < BLOCK; set++) filler->end[set] = set == BLOCK - 1 ? -0.f : INFINITY;
}

PFI_WIDE static void fill_wide(const pfi_subset_tables *tables) {
    subset_filler filler;
    begin_filler(tables, &filler);
    for (size_t first = (size_t)1 << tables->n; first > 0;) {
        first -= BLOCK;
        fill_block(&filler, first);
    }
}

void pfi_fill_subsets(const pfi_subset_tables *tables) {
    assert(tables->n >= LOW && tables->n <= MOST && tables->subsets >= (size_t)1 << tables->n);
    (pfi_has_wide() ? fill_wide : pfi_fill_subsets_plain)(tables);
}
#else
void pfi_fill_subsets(const pfi_subset_tables *tables) { pfi_fill_subsets_plain(tables); }
#endif
