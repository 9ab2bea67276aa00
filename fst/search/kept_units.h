/* The units of a move that a path within a limit may go over, and the best of them. Private to the searches.
 *
 * What is known of a unit is its lead, the least cost of a path up to it, and its total, the lead with the least that comes after
 * it. Which units are kept cannot be foretold, so there is no branch that asks: all loops go over whole chunks of units. */
#ifndef PF_SEARCH_KEPT_UNITS_H
#define PF_SEARCH_KEPT_UNITS_H

#include <stddef.h>
#include <stdint.h>

enum { PFI_MOST_BEST = 16 };

/* What comes at least after the units of a move: by routes, with the prices that are left and detours, and by positions. */
typedef struct {
    const float *of_routes; /* of each unit, in whole chunks; NULL: nothing is known of them */
    const float *detours;   /* of each unit: what paths cost more than routes after it */
    float left, of_positions;
} pfi_unit_rests;

typedef struct {
    uint32_t units; /* how many are kept */
    float least;    /* the least lead of these; INFINITY: there are none */
    float other;    /* the least lead of those that are not among the best */
    float on;       /* of the kept ones: the least lead with what comes after it on routes, without detours */
    uint32_t best;  /* how many the best are, at least 1 where any is kept, */
    uint32_t which[PFI_MOST_BEST + 1]; /* and which, in ascending order; one place is scratch */
} pfi_kept_units;

/* Of a move's `units` units, keeps those whose total is within the limit, which is finite. lead[] has what leads to them, without
 * the cost of the move, `own`, which is added; INFINITY is left of those that are not kept. total[]: scratch. Both have places for
 * whole chunks. The best are those with the least totals, at most PFI_MOST_BEST: no other one has a lower total. Of too many equal
 * ones the first are taken. O(units). */
void pfi_keep_units(const pfi_unit_rests *rests, float own, float limit, uint32_t units, float *lead, float *total,
    pfi_kept_units *kept);

/* Leaves of rest[], what comes after each unit of a move at least, what is within the limit together with the lead of the unit, and
 * INFINITY of the others. Returns the least of what is left together with cheapest[], what the unit costs at least; INFINITY:
 * nothing is left. There are places for whole chunks. O(units). */
float pfi_keep_rests(const float *lead, const float *cheapest, float limit, uint32_t units, float *rest);

/* The same, for processors without wide vectors. */
void pfi_keep_units_plain(const pfi_unit_rests *rests, float own, float limit, uint32_t units, float *lead, float *total,
    pfi_kept_units *kept);
float pfi_keep_rests_plain(const float *lead, const float *cheapest, float limit, uint32_t units, float *rest);

#endif
