/* The coarse model of positions, backwards. Sums are floats, each rounded to a little less than it is, so that the result stays a
 * bound. */
#include "search/completion_impl.h"
#include "search/wide.h"

#include "base/contract.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* A move of a state that may be made next. */
typedef struct {
    uint32_t position;
    float cost; /* its own, and that of all that comes after it */
} completion_way;

typedef struct {
    pfi_completion *completion;
    const pfi_bound *bound;
    double own, final;   /* the scale of the moves' costs; what the end costs */
    float *after_next;   /* the table of costs by what comes next: a row of `stride` has the costs after each position */
    size_t stride;
    completion_way *way; /* of the moves of one state */
} completion_maker;

/* The moves of a state; returns how many. */
static uint32_t list_ways(const completion_maker *maker, uint32_t state) {
    const pf_moves *moves = maker->completion->moves;
    const uint32_t first = moves->first[state], ways = moves->first[state + 1] - first, *of = &moves->arrivals.of[first];
    const uint16_t *position = &moves->position[first];
    const float *cost = maker->completion->cost;
    completion_way *way = maker->way;
    for (uint32_t i = 0; i < ways; i++) way[i] = (completion_way){position[i], cost[of[i]]};
    for (uint32_t i = 0; moves->cost && i < ways; i++)
        way[i].cost = pfi_completion_less(way[i].cost + (float)(maker->own * moves->cost[first + i]));
    return ways;
}

/* The least cost from a state to the end, when the position that `costs` is of was visited last. */
static float least_way(const completion_way *way, uint32_t ways, const float *costs) {
    float least = INFINITY;
    for (uint32_t i = 0; i < ways; i++) {
        const float sum = costs[way[i].position] + way[i].cost;
        least = sum < least ? sum : least;
    }
    return pfi_completion_less(least);
}

/* The same at once for all positions that may have been visited last. */
PFI_WIDE_BODY void fill_row(const completion_maker *maker, uint32_t ways, float *to) {
    const completion_way *const first = maker->way, *const end = first + ways;
    const size_t columns = maker->completion->moves->arrivals.row, stride = maker->stride;
    for (size_t chunk = 0; chunk < columns; chunk += PFI_CHUNK) {
        const float *after = maker->after_next + chunk;
        float least[PFI_CHUNK], part[PFI_CHUNK];
        for (size_t k = 0; k < PFI_CHUNK; k++) least[k] = INFINITY;
        for (const completion_way *way = first; way < end; way++) {
            const float *row = after + way->position * stride, cost = way->cost;
            for (size_t k = 0; k < PFI_CHUNK; k++) {
                const float sum = row[k] + cost;
                least[k] = sum < least[k] ? sum : least[k];
            }
        }
        for (size_t k = 0; k < PFI_CHUNK; k++) part[k] = fabsf(least[k]);
        for (size_t k = 0; k < PFI_CHUNK; k++) part[k] = part[k] < FLT_MAX ? part[k] : FLT_MAX;
        for (size_t k = 0; k < PFI_CHUNK; k++) to[chunk + k] = least[k] - part[k] * PFI_COMPLETION_ROUNDING;
    }
}

PFI_WIDE static void fill_row_wide(const completion_maker *maker, uint32_t ways, float *to) { fill_row(maker, ways, to); }

static void fill_row_plain(const completion_maker *maker, uint32_t ways, float *to) { fill_row(maker, ways, to); }

static float end_cost(const completion_maker *maker, uint32_t position) {
    return pfi_completion_less((float)(maker->bound->end_after[position] + maker->final));
}

static void fill_last(const completion_maker *maker) {
    const pf_moves *moves = maker->completion->moves;
    const pf_arrivals *arrivals = &moves->arrivals;
    for (uint32_t i = arrivals->first[moves->states - 1]; i < arrivals->first[moves->states]; i++)
        maker->completion->cost[i] = arrivals->position[i] < moves->n ? end_cost(maker, arrivals->position[i]) : INFINITY;
}

/* The arrivals at a state, of which there are some; those at later states are known. */
static void fill_state(const completion_maker *maker, uint32_t state, bool wide) {
    const pf_moves *moves = maker->completion->moves;
    const pf_arrivals *arrivals = &moves->arrivals;
    const uint32_t end = arrivals->first[state + 1], ways = list_ways(maker, state);
    uint32_t arrival = arrivals->first[state];
    float *cost = maker->completion->cost;
    if (end - arrival == arrivals->row) (wide ? fill_row_wide : fill_row_plain)(maker, ways, &cost[arrival]);
    else
        for (; arrival < end; arrival++)
            cost[arrival] = least_way(maker->way, ways, &maker->bound->after[arrivals->position[arrival] * maker->bound->stride]);
}

/* States that have one arrival each, from `state` down to the first other one, which is returned. No move costs anything. A loop of
 * its own, so that all it needs stays in registers. */
static __attribute__((noinline)) uint32_t fill_singles(const completion_maker *maker, uint32_t state) {
    const pf_moves *moves = maker->completion->moves;
    const uint32_t *const first = moves->arrivals.first, *const first_move = moves->first;
    const uint16_t *const position = moves->arrivals.position;
    const float *const after = maker->bound->after;
    const size_t stride = maker->bound->stride;
    float *const cost = maker->completion->cost;
    for (; state && first[state + 1] - first[state] == 1; state--) {
        const uint32_t arrival = first[state], begin = first_move[state], count = first_move[state + 1] - begin;
        const uint32_t *of = &moves->arrivals.of[begin];
        const uint16_t *next = &moves->position[begin];
        const float *const costs = &after[position[arrival] * stride];
        float least = INFINITY;
        if (count & 1) least = costs[*next++] + cost[*of++];
        for (uint32_t pairs = count / 2; pairs; pairs--, next += 2, of += 2) {
            const float one = costs[next[0]] + cost[of[0]], other = costs[next[1]] + cost[of[1]];
            const float less = one < other ? one : other;
            least = less < least ? less : least;
        }
        cost[arrival] = pfi_completion_less(least);
    }
    return state;
}

/* State by state from the end: moves lead to later states. Most states have one arrival, and most spaces moves that cost nothing:
 * then the moves need no list. */
static void fill(const completion_maker *maker) {
    const pf_moves *moves = maker->completion->moves;
    const uint32_t *first = moves->arrivals.first;
    const bool wide = pfi_has_wide();
    fill_last(maker);
    for (uint32_t state = moves->states - 2; state;) {
        const uint32_t arrivals = first[state + 1] - first[state];
        if (arrivals == 1 && !moves->cost) {
            state = fill_singles(maker, state);
            continue;
        }
        if (arrivals) fill_state(maker, state, wide);
        state--;
    }
    maker->completion->start =
        (double)least_way(maker->way, list_ways(maker, 0), &maker->bound->after[moves->n * maker->bound->stride]);
}

pf_err pfi_completion_turn(const pfi_bound *bound, size_t lasts, size_t *stride, float **turned) {
    *stride = (lasts + 2 * PFI_CHUNK - 2) / PFI_CHUNK * PFI_CHUNK;
    *turned = calloc(bound->length * *stride, sizeof **turned);
    if (!*turned) return pf_nomem();
    for (size_t last = 0; last < lasts; last++)
        for (size_t next = 0; next < bound->length; next++)
            (*turned)[next * *stride + last] = bound->after[last * bound->stride + next];
    return PF_OK;
}

static pf_err make(completion_maker *maker) {
    pfi_completion *completion = maker->completion;
    const pf_moves *moves = completion->moves;
    completion->cost = malloc(moves->arrivals.first[moves->states] * sizeof *completion->cost);
    maker->way = malloc(moves->n * sizeof *maker->way);
    if (!completion->cost || !maker->way) return pf_nomem();
    PF_TRY(pfi_completion_turn(maker->bound, maker->bound->length, &maker->stride, &maker->after_next));
    fill(maker);
    return PF_OK;
}

pf_err pfi_completion_of_positions(pfi_completion *completion, const pfi_bound *bound, double own, double final) {
    completion_maker maker = {.completion = completion, .bound = bound, .own = own, .final = final};
    pf_err err = make(&maker);
    free(maker.after_next);
    free(maker.way);
    return err;
}

pf_err pfi_completion_init(pfi_completion *completion, const pf_moves *moves, const pfi_bound *bound, pfi_rows *rows,
    const pf_slots_view *slots, bool one_path) {
    const double own = rows->parts.own, final = own * (double)slots->final;
    assert(bound->known && slots->n == moves->n && moves->first[moves->states]);
    assert(bound->length == (bound->units ? slots->first[slots->n] : moves->n));
    *completion = (pfi_completion){.moves = moves};
    pf_err err = bound->units ? pfi_completion_of_units(completion, bound, rows, slots, one_path)
                              : pfi_completion_of_positions(completion, bound, own, final);
    if (err) pfi_completion_free(completion);
    return err;
}

void pfi_completion_free(pfi_completion *completion) {
    free(completion->cost);
    free(completion->first);
    free(completion->after);
    *completion = (pfi_completion){0};
}
