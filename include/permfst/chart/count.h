/* How many orders of itg there are, alone or together with what is told node by node, by their trees. */
#ifndef PF_CHART_COUNT_H
#define PF_CHART_COUNT_H

#include <permfst/permute/con.h>

#include <gmp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each order has one tree whose right sons have another orientation than their nodes (zens-ney-2003, section 2.1), so the orders of
 * a constraint are counted as trees: 1, 2, 6, 22, 90, ... of itg (the large Schroeder numbers), fewer with walls, zones, units,
 * itg-span, local and mj beside it. `count` is initialised by the caller. PF_EARG: a chart cannot tell the
 * constraint node by node; the message says why. O(n^3) additions of numbers of O(n) bits. */
pf_err pf_chart_count(const pf_con *con, mpz_t count);

#ifdef __cplusplus
}
#endif
#endif
