/* The coarse model of positions, backwards. Sums are floats, each rounded to a little less than it is, so that the result stays a
 * bound. */
#include "search/completion_impl.h"
#include "search/completion_step.h"
#include "search/subset_step.h"

#include "base/contract.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pfi_completion *completion;
    const pfi_bound *bound;
    double own, final; /* the scale of the moves' costs; what the end costs */
    float *after_next; /* where there are groups, the table of costs by what comes next: a row of `stride` has the costs after each
                          position */
    size_t stride;
    float *then;       /* scratch: where moves cost something, what they and all that comes after them cost; where states are all
                          sets of positions, what the end costs after each position */
    uint32_t *place;   /* 0, 1, 2 ... */
} completion_maker;

/* The moves of a group's state. */
static pfi_arrival_moves moves_of(const completion_maker *maker, uint32_t move, uint32_t count) {
    const pf_moves *moves = maker->completion->moves;
    const uint32_t *of = &moves->arrivals.of[move];
    const float *cost = maker->completion->cost;
    if (!moves->cost) return (pfi_arrival_moves){count, &moves->position[move], of, cost};
    for (uint32_t i = 0; i < count; i++)
        maker->then[i] = pfi_completion_less(cost[of[i]] + pfi_cost_of_move(moves, maker->own, move + i));
    return (pfi_arrival_moves){count, &moves->position[move], maker->place, maker->then};
}

/* Full states that lead to the end go on nowhere. */
static float through_to_end(const completion_maker *maker, const pf_arrival_group *group, uint32_t position) {
    const float *after = &maker->bound->after[group->last * maker->bound->stride];
    assert(group->on == PF_NO_POSITION);
    return pfi_completion_less(after[position] + maker->completion->cost[group->first + position - group->position]);
}

/* What comes after the last of all positions. */
static void fill_end(const completion_maker *maker, const pf_arrival_group *group) {
    const pf_moves *moves = maker->completion->moves;
    const double *end_after = maker->bound->end_after;
    for (uint32_t k = 0; k < group->count; k++) {
        const uint32_t position = group->position + (group->kind == PF_ARRIVAL_ROW ? k : 0);
        float *cost = &maker->completion->cost[group->first + k];
        *cost = position < moves->n ? pfi_completion_less((float)(end_after[position] + maker->final)) : INFINITY;
        if (group->last != PF_NO_POSITION) maker->completion->through[group->first + k] = through_to_end(maker, group, position);
    }
}

/* Where moves cost something. */
static void fill_group(const completion_maker *maker, const pf_arrival_group *group) {
    const pfi_arrival_moves moves = moves_of(maker, group->move, group->moves);
    const float *after = &maker->bound->after[group->position * maker->bound->stride];
    float *to = &maker->completion->cost[group->first];
    if (group->kind == PF_ARRIVAL_ROW)
        pfi_row_step(&moves, &maker->after_next[group->position], maker->stride, group->count, NULL, to);
    else pfi_row_step_plain(&moves, after, 1, 1, NULL, to);
}

/* Group by group: they stand from the last level to the first. */
static void fill_by_groups(const completion_maker *maker) {
    const pf_moves *moves = maker->completion->moves;
    const pf_arrival_group *group = moves->arrivals.group;
    const float *after = maker->bound->after;
    const size_t width = maker->bound->stride;
    const pfi_arrival_tables tables = {moves, after, width, maker->after_next, maker->stride, maker->completion->cost,
                                        maker->completion->through};
    uint32_t begin = 0;
    for (; begin < moves->arrivals.groups && !group[begin].moves; begin++) fill_end(maker, &group[begin]);
    if (!moves->cost) pfi_fill_groups(&tables, begin);
    else
        for (uint32_t i = begin; i < moves->arrivals.groups; i++) fill_group(maker, &group[i]);
}

/* Where states are all sets of positions, moves cost nothing. */
static void fill_by_subsets(const completion_maker *maker) {
    const pfi_bound *bound = maker->bound;
    const pf_moves *moves = maker->completion->moves;
    for (unsigned i = 0; i < moves->n; i++) maker->then[i] = (float)(bound->end_after[i] + maker->final);
    const pfi_subset_tables tables = {moves->n, bound->after, bound->stride, maker->then, maker->completion->cost,
                                      moves->arrivals.subsets};
    pfi_fill_subsets(&tables);
}

static void fill(const completion_maker *maker) {
    const pf_moves *moves = maker->completion->moves;
    (moves->arrivals.subsets ? fill_by_subsets : fill_by_groups)(maker);
    const pfi_arrival_moves first = moves_of(maker, 0, moves->first[1]);
    float start;
    pfi_row_step_plain(&first, &maker->bound->after[moves->n * maker->bound->stride], 1, 1, NULL, &start);
    maker->completion->start = (double)start;
}

pf_err pfi_completion_turn(const pfi_bound *bound, size_t lasts, size_t *stride, float **turned) {
    const size_t width = pfi_whole_chunks(lasts + PFI_CHUNK - 1), between = bound->stride;
    float *to = malloc(bound->length * width * sizeof *to);
    *turned = to;
    *stride = width;
    if (!to) return pf_nomem();
    for (size_t next = 0; next < bound->length; next++, to += width) {
        const float *from = &bound->after[next];
        for (size_t last = 0; last < lasts; last++, from += between) to[last] = *from;
        memset(&to[lasts], 0, (width - lasts) * sizeof *to);
    }
    return PF_OK;
}

static pf_err make(completion_maker *maker) {
    pfi_completion *completion = maker->completion;
    const pf_moves *moves = completion->moves;
    completion->cost = malloc(moves->arrivals.count * sizeof *completion->cost);
    if (moves->arrivals.full) completion->through = malloc(moves->arrivals.count * sizeof *completion->through);
    if (moves->arrivals.full && !completion->through) return pf_nomem();
    maker->then = malloc(moves->n * sizeof *maker->then);
    maker->place = malloc(moves->n * sizeof *maker->place);
    if (!completion->cost || !maker->then || !maker->place) return pf_nomem();
    for (uint32_t i = 0; i < moves->n; i++) maker->place[i] = i;
    if (moves->arrivals.groups) PF_TRY(pfi_completion_turn(maker->bound, maker->bound->length, &maker->stride, &maker->after_next));
    fill(maker);
    return PF_OK;
}

pf_err pfi_completion_of_positions(pfi_completion *completion, const pfi_bound *bound, double own, double final) {
    completion_maker maker = {.completion = completion, .bound = bound, .own = own, .final = final};
    pf_err err = make(&maker);
    free(maker.after_next);
    free(maker.then);
    free(maker.place);
    return err;
}

pf_err pfi_completion_init(pfi_completion *completion, const pf_moves *moves, const pfi_bound *bound, pfi_rows *rows,
    const pf_slots_view *slots, bool one_path, const pf_best_options *options) {
    const double own = rows->parts.own, final = own * (double)slots->final;
    assert(bound->known && slots->n == moves->n && moves->first[moves->states]);
    assert(bound->length == (bound->said.classes ? bound->said.copies : bound->units ? slots->first[slots->n] : moves->n));
    *completion = (pfi_completion){.moves = moves, .within = (double)INFINITY};
    pf_err err = bound->units ? pfi_completion_of_units(completion, bound, rows, slots, one_path, options)
                              : pfi_completion_of_positions(completion, bound, own, final);
    if (err) pfi_completion_free(completion);
    return err;
}

uint64_t pfi_completion_own_bytes(const pfi_completion *completion) {
    const pf_moves *moves = completion->moves;
    const uint64_t of_move = completion->units ? sizeof *completion->units : 0;
    const uint64_t of_arrival = (completion->cost ? sizeof *completion->cost : 0) +
                                (completion->through ? sizeof *completion->through : 0);
    return moves->first[moves->states] * of_move + moves->arrivals.count * of_arrival +
           completion->after_units * (sizeof *completion->unit + sizeof *completion->after);
}

uint64_t pfi_completion_bytes(const pfi_completion *completion) {
    const pf_moves *moves = completion->moves;
    if (!moves) return 0;
    return pf_moves_bytes(moves) + pfi_completion_own_bytes(completion) +
           (completion->maker ? pfi_unit_maker_bytes(completion->maker) : 0);
}

void pfi_completion_free(pfi_completion *completion) {
    pfi_completion_forget_maker(completion);
    free(completion->cost);
    free(completion->through);
    free(completion->units);
    free(completion->unit);
    free(completion->after);
    *completion = (pfi_completion){0};
}
