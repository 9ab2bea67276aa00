/* ibm, inverse-ibm and local: words without links cost nothing.
 *
 * ibm and local: visiting such a word as soon as it is allowed takes a position out of the way of all that follow and harms
 * none, so the aligned words decide: for ibm the most of them that one passes over, for local how far one lies after the
 * first uncovered of them (unaligned words between count, as the window counts positions). Read backwards from the other
 * end of the sentence, inverse-ibm is ibm, so late is best there, and again the aligned words decide. */
#include "coverage/coverage_impl.h"

#include <permfst/permute/con.h>

#include <assert.h>
#include <string.h>

/* The least parameter of a class for the order of the aligned words alone. O(k log k). */
static bool least_of_class(const pfi_order *order, const char *name, unsigned *param) {
    uint64_t least = 0;
    size_t number = 0;
    while (pf_con_at(number) && strcmp(pf_con_at(number)->name, name) != 0) number++;
    assert(pf_con_at(number) && pf_con_at(number)->least);
    pf_con_at(number)->least(order->dense, order->aligned, order->scratch, &least);
    *param = (unsigned)least;
    return true;
}

bool pfi_coverage_ibm(const pfi_order *order, unsigned *param) { return least_of_class(order, "ibm", param); }
bool pfi_coverage_inverse_ibm(const pfi_order *order, unsigned *param) { return least_of_class(order, "inverse-ibm", param); }

bool pfi_coverage_local(const pfi_order *order, unsigned *param) {
    unsigned gap = 0, most = 0;
    for (unsigned step = 0; step < order->aligned; step++) {
        while (order->turn[gap] == PFI_FREE || order->turn[gap] < step) gap++;
        if (order->chain[step] - gap > most) most = order->chain[step] - gap;
    }
    *param = most + 1;
    return true;
}
