/* The first pairs of many. Private to the chart. */
#ifndef PF_CHART_FIRST_PAIRS_H
#define PF_CHART_FIRST_PAIRS_H

#include "chart/grid_rows.h"

/* Moves `most` of n pairs before the others: no other pair has a lower rank than one of them. In no order, but always in the same
 * one; the plain way gives the same. O(n) on average. */
void pfi_first_pairs(pfi_grid_pair *pair, size_t n, size_t most);
void pfi_first_pairs_plain(pfi_grid_pair *pair, size_t n, size_t most);

#endif
