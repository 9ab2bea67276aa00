/* The two figures that are called monotone: no crossing links, and an unfolding that is the identity (Pecheux et al. 2016,
 * section 2). The second is larger, as words of one segment may have crossing links. O(words). */
#include "coverage/coverage_impl.h"

#include <string.h>

bool pfi_coverage_no_crossing(const pfi_order *o, unsigned *param) {
    unsigned reached = 0; /* the last target so far */
    (void)param;
    for (unsigned j = 0; j < o->sources; j++) {
        if (o->first[j] == PFI_FREE) continue;
        if (o->first[j] < reached) return false;
        reached = o->last[j];
    }
    return true;
}

/* How many words have links on either side of each place between target words; places with none part segments. */
static void count_across(const pfi_order *o, unsigned *across) {
    memset(across, 0, (o->targets + 1) * sizeof *across);
    for (unsigned j = 0; j < o->sources; j++)
        if (o->first[j] != PFI_FREE) across[o->first[j]]++, across[o->last[j]]--;
    for (unsigned t = 0; t < o->targets; t++) across[t + 1] += across[t];
}

bool pfi_coverage_unfolding(const pfi_order *o, unsigned *param) {
    unsigned *across = o->scratch, *segment = across + o->targets + 1, reached = 0;
    (void)param;
    count_across(o, across);
    for (unsigned t = 0, s = 0; t < o->targets; t++) {
        segment[t] = s;
        s += !across[t];
    }
    for (unsigned j = 0; j < o->sources; j++) {
        if (o->first[j] == PFI_FREE) continue;
        if (segment[o->first[j]] < reached) return false;
        reached = segment[o->first[j]];
    }
    return true;
}
