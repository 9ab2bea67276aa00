/* The better of two answers to one question. */
#include "search/better.h"

#include "search/ties.h"

/* Are the paths found better than those there are? The first two that differ decide; then more paths are better, and after that a
 * proof. */
static bool is_better(const pf_answer *found, const pf_answer *best, const pf_units *units) {
    const pfi_speech speech = pfi_speech_of(best->osyms, units);
    for (size_t i = 0; i < found->paths.n && i < best->paths.n; i++) {
        int order = pfi_path_order(&speech, &found->paths.at[i], &best->paths.at[i]);
        if (order) return order < 0;
    }
    return found->paths.n != best->paths.n ? found->paths.n > best->paths.n : pf_answer_optimal(found);
}

void pfi_take_better(pf_answer *best, pf_answer *found, const pf_units *units) {
    double bound = found->bound > best->bound ? found->bound : best->bound;
    if (is_better(found, best, units)) {
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
