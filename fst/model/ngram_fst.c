/* An n-gram model as an automaton: its states and arcs as they are, and one arc a state that backs off.
 *
 * Read with failure semantics (Aho & Corasick 1975; Allauzen, Mohri & Roark 2003, §4: take the back-off arc only where
 * the word has none) it scores as the model does; read with the back-off arcs as epsilons it lets the cheapest way win,
 * which is an approximation. */
#include <permfst/machine/build.h>
#include "model/ngram_impl.h"

#include <stdio.h>
#include <string.h>

static pf_err state_arcs(const pfi_ngram *model, pf_state state, pf_label backoff, pf_build *build) {
    PF_TRY(pf_build_final(build, state, INFINITY));
    bool fails = state != 0;
    if (fails && backoff == PF_EPSILON)
        PF_TRY(pf_build_arc(build, state, backoff, backoff, model->back.at[state], pfi_ngram_fail(model, state)));
    const uint32_t end = pfi_ngram_first(model, state + 1);
    for (uint32_t arc = pfi_ngram_first(model, state); arc < end; arc++) {
        pf_label label = (pf_label)pfi_ngram_word(model, arc);
        if (label == model->end) PF_TRY(pf_build_final(build, state, model->cost.at[arc]));
        else if (label != model->begin)
            PF_TRY(pf_build_arc(build, state, label, label, model->cost.at[arc], pfi_ngram_to(model, state, arc)));
    }
    if (fails && backoff != PF_EPSILON)
        PF_TRY(pf_build_arc(build, state, backoff, backoff, model->back.at[state], pfi_ngram_fail(model, state)));
    return PF_OK;
}

static pf_err fill_symbols(const pfi_ngram *model, pf_label backoff, const char *symbol, pf_symtab *table) {
    for (size_t i = 0; i < pf_symtab_count(model->words); i++) {
        size_t length;
        pf_label label;
        const char *word = pf_symtab_at(model->words, i, &length, &label);
        PF_TRY(pf_symtab_put(table, word, length, label));
    }
    if (backoff) PF_TRY(pf_symtab_put(table, symbol, strlen(symbol), backoff));
    return pf_symtab_put_epsilon(table);
}

static pf_err set_symbols(const pfi_ngram *model, pf_label backoff, const char *symbol, pf_fst *fst) {
    pf_symtab *table = NULL;
    PF_TRY(pf_symtab_new(pf_symtab_title(model->words), &table));
    pf_err err = fill_symbols(model, backoff, symbol, table);
    if (!err) pf_fst_set_symbols(fst, table, table);
    pf_symtab_free(table);
    return err;
}

pf_err pfi_ngram_expand(const void *self, pf_label backoff, const char *symbol, pf_fst **out) {
    const pfi_ngram *model = self;
    if (backoff < 0 || (backoff && backoff <= pf_symtab_largest(model->words)))
        return pf_fail(PF_EARG, "the back-off label %d is the label of a word", backoff);
    if (backoff && (!symbol || !*symbol)) return pf_fail(PF_EARG, "the back-off label has no symbol");
    if (backoff && pf_symtab_find(model->words, symbol, strlen(symbol)) != PF_NO_LABEL)
        return pf_fail(PF_EARG, "'%.100s' is a word of the model: the back-off arcs need another symbol", symbol);
    pf_build build = {0};
    pf_err err = PF_OK;
    for (pf_state state = 0; state < pfi_ngram_states(model) && !err; state++)
        err = state_arcs(model, state, backoff, &build);
    if (err) {
        pf_build_free(&build);
        return err;
    }
    pf_fst *fst;
    PF_TRY(pf_build_finish(&build, PF_STANDARD, model->start, &fst));
    err = set_symbols(model, backoff, symbol, fst);
    if (err) pf_fst_free(fst);
    else *out = fst;
    return err;
}
