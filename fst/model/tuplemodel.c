/* The m-gram model, and an index from source words to its tuples. */
#include <permfst/model/tuplemodel.h>

#include "model/tuple_impl.h"
#include <permfst/model/tuple_text.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, LABELS_OF_TUPLE = 3 /* most models have fewer: room is made for as many */ };

static pfi_tuple_model *of(const pf_model *model) {
    assert(model->cls == &pf_tuple_class);
    return model->self;
}

static void tuples_free(void *self) {
    pfi_tuple_model *model = self;
    if (!model) return;
    pf_model_free(&model->ngram);
    pf_symtab_free(model->source);
    pf_symtab_free(model->target);
    PF_VEC_FREE(&model->first);
    PF_VEC_FREE(&model->label);
    PF_VEC_FREE(&model->begin);
    PF_VEC_FREE(&model->place);
    free(model);
}

/* ---- making one ---- */

static pf_err add_side(pf_symtab *table, const pf_words *side, pfi_tuple_model *model) {
    for (size_t i = 0; i < side->n; i++) {
        pf_label label;
        PF_TRY(pf_symtab_add(table, side->at[i].at, side->at[i].n, &label));
        PF_TRY(PF_PUSH(&model->label, label));
    }
    return PF_OK;
}

/* Words of an m-gram model that are no tuples. */
static bool is_mark(const char *word, size_t length) {
    static const char *const marks[] = {"<s>", "</s>", "<unk>", "<UNK>"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strlen(marks[i]) == length && memcmp(marks[i], word, length) == 0) return true;
    return false;
}

/* The labels of each tuple, source then target. */
static pf_err parse_all(pfi_tuple_model *model) {
    const pf_symtab *words = model->ngram.cls->words(model->ngram.self);
    pf_tuple_words parsed = {0};
    pf_err err = PF_ROOM(&model->first, pf_symtab_count(words));
    if (!err) err = PF_ROOM(&model->label, LABELS_OF_TUPLE * pf_symtab_count(words));
    for (size_t i = 0; !err && i < pf_symtab_count(words); i++) {
        size_t n;
        const char *word = pf_symtab_at(words, i, &n, NULL);
        pfi_model_tuple one = {.at = model->label.n};
        if (!is_mark(word, n)) {
            err = pf_tuple_parse(word, n, &parsed);
            if (!err) err = add_side(model->source, &parsed.source, model);
            one.n_source = (unsigned)(model->label.n - one.at);
            if (!err) err = add_side(model->target, &parsed.target, model);
            one.n_target = (unsigned)(model->label.n - one.at) - one.n_source;
        }
        if (!err) err = PF_PUSH(&model->first, one);
    }
    pf_tuple_words_free(&parsed);
    return err;
}

/* Calls for every place of a source word, by tuple; a tuple without source words has its place at word 0. */
static void each_place(const pfi_tuple_model *model,
    void (*visit)(pfi_tuple_model *to, pf_label source, pf_tuple_place place), pfi_tuple_model *to) {
    for (size_t i = 0; i < model->first.n; i++) {
        const pfi_model_tuple *one = &model->first.at[i];
        if (one->left_out) continue;
        for (unsigned k = 0; k < one->n_source; k++)
            visit(to, model->label.at[one->at + k], (pf_tuple_place){(pf_label)i + 1, k});
        if (!one->n_source && one->n_target) visit(to, 0, (pf_tuple_place){(pf_label)i + 1, 0});
    }
}

static void count_place(pfi_tuple_model *model, pf_label source, pf_tuple_place place) {
    (void)place;
    model->begin.at[source + 1]++;
}

static void put_place(pfi_tuple_model *model, pf_label source, pf_tuple_place place) {
    model->place.at[model->begin.at[source]++] = place;
}

/* A counting sort: afterwards the places of word x end where begin[x] says, so those of the next one begin there. */
static pf_err make_index(pfi_tuple_model *model) {
    size_t words = pf_symtab_count(model->source) + 1;
    for (size_t i = 0; i <= words; i++) PF_TRY(PF_PUSH(&model->begin, 0));
    each_place(model, count_place, model);
    for (size_t i = 1; i <= words; i++) model->begin.at[i] += model->begin.at[i - 1];
    PF_TRY(PF_ROOM(&model->place, model->begin.at[words] + 1));
    model->place.n = model->begin.at[words];
    each_place(model, put_place, model);
    memmove(model->begin.at + 1, model->begin.at, words * sizeof *model->begin.at);
    model->begin.at[0] = 0;
    return PF_OK;
}

/* ---- leaving out the less likely ---- */

typedef struct {
    pf_label first; /* source word */
    float cost;
    uint32_t tuple;
} ranked_tuple;

static int by_cost(const void *first, const void *second) {
    const ranked_tuple *one = first, *other = second;
    if (one->first != other->first) return one->first < other->first ? -1 : 1;
    if (one->cost != other->cost) return one->cost < other->cost ? -1 : 1;
    return one->tuple < other->tuple ? -1 : 1;
}

/* How many tuples begin with each source word. NULL: there is no memory. */
static uint32_t *count_by_first(const pfi_tuple_model *model) {
    uint32_t *count = calloc(pf_symtab_count(model->source) + 1, sizeof *count);
    for (size_t i = 0; count && i < model->first.n; i++)
        if (model->first.at[i].n_source) count[model->label.at[model->first.at[i].at]]++;
    return count;
}

typedef PF_VEC(ranked_tuple) ranked_tuples;

/* The tuples of the source words that have more than the options' number. */
static pf_err rank_many(const pfi_tuple_model *model, const uint32_t *count, ranked_tuples *out) {
    pf_scorer by;
    pf_err err = pf_scorer_of(&model->ngram, &by);
    for (size_t i = 0; !err && i < model->first.n; i++) {
        pf_state to;
        const pfi_model_tuple *one = &model->first.at[i];
        if (!one->n_source || count[model->label.at[one->at]] <= model->options.most) continue;
        double cost = by.cls->step(&by, by.cls->empty(&by), (pf_label)i + 1, &to);
        err = PF_PUSH(out, ((ranked_tuple){model->label.at[one->at], (float)cost, (uint32_t)i}));
    }
    pf_scorer_end(&by);
    return err;
}

/* Leaves out the tuples of each first source word that come after the options' number. The likeliest tuple that has the word alone
 * stays: without it the word would be gone. */
static pf_err leave_out(pfi_tuple_model *model) {
    ranked_tuples all = {0};
    if (!model->options.most) return PF_OK;
    uint32_t *count = count_by_first(model);
    pf_err err = count ? rank_many(model, count, &all) : pf_nomem();
    if (all.n) qsort(all.at, all.n, sizeof *all.at, by_cost);
    bool has_alone = false;
    for (size_t i = 0, rank = 0; !err && i < all.n; i++) {
        pfi_model_tuple *one = &model->first.at[all.at[i].tuple];
        bool next = i && all.at[i].first == all.at[i - 1].first, alone = one->n_source == 1;
        rank = next ? rank + 1 : 0;
        has_alone = next && has_alone;
        one->left_out = rank >= model->options.most && (has_alone || !alone);
        has_alone = has_alone || alone;
    }
    PF_VEC_FREE(&all);
    free(count);
    return err;
}

static pf_err set_up(pfi_tuple_model *model) {
    if (!(fabs(model->options.pass) <= 1e30))
        return pf_fail(PF_EINPUT, "expected a finite cost for a word that passes unchanged, found %g", model->options.pass);
    PF_TRY(pf_symtab_new("source", &model->source));
    PF_TRY(pf_symtab_new("target", &model->target));
    PF_TRY(parse_all(model));
    PF_TRY(leave_out(model));
    return make_index(model);
}

pf_err pf_tuplemodel_new(pf_model *ngram, const pf_tuple_options *options, pf_model *out) {
    pfi_tuple_model *model = calloc(1, sizeof *model);
    if (!model) {
        pf_model_free(ngram);
        return pf_nomem();
    }
    model->ngram = *ngram;
    model->options = *options;
    *ngram = (pf_model){NULL, NULL};
    pf_err err = set_up(model);
    if (err) tuples_free(model);
    else *out = (pf_model){&pf_tuple_class, model};
    return err;
}

static pf_err check_word(const char *word, size_t length) {
    pf_tuple_words parsed = {0};
    pf_err err = is_mark(word, length) ? PF_OK : pf_tuple_parse(word, length, &parsed);
    pf_tuple_words_free(&parsed);
    return err;
}

pf_err pf_tuplemodel_read_arpa(pf_reader *reader, const pf_tuple_options *options, pf_warn warn, void *warn_to, pf_model *out) {
    pf_model ngram;
    PF_TRY(pf_ngram_read_arpa_of(reader, check_word, warn, warn_to, &ngram));
    return pf_tuplemodel_new(&ngram, options, out);
}

/* ---- looking ---- */

double pf_tuplemodel_pass(const pf_model *model) { return of(model)->options.pass; }
const pf_symtab *pf_tuplemodel_source(const pf_model *model) { return of(model)->source; }
const pf_symtab *pf_tuplemodel_target(const pf_model *model) { return of(model)->target; }

pf_tuple_labels pf_tuplemodel_at(const pf_model *model, pf_label tuple) {
    const pfi_tuple_model *tuples = of(model);
    assert(tuple > 0 && (size_t)tuple <= tuples->first.n);
    const pfi_model_tuple *one = &tuples->first.at[tuple - 1];
    const pf_label *at = tuples->label.at ? tuples->label.at + one->at : NULL;
    return (pf_tuple_labels){at, at + one->n_source, one->n_source, one->n_target};
}

const pf_tuple_place *pf_tuplemodel_places(const pf_model *model, pf_label source, size_t *count) {
    const pfi_tuple_model *tuples = of(model);
    assert(source >= 0 && (size_t)source + 1 < tuples->begin.n);
    *count = tuples->begin.at[source + 1] - tuples->begin.at[source];
    return tuples->place.at + tuples->begin.at[source];
}

/* ---- as a model ---- */

#define NGRAM(self) (((const pfi_tuple_model *)(self))->ngram)

/* The words of the m-gram model are the tuples. */
static pf_err scorer(const void *self, pf_scorer *out) { return NGRAM(self).cls->scorer(NGRAM(self).self, out); }

/* A tuple model makes several paths of one path of an automaton. */
static bool not_finite(const void *self) {
    (void)self;
    return false;
}

static const pf_symtab *words(const void *self) { return NGRAM(self).cls->words(NGRAM(self).self); }
static pf_label unknown(const void *self) { return NGRAM(self).cls->unknown(NGRAM(self).self); }

static bool lacks(const void *self, const char *word, size_t length) {
    const pfi_tuple_model *model = self;
    pf_label label = pf_symtab_find(model->source, word, length);
    if (label == PF_NO_LABEL) return true;
    for (size_t i = model->begin.at[label]; i < model->begin.at[label + 1]; i++)
        if (model->first.at[model->place.at[i].tuple - 1].n_source == 1) return false;
    return true;
}

static pf_label label(const void *self, const char *word, size_t length) {
    return NGRAM(self).cls->label(NGRAM(self).self, word, length);
}

static void describe(const void *self, pf_writer *text) {
    const pfi_tuple_model *model = self;
    size_t several = 0, tuples = 0, left_out = 0;
    for (size_t i = 0; i < model->first.n; i++) {
        left_out += model->first.at[i].left_out;
        tuples += model->first.at[i].n_source + model->first.at[i].n_target > 0;
        several += model->first.at[i].n_source > 1;
    }
    model->ngram.cls->describe(model->ngram.self, text);
    pf_writer_text(text, "tuples\t%zu\n", tuples);
    pf_writer_text(text, "tuples left out\t%zu\n", left_out);
    pf_writer_text(text, "tuples of several source words\t%zu\n", several);
    pf_writer_text(text, "tuples without source words\t%zu\n", (size_t)model->begin.at[1]);
    pf_writer_text(text, "source words\t%zu\n", pf_symtab_count(model->source));
    pf_writer_text(text, "target words\t%zu\n", pf_symtab_count(model->target));
    pf_writer_text(text, "cost of passing through\t%g\n", model->options.pass);
}

/* A version, the options, and the body of the m-gram model. */
static pf_err tuples_write(const void *self, pf_writer *writer) {
    const pfi_tuple_model *model = self;
    PF_TRY(pf_writer_u32(writer, VERSION));
    PF_TRY(pf_writer_f64(writer, model->options.pass));
    PF_TRY(pf_writer_u32(writer, model->options.most));
    return model->ngram.cls->write(model->ngram.self, writer);
}

static pf_err tuples_read(pf_reader *reader, void **self) {
    uint32_t version;
    pf_tuple_options options;
    pf_model ngram = {&pf_ngram_class, NULL}, made;
    PF_TRY(pf_reader_u32(reader, &version, "the version of a tuple model"));
    if (version != VERSION)
        return pf_reader_fail(reader, "expected a tuple model of version %d, found %u", VERSION, version);
    PF_TRY(pf_reader_f64(reader, &options.pass, "the cost of passing through"));
    PF_TRY(pf_reader_u32(reader, &options.most, "the tuples read of a word"));
    PF_TRY(ngram.cls->read(reader, &ngram.self));
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
