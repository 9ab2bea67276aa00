/* The coarse model of units, forwards: what a path up to a unit of a move costs at least.
 *
 * It knows of each move the best units and their costs; all others are one, which costs as little as any of them and leads to each
 * next unit as cheaply. Units that no path within the limit goes over, as far as is known of what comes after them, lead nowhere:
 * where few are left, leads are exact. What comes after them is known of positions, and of routes with prices (unit_routes.h): a
 * path from there on gets back the prices of the positions that it has not covered, and of no others. It also pays detours
 * (unit_detours.h). */
#include "search/bound_impl.h"
#include "search/unit_completion_impl.h"

#include "base/contract.h"

#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

/* What leads to a unit after each position is the least over the position's units. */
static void fill_after_positions(const pfi_unit_maker *maker) {
    const unsigned n = pfi_moves_of(maker)->n;
    const size_t stride = maker->bound->stride;
    for (unsigned last = 0; last < n; last++) {
        float *least = &maker->after_position[last * stride];
        const float *after = &maker->bound->after[maker->place[last] * stride];
        memcpy(least, after, stride * sizeof *least);
        for (uint32_t unit = maker->place[last] + 1; unit < maker->place[last + 1]; unit++) {
            after += stride;
            for (size_t k = 0; k < stride; k += PFI_CHUNK) pfi_take_less(&least[k], &after[k], 0);
        }
    }
    memcpy(&maker->after_position[n * stride], pfi_costs_at_start(maker), stride * sizeof(float));
    memcpy(maker->cheapest, pfi_costs_at_start(maker), stride * sizeof(float));
    for (unsigned last = 0; last < n; last++)
        for (size_t k = 0; k < stride; k += PFI_CHUNK)
            pfi_take_less(&maker->cheapest[k], &maker->after_position[last * stride + k], 0);
}

static float least_of_units(const pfi_unit_maker *maker, const float *cost, unsigned j) {
    float least = INFINITY;
    for (uint32_t unit = maker->place[j]; unit < maker->place[j + 1]; unit++) least = cost[unit] < least ? cost[unit] : least;
    return least;
}

/* What a unit of each position costs at least after any unit of another one; and the end. */
static pf_err fill_positions(pfi_unit_maker *maker) {
    const unsigned n = pfi_moves_of(maker)->n;
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

/* The prices that are left in each state, whatever path has led to it. */
static void fill_prices(const pfi_unit_maker *maker) {
    const pf_moves *moves = pfi_moves_of(maker);
    double all = 0;
    for (unsigned j = 0; j < moves->n; j++) all += (double)maker->bound->price[j];
    maker->price_left[0] = all;
    for (uint32_t state = 0; state < moves->states; state++)
        for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++)
            maker->price_left[moves->to[i]] = maker->price_left[state] - (double)maker->bound->price[moves->position[i]];
}

static pf_err make_room(pfi_unit_maker *maker) {
    const pf_moves *moves = pfi_moves_of(maker);
    const size_t count = moves->first[moves->states];
    maker->after_position = pfi_floats_and_chunk((moves->n + (size_t)1) * maker->bound->stride);
    maker->cheapest = pfi_floats_and_chunk(maker->bound->stride);
    maker->lead = malloc(count * sizeof *maker->lead);
    maker->arrival = malloc(moves->states * sizeof *maker->arrival);
    maker->led = malloc(maker->room * sizeof *maker->led);
    maker->unit_total = malloc(maker->room * sizeof *maker->unit_total);
    maker->detours_after = malloc(maker->room * sizeof *maker->detours_after);
    maker->path = malloc(moves->n * sizeof *maker->path);
    if (!maker->after_position || !maker->cheapest || !maker->lead || !maker->arrival) return pf_nomem();
    if (!maker->led || !maker->unit_total || !maker->detours_after || !maker->path) return pf_nomem();
    if (!maker->bound->price) return PF_OK;
    maker->price_left = malloc(moves->states * sizeof *maker->price_left);
    return maker->price_left ? PF_OK : pf_nomem();
}

pf_err pfi_unit_leads_prepare(pfi_unit_maker *maker) {
    PF_TRY(make_room(maker));
    fill_after_positions(maker);
    PF_TRY(fill_positions(maker));
    if (maker->price_left) {
        fill_prices(maker);
        PF_TRY(pfi_unit_detours_find(&maker->detours, pfi_moves_of(maker), maker->bound,
                                     &(pfi_turned_costs){maker->after_next, maker->stride}, maker->own, maker->final));
    }
    maker->rest.moves = pfi_moves_of(maker);
    PF_TRY(pfi_completion_of_positions(&maker->rest, &maker->positions, maker->own, maker->final));
    for (uint32_t state = 0; state < pfi_moves_of(maker)->states; state++) pfi_completion_know(&maker->rest, state);
    return PF_OK;
}

void pfi_unit_leads_free(pfi_unit_maker *maker) {
    pfi_completion_free(&maker->rest);
    free(maker->positions.after);
    free(maker->positions.end_after);
    free(maker->price_left);
    pfi_unit_detours_free(&maker->detours);
    free(maker->after_position);
    free(maker->cheapest);
    free(maker->lead);
    free(maker->arrival);
    free(maker->led);
    free(maker->unit_total);
    free(maker->detours_after);
    free(maker->path);
    pf_arena_free(&maker->leads);
    PF_VEC_FREE(&maker->arrived);
}

/* ---- one move ---- */

/* What units cost after the units of a move's position: a row for each. */
static const float *after_units(const pfi_unit_maker *maker, uint32_t move) {
    return &maker->bound->after[pfi_first_unit(maker, move) * maker->bound->stride];
}

/* What leads to all moves of a state, when the leads of the moves to it are known: their best units, and the others of each move
 * together. */
static pf_err take_arrivals(pfi_unit_maker *maker, uint32_t state) {
    pfi_added_rows *rows = &maker->arrived;
    const size_t stride = maker->bound->stride;
    rows->n = 0;
    if (!state) return PF_PUSH(rows, ((pfi_added_row){pfi_costs_at_start(maker), 0}));
    for (uint32_t before = maker->arrival[state]; before != PFI_NO_MOVE; before = maker->lead[before].earlier) {
        const pfi_move_lead lead = maker->lead[before];
        const float *after = after_units(maker, before);
        PF_TRY(PF_ROOM(rows, lead.units + (size_t)1));
        pfi_added_row *row = &rows->at[rows->n];
        for (uint32_t i = 0; i < lead.units; i++) {
            *row = (pfi_added_row){&after[lead.unit[i].unit * stride], lead.unit[i].cost};
            row += lead.unit[i].best;
        }
        *row = (pfi_added_row){&maker->after_position[pfi_moves_of(maker)->position[before] * stride], lead.other};
        rows->n = (size_t)(row - rows->at) + (lead.other < INFINITY);
    }
    return PF_OK;
}

/* What comes after a move at least, by what positions cost. */
static float rest_of(const pfi_unit_maker *maker, uint32_t move) { return pfi_completion_after(&maker->rest, move, 0); }

/* What comes after the units of a move from a state of some level. */
static pfi_unit_rests rests_of(const pfi_unit_maker *maker, unsigned level, uint32_t move) {
    const pfi_bound *bound = maker->bound;
    if (!maker->price_left) return (pfi_unit_rests){NULL, NULL, 0, rest_of(maker, move)};
    const float *of_routes = &bound->rest_of_routes[level * (size_t)bound->length + pfi_first_unit(maker, move)];
    const float left = pfi_float_below(maker->price_left[pfi_moves_of(maker)->to[move]]);
    return (pfi_unit_rests){of_routes, maker->detours_after, left, rest_of(maker, move)};
}

/* What comes after the units of a move more than routes know. */
static pf_err find_detours(pfi_unit_maker *maker, unsigned level, uint32_t move) {
    const uint32_t units = pfi_units_of(maker, move);
    if (level + 1 < pfi_moves_of(maker)->n)
        return pfi_unit_detours_after(&maker->detours, level, move, pfi_first_unit(maker, move), units, maker->detours_after);
    for (uint32_t unit = 0; unit < pfi_whole_chunks(units); unit++) maker->detours_after[unit] = pfi_float_below(maker->final);
    return PF_OK;
}

/* Writes down the leads of a move, which were found from a state. */
static pf_err keep_leads(pfi_unit_maker *maker, uint32_t state, uint32_t move, const pfi_kept_units *kept) {
    uint32_t *arrival = &maker->arrival[pfi_moves_of(maker)->to[move]];
    pfi_unit_lead *unit = pf_arena_get(&maker->leads, (kept->units + (size_t)1) * sizeof *unit);
    if (!unit) return pf_nomem();
    pfi_list_kept(kept, maker->led, maker->unit_total, pfi_units_of(maker, move), unit);
    maker->led_units += kept->units;
    maker->lead[move] = (pfi_move_lead){kept->least, kept->other, kept->on, kept->units, unit, state, *arrival};
    *arrival = move;
    return PF_OK;
}

/* The leads of a move from a state of some level: of the units that are within the limit, if there are any. Needs take_arrivals. */
static pf_err find_leads(pfi_unit_maker *maker, unsigned level, uint32_t state, uint32_t move) {
    const uint32_t units = pfi_units_of(maker, move);
    const pfi_unit_rests rests = rests_of(maker, level, move);
    pfi_kept_units kept;
    if (maker->price_left) PF_TRY(find_detours(maker, level, move));
    pfi_least_of_rows(maker->arrived.at, maker->arrived.n, pfi_first_unit(maker, move), units, maker->led);
    pfi_keep_units(&rests, pfi_move_cost(maker, move), maker->limit, units, maker->led, maker->unit_total, &kept);
    return kept.units ? keep_leads(maker, state, move, &kept) : PF_OK;
}

/* ---- all moves ---- */

/* Can a path within the limit go on from a move to another one, as far as routes tell? */
static bool goes_on(const pfi_unit_maker *maker, unsigned level, uint32_t before, uint32_t move) {
    const pf_moves *moves = pfi_moves_of(maker);
    if (!maker->price_left) return true;
    const float step = pfi_detour_step(&maker->detours, level - 1, moves->position[before], moves->position[move]);
    return maker->lead[before].on + (step + maker->detours.then[move]) <= maker->limit;
}

/* Can a path within the limit go over a move, as far as positions and routes tell? Its state has arrivals, unless it is the first
 * one. */
static bool may_lead(const pfi_unit_maker *maker, unsigned level, uint32_t state, uint32_t move) {
    const pf_moves *moves = pfi_moves_of(maker);
    const float *after = &maker->positions.after[moves->position[move]];
    const size_t stride = maker->positions.stride;
    const float rest = pfi_move_cost(maker, move) + rest_of(maker, move);
    if (!state) return after[moves->n * stride] + rest <= maker->limit;
    for (uint32_t i = maker->arrival[state]; i != PFI_NO_MOVE; i = maker->lead[i].earlier)
        if (maker->lead[i].least + after[moves->position[i] * stride] + rest <= maker->limit && goes_on(maker, level, i, move))
            return true;
    return false;
}

/* The leads of a state's moves, which lead on where they can be part of a path within the limit. */
static pf_err lead_from(pfi_unit_maker *maker, unsigned level, uint32_t state) {
    const pf_moves *moves = pfi_moves_of(maker);
    bool taken = false;
    for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++) {
        maker->lead[i] = (pfi_move_lead){.least = INFINITY};
        if (!may_lead(maker, level, state, i)) continue;
        if (!taken) PF_TRY(take_arrivals(maker, state));
        taken = true;
        PF_TRY(find_leads(maker, level, state, i));
    }
    return PF_OK;
}

/* ---- paths ---- */

/* What the end costs at least after any unit of a move. */
static float end_after(const pfi_unit_maker *maker, uint32_t move) {
    return (float)(maker->positions.end_after[pfi_moves_of(maker)->position[move]] + maker->final);
}

/* The least cost up to a unit, or to the end (`unit` is PFI_NO_MOVE), by some of the units of the move before it. *best: that one
 * of its best units by which it costs least. */
static float least_to(const pfi_unit_maker *maker, uint32_t move, uint32_t unit, uint32_t *best) {
    const pfi_move_lead *lead = &maker->lead[move];
    const unsigned position = pfi_moves_of(maker)->position[move];
    const size_t stride = maker->bound->stride;
    const bool ends = unit == PFI_NO_MOVE;
    float least = INFINITY;
    for (uint32_t i = 0; i < lead->units; i++) {
        if (!lead->unit[i].best) continue;
        const uint32_t before = maker->place[position] + lead->unit[i].unit;
        const float next = ends ? pfi_end_cost(maker, before) : maker->bound->after[before * stride + unit];
        const float cost = lead->unit[i].cost + next;
        if (cost < least || least == INFINITY) *best = before;
        least = pfi_smaller(cost, least);
    }
    const float others = ends ? end_after(maker, move) : maker->after_position[position * stride + unit];
    return pfi_smaller(lead->other + others, least);
}

/* The move to a state over which a unit costs least, or the end. There is one. */
static uint32_t least_move_to(const pfi_unit_maker *maker, uint32_t state, uint32_t unit, float *least, uint32_t *best_unit) {
    uint32_t best = PFI_NO_MOVE;
    *least = INFINITY;
    for (uint32_t i = maker->arrival[state]; i != PFI_NO_MOVE; i = maker->lead[i].earlier) {
        uint32_t by = 0;
        const float cost = least_to(maker, i, unit, &by);
        if (best != PFI_NO_MOVE && !(cost < *least)) continue;
        *least = cost;
        *best_unit = by;
        best = i;
    }
    return best;
}

pf_err pfi_unit_leads_fill(pfi_unit_maker *maker) {
    const pf_moves *moves = pfi_moves_of(maker);
    float least;
    uint32_t unit;
    pf_arena_free(&maker->leads);
    maker->led_units = 0;
    for (uint32_t state = 0; state < moves->states; state++) maker->arrival[state] = PFI_NO_MOVE;
    for (unsigned level = 0; level < moves->n; level++)
        for (uint32_t state = moves->level[level]; state < moves->level[level + 1]; state++) {
            PF_TRY(pfi_unit_check_limits(maker, state));
            PF_TRY(lead_from(maker, level, state));
        }
    least_move_to(maker, moves->states - 1, PFI_NO_MOVE, &least, &unit);
    maker->least_lead = (double)least;
    return PF_OK;
}

void pfi_unit_leads_follow(const pfi_unit_maker *maker, uint32_t *move) {
    const pf_moves *moves = pfi_moves_of(maker);
    uint32_t state = moves->states - 1, unit = PFI_NO_MOVE;
    for (unsigned at = moves->n; at-- > 0;) {
        float least;
        move[at] = least_move_to(maker, state, unit, &least, &unit);
        assert(move[at] != PFI_NO_MOVE);
        state = maker->lead[move[at]].from;
    }
}
