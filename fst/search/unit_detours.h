/* What paths cost more than routes. Private to the searches.
 *
 * A route of units (unit_routes.h) may visit a position twice, and pays its price. So what comes after a unit on the best route is
 * less than what comes after it on any path, which visits each position once, as moves allow. A step from one unit to another one
 * has a detour: what it costs, less the price of where it goes, and with what comes after it on the best route, more than the best
 * route from where it begins. A path costs what the best route from its start costs, and its detours. What the detours after a move
 * are at least is found exactly, for all moves, where only positions are known: a step between two positions takes the least detour
 * of their units. Routes know units, and moves know which positions are left. (Reduced costs of a relaxation, of which another one
 * makes a further part of the bound: Fischetti & Toth 1989.)
 *
 * O(units^2 x positions + moves x moves of a state). */
#ifndef PF_SEARCH_UNIT_DETOURS_H
#define PF_SEARCH_UNIT_DETOURS_H

#include "search/added_rows.h"
#include "search/bound.h"

#include <permfst/machine/moves.h>

#include <assert.h>

/* The positions that moves of one level go to: `width` of them, from `least` on; and their units. */
typedef struct {
    unsigned least, width;
    uint32_t first_unit, units;
    size_t stride;         /* floats in a row of units */
    size_t rows, steps;    /* where its rows begin, one for each position of the next level; and, by positions, its steps */
} pfi_detour_level;

typedef struct {
    const pf_moves *moves;
    pfi_detour_level *level;
    float *row;   /* the least detours of steps from units to positions */
    float *step;  /* from positions to positions */
    float *then;  /* of each move: what it costs, and the detours of the steps that come after it, at least; INFINITY: no path goes
                     over it */
    double start; /* what a path costs at least */
    pfi_added_rows next; /* scratch */
} pfi_unit_detours;

/* Costs by what comes next (pfi_completion_turn). */
typedef struct {
    const float *after_next;
    size_t stride;
} pfi_turned_costs;

/* Needs bound->price. `own`: the scale of what moves cost; `final`: what the end costs. The moves are borrowed. PF_ENOMEM, when
 * pfi_unit_detours_free is still to be called. */
pf_err pfi_unit_detours_find(pfi_unit_detours *detours, const pf_moves *moves, const pfi_bound *bound,
    const pfi_turned_costs *turned, double own, double final);
void pfi_unit_detours_free(pfi_unit_detours *detours);

/* The least detour of a step from one position of a level to one of the next level. */
static inline float pfi_detour_step(const pfi_unit_detours *detours, unsigned level, unsigned from, unsigned to) {
    const pfi_detour_level *here = &detours->level[level];
    assert(from >= here->least && to >= here[1].least);
    return detours->step[here->steps + (from - here->least) * (size_t)here[1].width + (to - here[1].least)];
}

/* Fills after[] with the detours that come at least after each of `units` units, from `first` on, of a move that is not the last
 * one; there is room for whole chunks. O(moves of the next state x units). PF_ENOMEM. */
pf_err pfi_unit_detours_after(pfi_unit_detours *detours, unsigned level, uint32_t move, uint32_t first, uint32_t units,
    float *after);

#endif
