/* Scorers of units: what they have in common, the tuple model, and the order of places. That of target words is target_scorer.c. */
#include "ops/unit_scorers_impl.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

pf_err pfi_unit_scorer_add(pf_units *units, const pf_scorer_class *cls, size_t size, pf_scorer **out) {
    pfi_unit_scorer *made = calloc(1, size);
    pf_scorer *scorer = malloc(sizeof *scorer);
    assert(size >= sizeof *made);
    pf_err err = made && scorer ? PF_PUSH(&units->owned, scorer) : pf_nomem();
    if (err) {
        free(made);
        free(scorer);
        return err;
    }
    made->cls = *cls;
    made->units = units;
    *scorer = (pf_scorer){.cls = &made->cls, .own = made};
    *out = scorer;
    return PF_OK;
}

void pfi_unit_scorer_take_inner(pfi_unit_scorer *scorer, pf_scorer *inner) {
    scorer->inner = inner;
    if (!inner->cls->backs) scorer->cls.backs = NULL;
    if (!inner->cls->known) {
        scorer->cls.heads = NULL;
        scorer->cls.known_heads = NULL;
        scorer->cls.tails = NULL;
    }
    if (inner->cls->empty) return;
    scorer->cls.empty = NULL;
    scorer->cls.reach = NULL;
    scorer->cls.open = NULL;
    scorer->cls.length = NULL;
}

static pf_scorer *inner_of(const pf_scorer *scorer) { return ((const pfi_unit_scorer *)scorer->own)->inner; }

pf_state pfi_unit_scorer_start(const pf_scorer *scorer) { return inner_of(scorer)->cls->start(inner_of(scorer)); }

double pfi_unit_scorer_final(pf_scorer *scorer, pf_state state) { return inner_of(scorer)->cls->final(inner_of(scorer), state); }

double pfi_unit_scorer_known_end(const pf_scorer *scorer, pf_state state) {
    return inner_of(scorer)->cls->known_end(inner_of(scorer), state);
}

bool pfi_unit_scorer_nonnegative(const pf_scorer *scorer) { return pf_scorer_nonnegative(inner_of(scorer)); }

pf_state pfi_unit_scorer_empty(const pf_scorer *scorer) { return inner_of(scorer)->cls->empty(inner_of(scorer)); }

bool pfi_unit_scorer_open(const pf_scorer *scorer, pf_state state, unsigned words) {
    return inner_of(scorer)->cls->open(inner_of(scorer), state, words);
}

unsigned pfi_unit_scorer_backs(const pf_scorer *scorer) { return inner_of(scorer)->cls->backs(inner_of(scorer)); }

unsigned pfi_unit_scorer_reach(const pf_scorer *scorer) {
    return inner_of(scorer)->cls->reach(inner_of(scorer)) ? UINT_MAX : 0;
}

pf_label pfi_unit_scorer_label(const pf_scorer *scorer, const char *word, size_t length) {
    return pf_symtab_find(((const pfi_unit_scorer *)scorer->own)->units->names, word, length);
}

/* ---- the tuple model ---- */

typedef struct {
    pfi_unit_scorer base;
    pf_scorer tuples;       /* `inner`, which is owned */
    PF_VEC(pf_label) asked; /* units that were asked for last: rows of a sentence are of the same units */
    pf_label_set plain;     /* the tuples of those of them that are plain, which come first */
} tuple_scorer;

static bool tuples_nonnegative(const pf_scorer *scorer) {
    const pfi_unit_scorer *own = scorer->own;
    return pfi_unit_scorer_nonnegative(scorer) && pf_tuplemodel_pass(own->units->tuples) >= 0;
}

static double read_tuple(pf_scorer *inner, pf_label tuple, pf_state *state) {
    return tuple == PF_EPSILON ? 0 : inner->cls->step(inner, *state, tuple, state);
}

static double tuples_step(pf_scorer *scorer, pf_state state, pf_label label, pf_state *to) {
    const pfi_unit_scorer *own = scorer->own;
    const pf_unit *unit = pf_units_at(own->units, label);
    double cost = read_tuple(own->inner, unit->before, &state);
    if (unit->passed) {
        read_tuple(own->inner, unit->tuple, &state);
        cost += pf_tuplemodel_pass(own->units->tuples);
    } else if (!unit->place) cost += read_tuple(own->inner, unit->tuple, &state);
    cost += read_tuple(own->inner, unit->after, &state);
    *to = state;
    return cost;
}

/* How many of the units are plain: they come first, in the order of their tuples, so that one row of the tuple model serves them.
 * Their tuples are listed. 0 where there is no memory. */
static unsigned list_plain(tuple_scorer *own, const pf_label_set *labels) {
    const unsigned count = labels->n;
    if (own->asked.n == count && count && memcmp(own->asked.at, labels->at, count * sizeof *labels->at) == 0) return own->plain.n;
    unsigned plain = 0;
    own->asked.n = 0;
    pf_label_set_free(&own->plain);
    if (PF_ROOM(&own->asked, count)) return 0;
    for (; plain < count && (size_t)labels->at[plain] <= own->base.units->plain; plain++)
        own->asked.at[plain] = pf_units_at(own->base.units, labels->at[plain])->tuple;
    if (pf_label_set_init(&own->plain, own->asked.at, plain)) {
        pf_label_set_free(&own->plain);
        return 0;
    }
    if (count) memcpy(own->asked.at, labels->at, count * sizeof *labels->at);
    own->asked.n = count;
    return plain;
}

static void tuples_row(pf_scorer *scorer, pf_state state, const pf_label_set *labels, double *costs, pf_state *to) {
    tuple_scorer *own = scorer->own;
    const unsigned plain = list_plain(own, labels);
    if (plain) own->base.inner->cls->row(own->base.inner, state, &own->plain, costs, to);
    for (unsigned i = plain; i < labels->n; i++) costs[i] = tuples_step(scorer, state, labels->at[i], &to[i]);
}

/* Units that are not plain are known by every state. What it says of plain ones is what the tuple model says. */
static void tuples_known(pf_scorer *scorer, pf_state state, const pf_label_set *labels, pf_known_words *out) {
    tuple_scorer *own = scorer->own;
    pf_scorer *inner = own->base.inner;
    const unsigned plain = list_plain(own, labels);
    inner->cls->known(inner, state, &own->plain, out);
    for (unsigned i = plain; i < labels->n; i++) {
        out->which[out->n] = i;
        out->cost[out->n] = tuples_step(scorer, state, labels->at[i], &out->to[out->n]);
        out->n++;
    }
}

/* The tuples that it reads. */
static unsigned tuples_length(const pf_scorer *scorer, pf_label label) {
    const pf_unit *unit = pf_units_at(((const pfi_unit_scorer *)scorer->own)->units, label);
    return (unsigned)(unit->before != PF_EPSILON) + (unsigned)(unit->passed || !unit->place) +
           (unsigned)(unit->after != PF_EPSILON);
}

static void free_tuples(void *own) {
    tuple_scorer *scorer = own;
    pf_scorer_end(&scorer->tuples);
    PF_VEC_FREE(&scorer->asked);
    pf_label_set_free(&scorer->plain);
    free(scorer);
}

static const pf_scorer_class tuples_class = {
    .start = pfi_unit_scorer_start, .step = tuples_step, .row = tuples_row, .known = tuples_known,
    .backs = pfi_unit_scorer_backs, .final = pfi_unit_scorer_final, .known_end = pfi_unit_scorer_known_end,
    .label = pfi_unit_scorer_label, .nonnegative = tuples_nonnegative, .empty = pfi_unit_scorer_empty,
    .reach = pfi_unit_scorer_reach, .open = pfi_unit_scorer_open, .length = tuples_length, .free = free_tuples,
};

pf_err pf_units_tuple_scorer(pf_units *units, pf_scorer **out) {
    PF_TRY(pfi_unit_scorer_add(units, &tuples_class, sizeof(tuple_scorer), out));
    tuple_scorer *scorer = (*out)->own;
    PF_TRY(pf_scorer_of(units->tuples, &scorer->tuples));
    pfi_unit_scorer_take_inner(&scorer->base, &scorer->tuples);
    return PF_OK;
}

/* ---- the order of places ---- */

/* States from PENDING on: the place that the tuple is at, as PENDING + a unit of it. BEGIN is FREE before the first unit; it is
 * told apart where a tuple may stand alone. ANY: what stands before is not known, so any unit may follow; the unit says where it
 * leaves. */
enum { FREE, BEGIN, ENDED, ANY, PENDING };

static pf_state order_start(const pf_scorer *scorer) { return ((const pfi_unit_scorer *)scorer->own)->units->alone ? BEGIN : FREE; }

/* A tuple without source words that is a unit of its own: nothing is read before it or after it. */
static bool stands_alone(const pf_units *units, const pf_unit *one) {
    return !one->passed && pf_tuplemodel_at(units->tuples, one->tuple).n_source == 0;
}

/* The first unit of the same place, so that a state says no more than what must follow. */
static pf_state pending(const pf_units *units, pf_label label) {
    const pf_unit *one = pf_units_at(units, label);
    while (label > 1) {
        const pf_unit *before = pf_units_at(units, label - 1);
        if (before->tuple != one->tuple || before->place != one->place || before->passed) break;
        label--;
    }
    return PENDING + (pf_state)label;
}

static bool follows(const pf_units *units, pf_state state, const pf_unit *one) {
    if (state == ENDED) return false;
    if (state == ANY) return true;
    if (stands_alone(units, one)) return state == BEGIN;
    if (state == FREE || state == BEGIN) return one->place == 0;
    const pf_unit *last = pf_units_at(units, (pf_label)(state - PENDING));
    return one->tuple == last->tuple && one->place == last->place + 1;
}

static double order_step(pf_scorer *scorer, pf_state state, pf_label label, pf_state *to) {
    const pf_units *units = ((const pfi_unit_scorer *)scorer->own)->units;
    const pf_unit *one = pf_units_at(units, label);
    *to = state;
    if (!follows(units, state, one)) return (double)INFINITY;
    bool whole = one->passed || one->place + 1 == pf_tuplemodel_at(units->tuples, one->tuple).n_source;
    *to = one->after != PF_EPSILON || stands_alone(units, one) ? ENDED : whole ? FREE : pending(units, label);
    return 0;
}

static double order_final(pf_scorer *scorer, pf_state state) {
    (void)scorer;
    return state >= PENDING ? (double)INFINITY : 0;
}

static bool always_nonnegative(const pf_scorer *scorer) {
    (void)scorer;
    return true;
}

static void each_step(pf_scorer *scorer, pf_state state, const pf_label_set *labels, double *costs, pf_state *to) {
    for (unsigned i = 0; i < labels->n; i++) costs[i] = order_step(scorer, state, labels->at[i], &to[i]);
}

static pf_state order_empty(const pf_scorer *scorer) {
    (void)scorer;
    return ANY;
}

static unsigned order_reach(const pf_scorer *scorer) {
    (void)scorer;
    return 1;
}

static bool order_open(const pf_scorer *scorer, pf_state state, unsigned words) {
    (void)scorer;
    (void)state;
    return !words;
}

static const pf_scorer_class order_class = {
    .start = order_start, .step = order_step, .row = each_step, .final = order_final, .label = pfi_unit_scorer_label,
    .nonnegative = always_nonnegative, .empty = order_empty, .reach = order_reach, .open = order_open, .free = free,
};

pf_err pf_units_order_scorer(pf_units *units, pf_scorer **out) {
    *out = NULL;
    return units->ordered ? pfi_unit_scorer_add(units, &order_class, sizeof(pfi_unit_scorer), out) : PF_OK;
}
