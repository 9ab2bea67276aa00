/* The derivations of a forest, best first, one after another. Private to the chart. */
#ifndef PF_CHART_DERIVE_H
#define PF_CHART_DERIVE_H

#include "chart/forest.h"

typedef struct pfi_derivations pfi_derivations;

/* Borrows the forest, which keeps all edges and does not change meanwhile. *out belongs to the caller. PF_ENOMEM. */
pf_err pfi_derivations_new(const pfi_forest *forest, pfi_derivations **out);
void pfi_derivations_free(pfi_derivations *all);

/* About as many bytes as the derivations take. */
uint64_t pfi_derivations_bytes(const pfi_derivations *all);

/* The k-th best whole order, from 0: its alternatives, *n of them, and its cost. False: there are not so
 * many. Those of equal cost are in the order of paths. */
pf_err pfi_derivations_at(pfi_derivations *all, size_t k, uint32_t *order, unsigned *n, double *cost, bool *there);

#endif
