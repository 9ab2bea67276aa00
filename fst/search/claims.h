/* What a search has claimed of its nodes: that no path over a node costs less than its total. Private to the searches.
 *
 * Admissible bounds make a search exact, and one that is too high loses paths without a word. So builds with --enable-checks
 * keep the totals, and compare those on the best path with what that path costs in the end. Other builds keep nothing. */
#ifndef PF_SEARCH_CLAIMS_H
#define PF_SEARCH_CLAIMS_H

#include "search/graph.h"

typedef struct {
    PF_VEC(double) total; /* of each node: the least that was claimed */
} pfi_claims;

#ifdef PF_CHECKS
pf_err pfi_claim(pfi_claims *claims, uint32_t node, double total); /* PF_ENOMEM */
#else
static inline pf_err pfi_claim(pfi_claims *claims, uint32_t node, double total) {
    (void)claims, (void)node, (void)total;
    return PF_OK;
}
#endif

void pfi_claims_free(pfi_claims *claims);

/* Is no total on the best path to `end` above `most`? */
bool pfi_claims_hold(const pfi_claims *claims, const pfi_graph *graph, uint32_t end, double most);

#endif
