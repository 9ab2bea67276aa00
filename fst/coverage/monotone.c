/* The two figures that are called monotone: no crossing links, and an unfolding that is the identity (Pecheux et al. 2016,
 * section 2). The second is larger, as words of one segment may have crossing links. O(words). */
#include "coverage/coverage_impl.h"

#include <string.h>

bool pfi_coverage_no_crossing(const pfi_order *order, unsigned *param) {
    unsigned reached = 0; /* the last target so far */
    (void)param;
    for (unsigned source = 0; source < order->sources; source++) {
        if (order->first[source] == PFI_FREE) continue;
        if (order->first[source] < reached) return false;
        reached = order->last[source];
    }
    return true;
}

/* How many words have links on either side of each place between target words; places with none part segments. */
static void count_across(const pfi_order *order, unsigned *across) {
    memset(across, 0, (order->targets + 1) * sizeof *across);
    for (unsigned j = 0; j < order->sources; j++)
        if (order->first[j] != PFI_FREE) across[order->first[j]]++, across[order->last[j]]--;
    for (unsigned target = 0; target < order->targets; target++) across[target + 1] += across[target];
}

bool pfi_coverage_unfolding(const pfi_order *order, unsigned *param) {
    unsigned *across = order->scratch, *segment = across + order->targets + 1, reached = 0;
    (void)param;
    count_across(order, across);
    for (unsigned target = 0, source = 0; target < order->targets; target++) {
        segment[target] = source;
        source += !across[target];
    }
    for (unsigned source = 0; source < order->sources; source++) {
        if (order->first[source] == PFI_FREE) continue;
        if (segment[order->first[source]] < reached) return false;
        reached = segment[order->first[source]];
    }
    return true;
}
