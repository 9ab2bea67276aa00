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
    float most;     /* a total: the best are the first PFI_MOST_BEST whose total is not above it */
} pfi_kept_units;

/* A unit that is kept. */
typedef struct {
    float cost;    /* its lead */
    uint16_t unit; /* counted from the first one of the move's position */
    uint16_t best; /* 1: it is one of the best; 0: it is not */
} pfi_unit_lead;

/* Of a move's `units` units, keeps those whose total is within the limit, which is finite. lead[] has what leads to them, without
 * the cost of the move, `own`, which is added; INFINITY is left of the leads and of total[] where they are not kept. Both have
 * places for whole chunks. The best are those with the least totals, at most PFI_MOST_BEST, and one at least where any is kept: no
 * other one has a lower total. Of too many equal ones the first are taken. O(units). */
void pfi_keep_units(const pfi_unit_rests *rests, float own, float limit, uint32_t units, float *lead, float *total,
    pfi_kept_units *kept);

/* Lists what pfi_keep_units has kept, in the order of the units: kept->units of them, with a place for one more. O(units). */
void pfi_list_kept(const pfi_kept_units *kept, const float *lead, const float *total, uint32_t units, pfi_unit_lead *out);

/* pfi_keep_units for processors without wide vectors. */
void pfi_keep_units_plain(const pfi_unit_rests *rests, float own, float limit, uint32_t units, float *lead, float *total,
    pfi_kept_units *kept);

#endif
