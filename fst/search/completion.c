/* The coarse model, backwards. Sums are floats, each rounded to a little less than it is, so that the result stays a bound. */
#include "search/completion.h"

#include "base/contract.h"

#include <stdlib.h>
#include <string.h>

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

typedef struct {
    pfi_completion *completion;
    const pfi_bound *bound;
    double own, final;   /* the scale of the moves' costs; what the end costs */
    float *before;       /* of each move: its own cost, and that of all that comes after it */
    float *after_next;   /* the table of costs by the position that comes next: a row has the costs after each position */
    float *from;         /* of each state of a level, and of each position visited last: the least cost to the end */
} completion_maker;

/* The same as least_from, at once for all positions that may have been visited last. */
static void fill_state(const completion_maker *maker, uint32_t state, float *from) {
    const pf_moves *moves = maker->completion->moves;
    const size_t stride = maker->bound->stride;
    for (size_t chunk = 0; chunk < stride; chunk += PFI_CHUNK) {
        float least[PFI_CHUNK];
        for (size_t k = 0; k < PFI_CHUNK; k++) least[k] = INFINITY;
        for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++) {
            const float *row = &maker->after_next[moves->position[i] * stride + chunk], before = maker->before[i];
            for (size_t k = 0; k < PFI_CHUNK; k++) {
                float cost = row[k] + before;
                least[k] = cost < least[k] ? cost : least[k];
            }
        }
        memcpy(&from[chunk], least, sizeof least);
    }
}

/* Where a state is reached by many moves, as in free word order, the costs after all positions are found together. */
static bool is_dense(const pf_moves *moves) { return (uint64_t)moves->first[moves->states] * 3 > (uint64_t)moves->states * moves->n; }

static void fill_level_densely(const completion_maker *maker, unsigned level) {
    const pf_moves *moves = maker->completion->moves;
    const size_t stride = maker->bound->stride;
    const uint32_t next = moves->level[level + 1];
    for (uint32_t state = next; state < moves->level[level + 2]; state++) fill_state(maker, state, &maker->from[(state - next) * stride]);
    for (uint32_t i = moves->first[moves->level[level]]; i < moves->first[next]; i++)
        maker->completion->after[i] = less(maker->from[(moves->to[i] - next) * stride + moves->position[i]]);
}

/* The moves of one level, when those of the next one are known. */
static void fill_level(const completion_maker *maker, unsigned level) {
    const pf_moves *moves = maker->completion->moves;
    const pfi_bound *bound = maker->bound;
    const uint32_t first = moves->first[moves->level[level]], end = moves->first[moves->level[level + 1]];
    for (uint32_t i = first; i < end; i++) {
        const unsigned position = moves->position[i];
        float cost = level + 1 == moves->n ? (float)(bound->end_after[position] + maker->final)
                                           : least_from(moves, maker->before, moves->to[i], &bound->after[position * bound->stride]);
        maker->completion->after[i] = less(cost);
    }
}

/* Adds the moves' own costs. */
static void add_own(const pf_moves *moves, double own, uint32_t first, uint32_t end, float *before) {
    for (uint32_t i = first; i < end; i++) before[i] = less(before[i] + (float)(own * moves->cost[i]));
}

static void fill(const completion_maker *maker) {
    pfi_completion *completion = maker->completion;
    const pf_moves *moves = completion->moves;
    const pfi_bound *bound = maker->bound;
    for (unsigned level = moves->n; level-- > 0;) {
        const uint32_t first = moves->first[moves->level[level]], end = moves->first[moves->level[level + 1]];
        if (maker->from && level + 1 < moves->n) fill_level_densely(maker, level);
        else fill_level(maker, level);
        if (!moves->cost) continue;
        for (uint32_t i = first; i < end; i++) maker->before[i] = completion->after[i];
        add_own(moves, maker->own, first, end, maker->before);
    }
    completion->start = (double)least_from(moves, maker->before, 0, &bound->after[bound->length * bound->stride]);
    completion->start -= fabs(completion->start) * (double)ROUNDING;
}

static pf_err make_dense(completion_maker *maker) {
    const pf_moves *moves = maker->completion->moves;
    const pfi_bound *bound = maker->bound;
    const size_t stride = bound->stride;
    uint32_t widest = 0;
    for (unsigned level = 0; level <= moves->n; level++)
        if (moves->level[level + 1] - moves->level[level] > widest) widest = moves->level[level + 1] - moves->level[level];
    maker->from = malloc(widest * stride * sizeof *maker->from);
    maker->after_next = calloc(moves->n * stride, sizeof *maker->after_next);
    if (!maker->from || !maker->after_next) return pf_nomem();
    for (unsigned last = 0; last < moves->n; last++)
        for (unsigned next = 0; next < moves->n; next++) maker->after_next[next * stride + last] = bound->after[last * stride + next];
    return PF_OK;
}

pf_err pfi_completion_init(pfi_completion *completion, const pf_moves *moves, const pfi_bound *bound, const pfi_rows *rows,
    double final) {
    const size_t count = moves->first[moves->states];
    const double own = rows->parts.own;
    completion_maker maker = {.completion = completion, .bound = bound, .own = own, .final = own * final};
    assert(bound->known && bound->length == moves->n && count);
    *completion = (pfi_completion){.after = malloc(count * sizeof *completion->after)};
    maker.before = moves->cost ? malloc(count * sizeof *maker.before) : completion->after; /* where no move costs anything, the same */
    pf_err err = completion->after && maker.before ? PF_OK : pf_nomem();
    if (!err) completion->moves = moves;
    if (!err && is_dense(moves)) err = make_dense(&maker);
    if (!err) fill(&maker);
    if (maker.before != completion->after) free(maker.before);
    free(maker.after_next);
    free(maker.from);
    return err;
}

void pfi_completion_free(pfi_completion *completion) {
    free(completion->after);
    *completion = (pfi_completion){0};
}
