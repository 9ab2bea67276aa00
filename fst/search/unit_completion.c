/* The coarse model of units, backwards: completions where the words of a position have many units, as in translation.
 *
 * Where one best path is wanted, nothing has to be known of moves and units that no path within the cost of a known path goes over.
 * Three passes find them, each within what the one before has left. The first one goes backwards and knows only positions: what all
 * that comes after a move costs at least, by whatever units. The second one goes forwards: what a path up to a unit of a move costs
 * at least is its lead. It knows of each move the best unit and its cost; all others are one, which costs as little as any of them
 * and leads to each next unit as cheaply. The models score the best path of either pass, by the units that cost least along it. No
 * best path costs more than these two: this is the limit. Then completions are found backwards, of those units alone whose lead and
 * completion are within the limit. */
#include "search/completion_impl.h"
#include "search/wide.h"

#include "base/contract.h"

#include <permfst/base/vec.h>

#include <stdlib.h>
#include <string.h>

#define NO_MOVE UINT32_MAX

enum { MOST_CHUNKS = 4, WIDER = 2, PAYS = 2 /* moves for each unit: leads take less time than they save */ };

/* For each position, how much further than the least cost of the positions the first guess of the limit is. */
static const float GUESS = 0.5F;

/* What a path up to a move costs at least. */
typedef struct {
    uint32_t unit;    /* the one by which it costs least */
    float least;
    float other;      /* by any other unit */
    uint32_t from;    /* its state */
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
    pfi_completion rest;    /* of a model that knows only positions */
    pfi_bound positions;    /* its tables */
    float *after_position;  /* n + 1 rows: what each unit costs at least after each position; at the start */
    float *cheapest;        /* the least of each of its columns */
    move_lead *lead;        /* of each move */
    uint32_t *arrival;      /* of each state: the last move that leads to it; NO_MOVE */
    added_rows before;      /* scratch: what leads to a state, and what units cost after it */
    float *unit_lead;       /* scratch: of each unit of a move */
    uint32_t *path;         /* scratch: the moves of a path */
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

/* The least of the rows' sums in so many chunks of columns, from `first` on. `chunks` is constant where it is inlined, so that they
 * are in registers: rows are looked up once for all of them. */
PFI_WIDE_BODY void find_least_of_chunks(const added_row *rows, size_t count, size_t first, size_t chunks, float *least) {
    float found[MOST_CHUNKS][PFI_CHUNK];
#pragma GCC unroll 4
    for (size_t chunk = 0; chunk < chunks; chunk++)
        for (size_t k = 0; k < PFI_CHUNK; k++) found[chunk][k] = INFINITY;
    for (size_t i = 0; i < count; i++)
#pragma GCC unroll 4
        for (size_t chunk = 0; chunk < chunks; chunk++)
            take_less(found[chunk], &rows[i].row[first + chunk * PFI_CHUNK], rows[i].cost);
    memcpy(least, found, chunks * sizeof *found);
}

/* The same of so many columns: nearly all the time goes here. */
PFI_WIDE_BODY void find_least_sums(const added_row *rows, size_t count, size_t first, size_t columns, float *least) {
    size_t column = 0;
    for (; column + 3 * PFI_CHUNK < columns; column += 4 * PFI_CHUNK)
        find_least_of_chunks(rows, count, first + column, 4, &least[column]);
    for (; column + PFI_CHUNK < columns; column += 2 * PFI_CHUNK)
        find_least_of_chunks(rows, count, first + column, 2, &least[column]);
    if (column < columns) find_least_of_chunks(rows, count, first + column, 1, &least[column]);
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
    for (uint32_t unit = 0; unit < count_units(maker, move); unit += PFI_CHUNK)
        for (size_t k = 0; k < PFI_CHUNK; k++) maker->unit_lead[unit + k] += own;
}

/* The least of some costs, and the least of the others, in each column of chunks; what fills the last chunk up is INFINITY. */
static void find_two_least(const float *cost, size_t count, float least[PFI_CHUNK], float other[PFI_CHUNK]) {
    float first[PFI_CHUNK], second[PFI_CHUNK], larger[PFI_CHUNK];
    for (size_t k = 0; k < PFI_CHUNK; k++) first[k] = second[k] = INFINITY;
    for (size_t i = 0; i < count; i += PFI_CHUNK) {
        for (size_t k = 0; k < PFI_CHUNK; k++) larger[k] = first[k] < cost[i + k] ? cost[i + k] : first[k];
        for (size_t k = 0; k < PFI_CHUNK; k++) second[k] = larger[k] < second[k] ? larger[k] : second[k];
        take_less(first, &cost[i], 0);
    }
    memcpy(least, first, sizeof first);
    memcpy(other, second, sizeof second);
}

/* Keeps the least of the leads of a move's units, and the least of the others. */
static void note_leads(unit_maker *maker, uint32_t state, uint32_t move) {
    const uint32_t units = count_units(maker, move);
    float least[PFI_CHUNK], other[PFI_CHUNK], second = INFINITY;
    uint32_t best = 0;
    for (uint32_t unit = units; unit % PFI_CHUNK; unit++) maker->unit_lead[unit] = INFINITY;
    find_two_least(maker->unit_lead, units, least, other);
    for (uint32_t k = 1; k < PFI_CHUNK; k++)
        if (least[k] < least[best]) best = k;
    for (uint32_t k = 0; k < PFI_CHUNK; k++) {
        const float one = k == best ? other[k] : least[k];
        second = one < second ? one : second;
    }
    const float first = least[best];
    while (maker->unit_lead[best] > first) best += PFI_CHUNK;
    const uint32_t earlier = maker->arrival[moves_of(maker)->to[move]];
    maker->lead[move] = (move_lead){first_unit(maker, move) + best, first, second, state, earlier};
}

/* Can a path within the limit go over a move, as far as positions tell? Its state has arrivals, unless it is the first one. */
static bool may_lead(const unit_maker *maker, uint32_t state, uint32_t move) {
    const pf_moves *moves = moves_of(maker);
    const float *after = &maker->positions.after[moves->position[move]];
    const float rest = own_cost(maker, move) + pfi_completion_after(&maker->rest, move, 0);
    if (!state) return after[moves->n * maker->positions.stride] + rest <= maker->limit;
    for (uint32_t i = maker->arrival[state]; i != NO_MOVE; i = maker->lead[i].earlier)
        if (maker->lead[i].least + after[moves->position[i] * maker->positions.stride] + rest <= maker->limit) return true;
    return false;
}

/* The leads of a state's moves, which lead on where they can be part of a path within the limit. */
static pf_err lead_from(unit_maker *maker, uint32_t state) {
    const pf_moves *moves = moves_of(maker);
    bool collected = false;
    for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++) {
        maker->lead[i].least = INFINITY;
        if (!may_lead(maker, state, i)) continue;
        if (!collected) PF_TRY(collect_before(maker, state));
        collected = true;
        find_leads(maker, i);
        note_leads(maker, state, i);
        if (maker->lead[i].least + pfi_completion_after(&maker->rest, i, 0) <= maker->limit) maker->arrival[moves->to[i]] = i;
    }
    return PF_OK;
}

static pf_err fill_leads(unit_maker *maker) {
    const pf_moves *moves = moves_of(maker);
    for (uint32_t state = 0; state < moves->states; state++) maker->arrival[state] = NO_MOVE;
    for (uint32_t state = 0; state < moves->states; state++) PF_TRY(lead_from(maker, state));
    return PF_OK;
}

/* ---- completions ---- */

/* pfi_completion_less, of whole chunks. */
static void make_less(float *cost, size_t count) {
    for (size_t i = 0; i < count; i += PFI_CHUNK) pfi_completion_less_by(&cost[i], PFI_COMPLETION_ROUNDING);
}

/* After each unit of a move: the least cost of all that comes after it. */
static void find_completions(const unit_maker *maker, const added_rows *next, uint32_t move) {
    const uint32_t to = moves_of(maker)->to[move];
    const unit_range *range = &maker->range[to];
    if (to + 1 < moves_of(maker)->states) find_least(maker, &next->at[range->begin], range->end - range->begin, move, maker->least);
    else
        for (uint32_t unit = 0; unit < count_units(maker, move); unit++)
            maker->least[unit] = end_cost(maker, first_unit(maker, move) + unit);
    make_less(maker->least, count_units(maker, move));
}

/* Can a path be within the limit that costs so much at least before and after a place? */
static bool fits(const unit_maker *maker, float lead, float rest) { return rest < INFINITY && lead + rest <= maker->limit; }

/* Does any unit of a move fit, if paths up to the move cost so much at least? */
static bool any_fits(const unit_maker *maker, uint32_t move, float lead) {
    float least[PFI_CHUNK], rest = INFINITY;
    const uint32_t units = count_units(maker, move);
    for (uint32_t unit = units; unit % PFI_CHUNK; unit++) maker->least[unit] = INFINITY;
    for (size_t k = 0; k < PFI_CHUNK; k++) least[k] = INFINITY;
    for (uint32_t unit = 0; unit < units; unit += PFI_CHUNK) take_less(least, &maker->least[unit], 0);
    for (size_t k = 0; k < PFI_CHUNK; k++) rest = least[k] < rest ? least[k] : rest;
    return fits(maker, lead, rest);
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
    if (maker->limit == INFINITY) return true;
    const float rest = ends ? pfi_completion_after(&maker->rest, move, 0) : range->least; /* the end may cost less than 0 */
    return maker->lead[move].least + rest <= maker->limit;
}

static pf_err fill_move(unit_maker *maker, unit_range *range, unsigned level, uint32_t move) {
    const bool limited = maker->limit < INFINITY;
    added_rows *now = &maker->next[level % 2];
    find_completions(maker, &maker->next[(level + 1) % 2], move);
    if (!any_fits(maker, move, limited ? maker->lead[move].least : 0)) return PF_OK;
    if (limited && !keep_within(maker, move)) return PF_OK;
    for (uint32_t unit = 0; limited && unit < count_units(maker, move); unit++) {
        const float least = maker->cheapest[first_unit(maker, move) + unit] + maker->least[unit];
        range->least = least < range->least ? least : range->least;
    }
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

/* ---- positions ---- */

static float least_of_units(const unit_maker *maker, const float *cost, unsigned j) {
    float least = INFINITY;
    for (uint32_t unit = maker->place[j]; unit < maker->place[j + 1]; unit++) least = cost[unit] < least ? cost[unit] : least;
    return least;
}

/* What a unit of each position costs at least after any unit of another one; and the end. */
static pf_err fill_positions(unit_maker *maker) {
    const unsigned n = moves_of(maker)->n;
    pfi_bound *of = &maker->positions;
    *of = (pfi_bound){.length = n, .stride = pfi_whole_chunks(n)};
    of->after = calloc((n + (size_t)1) * of->stride + PFI_CHUNK, sizeof *of->after);
    of->end_after = malloc(n * sizeof *of->end_after);
    if (!of->after || !of->end_after) return pf_nomem();
    for (unsigned last = 0; last <= n; last++)
        for (unsigned j = 0; j < n; j++)
            of->after[last * of->stride + j] = least_of_units(maker, &maker->after_position[last * maker->bound->stride], j);
    for (unsigned j = 0; j < n; j++) {
        of->end_after[j] = (double)INFINITY;
        for (uint32_t unit = maker->place[j]; unit < maker->place[j + 1]; unit++)
            of->end_after[j] = fmin(of->end_after[j], maker->bound->end_after[unit]);
    }
    return PF_OK;
}

/* ---- the limit ---- */

/* The best move of a state in the model of positions. */
static uint32_t best_move(const unit_maker *maker, uint32_t state, unsigned last) {
    const pf_moves *moves = moves_of(maker);
    uint32_t best = moves->first[state];
    float least = INFINITY;
    for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++) {
        const float after = maker->positions.after[last * maker->positions.stride + moves->position[i]];
        const float cost = after + own_cost(maker, i) + pfi_completion_after(&maker->rest, i, 0);
        if (cost < least) best = i;
        if (cost < least) least = cost;
    }
    return best;
}

/* What leads to a unit, and the cost up to it. */
typedef struct {
    uint32_t before;
    float cost;
} unit_step;

/* The least cost of each unit of a position, after those of the position before it; of no position: at the start. */
static void step_to(const unit_maker *maker, uint32_t first, uint32_t end, unsigned j, unit_step *step) {
    const pfi_bound *bound = maker->bound;
    for (uint32_t unit = maker->place[j]; unit < maker->place[j + 1]; unit++) {
        unit_step best = {first, first < end ? INFINITY : costs_at_start(maker)[unit]};
        for (uint32_t before = first; before < end; before++) {
            const float cost = step[before].cost + bound->after[before * bound->stride + unit];
            if (cost < best.cost) best = (unit_step){before, cost};
        }
        step[unit] = best;
    }
}

/* The moves of the best path of the model of positions. */
static void follow_positions(const unit_maker *maker, uint32_t *move) {
    const pf_moves *moves = moves_of(maker);
    unsigned last = moves->n;
    for (uint32_t state = 0, at = 0; at < moves->n; state = moves->to[move[at++]]) {
        move[at] = best_move(maker, state, last);
        last = moves->position[move[at]];
    }
}

/* What a unit costs at least when a move that has a lead comes before it; at the end, with none. */
static float lead_to(const unit_maker *maker, uint32_t move, uint32_t unit) {
    const move_lead *lead = &maker->lead[move];
    const size_t stride = maker->bound->stride;
    const float best = lead->least + maker->bound->after[lead->unit * stride + unit];
    const float other = lead->other + maker->after_position[moves_of(maker)->position[move] * stride + unit];
    return best < other ? best : other;
}

/* The moves of the path that leads to the end at the least cost. False where none does within the limit. */
static bool follow_leads(const unit_maker *maker, uint32_t *move) {
    const pf_moves *moves = moves_of(maker);
    uint32_t state = moves->states - 1, unit = 0;
    for (unsigned at = moves->n; at-- > 0;) {
        const bool ends = at + 1 == moves->n;
        uint32_t best = maker->arrival[state];
        if (best == NO_MOVE) return false;
        for (uint32_t i = best; i != NO_MOVE; i = maker->lead[i].earlier) {
            const float cost = ends ? maker->lead[i].least : lead_to(maker, i, unit);
            if (cost < (ends ? maker->lead[best].least : lead_to(maker, best, unit))) best = i;
        }
        move[at] = best;
        unit = maker->lead[best].unit;
        state = maker->lead[best].from;
    }
    return true;
}

/* The units that cost least along a path. */
static void choose_units(const unit_maker *maker, const uint32_t *move, unit_step *step, uint32_t *chosen) {
    const pf_moves *moves = moves_of(maker);
    uint32_t first = 0, end = 0;
    for (unsigned at = 0; at < moves->n; at++) {
        const unsigned j = moves->position[move[at]];
        step_to(maker, first, end, j, step);
        first = maker->place[j];
        end = maker->place[j + 1];
    }
    uint32_t best = first;
    for (uint32_t unit = first; unit < end; unit++)
        if (step[unit].cost + end_cost(maker, unit) < step[best].cost + end_cost(maker, best)) best = unit;
    for (unsigned at = moves->n; at-- > 0; best = step[best].before) chosen[at] = best;
}

/* What the models say of a path. */
static pf_err score_path(const unit_maker *maker, pfi_rows *rows, const pf_slots_view *slots, const uint32_t *move,
    const uint32_t *unit, double *cost) {
    const pf_moves *moves = moves_of(maker);
    const pfi_said *said = &maker->bound->said;
    pfi_cell cell = {0, 0};
    double end;
    *cost = maker->final;
    for (unsigned at = 0; at < moves->n; at++) {
        const double own = moves->cost ? moves->cost[move[at]] : 0;
        const pf_arc *arc = &slots->arc[said->unit[unit[at]]];
        PF_TRY(pfi_rows_step(rows, cell.to, pfi_rows_column(rows, arc->out), &cell));
        *cost += pf_scaled(maker->own, own + (double)arc->w) + cell.cost;
    }
    PF_TRY(pfi_rows_end(rows, cell.to, &end));
    *cost += end;
    return PF_OK;
}

/* The cost of a path by the units that cost least along it; INFINITY where it is too large. */
static pf_err cost_of_path(const unit_maker *maker, pfi_rows *rows, const pf_slots_view *slots, double *cost) {
    unit_step *step = malloc(maker->bound->length * sizeof *step);
    uint32_t *unit = malloc(moves_of(maker)->n * sizeof *unit);
    pf_err err = step && unit ? PF_OK : pf_nomem();
    if (!err) choose_units(maker, maker->path, step, unit);
    if (!err) err = score_path(maker, rows, slots, maker->path, unit, cost);
    if (err == PF_ELIMIT) *cost = (double)INFINITY;
    free(step);
    free(unit);
    return err == PF_ELIMIT ? PF_OK : err;
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

/* Makes a limit less, if the models say less of a path. */
static pf_err take_path(const unit_maker *maker, pfi_rows *rows, const pf_slots_view *slots, float *limit) {
    double cost;
    PF_TRY(cost_of_path(maker, rows, slots, &cost));
    *limit = fminf(*limit, limit_for(maker, cost));
    return PF_OK;
}

/* Completions within the cost of some path. Leads are found within a guess first: their path mostly costs less than that of the
 * positions, and fewer leads are within its cost. */
static pf_err fill_within(unit_maker *maker, pfi_rows *rows, const pf_slots_view *slots) {
    float known = INFINITY;
    fill_after_positions(maker);
    PF_TRY(fill_positions(maker));
    maker->rest.moves = moves_of(maker);
    PF_TRY(pfi_completion_of_positions(&maker->rest, &maker->positions, maker->own, maker->final));
    for (uint32_t state = 0; state < moves_of(maker)->states; state++) pfi_completion_know(&maker->rest, state);
    follow_positions(maker, maker->path);
    PF_TRY(take_path(maker, rows, slots, &known));
    if (known == INFINITY) return fill(maker, INFINITY);
    float more = GUESS * (float)moves_of(maker)->n;
    do {
        maker->limit = fminf(known, (float)maker->rest.start + more);
        more *= WIDER;
        PF_TRY(fill_leads(maker));
    } while (!follow_leads(maker, maker->path) && maker->limit < known);
    PF_TRY(take_path(maker, rows, slots, &known));
    const bool too_low = known > maker->limit;
    maker->limit = known;
    if (too_low) PF_TRY(fill_leads(maker));
    PF_TRY(fill(maker, known));
    assert(maker->start < INFINITY); /* the path that the limit is the cost of is within it */
    return PF_OK;
}

static pf_err make_room_for_leads(unit_maker *maker) {
    const pf_moves *moves = moves_of(maker);
    const size_t count = moves->first[moves->states];
    maker->after_position = calloc((moves->n + (size_t)1) * maker->bound->stride + PFI_CHUNK, sizeof *maker->after_position);
    maker->cheapest = malloc(maker->bound->stride * sizeof *maker->cheapest);
    maker->lead = malloc(count * sizeof *maker->lead);
    maker->arrival = malloc(moves->states * sizeof *maker->arrival);
    maker->unit_lead = malloc(maker->room * sizeof *maker->unit_lead);
    maker->path = malloc(moves->n * sizeof *maker->path);
    if (!maker->after_position || !maker->cheapest || !maker->lead) return pf_nomem();
    return maker->arrival && maker->unit_lead && maker->path ? PF_OK : pf_nomem();
}

/* Of the units of any position, in whole chunks. */
static size_t room_of(const unit_maker *maker) {
    const uint32_t *place = maker->place;
    size_t most = 0;
    for (unsigned j = 0; j < moves_of(maker)->n; j++)
        if (place[j + 1] - place[j] > most) most = place[j + 1] - place[j];
    return pfi_whole_chunks(most);
}

static pf_err make(unit_maker *maker, pfi_rows *rows, const pf_slots_view *slots, bool one_path) {
    const pf_moves *moves = moves_of(maker);
    maker->room = room_of(maker);
    maker->completion->first = malloc(moves->first[moves->states] * sizeof *maker->completion->first);
    maker->range = malloc(moves->states * sizeof *maker->range);
    maker->least = malloc(maker->room * sizeof *maker->least);
    if (!maker->completion->first || !maker->range || !maker->least) return pf_nomem();
    PF_TRY(pfi_completion_turn(maker->bound, maker->bound->length + (size_t)1, &maker->stride, &maker->after_next));
    const bool limited = one_path && moves->first[moves->states] > PAYS * slots->first[slots->n];
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
    unit_maker maker = {.completion = completion, .bound = bound, .own = own,
                        .place = bound->said.place,
                        .final = own * (double)slots->final, .wide = pfi_has_wide()};
    assert(completion->moves && bound->units);
    pf_err err = make(&maker, rows, slots, one_path);
    for (size_t i = 0; i < 2; i++) PF_VEC_FREE(&maker.next[i]);
    PF_VEC_FREE(&maker.after);
    PF_VEC_FREE(&maker.before);
    pfi_completion_free(&maker.rest);
    free(maker.positions.after);
    free(maker.positions.end_after);
    free(maker.after_next);
    free(maker.range);
    free(maker.least);
    free(maker.after_position);
    free(maker.cheapest);
    free(maker.lead);
    free(maker.arrival);
    free(maker.unit_lead);
    free(maker.path);
    return err;
}
