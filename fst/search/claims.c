/* Totals that were claimed, and the path that shows whether they hold. */
#include "search/claims.h"

#ifdef PF_CHECKS
pf_err pfi_claim(pfi_claims *claims, uint32_t node, double total) {
    while (claims->total.n <= node) PF_TRY(PF_PUSH(&claims->total, (double)INFINITY));
    if (total < claims->total.at[node]) claims->total.at[node] = total;
    return PF_OK;
}
#endif

void pfi_claims_free(pfi_claims *claims) { PF_VEC_FREE(&claims->total); }

bool pfi_claims_hold(const pfi_claims *claims, const pfi_graph *graph, uint32_t end, double most) {
    for (uint32_t node = graph->best.at[end].from; node != PFI_NONE; node = graph->best.at[node].from)
        if (node >= claims->total.n || claims->total.at[node] > most) return false;
    return true;
}
