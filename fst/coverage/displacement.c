/* displacement: all words placed at once.
 *
 * For a given D a word at position j has the steps j - D to j + D. That is scheduling jobs of one step with releases and
 * deadlines, where the aligned words are in a chain: with releases pushed forward and deadlines pulled back along the chain,
 * taking whatever is due first at each step finds a schedule if there is one (Lageweg and Lenstra; Brucker, Scheduling
 * Algorithms, 4.1), and the chain keeps its order by itself. Both kinds of words are sorted by release and by deadline, so
 * two queues do. O(n) for each D, and a binary search for the least. */
#include "coverage/coverage_impl.h"

static unsigned minus(unsigned first, unsigned second) { return first > second ? first - second : 0; }
static unsigned smaller(unsigned first, unsigned second) { return first < second ? first : second; }

/* Release and deadline of the aligned words, one past their last steps; false if the chain alone is too long. */
static bool bound_chain(const pfi_order *order, unsigned distance, unsigned *release, unsigned *due) {
    for (unsigned at = 0; at < order->aligned; at++) {
        release[at] = minus(order->chain[at], distance);
        if (at && release[at] <= release[at - 1]) release[at] = release[at - 1] + 1;
    }
    for (unsigned at = order->aligned; at--;) {
        due[at] = smaller(order->chain[at] + distance + 1, order->sources);
        if (at + 1 < order->aligned && due[at] >= due[at + 1]) due[at] = due[at + 1] - 1;
        if (due[at] <= release[at]) return false;
    }
    return true;
}

static bool fits(const pfi_order *order, unsigned distance) {
    unsigned *release = order->scratch, *due = order->scratch + order->sources, i = 0, f = 0,
        free_words = order->sources - order->aligned;
    if (!bound_chain(order, distance, release, due)) return false;
    for (unsigned step = 0; step < order->sources; step++) {
        bool chain = i < order->aligned && release[i] <= step,
            other = f < free_words && minus(order->unlinked[f], distance) <= step;
        if (!chain && !other) return false;
        unsigned end = other ? smaller(order->unlinked[f] + distance + 1, order->sources) : 0;
        if (chain && (!other || due[i] <= end)) end = due[i++];
        else f++;
        if (end <= step) return false;
    }
    return true;
}

/* The i-th of the chain comes at step i at the earliest, and free words later at the latest. */
static unsigned at_least(const pfi_order *order) {
    unsigned most = 0, free_words = order->sources - order->aligned;
    for (unsigned i = 0; i < order->aligned; i++) {
        unsigned early = minus(order->chain[i], i + free_words), late = minus(i, order->chain[i]),
            move = early > late ? early : late;
        if (move > most) most = move;
    }
    return most;
}

bool pfi_coverage_displacement(const pfi_order *order, unsigned *param) {
    unsigned low = at_least(order), high = low, step = 1;
    for (; !fits(order, high); high += step, step *= 2) low = high + 1;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (fits(order, middle)) high = middle;
        else low = middle + 1;
    }
    *param = low;
    return true;
}
