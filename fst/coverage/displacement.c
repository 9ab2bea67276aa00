/* displacement: all words placed at once.
 *
 * For a given D a word at position j has the steps j - D to j + D. That is scheduling jobs of one step with releases and
 * deadlines, where the aligned words are in a chain: with releases pushed forward and deadlines pulled back along the chain,
 * taking whatever is due first at each step finds a schedule if there is one (Lageweg and Lenstra; Brucker, Scheduling
 * Algorithms, 4.1), and the chain keeps its order by itself. Both kinds of words are sorted by release and by deadline, so
 * two queues do. O(n) for each D, and a binary search for the least. */
#include "coverage/coverage_impl.h"

static unsigned minus(unsigned a, unsigned b) { return a > b ? a - b : 0; }
static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

/* Release and deadline of the aligned words, one past their last steps; false if the chain alone is too long. */
static bool bound_chain(const pfi_order *o, unsigned d, unsigned *release, unsigned *due) {
    for (unsigned i = 0; i < o->aligned; i++) {
        release[i] = minus(o->chain[i], d);
        if (i && release[i] <= release[i - 1]) release[i] = release[i - 1] + 1;
    }
    for (unsigned i = o->aligned; i--;) {
        due[i] = smaller(o->chain[i] + d + 1, o->sources);
        if (i + 1 < o->aligned && due[i] >= due[i + 1]) due[i] = due[i + 1] - 1;
        if (due[i] <= release[i]) return false;
    }
    return true;
}

static bool fits(const pfi_order *o, unsigned d) {
    unsigned *release = o->scratch, *due = o->scratch + o->sources, i = 0, f = 0, free_words = o->sources - o->aligned;
    if (!bound_chain(o, d, release, due)) return false;
    for (unsigned t = 0; t < o->sources; t++) {
        bool chain = i < o->aligned && release[i] <= t, other = f < free_words && minus(o->unlinked[f], d) <= t;
        if (!chain && !other) return false;
        unsigned end = other ? smaller(o->unlinked[f] + d + 1, o->sources) : 0;
        if (chain && (!other || due[i] <= end)) end = due[i++];
        else f++;
        if (end <= t) return false;
    }
    return true;
}

/* The i-th of the chain comes at step i at the earliest, and free words later at the latest. */
static unsigned at_least(const pfi_order *o) {
    unsigned most = 0, free_words = o->sources - o->aligned;
    for (unsigned i = 0; i < o->aligned; i++) {
        unsigned early = minus(o->chain[i], i + free_words), late = minus(i, o->chain[i]), move = early > late ? early : late;
        if (move > most) most = move;
    }
    return most;
}

bool pfi_coverage_displacement(const pfi_order *o, unsigned *param) {
    unsigned low = at_least(o), high = low, step = 1;
    for (; !fits(o, high); high += step, step *= 2) low = high + 1;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (fits(o, middle)) high = middle;
        else low = middle + 1;
    }
    *param = low;
    return true;
}
