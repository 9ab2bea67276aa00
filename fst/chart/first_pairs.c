/* The first pairs of many, in no order: quickselect. Which pairs come before the middle one cannot be foretold, so each is compared
 * and swapped without a branch. Pairs of the same rank as the middle one go to either side in turn, so that many of them take no
 * longer than others. */
#include "chart/first_pairs.h"

#include "base/contract.h"
#include "search/wide.h"

#include <math.h>

PFI_WIDE_BODY void swap(pfi_grid_pair *one, pfi_grid_pair *other) {
    const pfi_grid_pair had = *one;
    *one = *other;
    *other = had;
}

/* The one of three that is between the others. */
PFI_WIDE_BODY pfi_grid_pair *middle_of(pfi_grid_pair *one, pfi_grid_pair *other, pfi_grid_pair *third) {
    pfi_grid_pair *first = one->rank < other->rank ? one : other, *second = first == one ? other : one;
    return third->rank < first->rank ? first : second->rank < third->rank ? second : third;
}

/* Puts pairs that come before the first one before the others, and it between them. Returns how many come before it. */
PFI_WIDE_BODY size_t part(pfi_grid_pair *pair, size_t n) {
    const double bounds[2] = {pair[0].rank, nextafter(pair[0].rank, (double)INFINITY)};
    size_t lower = 0;
    for (size_t i = 1; i < n; i++) {
        const bool before = pair[i].rank < bounds[i & 1];
        swap(&pair[lower + 1], &pair[i]);
        lower += before;
    }
    swap(&pair[0], &pair[lower]);
    return lower;
}

PFI_WIDE_BODY void take(pfi_grid_pair *pair, size_t n, size_t most) {
    assert(most <= n);
    while (most && most < n) {
        swap(&pair[0], middle_of(&pair[0], &pair[n / 2], &pair[n - 1]));
        const size_t lower = part(pair, n), first = lower < most ? lower + 1 : 0;
        n = lower < most ? n - first : lower;
        pair += first;
        most -= first;
    }
}

void pfi_first_pairs_plain(pfi_grid_pair *pair, size_t n, size_t most) { take(pair, n, most); }
PFI_WIDE static void take_wide(pfi_grid_pair *pair, size_t n, size_t most) { take(pair, n, most); }

void pfi_first_pairs(pfi_grid_pair *pair, size_t n, size_t most) {
    (pfi_has_wide() ? take_wide : pfi_first_pairs_plain)(pair, n, most);
}
