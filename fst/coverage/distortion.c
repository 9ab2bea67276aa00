/* distortion: words without links serve as stepping stones.
 *
 * For D > 1 a move to p is allowed iff p is the first gap u, or p < u + D and p <= q+1+D, q the position visited last; a move
 * back is always short enough. The second test is the harder one only where u was just reached by filling a gap q < u-2.
 *
 *   - A word without links that is the first gap is visited at once: it is allowed, moves the window on, and takes the
 *     place of q, which was before it.
 *   - Any other one is visited only where the next aligned word is too far from q; one that lies between u and q+1+D then
 *     brings all that the window has in reach. The first such word is the best to spend: ranges to choose from only move
 *     up, so a later one can stand in for it whenever it would be needed.
 *
 * So one walk decides a D, and with a binary search the least is found in O(n log n). It is at least that of local, whose
 * window it has, and at most twice that. */
#include "coverage/coverage_impl.h"

#include <string.h>

typedef struct {
    const pfi_order *order;
    bool *spent;       /* of the words without links: visited as stepping stones */
    unsigned gap, end; /* the first uncovered position; one past the one visited last */
} distortion_walk;

/* Fills gaps until an aligned word is the first one, after `done` words of the chain. */
static void settle(distortion_walk *walk, unsigned done) {
    const pfi_order *order = walk->order;
    for (; walk->gap < order->sources; walk->gap++) {
        bool open = order->turn[walk->gap] == PFI_FREE;
        if (!open && order->turn[walk->gap] >= done) return;
        if (open && !walk->spent[walk->gap]) walk->end = walk->gap + 1;
    }
}

static bool step_to_stone(distortion_walk *walk, unsigned distance) {
    unsigned last = walk->end + distance;
    for (unsigned source = walk->gap + 1; source <= last && source < walk->order->sources; source++)
        if (walk->order->turn[source] == PFI_FREE && !walk->spent[source]) {
            walk->spent[source] = true;
            walk->end = source + 1;
            return true;
        }
    return false;
}

static bool walks(const pfi_order *order, unsigned distance) {
    distortion_walk walk = {order, (bool *)order->scratch, 0, 0};
    memset(walk.spent, 0, order->sources * sizeof *walk.spent);
    for (unsigned at = 0; at < order->aligned; at++) {
        unsigned position = order->chain[at];
        settle(&walk, at);
        if (position != walk.gap && position >= walk.gap + distance) return false;
        if (position > walk.end + distance && !step_to_stone(&walk, distance)) return false;
        walk.end = position + 1;
    }
    return true;
}

bool pfi_coverage_distortion(const pfi_order *order, unsigned *param) {
    unsigned low, high;
    pfi_coverage_local(order, &low);
    *param = 0;
    if (low == 1) return true;
    high = walks(order, low) ? low : 2 * low;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (walks(order, middle)) high = middle;
        else low = middle + 1;
    }
    *param = low;
    return true;
}
