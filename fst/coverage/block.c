/* mj and itg-span: the longest block.
 *
 * A block may end after position j - 1 if the aligned words before j are the first of the chain. All these ends hold at
 * once, since a word without links can always be visited inside its block, right after a neighbour there, which keeps a
 * separable order separable. So one sweep finds the shortest blocks that there can be. O(words). */
#include "coverage/coverage_impl.h"

static unsigned longest_block(const pfi_order *order) {
    unsigned longest = 1, begin = 0, seen = 0, end = 0; /* aligned words so far; one past the last turn among them */
    for (unsigned source = 0; source < order->sources; source++) {
        if (order->turn[source] != PFI_FREE) {
            seen++;
            if (order->turn[source] >= end) end = order->turn[source] + 1;
        }
        if (end != seen) continue;
        if (source + 1 - begin > longest) longest = source + 1 - begin;
        begin = source + 1;
    }
    return longest;
}

bool pfi_coverage_mj(const pfi_order *order, unsigned *param) {
    *param = longest_block(order) - 1;
    return true;
}

bool pfi_coverage_itg_span(const pfi_order *order, unsigned *param) {
    *param = longest_block(order);
    return pfi_coverage_itg(order, param);
}
