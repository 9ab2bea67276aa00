/* The best route of units. Private to the searches.
 *
 * A route makes as many visits as there are positions, each at a unit that stands where the space may go at that step. It may visit
 * a position twice, for its price. It pays what the coarse model of one unit says (unit_costs.h), and gets back the price of each
 * position that it visits; all prices together are added. So each path is a route that pays no price in the end, and no path costs
 * less than the best route (state space relaxation, Christofides, Mingozzi & Toth 1981). */
#ifndef PF_SEARCH_UNIT_ROUTES_H
#define PF_SEARCH_UNIT_ROUTES_H

#include "search/unit_costs.h"

#include <permfst/base/arena.h>

/* Where a route is: a unit, or the start, and what was said last if that is told apart. */
typedef struct {
    uint32_t unit, class;
} pfi_route_place;

typedef struct {
    const pfi_bound_tables *tables;
    const pfi_unit_costs *costs;
    const float *price;          /* of each position */
    unsigned positions, classes; /* classes 0: units are not told apart */
    uint32_t *first, *end;       /* of each number of visits, from 0: the units that may be visited next */
    unsigned *earliest;          /* of each class: after how many visits something of it may have been said last */
    uint32_t *silent;            /* the units that are told apart, ascending */
    unsigned silents;
    size_t silent_stride;        /* floats in their rows: a multiple of PFI_CHUNK; those beyond them are INFINITY */
    float *silent_after;         /* of each unit, and of the start, a row: what they cost next */
    float *then, *rest;          /* of each unit: what comes after it; for each number of visits a row, of the unit that is visited
                                    next: the same, less its price. INFINITY for units that are told apart */
    float *silent_then, *silent_rest; /* of each class, the same of the units that are told apart, where this was said last */
    float *said_rest;            /* scratch: a row */
    pf_arena memory;
} pfi_unit_routes;

/* Borrows all three; the costs may be filled later, the prices set. PF_ENOMEM, when pfi_unit_routes_free is still to be called. */
pf_err pfi_unit_routes_init(pfi_unit_routes *routes, const pfi_bound_tables *tables, const pfi_unit_costs *costs,
    const float *price);
void pfi_unit_routes_free(pfi_unit_routes *routes);

/* The cost of the best route, by the costs and prices that there are; INFINITY: there is none. It is rounded down, as is all that
 * is known of what comes after a visit. O(units^2 x positions). */
float pfi_unit_routes_find(pfi_unit_routes *routes);

/* The place after so many visits, on the best route from the place before: that of the visit before, or, at the start, the number
 * of units. With noise, any place may be the best that costs no more than so much more. Needs pfi_unit_routes_find, which has found
 * a route. O(units of a visit). */
pfi_route_place pfi_unit_routes_next(const pfi_unit_routes *routes, unsigned visits, pfi_route_place from, float noise,
    uint64_t *draw);

/* Fills over[], a row of the costs, with what the best route over each unit costs at least, but for a constant; INFINITY: there is
 * none. What was said last is known of what comes after a unit, and not of what leads to it. Needs pfi_unit_routes_find.
 * O(units^2 x positions). PF_ENOMEM. */
pf_err pfi_unit_routes_over(const pfi_unit_routes *routes, float *over);

/* Fills rest[] with the least cost of what comes on a route after visit number `visits`, counted from 0, of each copy (said.h),
 * less the prices of the positions that it visits then; INFINITY: nothing does. O(copies). */
void pfi_unit_routes_rest(const pfi_unit_routes *routes, unsigned visits, float *rest);

#endif
