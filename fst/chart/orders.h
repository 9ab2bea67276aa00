/* The best orders of a forest, one after another. Private to the chart. */
#ifndef PF_CHART_ORDERS_H
#define PF_CHART_ORDERS_H

#include "chart/forest.h"

#include <permfst/machine/answer.h>

/* Adds the best orders of a forest to an answer, as many as the options ask for, as paths of the machine with the costs that their
 * arcs have there. More than one needs forest->keep_all, and so does a chart whose sums are rounded (pieces->slack): then orders
 * are taken until none of the others can cost less, and are put in order. *unsettled: no order that was left for that reason costs
 * less; INFINITY: none was left. PF_ELIMIT: the time is over; some are there. */
pf_err pfi_orders_answer(const pfi_forest *forest, pfi_pieces *pieces, const pf_best_options *options, pf_answer *out,
                         double *unsettled);

#endif
