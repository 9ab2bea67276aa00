/* The coarse model of units, backwards: completions where the words of a position have many units, as in translation. */
#include "search/completion_impl.h"

#include "base/contract.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    pfi_completion *completion;
    const pfi_bound *bound;
    const uint32_t *place; /* of each position, its first unit among those of all positions */
    double own, final;     /* the scale of the moves' costs; what the end costs */
    float *before;         /* of each move and unit: its own cost, and that of all that comes after it */
    float *after_next;     /* the table of costs by what comes next: a row of `stride` has the costs after each unit */
    size_t stride;
    float start;           /* the least cost of a path */
} unit_maker;

static float own_cost(const unit_maker *maker, uint32_t move) {
    const pf_moves *moves = maker->completion->moves;
    return moves->cost ? (float)(maker->own * moves->cost[move]) : 0;
}

/* After each of PFI_CHUNK units from `unit` on: the least cost of a state's moves and all that comes after. */
static void least_after_chunk(const unit_maker *maker, uint32_t state, uint32_t unit, float *least) {
    const pf_moves *moves = maker->completion->moves;
    float found[PFI_CHUNK];
    for (size_t k = 0; k < PFI_CHUNK; k++) found[k] = INFINITY;
    for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++) {
        const uint32_t *next = &maker->place[moves->position[i]];
        const float *before = &maker->before[maker->completion->first[i]];
        const float *row = &maker->after_next[next[0] * maker->stride + unit];
        for (uint32_t other = next[0]; other < next[1]; other++, row += maker->stride) {
            const float cost = *before++;
            for (size_t k = 0; k < PFI_CHUNK; k++) {
                const float sum = row[k] + cost;
                found[k] = sum < found[k] ? sum : found[k];
            }
        }
    }
    memcpy(least, found, sizeof found);
}

/* After each of `count` units, of which the first one is `unit`. */
static void least_after_units(const unit_maker *maker, uint32_t state, uint32_t unit, uint32_t count, float *least) {
    float chunk[PFI_CHUNK];
    for (uint32_t at = 0; at < count; at += PFI_CHUNK) {
        const uint32_t left = count - at < PFI_CHUNK ? count - at : PFI_CHUNK;
        least_after_chunk(maker, state, unit + at, chunk);
        memcpy(&least[at], chunk, left * sizeof *least);
    }
}

static void fill_units(unit_maker *maker) {
    pfi_completion *completion = maker->completion;
    const pf_moves *moves = completion->moves;
    for (uint32_t i = moves->first[moves->states]; i-- > 0;) { /* moves lead to later states */
        const uint32_t *place = &maker->place[moves->position[i]], count = place[1] - place[0];
        float *after = &completion->after[completion->first[i]], *before = &maker->before[completion->first[i]];
        if (moves->to[i] + 1 < moves->states) least_after_units(maker, moves->to[i], place[0], count, after);
        else
            for (uint32_t k = 0; k < count; k++) after[k] = (float)(maker->bound->end_after[place[0] + k] + maker->final);
        for (uint32_t k = 0; k < count; k++) {
            after[k] = pfi_completion_less(after[k]);
            before[k] = pfi_completion_less(after[k] + own_cost(maker, i));
        }
    }
    least_after_units(maker, 0, maker->bound->length, 1, &maker->start);
}

/* Where the units of each move begin; *count: of all moves. */
static pf_err number_units(unit_maker *maker, size_t *count) {
    pfi_completion *completion = maker->completion;
    const pf_moves *moves = completion->moves;
    completion->first = malloc(moves->first[moves->states] * sizeof *completion->first);
    if (!completion->first) return pf_nomem();
    *count = 0;
    for (uint32_t i = 0; i < moves->first[moves->states]; i++) {
        completion->first[i] = (uint32_t)*count;
        *count += maker->place[moves->position[i] + 1] - maker->place[moves->position[i]];
    }
    assert(*count <= UINT32_MAX);
    return pfi_completion_turn(maker->bound, maker->bound->length + (size_t)1, &maker->stride, &maker->after_next);
}

static pf_err make(unit_maker *maker) {
    pfi_completion *completion = maker->completion;
    size_t count = 0;
    PF_TRY(number_units(maker, &count));
    completion->after = malloc(count * sizeof *completion->after);
    /* Where no move costs anything, both are the same. */
    maker->before = completion->moves->cost ? malloc(count * sizeof *maker->before) : completion->after;
    if (!completion->after || !maker->before) return pf_nomem();
    fill_units(maker);
    completion->start = (double)pfi_completion_less(maker->start);
    return PF_OK;
}

pf_err pfi_completion_of_units(pfi_completion *completion, const pfi_bound *bound, const pf_slots_view *slots, double own) {
    unit_maker maker = {.completion = completion, .bound = bound, .place = slots->first, .own = own,
                        .final = own * (double)slots->final};
    assert(completion->moves && bound->units);
    pf_err err = make(&maker);
    if (maker.before != completion->after) free(maker.before);
    free(maker.after_next);
    return err;
}
