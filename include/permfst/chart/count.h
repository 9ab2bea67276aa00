/* Counts the orders of itg by their trees, alone or together with constraints that can be checked node by node. */
#ifndef PF_CHART_COUNT_H
#define PF_CHART_COUNT_H

#include <permfst/permute/tally.h>

#include <gmp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each order has one tree whose right sons have another orientation than their nodes (zens-ney-2003, section 2.1), so the orders
 * of a constraint are counted as trees: 1, 2, 6, 22, 90, ... of itg (the large Schroeder numbers), fewer with walls, zones, units,
 * itg-span, local and mj beside it. Of the options, it uses `progress`, which gets the number of spans filled so far, and
 * `expired`. `count` is initialised by the caller. PF_EARG: the constraint cannot be checked node by node; the message says why.
 * PF_ELIMIT: expired. PF_ENOMEM. O(n^3) products of numbers of O(n) bits. */
pf_err pf_chart_count(const pf_con *con, const pf_tally_options *options, mpz_t count);

/* Can it count the orders of this constraint? O(n + parts). */
bool pf_chart_counts(const pf_con *con);

#ifdef __cplusplus
}
#endif
#endif
