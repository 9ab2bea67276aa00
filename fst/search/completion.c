/* The coarse model of positions, backwards. Sums are floats, each rounded to a little less than it is, so that the result stays a
 * bound. */
#include "search/completion_impl.h"

#include "base/contract.h"

#include <stdlib.h>
#include <string.h>

#define NO_ROW UINT32_MAX
enum { BUSY = 2 };

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
    const pfi_twins *twins;
    double own, final;   /* the scale of the moves' costs; what the end costs */
    float *before;       /* of each move: its own cost, and that of all that comes after it */
    float *after_next;   /* the table of costs by what comes next: a row of `stride` has the costs after each position */
    size_t stride;
    float *from;         /* of each busy state of a level, and of each position visited last: the least cost to the end */
    uint32_t *row;       /* of each state of a level: where in `from` its costs begin; NO_ROW */
    float start;         /* the least cost of a path */
} completion_maker;

/* The same as least_from, at once for all positions that may have been visited last. */
static void fill_state(const completion_maker *maker, uint32_t state, float *from) {
    const pf_moves *moves = maker->completion->moves;
    const size_t stride = maker->bound->stride;
    for (size_t chunk = 0; chunk < stride; chunk += PFI_CHUNK) {
        float least[PFI_CHUNK];
        for (size_t k = 0; k < PFI_CHUNK; k++) least[k] = INFINITY;
        for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++) {
            const float *row = &maker->after_next[moves->position[i] * maker->stride + chunk], before = maker->before[i];
            for (size_t k = 0; k < PFI_CHUNK; k++) {
                float cost = row[k] + before;
                least[k] = cost < least[k] ? cost : least[k];
            }
        }
        memcpy(&from[chunk], least, sizeof least);
    }
}

/* Where many moves lead to a state, the costs after all positions are found together: PFI_CHUNK of them take as long as
 * some two. */
static bool is_busy(const completion_maker *maker, uint32_t state) {
    return maker->completion->moves->arrivals[state] > BUSY * (maker->bound->stride / PFI_CHUNK);
}

/* The busy states of the level that begins with `first` and ends before `end`. */
static void fill_busy_states(const completion_maker *maker, uint32_t first, uint32_t end) {
    uint32_t row = 0;
    for (uint32_t state = first; state < end; state++) {
        maker->row[state - first] = NO_ROW;
        if (!is_busy(maker, state)) continue;
        maker->row[state - first] = row;
        fill_state(maker, state, &maker->from[row]);
        row += (uint32_t)maker->bound->stride;
    }
}

/* Does a move have to wait, because its twin to the left is one of the moves before it, those from `first` on of the same state? */
static bool waits(const completion_maker *maker, uint32_t first, uint32_t move) {
    const uint16_t *position = maker->completion->moves->position;
    const uint32_t left = maker->twins->left[position[move]];
    while (first < move && position[first] != left) first++;
    return first < move;
}

/* The costs of all that comes after the moves of one state, when those of the next level, which begins with `next`, are known.
 * Nothing comes after a move that waits. */
static void fill_moves(const completion_maker *maker, uint32_t state, uint32_t next) {
    const pf_moves *moves = maker->completion->moves;
    const uint32_t first = moves->first[state], end = moves->first[state + 1], *left = maker->twins->left;
    float *after = maker->completion->after;
    for (uint32_t i = first; i < end; i++) {
        const unsigned position = moves->position[i];
        if (left && left[position] < moves->n && waits(maker, first, i)) {
            after[i] = INFINITY;
            continue;
        }
        const uint32_t to = moves->to[i], row = maker->row[to - next];
        const float *costs = &maker->bound->after[position * maker->bound->stride];
        after[i] = pfi_completion_less(row == NO_ROW ? least_from(moves, maker->before, to, costs) : maker->from[row + position]);
    }
}

static void fill_level(const completion_maker *maker, unsigned level) {
    const pf_moves *moves = maker->completion->moves;
    const uint32_t next = moves->level[level + 1];
    fill_busy_states(maker, next, moves->level[level + 2]);
    for (uint32_t state = moves->level[level]; state < next; state++) fill_moves(maker, state, next);
}

static void fill_last_level(const completion_maker *maker) {
    const pf_moves *moves = maker->completion->moves;
    for (uint32_t i = moves->first[moves->level[moves->n - 1]]; i < moves->first[moves->states]; i++)
        maker->completion->after[i] = pfi_completion_less((float)(maker->bound->end_after[moves->position[i]] + maker->final));
}

/* Adds the moves' own costs. */
static void add_own(const pf_moves *moves, double own, uint32_t first, uint32_t end, float *before) {
    for (uint32_t i = first; i < end; i++) before[i] = pfi_completion_less(before[i] + (float)(own * moves->cost[i]));
}

static void fill(completion_maker *maker) {
    pfi_completion *completion = maker->completion;
    const pf_moves *moves = completion->moves;
    const pfi_bound *bound = maker->bound;
    for (unsigned level = moves->n; level-- > 0;) {
        const uint32_t first = moves->first[moves->level[level]], end = moves->first[moves->level[level + 1]];
        if (level + 1 < moves->n) fill_level(maker, level);
        else fill_last_level(maker);
        if (!moves->cost) continue;
        for (uint32_t i = first; i < end; i++) maker->before[i] = completion->after[i];
        add_own(moves, maker->own, first, end, maker->before);
    }
    maker->start = least_from(moves, maker->before, 0, &bound->after[bound->length * bound->stride]);
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

/* Room for the busy states of each level. */
static pf_err make_room(completion_maker *maker) {
    const pf_moves *moves = maker->completion->moves;
    size_t widest = 1, busiest = 1;
    for (unsigned level = 0; level <= moves->n; level++) {
        size_t busy = 0;
        for (uint32_t state = moves->level[level]; state < moves->level[level + 1]; state++) busy += is_busy(maker, state);
        if (busy > busiest) busiest = busy;
        if (moves->level[level + 1] - moves->level[level] > widest) widest = moves->level[level + 1] - moves->level[level];
    }
    maker->from = malloc(busiest * maker->bound->stride * sizeof *maker->from);
    maker->row = malloc(widest * sizeof *maker->row);
    if (!maker->from || !maker->row) return pf_nomem();
    return pfi_completion_turn(maker->bound, maker->bound->length, &maker->stride, &maker->after_next);
}

static pf_err make(completion_maker *maker) {
    pfi_completion *completion = maker->completion;
    const pf_moves *moves = completion->moves;
    const size_t count = moves->first[moves->states];
    completion->after = malloc(count * sizeof *completion->after);
    /* Where no move costs anything, both are the same. */
    maker->before = moves->cost ? malloc(count * sizeof *maker->before) : completion->after;
    if (!completion->after || !maker->before) return pf_nomem();
    PF_TRY(make_room(maker));
    fill(maker);
    completion->start = (double)pfi_completion_less(maker->start);
    return PF_OK;
}

static pf_err of_positions(pfi_completion *completion, const pfi_bound *bound, const pfi_twins *twins, double own, double final) {
    completion_maker maker = {.completion = completion, .bound = bound, .twins = twins, .own = own, .final = final};
    assert(!twins->left || !completion->moves->cost);
    pf_err err = make(&maker);
    if (maker.before != completion->after) free(maker.before);
    free(maker.after_next);
    free(maker.from);
    free(maker.row);
    return err;
}

pf_err pfi_completion_init(pfi_completion *completion, const pf_moves *moves, const pfi_bound *bound, const pfi_rows *rows,
    const pf_slots_view *slots, const pfi_twins *twins) {
    const double own = rows->parts.own, final = own * (double)slots->final;
    assert(bound->known && slots->n == moves->n && moves->first[moves->states]);
    assert(!(twins->left && bound->units));
    assert(bound->length == (bound->units ? slots->first[slots->n] : moves->n));
    *completion = (pfi_completion){.moves = moves};
    pf_err err = bound->units ? pfi_completion_of_units(completion, bound, slots, own)
                              : of_positions(completion, bound, twins, own, final);
    if (err) pfi_completion_free(completion);
    return err;
}

void pfi_completion_free(pfi_completion *completion) {
    free(completion->first);
    free(completion->after);
    *completion = (pfi_completion){0};
}
