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
    uint32_t count;
    uint16_t low, high; /* the positions that they visit lie between these */
    bool row;
    uint32_t next;      /* the number of the next arrival; of a row, of that from position 0, if it had one */
    uint32_t last, on;  /* of a row: as its group has them */
} arriving_moves;

typedef struct {
    pf_moves *moves;
    arriving_moves *to; /* of each state */
    uint16_t *position; /* of each arrival that is in no row */
    PF_VEC(pf_arrival_group) groups;
} arrivals_maker;

static void count_moves(const arrivals_maker *maker) {
    const pf_moves *moves = maker->moves;
    const uint32_t count = moves->first[moves->states];
    for (uint32_t state = 0; state < moves->states; state++)
        maker->to[state] = (arriving_moves){.low = UINT16_MAX, .last = PF_ARRIVAL_NONE, .on = PF_ARRIVAL_NONE};
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

/* ---- full states ---- */

static bool is_full(const pf_moves *moves, uint32_t state) { return moves->arrivals.full && moves->arrivals.full[state]; }

/* How many moves lead to rows, if all do, but for the last one perhaps, which goes on to a full state; else 0. */
static uint32_t moves_to_rows(const arrivals_maker *maker, uint32_t state) {
    const pf_moves *moves = maker->moves;
    const uint32_t first = moves->first[state], end = moves->first[state + 1];
    uint32_t i = first;
    while (i < end && maker->to[moves->to[i]].row) i++;
    return i == end || (i == end - 1 && is_full(moves, moves->to[i])) ? i - first : 0;
}

/* The position where a state goes on that has so many moves to rows. */
static uint32_t goes_on_at(const pf_moves *moves, uint32_t state, uint32_t rows) {
    const uint32_t on = moves->first[state] + rows;
    return on < moves->first[state + 1] ? moves->position[on] : PF_ARRIVAL_NONE;
}

/* The state to which a position leads; PF_ARRIVAL_NONE: it can't be visited. */
static uint32_t state_after(const pf_moves *moves, uint32_t state, uint32_t position) {
    for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++)
        if (moves->position[i] == position) return moves->to[i];
    return PF_ARRIVAL_NONE;
}

/* Can a row have costs from where it stands in another one? */
static bool is_within(const arriving_moves *row, const arriving_moves *other) {
    return row_begin(other) <= row_begin(row) && row_begin(row) + row_width(row) <= row_begin(other) + row_width(other);
}

/* Has a row no other full states that are arrived at from elsewhere, or go on elsewhere? */
static bool suits(const arriving_moves *row, uint32_t last, uint32_t on) {
    return row->last == PF_ARRIVAL_NONE || (row->last == last && row->on == on);
}

/* Does going on change nothing? The next state visits the same positions by moves to rows, in either order to the same state. */
static bool commutes(const arrivals_maker *maker, uint32_t state, uint32_t rows, uint32_t on) {
    const pf_moves *moves = maker->moves;
    const uint32_t first = moves->first[state], next = moves->to[first + rows], later = moves->first[next];
    if (moves->arrivals.full[next] != rows) return false;
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t row = moves->to[first + i], other = moves->to[later + i];
        if (moves->position[first + i] != moves->position[later + i] || state_after(moves, row, on) != other) return false;
        if (!is_within(&maker->to[row], &maker->to[other])) return false;
    }
    return true;
}

/* A state becomes full if it can be; then the rows that it leads to know of it. */
static void try_full(const arrivals_maker *maker, uint32_t state) {
    const pf_moves *moves = maker->moves;
    const uint32_t first = moves->first[state], rows = moves_to_rows(maker, state), on = goes_on_at(moves, state, rows);
    const uint32_t last = maker->position[maker->to[state].next - 1];
    for (uint32_t i = 0; i < rows; i++)
        if (!suits(&maker->to[moves->to[first + i]], last, on)) return;
    if (!rows || (on != PF_ARRIVAL_NONE && !commutes(maker, state, rows, on))) return;
    moves->arrivals.full[state] = rows;
    for (uint32_t i = 0; i < rows; i++) {
        maker->to[moves->to[first + i]].last = last;
        maker->to[moves->to[first + i]].on = on;
    }
}

/* From the end, as a full state may go on to another one. */
static pf_err find_full(const arrivals_maker *maker) {
    const pf_moves *moves = maker->moves;
    maker->moves->arrivals.full = calloc(moves->states, sizeof *moves->arrivals.full);
    if (!moves->arrivals.full) return pf_nomem();
    for (uint32_t state = moves->states; state-- > 0;)
        if (!maker->to[state].row && maker->to[state].count == 1) try_full(maker, state);
    return PF_OK;
}

/* ---- groups ---- */

static pf_err add_rows(arrivals_maker *maker, unsigned level) {
    const pf_moves *moves = maker->moves;
    for (uint32_t state = moves->level[level]; state < moves->level[level + 1]; state++) {
        const arriving_moves *to = &maker->to[state];
        if (!to->row) continue;
        const uint32_t move = moves->first[state], count = moves->first[state + 1] - move, begin = row_begin(to);
        const uint32_t next = to->on == PF_ARRIVAL_NONE ? 0 : maker->to[state_after(moves, state, to->on)].next + begin;
        const pf_arrival_group row = {PF_ARRIVAL_ROW, to->next + begin, row_width(to), move, count, begin, to->last, to->on, next};
        PF_TRY(PF_PUSH(&maker->groups, row));
    }
    return PF_OK;
}

static pf_err add_one(arrivals_maker *maker, pf_arrival_kind kind, uint32_t arrival, uint32_t position, uint32_t move,
    uint32_t moves) {
    const pf_arrival_group one = {.kind = kind, .first = arrival, .count = 1, .move = move, .moves = moves, .position = position,
                                  .last = PF_ARRIVAL_NONE, .on = PF_ARRIVAL_NONE};
    return PF_PUSH(&maker->groups, one);
}

static pf_err add_others(arrivals_maker *maker, unsigned level) {
    const pf_moves *moves = maker->moves;
    for (uint32_t state = moves->level[level]; state < moves->level[level + 1]; state++) {
        const arriving_moves *to = &maker->to[state];
        if (to->row || is_full(moves, state)) continue;
        const uint32_t move = moves->first[state], count = moves->first[state + 1] - move;
        for (uint32_t arrival = to->next - to->count; arrival < to->next; arrival++)
            PF_TRY(add_one(maker, PF_ARRIVAL_ONE, arrival, maker->position[arrival], move, count));
    }
    return PF_OK;
}

/* Of the full states of the level after this one, those that are not led to by another full state. */
static pf_err add_full(arrivals_maker *maker, unsigned level) {
    const pf_moves *moves = maker->moves;
    for (uint32_t state = moves->level[level]; state < moves->level[level + 1]; state++) {
        if (is_full(moves, state)) continue;
        for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++) {
            const uint32_t to = moves->to[i];
            if (is_full(moves, to))
                PF_TRY(add_one(maker, PF_ARRIVAL_FULL, moves->arrivals.of[i], moves->position[i], moves->first[to],
                               moves->arrivals.full[to]));
        }
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
    if (!moves->cost) PF_TRY(find_full(maker));
    for (unsigned level = 0; level <= moves->n; level++) {
        PF_TRY(add_rows(maker, level));
        PF_TRY(add_others(maker, level));
        if (level) PF_TRY(add_full(maker, level - 1));
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
    free(maker.to);
    free(maker.position);
    PF_VEC_FREE(&maker.groups);
    return err;
}
