/* The scorer of units by their target words.
 *
 * What a unit says is scored word by word. What its later words cost depends on the state that its first word has led to, and on
 * nothing else. So a history of a model that backs off lists the units whose first word it lists. A unit costs the sum of the
 * back-offs to the history that lists it, and then what it costs there. */
#include "ops/unit_scorers_impl.h"

#include <permfst/base/cover.h>
#include <permfst/ops/labelmap.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the words of a unit after its first one cost when that has led to a state. */
typedef struct {
    uint32_t unit;
    pf_state first, to; /* PF_NO_STATE: nothing was asked yet */
    double cost;
} later_words;

/* The first words of the units of a row, each once, so that the model is asked once for all that begin with it. */
typedef struct {
    PF_VEC(pf_label) units;    /* the units it was made for */
    pf_label_set word;         /* the model's labels */
    PF_VEC(uint32_t) place;    /* of each unit: its first word in `word`; their number: it says nothing */
    PF_VEC(uint32_t) unit;     /* the units, by this place */
    PF_VEC(uint32_t) begin;    /* of each place, where its units begin there; and the end */
    PF_VEC(pf_label) later_word; /* the model's labels of the words of units after their first ones */
    PF_VEC(uint32_t) later_begin; /* of each unit, where these begin; and the end */
    PF_VEC(later_words) later; /* what was asked, by a hash of unit and state; as many as a power of two */
    pf_known_words known;      /* scratch: what a state says of the words */
    PF_VEC(uint32_t) at;       /* scratch: of each word, where it stands in `known` */
    PF_VEC(uint64_t) set;      /* scratch: of units */
    pf_known_words row;        /* scratch: what a state says of the units */
} row_plan;

typedef struct {
    pfi_unit_scorer base;
    pf_labelmap words;       /* of target words */
    pf_statetab said;        /* runs of target words: 1 + the number of the run before the last word, or 0, and that word */
    PF_VEC(pf_label) saying; /* of each of them, and before them of nothing: a unit that says them; PF_EPSILON: none so far */
    row_plan plan;
} target_scorer;

static void free_plan(row_plan *plan) {
    PF_VEC_FREE(&plan->units);
    pf_label_set_free(&plan->word);
    PF_VEC_FREE(&plan->place);
    PF_VEC_FREE(&plan->unit);
    PF_VEC_FREE(&plan->begin);
    PF_VEC_FREE(&plan->later_word);
    PF_VEC_FREE(&plan->later_begin);
    PF_VEC_FREE(&plan->later);
    pf_known_words_free(&plan->known);
    PF_VEC_FREE(&plan->at);
    PF_VEC_FREE(&plan->set);
    pf_known_words_free(&plan->row);
}

static void free_target(void *own) {
    target_scorer *scorer = own;
    pf_labelmap_free(&scorer->words);
    pf_statetab_free(&scorer->said);
    PF_VEC_FREE(&scorer->saying);
    free_plan(&scorer->plan);
    free(scorer);
}

/* ---- one unit ---- */

/* The costs of target words said[0..count). */
static double say(target_scorer *scorer, const pf_label *said, size_t count, pf_state *state) {
    pf_scorer *inner = scorer->base.inner;
    double cost = 0;
    for (size_t i = 0; i < count; i++) {
        pf_label word;
        if (pf_labelmap_get(&scorer->words, said[i], &word)) return (double)INFINITY;
        cost += inner->cls->step(inner, *state, word, state);
    }
    return cost;
}

static double target_step(pf_scorer *scorer, pf_state state, pf_label label, pf_state *to) {
    target_scorer *own = scorer->own;
    size_t n;
    pf_label word;
    const pf_label *said = pf_units_said(own->base.units, label, &n);
    pf_scorer *inner = own->base.inner;
    double back = 0;
    *to = state;
    if (!n) return 0;
    if (pf_labelmap_get(&own->words, said[0], &word)) return (double)INFINITY;
    const double first =
        inner->cls->listed ? inner->cls->listed(inner, state, word, to, &back) : inner->cls->step(inner, state, word, to);
    return back + (n > 1 ? first + say(own, said + 1, n - 1, to) : first);
}

/* ---- units that say the same ---- */

/* The number of what a unit says; nothing is 0. */
static pf_err number_said(target_scorer *scorer, pf_label label, uint32_t *number) {
    size_t count;
    const pf_label *said = pf_units_said(scorer->base.units, label, &count);
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
    target_scorer *own = scorer->own;
    const pf_label unit = pfi_unit_scorer_label(scorer, word, length);
    uint32_t number;
    if (unit == PF_NO_LABEL || number_said(own, unit, &number)) return unit;
    if (own->saying.at[number] == PF_EPSILON) own->saying.at[number] = unit;
    return own->saying.at[number];
}

/* ---- many units ---- */

/* The first word of each unit; PF_EPSILON: it says nothing. word[0..*words): all of them. */
static pf_err first_words(target_scorer *scorer, const pf_label_set *labels, pf_label *first, pf_label *word, unsigned *words) {
    *words = 0;
    for (unsigned i = 0; i < labels->n; i++) {
        size_t n;
        const pf_label *said = pf_units_said(scorer->base.units, labels->at[i], &n);
        first[i] = PF_EPSILON;
        if (!n) continue;
        PF_TRY(pf_labelmap_get(&scorer->words, said[0], &first[i]));
        word[(*words)++] = first[i];
    }
    return PF_OK;
}

/* The first word of each unit, as its place in `word`. */
static pf_err find_places(row_plan *plan, const pf_label_set *labels, const pf_label *first) {
    for (unsigned i = 0; i < labels->n; i++) {
        unsigned place = plan->word.n;
        if (first[i] != PF_EPSILON) pf_label_set_find(&plan->word, first[i], &place);
        PF_TRY(PF_PUSH(&plan->place, place));
    }
    return PF_OK;
}

/* The units by their places: a counting sort. The counts stand two places further, so that the sums, one place further, are
 * cursors, and in the end each place begins where the one before it has ended. */
static pf_err list_units(row_plan *plan) {
    const size_t units = plan->place.n, places = plan->word.n + (size_t)1;
    PF_TRY(PF_ROOM(&plan->unit, units));
    for (size_t place = 0; place < places + 2; place++) PF_TRY(PF_PUSH(&plan->begin, 0));
    uint32_t *count = plan->begin.at + 2, *cursor = plan->begin.at + 1;
    for (size_t i = 0; i < units; i++) count[plan->place.at[i]]++;
    for (size_t place = 1; place < places; place++) count[place] += count[place - 1];
    for (uint32_t i = 0; i < units; i++) plan->unit.at[cursor[plan->place.at[i]]++] = i;
    return PF_OK;
}

/* The words of each unit after its first one. */
static pf_err list_later(target_scorer *scorer, const pf_label_set *labels) {
    row_plan *plan = &scorer->plan;
    PF_TRY(PF_ROOM(&plan->later_begin, labels->n + (size_t)1));
    for (unsigned i = 0; i < labels->n; i++) {
        size_t n;
        const pf_label *said = pf_units_said(scorer->base.units, labels->at[i], &n);
        plan->later_begin.at[plan->later_begin.n++] = (uint32_t)plan->later_word.n;
        for (size_t k = 1; k < n; k++) {
            pf_label word;
            PF_TRY(pf_labelmap_get(&scorer->words, said[k], &word));
            PF_TRY(PF_PUSH(&plan->later_word, word));
        }
    }
    plan->later_begin.at[plan->later_begin.n++] = (uint32_t)plan->later_word.n;
    return PF_OK;
}

/* Does unit i of the plan say more than one word? */
static bool says_more(const row_plan *plan, unsigned i) { return plan->later_begin.at[i] < plan->later_begin.at[i + 1]; }

/* Room for what a unit says later after a few states. */
static pf_err make_later(row_plan *plan, unsigned units) {
    enum { STATES = 16, MOST = 1 << 16 };
    size_t count = STATES;
    while (count < STATES * (size_t)units && count < MOST) count *= 2;
    PF_TRY(PF_ROOM(&plan->later, count));
    while (plan->later.n < count) plan->later.at[plan->later.n++] = (later_words){.first = PF_NO_STATE};
    return PF_OK;
}

/* `first` and `word`: scratch, each for as many labels. */
static pf_err fill_plan(target_scorer *scorer, const pf_label_set *labels, pf_label *first, pf_label *word) {
    row_plan *plan = &scorer->plan;
    unsigned words;
    PF_TRY(first_words(scorer, labels, first, word, &words));
    PF_TRY(pf_label_set_init(&plan->word, word, words));
    PF_TRY(find_places(plan, labels, first));
    PF_TRY(list_units(plan));
    PF_TRY(list_later(scorer, labels));
    PF_TRY(make_later(plan, labels->n));
    PF_TRY(pf_known_words_init(&plan->known, plan->word.n));
    PF_TRY(pf_known_words_init(&plan->row, labels->n));
    PF_TRY(PF_ROOM(&plan->at, plan->word.n + (size_t)1));
    for (unsigned i = 0; i < pf_cover_words(labels->n); i++) PF_TRY(PF_PUSH(&plan->set, 0));
    PF_TRY(PF_ROOM(&plan->units, labels->n));
    if (labels->n) memcpy(plan->units.at, labels->at, labels->n * sizeof *labels->at);
    plan->units.n = labels->n;
    return PF_OK;
}

static pf_err make_plan(target_scorer *scorer, const pf_label_set *labels) {
    pf_label *first = malloc((labels->n + (size_t)1) * sizeof *first), *word = malloc((labels->n + (size_t)1) * sizeof *word);
    free_plan(&scorer->plan);
    pf_err err = first && word ? fill_plan(scorer, labels, first, word) : pf_nomem();
    free(first);
    free(word);
    return err;
}

/* Is there a plan for these units? False when memory has ended. */
static bool has_plan(target_scorer *scorer, const pf_label_set *labels) {
    const row_plan *plan = &scorer->plan;
    const bool made = plan->later.n && plan->units.n == labels->n;
    return (made && memcmp(plan->units.at, labels->at, labels->n * sizeof *labels->at) == 0) ||
           make_plan(scorer, labels) == PF_OK;
}

/* How many words a unit says. */
static unsigned target_length(const pf_scorer *scorer, pf_label label) {
    return pf_units_at(((const pfi_unit_scorer *)scorer->own)->units, label)->n_said;
}

/* What all words of unit i of the plan cost when its first one has cost `first` and led to *to. */
static double say_later(const target_scorer *scorer, unsigned i, double first, pf_state *to) {
    const row_plan *plan = &scorer->plan;
    pf_scorer *inner = scorer->base.inner;
    const uint64_t key = (uint64_t)i << 32 | *to;
    later_words *later = &plan->later.at[key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (plan->later.n - 1)];
    if (later->unit != i || later->first != *to) {
        *later = (later_words){i, *to, *to, 0};
        for (uint32_t k = plan->later_begin.at[i]; k < plan->later_begin.at[i + 1]; k++)
            later->cost += inner->cls->step(inner, later->to, plan->later_word.at[k], &later->to);
    }
    *to = later->to;
    return first + later->cost;
}

static void know(pf_known_words *out, unsigned i, double cost, pf_state to) {
    out->which[out->n] = i;
    out->cost[out->n] = cost;
    out->to[out->n++] = to;
}

/* Where the first word leads that stands at a place of what is known. */
static pf_state leads_to(target_scorer *scorer, unsigned at) {
    const row_plan *plan = &scorer->plan;
    pf_scorer *inner = scorer->base.inner;
    pf_state *to = &plan->known.to[at];
    if (*to == PF_NO_STATE) inner->cls->step(inner, plan->known.lower, plan->word.at[plan->known.which[at]], to);
    return *to;
}

static void put_units(const row_plan *plan, uint32_t place) {
    for (uint32_t i = plan->begin.at[place]; i < plan->begin.at[place + 1]; i++) pf_cover_put(plan->set.at, plan->unit.at[i]);
}

/* The units that begin with a word which is known, and those that say nothing, in `set`. */
static void list_known(const row_plan *plan) {
    memset(plan->set.at, 0, plan->set.n * sizeof *plan->set.at);
    put_units(plan, plan->word.n);
    for (unsigned i = 0; i < plan->known.n; i++) {
        put_units(plan, plan->known.which[i]);
        plan->at.at[plan->known.which[i]] = i;
    }
}

/* Where there is no plan, a state knows all units. */
static void know_all(pf_scorer *scorer, pf_state state, const pf_label_set *labels, pf_known_words *out) {
    pf_scorer *inner = ((const target_scorer *)scorer->own)->base.inner;
    const pf_label_set no_words = {0};
    *out = (pf_known_words){0, out->which, out->cost, out->to, state, 0};
    if (inner->cls->known) inner->cls->known(inner, state, &no_words, out);
    for (unsigned i = 0; i < labels->n; i++) {
        pf_state to;
        const double cost = target_step(scorer, state, labels->at[i], &to);
        know(out, i, cost, to);
    }
}

/* A state knows the units whose first word it knows, and those that say nothing, which stay there. */
static void target_known(pf_scorer *scorer, pf_state state, const pf_label_set *labels, pf_known_words *out) {
    target_scorer *own = scorer->own;
    const row_plan *plan = &own->plan;
    pf_scorer *inner = own->base.inner;
    if (!inner->cls->known || !has_plan(own, labels)) {
        know_all(scorer, state, labels, out);
        return;
    }
    inner->cls->known(inner, state, &plan->word, &own->plan.known);
    *out = (pf_known_words){0, out->which, out->cost, out->to, plan->known.lower, plan->known.back};
    list_known(plan);
    const unsigned chunk = (unsigned)plan->set.n;
    for (unsigned i = pf_cover_next(plan->set.at, chunk, 0); i < labels->n; i = pf_cover_next(plan->set.at, chunk, i + 1)) {
        const uint32_t place = plan->place.at[i];
        if (place == plan->word.n) {
            know(out, i, 0, state);
            continue;
        }
        const unsigned at = plan->at.at[place];
        double cost = plan->known.cost[at];
        pf_state to = plan->known.to[at];
        if (says_more(plan, i)) {
            to = leads_to(own, at);
            cost = say_later(own, i, cost, &to);
        }
        know(out, i, cost, to);
    }
}

/* ---- by first words ---- */

/* The heads: first words, by their places; after these, what units begin with that say nothing. */
static pf_err target_heads(pf_scorer *scorer, const pf_label_set *labels, pf_label_heads *out) {
    target_scorer *own = scorer->own;
    if (!has_plan(own, labels)) return pf_nomem();
    *out = (pf_label_heads){own->plan.word.n + 1, own->plan.begin.at, own->plan.unit.at};
    return PF_OK;
}

static void target_known_heads(pf_scorer *scorer, pf_state state, const pf_label_set *labels, pf_known_words *out) {
    target_scorer *own = scorer->own;
    const row_plan *plan = &own->plan;
    pf_scorer *inner = own->base.inner;
    assert(plan->units.n == labels->n);
    (void)labels;
    inner->cls->known(inner, state, &plan->word, out);
    if (plan->begin.at[plan->word.n] < plan->units.n) know(out, plan->word.n, 0, state);
}

static void target_tails(pf_scorer *scorer, const pf_label_set *labels, unsigned head, pf_state state, double *costs,
    pf_state *to) {
    target_scorer *own = scorer->own;
    const row_plan *plan = &own->plan;
    assert(plan->units.n == labels->n && head <= plan->word.n);
    (void)labels;
    for (uint32_t i = plan->begin.at[head]; i < plan->begin.at[head + 1]; i++, costs++, to++) {
        const uint32_t unit = plan->unit.at[i];
        *to = state;
        *costs = says_more(plan, unit) ? say_later(own, unit, 0, to) : 0;
    }
}

/* What a state and those that it backs off to know, one after the other. Where a list does not tell where a unit leads, a later one
 * does. */
static void row_by_known(pf_scorer *scorer, pf_state state, const pf_label_set *labels, double *costs, pf_state *to) {
    pf_known_words known = ((const target_scorer *)scorer->own)->plan.row;
    double back = 0;
    for (unsigned i = 0; i < labels->n; i++) {
        costs[i] = (double)NAN;
        to[i] = PF_NO_STATE;
    }
    for (bool more = true; more; state = known.lower, back += known.back) {
        target_known(scorer, state, labels, &known);
        more = known.lower != state;
        for (unsigned i = 0; i < known.n; i++) {
            const uint32_t which = known.which[i];
            if (isnan(costs[which])) costs[which] = back + known.cost[i];
            if (to[which] == PF_NO_STATE) to[which] = known.to[i];
        }
    }
}

static void target_row(pf_scorer *scorer, pf_state state, const pf_label_set *labels, double *costs, pf_state *to) {
    if (scorer->cls->backs && has_plan(scorer->own, labels)) row_by_known(scorer, state, labels, costs, to);
    else
        for (unsigned i = 0; i < labels->n; i++) costs[i] = target_step(scorer, state, labels->at[i], &to[i]);
}

static const pf_scorer_class target_class = {
    .start = pfi_unit_scorer_start, .step = target_step, .row = target_row, .known = target_known,
    .heads = target_heads, .known_heads = target_known_heads, .tails = target_tails,
    .backs = pfi_unit_scorer_backs, .final = pfi_unit_scorer_final, .known_end = pfi_unit_scorer_known_end, .label = target_label,
    .nonnegative = pfi_unit_scorer_nonnegative, .empty = pfi_unit_scorer_empty, .reach = pfi_unit_scorer_reach,
    .open = pfi_unit_scorer_open, .length = target_length, .free = free_target,
};

pf_err pf_units_target_scorer(pf_units *units, pf_scorer *target, pf_scorer **out) {
    PF_TRY(pfi_unit_scorer_add(units, &target_class, sizeof(target_scorer), out));
    target_scorer *scorer = (*out)->own;
    pf_statetab_init(&scorer->said, sizeof(uint64_t));
    pfi_unit_scorer_take_inner(&scorer->base, target);
    return pf_labelmap_scorer(&scorer->words, units->words, target);
}
