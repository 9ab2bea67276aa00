/* The best separable order (one of an itg space) for costs of pairs, by a chart over spans (Tromble and Eisner 2009, section 5).
 *
 * A node that is inverted exchanges all pairs of its two blocks, so an order costs the sum of what its inverted nodes exchange. The
 * costs are whole numbers, so that sums are exact. Time O(n^3), and O(n) more for each tie; memory O(n^3) numbers of 16 bits.
 * The same as the chart of pf_chart_best finds for weights `pairwise`, without automata: learning decodes a sentence often. */
#ifndef PF_LEARN_SEPARABLE_H
#define PF_LEARN_SEPARABLE_H

#include <permfst/base/err.h>
#include <permfst/base/vec.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PF_SEPARABLE_POSITIONS = 1000 }; /* an order has at most this many */

/* Memory that is kept from sentence to sentence; all zero: none. */
typedef struct {
    PF_VEC(int64_t) number;
    PF_VEC(uint16_t) order;
} pf_separable;
void pf_separable_free(pf_separable *room);

/* The order of least cost: for i < j, cost[i * length + j] is what it costs to have j before i, less the cost of i before j. Of
 * equal costs the order that comes first, compared number by number. order[0 .. length-1] are positions from 0. Sums of the costs
 * are within 62 bits. PF_ELIMIT: too many positions; PF_ENOMEM. */
pf_err pf_separable_best(pf_separable *room, const int64_t *cost, unsigned length, uint32_t *order);

#ifdef __cplusplus
}
#endif
#endif
