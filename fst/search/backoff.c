/* Histories of a back-off model, each as its difference from the one that it backs off to. */
#include "search/backoff.h"

#include "base/contract.h"

#include <permfst/base/cover.h>
#include <permfst/base/vec.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_LISTED = 1 << 22 };

/* A unit that a history lists. */
typedef struct {
    uint32_t column, to; /* to: a history */
    double cost;
} listed_unit;

typedef struct {
    pf_state state;
    bool formed;         /* words of the sentence form it; others are only backed off to */
    bool asked;          /* what follows is known */
    size_t first, units; /* where the units that it lists begin, and how many they are */
    uint32_t lower;      /* the history that it backs off to, or itself */
    double back;         /* what that costs */
} backoff_history;

/* A unit leads to a history. */
typedef struct {
    uint32_t column, to;
} unit_step;

typedef struct {
    const pfi_rows *rows;
    const pfi_column_positions *positions;
    pf_scorer *scorer;
    double scale;
    pf_statetab numbers; /* of the scorer's states: 8 bytes, so that they are compared as one word */
    PF_VEC(backoff_history) histories;
    PF_VEC(listed_unit) listed;
    pf_known_words asked;     /* scratch: what a state says of all columns */
    PF_VEC(uint32_t) formed;  /* the histories that words form */
    PF_VEC(unit_step) steps;  /* to them */
    uint32_t *led;            /* of each column: the history it has led to last */
    unsigned chunk;           /* words of a set of columns */
    PF_VEC(uint64_t) lists;   /* of each history: the columns that it lists */
    PF_VEC(uint64_t) open;    /* and those that some formed history backs off to it for */
    uint64_t *columns;        /* scratch: a set */
    uint32_t *ends_first;     /* of each position: where the histories that can end there begin in `ends`; and the end */
    uint32_t *ends;
    PF_VEC(uint32_t) ending;  /* those of the position looked at */
    double *back;             /* of each history: the least back-off that leads to it from those */
    PF_VEC(uint32_t) reached; /* histories whose `back` is finite */
    uint32_t *listed_by;      /* of each column: how many of those that end list it */
} backoff_search;

bool pfi_backoff_possible(const pfi_rows *rows) {
    return rows->parts.n == 1 && rows->parts.by[0].scorer->cls->known && rows->parts.by[0].scale >= 0;
}

static pf_err number_of(backoff_search *search, pf_state state, uint32_t *number) {
    PF_TRY(pf_statetab_intern_word(&search->numbers, 0, state, number));
    if (*number < search->histories.n) return PF_OK;
    for (size_t i = 0; i < search->chunk; i++) {
        PF_TRY(PF_PUSH(&search->lists, 0));
        PF_TRY(PF_PUSH(&search->open, 0));
    }
    return PF_PUSH(&search->histories, ((backoff_history){.state = state}));
}

/* What a history lists. The words of the only model are the columns. */
static pf_err ask(backoff_search *search, uint32_t number) {
    const pfi_row_model *model = &search->rows->model[0];
    backoff_history history = search->histories.at[number];
    if (history.asked) return PF_OK;
    search->scorer->cls->known(search->scorer, history.state, model->word, model->words, &search->asked);
    history.first = search->listed.n;
    for (unsigned i = 0; i < search->asked.n; i++) {
        listed_unit unit = {.column = search->asked.which[i], .cost = search->asked.cost[i]};
        PF_TRY(number_of(search, search->asked.to[i], &unit.to));
        PF_TRY(PF_PUSH(&search->listed, unit));
        pf_cover_put(&search->lists.at[number * (size_t)search->chunk], unit.column);
    }
    history.units = search->listed.n - history.first;
    history.back = search->asked.back;
    history.asked = true;
    PF_TRY(number_of(search, search->asked.lower, &history.lower));
    search->histories.at[number] = history;
    return PF_OK;
}

static pf_err form(backoff_search *search, uint32_t number) {
    if (search->histories.at[number].formed) return PF_OK;
    search->histories.at[number].formed = true;
    return PF_PUSH(&search->formed, number);
}

/* Most units lead from most histories to the same one. */
static pf_err take_step(backoff_search *search, const listed_unit *unit) {
    if (unit->cost == (double)INFINITY || search->led[unit->column] == unit->to) return PF_OK;
    search->led[unit->column] = unit->to;
    PF_TRY(PF_PUSH(&search->steps, ((unit_step){unit->column, unit->to})));
    return form(search, unit->to);
}

/* The units among `columns` that a history lists. */
static pf_err take_steps(backoff_search *search, uint32_t number) {
    const backoff_history history = search->histories.at[number];
    for (size_t i = history.first; i < history.first + history.units; i++)
        if (pf_cover_has(search->columns, search->listed.at[i].column)) PF_TRY(take_step(search, &search->listed.at[i]));
    return PF_OK;
}

/* Leaves those of `columns` for which a history, which does not list them, is not backed off to yet. False where there is none. */
static bool keep_fresh(backoff_search *search, uint32_t number) {
    uint64_t *open = &search->open.at[number * (size_t)search->chunk], any = 0;
    for (size_t i = 0; i < search->chunk; i++) {
        search->columns[i] &= ~open[i];
        open[i] |= search->columns[i];
        any |= search->columns[i];
    }
    return any;
}

/* Each unit after a formed history is said by the longest history that lists it. */
static pf_err step_from(backoff_search *search, uint32_t number) {
    pf_cover_range(search->columns, search->chunk, 0, search->rows->words);
    for (bool fresh = true; fresh;) {
        PF_TRY(ask(search, number));
        PF_TRY(take_steps(search, number));
        for (size_t i = 0; i < search->chunk; i++) search->columns[i] &= ~search->lists.at[number * (size_t)search->chunk + i];
        number = search->histories.at[number].lower;
        fresh = keep_fresh(search, number);
    }
    return PF_OK;
}

/* All histories that the words can form. */
static pf_err form_all(backoff_search *search, bool *known) {
    uint32_t start;
    PF_TRY(number_of(search, search->scorer->cls->start(search->scorer), &start));
    PF_TRY(form(search, start));
    for (uint32_t which = 0; which < search->formed.n; which++) {
        PF_TRY(step_from(search, search->formed.at[which]));
        if (search->listed.n > MOST_LISTED) return PF_OK;
    }
    *known = true;
    return PF_OK;
}

/* A unit that leads to a history stands at some positions. Says for which of them that is news. */
static void mark_ends(const backoff_search *search, const unit_step *step, bool *ends_at, uint32_t *count) {
    const pfi_column_positions *positions = search->positions;
    for (uint32_t k = positions->first[step->column]; k < positions->first[step->column + 1]; k++) {
        const unsigned position = positions->position[k];
        bool *ends = &ends_at[position * search->histories.n + step->to];
        count[position] += !*ends;
        *ends = true;
    }
}

/* Lists the history at the positions for which it is marked, and takes the marks away. */
static void put_ends(const backoff_search *search, const unit_step *step, bool *ends_at, uint32_t *at) {
    const pfi_column_positions *positions = search->positions;
    for (uint32_t k = positions->first[step->column]; k < positions->first[step->column + 1]; k++) {
        const unsigned position = positions->position[k];
        bool *ends = &ends_at[position * search->histories.n + step->to];
        if (*ends) search->ends[at[position]++] = step->to;
        *ends = false;
    }
}

/* The histories that can end at each position: those to which one of its units leads. */
static pf_err list_ends(backoff_search *search) {
    const unsigned length = search->positions->length;
    bool *ends_at = calloc(length, search->histories.n);
    uint32_t *at = calloc(length, sizeof *at), sum = 0;
    search->ends_first = malloc((length + (size_t)1) * sizeof *search->ends_first);
    if (ends_at && at && search->ends_first) {
        for (size_t i = 0; i < search->steps.n; i++) mark_ends(search, &search->steps.at[i], ends_at, at);
        for (unsigned position = 0; position < length; position++) {
            search->ends_first[position] = sum;
            sum += at[position];
            at[position] = search->ends_first[position];
        }
        search->ends_first[length] = sum;
        search->ends = malloc((sum + (size_t)1) * sizeof *search->ends);
        for (size_t i = 0; search->ends && i < search->steps.n; i++) put_ends(search, &search->steps.at[i], ends_at, at);
    }
    free(ends_at);
    free(at);
    return search->ends ? PF_OK : pf_nomem();
}

/* The histories that one backs off to, step by step, as long as that is cheaper than it was from others. */
static pf_err back_off(backoff_search *search, uint32_t number) {
    double back = 0;
    for (uint32_t next = number; back < search->back[next]; next = search->histories.at[next].lower) {
        if (search->back[next] == (double)INFINITY) PF_TRY(PF_PUSH(&search->reached, next));
        search->back[next] = back;
        if (search->histories.at[next].lower == next) return PF_OK;
        back += search->histories.at[next].back;
    }
    return PF_OK;
}

/* What all of them list themselves is nowhere else looked for. */
static void count_lists(backoff_search *search) {
    memset(search->listed_by, 0, search->rows->width * sizeof *search->listed_by);
    for (size_t i = 0; i < search->ending.n; i++) {
        const backoff_history *history = &search->histories.at[search->ending.at[i]];
        for (size_t k = history->first; k < history->first + history->units; k++) search->listed_by[search->listed.at[k].column]++;
    }
}

/* The units of all histories that are reached; afterwards none is. */
static void take_listed(backoff_search *search, double *after) {
    for (size_t i = 0; i < search->reached.n; i++) {
        const uint32_t number = search->reached.at[i];
        const backoff_history *history = &search->histories.at[number];
        const bool ends = search->back[number] <= 0;
        for (size_t k = history->first; k < history->first + history->units; k++) {
            const listed_unit *unit = &search->listed.at[k];
            const double cost = pf_scaled(search->scale, search->back[number] + unit->cost);
            const bool counts = ends || search->listed_by[unit->column] < search->ending.n;
            if (counts && cost < after[unit->column]) after[unit->column] = cost;
        }
        search->back[number] = (double)INFINITY;
    }
    search->reached.n = 0;
}

static pf_err take_position(backoff_search *search, double *after) {
    double *end = &after[search->rows->width];
    count_lists(search);
    for (size_t i = 0; i < search->ending.n; i++) {
        const uint32_t number = search->ending.at[i];
        const double cost = search->scorer->cls->final(search->scorer, search->histories.at[number].state);
        if (pf_scaled(search->scale, cost) < *end) *end = pf_scaled(search->scale, cost);
        PF_TRY(back_off(search, number));
    }
    take_listed(search, after);
    search->ending.n = 0;
    return PF_OK;
}

/* The first formed history is that of the start. */
static pf_err take_all(backoff_search *search, double *after) {
    const size_t count = search->histories.n, width = search->rows->width + (size_t)1;
    const unsigned length = search->positions->length;
    search->back = malloc(count * sizeof *search->back);
    if (!search->back) return pf_nomem();
    for (uint32_t number = 0; number < count; number++) search->back[number] = (double)INFINITY;
    PF_TRY(list_ends(search));
    for (unsigned last = 0; last < length; last++) {
        for (uint32_t i = search->ends_first[last]; i < search->ends_first[last + 1]; i++)
            PF_TRY(PF_PUSH(&search->ending, search->ends[i]));
        PF_TRY(take_position(search, &after[last * width]));
    }
    PF_TRY(PF_PUSH(&search->ending, search->formed.at[0]));
    return take_position(search, &after[length * width]);
}

static pf_err least(backoff_search *search, double *after, bool *known) {
    const unsigned columns = search->rows->model[0].words;
    const size_t words = columns + (size_t)1;
    search->chunk = pf_cover_words(search->rows->words + 1);
    PF_TRY(pf_known_words_init(&search->asked, columns));
    search->columns = calloc(search->chunk, sizeof *search->columns);
    search->led = malloc(words * sizeof *search->led);
    search->listed_by = malloc((words + 1) * sizeof *search->listed_by);
    if (!search->columns || !search->led || !search->listed_by) return pf_nomem();
    for (size_t i = 0; i < words; i++) search->led[i] = UINT32_MAX;
    PF_TRY(form_all(search, known));
    return *known ? take_all(search, after) : PF_OK;
}

pf_err pfi_backoff_least(const pfi_rows *rows, const pfi_column_positions *positions, double *after, bool *known) {
    assert(pfi_backoff_possible(rows) && rows->model[0].words == rows->words);
    const pf_scored_by *by = &rows->parts.by[0];
    backoff_search search = {.rows = rows, .positions = positions, .scorer = by->scorer, .scale = by->scale};
    pf_statetab_init(&search.numbers, sizeof(uint64_t));
    *known = false;
    pf_err err = least(&search, after, known);
    pf_statetab_free(&search.numbers);
    PF_VEC_FREE(&search.histories);
    PF_VEC_FREE(&search.listed);
    PF_VEC_FREE(&search.lists);
    PF_VEC_FREE(&search.open);
    PF_VEC_FREE(&search.formed);
    PF_VEC_FREE(&search.steps);
    PF_VEC_FREE(&search.ending);
    PF_VEC_FREE(&search.reached);
    pf_known_words_free(&search.asked);
    free(search.columns);
    free(search.led);
    free(search.listed_by);
    free(search.ends_first);
    free(search.ends);
    free(search.back);
    return err;
}
