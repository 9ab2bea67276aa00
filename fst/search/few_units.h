/* The tables of a few units of each position. Private to the searches.
 *
 * The best routes go over few of the units that a word has. What is looked for round by round is looked for among these, in tables
 * that are as much smaller (few_units.c makes them, backoff_few.c the lists of histories). Histories keep their numbers, so what is
 * found of them holds for all units. */
#ifndef PF_SEARCH_FEW_UNITS_H
#define PF_SEARCH_FEW_UNITS_H

#include "search/bound_impl.h"

typedef struct {
    pfi_bound_tables tables; /* as of a sentence whose words have only these units */
    pfi_said said;           /* with the classes of all; without copies */
    uint32_t *unit;          /* of each unit here: its number among all; ascending */
    uint32_t *place, *first; /* tables.place, tables.slots.first */
    pf_arc *arc;             /* tables.slots.arc */
} pfi_few_units;

/* The `most` units of each position that cost least by cost[]; those that cost INFINITY only where there is no other. Borrows the
 * tables, and shares the potentials of their histories, which models have, if they have listings. O(units that histories list).
 * PF_ENOMEM, when pfi_few_units_free is still to be called. */
pf_err pfi_few_units_init(pfi_few_units *few, const pfi_bound_tables *all, const float *cost, unsigned most);
void pfi_few_units_free(pfi_few_units *few);

#endif
