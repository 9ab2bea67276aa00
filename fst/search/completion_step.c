/* The sums of up to four chunks of a row are kept in registers while all moves go by. */
#include "search/completion_step.h"

#include "search/completion_impl.h"
#include "search/wide.h"

#include <assert.h>

/* ---- one by one ---- */

/* The least cost after place k of a row. */
static float row_cost(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t k) {
    float least = INFINITY;
    for (uint32_t i = 0; i < moves->count; i++) {
        const float sum = after[moves->position[i] * stride + k] + moves->then[moves->of[i]];
        least = sum < least ? sum : least;
    }
    return pfi_completion_less(least);
}

static float through_cost(const pfi_through *through, float cost, uint32_t k) {
    const float now = cost + through->after[k], later = through->on + through->next[k];
    return pfi_completion_less(now < later ? now : later);
}

void pfi_row_step_plain(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t width,
    const pfi_through *through, float *to) {
    for (uint32_t k = 0; k < width; k++) {
        to[k] = row_cost(moves, after, stride, k);
        if (through) through->to[k] = through_cost(through, to[k], k);
    }
}

/* ---- groups ---- */

typedef void (*row_function)(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t width,
    const pfi_through *through, float *to);

/* How full states get to the row of a group. Where nothing goes on, any costs will do as those of the next row. */
PFI_WIDE_BODY pfi_through through_row(const pfi_arrival_tables *tables, const pf_arrival_group *group) {
    const float *after = &tables->after[group->last * tables->width];
    pfi_through through = {&after[group->position], INFINITY, tables->after, &tables->through[group->first]};
    if (group->on != PF_NO_POSITION) {
        through.on = after[group->on];
        through.next = &tables->through[group->next];
    }
    return through;
}

/* The function is constant where it is inlined. */
PFI_WIDE_BODY void fill_groups(const pfi_arrival_tables *tables, uint32_t begin, row_function fill_row) {
    const pf_moves *all = tables->moves;
    const pf_arrivals *arrivals = &all->arrivals;
    const pf_arrival_group *end = &arrivals->group[arrivals->groups];
    for (const pf_arrival_group *group = &arrivals->group[begin]; group < end; group++) {
        const uint16_t *position = &all->position[group->move];
        const uint32_t *of = &arrivals->of[group->move];
        float *to = &tables->cost[group->first];
        const pfi_arrival_moves moves = {group->moves, position, of, tables->cost};
        if (group->kind == PF_ARRIVAL_FULL) *to = pfi_completion_of_full(arrivals, tables->through, group->move, group->moves);
        else if (group->kind == PF_ARRIVAL_ONE) *to = row_cost(&moves, &tables->after[group->position * tables->width], 1, 0);
        else {
            const float *after_next = &tables->after_next[group->position];
            if (group->last == PF_NO_POSITION) fill_row(&moves, after_next, tables->stride, group->count, NULL, to);
            else {
                const pfi_through through = through_row(tables, group);
                fill_row(&moves, after_next, tables->stride, group->count, &through, to);
            }
        }
    }
}

static void fill_groups_plain(const pfi_arrival_tables *tables, uint32_t begin) { fill_groups(tables, begin, pfi_row_step_plain); }

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

enum { MOST_CHUNKS = 4 }; /* of a row at a time: registers hold their sums */

PFI_WIDE_PART __m256 through_of_eight(const pfi_through *through, __m256 cost, uint32_t k) {
    const __m256 now = _mm256_add_ps(cost, _mm256_loadu_ps(&through->after[k]));
    const __m256 later = _mm256_add_ps(_mm256_broadcast_ss(&through->on), _mm256_loadu_ps(&through->next[k]));
    return pfi_completion_less_of_eight(_mm256_min_ps(now, later));
}

/* A few chunks of a row, from place k on; how many is constant where it is inlined. */
PFI_WIDE_PART void fill_chunks(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t k, size_t chunks,
    const pfi_through *through, float *to) {
    __m256 least[MOST_CHUNKS];
#pragma GCC unroll 4
    for (size_t c = 0; c < chunks; c++) least[c] = _mm256_set1_ps(INFINITY);
    for (uint32_t i = 0; i < moves->count; i++) {
        const float *row = &after[moves->position[i] * stride + k];
        const __m256 then = _mm256_broadcast_ss(&moves->then[moves->of[i]]);
#pragma GCC unroll 4
        for (size_t c = 0; c < chunks; c++)
            least[c] = _mm256_min_ps(_mm256_add_ps(_mm256_loadu_ps(&row[c * PF_ARRIVAL_CHUNK]), then), least[c]);
    }
#pragma GCC unroll 4
    for (size_t c = 0; c < chunks; c++, k += PF_ARRIVAL_CHUNK) {
        const __m256 cost = pfi_completion_less_of_eight(least[c]);
        _mm256_storeu_ps(&to[k], cost);
        if (through) _mm256_storeu_ps(&through->to[k], through_of_eight(through, cost, k));
    }
}

PFI_WIDE_PART void row_part(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t width,
    const pfi_through *through, float *to) {
    enum { FOUR = 4 * PF_ARRIVAL_CHUNK, THREE = 3 * PF_ARRIVAL_CHUNK, TWO = 2 * PF_ARRIVAL_CHUNK };
    uint32_t k = 0;
    for (; k + FOUR <= width; k += FOUR) fill_chunks(moves, after, stride, k, 4, through, to);
    if (k + THREE <= width) fill_chunks(moves, after, stride, k, 3, through, to);
    else if (k + TWO <= width) fill_chunks(moves, after, stride, k, 2, through, to);
    else if (k < width) fill_chunks(moves, after, stride, k, 1, through, to);
}

PFI_WIDE_PART void row_step(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t width,
    const pfi_through *through, float *to) {
    if (through) row_part(moves, after, stride, width, through, to);
    else row_part(moves, after, stride, width, NULL, to);
}

PFI_WIDE static void fill_groups_wide(const pfi_arrival_tables *tables, uint32_t begin) { fill_groups(tables, begin, row_step); }

void pfi_fill_groups(const pfi_arrival_tables *tables, uint32_t begin) {
    (pfi_has_wide() ? fill_groups_wide : fill_groups_plain)(tables, begin);
}

void pfi_row_step(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t width,
    const pfi_through *through, float *to) {
    assert(width && width % PF_ARRIVAL_CHUNK == 0);
    (pfi_has_wide() ? row_step : pfi_row_step_plain)(moves, after, stride, width, through, to);
}
#else
void pfi_fill_groups(const pfi_arrival_tables *tables, uint32_t begin) { fill_groups_plain(tables, begin); }

void pfi_row_step(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t width,
    const pfi_through *through, float *to) {
    pfi_row_step_plain(moves, after, stride, width, through, to);
}
#endif
