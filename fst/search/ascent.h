/* Steps that make a bound better: subgradient steps towards a cost that is expected. Private to the searches.
 *
 * A relaxed problem has values that may be chosen: prices, potentials. What its cheapest way does too often or too seldom is a
 * direction in which the least cost does not fall at first (Held & Karp 1971). A step goes as far as would close the gap to what
 * is expected (Polyak 1969); steps get shorter when they have not helped for some rounds. */
#ifndef PF_SEARCH_ASCENT_H
#define PF_SEARCH_ASCENT_H

#include <stdbool.h>
#include <stddef.h>

/* Values of one kind. The arrays have `count` places, a multiple of PFI_CHUNK. */
typedef struct {
    size_t count;
    float scale;      /* so much longer are the steps of this kind than they would be by themselves */
    float *value;
    float *change;    /* by the cheapest way, as the caller sets it */
    float *direction; /* where the values are going; 0 at first */
    float *best;      /* the values of the dearest cheapest way so far; NULL: they are not kept */
} pfi_ascent_part;

enum { PFI_ASCENT_PARTS = 8 };

typedef struct {
    pfi_ascent_part part[PFI_ASCENT_PARTS];
    size_t parts;
    float gap;        /* so large a part of the best cost is missing, as is expected */
    float dearest;    /* of the cheapest ways so far */
    float reach;      /* steps are so much shorter than they were at first */
    unsigned stalled; /* rounds that have not helped */
} pfi_ascent;

/* An ascent without parts. */
pfi_ascent pfi_ascent_begin(float gap);

/* Goes a step from values with which the cheapest way costs so much. False: there is nowhere to go. O(values). */
bool pfi_ascent_step(pfi_ascent *ascent, float cost);

/* Makes the best values those that there are, where they are kept and some way had a cost. Values that are kept are cut off where
 * they are large, so that rounding of sums of doubles stays far below what searches allow for it (pfi_levels_slack); where costs
 * are infinite as floats, they are 0. O(values). */
void pfi_ascent_end(const pfi_ascent *ascent);

#endif
