/* The sums of up to four chunks are kept in registers while all moves go by. In a run, costs that stand one after another are
 * loaded at once, in either direction; others one by one. */
#include "search/completion_step.h"

#include "search/completion_impl.h"
#include "search/wide.h"

#include <assert.h>

/* ---- one by one ---- */

/* The least cost after place k of a row, or of a run. */
static float row_cost(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t k) {
    float least = INFINITY;
    for (uint32_t i = 0; i < moves->count; i++) {
        const float sum = after[moves->position[i] * stride + k] + moves->then[moves->of[i]];
        least = sum < least ? sum : least;
    }
    return pfi_completion_less(least);
}

static float run_cost(const pfi_arrival_moves *moves, const float *after, uint32_t k) {
    float least = INFINITY;
    for (uint32_t i = 0; i < moves->count; i++) {
        const ptrdiff_t position = moves->position[i] + (ptrdiff_t)k * moves->step[i].position;
        const ptrdiff_t place = moves->of[i] + (ptrdiff_t)k * moves->step[i].of;
        const float sum = after[position] + moves->then[place];
        least = sum < least ? sum : least;
    }
    return pfi_completion_less(least);
}

void pfi_row_step_plain(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t width, float *to) {
    for (uint32_t k = 0; k < width; k++) to[k] = row_cost(moves, after, stride, k);
}

void pfi_run_step_plain(const pfi_arrival_moves *moves, const float *after, uint32_t count, float *to) {
    for (uint32_t k = 0; k < count; k++) to[k] = run_cost(moves, after, k);
}

/* ---- groups ---- */

typedef void (*row_function)(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t width, float *to);
typedef void (*run_function)(const pfi_arrival_moves *moves, const float *after, uint32_t count, float *to);

/* The functions are constant where it is inlined. */
PFI_WIDE_BODY void fill_groups(const pfi_arrival_tables *tables, uint32_t end, row_function fill_row, run_function fill_run) {
    const pf_moves *all = tables->moves;
    const pf_arrivals *arrivals = &all->arrivals;
    for (const pf_arrival_group *group = &arrivals->group[end]; group-- > arrivals->group;) {
        const uint16_t *position = &all->position[group->move];
        const uint32_t *of = &arrivals->of[group->move];
        float *to = &tables->cost[group->first];
        if (group->step == PF_ARRIVAL_ROW) {
            const pfi_arrival_moves moves = {group->moves, position, of, tables->cost, NULL};
            fill_row(&moves, &tables->after_next[group->position], tables->stride, group->count, to);
        } else {
            const float *after = &tables->after[group->position * tables->width];
            const pfi_arrival_moves moves = {group->moves, position, of, tables->cost, &arrivals->step[group->step]};
            if (group->count > 1) fill_run(&moves, after, group->count, to);
            else *to = row_cost(&moves, after, 1, 0);
        }
    }
}

static void fill_groups_plain(const pfi_arrival_tables *tables, uint32_t end) {
    fill_groups(tables, end, pfi_row_step_plain, pfi_run_step_plain);
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

PFI_WIDE static inline __m128 less_of_four(__m128 least) {
    return _mm256_castps256_ps128(pfi_completion_less_of_eight(_mm256_castps128_ps256(least)));
}

enum { MOST_CHUNKS = 4 }; /* of a row at a time: registers hold their sums */

/* A few chunks of a row; how many is constant where it is inlined. */
PFI_WIDE_PART void fill_chunks(const pfi_arrival_moves *moves, const float *after, size_t stride, size_t chunks, float *to) {
    __m256 least[MOST_CHUNKS];
#pragma GCC unroll 4
    for (size_t k = 0; k < chunks; k++) least[k] = _mm256_set1_ps(INFINITY);
    for (uint32_t i = 0; i < moves->count; i++) {
        const float *row = &after[moves->position[i] * stride];
        const __m256 then = _mm256_broadcast_ss(&moves->then[moves->of[i]]);
#pragma GCC unroll 4
        for (size_t k = 0; k < chunks; k++)
            least[k] = _mm256_min_ps(_mm256_add_ps(_mm256_loadu_ps(&row[k * PF_ARRIVAL_CHUNK]), then), least[k]);
    }
#pragma GCC unroll 4
    for (size_t k = 0; k < chunks; k++) _mm256_storeu_ps(&to[k * PF_ARRIVAL_CHUNK], pfi_completion_less_of_eight(least[k]));
}

PFI_WIDE_PART void row_step(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t width, float *to) {
    enum { FOUR = 4 * PF_ARRIVAL_CHUNK, THREE = 3 * PF_ARRIVAL_CHUNK, TWO = 2 * PF_ARRIVAL_CHUNK };
    uint32_t k = 0;
    for (; k + FOUR <= width; k += FOUR) fill_chunks(moves, &after[k], stride, 4, &to[k]);
    if (k + THREE <= width) fill_chunks(moves, &after[k], stride, 3, &to[k]);
    else if (k + TWO <= width) fill_chunks(moves, &after[k], stride, 2, &to[k]);
    else if (k < width) fill_chunks(moves, &after[k], stride, 1, &to[k]);
}

/* Eight costs from here on, `step` places from one to the next. */
PFI_WIDE static inline __m256 eight(const float *at, ptrdiff_t step) {
    if (step == 1) return _mm256_loadu_ps(at);
    if (step == 0) return _mm256_broadcast_ss(at);
    if (step == -1) return _mm256_permutevar8x32_ps(_mm256_loadu_ps(at - 7), _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
    const float *fifth = at + 4 * step;
    return _mm256_setr_ps(at[0], at[step], at[2 * step], at[3 * step], fifth[0], fifth[step], fifth[2 * step], fifth[3 * step]);
}

PFI_WIDE static inline __m128 four(const float *at, ptrdiff_t step) {
    if (step == 1) return _mm_loadu_ps(at);
    if (step == 0) return _mm_broadcast_ss(at);
    return _mm_setr_ps(at[0], at[step], at[2 * step], at[3 * step]);
}

/* The costs from place k of a run on. */
PFI_WIDE_PART void run_of_eight(const pfi_arrival_moves *moves, const float *after, uint32_t k, float *to) {
    __m256 least = _mm256_set1_ps(INFINITY);
    for (uint32_t i = 0; i < moves->count; i++) {
        const ptrdiff_t position = moves->step[i].position, place = moves->step[i].of;
        const __m256 cost = eight(&after[moves->position[i] + k * position], position);
        least = _mm256_min_ps(_mm256_add_ps(cost, eight(&moves->then[moves->of[i] + k * place], place)), least);
    }
    _mm256_storeu_ps(&to[k], pfi_completion_less_of_eight(least));
}

PFI_WIDE_PART void run_of_four(const pfi_arrival_moves *moves, const float *after, uint32_t k, float *to) {
    __m128 least = _mm_set1_ps(INFINITY);
    for (uint32_t i = 0; i < moves->count; i++) {
        const ptrdiff_t position = moves->step[i].position, place = moves->step[i].of;
        const __m128 cost = four(&after[moves->position[i] + k * position], position);
        least = _mm_min_ps(_mm_add_ps(cost, four(&moves->then[moves->of[i] + k * place], place)), least);
    }
    _mm_storeu_ps(&to[k], less_of_four(least));
}

/* A run of two or three: one by one, side by side. */
PFI_WIDE_PART void run_of_few(const pfi_arrival_moves *moves, const float *after, uint32_t count, float *to) {
    const ptrdiff_t last = (ptrdiff_t)count - 1;
    __m128 first_least = _mm_set_ss(INFINITY), second_least = first_least, last_least = first_least;
    for (uint32_t i = 0; i < moves->count; i++) {
        const ptrdiff_t position = moves->step[i].position, place = moves->step[i].of;
        const float *cost = &after[moves->position[i]], *then = &moves->then[moves->of[i]];
        first_least = _mm_min_ss(_mm_add_ss(_mm_load_ss(cost), _mm_load_ss(then)), first_least);
        second_least = _mm_min_ss(_mm_add_ss(_mm_load_ss(cost + position), _mm_load_ss(then + place)), second_least);
        last_least = _mm_min_ss(_mm_add_ss(_mm_load_ss(cost + last * position), _mm_load_ss(then + last * place)), last_least);
    }
    const __m128 least = less_of_four(_mm_movelh_ps(_mm_unpacklo_ps(first_least, second_least), last_least));
    _mm_storel_pi((__m64 *)to, least);
    _mm_store_ss(&to[last], _mm_movehl_ps(least, least));
}

/* The last places of a run are filled twice where it is no multiple of the vector. */
PFI_WIDE static void run_step(const pfi_arrival_moves *moves, const float *after, uint32_t count, float *to) {
    enum { EIGHT = 8, FOUR = 4 };
    assert(count > 1);
    if (count < FOUR) {
        run_of_few(moves, after, count, to);
        return;
    }
    if (count < EIGHT) {
        run_of_four(moves, after, 0, to);
        if (count > FOUR) run_of_four(moves, after, count - FOUR, to);
        return;
    }
    for (uint32_t k = 0; k + EIGHT <= count; k += EIGHT) run_of_eight(moves, after, k, to);
    if (count % EIGHT) run_of_eight(moves, after, count - EIGHT, to);
}

PFI_WIDE static void fill_groups_wide(const pfi_arrival_tables *tables, uint32_t end) {
    fill_groups(tables, end, row_step, run_step);
}

void pfi_fill_groups(const pfi_arrival_tables *tables, uint32_t end) {
    (pfi_has_wide() ? fill_groups_wide : fill_groups_plain)(tables, end);
}

void pfi_row_step(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t width, float *to) {
    assert(width && width % PF_ARRIVAL_CHUNK == 0);
    (pfi_has_wide() ? row_step : pfi_row_step_plain)(moves, after, stride, width, to);
}

void pfi_run_step(const pfi_arrival_moves *moves, const float *after, uint32_t count, float *to) {
    (pfi_has_wide() ? run_step : pfi_run_step_plain)(moves, after, count, to);
}
#else
void pfi_fill_groups(const pfi_arrival_tables *tables, uint32_t end) { fill_groups_plain(tables, end); }

void pfi_row_step(const pfi_arrival_moves *moves, const float *after, size_t stride, uint32_t width, float *to) {
    pfi_row_step_plain(moves, after, stride, width, to);
}

void pfi_run_step(const pfi_arrival_moves *moves, const float *after, uint32_t count, float *to) {
    pfi_run_step_plain(moves, after, count, to);
}
#endif
