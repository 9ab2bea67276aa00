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
           (arrivals->full ? moves->states * sizeof *arrivals->full : 0);
}

void pfi_arrivals_clear(pf_arrivals *arrivals) {
    free(arrivals->of);
    free(arrivals->group);
    free(arrivals->full);
    *arrivals = (pf_arrivals){0};
}

/* The moves that lead to a state. */
typedef struct {
    uint32_t count;     /* ROW_OF_ARRIVALS: they share a row */
    uint32_t next;      /* the number of the next arrival; of a row, of that from position 0, if it had one */
    uint16_t low, high; /* the positions that they visit lie between these */
    uint16_t last, on;  /* of a row: as its group has them */
} arriving_moves;

#define ROW_OF_ARRIVALS UINT32_MAX

static bool has_row(const arriving_moves *to) { return to->count == ROW_OF_ARRIVALS; }

/* A level: its states, and the moves that lead to each of them. There is room for the largest level. */
typedef struct {
    uint32_t begin, end;
    arriving_moves *to;
} arriving_level;

/* Levels are done from the last one to the first. */
typedef struct {
    pf_moves *moves;
    arriving_level now, next, later; /* the level that is done, the one after it, and the one after that */
    PF_VEC(pf_arrival_group) groups;
} arrivals_maker;

static arriving_moves *to_state(const arriving_level *level, uint32_t state) { return &level->to[state - level->begin]; }

static void count_moves(const arrivals_maker *maker, uint32_t move, uint32_t end) {
    const pf_moves *moves = maker->moves;
    const arriving_level *level = &maker->now;
    for (uint32_t i = 0; i < level->end - level->begin; i++)
        level->to[i] = (arriving_moves){.low = UINT16_MAX, .last = PF_NO_POSITION, .on = PF_NO_POSITION};
    for (; move < end; move++) {
        arriving_moves *to = to_state(level, moves->to[move]);
        const uint16_t position = moves->position[move];
        to->count++;
        to->low = position < to->low ? position : to->low;
        to->high = position > to->high ? position : to->high;
    }
}

static uint32_t row_begin(const arriving_moves *to) { return to->low / PF_ARRIVAL_CHUNK * PF_ARRIVAL_CHUNK; }

static uint32_t row_width(const arriving_moves *to) {
    return (to->high / PF_ARRIVAL_CHUNK + 1u) * PF_ARRIVAL_CHUNK - row_begin(to);
}

static bool needs_row(const arriving_moves *to) {
    return to->count > 1 && to->count * (uint64_t)POSITIONS_OF_A_MOVE >= row_width(to);
}

/* First the arrivals in rows. */
static void number_states(const arriving_level *level, uint32_t *count) {
    arriving_moves *end = &level->to[level->end - level->begin];
    for (arriving_moves *to = level->to; to < end; to++) {
        if (!needs_row(to)) continue;
        to->count = ROW_OF_ARRIVALS;
        to->next = *count - row_begin(to);
        *count += row_width(to);
    }
    for (arriving_moves *to = level->to; to < end; to++) {
        if (has_row(to)) continue;
        to->next = *count;
        *count += to->count;
    }
}

static void number_moves(const arrivals_maker *maker, uint32_t move, uint32_t end) {
    const pf_moves *moves = maker->moves;
    for (; move < end; move++) {
        arriving_moves *to = to_state(&maker->now, moves->to[move]);
        moves->arrivals.of[move] = has_row(to) ? to->next + moves->position[move] : to->next++;
    }
}

/* The arrivals that the moves from `move` to `end` make: all those that lead to this level. */
static void number_arrivals(arrivals_maker *maker, uint32_t move, uint32_t end) {
    count_moves(maker, move, end);
    number_states(&maker->now, &maker->moves->arrivals.count);
    number_moves(maker, move, end);
}

/* ---- full states ---- */

static bool is_full(const pf_moves *moves, uint32_t state) { return moves->arrivals.full && moves->arrivals.full[state]; }

/* How many moves lead to rows, if all do, but for the last one perhaps, which goes on to a full state; else 0. */
static uint16_t moves_to_rows(const arrivals_maker *maker, uint32_t state) {
    const pf_moves *moves = maker->moves;
    const uint32_t first = moves->first[state], end = moves->first[state + 1];
    uint32_t i = first;
    while (i < end && has_row(to_state(&maker->next, moves->to[i]))) i++;
    return i == end || (i == end - 1 && is_full(moves, moves->to[i])) ? (uint16_t)(i - first) : 0;
}

/* The position where a state goes on that has so many moves to rows. */
static uint16_t goes_on_at(const pf_moves *moves, uint32_t state, uint16_t rows) {
    const uint32_t on = moves->first[state] + rows;
    return on < moves->first[state + 1] ? moves->position[on] : PF_NO_POSITION;
}

/* The state to which a position leads; PF_NO_STATE: it can't be visited. It is mostly the last one that can. */
static uint32_t state_after(const pf_moves *moves, uint32_t state, uint16_t position) {
    for (uint32_t i = moves->first[state + 1]; i-- > moves->first[state];)
        if (moves->position[i] == position) return moves->to[i];
    return PF_NO_STATE;
}

/* Can a row have costs from where it stands in another one? */
static bool is_within(const arriving_moves *row, const arriving_moves *other) {
    return row_begin(other) <= row_begin(row) && row_begin(row) + row_width(row) <= row_begin(other) + row_width(other);
}

/* Has a row no other full states that are arrived at from elsewhere, or go on elsewhere? */
static bool suits(const arriving_moves *row, uint16_t last, uint16_t on) {
    return row->last == PF_NO_POSITION || (row->last == last && row->on == on);
}

/* Does going on change nothing? The next state visits the same positions by moves to rows, in either order to the same state. */
static bool commutes(const arrivals_maker *maker, uint32_t state, uint16_t rows, uint16_t on) {
    const pf_moves *moves = maker->moves;
    const uint32_t first = moves->first[state], next = moves->to[first + rows], later = moves->first[next];
    if (moves->arrivals.full[next] != rows) return false;
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t row = moves->to[first + i], other = moves->to[later + i];
        if (moves->position[first + i] != moves->position[later + i] || state_after(moves, row, on) != other) return false;
        if (!is_within(to_state(&maker->next, row), to_state(&maker->later, other))) return false;
    }
    return true;
}

/* A state that is arrived at from one position, `last`, becomes full if it can be; then the rows that it leads to know of it. */
static void try_full(const arrivals_maker *maker, uint32_t state, uint16_t last) {
    const pf_moves *moves = maker->moves;
    const uint16_t rows = moves_to_rows(maker, state), on = goes_on_at(moves, state, rows);
    const uint32_t *to = &moves->to[moves->first[state]];
    for (uint32_t i = 0; i < rows; i++)
        if (!suits(to_state(&maker->next, to[i]), last, on)) return;
    if (!rows || (on != PF_NO_POSITION && !commutes(maker, state, rows, on))) return;
    moves->arrivals.full[state] = rows;
    for (uint32_t i = 0; i < rows; i++) {
        arriving_moves *row = to_state(&maker->next, to[i]);
        row->last = last;
        row->on = on;
    }
}

static void find_full(const arrivals_maker *maker) {
    const arriving_level *level = &maker->now;
    for (uint32_t state = level->begin; state < level->end; state++) {
        const arriving_moves *to = to_state(level, state);
        if (to->count == 1) try_full(maker, state, to->low);
    }
}

/* ---- groups ---- */

/* The rows of the next level. */
static pf_err add_rows(arrivals_maker *maker) {
    const pf_moves *moves = maker->moves;
    const arriving_level *level = &maker->next;
    for (uint32_t state = level->begin; state < level->end; state++) {
        const arriving_moves *to = to_state(level, state);
        if (!has_row(to)) continue;
        const uint32_t begin = row_begin(to), move = moves->first[state];
        pf_arrival_group row = {.first = to->next + begin, .count = row_width(to), .move = move, .kind = PF_ARRIVAL_ROW,
                                .moves = (uint16_t)(moves->first[state + 1] - move), .position = (uint16_t)begin,
                                .last = to->last, .on = to->on};
        if (to->on != PF_NO_POSITION) row.next = to_state(&maker->later, state_after(moves, state, to->on))->next + begin;
        PF_TRY(PF_PUSH(&maker->groups, row));
    }
    return PF_OK;
}

/* The arrival of a move at a state that has no row. */
static pf_err add_one(arrivals_maker *maker, uint32_t arriving, pf_arrival_kind kind) {
    const pf_moves *moves = maker->moves;
    const uint32_t state = moves->to[arriving], move = moves->first[state];
    const uint16_t count = kind == PF_ARRIVAL_FULL ? moves->arrivals.full[state] : (uint16_t)(moves->first[state + 1] - move);
    const pf_arrival_group one = {.first = moves->arrivals.of[arriving], .count = 1, .move = move, .kind = kind, .moves = count,
                                  .position = moves->position[arriving], .last = PF_NO_POSITION, .on = PF_NO_POSITION};
    return PF_PUSH(&maker->groups, one);
}

/* Other arrivals of the next level. A full state leads to rows alone, and to full states that are in no group. */
static pf_err add_others(arrivals_maker *maker) {
    const pf_moves *moves = maker->moves;
    for (uint32_t state = maker->now.begin; state < maker->now.end; state++) {
        if (is_full(moves, state)) continue;
        for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++) {
            const uint32_t to = moves->to[i];
            if (has_row(to_state(&maker->next, to))) continue;
            PF_TRY(add_one(maker, i, is_full(moves, to) ? PF_ARRIVAL_FULL : PF_ARRIVAL_ONE));
        }
    }
    return PF_OK;
}

/* The level that is done next, which has these states. */
static void go_on(arrivals_maker *maker, uint32_t begin, uint32_t end) {
    arriving_moves *free_one = maker->later.to;
    maker->later = maker->next;
    maker->next = maker->now;
    maker->now = (arriving_level){begin, end, free_one};
}

static pf_err make_scratch(arrivals_maker *maker) {
    const size_t bytes = pfi_moves_widest_level(maker->moves) * sizeof *maker->now.to;
    maker->now.to = malloc(bytes);
    maker->next.to = malloc(bytes);
    maker->later.to = malloc(bytes);
    return maker->now.to && maker->next.to && maker->later.to ? PF_OK : pf_nomem();
}

/* The groups of a level are made when the full states of the level before it are known. */
static pf_err make_groups(arrivals_maker *maker) {
    pf_moves *moves = maker->moves;
    pf_arrivals *arrivals = &moves->arrivals;
    uint32_t end = moves->first[moves->states]; /* of the moves that lead to the level */
    PF_TRY(make_scratch(maker));
    if (!moves->cost) {
        arrivals->full = calloc(moves->states, sizeof *arrivals->full);
        if (!arrivals->full) return pf_nomem();
    }
    for (unsigned level = moves->n + 1; level-- > 0;) {
        const uint32_t move = level ? moves->first[moves->level[level - 1]] : 0;
        go_on(maker, moves->level[level], moves->level[level + 1]);
        number_arrivals(maker, move, end);
        end = move;
        if (arrivals->full) find_full(maker);
        PF_TRY(add_rows(maker));
        PF_TRY(add_others(maker));
    }
    arrivals->groups = (uint32_t)maker->groups.n;
    arrivals->group = maker->groups.at;
    maker->groups.at = NULL;
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
    free(maker.now.to);
    free(maker.next.to);
    free(maker.later.to);
    PF_VEC_FREE(&maker.groups);
    return err;
}
