/* Which moves arrive at one state from one position: what a coarse model of histories knows of a move. */
#include "permute/moves_impl.h"

#include <permfst/base/vec.h>

#include <stdlib.h>

/* A state has a row of arrivals where a move leads to it from one in so many positions of the row, or more: then a vector over all
 * of them takes less time than the moves one by one. */
enum { POSITIONS_OF_A_MOVE = 6 };

#define MOST_MOVES (UINT32_MAX / (POSITIONS_OF_A_MOVE + PF_ARRIVAL_CHUNK)) /* so that arrivals can be numbered */

uint64_t pfi_arrivals_bytes(const pf_moves *moves) {
    const pf_arrivals *arrivals = &moves->arrivals;
    if (!arrivals->of) return 0;
    return moves->first[moves->states] * sizeof *arrivals->of + arrivals->groups * sizeof *arrivals->group +
           arrivals->steps * sizeof *arrivals->step;
}

void pfi_arrivals_clear(pf_arrivals *arrivals) {
    free(arrivals->of);
    free(arrivals->group);
    free(arrivals->step);
    *arrivals = (pf_arrivals){0};
}

/* The moves that lead to a state. */
typedef struct {
    uint32_t count;
    uint16_t low, high; /* the positions that they visit lie between these */
    bool row;
    uint32_t next;      /* the number of the next arrival; of a row, of that from position 0, if it had one */
} arriving_moves;

typedef struct {
    pf_moves *moves;
    arriving_moves *to; /* of each state */
    uint16_t *position; /* of each arrival that is in no row */
    uint32_t last_move; /* where the moves of the last arrival of a run begin */
    PF_VEC(pf_arrival_group) groups;
    PF_VEC(pf_arrival_step) steps;
} arrivals_maker;

static void count_moves(const arrivals_maker *maker) {
    const pf_moves *moves = maker->moves;
    const uint32_t count = moves->first[moves->states];
    for (uint32_t state = 0; state < moves->states; state++) maker->to[state] = (arriving_moves){.low = UINT16_MAX};
    for (uint32_t i = 0; i < count; i++) {
        arriving_moves *to = &maker->to[moves->to[i]];
        const uint16_t position = moves->position[i];
        to->count++;
        to->low = position < to->low ? position : to->low;
        to->high = position > to->high ? position : to->high;
    }
}

static uint32_t row_begin(const arriving_moves *to) { return to->low / PF_ARRIVAL_CHUNK * PF_ARRIVAL_CHUNK; }

static uint32_t row_width(const arriving_moves *to) {
    return (to->high / PF_ARRIVAL_CHUNK + 1u) * PF_ARRIVAL_CHUNK - row_begin(to);
}

static bool has_row(const arriving_moves *to) {
    return to->count > 1 && to->count * (uint64_t)POSITIONS_OF_A_MOVE >= row_width(to);
}

/* Numbers the arrivals of each level: first those in rows. */
static void number_states(const arrivals_maker *maker) {
    const pf_moves *moves = maker->moves;
    uint32_t count = 0;
    for (unsigned level = 0; level <= moves->n; level++) {
        arriving_moves *begin = &maker->to[moves->level[level]], *end = &maker->to[moves->level[level + 1]];
        for (arriving_moves *to = begin; to < end; to++) {
            to->row = has_row(to);
            if (!to->row) continue;
            to->next = count - row_begin(to);
            count += row_width(to);
        }
        for (arriving_moves *to = begin; to < end; to++) {
            if (to->row) continue;
            to->next = count;
            count += to->count;
        }
    }
    maker->moves->arrivals.count = count;
}

static void number_moves(const arrivals_maker *maker) {
    const pf_moves *moves = maker->moves;
    const uint32_t count = moves->first[moves->states];
    for (uint32_t i = 0; i < count; i++) {
        arriving_moves *to = &maker->to[moves->to[i]];
        const uint16_t position = moves->position[i];
        if (to->row) {
            moves->arrivals.of[i] = to->next + position;
        } else {
            maker->position[to->next] = position;
            moves->arrivals.of[i] = to->next++;
        }
    }
}

/* The moves of the last arrival of a run, and those of another one, which may go on with it. */
typedef struct {
    const uint16_t *position, *last_position;
    const uint32_t *of, *last_of;
    uint32_t count;
} two_arrivals;

static inline pf_arrival_step step_of(const two_arrivals *two, uint32_t i) {
    return (pf_arrival_step){two->position[i] - two->last_position[i], (int32_t)(two->of[i] - two->last_of[i])};
}

/* Makes the steps of a run of two. False: positions do not go from one to the next. */
static inline bool make_steps(const two_arrivals *two, pf_arrival_step *step) {
    for (uint32_t i = 0; i < two->count; i++) {
        step[i] = step_of(two, i);
        if (step[i].position < -1 || step[i].position > 1) return false;
    }
    return true;
}

/* Are their steps those of the run? */
static inline bool have_steps(const two_arrivals *two, const pf_arrival_step *step) {
    for (uint32_t i = 0; i < two->count; i++) {
        const pf_arrival_step own = step_of(two, i);
        if (own.position != step[i].position || own.of != step[i].of) return false;
    }
    return true;
}

/* Does a run go on with an arrival from a position at a state with so many moves, which begin at `move`? */
static bool goes_on(const arrivals_maker *maker, const pf_arrival_group *run, uint32_t position, uint32_t move, uint32_t count) {
    const pf_moves *moves = maker->moves;
    if (moves->cost || run->moves != count || run->position != position) return false;
    const uint32_t last = maker->last_move, *of = moves->arrivals.of;
    const two_arrivals two = {&moves->position[move], &moves->position[last], &of[move], &of[last], count};
    pf_arrival_step *step = &maker->steps.at[run->step];
    return run->count == 1 ? make_steps(&two, step) : have_steps(&two, step);
}

/* Adds an arrival at a state, whose moves begin at `move`, to the last run of its level, or begins another run. */
static pf_err add_to_run(arrivals_maker *maker, uint32_t arrival, uint32_t move, uint32_t moves, bool *first) {
    pf_arrival_group *run = *first ? NULL : &maker->groups.at[maker->groups.n - 1];
    const uint32_t position = maker->position[arrival];
    PF_TRY(PF_ROOM(&maker->steps, moves));
    if (run && goes_on(maker, run, position, move, moves)) {
        if (run->count++ == 1) maker->steps.n += moves;
    } else {
        const pf_arrival_group one = {arrival, 1, move, moves, (uint32_t)maker->steps.n, position};
        PF_TRY(PF_PUSH(&maker->groups, one));
    }
    maker->last_move = move;
    *first = false;
    return PF_OK;
}

static pf_err add_rows(arrivals_maker *maker, unsigned level) {
    const pf_moves *moves = maker->moves;
    for (uint32_t state = moves->level[level]; state < moves->level[level + 1]; state++) {
        const arriving_moves *to = &maker->to[state];
        if (!to->row) continue;
        const uint32_t move = moves->first[state], count = moves->first[state + 1] - move, begin = row_begin(to);
        const pf_arrival_group row = {to->next + begin, row_width(to), move, count, PF_ARRIVAL_ROW, begin};
        PF_TRY(PF_PUSH(&maker->groups, row));
    }
    return PF_OK;
}

static pf_err add_runs(arrivals_maker *maker, unsigned level) {
    const pf_moves *moves = maker->moves;
    bool first = true;
    for (uint32_t state = moves->level[level]; state < moves->level[level + 1]; state++) {
        const arriving_moves *to = &maker->to[state];
        if (to->row) continue;
        const uint32_t move = moves->first[state], count = moves->first[state + 1] - move;
        for (uint32_t arrival = to->next - to->count; arrival < to->next; arrival++)
            PF_TRY(add_to_run(maker, arrival, move, count, &first));
    }
    return PF_OK;
}

static pf_err make_groups(arrivals_maker *maker) {
    const pf_moves *moves = maker->moves;
    pf_arrivals *arrivals = &maker->moves->arrivals;
    maker->to = malloc(moves->states * sizeof *maker->to);
    if (!maker->to) return pf_nomem();
    count_moves(maker);
    number_states(maker);
    maker->position = malloc((arrivals->count + (size_t)1) * sizeof *maker->position);
    if (!maker->position) return pf_nomem();
    number_moves(maker);
    for (unsigned level = 0; level <= moves->n; level++) {
        PF_TRY(add_rows(maker, level));
        PF_TRY(add_runs(maker, level));
    }
    arrivals->groups = (uint32_t)maker->groups.n;
    arrivals->steps = (uint32_t)maker->steps.n;
    arrivals->group = maker->groups.at;
    arrivals->step = maker->steps.at;
    maker->groups.at = NULL;
    maker->steps.at = NULL;
    return PF_OK;
}

/* ---- subsets ---- */

/* Finds the sets of the states that a state leads to; 0: not known yet. False where it lacks a move, or where a state has two. */
static bool find_sets(const pf_moves *moves, uint32_t state, unsigned level, uint32_t *set) {
    const uint32_t first = moves->first[state], end = moves->first[state + 1];
    if (end - first != moves->n - level) return false;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t one = UINT32_C(1) << moves->position[i], with = set[state] | one;
        uint32_t *to = &set[moves->to[i]];
        if (set[state] & one || (*to && *to != with)) return false;
        *to = with;
    }
    return true;
}

/* Where each state has a set and all moves, there is a state of each set; and one only, if there are as many states as sets. */
static bool has_all_subsets(const pf_moves *moves, uint32_t *set) {
    for (unsigned level = 0; level <= moves->n; level++)
        for (uint32_t state = moves->level[level]; state < moves->level[level + 1]; state++)
            if (!find_sets(moves, state, level, set)) return false;
    return true;
}

static bool may_have_all_subsets(const pf_moves *moves) {
    return moves->n >= PF_SUBSETS_FROM && moves->n <= PF_SUBSETS_TO && moves->states == UINT32_C(1) << moves->n && !moves->cost;
}

/* So many numbers lie between those of two positions: with a power of 2 as their distance, the costs of a set after all positions
 * would go to the same few lines of a cache. */
enum { APART = 80 };

/* Numbers arrivals by sets, where the table allows it: then *done is set. */
static pf_err number_subsets(pf_moves *moves, bool *done) {
    pf_arrivals *arrivals = &moves->arrivals;
    if (!may_have_all_subsets(moves)) return PF_OK;
    uint32_t *set = calloc(moves->states, sizeof *set);
    if (!set) return pf_nomem();
    *done = has_all_subsets(moves, set);
    if (*done) {
        arrivals->subsets = moves->states + APART;
        arrivals->count = moves->n * arrivals->subsets;
        for (uint32_t i = 0; i < moves->first[moves->states]; i++)
            arrivals->of[i] = moves->position[i] * arrivals->subsets + set[moves->to[i]];
    }
    free(set);
    return PF_OK;
}

static pf_err make(arrivals_maker *maker) {
    pf_moves *moves = maker->moves;
    bool done = false;
    moves->arrivals.of = malloc((moves->first[moves->states] + (size_t)1) * sizeof *moves->arrivals.of);
    if (!moves->arrivals.of) return pf_nomem();
    PF_TRY(number_subsets(moves, &done));
    return done ? PF_OK : make_groups(maker);
}

pf_err pfi_arrivals_make(pf_moves *moves) {
    if (moves->first[moves->states] > MOST_MOVES)
        return pf_fail(PF_ELIMIT, "a table for searches has at most %u moves", MOST_MOVES);
    arrivals_maker maker = {.moves = moves};
    pf_err err = make(&maker);
    if (err) pfi_arrivals_clear(&moves->arrivals);
    free(maker.to);
    free(maker.position);
    PF_VEC_FREE(&maker.groups);
    PF_VEC_FREE(&maker.steps);
    return err;
}
