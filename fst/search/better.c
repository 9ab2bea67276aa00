/* The better of two answers to one question. */
#include "search/better.h"

/* By cost, then by permutation: all paths of a layered machine have the same length. */
static int path_order(const pf_path *one, const pf_path *other) {
    if (one->cost != other->cost) return one->cost < other->cost ? -1 : 1;
    for (size_t i = 0; i < one->n && i < other->n; i++)
        if (one->arc[i].in != other->arc[i].in) return one->arc[i].in < other->arc[i].in ? -1 : 1;
    return 0;
}

/* Are the paths found better than those there are? The first two that differ decide; then more paths are better, and after that a
 * proof. */
static bool is_better(const pf_answer *found, const pf_answer *best) {
    for (size_t i = 0; i < found->paths.n && i < best->paths.n; i++) {
        int order = path_order(&found->paths.at[i], &best->paths.at[i]);
        if (order) return order < 0;
    }
    return found->paths.n != best->paths.n ? found->paths.n > best->paths.n : pf_answer_optimal(found);
}

void pfi_take_better(pf_answer *best, pf_answer *found) {
    double bound = found->bound > best->bound ? found->bound : best->bound;
    if (is_better(found, best)) {
        pf_answer had = *best;
        best->paths = found->paths;
        found->paths = had.paths;
    }
    best->bound = bound; /* below either bound both have the same paths, so it holds for the better ones */
    best->states += found->states;
    best->arcs += found->arcs;
    if (found->lattice) {
        best->lattice = found->lattice;
        found->lattice = NULL;
    }
    pf_answer_free(found);
}
