/* Rows of shorter histories, and of longer ones made of them. */
#include "search/shorter.h"

#include "base/contract.h"
#include "search/backoff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 2048, MOST_BACKS = 32 }; /* a model of a higher order makes its rows itself */

bool pfi_shorter_possible(const pf_scorer *scorer, unsigned words) {
    assert(!scorer->cls->backs || (scorer->cls->known && scorer->cls->known_end));
    return scorer->cls->backs && scorer->cls->backs(scorer) < MOST_BACKS && words && words <= MOST_WORDS;
}

static pf_err begin(pfi_shorter *shorter) {
    const size_t count = shorter->labels->n + (size_t)2, words = count * shorter->labels->n; /* most sentences have no more */
    pf_statetab_init(&shorter->states, sizeof(uint64_t));
    PF_TRY(PF_ROOM(&shorter->rows, count));
    PF_TRY(PF_ROOM(&shorter->cost, words));
    PF_TRY(PF_ROOM(&shorter->backs, words));
    PF_TRY(PF_ROOM(&shorter->to, words));
    return pf_known_words_init(&shorter->asked, shorter->labels->n);
}

static void ask(pfi_shorter *shorter, pf_state state) {
    if (shorter->listings && pfi_listings_known(shorter->listings, state, &shorter->asked)) return;
    shorter->scorer->cls->known(shorter->scorer, state, shorter->labels, &shorter->asked);
}

static double known_end(const pfi_shorter *shorter, pf_state state) {
    return shorter->scorer->cls->known_end(shorter->scorer, state);
}

#define NO_ROW UINT32_MAX

static pf_err make_row(pfi_shorter *shorter, pf_state state, uint32_t *row);

/* The row of a state that a history backs off to. */
static pf_err find_row(pfi_shorter *shorter, pf_state state, uint32_t *row) {
    *row = pf_statetab_find_word(&shorter->states, 0, state);
    return *row == NO_ROW ? make_row(shorter, state, row) : PF_OK;
}

/* Asks of a state, when the row is there that it backs off to. NO_ROW: it lists all words itself. It is asked twice where that row
 * had to be made, which is so for few. */
static pf_err ask_above(pfi_shorter *shorter, pf_state state, uint32_t *lower) {
    const size_t had = shorter->rows.n;
    *lower = NO_ROW;
    ask(shorter, state);
    if (shorter->asked.lower == state) return PF_OK;
    PF_TRY(find_row(shorter, shorter->asked.lower, lower));
    if (shorter->rows.n > had) ask(shorter, state);
    return PF_OK;
}

static pf_err add_row(pfi_shorter *shorter, pf_state state, pfi_shorter_row made, uint32_t *row) {
    const size_t n = shorter->labels->n;
    PF_TRY(PF_ROOM(&shorter->rows, 1));
    PF_TRY(PF_ROOM(&shorter->cost, n));
    PF_TRY(PF_ROOM(&shorter->backs, n));
    PF_TRY(PF_ROOM(&shorter->to, n));
    PF_TRY(pf_statetab_intern_word(&shorter->states, 0, state, row));
    assert(*row == shorter->rows.n);
    if (made.lower == NO_ROW) made.lower = *row;
    shorter->rows.at[shorter->rows.n++] = made;
    shorter->cost.n += n;
    shorter->backs.n += n;
    shorter->to.n += n;
    return PF_OK;
}

/* A new row of what the model was asked, and of the row that it backs off to. */
static pf_err make_row_above(pfi_shorter *shorter, pf_state state, uint32_t lower, uint32_t *row) {
    const size_t n = shorter->labels->n;
    pfi_shorter_row made = {lower, lower == NO_ROW ? 0 : shorter->asked.back, known_end(shorter, state), 0};
    if (lower != NO_ROW && isnan(made.end)) {
        made.end = shorter->rows.at[lower].end;
        made.end_backs = shorter->rows.at[lower].end_backs + 1;
    }
    PF_TRY(add_row(shorter, state, made, row));
    double *cost = &shorter->cost.at[*row * n];
    uint8_t *backs = &shorter->backs.at[*row * n];
    pf_state *to = &shorter->to.at[*row * n];
    if (lower != NO_ROW) {
        memcpy(cost, &shorter->cost.at[lower * n], n * sizeof *cost);
        memcpy(to, &shorter->to.at[lower * n], n * sizeof *to);
        for (size_t i = 0; i < n; i++) backs[i] = (uint8_t)(shorter->backs.at[lower * n + i] + 1);
    }
    assert(lower != NO_ROW || (shorter->asked.n == n && !isnan(made.end)));
    for (unsigned i = 0; i < shorter->asked.n; i++) {
        const uint32_t which = shorter->asked.which[i];
        cost[which] = shorter->asked.cost[i];
        backs[which] = 0;
        if (shorter->asked.to[i] != PF_NO_STATE) to[which] = shorter->asked.to[i];
    }
    return PF_OK;
}

static pf_err make_row(pfi_shorter *shorter, pf_state state, uint32_t *row) {
    uint32_t lower;
    PF_TRY(ask_above(shorter, state, &lower));
    return make_row_above(shorter, state, lower, row);
}

/* What a longer history costs where it backs off to a row: once, to that row; twice, to the next one; and so on. */
static void add_up_backs(const pfi_shorter *shorter, double back, uint32_t row, double *sums) {
    unsigned backs = 0;
    sums[backs] = back;
    for (; shorter->rows.at[row].lower != row; row = shorter->rows.at[row].lower) {
        back += shorter->rows.at[row].back;
        assert(backs + 1 < MOST_BACKS);
        sums[++backs] = back;
    }
}

/* The words that a state lists, where the row of the one that it backs off to was taken. */
static void take_listed(const pf_known_words *listed, double *costs, pf_state *to) {
    for (unsigned i = 0; i < listed->n; i++) {
        costs[listed->which[i]] = listed->cost[i];
        if (listed->to[i] != PF_NO_STATE) to[listed->which[i]] = listed->to[i];
    }
}

/* For checks. */
static bool are_of_model(const pfi_shorter *shorter, pf_state state, const double *costs, const pf_state *to, double end) {
    const unsigned n = shorter->labels->n;
    double *other = malloc(n * sizeof *other);
    pf_state *there = malloc(n * sizeof *there);
    bool same = other && there;
    if (same) shorter->scorer->cls->row(shorter->scorer, state, shorter->labels, other, there);
    for (unsigned i = 0; same && i < n; i++) same = other[i] == costs[i] && there[i] == to[i];
    same = same && shorter->scorer->cls->final(shorter->scorer, state) == end;
    free(other);
    free(there);
    return same;
}

/* The same of one word. */
static bool is_step_of_model(const pfi_shorter *shorter, pf_state state, uint32_t which, double cost, pf_state to) {
    pf_state there;
    return shorter->scorer->cls->step(shorter->scorer, state, shorter->labels->at[which], &there) == cost && there == to;
}

/* Costs and next states of all words after a history that has a row, or backs off to it, which costs `back`; and of the end. */
static void take_row(const pfi_shorter *shorter, uint32_t row, double back, double *costs, pf_state *to, double *end) {
    const size_t n = shorter->labels->n;
    const double *listed = &shorter->cost.at[row * n];
    const uint8_t *backs = &shorter->backs.at[row * n];
    double sums[MOST_BACKS];
    add_up_backs(shorter, back, row, sums);
    for (size_t i = 0; i < n; i++) costs[i] = sums[backs[i]] + listed[i];
    memcpy(to, &shorter->to.at[row * n], n * sizeof *to);
    *end = sums[shorter->rows.at[row].end_backs] + shorter->rows.at[row].end;
}

/* Is a history whose row is not there yet one of a word, or of none? Others will back off to it. */
static bool is_short(const pfi_shorter *shorter, uint32_t lower) {
    return lower == NO_ROW || shorter->rows.at[lower].lower == lower;
}

pf_err pfi_shorter_fill(pfi_shorter *shorter, pf_state state, double *costs, pf_state *to, double *end, uint32_t *row) {
    if (!shorter->asked.to) PF_TRY(begin(shorter));
    *row = pf_statetab_find_word(&shorter->states, 0, state);
    uint32_t lower = NO_ROW;
    if (*row == NO_ROW) {
        PF_TRY(ask_above(shorter, state, &lower));
        if (is_short(shorter, lower)) PF_TRY(make_row_above(shorter, state, lower, row));
    }
    if (*row != NO_ROW) take_row(shorter, *row, 0, costs, to, end);
    else {
        take_row(shorter, lower, shorter->asked.back, costs, to, end);
        take_listed(&shorter->asked, costs, to);
        const double listed = known_end(shorter, state);
        if (!isnan(listed)) *end = listed;
        *row = lower;
    }
    PFI_CHECK(are_of_model(shorter, state, costs, to, *end));
    return PF_OK;
}

double pfi_shorter_step(const pfi_shorter *shorter, pf_state state, uint32_t which, pf_state *to) {
    double cost;
    pf_scorer *scorer = shorter->scorer;
    if (!shorter->listings || !pfi_listings_step(shorter->listings, state, which, &cost, to))
        return scorer->cls->step(scorer, state, shorter->labels->at[which], to);
    PFI_CHECK(is_step_of_model(shorter, state, which, cost, *to));
    return cost;
}

void pfi_shorter_free(pfi_shorter *shorter) {
    pf_known_words_free(&shorter->asked);
    pf_statetab_free(&shorter->states);
    PF_VEC_FREE(&shorter->rows);
    PF_VEC_FREE(&shorter->cost);
    PF_VEC_FREE(&shorter->backs);
    PF_VEC_FREE(&shorter->to);
}

uint64_t pfi_shorter_bytes(const pfi_shorter *shorter) {
    return shorter->rows.n * sizeof *shorter->rows.at + pf_statetab_bytes(&shorter->states) +
           shorter->cost.n * (sizeof *shorter->cost.at + sizeof *shorter->backs.at + sizeof *shorter->to.at);
}
