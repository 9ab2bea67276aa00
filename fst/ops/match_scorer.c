/* An automaton as a scorer, so that searches by level work with it as they do with an n-gram model.
 *
 * Its states are the automaton's, its labels the automaton's input labels; one label more stands for every word that no
 * arc reads, and costs INFINITY. A row is one look-up a word. The match is whole, so nothing is changed and nothing can fail. */
#include "ops/match_impl.h"

static pf_label nothing(const pf_match *match) { return match->largest + 1; }

static pf_state start(const pf_scorer *scorer) { return ((const pf_match *)scorer->own)->fst->start; }

static double step(pf_scorer *scorer, pf_state state, pf_label label, pf_state *to) {
    pf_matched found = {0};
    *to = state;
    if (pf_match_word(scorer->own, state, label, &found) || !found.n) return (double)INFINITY;
    *to = found.arc->to;
    return found.failed + (double)found.arc->w;
}

static void row(pf_scorer *scorer, pf_state state, const pf_label_set *labels, double *costs, pf_state *to) {
    for (unsigned i = 0; i < labels->n; i++) costs[i] = step(scorer, state, labels->at[i], &to[i]);
}

static double final(pf_scorer *scorer, pf_state state) {
    double cost = (double)INFINITY;
    return pf_match_final(scorer->own, state, &cost) ? (double)INFINITY : cost;
}

static bool nonnegative(const pf_scorer *scorer) { return pf_match_nonnegative(scorer->own); }

static pf_label label(const pf_scorer *scorer, const char *word, size_t length) {
    const pf_match *match = scorer->own;
    pf_label found = pf_symtab_find(match->fst->isyms, word, length);
    return found > 0 && found != match->phi ? found : nothing(match);
}

const pf_scorer_class pfi_match_scorer_class = {
    .start = start, .step = step, .row = row, .final = final, .label = label, .nonnegative = nonnegative,
};
