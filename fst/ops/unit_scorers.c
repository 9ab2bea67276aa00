/* Three scorers of units: the tuple model, the order of places, a model of the target words. */
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
    pf_scorer *inner;          /* of tuples, or of target words; NULL for the order of places */
    pf_scorer tuples;          /* the first of these, which is owned; else empty */
    pf_labelmap words;         /* of target words */
    PF_VEC(pf_label) tuple;    /* scratch of a row: the tuples of plain units */
    row_plan plan;             /* of the target words */
} unit_scorer;

static void free_own(void *own) {
    unit_scorer *m = own;
    pf_scorer_end(&m->tuples);
    pf_labelmap_free(&m->words);
    PF_VEC_FREE(&m->tuple);
    PF_VEC_FREE(&m->plan.x);
    PF_VEC_FREE(&m->plan.word);
    PF_VEC_FREE(&m->plan.place);
    PF_VEC_FREE(&m->plan.w);
    PF_VEC_FREE(&m->plan.to);
    free(m);
}

/* Units are found, as the automaton is made of them. */
static pf_label label(const pf_scorer *scorer, const char *word, size_t n) {
    return pf_symtab_find(((const unit_scorer *)scorer->own)->units->names, word, n);
}

/* *own is what the scorer has of its own, for the caller to fill. */
static pf_err add(pf_units *u, const pf_scorer_class *cls, unit_scorer **own, pf_scorer **out) {
    unit_scorer *m = calloc(1, sizeof *m);
    pf_scorer *scorer = malloc(sizeof *scorer);
    pf_err err = m && scorer ? PF_PUSH(&u->owned, scorer) : pf_nomem();
    if (err) {
        free(m);
        free(scorer);
        return err;
    }
    m->units = u;
    *scorer = (pf_scorer){.cls = cls, .own = m};
    *own = m;
    *out = scorer;
    return PF_OK;
}

/* ---- the tuple model ---- */

static pf_state start(const pf_scorer *scorer) {
    const pf_scorer *inner = ((const unit_scorer *)scorer->own)->inner;
    return inner->cls->start(inner);
}

static double final(pf_scorer *scorer, pf_state s) {
    pf_scorer *inner = ((const unit_scorer *)scorer->own)->inner;
    return inner->cls->final(inner, s);
}

static bool inner_nonnegative(const pf_scorer *scorer) {
    return pf_scorer_nonnegative(((const unit_scorer *)scorer->own)->inner);
}

static bool tuples_nonnegative(const pf_scorer *scorer) {
    return inner_nonnegative(scorer) && pf_tuplemodel_pass(((const unit_scorer *)scorer->own)->units->tuples) >= 0;
}

static double read_tuple(pf_scorer *inner, pf_label tuple, pf_state *s) {
    return tuple == PF_EPSILON ? 0 : inner->cls->step(inner, *s, tuple, s);
}

static double tuples_step(pf_scorer *scorer, pf_state s, pf_label x, pf_state *to) {
    const unit_scorer *m = scorer->own;
    const pf_unit *u = pf_units_at(m->units, x);
    double w = read_tuple(m->inner, u->before, &s);
    if (u->passed) {
        read_tuple(m->inner, u->tuple, &s);
        w += pf_tuplemodel_pass(m->units->tuples);
    } else if (!u->place) w += read_tuple(m->inner, u->tuple, &s);
    w += read_tuple(m->inner, u->after, &s);
    *to = s;
    return w;
}

/* Plain units come first, in the order of their tuples: one row of the tuple model. */
static void tuples_row(pf_scorer *scorer, pf_state s, const pf_label *x, unsigned n, double *w, pf_state *to) {
    unit_scorer *m = scorer->own;
    unsigned plain = 0;
    while (plain < n && (size_t)x[plain] <= m->units->plain) plain++;
    if (plain && PF_ROOM(&m->tuple, plain) == PF_OK) {
        for (unsigned i = 0; i < plain; i++) m->tuple.at[i] = pf_units_at(m->units, x[i])->tuple;
        m->inner->cls->row(m->inner, s, m->tuple.at, plain, w, to);
    } else plain = 0;
    for (unsigned i = plain; i < n; i++) w[i] = tuples_step(scorer, s, x[i], &to[i]);
}

static const pf_scorer_class tuples_class = {
    .start = start, .step = tuples_step, .row = tuples_row, .final = final, .label = label,
    .nonnegative = tuples_nonnegative, .free = free_own,
};

pf_err pf_units_tuple_scorer(pf_units *u, pf_scorer **out) {
    unit_scorer *m;
    PF_TRY(add(u, &tuples_class, &m, out));
    m->inner = &m->tuples;
    return pf_scorer_of(u->tuples, &m->tuples);
}

/* ---- the order of places ---- */

enum { FREE, ENDED, PENDING }; /* states from PENDING on: the place that the tuple is at, as PENDING + a unit of it */

static pf_state order_start(const pf_scorer *scorer) {
    (void)scorer;
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

static double order_step(pf_scorer *scorer, pf_state s, pf_label x, pf_state *to) {
    const pf_units *u = ((const unit_scorer *)scorer->own)->units;
    const pf_unit *one = pf_units_at(u, x);
    *to = s;
    if (!follows(u, s, one)) return (double)INFINITY;
    bool whole = one->passed || one->place + 1 == pf_tuplemodel_at(u->tuples, one->tuple).n_source;
    *to = one->after != PF_EPSILON ? ENDED : whole ? FREE : pending(u, x);
    return 0;
}

static double order_final(pf_scorer *scorer, pf_state s) {
    (void)scorer;
    return s >= PENDING ? (double)INFINITY : 0;
}

static bool always_nonnegative(const pf_scorer *scorer) {
    (void)scorer;
    return true;
}

static void each_step(pf_scorer *scorer, pf_state s, const pf_label *x, unsigned n, double *w, pf_state *to) {
    for (unsigned i = 0; i < n; i++) w[i] = order_step(scorer, s, x[i], &to[i]);
}

static const pf_scorer_class order_class = {
    .start = order_start, .step = order_step, .row = each_step, .final = order_final, .label = label,
    .nonnegative = always_nonnegative, .free = free_own,
};

pf_err pf_units_order_scorer(pf_units *u, pf_scorer **out) {
    unit_scorer *m;
    *out = NULL;
    return u->ordered ? add(u, &order_class, &m, out) : PF_OK;
}

/* ---- the target words ---- */

/* The costs of target words said[from..n). */
static double say(unit_scorer *m, const pf_label *said, size_t from, size_t n, pf_state *s) {
    double w = 0;
    for (size_t i = from; i < n; i++) {
        pf_label word;
        if (pf_labelmap_get(&m->words, said[i], &word)) return (double)INFINITY;
        w += m->inner->cls->step(m->inner, *s, word, s);
    }
    return w;
}

static double target_step(pf_scorer *scorer, pf_state s, pf_label x, pf_state *to) {
    unit_scorer *m = scorer->own;
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

static pf_err first_words(unit_scorer *m, row_plan *p, pf_label *first) {
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

static pf_err make_plan(unit_scorer *m, const pf_label *x, unsigned n) {
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

static void target_row(pf_scorer *scorer, pf_state s, const pf_label *x, unsigned n, double *w, pf_state *to) {
    unit_scorer *m = scorer->own;
    row_plan *p = &m->plan;
    bool planned = (p->x.n == n && memcmp(p->x.at, x, n * sizeof *x) == 0) || make_plan(m, x, n) == PF_OK;
    if (planned && p->word.n)
        m->inner->cls->row(m->inner, s, p->word.at, (unsigned)p->word.n, p->w.at, p->to.at);
    for (unsigned i = 0; i < n; i++) {
        size_t words;
        const pf_label *said = pf_units_said(m->units, x[i], &words);
        bool first = planned && p->place.at[i] != SILENT;
        w[i] = first ? p->w.at[p->place.at[i]] : 0;
        to[i] = first ? p->to.at[p->place.at[i]] : s;
        w[i] += say(m, said, first, words, &to[i]);
    }
}

static const pf_scorer_class target_class = {
    .start = start, .step = target_step, .row = target_row, .final = final, .label = label,
    .nonnegative = inner_nonnegative, .free = free_own,
};

pf_err pf_units_target_scorer(pf_units *u, pf_scorer *target, pf_scorer **out) {
    unit_scorer *m;
    PF_TRY(add(u, &target_class, &m, out));
    m->inner = target;
    return pf_labelmap_scorer(&m->words, u->words, target);
}
