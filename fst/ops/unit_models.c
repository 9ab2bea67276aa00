/* Three deterministic models of units: the tuple model, the order of places, a model of the target words. */
#include <permfst/ops/labelmap.h>
#include "ops/units_impl.h"

#include <stdlib.h>
#include <string.h>

/* The first words of the units of a row, each once, so that one row of the model serves them all. */
typedef struct {
    PF_VEC(pf_label) x;        /* the units it was made for */
    PF_VEC(pf_label) word;     /* the model's labels, ascending */
    PF_VEC(uint32_t) place;    /* of each unit: its first word in `word`; SILENT: it says nothing */
    PF_VEC(double) w;          /* scratch: what the model says of each */
    PF_VEC(pf_state) to;
} row_plan;

#define SILENT UINT32_MAX

typedef struct {
    pf_units *units;
    const pf_model *model;     /* of tuples, or of target words; NULL: the order of places */
    pf_labelmap words;         /* of target words */
    PF_VEC(pf_label) tuple;    /* scratch of a row: the tuples of plain units */
    row_plan plan;             /* of the target words */
} unit_model;

static void model_free(void *self) {
    unit_model *m = self;
    pf_labelmap_free(&m->words);
    PF_VEC_FREE(&m->tuple);
    PF_VEC_FREE(&m->plan.x);
    PF_VEC_FREE(&m->plan.word);
    PF_VEC_FREE(&m->plan.place);
    PF_VEC_FREE(&m->plan.w);
    PF_VEC_FREE(&m->plan.to);
    free(m);
}

static const pf_symtab *names(const void *self) { return ((const unit_model *)self)->units->names; }

/* Units are found, as the automaton is made of them. */
static pf_label label(const void *self, const char *word, size_t n) { return pf_symtab_find(names(self), word, n); }
static pf_label unknown(const void *self) {
    (void)self;
    return PF_NO_LABEL;
}

static pf_err add(pf_units *u, const pf_model_class *cls, unit_model m, const pf_model **out) {
    unit_model *self = malloc(sizeof *self);
    pf_model *model = malloc(sizeof *model);
    pf_err err = self && model ? PF_PUSH(&u->owned, (void *)model) : pf_nomem();
    if (err) {
        free(self);
        free(model);
        return err;
    }
    *self = m;
    *model = (pf_model){cls, self};
    *out = model;
    return PF_OK;
}

/* ---- the tuple model ---- */

static pf_state start(const void *self) {
    const pf_model *m = ((const unit_model *)self)->model;
    return m->cls->start(m->self);
}

static double final(const void *self, pf_state s) {
    const pf_model *m = ((const unit_model *)self)->model;
    return m->cls->final(m->self, s);
}

static bool all_finite(const void *self) {
    const pf_model *m = ((const unit_model *)self)->model;
    return m->cls->finite(m->self);
}

static bool inner_nonnegative(const void *self) { return pf_model_nonnegative(((const unit_model *)self)->model); }

static bool reader_nonnegative(const void *self) {
    return inner_nonnegative(self) && pf_tuplemodel_pass(((const unit_model *)self)->units->tuples) >= 0;
}

static double read_tuple(const pf_model *m, pf_label tuple, pf_state *s) {
    return tuple == PF_EPSILON ? 0 : m->cls->step(m->self, *s, tuple, s);
}

static double reader_step(const void *self, pf_state s, pf_label x, pf_state *to) {
    const unit_model *m = self;
    const pf_unit *u = pf_units_at(m->units, x);
    double w = read_tuple(m->model, u->before, &s);
    if (u->passed) {
        read_tuple(m->model, u->tuple, &s);
        w += pf_tuplemodel_pass(m->units->tuples);
    } else if (!u->place) w += read_tuple(m->model, u->tuple, &s);
    w += read_tuple(m->model, u->behind, &s);
    *to = s;
    return w;
}

/* Plain units come first, in the order of their tuples: one row of the tuple model. */
static void reader_row(const void *self, pf_state s, const pf_label *x, unsigned n, double *w, pf_state *to) {
    unit_model *m = (unit_model *)(uintptr_t)self; /* scratch, of one thread */
    unsigned plain = 0;
    while (plain < n && (size_t)x[plain] <= m->units->plain) plain++;
    if (plain && PF_ROOM(&m->tuple, plain) == PF_OK) {
        for (unsigned i = 0; i < plain; i++) m->tuple.at[i] = pf_units_at(m->units, x[i])->tuple;
        m->model->cls->row(m->model->self, s, m->tuple.at, plain, w, to);
    } else plain = 0;
    for (unsigned i = plain; i < n; i++) w[i] = reader_step(self, s, x[i], &to[i]);
}

static const pf_model_class reader_class = {
    .name = "units read", .start = start, .step = reader_step, .row = reader_row, .final = final, .finite = all_finite,
    .nonnegative = reader_nonnegative, .words = names, .label = label, .unknown = unknown, .free = model_free,
};

pf_err pf_units_reader(pf_units *u, const pf_model **out) {
    return add(u, &reader_class, (unit_model){.units = u, .model = pf_tuplemodel_ngram(u->tuples)}, out);
}

/* ---- the order of places ---- */

enum { FREE, ENDED, PENDING }; /* states from PENDING on: the place that the tuple is at, as PENDING + a unit of it */

static pf_state order_start(const void *self) {
    (void)self;
    return FREE;
}

/* The first unit of the same place, so that a state says no more than what must follow. */
static pf_state pending(const pf_units *u, pf_label x) {
    const pf_unit *one = pf_units_at(u, x);
    while (x > 1) {
        const pf_unit *before = pf_units_at(u, x - 1);
        if (before->tuple != one->tuple || before->place != one->place || before->passed) break;
        x--;
    }
    return PENDING + (pf_state)x;
}

static bool follows(const pf_units *u, pf_state s, const pf_unit *one) {
    if (s == ENDED) return false;
    if (s == FREE) return one->place == 0;
    const pf_unit *last = pf_units_at(u, (pf_label)(s - PENDING));
    return one->tuple == last->tuple && one->place == last->place + 1;
}

static double order_step(const void *self, pf_state s, pf_label x, pf_state *to) {
    const pf_units *u = ((const unit_model *)self)->units;
    const pf_unit *one = pf_units_at(u, x);
    *to = s;
    if (!follows(u, s, one)) return (double)INFINITY;
    bool whole = one->passed || one->place + 1 == pf_tuplemodel_at(u->tuples, one->tuple).n_source;
    *to = one->behind != PF_EPSILON ? ENDED : whole ? FREE : pending(u, x);
    return 0;
}

static double order_final(const void *self, pf_state s) {
    (void)self;
    return s >= PENDING ? (double)INFINITY : 0;
}

static bool not_finite(const void *self) {
    (void)self;
    return false;
}

static bool always_nonnegative(const void *self) {
    (void)self;
    return true;
}

static void each_step(const void *self, pf_state s, const pf_label *x, unsigned n, double *w, pf_state *to) {
    for (unsigned i = 0; i < n; i++) w[i] = order_step(self, s, x[i], &to[i]);
}

static const pf_model_class order_class = {
    .name = "units in order", .start = order_start, .step = order_step, .row = each_step, .final = order_final,
    .finite = not_finite, .nonnegative = always_nonnegative, .words = names, .label = label, .unknown = unknown,
    .free = model_free,
};

pf_err pf_units_order(pf_units *u, const pf_model **out) {
    *out = NULL;
    return u->ordered ? add(u, &order_class, (unit_model){.units = u}, out) : PF_OK;
}

/* ---- the target words ---- */

/* The costs of target words said[from..n). */
static double say(unit_model *m, const pf_label *said, size_t from, size_t n, pf_state *s) {
    double w = 0;
    for (size_t i = from; i < n; i++) {
        pf_label word;
        if (pf_labelmap_get(&m->words, said[i], &word)) return (double)INFINITY;
        w += m->model->cls->step(m->model->self, *s, word, s);
    }
    return w;
}

static double speaker_step(const void *self, pf_state s, pf_label x, pf_state *to) {
    unit_model *m = (unit_model *)(uintptr_t)self; /* the map remembers, in one thread */
    size_t n;
    const pf_label *said = pf_units_said(m->units, x, &n);
    *to = s;
    return say(m, said, 0, n, to);
}

static int by_label(const void *a, const void *b) {
    pf_label x = *(const pf_label *)a, y = *(const pf_label *)b;
    return (x > y) - (x < y);
}

static uint32_t place_of(const row_plan *p, pf_label word) {
    const pf_label *at = bsearch(&word, p->word.at, p->word.n, sizeof word, by_label);
    return (uint32_t)(at - p->word.at);
}

static pf_err first_words(unit_model *m, row_plan *p, pf_label *first) {
    p->word.n = 0;
    for (size_t i = 0; i < p->x.n; i++) {
        size_t n;
        const pf_label *said = pf_units_said(m->units, p->x.at[i], &n);
        first[i] = PF_EPSILON;
        if (!n) continue;
        PF_TRY(pf_labelmap_get(&m->words, said[0], &first[i]));
        PF_TRY(PF_PUSH(&p->word, first[i]));
    }
    size_t words = 0;
    if (p->word.n) qsort(p->word.at, p->word.n, sizeof *p->word.at, by_label);
    for (size_t i = 0; i < p->word.n; i++)
        if (!words || p->word.at[words - 1] != p->word.at[i]) p->word.at[words++] = p->word.at[i];
    p->word.n = words;
    return PF_OK;
}

static pf_err make_plan(unit_model *m, const pf_label *x, unsigned n) {
    row_plan *p = &m->plan;
    pf_label *first = malloc((n + (size_t)1) * sizeof *first);
    if (!first) return pf_nomem();
    p->x.n = 0;
    pf_err err = PF_ROOM(&p->x, n);
    if (!err) memcpy(p->x.at, x, n * sizeof *x);
    p->x.n = err ? 0 : n;
    if (!err) err = first_words(m, p, first);
    if (!err) err = PF_ROOM(&p->w, p->word.n + 1);
    if (!err) err = PF_ROOM(&p->to, p->word.n + 1);
    p->place.n = 0;
    for (unsigned i = 0; !err && i < n; i++)
        err = PF_PUSH(&p->place, first[i] == PF_EPSILON ? SILENT : place_of(p, first[i]));
    free(first);
    if (err) p->x.n = 0;
    return err;
}

static void speaker_row(const void *self, pf_state s, const pf_label *x, unsigned n, double *w, pf_state *to) {
    unit_model *m = (unit_model *)(uintptr_t)self; /* scratch, of one thread */
    row_plan *p = &m->plan;
    bool planned = (p->x.n == n && memcmp(p->x.at, x, n * sizeof *x) == 0) || make_plan(m, x, n) == PF_OK;
    if (planned && p->word.n)
        m->model->cls->row(m->model->self, s, p->word.at, (unsigned)p->word.n, p->w.at, p->to.at);
    for (unsigned i = 0; i < n; i++) {
        size_t words;
        const pf_label *said = pf_units_said(m->units, x[i], &words);
        bool first = planned && p->place.at[i] != SILENT;
        w[i] = first ? p->w.at[p->place.at[i]] : 0;
        to[i] = first ? p->to.at[p->place.at[i]] : s;
        w[i] += say(m, said, first, words, &to[i]);
    }
}

static const pf_model_class speaker_class = {
    .name = "units said", .start = start, .step = speaker_step, .row = speaker_row, .final = final, .finite = all_finite,
    .nonnegative = inner_nonnegative, .words = names, .label = label, .unknown = unknown, .free = model_free,
};

pf_err pf_units_speaker(pf_units *u, const pf_model *target, const pf_model **out) {
    unit_model m = {.units = u, .model = target};
    PF_TRY(pf_labelmap_model(&m.words, u->words, target));
    return add(u, &speaker_class, m, out);
}
