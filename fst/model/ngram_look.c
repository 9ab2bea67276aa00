/* Is any cost of an n-gram model below 0? A probability times a back-off weight can be more than 1.
 *
 * Shorter histories first, a bound from below of the costs after a history: the least of its own n-grams, and of the bound
 * after the history it backs off to with the back-off cost, as if it lacked all words. That settles nearly all; where the
 * bound is below 0, the words backed off to that could cost so little are scored. O(n-grams): past that the answer is that
 * it is not known. */
#include "model/ngram_impl.h"

#include <assert.h>
#include <stdlib.h>

#define NEAR 1e-9 /* to 0: sums in another order may differ, so words are scored here, too */

typedef struct {
    const pfi_ngram *model;
    float *own;     /* of each state: the least cost of its n-grams */
    double *least;  /* and a bound of the cost of any word */
    uint64_t looks; /* left, at n-grams one by one */
} ngram_look;

static float least_own(const pfi_ngram *model, pf_state state) {
    float least = INFINITY;
    const uint32_t end = pfi_ngram_first(model, state + 1);
    for (uint32_t arc = pfi_ngram_first(model, state); arc < end; arc++)
        if (model->cost.at[arc] < least) least = model->cost.at[arc];
    return least;
}

/* Is a word of state `from`, which `state` backs off to at the cost of `back`, below 0 after `state`? One that `state`
 * has itself is scored by what `state` says. True where there were too many to look at. */
static bool some_below(ngram_look *look, pf_state state, pf_state from, double back) {
    const pfi_ngram *model = look->model;
    pf_state to;
    uint32_t arc = pfi_ngram_first(model, from), end = pfi_ngram_first(model, from + 1);
    if (back + (double)look->own[from] >= 0) return false;
    if (end - arc > look->looks) return true;
    look->looks -= end - arc;
    for (; arc < end; arc++)
        if (back + (double)model->cost.at[arc] < 0 &&
            pfi_ngram_follow(model, state, (pf_label)pfi_ngram_word(model, arc), &to) < 0)
            return true;
    return false;
}

static bool any_below(ngram_look *look, pf_state state) {
    const pfi_ngram *model = look->model;
    double back = 0;
    if (look->own[state] < 0) return true;
    for (pf_state from = state; from;) {
        back += (double)model->back.at[from];
        from = pfi_ngram_fail(model, from);
        if (some_below(look, state, from, back)) return true;
    }
    return false;
}

static bool all_nonnegative(ngram_look *look) {
    const pfi_ngram *model = look->model;
    for (pf_state state = 0; state < pfi_ngram_states(model); state++) {
        double least = look->own[state] = least_own(model, state);
        const pf_state shorter = pfi_ngram_fail(model, state);
        assert(!state || shorter < state); /* whose bound is known */
        double below = state ? (double)model->back.at[state] + look->least[shorter] : (double)INFINITY;
        if (below < least) least = below;
        if (least < NEAR && any_below(look, state)) return false;
        look->least[state] = least < 0 ? 0 : least;
    }
    return true;
}

static bool look_at(const pfi_ngram *model) {
    size_t states = pfi_ngram_states(model);
    ngram_look look = {model, malloc(states * sizeof *look.own), malloc(states * sizeof *look.least), 8 * pfi_ngram_arcs(model)};
    bool nonnegative = look.own && look.least && all_nonnegative(&look);
    free(look.own);
    free(look.least);
    return nonnegative;
}

/* Threads that ask at once find the same. */
bool pfi_ngram_nonnegative(const pfi_ngram *model) {
    signed char known = __atomic_load_n(model->nonnegative, __ATOMIC_RELAXED);
    if (known) return known > 0;
    bool nonnegative = look_at(model);
    __atomic_store_n(model->nonnegative, nonnegative ? 1 : -1, __ATOMIC_RELAXED);
    return nonnegative;
}
