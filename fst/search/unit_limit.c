/* How far completions of units reach.
 *
 * The models score the best path of the coarse models, by the units that cost least along it. No best path costs more, but mostly
 * it costs less. So completions reach little further than leads say that any path costs. Where the search finds no path that costs
 * as little, or only one that costs more, they are made again, further. */
#include "search/unit_completion_impl.h"

#include "base/contract.h"

#include <stdlib.h>

/* By so large a part of a cost, another one is further: */
static const double FURTHER_THAN_ROUTES = 0.06; /* the first limit of leads, than what any path costs by detours */
static const double FIRST_STEP = 0.05;          /* and than they were, where no path was within */
static const double FURTHER_THAN_LEADS = 0.05;  /* what completions are first made for, than the least lead to the end */
static const double NEAREST = 0.03;             /* the same, where leads do not reach so far, before they are found again */
static const double STEP = 0.04;                /* what completions are made for again, than they were, */
static const double NEAR_PATH = 0.15;           /* unless a path is known that costs no more than so much more */
static const double FURTHER_THAN_POSITIONS = 0.5; /* for each position: the first one, where no routes are known */

enum { EVEN_STEPS = 8 }; /* with prices: a limit that is a step further has several times as many leads */

/* ---- paths ---- */

/* The best move of a state in the model of positions. */
static uint32_t best_move(const pfi_unit_maker *maker, uint32_t state, unsigned last) {
    const pf_moves *moves = pfi_moves_of(maker);
    uint32_t best = moves->first[state];
    float least = INFINITY;
    for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++) {
        const float after = maker->positions.after[last * maker->positions.stride + moves->position[i]];
        const float cost = after + pfi_move_cost(maker, i) + pfi_completion_after(&maker->rest, i, 0);
        if (cost < least) best = i;
        if (cost < least) least = cost;
    }
    return best;
}

/* The moves of the best path of the model of positions. */
static void follow_positions(const pfi_unit_maker *maker, uint32_t *move) {
    const pf_moves *moves = pfi_moves_of(maker);
    unsigned last = moves->n;
    for (uint32_t state = 0, at = 0; at < moves->n; state = moves->to[move[at++]]) {
        move[at] = best_move(maker, state, last);
        last = moves->position[move[at]];
    }
}

/* What leads to a unit, and the cost up to it. */
typedef struct {
    uint32_t before;
    float cost;
} unit_step;

/* The least cost of each unit of a position, after those of the position before it; of no position: at the start. */
static void step_to(const pfi_unit_maker *maker, uint32_t first, uint32_t end, unsigned j, unit_step *step) {
    const pfi_bound *bound = maker->bound;
    for (uint32_t unit = maker->place[j]; unit < maker->place[j + 1]; unit++) {
        unit_step best = {first, first < end ? INFINITY : pfi_costs_at_start(maker)[unit]};
        for (uint32_t before = first; before < end; before++) {
            const float cost = step[before].cost + bound->after[before * bound->stride + unit];
            if (cost < best.cost) best = (unit_step){before, cost};
        }
        step[unit] = best;
    }
}

/* The units that cost least along a path. */
static void choose_units(const pfi_unit_maker *maker, const uint32_t *move, unit_step *step, uint32_t *chosen) {
    const pf_moves *moves = pfi_moves_of(maker);
    uint32_t first = 0, end = 0;
    for (unsigned at = 0; at < moves->n; at++) {
        const unsigned j = moves->position[move[at]];
        step_to(maker, first, end, j, step);
        first = maker->place[j];
        end = maker->place[j + 1];
    }
    uint32_t best = first;
    for (uint32_t unit = first; unit < end; unit++)
        if (step[unit].cost + pfi_end_cost(maker, unit) < step[best].cost + pfi_end_cost(maker, best)) best = unit;
    for (unsigned at = moves->n; at-- > 0; best = step[best].before) chosen[at] = best;
}

/* What the models say of a path. */
static pf_err score_path(const pfi_unit_maker *maker, const uint32_t *move, const uint32_t *unit, double *cost) {
    const pf_moves *moves = pfi_moves_of(maker);
    const pfi_said *said = &maker->bound->said;
    pfi_rows *rows = maker->rows;
    pfi_cell cell = {0, 0};
    double end;
    *cost = maker->final;
    for (unsigned at = 0; at < moves->n; at++) {
        const double own = moves->cost ? moves->cost[move[at]] : 0;
        const pf_arc *arc = &maker->slots->arc[said->unit[unit[at]]];
        PF_TRY(pfi_rows_step(rows, cell.to, pfi_rows_column(rows, arc->out), &cell));
        *cost += pf_scaled(maker->own, own + (double)arc->w) + cell.cost;
    }
    PF_TRY(pfi_rows_end(rows, cell.to, &end));
    *cost += end;
    return PF_OK;
}

/* The cost of maker->path by the units that cost least along it; INFINITY where it is too large. */
static pf_err cost_of_path(const pfi_unit_maker *maker, double *cost) {
    unit_step *step = malloc(maker->bound->length * sizeof *step);
    uint32_t *unit = malloc(pfi_moves_of(maker)->n * sizeof *unit);
    pf_err err = step && unit ? PF_OK : pf_nomem();
    if (!err) choose_units(maker, maker->path, step, unit);
    if (!err) err = score_path(maker, maker->path, unit, cost);
    if (err == PF_ELIMIT) *cost = (double)INFINITY;
    free(step);
    free(unit);
    return err == PF_ELIMIT ? PF_OK : err;
}

/* What is known of the cost of the best path, with that of maker->path. */
static pf_err know_path(pfi_unit_maker *maker) {
    double cost;
    PF_TRY(cost_of_path(maker, &cost));
    maker->known = fmin(maker->known, cost);
    return PF_OK;
}

/* ---- limits ---- */

/* A limit that all paths of this cost, and of less, are within, however their weights and leads are rounded. No sum on the way is
 * larger than the cost, together with all weights below 0, and with all prices. */
static float limit_for(const pfi_unit_maker *maker, double cost) {
    const double words = (double)pfi_moves_of(maker)->n + 1;
    double below = 0;
    for (uint32_t unit = 0; unit < maker->bound->length; unit++)
        below = fmin(below, fmin((double)maker->cheapest[unit], maker->bound->end_after[unit] + maker->final));
    double largest = fabs(cost) - 2 * words * below + 1;
    for (unsigned i = 0; maker->bound->price && i < pfi_moves_of(maker)->n; i++) largest += fabs((double)maker->bound->price[i]);
    const double limit = cost + 4 * (double)PFI_COMPLETION_ROUNDING * words * largest;
    return limit < (double)FLT_MAX ? (float)limit : FLT_MAX;
}

/* A cost that is a sum of leads, less what these are rounded by. */
static double lower(const pfi_unit_maker *maker, double cost) { return 2 * cost - (double)limit_for(maker, cost); }

/* So much further than a cost. */
static double further(double cost, double part) { return cost + part * (fabs(cost) + 1); }

/* Leads of all paths that cost so much or less, unless they are there. */
static pf_err lead_to(pfi_unit_maker *maker, double cost) {
    if (cost <= maker->led_to) return PF_OK;
    maker->led_to = -(double)INFINITY; /* until all are there */
    maker->limit = limit_for(maker, cost);
    PF_TRY(pfi_unit_leads_fill(maker));
    maker->led_to = cost;
    maker->proven = fmax(maker->proven, lower(maker, fmin(maker->least_lead, cost)));
    return PF_OK;
}

/* The same; if that is not known to be enough for any path, further and further ones. */
static pf_err lead_to_end(pfi_unit_maker *maker, double cost) {
    const double step = maker->bound->price ? further(cost, FIRST_STEP) - cost : fmax(cost - maker->rest.start, 1);
    unsigned even = maker->bound->price ? EVEN_STEPS : 0;
    for (double more = step;; cost += more, more *= even ? 1 : 2, even -= even > 0) {
        cost = fmin(maker->known, cost);
        PF_TRY(lead_to(maker, cost));
        if (maker->least_lead < (double)INFINITY) return PF_OK;
        assert(cost < maker->known);
    }
}

/* Completions of all paths that cost so much or less. */
static pf_err complete(pfi_unit_maker *maker, double cost) {
    PF_TRY(lead_to(maker, cost));
    maker->limit = limit_for(maker, cost);
    PF_TRY(pfi_unit_completions_fill(maker));
    maker->within = cost < maker->known ? cost : (double)INFINITY;
    return PF_OK;
}

/* How far leads are found first. */
static double first_cost(const pfi_unit_maker *maker) {
    const double positions = maker->rest.start + FURTHER_THAN_POSITIONS * pfi_moves_of(maker)->n;
    return maker->bound->price ? further(maker->detours.start, FURTHER_THAN_ROUTES) : positions;
}

pf_err pfi_unit_limit_first(pfi_unit_maker *maker) {
    maker->known = (double)INFINITY;
    maker->led_to = -(double)INFINITY;
    maker->proven = maker->bound->price ? fmax(maker->rest.start, lower(maker, maker->detours.start)) : maker->rest.start;
    follow_positions(maker, maker->path);
    PF_TRY(know_path(maker));
    maker->limited = maker->known < (double)INFINITY;
    if (!maker->limited) return pfi_unit_completions_fill(maker);
    PF_TRY(lead_to_end(maker, first_cost(maker)));
    pfi_unit_leads_follow(maker, maker->path);
    PF_TRY(know_path(maker));
    const double mostly = further(maker->least_lead, FURTHER_THAN_LEADS);
    const bool far_enough = maker->led_to >= further(maker->least_lead, NEAREST);
    return complete(maker, fmin(maker->known, far_enough ? fmin(mostly, maker->led_to) : mostly));
}

pf_err pfi_unit_limit_further(pfi_unit_maker *maker, double most) {
    const double within = maker->within, start = maker->completion->start;
    const double least = start < (double)INFINITY ? fmax(start, within) : within;
    maker->known = fmin(maker->known, most);
    return complete(maker, maker->known <= further(least, NEAR_PATH) ? maker->known : further(least, STEP));
}
