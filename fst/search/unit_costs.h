/* What units cost after one another in the coarse model. Private to the searches.
 *
 * What one unit costs after another is a sum over the models. Where silent units are told apart by what was said last (said.h), one
 * model says of the next unit what it says after that class, whichever silent unit stands between: so there is a row for each
 * unit, and one for each class, instead of one for each copy of a silent unit. */
#ifndef PF_SEARCH_UNIT_COSTS_H
#define PF_SEARCH_UNIT_COSTS_H

#include "search/bound_impl.h"

typedef struct {
    const pfi_said *said;
    size_t models;
    size_t stride;     /* floats in a row: the units, made a multiple of PFI_CHUNK; those beyond the units are INFINITY */
    float *own;        /* of each unit: what it costs by itself; of none beyond them INFINITY */
    float **part;      /* of each model, of each row of its costs: of each unit, in the order of units */
    float *after;      /* of each unit, and of the start, a row: what each unit costs next, with its own cost; INFINITY where it
                          cannot come next. After a silent unit with classes all but what said->model says */
    float *end;        /* of each unit: what the end costs after it, by the same models */
    float *after_said; /* of each class a row: what said->model says of each unit; of silent ones 0 */
    float *end_said;
    float *sum;        /* scratch: a row */
} pfi_unit_costs;

/* Room for the tables' units. PF_ENOMEM, when pfi_unit_costs_free is still to be called. */
pf_err pfi_unit_costs_init(pfi_unit_costs *costs, const pfi_bound_tables *tables);
void pfi_unit_costs_free(pfi_unit_costs *costs);

/* Fills it by what the models say at least. O(units^2 + classes x units). */
void pfi_unit_costs_fill(pfi_unit_costs *costs, const pfi_bound_tables *tables);

#endif
