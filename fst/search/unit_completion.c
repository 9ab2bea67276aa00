/* The coarse model of units, backwards: completions where the words of a position have many units, as in translation. */
#include "search/limits.h"
#include "search/unit_completion_impl.h"

#include "base/contract.h"

#include <stdlib.h>

enum { PAYS = 2 /* moves for each unit: leads take less time than they save */ };

/* The least of the rows' sums in each column of the units of a move. */
static void find_least(const pfi_unit_maker *maker, const pfi_added_rows *rows, const pfi_unit_range *range, uint32_t move) {
    pfi_least_of_rows(&rows->at[range->begin], range->end - range->begin, pfi_first_unit(maker, move), pfi_units_of(maker, move),
                      maker->least);
}

/* ---- one move ---- */

/* pfi_completion_less, of whole chunks. */
static void make_less(float *cost, size_t count) {
    for (size_t i = 0; i < count; i += PFI_CHUNK) pfi_completion_less_by(&cost[i], PFI_COMPLETION_ROUNDING);
}

/* After each unit of a move: the least cost of all that comes after it. */
static void find_completions(const pfi_unit_maker *maker, const pfi_added_rows *next, uint32_t move) {
    const uint32_t to = pfi_moves_of(maker)->to[move], units = pfi_units_of(maker, move);
    const pfi_unit_range *range = &maker->range[to];
    if (to + 1 < pfi_moves_of(maker)->states) find_least(maker, next, range, move);
    else
        for (uint32_t unit = 0; unit < units; unit++)
            maker->least[unit] = pfi_end_cost(maker, pfi_first_unit(maker, move) + unit);
    make_less(maker->least, units);
}

/* Room for the completions of so many units, and for one more. */
static pf_err room_for(pfi_unit_maker *maker, size_t units) {
    if (maker->after.n + units > UINT32_MAX) return pf_nomem();
    PF_TRY(PF_ROOM(&maker->unit, units + 1));
    return PF_ROOM(&maker->after, units + 1);
}

/* Where completions of a move's units are noted, and the units among those that may come next. */
typedef struct {
    const pfi_unit_maker *maker;
    pfi_added_rows *now;
    const float *after_first; /* what its first unit costs after each one */
    float own;                /* what the move costs */
    size_t to, row;           /* the next places */
} unit_notes;

static unit_notes begin_notes(const pfi_unit_maker *maker, pfi_added_rows *now, uint32_t move) {
    return (unit_notes){maker, now, &maker->after_next[pfi_first_unit(maker, move) * maker->stride], pfi_move_cost(maker, move),
                        maker->after.n, now->n};
}

/* Which units have a completion can't be foretold: each is noted, and the next one over it if it is not `kept`. There is room. */
static inline void note_unit(unit_notes *notes, uint32_t unit, float cost, bool kept) {
    const pfi_unit_maker *maker = notes->maker;
    maker->unit.at[notes->to] = (uint16_t)unit;
    maker->after.at[notes->to] = cost;
    notes->now->at[notes->row] = (pfi_added_row){&notes->after_first[unit * maker->stride], pfi_completion_less(cost + notes->own)};
    notes->to += kept;
    notes->row += kept;
}

static void end_notes(pfi_unit_maker *maker, uint32_t move, const unit_notes *notes) {
    maker->units[move] = (pfi_move_units){(uint32_t)maker->after.n, (uint32_t)notes->to};
    maker->unit.n = maker->after.n = notes->to;
    notes->now->n = notes->row;
}

/* All units that something comes after. */
static pf_err note_all(pfi_unit_maker *maker, pfi_added_rows *now, uint32_t move) {
    const uint32_t units = pfi_units_of(maker, move);
    PF_TRY(room_for(maker, units));
    PF_TRY(PF_ROOM(now, units + (size_t)1));
    unit_notes notes = begin_notes(maker, now, move);
    for (uint32_t unit = 0; unit < units; unit++) note_unit(&notes, unit, maker->least[unit], maker->least[unit] < INFINITY);
    end_notes(maker, move, &notes);
    return PF_OK;
}

/* Those that can be part of a path within the limit. *least: the least cost of what comes after, together with any unit that leads
 * to it. */
static pf_err note_within(pfi_unit_maker *maker, pfi_added_rows *now, uint32_t move, float *least) {
    const pfi_move_lead lead = maker->lead[move];
    const float *cheapest = &maker->cheapest[pfi_first_unit(maker, move)], limit = maker->limit;
    float found = *least;
    assert(maker->after.n + lead.units < maker->after.cap);
    PF_TRY(PF_ROOM(now, lead.units + (size_t)1));
    unit_notes notes = begin_notes(maker, now, move);
    for (uint32_t i = 0; i < lead.units; i++) {
        const uint32_t unit = lead.unit[i].unit;
        const float cost = maker->least[unit];
        const bool kept = lead.unit[i].cost + cost <= limit;
        note_unit(&notes, unit, cost, kept);
        found = pfi_smaller(kept ? cheapest[unit] + cost : INFINITY, found);
    }
    end_notes(maker, move, &notes);
    *least = found;
    return PF_OK;
}

/* ---- all moves ---- */

/* Can something come after a move, and before it within the limit? */
static bool is_open(const pfi_unit_maker *maker, uint32_t move) {
    const pf_moves *moves = pfi_moves_of(maker);
    const pfi_unit_range *range = &maker->range[moves->to[move]];
    const bool ends = moves->to[move] + 1 == moves->states;
    if (!ends && range->begin == range->end) return false;
    if (!maker->limited) return true;
    const float rest = ends ? pfi_completion_after(&maker->rest, move, 0) : range->least; /* the end may cost less than 0 */
    return maker->lead[move].least + rest <= maker->limit;
}

static pf_err fill_move(pfi_unit_maker *maker, pfi_unit_range *range, unsigned level, uint32_t move) {
    pfi_added_rows *now = &maker->next[level % 2];
    find_completions(maker, &maker->next[(level + 1) % 2], move);
    PF_TRY(maker->limited ? note_within(maker, now, move, &range->least) : note_all(maker, now, move));
    range->end = now->n;
    return PF_OK;
}

static pf_err fill_level(pfi_unit_maker *maker, unsigned level) {
    const pf_moves *moves = pfi_moves_of(maker);
    maker->next[level % 2].n = 0;
    for (uint32_t state = moves->level[level]; state < moves->level[level + 1]; state++) {
        const size_t begin = maker->next[level % 2].n;
        PF_TRY(pfi_unit_check_limits(maker, state));
        maker->range[state] = (pfi_unit_range){begin, begin, INFINITY};
        for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++) {
            maker->units[i] = (pfi_move_units){0, 0};
            if (is_open(maker, i)) PF_TRY(fill_move(maker, &maker->range[state], level, i));
        }
    }
    return PF_OK;
}

/* What leads take, if there are any. */
static uint64_t lead_bytes(const pfi_unit_maker *maker) {
    const pf_moves *moves = pfi_moves_of(maker);
    if (!maker->lead) return 0;
    const uint64_t of_move = sizeof *maker->lead + (maker->price_left ? sizeof *maker->detours.then : 0);
    const uint64_t of_state = sizeof *maker->arrival + (maker->price_left ? sizeof *maker->price_left : 0);
    return pfi_completion_own_bytes(&maker->rest) + moves->first[moves->states] * of_move + moves->states * of_state +
           maker->leads.total;
}

uint64_t pfi_unit_maker_bytes(const pfi_unit_maker *maker) {
    const pf_moves *moves = pfi_moves_of(maker);
    return lead_bytes(maker) + moves->states * sizeof *maker->range +
           (maker->units ? moves->first[moves->states] * sizeof *maker->units : 0) + maker->unit.n * sizeof *maker->unit.at +
           maker->after.n * sizeof *maker->after.at;
}

pf_err pfi_unit_check_limits(const pfi_unit_maker *maker, uint32_t state) {
    enum { STATES_A_LOOK = 256 };
    if (!maker->options || state % STATES_A_LOOK) return PF_OK;
    PF_TRY(pfi_check_clock(maker->options));
    return pfi_check_bytes(maker->options, pfi_completion_bytes(maker->completion));
}

pf_err pfi_unit_completions_fill(pfi_unit_maker *maker) {
    const pfi_added_rows *first = &maker->next[0];
    const pf_moves *moves = pfi_moves_of(maker);
    free(maker->units);
    maker->units = malloc(moves->first[moves->states] * sizeof *maker->units);
    if (!maker->units) return pf_nomem();
    maker->unit.n = maker->after.n = 0;
    if (maker->limited) PF_TRY(room_for(maker, maker->led_units)); /* no others have completions */
    for (unsigned level = moves->n; level-- > 0;) PF_TRY(fill_level(maker, level));
    maker->start = INFINITY;
    for (size_t i = 0; i < first->n; i++)
        maker->start = fminf(maker->start, first->at[i].row[maker->bound->length] + first->at[i].cost);
    return PF_OK;
}

/* ---- all of it ---- */

/* Of the units of any position, in whole chunks. */
static size_t room_of(const pfi_unit_maker *maker) {
    const uint32_t *place = maker->place;
    size_t most = 0;
    for (unsigned j = 0; j < pfi_moves_of(maker)->n; j++)
        if (place[j + 1] - place[j] > most) most = place[j + 1] - place[j];
    return pfi_whole_chunks(most);
}

static pf_err make_room(pfi_unit_maker *maker) {
    maker->room = room_of(maker);
    maker->range = malloc(pfi_moves_of(maker)->states * sizeof *maker->range);
    maker->least = malloc(maker->room * sizeof *maker->least);
    if (!maker->range || !maker->least) return pf_nomem();
    return pfi_completion_turn(maker->bound, maker->bound->length + (size_t)1, &maker->stride, &maker->after_next);
}

static void free_units(pfi_completion *completion) {
    free(completion->units);
    free(completion->unit);
    free(completion->after);
    completion->units = NULL;
    completion->unit = NULL;
    completion->after = NULL;
    completion->after_units = 0;
}

/* The completion has what was made. */
static void hand_over(pfi_unit_maker *maker) {
    pfi_completion *completion = maker->completion;
    free_units(completion);
    completion->units = maker->units;
    completion->unit = maker->unit.at;
    completion->after = maker->after.at;
    completion->after_units = maker->after.n;
    completion->start = (double)pfi_completion_less(maker->start);
    completion->within = maker->within;
    maker->units = NULL;
    maker->unit.at = NULL;
    maker->after.at = NULL;
    maker->unit.n = maker->unit.cap = maker->after.n = maker->after.cap = 0;
}

void pfi_completion_forget_units(pfi_completion *completion) {
    assert(completion->maker && completion->maker->rest.cost && !completion->cost);
    pfi_completion *of_positions = &completion->maker->rest;
    free_units(completion);
    completion->cost = of_positions->cost;
    completion->through = of_positions->through;
    completion->start = completion->maker->proven;
    completion->within = (double)INFINITY;
    of_positions->cost = of_positions->through = NULL;
    pfi_completion_forget_maker(completion);
}

/* Where one path is wanted. */
static pf_err make_limited(pfi_completion *completion, const pf_best_options *options) {
    pfi_unit_maker *maker = completion->maker;
    PF_TRY(pfi_unit_leads_prepare(maker));
    maker->options = options;
    const pf_err err = pfi_unit_limit_first(maker);
    if (pfi_is_limit(err)) {
        pfi_completion_forget_units(completion);
        return PF_OK;
    }
    PF_TRY(err);
    hand_over(maker);
    return PF_OK;
}

static pf_err make_all(pfi_completion *completion) {
    PF_TRY(pfi_unit_completions_fill(completion->maker));
    hand_over(completion->maker);
    return PF_OK;
}

pf_err pfi_completion_of_units(pfi_completion *completion, const pfi_bound *bound, pfi_rows *rows, const pf_slots_view *slots,
    bool one_path, const pf_best_options *options) {
    const pf_moves *moves = completion->moves;
    pfi_unit_maker *maker = completion->maker = calloc(1, sizeof *maker);
    assert(moves && bound->units);
    if (!maker) return pf_nomem();
    *maker = (pfi_unit_maker){.completion = completion, .bound = bound, .rows = rows, .slots = slots, .place = bound->said.place,
                              .own = rows->parts.own, .final = rows->parts.own * (double)slots->final,
                              .within = (double)INFINITY};
    PF_TRY(make_room(maker));
    const bool limited = one_path && moves->first[moves->states] > PAYS * slots->first[slots->n];
    PF_TRY(limited ? make_limited(completion, options) : make_all(completion));
    if (completion->within == (double)INFINITY) pfi_completion_forget_maker(completion);
    return PF_OK;
}

pf_err pfi_completion_widen(pfi_completion *completion, double most) {
    assert(completion->within < (double)INFINITY && completion->maker);
    PF_TRY(pfi_unit_limit_further(completion->maker, most));
    hand_over(completion->maker);
    return PF_OK;
}

void pfi_completion_forget_maker(pfi_completion *completion) {
    pfi_unit_maker *maker = completion->maker;
    if (!maker) return;
    for (size_t i = 0; i < 2; i++) PF_VEC_FREE(&maker->next[i]);
    free(maker->after_next);
    free(maker->range);
    free(maker->least);
    pfi_unit_leads_free(maker);
    free(maker->units);
    PF_VEC_FREE(&maker->unit);
    PF_VEC_FREE(&maker->after);
    free(maker);
    completion->maker = NULL;
}
