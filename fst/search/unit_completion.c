/* The coarse model of units, backwards: completions where the words of a position have many units, as in translation.
 *
 * Where one best path is wanted, nothing has to be known of moves and units that no path within its cost goes over. What a path
 * up to a unit of a move costs at least is its lead. Leads are found forwards in a still coarser model: it knows of each move the
 * best unit and its cost; all others are one, which costs as little as any of them and leads to each next unit as cheaply. Then
 * completions are found backwards, of those units alone whose lead and completion are within the limit. The limit is guessed at
 * first, from the lead of the end. The best path that the coarse model then has is scored by the models: the best path of all
 * costs no more. */
#include "search/completion_impl.h"
#include "search/wide.h"

#include "base/contract.h"

#include <permfst/base/vec.h>

#include <stdlib.h>
#include <string.h>

#define NO_MOVE UINT32_MAX

enum { GUESSES = 3, WIDER = 2, PAYS = 2 /* moves for each unit: leads take less time than they save */ };

/* For each position, how much further than the lead of the end the first guess of the limit is. */
static const float GUESS = 0.5F;

/* What a path up to a move costs at least. */
typedef struct {
    uint32_t unit;    /* the one by which it costs least */
    float least;
    float other;      /* by any other unit */
    uint32_t earlier; /* the move before it that leads to the same state; NO_MOVE */
} move_lead;

/* A row of costs, and what is added to them. */
typedef struct {
    const float *row;
    float cost;
} added_row;

typedef PF_VEC(added_row) added_rows;

/* The units that may come next in a state: a part of the list of its level. */
typedef struct {
    size_t begin, end;
    float least; /* of their costs after whatever comes before, where there is a limit */
} unit_range;

typedef struct {
    pfi_completion *completion;
    const pfi_bound *bound;
    const uint32_t *place;  /* of each position, its first unit among those of all positions */
    double own, final;      /* the scale of the moves' costs; what the end costs */
    bool wide;              /* pfi_has_wide */
    size_t room;            /* of the units of any position, a multiple of PFI_CHUNK */
    float *after_next;      /* the table of costs by what comes next: a row of `stride` has the costs after each unit */
    size_t stride;
    added_rows next[2];     /* of each unit that may come next, in the level that is filled and the one after it: what it costs
                               after each unit, and what its move and all that comes after it cost */
    unit_range *range;      /* of each state */
    PF_VEC(float) after;    /* completions of the moves that have any; first of all, the ones of those that have none */
    float *least;           /* scratch: of each unit of a move */
    float limit;            /* paths that cost more are of no use */
    float start;            /* the least cost of a path */
    /* Where there is a limit: */
    float *after_position;  /* n + 1 rows: what each unit costs at least after each position; at the start */
    float *cheapest;        /* the least of each of its columns */
    move_lead *lead;        /* of each move */
    uint32_t *arrival;      /* of each state: the last move that leads to it; NO_MOVE */
    added_rows before;      /* scratch: what leads to a state, and what units cost after it */
    float *unit_lead;       /* scratch: of each unit of a move */
    float end_lead;         /* of the end */
} unit_maker;

static const pf_moves *moves_of(const unit_maker *maker) { return maker->completion->moves; }
static uint32_t first_unit(const unit_maker *maker, uint32_t move) { return maker->place[moves_of(maker)->position[move]]; }

static uint32_t count_units(const unit_maker *maker, uint32_t move) {
    const uint32_t *place = &maker->place[moves_of(maker)->position[move]];
    return place[1] - place[0];
}

static float own_cost(const unit_maker *maker, uint32_t move) {
    const pf_moves *moves = moves_of(maker);
    return moves->cost ? (float)(maker->own * moves->cost[move]) : 0;
}

/* The cost of the end after a unit. */
static float end_cost(const unit_maker *maker, uint32_t unit) { return (float)(maker->bound->end_after[unit] + maker->final); }

/* What units cost at least at the start. */
static const float *costs_at_start(const unit_maker *maker) {
    return &maker->bound->after[maker->bound->length * maker->bound->stride];
}

/* Makes costs less where a row of others together with `cost` is. */
PFI_WIDE_BODY void take_less(float least[PFI_CHUNK], const float *row, float cost) {
    for (size_t k = 0; k < PFI_CHUNK; k++) {
        const float sum = row[k] + cost;
        least[k] = sum < least[k] ? sum : least[k];
    }
}

/* The least of the rows' sums, in each of so many columns from `first` on: nearly all the time goes here. */
PFI_WIDE_BODY void find_least_sums(const added_row *rows, size_t count, size_t first, size_t columns, float *least) {
    for (size_t column = 0; column < columns; column += PFI_CHUNK) {
        float found[PFI_CHUNK];
        for (size_t k = 0; k < PFI_CHUNK; k++) found[k] = INFINITY;
        for (size_t i = 0; i < count; i++) take_less(found, &rows[i].row[first + column], rows[i].cost);
        memcpy(&least[column], found, sizeof found);
    }
}

static void find_least_plain(const added_row *rows, size_t count, size_t first, size_t columns, float *least) {
    find_least_sums(rows, count, first, columns, least);
}

PFI_WIDE static void find_least_wide(const added_row *rows, size_t count, size_t first, size_t columns, float *least) {
    find_least_sums(rows, count, first, columns, least);
}

/* The least of the rows' sums in each column of the units of a move. */
static void find_least(const unit_maker *maker, const added_row *rows, size_t count, uint32_t move, float *least) {
    (maker->wide ? find_least_wide : find_least_plain)(rows, count, first_unit(maker, move), count_units(maker, move), least);
}

/* ---- leads ---- */

/* What leads to a unit after each position is the least over the position's units. */
static void fill_after_positions(const unit_maker *maker) {
    const unsigned n = moves_of(maker)->n;
    const size_t stride = maker->bound->stride;
    for (unsigned last = 0; last < n; last++) {
        float *least = &maker->after_position[last * stride];
        const float *after = &maker->bound->after[maker->place[last] * stride];
        memcpy(least, after, stride * sizeof *least);
        for (uint32_t unit = maker->place[last] + 1; unit < maker->place[last + 1]; unit++) {
            after += stride;
            for (size_t k = 0; k < stride; k += PFI_CHUNK) take_less(&least[k], &after[k], 0);
        }
    }
    memcpy(&maker->after_position[n * stride], costs_at_start(maker), stride * sizeof(float));
    memcpy(maker->cheapest, costs_at_start(maker), stride * sizeof(float));
    for (unsigned last = 0; last < n; last++)
        for (size_t k = 0; k < stride; k += PFI_CHUNK) take_less(&maker->cheapest[k], &maker->after_position[last * stride + k], 0);
}

/* Collects what leads to a state, when the leads of the moves to it are known. */
static pf_err collect_before(unit_maker *maker, uint32_t state) {
    const size_t stride = maker->bound->stride;
    maker->before.n = 0;
    if (!state) return PF_PUSH(&maker->before, ((added_row){costs_at_start(maker), 0}));
    for (uint32_t move = maker->arrival[state]; move != NO_MOVE; move = maker->lead[move].earlier) {
        const move_lead *lead = &maker->lead[move];
        const float *others = &maker->after_position[moves_of(maker)->position[move] * stride];
        PF_TRY(PF_PUSH(&maker->before, ((added_row){&maker->bound->after[lead->unit * stride], lead->least})));
        PF_TRY(PF_PUSH(&maker->before, ((added_row){others, lead->other})));
    }
    return PF_OK;
}

/* The leads of the units of a move. */
static void find_leads(const unit_maker *maker, uint32_t move) {
    const float own = own_cost(maker, move);
    find_least(maker, maker->before.at, maker->before.n, move, maker->unit_lead);
    for (uint32_t unit = 0; unit < count_units(maker, move); unit++) maker->unit_lead[unit] += own;
}

/* Keeps the least of the leads of a move's units, and the least of the others. */
static void note_leads(unit_maker *maker, uint32_t move) {
    move_lead *lead = &maker->lead[move];
    const uint32_t first = first_unit(maker, move);
    *lead = (move_lead){first, INFINITY, INFINITY, maker->arrival[moves_of(maker)->to[move]]};
    for (uint32_t unit = 0; unit < count_units(maker, move); unit++) {
        const float cost = maker->unit_lead[unit], other = cost < lead->least ? lead->least : cost;
        if (cost < lead->least) {
            lead->least = cost;
            lead->unit = first + unit;
        }
        lead->other = other < lead->other ? other : lead->other;
    }
    maker->arrival[moves_of(maker)->to[move]] = move;
}

static void lead_to_end(unit_maker *maker, uint32_t move) {
    for (uint32_t unit = 0; unit < count_units(maker, move); unit++) {
        const float cost = maker->unit_lead[unit] + end_cost(maker, first_unit(maker, move) + unit);
        if (cost < maker->end_lead) maker->end_lead = cost;
    }
}

static pf_err fill_leads(unit_maker *maker) {
    const pf_moves *moves = moves_of(maker);
    maker->end_lead = INFINITY;
    for (uint32_t state = 0; state < moves->states; state++) maker->arrival[state] = NO_MOVE;
    for (uint32_t state = 0; state < moves->states; state++) {
        PF_TRY(collect_before(maker, state));
        for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++) {
            find_leads(maker, i);
            note_leads(maker, i);
            if (moves->to[i] + 1 == moves->states) lead_to_end(maker, i);
        }
    }
    return PF_OK;
}

/* ---- completions ---- */

/* After each unit of a move: the least cost of all that comes after it. */
static void find_completions(const unit_maker *maker, const added_rows *next, uint32_t move) {
    const uint32_t to = moves_of(maker)->to[move];
    const unit_range *range = &maker->range[to];
    if (to + 1 < moves_of(maker)->states) find_least(maker, &next->at[range->begin], range->end - range->begin, move, maker->least);
    else
        for (uint32_t unit = 0; unit < count_units(maker, move); unit++)
            maker->least[unit] = end_cost(maker, first_unit(maker, move) + unit);
    for (uint32_t unit = 0; unit < count_units(maker, move); unit++) maker->least[unit] = pfi_completion_less(maker->least[unit]);
}

/* Can a path be within the limit that costs so much at least before and after a place? */
static bool fits(const unit_maker *maker, float lead, float rest) { return rest < INFINITY && lead + rest <= maker->limit; }

/* Does any unit of a move fit, if paths up to the move cost so much at least? */
static bool any_fits(const unit_maker *maker, uint32_t move, float lead) {
    bool any = false;
    for (uint32_t unit = 0; unit < count_units(maker, move); unit++) any = any || fits(maker, lead, maker->least[unit]);
    return any;
}

/* Leaves what can be part of a path within the limit. False where there is none. */
static bool keep_within(const unit_maker *maker, uint32_t move) {
    bool any = false;
    find_leads(maker, move);
    for (uint32_t unit = 0; unit < count_units(maker, move); unit++) {
        const bool fit = fits(maker, maker->unit_lead[unit], maker->least[unit]);
        if (!fit) maker->least[unit] = INFINITY;
        any = any || fit;
    }
    return any;
}

/* Notes the completions of a move, and its units among those that may come next. */
static pf_err note_move(unit_maker *maker, added_rows *now, uint32_t move) {
    const uint32_t units = count_units(maker, move), first = first_unit(maker, move);
    const float own = own_cost(maker, move);
    if (maker->after.n + units > UINT32_MAX) return pf_nomem();
    PF_TRY(PF_ROOM(&maker->after, units));
    PF_TRY(PF_ROOM(now, units));
    maker->completion->first[move] = (uint32_t)maker->after.n;
    for (uint32_t unit = 0; unit < units; unit++) {
        const float cost = maker->least[unit];
        maker->after.at[maker->after.n++] = cost;
        const float *row = &maker->after_next[(first + unit) * maker->stride];
        if (cost < INFINITY) now->at[now->n++] = (added_row){row, pfi_completion_less(cost + own)};
    }
    return PF_OK;
}

/* Can something come after a move, and before it within the limit? */
static bool is_open(const unit_maker *maker, uint32_t move) {
    const unit_range *range = &maker->range[moves_of(maker)->to[move]];
    const bool ends = moves_of(maker)->to[move] + 1 == moves_of(maker)->states;
    if (!ends && range->begin == range->end) return false;
    return maker->limit == INFINITY || maker->lead[move].least + (ends ? 0 : range->least) <= maker->limit;
}

static pf_err fill_move(unit_maker *maker, unit_range *range, unsigned level, uint32_t move) {
    const bool limited = maker->limit < INFINITY;
    added_rows *now = &maker->next[level % 2];
    find_completions(maker, &maker->next[(level + 1) % 2], move);
    if (!any_fits(maker, move, limited ? maker->lead[move].least : 0)) return PF_OK;
    if (limited && !keep_within(maker, move)) return PF_OK;
    for (uint32_t unit = 0; limited && unit < count_units(maker, move); unit++)
        range->least = fminf(range->least, maker->cheapest[first_unit(maker, move) + unit] + maker->least[unit]);
    PF_TRY(note_move(maker, now, move));
    range->end = now->n;
    return PF_OK;
}

static pf_err fill_level(unit_maker *maker, unsigned level) {
    const pf_moves *moves = moves_of(maker);
    maker->next[level % 2].n = 0;
    for (uint32_t state = moves->level[level]; state < moves->level[level + 1]; state++) {
        const size_t begin = maker->next[level % 2].n;
        bool collected = maker->limit == INFINITY;
        maker->range[state] = (unit_range){begin, begin, INFINITY};
        for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++) {
            maker->completion->first[i] = 0;
            if (!is_open(maker, i)) continue;
            if (!collected) PF_TRY(collect_before(maker, state));
            collected = true;
            PF_TRY(fill_move(maker, &maker->range[state], level, i));
        }
    }
    return PF_OK;
}

/* All completions of paths within the limit. */
static pf_err fill(unit_maker *maker, float limit) {
    const added_rows *first = &maker->next[0];
    maker->limit = limit;
    maker->after.n = 0;
    PF_TRY(PF_ROOM(&maker->after, maker->room));
    while (maker->after.n < maker->room) maker->after.at[maker->after.n++] = INFINITY;
    for (unsigned level = moves_of(maker)->n; level-- > 0;) PF_TRY(fill_level(maker, level));
    maker->start = INFINITY;
    for (size_t i = 0; i < first->n; i++)
        maker->start = fminf(maker->start, first->at[i].row[maker->bound->length] + first->at[i].cost);
    return PF_OK;
}

/* ---- the limit ---- */

/* A move by one of its units. */
typedef struct {
    uint32_t move, unit;
} unit_move;

/* The best move of a state in the coarse model, where a unit costs as `after` says. */
static unit_move best_move(const unit_maker *maker, uint32_t state, const float *after) {
    const pf_moves *moves = moves_of(maker);
    unit_move best = {moves->first[state], 0};
    float least = INFINITY;
    for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++)
        for (uint32_t unit = 0; unit < count_units(maker, i); unit++) {
            const float rest = maker->after.at[maker->completion->first[i] + unit] + own_cost(maker, i);
            const float cost = after[first_unit(maker, i) + unit] + rest;
            if (cost < least) best = (unit_move){i, unit};
            if (cost < least) least = cost;
        }
    return best;
}

/* What the models say of the best path of the coarse model. */
static pf_err cost_of_path(const unit_maker *maker, pfi_rows *rows, const pf_slots_view *slots, double *cost) {
    const pf_moves *moves = moves_of(maker);
    const float *after = costs_at_start(maker);
    double end;
    pfi_cell cell = {0, 0};
    *cost = maker->final;
    for (uint32_t state = 0; state + 1 < moves->states;) {
        const unit_move best = best_move(maker, state, after);
        const uint32_t unit = first_unit(maker, best.move) + best.unit;
        const double own = moves->cost ? moves->cost[best.move] : 0;
        PF_TRY(pfi_rows_step(rows, cell.to, pfi_rows_column(rows, slots->arc[unit].out), &cell));
        *cost += pf_scaled(maker->own, own + (double)slots->arc[unit].w) + cell.cost;
        after = &maker->bound->after[unit * maker->bound->stride];
        state = moves->to[best.move];
    }
    PF_TRY(pfi_rows_end(rows, cell.to, &end));
    *cost += end;
    return PF_OK;
}

/* A limit that a path of this cost is within, and all that cost no more, however their weights and leads are rounded. No sum on the
 * way is larger than the cost, together with all weights below 0. */
static float limit_for(const unit_maker *maker, double cost) {
    const double words = (double)moves_of(maker)->n + 1;
    double below = 0;
    for (uint32_t unit = 0; unit < maker->bound->length; unit++)
        below = fmin(below, fmin((double)maker->cheapest[unit], maker->bound->end_after[unit] + maker->final));
    return (float)(cost + 4 * (double)PFI_COMPLETION_ROUNDING * words * (fabs(cost) - 2 * words * below + 1));
}

/* Completions within the cost of some path. */
static pf_err fill_within(unit_maker *maker, pfi_rows *rows, const pf_slots_view *slots) {
    float more = GUESS * (float)moves_of(maker)->n;
    fill_after_positions(maker);
    PF_TRY(fill_leads(maker));
    for (unsigned guess = 0; guess < GUESSES && maker->end_lead < INFINITY; guess++, more *= WIDER) {
        double cost;
        PF_TRY(fill(maker, maker->end_lead + more));
        if (maker->start == INFINITY) continue;
        const pf_err err = cost_of_path(maker, rows, slots, &cost);
        if (err == PF_ELIMIT) break;
        PF_TRY(err);
        const float limit = limit_for(maker, cost);
        if (limit == INFINITY) continue;
        return limit <= maker->limit ? PF_OK : fill(maker, limit);
    }
    return fill(maker, INFINITY);
}

static pf_err make_room_for_leads(unit_maker *maker) {
    const pf_moves *moves = moves_of(maker);
    const size_t count = moves->first[moves->states];
    maker->after_position = calloc((moves->n + (size_t)1) * maker->bound->stride + PFI_CHUNK, sizeof *maker->after_position);
    maker->cheapest = malloc(maker->bound->stride * sizeof *maker->cheapest);
    maker->lead = malloc(count * sizeof *maker->lead);
    maker->arrival = malloc(moves->states * sizeof *maker->arrival);
    maker->unit_lead = malloc(maker->room * sizeof *maker->unit_lead);
    if (!maker->after_position || !maker->cheapest || !maker->lead) return pf_nomem();
    return maker->arrival && maker->unit_lead ? PF_OK : pf_nomem();
}

/* Of the units of any position, in whole chunks. */
static size_t room_of(const pf_slots_view *slots) {
    size_t most = 0;
    for (unsigned j = 0; j < slots->n; j++)
        if (slots->first[j + 1] - slots->first[j] > most) most = slots->first[j + 1] - slots->first[j];
    return (most + PFI_CHUNK - 1) / PFI_CHUNK * PFI_CHUNK;
}

static pf_err make(unit_maker *maker, pfi_rows *rows, const pf_slots_view *slots, bool one_path) {
    const pf_moves *moves = moves_of(maker);
    maker->room = room_of(slots);
    maker->completion->first = malloc(moves->first[moves->states] * sizeof *maker->completion->first);
    maker->range = malloc(moves->states * sizeof *maker->range);
    maker->least = malloc(maker->room * sizeof *maker->least);
    if (!maker->completion->first || !maker->range || !maker->least) return pf_nomem();
    PF_TRY(pfi_completion_turn(maker->bound, maker->bound->length + (size_t)1, &maker->stride, &maker->after_next));
    const bool limited = one_path && moves->first[moves->states] > PAYS * maker->bound->length;
    if (limited) PF_TRY(make_room_for_leads(maker));
    PF_TRY(limited ? fill_within(maker, rows, slots) : fill(maker, INFINITY));
    maker->completion->after = maker->after.at;
    maker->after.at = NULL;
    maker->completion->start = (double)pfi_completion_less(maker->start);
    return PF_OK;
}

pf_err pfi_completion_of_units(pfi_completion *completion, const pfi_bound *bound, pfi_rows *rows, const pf_slots_view *slots,
    bool one_path) {
    const double own = rows->parts.own;
    unit_maker maker = {.completion = completion, .bound = bound, .place = slots->first, .own = own,
                        .final = own * (double)slots->final, .wide = pfi_has_wide()};
    assert(completion->moves && bound->units);
    pf_err err = make(&maker, rows, slots, one_path);
    for (size_t i = 0; i < 2; i++) PF_VEC_FREE(&maker.next[i]);
    PF_VEC_FREE(&maker.after);
    PF_VEC_FREE(&maker.before);
    free(maker.after_next);
    free(maker.range);
    free(maker.least);
    free(maker.after_position);
    free(maker.cheapest);
    free(maker.lead);
    free(maker.arrival);
    free(maker.unit_lead);
    return err;
}
