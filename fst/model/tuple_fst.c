/* A tuple model as a transducer: the m-gram model's automaton with each arc spelt out, source words in, target words out.
 *
 * The first arc of a tuple has its cost, its first source and its first target word; the others follow one by one. Back-off
 * arcs read the back-off label and write nothing. A failure is one of a source word, while the m-gram model backs off tuple by
 * tuple: so a state that lists one tuple of a word lists all that begin with it, at their backed-off costs, and all that have
 * no source word; then the automaton is exact where the back-off label is read as a failure. With epsilons instead, the cheapest
 * way wins, which is an approximation, and nothing is added. Words are passed through only by ops/units.h. */
#include <permfst/machine/build.h>
#include "model/tuple_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct {
    const pfi_tuple_model *tuples;
    pf_scorer ngram;
    pf_build build;
    pf_label backoff, fails; /* in the m-gram automaton, and here */
    pf_state next;           /* the next new state */
    PF_VEC(pf_state) met;    /* of each source word, 1 + the state that has listed its tuples last */
} tuple_speller;

static pf_label word(const pf_label *at, unsigned count, unsigned i) { return i < count ? at[i] : PF_EPSILON; }

static pf_err spell_arc(tuple_speller *speller, pf_state from, const pf_arc *arc) {
    if (arc->in == speller->backoff)
        return pf_build_arc(&speller->build, from, speller->fails, PF_EPSILON, arc->w, arc->to);
    assert(arc->in > 0 && (size_t)arc->in <= speller->tuples->first.n);
    const pfi_model_tuple *one = &speller->tuples->first.at[arc->in - 1];
    const pf_label *source = speller->tuples->label.at + one->at, *target = source + one->n_source;
    unsigned n = one->n_source > one->n_target ? one->n_source : one->n_target;
    for (unsigned i = 0; i < n; i++) {
        pf_state to = i + 1 < n ? speller->next++ : arc->to;
        PF_TRY(pf_build_arc(&speller->build, from, word(source, one->n_source, i), word(target, one->n_target, i),
            i ? 0 : arc->w, to));
        from = to;
    }
    return PF_OK;
}

/* All tuples that begin with a source word, or have none (word 0). */
static pf_err spell_word(tuple_speller *speller, pf_state from, pf_label source) {
    if (speller->met.at[source] == from + 1) return PF_OK;
    speller->met.at[source] = from + 1;
    for (size_t i = speller->tuples->begin.at[source]; i < speller->tuples->begin.at[source + 1]; i++) {
        pf_tuple_place place = speller->tuples->place.at[i];
        pf_arc arc = {place.tuple, place.tuple, 0, 0};
        if (place.place) continue;
        arc.w = (float)speller->ngram.cls->step(&speller->ngram, from, place.tuple, &arc.to);
        if (arc.w < INFINITY) PF_TRY(spell_arc(speller, from, &arc));
    }
    return PF_OK;
}

static pf_err spell_state(tuple_speller *speller, pf_state from, pf_arcs arcs) {
    bool exact = speller->backoff != PF_EPSILON;
    if (exact) PF_TRY(spell_word(speller, from, PF_EPSILON));
    for (uint32_t i = 0; i < arcs.n; i++) {
        const pfi_model_tuple *one =
            arcs.arc[i].in == speller->backoff ? NULL : &speller->tuples->first.at[arcs.arc[i].in - 1];
        if (!exact || !one) PF_TRY(one && one->left_out ? PF_OK : spell_arc(speller, from, &arcs.arc[i]));
        else if (one->n_source) PF_TRY(spell_word(speller, from, speller->tuples->label.at[one->at]));
    }
    return PF_OK;
}

static pf_err spell_all(tuple_speller *speller, pf_fst *ngram) {
    speller->next = pf_fst_states(ngram);
    for (size_t i = 0; i <= pf_symtab_count(speller->tuples->source); i++) PF_TRY(PF_PUSH(&speller->met, 0));
    for (pf_state from = 0; from < pf_fst_states(ngram); from++) {
        PF_TRY(pf_build_final(&speller->build, from, pf_fst_final(ngram, from)));
        PF_TRY(spell_state(speller, from, pf_fst_arcs(ngram, from)));
    }
    return PF_OK;
}

/* A copy with epsilon and, if it is to have one, the back-off symbol. */
static pf_err table_of(const pf_symtab *words, const char *symbol, pf_label label, pf_symtab **out) {
    PF_TRY(pf_symtab_new(pf_symtab_title(words), out));
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < pf_symtab_count(words); i++) {
        size_t n;
        pf_label word;
        const char *name = pf_symtab_at(words, i, &n, &word);
        err = pf_symtab_put(*out, name, n, word);
    }
    if (!err && symbol) err = pf_symtab_put(*out, symbol, strlen(symbol), label);
    if (!err) err = pf_symtab_put_epsilon(*out);
    if (err) pf_symtab_free(*out);
    return err;
}

static pf_err set_symbols(const pfi_tuple_model *model, const char *symbol, pf_label fails, pf_fst *fst) {
    pf_symtab *in, *out;
    if (symbol && pf_symtab_find(model->source, symbol, strlen(symbol)) != PF_NO_LABEL)
        return pf_fail(PF_EARG, "'%.100s' is a source word: the back-off arcs need another symbol", symbol);
    PF_TRY(table_of(model->source, symbol, fails, &in));
    pf_err err = table_of(model->target, NULL, 0, &out);
    if (!err) {
        pf_fst_set_symbols(fst, in, out);
        pf_symtab_free(out);
    }
    pf_symtab_free(in);
    return err;
}

pf_err pfi_tuples_expand(const void *self, pf_label backoff, const char *symbol, pf_fst **out) {
    const pfi_tuple_model *model = self;
    pf_fst *ngram;
    tuple_speller speller = {.tuples = model, .backoff = backoff,
                             .fails = backoff ? pf_symtab_largest(model->source) + 1 : PF_EPSILON};
    PF_TRY(pf_scorer_of(&model->ngram, &speller.ngram));
    PF_TRY(model->ngram.cls->expand(model->ngram.self, backoff, symbol, &ngram));
    pf_err err = spell_all(&speller, ngram);
    if (!err) err = pf_build_finish(&speller.build, PF_STANDARD, ngram->start, out);
    pf_build_free(&speller.build);
    pf_scorer_end(&speller.ngram);
    PF_VEC_FREE(&speller.met);
    pf_fst_free(ngram);
    PF_TRY(err);
    err = set_symbols(model, backoff ? symbol : NULL, speller.fails, *out);
    if (err) pf_fst_free(*out);
    return err;
}
