/* The coarse model, backwards. Sums are floats, each rounded to a little less than it is, so that the result stays a bound. */
#include "search/completion.h"

#include "base/contract.h"

#include <stdlib.h>

/* More than a sum of two floats and its product with (1 - this) are rounded by. */
#define ROUNDING 2.4e-7f

static float less(float cost) { return cost - fabsf(cost) * ROUNDING; }

/* The least cost from a state to the end, when a position was visited last: `row` has the costs of all positions after it. */
static float least_from(const pf_moves *moves, const float *before, uint32_t state, const float *row) {
    float least = INFINITY;
    for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++) {
        float cost = row[moves->position[i]] + before[i];
        least = cost < least ? cost : least;
    }
    return least;
}

/* The moves of one level. `before` has the cost of each move of the next level, without what it costs after the position before it:
 * its own, and of all that comes after it. */
static void fill_level(pfi_completion *completion, const pfi_bound *bound, unsigned level, double final, const float *before) {
    const pf_moves *moves = completion->moves;
    const uint32_t first = moves->first[moves->level[level]], end = moves->first[moves->level[level + 1]];
    const bool last = level + 1 == moves->n;
    for (uint32_t i = first; i < end; i++) {
        const unsigned position = moves->position[i];
        float cost = last ? (float)(bound->end_after[position] + final)
                          : least_from(moves, before, moves->to[i], &bound->after[position * bound->stride]);
        completion->after[i] = less(cost);
    }
}

/* Adds the moves' own costs. */
static void add_own(const pf_moves *moves, double own, uint32_t first, uint32_t end, float *before) {
    for (uint32_t i = first; i < end; i++) before[i] = less(before[i] + (float)(own * moves->cost[i]));
}

static void fill(pfi_completion *completion, const pfi_bound *bound, const pfi_rows *rows, double final, float *before) {
    const pf_moves *moves = completion->moves;
    const double own = rows->parts.own;
    for (unsigned level = moves->n; level-- > 0;) {
        const uint32_t first = moves->first[moves->level[level]], end = moves->first[moves->level[level + 1]];
        fill_level(completion, bound, level, own * final, before);
        if (before == completion->after) continue;
        for (uint32_t i = first; i < end; i++) before[i] = completion->after[i];
        add_own(moves, own, first, end, before);
    }
    completion->start = (double)least_from(moves, before, 0, &bound->after[bound->length * bound->stride]);
    completion->start -= fabs(completion->start) * (double)ROUNDING;
}

pf_err pfi_completion_init(pfi_completion *completion, const pf_moves *moves, const pfi_bound *bound, const pfi_rows *rows,
    double final) {
    const size_t count = moves->first[moves->states];
    assert(bound->known && bound->length == moves->n && count);
    *completion = (pfi_completion){.moves = moves};
    completion->after = malloc(count * sizeof *completion->after);
    float *before = moves->cost ? malloc(count * sizeof *before) : completion->after; /* where no move costs anything, the same */
    if (completion->after && before) fill(completion, bound, rows, final, before);
    const bool room = completion->after && before;
    if (before != completion->after) free(before);
    return room ? PF_OK : pf_nomem();
}

void pfi_completion_free(pfi_completion *completion) {
    free(completion->after);
    *completion = (pfi_completion){0};
}
