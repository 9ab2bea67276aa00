/* Potentials of the histories of units. Private to the searches.
 *
 * They are what potentials.h says, for back-off models and words with many units: each model's histories have their own. The
 * cheapest route of units is found in the coarse model of one unit (unit_costs.h): it makes as many visits as there are positions,
 * each where the space may go at that step, and may visit a position twice, for its price. Each model takes the cost of each
 * step from one history, and leads to another one. Where these are not the same from step to step, their potentials change. */
#ifndef PF_SEARCH_UNIT_POTENTIALS_H
#define PF_SEARCH_UNIT_POTENTIALS_H

#include "search/unit_costs.h"

/* In so many rounds, each O(few units^2 x positions): finds potentials of the histories of all models that have some, and leaves
 * what the models say, and the costs, as they are with these. The bound gets what is known of routes then: prices and rests.
 * PF_ENOMEM. */
pf_err pfi_unit_potentials_find(const pfi_bound_tables *tables, unsigned rounds, pfi_unit_costs *costs, pfi_bound *bound);

#endif
