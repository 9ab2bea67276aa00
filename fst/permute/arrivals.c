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
    uint16_t *position; /* of each arrival that a move makes */
    uint32_t last_move; /* where the moves of the last arrival of a run begin */
    PF_VEC(pf_arrival_group) groups;
    PF_VEC(pf_arrival_step) steps;
} arrivals_maker;

static void count_moves(const arrivals_maker *maker) {
    const pf_moves *moves = maker->moves;
    for (uint32_t i = 0; i < moves->first[moves->states]; i++) {
        arriving_moves *to = &maker->to[moves->to[i]];
        const uint16_t position = moves->position[i];
        if (!to->count++) to->low = to->high = position;
        else if (position < to->low) to->low = position;
        else if (position > to->high) to->high = position;
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
    for (uint32_t state = 0; state < moves->states; state++) maker->to[state].row = has_row(&maker->to[state]);
    for (unsigned level = 0; level <= moves->n; level++)
        for (int rows = 1; rows >= 0; rows--)
            for (uint32_t state = moves->level[level]; state < moves->level[level + 1]; state++) {
                arriving_moves *to = &maker->to[state];
                if (to->row != rows) continue;
                to->next = rows ? count - row_begin(to) : count;
                count += rows ? row_width(to) : to->count;
            }
    maker->moves->arrivals.count = count;
}

static void number_moves(const arrivals_maker *maker) {
    const pf_moves *moves = maker->moves;
    const uint32_t count = moves->first[moves->states];
    for (uint32_t i = 0; i < count; i++) {
        arriving_moves *to = &maker->to[moves->to[i]];
        const uint32_t arrival = to->row ? to->next + moves->position[i] : to->next++;
        moves->arrivals.of[i] = arrival;
        maker->position[arrival] = moves->position[i];
    }
}

/* The steps from the last arrival of a run to another one, whose moves begin at `move`. Are they those of the run? Where there is
 * only one yet, they become so, if positions go from one to the next. */
static bool has_steps(const arrivals_maker *maker, const pf_arrival_group *run, uint32_t move) {
    const pf_moves *moves = maker->moves;
    const uint16_t *position = &moves->position[move], *last_position = &moves->position[maker->last_move];
    const uint32_t *of = &moves->arrivals.of[move], *last_of = &moves->arrivals.of[maker->last_move];
    pf_arrival_step *step = &maker->steps.at[run->step];
    for (uint32_t i = 0; i < run->moves; i++) {
        const int32_t further = position[i] - last_position[i], larger = (int32_t)(of[i] - last_of[i]);
        if (run->count == 1) step[i] = (pf_arrival_step){further, larger};
        if (further < -1 || further > 1 || further != step[i].position || larger != step[i].of) return false;
    }
    return true;
}

/* Adds an arrival from a position to the last run of its level, or begins another run. */
static pf_err add_to_run(arrivals_maker *maker, const pf_arrival_group *one, bool first) {
    pf_arrival_group *run = first ? NULL : &maker->groups.at[maker->groups.n - 1];
    if (maker->steps.n + one->moves > maker->steps.cap) PF_TRY(PF_ROOM(&maker->steps, one->moves));
    if (run && !maker->moves->cost && run->moves == one->moves && run->position == one->position &&
        has_steps(maker, run, one->move)) {
        if (run->count++ == 1) maker->steps.n += run->moves;
    } else {
        PF_TRY(PF_PUSH(&maker->groups, *one));
        maker->groups.at[maker->groups.n - 1].step = (uint32_t)maker->steps.n;
    }
    maker->last_move = one->move;
    return PF_OK;
}

/* The groups of the arrivals at a state: its row, or those one by one. *first: none was added to a run of the level. */
static pf_err add_state(arrivals_maker *maker, uint32_t state, bool *first) {
    const pf_moves *moves = maker->moves;
    const arriving_moves *to = &maker->to[state];
    pf_arrival_group group = {.move = moves->first[state], .moves = moves->first[state + 1] - moves->first[state]};
    if (to->row) {
        group.first = to->next + row_begin(to);
        group.count = row_width(to);
        group.step = PF_ARRIVAL_ROW;
        group.position = row_begin(to);
        return PF_PUSH(&maker->groups, group);
    }
    group.count = 1;
    for (group.first = to->next - to->count; group.first < to->next; group.first++, *first = false) {
        group.position = maker->position[group.first];
        PF_TRY(add_to_run(maker, &group, *first));
    }
    return PF_OK;
}

static pf_err add_groups(arrivals_maker *maker) {
    const pf_moves *moves = maker->moves;
    for (unsigned level = 0; level <= moves->n; level++) {
        bool first = true;
        for (int rows = 1; rows >= 0; rows--)
            for (uint32_t state = moves->level[level]; state < moves->level[level + 1]; state++)
                if (maker->to[state].row == rows) PF_TRY(add_state(maker, state, &first));
    }
    return PF_OK;
}

static pf_err make(arrivals_maker *maker) {
    const pf_moves *moves = maker->moves;
    pf_arrivals *arrivals = &maker->moves->arrivals;
    arrivals->of = malloc((moves->first[moves->states] + (size_t)1) * sizeof *arrivals->of);
    maker->to = calloc(moves->states, sizeof *maker->to);
    if (!arrivals->of || !maker->to) return pf_nomem();
    count_moves(maker);
    number_states(maker);
    maker->position = malloc((arrivals->count + (size_t)1) * sizeof *maker->position);
    if (!maker->position) return pf_nomem();
    number_moves(maker);
    PF_TRY(add_groups(maker));
    arrivals->groups = (uint32_t)maker->groups.n;
    arrivals->steps = (uint32_t)maker->steps.n;
    arrivals->group = maker->groups.at;
    arrivals->step = maker->steps.at;
    maker->groups.at = NULL;
    maker->steps.at = NULL;
    return PF_OK;
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
