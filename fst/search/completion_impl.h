/* What completion.c and the files of unit completions share. Private to the searches. */
#ifndef PF_SEARCH_COMPLETION_IMPL_H
#define PF_SEARCH_COMPLETION_IMPL_H

#include "search/completion.h"
#include "search/wide.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More than a sum of two floats and its product with (1 - this) are rounded by. */
#define PFI_COMPLETION_ROUNDING 2.4e-7f

/* A sum, made so much less that it stays a bound. */
static inline float pfi_completion_less(float cost) {
    return cost < INFINITY ? cost - fabsf(cost) * PFI_COMPLETION_ROUNDING : cost;
}

/* What a move costs, if moves cost something; `own`: the scale of that. */
static inline float pfi_cost_of_move(const pf_moves *moves, double own, uint32_t move) {
    return moves->cost ? (float)(own * moves->cost[move]) : 0;
}

/* So many floats, to be filled, and a chunk of 0 beyond them. Freed by the caller; NULL: there is no memory. */
static inline float *pfi_floats_and_chunk(size_t count) {
    float *made = malloc((count + PFI_CHUNK) * sizeof *made);
    if (made) memset(&made[count], 0, PFI_CHUNK * sizeof *made);
    return made;
}

/* Makes a chunk of costs less by a part of their sizes. What is INFINITY stays. */
PFI_WIDE_BODY void pfi_completion_less_by(float *cost, float part) {
    float size[PFI_CHUNK];
    for (size_t k = 0; k < PFI_CHUNK; k++) size[k] = fabsf(cost[k]);
    for (size_t k = 0; k < PFI_CHUNK; k++) size[k] = size[k] < FLT_MAX ? size[k] : FLT_MAX;
    for (size_t k = 0; k < PFI_CHUNK; k++) cost[k] -= size[k] * part;
}

/* Makes a chunk of costs less where another one together with `cost` is. */
PFI_WIDE_BODY void pfi_take_less(float least[PFI_CHUNK], const float *row, float cost) {
    for (size_t k = 0; k < PFI_CHUNK; k++) {
        const float sum = row[k] + cost;
        least[k] = sum < least[k] ? sum : least[k];
    }
}

/* The least of a chunk: by halves, so that few operations wait for one another. */
PFI_WIDE_BODY float pfi_least_of_chunk(const float cost[PFI_CHUNK]) {
    float four[4], two[2];
    for (size_t k = 0; k < 4; k++) four[k] = cost[k] < cost[k + 4] ? cost[k] : cost[k + 4];
    for (size_t k = 0; k < 2; k++) two[k] = four[k] < four[k + 2] ? four[k] : four[k + 2];
    return two[0] < two[1] ? two[0] : two[1];
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* The same, of eight. Sizes are in the same order as whole numbers, and these are compared while others are added. */
PFI_WIDE_PART __m256 pfi_completion_less_of_eight(__m256 cost) {
    const __m256i size = _mm256_castps_si256(_mm256_andnot_ps(_mm256_set1_ps(-0.f), cost));
    const __m256 finite = _mm256_castsi256_ps(_mm256_min_epi32(size, _mm256_castps_si256(_mm256_set1_ps(FLT_MAX))));
    return _mm256_sub_ps(cost, _mm256_mul_ps(finite, _mm256_set1_ps(PFI_COMPLETION_ROUNDING)));
}
#endif

/* The table of costs by what comes next: *turned has a row of *stride floats for each position, or unit, with what it costs after
 * each of the first `lasts` rows of the bound. There is room for a chunk that begins at any of them. *turned is freed by the
 * caller. PF_ENOMEM. */
pf_err pfi_completion_turn(const pfi_bound *bound, size_t lasts, size_t *stride, float **turned);

/* Fills a completion that has its moves, where the tables of the bound are of positions: of these, only `after`, `stride`, `length`
 * and `end_after` are read. `own`: the scale of what moves cost; `final`: what the end costs. PF_ENOMEM, when pfi_completion_free
 * is still to be called. */
pf_err pfi_completion_of_positions(pfi_completion *completion, const pfi_bound *bound, double own, double final);

/* Fills a completion that has its moves, where they have units (unit_completion.c); else as pfi_completion_init. PF_ENOMEM, when
 * pfi_completion_free is still to be called. */
pf_err pfi_completion_of_units(pfi_completion *completion, const pfi_bound *bound, pfi_rows *rows, const pf_slots_view *slots,
    bool one_path, const pf_best_options *options);

/* The bytes that a completion takes by itself, and those that would make it further. */
uint64_t pfi_completion_own_bytes(const pfi_completion *completion);
uint64_t pfi_unit_maker_bytes(const struct pfi_unit_maker *maker);

/* Frees what would make completions further. */
void pfi_completion_forget_maker(pfi_completion *completion);

#endif
