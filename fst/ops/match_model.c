/* An automaton as a model, so that searches by level work with it as they do with an n-gram model.
 *
 * Its states are the automaton's, its labels the automaton's input labels; one label more stands for every word that no
 * arc reads, and costs INFINITY. A row is one look-up a word. Not for records: a stream carries the automaton. */
#include "ops/match_impl.h"

/* The match is whole, so nothing is changed, and nothing can fail. */
static pf_match *match_of(const void *self) { return (pf_match *)(uintptr_t)self; }

static pf_label nothing(const pf_match *m) { return m->largest + 1; }

static pf_state start(const void *self) { return match_of(self)->fst->start; }

static double step(const void *self, pf_state s, pf_label x, pf_state *to) {
    pf_matched found = {0};
    *to = s;
    if (pf_match_word(match_of(self), s, x, &found) || !found.n) return (double)INFINITY;
    *to = found.arc->to;
    return found.failed + (double)found.arc->w;
}

static void row(const void *self, pf_state s, const pf_label *x, unsigned n, double *w, pf_state *to) {
    for (unsigned i = 0; i < n; i++) w[i] = step(self, s, x[i], &to[i]);
}

static double final(const void *self, pf_state s) {
    double cost = (double)INFINITY;
    return pf_match_final(match_of(self), s, &cost) ? (double)INFINITY : cost;
}

/* Not every word is read. */
static bool all_finite(const void *self) {
    (void)self;
    return false;
}

static bool nonnegative(const void *self) { return pf_match_nonnegative(self); }

static const pf_symtab *words(const void *self) { return match_of(self)->fst->isyms; }

static pf_label label(const void *self, const char *word, size_t length) {
    const pf_match *m = match_of(self);
    pf_label x = pf_symtab_find(m->fst->isyms, word, length);
    return x > 0 && x != m->phi ? x : nothing(m);
}

static pf_label unknown(const void *self) { return nothing(match_of(self)); }

const pf_model_class pfi_match_model_class = {
    .name = "automaton",
    .start = start,
    .step = step,
    .row = row,
    .final = final,
    .finite = all_finite,
    .nonnegative = nonnegative,
    .words = words,
    .label = label,
    .unknown = unknown,
};
