/* Three scorers of units: the tuple model, the order of places, a model of the target words. */
#include <permfst/ops/labelmap.h>
#include "ops/units_impl.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What the words of a unit after its first one cost when that has led to a state. After most histories it leads to the same one. */
typedef struct {
    pf_state first, to; /* PF_NO_STATE: nothing was asked yet */
    double cost;
} later_words;

/* The first words of the units of a row, each once, so that one row of the model serves them all. */
typedef struct {
    PF_VEC(pf_label) units;    /* the units it was made for */
    pf_label_set word;         /* the model's labels */
    PF_VEC(uint32_t) place;    /* of each unit: its first word in `word`; SILENT: it says nothing */
    PF_VEC(later_words) later; /* of each unit: what was asked last */
    PF_VEC(double) cost;       /* scratch: what the model says of each */
    PF_VEC(pf_state) to;
    PF_VEC(uint32_t) which;
} row_plan;

#define SILENT UINT32_MAX

typedef struct {
    pf_scorer_class cls;       /* its own copy, with pieces if `inner` has them */
    pf_units *units;
    pf_scorer *inner;          /* of tuples, or of target words; NULL for the order of places */
    pf_scorer tuples;          /* the first of these, which is owned; else empty */
    pf_labelmap words;         /* of target words */
    pf_statetab said;          /* runs of target words: 1 + the number of the run before the last word, or 0, and that word */
    PF_VEC(pf_label) saying;   /* of each of them, and before them of nothing: a unit that says them; PF_EPSILON: none so far */
    PF_VEC(pf_label) asked;    /* units that were asked for last: rows of a sentence are of the same units */
    pf_label_set tuple;        /* the tuples of those of them that are plain, which come first */
    row_plan plan;             /* of the target words */
} unit_scorer;

static void free_own(void *own) {
    unit_scorer *scorer = own;
    pf_scorer_end(&scorer->tuples);
    pf_labelmap_free(&scorer->words);
    pf_statetab_free(&scorer->said);
    PF_VEC_FREE(&scorer->saying);
    PF_VEC_FREE(&scorer->asked);
    pf_label_set_free(&scorer->tuple);
    PF_VEC_FREE(&scorer->plan.units);
    pf_label_set_free(&scorer->plan.word);
    PF_VEC_FREE(&scorer->plan.place);
    PF_VEC_FREE(&scorer->plan.later);
    PF_VEC_FREE(&scorer->plan.which);
    PF_VEC_FREE(&scorer->plan.cost);
    PF_VEC_FREE(&scorer->plan.to);
    free(scorer);
}

/* Units are found, as the automaton is made of them. */
static pf_label label(const pf_scorer *scorer, const char *word, size_t length) {
    return pf_symtab_find(((const unit_scorer *)scorer->own)->units->names, word, length);
}

/* *own is what the scorer has of its own, for the caller to fill. */
static pf_err add(pf_units *units, const pf_scorer_class *cls, unit_scorer **own, pf_scorer **out) {
    unit_scorer *made = calloc(1, sizeof *made);
    pf_scorer *scorer = malloc(sizeof *scorer);
    pf_err err = made && scorer ? PF_PUSH(&units->owned, scorer) : pf_nomem();
    if (err) {
        free(made);
        free(scorer);
        return err;
    }
    made->cls = *cls;
    made->units = units;
    *scorer = (pf_scorer){.cls = &made->cls, .own = made};
    *own = made;
    *out = scorer;
    return PF_OK;
}

/* What scores units by words or tuples has pieces if the scorer of these has them. */
static void take_inner(unit_scorer *scorer, pf_scorer *inner) {
    scorer->inner = inner;
    if (inner->cls->empty) return;
    scorer->cls.empty = NULL;
    scorer->cls.reach = NULL;
    scorer->cls.open = NULL;
    scorer->cls.length = NULL;
}

static pf_state empty(const pf_scorer *scorer) {
    const pf_scorer *inner = ((const unit_scorer *)scorer->own)->inner;
    return inner->cls->empty(inner);
}

/* A unit may say nothing, so any number of them may stand before one that matters. */
static unsigned reach(const pf_scorer *scorer) {
    const pf_scorer *inner = ((const unit_scorer *)scorer->own)->inner;
    return inner->cls->reach(inner) ? UINT_MAX : 0;
}

static bool is_open(const pf_scorer *scorer, pf_state state, unsigned words) {
    const pf_scorer *inner = ((const unit_scorer *)scorer->own)->inner;
    return inner->cls->open(inner, state, words);
}

/* ---- the tuple model ---- */

static pf_state start(const pf_scorer *scorer) {
    const pf_scorer *inner = ((const unit_scorer *)scorer->own)->inner;
    return inner->cls->start(inner);
}

static double final(pf_scorer *scorer, pf_state state) {
    pf_scorer *inner = ((const unit_scorer *)scorer->own)->inner;
    return inner->cls->final(inner, state);
}

static bool inner_nonnegative(const pf_scorer *scorer) {
    return pf_scorer_nonnegative(((const unit_scorer *)scorer->own)->inner);
}

static bool tuples_nonnegative(const pf_scorer *scorer) {
    return inner_nonnegative(scorer) && pf_tuplemodel_pass(((const unit_scorer *)scorer->own)->units->tuples) >= 0;
}

static double read_tuple(pf_scorer *inner, pf_label tuple, pf_state *state) {
    return tuple == PF_EPSILON ? 0 : inner->cls->step(inner, *state, tuple, state);
}

static double tuples_step(pf_scorer *scorer, pf_state state, pf_label label, pf_state *to) {
    const unit_scorer *own = scorer->own;
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
static unsigned list_plain(unit_scorer *own, const pf_label_set *labels) {
    const unsigned count = labels->n;
    if (own->asked.n == count && count && memcmp(own->asked.at, labels->at, count * sizeof *labels->at) == 0) return own->tuple.n;
    unsigned plain = 0;
    own->asked.n = 0;
    pf_label_set_free(&own->tuple);
    if (PF_ROOM(&own->asked, count)) return 0;
    for (; plain < count && (size_t)labels->at[plain] <= own->units->plain; plain++)
        own->asked.at[plain] = pf_units_at(own->units, labels->at[plain])->tuple;
    if (pf_label_set_init(&own->tuple, own->asked.at, plain)) {
        pf_label_set_free(&own->tuple);
        return 0;
    }
    if (count) memcpy(own->asked.at, labels->at, count * sizeof *labels->at);
    own->asked.n = count;
    return plain;
}

static void tuples_row(pf_scorer *scorer, pf_state state, const pf_label_set *labels, double *costs, pf_state *to) {
    unit_scorer *own = scorer->own;
    const unsigned plain = list_plain(own, labels);
    if (plain) own->inner->cls->row(own->inner, state, &own->tuple, costs, to);
    for (unsigned i = plain; i < labels->n; i++) costs[i] = tuples_step(scorer, state, labels->at[i], &to[i]);
}

/* Units that are not plain are known by every state. */
static void tuples_known(pf_scorer *scorer, pf_state state, const pf_label_set *labels, pf_known_words *out) {
    unit_scorer *own = scorer->own;
    pf_scorer *inner = own->inner;
    const unsigned plain = list_plain(own, labels);
    *out = (pf_known_words){.which = out->which, .cost = out->cost, .to = out->to, .lower = state};
    if (plain) inner->cls->known(inner, state, &own->tuple, out);
    for (unsigned i = plain; i < labels->n; i++) {
        out->which[out->n] = i;
        out->cost[out->n] = tuples_step(scorer, state, labels->at[i], &out->to[out->n]);
        out->n++;
    }
}

/* The tuples that it reads. */
static unsigned tuples_length(const pf_scorer *scorer, pf_label label) {
    const pf_unit *unit = pf_units_at(((const unit_scorer *)scorer->own)->units, label);
    return (unsigned)(unit->before != PF_EPSILON) + (unsigned)(unit->passed || !unit->place) +
           (unsigned)(unit->after != PF_EPSILON);
}

static const pf_scorer_class tuples_class = {
    .start = start, .step = tuples_step, .row = tuples_row, .known = tuples_known, .final = final, .label = label,
    .nonnegative = tuples_nonnegative, .empty = empty, .reach = reach, .open = is_open, .length = tuples_length, .free = free_own,
};

pf_err pf_units_tuple_scorer(pf_units *units, pf_scorer **out) {
    unit_scorer *scorer;
    PF_TRY(add(units, &tuples_class, &scorer, out));
    PF_TRY(pf_scorer_of(units->tuples, &scorer->tuples));
    take_inner(scorer, &scorer->tuples);
    return PF_OK;
}

/* ---- the order of places ---- */

/* States from PENDING on: the place that the tuple is at, as PENDING + a unit of it. BEGIN is FREE before the first unit; it is
 * told apart where a tuple may stand alone. ANY: what stands before is not known, so any unit may follow; the unit says where it
 * leaves. */
enum { FREE, BEGIN, ENDED, ANY, PENDING };

static pf_state order_start(const pf_scorer *scorer) { return ((const unit_scorer *)scorer->own)->units->alone ? BEGIN : FREE; }

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
    const pf_units *units = ((const unit_scorer *)scorer->own)->units;
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
    .start = order_start, .step = order_step, .row = each_step, .final = order_final, .label = label,
    .nonnegative = always_nonnegative, .empty = order_empty, .reach = order_reach, .open = order_open, .free = free_own,
};

pf_err pf_units_order_scorer(pf_units *units, pf_scorer **out) {
    unit_scorer *scorer;
    *out = NULL;
    return units->ordered ? add(units, &order_class, &scorer, out) : PF_OK;
}

/* ---- the target words ---- */

/* The costs of target words said[from..count). */
static double say(unit_scorer *scorer, const pf_label *said, size_t from, size_t count, pf_state *state) {
    double cost = 0;
    for (size_t i = from; i < count; i++) {
        pf_label word;
        if (pf_labelmap_get(&scorer->words, said[i], &word)) return (double)INFINITY;
        cost += scorer->inner->cls->step(scorer->inner, *state, word, state);
    }
    return cost;
}

/* Added up as rows are: the first word, and all later ones. */
static double target_step(pf_scorer *scorer, pf_state state, pf_label label, pf_state *to) {
    unit_scorer *own = scorer->own;
    size_t n;
    const pf_label *said = pf_units_said(own->units, label, &n);
    *to = state;
    double first = say(own, said, 0, n < 1 ? n : 1, to);
    return n > 1 ? first + say(own, said, 1, n, to) : first;
}

/* The number of what a unit says; nothing is 0. */
static pf_err number_said(unit_scorer *scorer, pf_label label, uint32_t *number) {
    size_t count;
    const pf_label *said = pf_units_said(scorer->units, label, &count);
    *number = 0;
    for (size_t i = 0; i < count; i++) {
        PF_TRY(pf_statetab_intern_word(&scorer->said, 0, (uint64_t)*number << 32 | (uint32_t)said[i], number));
        (*number)++;
    }
    while (scorer->saying.n <= *number) PF_TRY(PF_PUSH(&scorer->saying, PF_EPSILON));
    return PF_OK;
}

/* Units that say the same are one to a model of target words: the first one that was asked for. */
static pf_label target_label(const pf_scorer *scorer, const char *word, size_t length) {
    unit_scorer *own = scorer->own;
    const pf_label unit = label(scorer, word, length);
    uint32_t number;
    if (unit == PF_NO_LABEL || number_said(own, unit, &number)) return unit;
    if (own->saying.at[number] == PF_EPSILON) own->saying.at[number] = unit;
    return own->saying.at[number];
}

/* The first word of each unit; PF_EPSILON: it says nothing. word[0..*words): all of them. */
static pf_err first_words(unit_scorer *scorer, const pf_label_set *labels, pf_label *first, pf_label *word, unsigned *words) {
    *words = 0;
    for (unsigned i = 0; i < labels->n; i++) {
        size_t n;
        const pf_label *said = pf_units_said(scorer->units, labels->at[i], &n);
        first[i] = PF_EPSILON;
        if (!n) continue;
        PF_TRY(pf_labelmap_get(&scorer->words, said[0], &first[i]));
        word[(*words)++] = first[i];
    }
    return PF_OK;
}

/* `first` and `word`: scratch, each for as many labels. */
static pf_err fill_plan(unit_scorer *scorer, const pf_label_set *labels, pf_label *first, pf_label *word) {
    row_plan *plan = &scorer->plan;
    unsigned words;
    PF_TRY(first_words(scorer, labels, first, word, &words));
    PF_TRY(pf_label_set_init(&plan->word, word, words));
    PF_TRY(PF_ROOM(&plan->cost, plan->word.n + (size_t)1));
    PF_TRY(PF_ROOM(&plan->to, plan->word.n + (size_t)1));
    PF_TRY(PF_ROOM(&plan->which, plan->word.n + (size_t)1));
    for (unsigned i = 0; i < labels->n; i++) {
        unsigned place = SILENT;
        if (first[i] != PF_EPSILON) pf_label_set_find(&plan->word, first[i], &place);
        PF_TRY(PF_PUSH(&plan->place, place));
        PF_TRY(PF_PUSH(&plan->later, (later_words){.first = PF_NO_STATE}));
    }
    PF_TRY(PF_ROOM(&plan->units, labels->n));
    if (labels->n) memcpy(plan->units.at, labels->at, labels->n * sizeof *labels->at);
    plan->units.n = labels->n;
    return PF_OK;
}

static pf_err make_plan(unit_scorer *scorer, const pf_label_set *labels) {
    row_plan *plan = &scorer->plan;
    pf_label *first = malloc((labels->n + (size_t)1) * sizeof *first), *word = malloc((labels->n + (size_t)1) * sizeof *word);
    plan->units.n = plan->place.n = plan->later.n = 0;
    pf_label_set_free(&plan->word);
    pf_err err = first && word ? fill_plan(scorer, labels, first, word) : pf_nomem();
    free(first);
    free(word);
    return err;
}

/* Is there a plan for these units? False when memory has ended. */
static bool has_plan(unit_scorer *scorer, const pf_label_set *labels) {
    const row_plan *plan = &scorer->plan;
    return (plan->units.n == labels->n && memcmp(plan->units.at, labels->at, labels->n * sizeof *labels->at) == 0) ||
           make_plan(scorer, labels) == PF_OK;
}

/* The cost of unit i of the plan when its first word has cost `first` and led to *to. */
static double say_later(unit_scorer *scorer, unsigned i, double first, pf_state *to) {
    later_words *later = &scorer->plan.later.at[i];
    size_t words;
    const pf_label *said = pf_units_said(scorer->units, scorer->plan.units.at[i], &words);
    assert(words);
    if (words == 1) return first;
    if (later->first != *to) {
        *later = (later_words){.first = *to, .to = *to};
        later->cost = say(scorer, said, 1, words, &later->to);
    }
    *to = later->to;
    return first + later->cost;
}

static void target_row(pf_scorer *scorer, pf_state state, const pf_label_set *labels, double *costs, pf_state *to) {
    unit_scorer *own = scorer->own;
    const row_plan *plan = &own->plan;
    if (!has_plan(own, labels)) {
        for (unsigned i = 0; i < labels->n; i++) costs[i] = target_step(scorer, state, labels->at[i], &to[i]);
        return;
    }
    if (plan->word.n) own->inner->cls->row(own->inner, state, &plan->word, plan->cost.at, plan->to.at);
    for (unsigned i = 0; i < labels->n; i++) {
        const bool silent = plan->place.at[i] == SILENT;
        to[i] = silent ? state : plan->to.at[plan->place.at[i]];
        costs[i] = silent ? 0 : say_later(own, i, plan->cost.at[plan->place.at[i]], &to[i]);
    }
}

/* What a state of the model knows of the plan's words, each at its place; PF_NO_STATE: it does not know the word. */
static void spread(row_plan *plan, unsigned known) {
    for (size_t word = plan->word.n; word-- > 0;) {
        const bool is_known = known && plan->which.at[known - 1] == word;
        known -= is_known;
        plan->to.at[word] = is_known ? plan->to.at[known] : PF_NO_STATE;
        if (is_known) plan->cost.at[word] = plan->cost.at[known];
    }
    assert(!known); /* what the state knows is in the order of the words */
}

static void know(pf_known_words *out, unsigned i, double cost, pf_state to) {
    out->which[out->n] = i;
    out->cost[out->n] = cost;
    out->to[out->n++] = to;
}

/* A state knows the units whose first word it knows, and those that say nothing, which stay there. */
static void target_known(pf_scorer *scorer, pf_state state, const pf_label_set *labels, pf_known_words *out) {
    unit_scorer *own = scorer->own;
    row_plan *plan = &own->plan;
    *out = (pf_known_words){.which = out->which, .cost = out->cost, .to = out->to, .lower = state};
    if (!own->inner->cls->known || !has_plan(own, labels)) {
        for (unsigned i = 0; i < labels->n; i++) {
            pf_state to;
            double cost = target_step(scorer, state, labels->at[i], &to);
            know(out, i, cost, to);
        }
        return;
    }
    pf_known_words first = {.which = plan->which.at, .cost = plan->cost.at, .to = plan->to.at};
    own->inner->cls->known(own->inner, state, &plan->word, &first);
    for (unsigned i = 0; i < first.n; i++)
        if (first.to[i] == PF_NO_STATE) own->inner->cls->step(own->inner, first.lower, plan->word.at[first.which[i]], &first.to[i]);
    spread(plan, first.n);
    out->lower = first.lower;
    out->back = first.back;
    for (unsigned i = 0; i < labels->n; i++) {
        const uint32_t place = plan->place.at[i];
        if (place == SILENT) know(out, i, 0, state);
        else if (plan->to.at[place] != PF_NO_STATE) {
            pf_state to = plan->to.at[place];
            double cost = say_later(own, i, plan->cost.at[place], &to);
            know(out, i, cost, to);
        }
    }
}

static unsigned target_length(const pf_scorer *scorer, pf_label label) {
    size_t count;
    pf_units_said(((const unit_scorer *)scorer->own)->units, label, &count);
    return (unsigned)count;
}

static const pf_scorer_class target_class = {
    .start = start, .step = target_step, .row = target_row, .known = target_known, .final = final, .label = target_label,
    .nonnegative = inner_nonnegative, .empty = empty, .reach = reach, .open = is_open, .length = target_length, .free = free_own,
};

pf_err pf_units_target_scorer(pf_units *units, pf_scorer *target, pf_scorer **out) {
    unit_scorer *scorer;
    PF_TRY(add(units, &target_class, &scorer, out));
    pf_statetab_init(&scorer->said, sizeof(uint64_t));
    take_inner(scorer, target);
    return pf_labelmap_scorer(&scorer->words, units->words, target);
}
