/* The m-gram model, and an index from source words to its tuples. */
#include <permfst/model/tuplemodel.h>

#include "model/tuple_impl.h"
#include <permfst/model/tuple_text.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1 };

static pfi_tuple_model *of(const pf_model *model) {
    assert(model->cls == &pf_tuple_class);
    return model->self;
}

static void tuples_free(void *self) {
    pfi_tuple_model *t = self;
    if (!t) return;
    pf_model_free(&t->ngram);
    pf_symtab_free(t->source);
    pf_symtab_free(t->target);
    PF_VEC_FREE(&t->first);
    PF_VEC_FREE(&t->label);
    PF_VEC_FREE(&t->begin);
    PF_VEC_FREE(&t->place);
    free(t);
}

/* ---- making one ---- */

static pf_err add_side(pf_symtab *table, const pf_words *side, pfi_tuple_model *t) {
    for (size_t i = 0; i < side->n; i++) {
        pf_label x;
        PF_TRY(pf_symtab_add(table, side->at[i].at, side->at[i].n, &x));
        PF_TRY(PF_PUSH(&t->label, x));
    }
    return PF_OK;
}

/* Words of an m-gram model that are no tuples. */
static bool is_mark(const char *word, size_t n) {
    static const char *const marks[] = {"<s>", "</s>", "<unk>", "<UNK>"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strlen(marks[i]) == n && memcmp(marks[i], word, n) == 0) return true;
    return false;
}

/* The labels of each tuple, source then target. */
static pf_err parse_all(pfi_tuple_model *t) {
    const pf_symtab *words = t->ngram.cls->words(t->ngram.self);
    pf_tuple_words parsed = {0};
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < pf_symtab_count(words); i++) {
        size_t n;
        const char *word = pf_symtab_at(words, i, &n, NULL);
        pfi_model_tuple one = {.at = t->label.n};
        if (!is_mark(word, n)) {
            err = pf_tuple_parse(word, n, &parsed);
            if (!err) err = add_side(t->source, &parsed.source, t);
            one.n_source = (unsigned)(t->label.n - one.at);
            if (!err) err = add_side(t->target, &parsed.target, t);
            one.n_target = (unsigned)(t->label.n - one.at) - one.n_source;
        }
        if (!err) err = PF_PUSH(&t->first, one);
    }
    pf_tuple_words_free(&parsed);
    return err;
}

/* Calls for every place of a source word, by tuple; a tuple without source words has its place at word 0. */
static void each_place(const pfi_tuple_model *t, void (*f)(pfi_tuple_model *to, pf_label source, pf_tuple_place place),
                       pfi_tuple_model *to) {
    for (size_t i = 0; i < t->first.n; i++) {
        const pfi_model_tuple *one = &t->first.at[i];
        if (one->left_out) continue;
        for (unsigned k = 0; k < one->n_source; k++) f(to, t->label.at[one->at + k], (pf_tuple_place){(pf_label)i + 1, k});
        if (!one->n_source && one->n_target) f(to, 0, (pf_tuple_place){(pf_label)i + 1, 0});
    }
}

static void count_place(pfi_tuple_model *t, pf_label source, pf_tuple_place place) {
    (void)place;
    t->begin.at[source + 1]++;
}

static void put_place(pfi_tuple_model *t, pf_label source, pf_tuple_place place) {
    t->place.at[t->begin.at[source]++] = place;
}

/* A counting sort: afterwards the places of word x end where begin[x] says, so those of the next one begin there. */
static pf_err make_index(pfi_tuple_model *t) {
    size_t words = pf_symtab_count(t->source) + 1;
    for (size_t i = 0; i <= words; i++) PF_TRY(PF_PUSH(&t->begin, 0));
    each_place(t, count_place, t);
    for (size_t i = 1; i <= words; i++) t->begin.at[i] += t->begin.at[i - 1];
    PF_TRY(PF_ROOM(&t->place, t->begin.at[words] + 1));
    t->place.n = t->begin.at[words];
    each_place(t, put_place, t);
    memmove(t->begin.at + 1, t->begin.at, words * sizeof *t->begin.at);
    t->begin.at[0] = 0;
    return PF_OK;
}

/* ---- leaving out the less likely ---- */

typedef struct {
    pf_label first; /* source word */
    float cost;
    uint32_t tuple;
} ranked_tuple;

static int by_cost(const void *a, const void *b) {
    const ranked_tuple *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return x->tuple < y->tuple ? -1 : 1;
}

/* Of each first source word those past the options' number, but for the likeliest that has it alone: with that the word would
 * be gone. */
static pf_err leave_out(pfi_tuple_model *t) {
    PF_VEC(ranked_tuple) all = {0};
    pf_scorer by;
    pf_err err = pf_scorer_of(&t->ngram, &by);
    for (size_t i = 0; t->options.most && !err && i < t->first.n; i++) {
        pf_state to;
        const pfi_model_tuple *one = &t->first.at[i];
        if (!one->n_source) continue;
        double cost = by.cls->step(&by, by.cls->empty(&by), (pf_label)i + 1, &to);
        err = PF_PUSH(&all, ((ranked_tuple){t->label.at[one->at], (float)cost, (uint32_t)i}));
    }
    if (all.n) qsort(all.at, all.n, sizeof *all.at, by_cost);
    bool has_alone = false;
    for (size_t i = 0, rank = 0; !err && i < all.n; i++) {
        pfi_model_tuple *one = &t->first.at[all.at[i].tuple];
        bool next = i && all.at[i].first == all.at[i - 1].first, alone = one->n_source == 1;
        rank = next ? rank + 1 : 0;
        has_alone = next && has_alone;
        one->left_out = rank >= t->options.most && (has_alone || !alone);
        has_alone = has_alone || alone;
    }
    PF_VEC_FREE(&all);
    pf_scorer_end(&by);
    return err;
}

static pf_err set_up(pfi_tuple_model *t) {
    if (!(fabs(t->options.pass) <= 1e30))
        return pf_fail(PF_EINPUT, "expected a finite cost for a word that passes unchanged, found %g", t->options.pass);
    PF_TRY(pf_symtab_new("source", &t->source));
    PF_TRY(pf_symtab_new("target", &t->target));
    PF_TRY(parse_all(t));
    PF_TRY(leave_out(t));
    return make_index(t);
}

pf_err pf_tuplemodel_new(pf_model *ngram, const pf_tuple_options *options, pf_model *out) {
    pfi_tuple_model *t = calloc(1, sizeof *t);
    if (!t) {
        pf_model_free(ngram);
        return pf_nomem();
    }
    t->ngram = *ngram;
    t->options = *options;
    *ngram = (pf_model){NULL, NULL};
    pf_err err = set_up(t);
    if (err) tuples_free(t);
    else *out = (pf_model){&pf_tuple_class, t};
    return err;
}

static pf_err check_word(const char *word, size_t n) {
    pf_tuple_words parsed = {0};
    pf_err err = is_mark(word, n) ? PF_OK : pf_tuple_parse(word, n, &parsed);
    pf_tuple_words_free(&parsed);
    return err;
}

pf_err pf_tuplemodel_read_arpa(pf_reader *reader, const pf_tuple_options *options, pf_warn warn, void *warn_to, pf_model *out) {
    pf_model ngram;
    PF_TRY(pf_ngram_read_arpa_of(reader, check_word, warn, warn_to, &ngram));
    return pf_tuplemodel_new(&ngram, options, out);
}

/* ---- looking ---- */

const pf_model *pf_tuplemodel_ngram(const pf_model *model) { return &of(model)->ngram; }
double pf_tuplemodel_pass(const pf_model *model) { return of(model)->options.pass; }
const pf_symtab *pf_tuplemodel_source(const pf_model *model) { return of(model)->source; }
const pf_symtab *pf_tuplemodel_target(const pf_model *model) { return of(model)->target; }

pf_tuple_labels pf_tuplemodel_at(const pf_model *model, pf_label tuple) {
    const pfi_tuple_model *t = of(model);
    const pfi_model_tuple *one = &t->first.at[tuple - 1];
    const pf_label *at = t->label.at ? t->label.at + one->at : NULL;
    return (pf_tuple_labels){at, at + one->n_source, one->n_source, one->n_target};
}

const pf_tuple_place *pf_tuplemodel_places(const pf_model *model, pf_label source, size_t *n) {
    const pfi_tuple_model *t = of(model);
    *n = t->begin.at[source + 1] - t->begin.at[source];
    return t->place.at + t->begin.at[source];
}

/* ---- as a model ---- */

#define NGRAM(self) (((const pfi_tuple_model *)(self))->ngram)

/* Of the words of the m-gram model, which are tuples. */
static pf_err scorer(const void *self, pf_scorer *out) { return NGRAM(self).cls->scorer(NGRAM(self).self, out); }

/* Of one path of an automaton a tuple model makes several. */
static bool not_finite(const void *self) {
    (void)self;
    return false;
}

static const pf_symtab *words(const void *self) { return NGRAM(self).cls->words(NGRAM(self).self); }
static pf_label unknown(const void *self) { return NGRAM(self).cls->unknown(NGRAM(self).self); }

static bool lacks(const void *self, const char *word, size_t length) {
    const pfi_tuple_model *t = self;
    pf_label x = pf_symtab_find(t->source, word, length);
    if (x == PF_NO_LABEL) return true;
    for (size_t i = t->begin.at[x]; i < t->begin.at[x + 1]; i++)
        if (t->first.at[t->place.at[i].tuple - 1].n_source == 1) return false;
    return true;
}

static pf_label label(const void *self, const char *word, size_t length) {
    return NGRAM(self).cls->label(NGRAM(self).self, word, length);
}

static void describe(const void *self, pf_writer *text) {
    const pfi_tuple_model *t = self;
    size_t several = 0, tuples = 0, left_out = 0;
    for (size_t i = 0; i < t->first.n; i++) {
        left_out += t->first.at[i].left_out;
        tuples += t->first.at[i].n_source + t->first.at[i].n_target > 0;
        several += t->first.at[i].n_source > 1;
    }
    t->ngram.cls->describe(t->ngram.self, text);
    pf_writer_text(text, "tuples\t%zu\n", tuples);
    pf_writer_text(text, "tuples left out\t%zu\n", left_out);
    pf_writer_text(text, "tuples of several source words\t%zu\n", several);
    pf_writer_text(text, "tuples without source words\t%zu\n", (size_t)t->begin.at[1]);
    pf_writer_text(text, "source words\t%zu\n", pf_symtab_count(t->source));
    pf_writer_text(text, "target words\t%zu\n", pf_symtab_count(t->target));
    pf_writer_text(text, "cost of passing through\t%g\n", t->options.pass);
}

/* A version, the options, and the body of the m-gram model. */
static pf_err tuples_write(const void *self, pf_writer *w) {
    const pfi_tuple_model *t = self;
    PF_TRY(pf_writer_u32(w, VERSION));
    PF_TRY(pf_writer_f64(w, t->options.pass));
    PF_TRY(pf_writer_u32(w, t->options.most));
    return t->ngram.cls->write(t->ngram.self, w);
}

static pf_err tuples_read(pf_reader *r, void **self) {
    uint32_t version;
    pf_tuple_options options;
    pf_model ngram = {&pf_ngram_class, NULL}, made;
    PF_TRY(pf_reader_u32(r, &version, "the version of a tuple model"));
    if (version != VERSION) return pf_reader_fail(r, "expected a tuple model of version %d, found %u", VERSION, version);
    PF_TRY(pf_reader_f64(r, &options.pass, "the cost of passing through"));
    PF_TRY(pf_reader_u32(r, &options.most, "the tuples read of a word"));
    PF_TRY(ngram.cls->read(r, &ngram.self));
    PF_TRY(pf_tuplemodel_new(&ngram, &options, &made));
    *self = made.self;
    return PF_OK;
}

const pf_model_class pf_tuple_class = {
    .name = "tuples",
    .scorer = scorer,
    .finite = not_finite,
    .write = tuples_write,
    .read = tuples_read,
    .expand = pfi_tuples_expand,
    .words = words,
    .label = label,
    .unknown = unknown,
    .lacks = lacks,
    .describe = describe,
    .free = tuples_free,
};
