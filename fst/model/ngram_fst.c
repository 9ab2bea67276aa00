/* An n-gram model as an automaton: its states and arcs as they are, and one arc a state that backs off.
 *
 * Read with failure semantics (Aho & Corasick 1975; Allauzen, Mohri & Roark 2003, §4: take the back-off arc only where
 * the word has none) it scores as the model does; read with the back-off arcs as epsilons it lets the cheapest way win,
 * which is an approximation. */
#include <permfst/machine/build.h>
#include "model/ngram_impl.h"

#include <stdio.h>
#include <string.h>

static pf_err state_arcs(const pfi_ngram *m, pf_state s, pf_label backoff, pf_build *b) {
    PF_TRY(pf_build_final(b, s, INFINITY));
    bool fails = s != 0;
    if (fails && backoff == PF_EPSILON) PF_TRY(pf_build_arc(b, s, backoff, backoff, m->back.at[s], m->fail.at[s]));
    for (uint32_t a = m->first.at[s]; a < m->first.at[s + 1]; a++) {
        pf_label x = (pf_label)m->word.at[a];
        if (x == m->end) PF_TRY(pf_build_final(b, s, m->cost.at[a]));
        else if (x != m->begin) PF_TRY(pf_build_arc(b, s, x, x, m->cost.at[a], m->to.at[a]));
    }
    if (fails && backoff != PF_EPSILON) PF_TRY(pf_build_arc(b, s, backoff, backoff, m->back.at[s], m->fail.at[s]));
    return PF_OK;
}

static pf_err fill_symbols(const pfi_ngram *m, pf_label backoff, const char *symbol, pf_symtab *table) {
    for (size_t i = 0; i < pf_symtab_count(m->words); i++) {
        size_t length;
        pf_label x;
        const char *word = pf_symtab_at(m->words, i, &length, &x);
        PF_TRY(pf_symtab_put(table, word, length, x));
    }
    if (backoff) PF_TRY(pf_symtab_put(table, symbol, strlen(symbol), backoff));
    return pf_symtab_put_epsilon(table);
}

static pf_err set_symbols(const pfi_ngram *m, pf_label backoff, const char *symbol, pf_fst *fst) {
    pf_symtab *table = NULL;
    PF_TRY(pf_symtab_new(pf_symtab_title(m->words), &table));
    pf_err err = fill_symbols(m, backoff, symbol, table);
    if (!err) pf_fst_set_symbols(fst, table, table);
    pf_symtab_free(table);
    return err;
}

pf_err pfi_ngram_expand(const void *self, pf_label backoff, const char *symbol, pf_fst **out) {
    const pfi_ngram *m = self;
    if (backoff < 0 || (backoff && backoff <= pf_symtab_largest(m->words)))
        return pf_fail(PF_EARG, "the back-off label %d is the label of a word", backoff);
    if (backoff && (!symbol || !*symbol)) return pf_fail(PF_EARG, "the back-off label has no symbol");
    if (backoff && pf_symtab_find(m->words, symbol, strlen(symbol)) != PF_NO_LABEL)
        return pf_fail(PF_EARG, "'%.100s' is a word of the model: the back-off arcs need another symbol", symbol);
    pf_build b = {0};
    pf_err err = PF_OK;
    for (pf_state s = 0; s < pfi_ngram_states(m) && !err; s++) err = state_arcs(m, s, backoff, &b);
    if (err) {
        pf_build_free(&b);
        return err;
    }
    pf_fst *fst;
    PF_TRY(pf_build_finish(&b, PF_STANDARD, m->start, &fst));
    err = set_symbols(m, backoff, symbol, fst);
    if (err) pf_fst_free(fst);
    else *out = fst;
    return err;
}
