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

/* What the model says of a word: what it costs where it is listed, what backing off to there costs, and where it leads. */
typedef struct {
    double cost, back;
    pf_state to;
} word_cost;

/* The first words of the units of a row, each once, so that the model is asked once for all that begin with it. */
typedef struct {
    PF_VEC(pf_label) units;    /* the units it was made for */
    pf_label_set word;         /* the model's labels */
    PF_VEC(uint32_t) place;    /* of each unit: its first word in `word`; SILENT: it says nothing */
    unsigned chunk;            /* words of a set of units */
    PF_VEC(uint64_t) with;     /* sets of units: those that begin with each word; those that say nothing; scratch */
    PF_VEC(later_words) later; /* what was asked, by a hash of unit and state; as many as a power of two */
    pf_known_words known;      /* scratch: what a state says of the words */
    PF_VEC(uint32_t) at;       /* scratch: of each word, where it stands in `known` */
    PF_VEC(word_cost) cost;    /* scratch: what is said of each word */
} row_plan;

#define SILENT UINT32_MAX

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
    PF_VEC_FREE(&plan->with);
    PF_VEC_FREE(&plan->later);
    pf_known_words_free(&plan->known);
    PF_VEC_FREE(&plan->at);
    PF_VEC_FREE(&plan->cost);
    *plan = (row_plan){.chunk = 0};
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

/* What the model says of a word: where it is listed, and of backing off to there. */
static word_cost say_first(target_scorer *scorer, pf_state state, pf_label word) {
    pf_scorer *inner = scorer->base.inner;
    word_cost said = {.back = 0};
    if (inner->cls->listed) said.cost = inner->cls->listed(inner, state, word, &said.to, &said.back);
    else said.cost = inner->cls->step(inner, state, word, &said.to);
    return said;
}

static double target_step(pf_scorer *scorer, pf_state state, pf_label label, pf_state *to) {
    target_scorer *own = scorer->own;
    size_t n;
    pf_label word;
    const pf_label *said = pf_units_said(own->base.units, label, &n);
    *to = state;
    if (!n) return 0;
    if (pf_labelmap_get(&own->words, said[0], &word)) return (double)INFINITY;
    const word_cost first = say_first(own, state, word);
    *to = first.to;
    return first.back + (n > 1 ? first.cost + say(own, said + 1, n - 1, to) : first.cost);
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

/* A set of units: those that begin with a word; those that say nothing, which follow the sets of all words; scratch. */
static uint64_t *set_of(const row_plan *plan, size_t word) { return &plan->with.at[word * plan->chunk]; }
static uint64_t *silent_set(const row_plan *plan) { return set_of(plan, plan->word.n); }
static uint64_t *scratch_set(const row_plan *plan) { return set_of(plan, plan->word.n + (size_t)1); }

/* Room for what a unit says later after a few states. */
static pf_err make_later(row_plan *plan, unsigned units) {
    enum { STATES = 16 };
    size_t count = STATES;
    while (count < STATES * (size_t)units) count *= 2;
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
    plan->chunk = pf_cover_words(labels->n);
    PF_TRY(PF_ROOM(&plan->with, (plan->word.n + (size_t)2) * plan->chunk));
    memset(plan->with.at, 0, (plan->word.n + (size_t)2) * plan->chunk * sizeof *plan->with.at);
    for (unsigned i = 0; i < labels->n; i++) {
        unsigned place = SILENT;
        if (first[i] != PF_EPSILON) pf_label_set_find(&plan->word, first[i], &place);
        PF_TRY(PF_PUSH(&plan->place, place));
        pf_cover_put(place == SILENT ? silent_set(plan) : set_of(plan, place), i);
    }
    PF_TRY(make_later(plan, labels->n));
    PF_TRY(pf_known_words_init(&plan->known, plan->word.n));
    PF_TRY(PF_ROOM(&plan->at, plan->word.n + (size_t)1));
    PF_TRY(PF_ROOM(&plan->cost, plan->word.n + (size_t)1));
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

/* Does unit i of the plan say more than one word? */
static bool says_more(const target_scorer *scorer, unsigned i) {
    size_t count;
    pf_units_said(scorer->base.units, scorer->plan.units.at[i], &count);
    return count > 1;
}

/* What all words of unit i of the plan cost when its first one has cost `first` and led to *to. */
static double say_later(target_scorer *scorer, unsigned i, double first, pf_state *to) {
    const row_plan *plan = &scorer->plan;
    const uint64_t key = (uint64_t)i << 32 | *to;
    later_words *later = &plan->later.at[key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (plan->later.n - 1)];
    if (later->unit != i || later->first != *to) {
        size_t words;
        const pf_label *said = pf_units_said(scorer->base.units, plan->units.at[i], &words);
        *later = (later_words){i, *to, *to, 0};
        later->cost = say(scorer, said + 1, words - 1, &later->to);
    }
    *to = later->to;
    return first + later->cost;
}

/* What the model says of each word of the plan, by its lists from the state to the shortest one; where a list does not tell where a
 * word leads, a shorter one does. */
static void say_firsts(row_plan *plan, pf_scorer *inner, pf_state state) {
    pf_known_words *known = &plan->known;
    double back = 0;
    for (unsigned i = 0; i < plan->word.n; i++) plan->cost.at[i] = (word_cost){(double)NAN, 0, PF_NO_STATE};
    for (;; state = known->lower, back += known->back) {
        inner->cls->known(inner, state, &plan->word, known);
        for (unsigned i = 0; i < known->n; i++) {
            word_cost *said = &plan->cost.at[known->which[i]];
            if (isnan(said->cost)) *said = (word_cost){known->cost[i], back, PF_NO_STATE};
            if (said->to == PF_NO_STATE) said->to = known->to[i];
        }
        if (known->lower == state) return;
    }
}

static void target_row(pf_scorer *scorer, pf_state state, const pf_label_set *labels, double *costs, pf_state *to) {
    target_scorer *own = scorer->own;
    const row_plan *plan = &own->plan;
    if (!own->base.inner->cls->listed || !has_plan(own, labels)) {
        for (unsigned i = 0; i < labels->n; i++) costs[i] = target_step(scorer, state, labels->at[i], &to[i]);
        return;
    }
    if (plan->word.n) say_firsts(&own->plan, own->base.inner, state);
    for (unsigned i = 0; i < labels->n; i++) {
        to[i] = state;
        costs[i] = 0;
        if (plan->place.at[i] == SILENT) continue;
        const word_cost first = plan->cost.at[plan->place.at[i]];
        to[i] = first.to;
        costs[i] = first.back + (says_more(own, i) ? say_later(own, i, first.cost, &to[i]) : first.cost);
    }
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

/* The units that begin with a word which is known, and those that say nothing. */
static const uint64_t *list_known(const row_plan *plan) {
    uint64_t *set = scratch_set(plan);
    memcpy(set, silent_set(plan), plan->chunk * sizeof *set);
    for (unsigned i = 0; i < plan->known.n; i++) {
        const uint64_t *with = set_of(plan, plan->known.which[i]);
        plan->at.at[plan->known.which[i]] = i;
        for (unsigned k = 0; k < plan->chunk; k++) set[k] |= with[k];
    }
    return set;
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
    const uint64_t *set = list_known(plan);
    *out = (pf_known_words){0, out->which, out->cost, out->to, plan->known.lower, plan->known.back};
    for (unsigned i = pf_cover_next(set, plan->chunk, 0); i < labels->n; i = pf_cover_next(set, plan->chunk, i + 1)) {
        const uint32_t place = plan->place.at[i];
        if (place == SILENT) know(out, i, 0, state);
        else if (!says_more(own, i)) know(out, i, plan->known.cost[plan->at.at[place]], plan->known.to[plan->at.at[place]]);
        else {
            pf_state to = leads_to(own, plan->at.at[place]);
            const double cost = say_later(own, i, plan->known.cost[plan->at.at[place]], &to);
            know(out, i, cost, to);
        }
    }
}

static unsigned target_length(const pf_scorer *scorer, pf_label label) {
    size_t count;
    pf_units_said(((const pfi_unit_scorer *)scorer->own)->units, label, &count);
    return (unsigned)count;
}

static const pf_scorer_class target_class = {
    .start = pfi_unit_scorer_start, .step = target_step, .row = target_row, .known = target_known,
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
