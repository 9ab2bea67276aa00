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
    bool asked;          /* what follows is known */
    size_t first, units; /* where the units that it lists begin, and how many they are */
    uint32_t lower;      /* the history that it backs off to, or itself */
    double back;         /* what that costs */
    double end;          /* the cost of the end after it */
} backoff_history;

/* A history that words of the sentence form, and where the last of them stands; at the start: their number. */
typedef struct {
    uint32_t history, position;
} formed_history;

typedef struct {
    const pfi_rows *rows;
    const pfi_column_positions *positions;
    pf_scorer *scorer;
    double scale;
    pf_statetab numbers; /* of the scorer's states: 8 bytes, so that they are compared as one word */
    PF_VEC(backoff_history) histories;
    PF_VEC(listed_unit) listed;
    pf_known_words asked;     /* scratch: what a state says of all columns */
    PF_VEC(formed_history) formed; /* each once */
    pfi_said *said;           /* NULL: units are not told apart by what was said last */
    unsigned chunk;           /* words of a set of units: a unit is an index of positions->position */
    uint64_t *follow;         /* of each slot, and at the start: the units that may come next; a single set, where all may */
    PF_VEC(uint64_t) lists;   /* of each history: the units that it lists */
    PF_VEC(uint64_t) open;    /* and those that it was looked at for */
    unsigned position_chunk;  /* words of a set of positions */
    PF_VEC(uint64_t) ends_at; /* of each history: the positions where it is formed */
    uint64_t *units;          /* scratch: a set */
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
    for (size_t i = 0; i < search->position_chunk; i++) PF_TRY(PF_PUSH(&search->ends_at, 0));
    if (search->said) PF_TRY(PF_PUSH(&search->said->of_state, PFI_SILENT));
    return PF_PUSH(&search->histories, ((backoff_history){.state = state}));
}

/* The units of a column, in a set. */
static void put_units(const backoff_search *search, uint32_t column, uint64_t *set) {
    for (uint32_t k = search->positions->first[column]; k < search->positions->first[column + 1]; k++) pf_cover_put(set, k);
}

/* What a history lists. The words of the only model are the columns. */
static pf_err ask_one(backoff_search *search, uint32_t number) {
    const pfi_row_model *model = &search->rows->model[0];
    backoff_history history = search->histories.at[number];
    search->scorer->cls->known(search->scorer, history.state, &model->labels, &search->asked);
    history.first = search->listed.n;
    for (unsigned i = 0; i < search->asked.n; i++) {
        listed_unit unit = {.column = search->asked.which[i], .cost = search->asked.cost[i]};
        pf_state to = search->asked.to[i];
        if (to == PF_NO_STATE)
            search->scorer->cls->step(search->scorer, search->asked.lower, model->labels.at[unit.column], &to);
        PF_TRY(number_of(search, to, &unit.to));
        PF_TRY(PF_PUSH(&search->listed, unit));
        put_units(search, unit.column, &search->lists.at[number * (size_t)search->chunk]);
    }
    history.units = search->listed.n - history.first;
    history.back = search->asked.back;
    history.end = pf_scaled(search->scale, search->scorer->cls->final(search->scorer, history.state));
    history.asked = true;
    PF_TRY(number_of(search, search->asked.lower, &history.lower));
    search->histories.at[number] = history;
    return PF_OK;
}

/* What a history and all that it backs off to list. */
static pf_err ask(backoff_search *search, uint32_t number) {
    for (; !search->histories.at[number].asked; number = search->histories.at[number].lower) PF_TRY(ask_one(search, number));
    return PF_OK;
}

/* What was said last in a history that a position has led to from another one: a silent unit leaves it as it was. */
static void say(const backoff_search *search, uint32_t from, uint32_t number, uint32_t position) {
    pfi_said *said = search->said;
    uint32_t *class = &said->of_state.at[number];
    if (*class == PFI_SILENT) *class = position == said->units ? said->classes - 1 : said->of_unit[position];
    if (*class == PFI_SILENT) *class = said->of_state.at[from];
    pf_cover_put(&said->leads_to[position * (size_t)said->words], *class);
}

static pf_err form(backoff_search *search, uint32_t from, uint32_t number, uint32_t position) {
    uint64_t *ends_at = &search->ends_at.at[number * (size_t)search->position_chunk];
    if (pf_cover_has(ends_at, position)) return PF_OK;
    pf_cover_put(ends_at, position);
    if (search->said) say(search, from, number, position);
    return PF_PUSH(&search->formed, ((formed_history){number, position}));
}

/* The units among `units` that a history lists, wherever they stand. */
static pf_err take_steps(backoff_search *search, uint32_t from, uint32_t number) {
    const pfi_column_positions *positions = search->positions;
    const backoff_history history = search->histories.at[number];
    for (size_t i = history.first; i < history.first + history.units; i++) {
        const listed_unit unit = search->listed.at[i];
        if (unit.cost == (double)INFINITY) continue;
        for (uint32_t k = positions->first[unit.column]; k < positions->first[unit.column + 1]; k++)
            if (pf_cover_has(search->units, k)) PF_TRY(form(search, from, unit.to, positions->position[k]));
    }
    return PF_OK;
}

/* Leaves those of `units` for which a history was not looked at yet. False where there is none. */
static bool keep_fresh(backoff_search *search, uint32_t number) {
    uint64_t *open = &search->open.at[number * (size_t)search->chunk], any = 0;
    for (size_t i = 0; i < search->chunk; i++) {
        search->units[i] &= ~open[i];
        open[i] |= search->units[i];
        any |= search->units[i];
    }
    return any;
}

/* The units that may come after a position. */
static const uint64_t *follow(const backoff_search *search, uint32_t position) {
    const pfi_column_positions *positions = search->positions;
    if (!positions->moves) return search->follow;
    const unsigned slot = position < positions->length ? positions->slot[position] : positions->moves->n;
    return &search->follow[slot * (size_t)search->chunk];
}

/* Each unit after a formed history is said by the longest history that lists it. */
static pf_err step_from(backoff_search *search, const formed_history formed) {
    uint32_t number = formed.history;
    PF_TRY(ask(search, number));
    memcpy(search->units, follow(search, formed.position), search->chunk * sizeof *search->units);
    while (keep_fresh(search, number)) {
        PF_TRY(take_steps(search, formed.history, number));
        for (size_t i = 0; i < search->chunk; i++) search->units[i] &= ~search->lists.at[number * (size_t)search->chunk + i];
        number = search->histories.at[number].lower;
    }
    return PF_OK;
}

/* All histories that the words can form. */
static pf_err form_all(backoff_search *search, bool *known) {
    uint32_t start;
    PF_TRY(number_of(search, search->scorer->cls->start(search->scorer), &start));
    PF_TRY(form(search, start, start, search->positions->length));
    for (size_t which = 0; which < search->formed.n; which++) {
        PF_TRY(step_from(search, search->formed.at[which]));
        if (search->listed.n > MOST_LISTED) return PF_OK;
    }
    *known = true;
    return PF_OK;
}

/* The histories that can end at each position, and at the start: a counting sort. */
static pf_err list_ends(backoff_search *search) {
    const unsigned length = search->positions->length;
    search->ends_first = calloc(length + (size_t)3, sizeof *search->ends_first);
    search->ends = malloc(search->formed.n * sizeof *search->ends);
    if (!search->ends_first || !search->ends) return pf_nomem();
    uint32_t *count = search->ends_first + 2, *cursor = search->ends_first + 1;
    for (size_t i = 0; i < search->formed.n; i++) count[search->formed.at[i].position]++;
    for (unsigned position = 1; position <= length; position++) count[position] += count[position - 1];
    for (size_t i = 0; i < search->formed.n; i++) {
        const formed_history formed = search->formed.at[i];
        search->ends[cursor[formed.position]++] = formed.history;
    }
    return PF_OK;
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
            const double least = after[unit->column];
            after[unit->column] = counts && cost < least ? cost : least; /* always written: which is less can't be foretold */
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
        const double cost = search->histories.at[number].end;
        if (cost < *end) *end = cost;
        PF_TRY(back_off(search, number));
    }
    take_listed(search, after);
    search->ending.n = 0;
    return PF_OK;
}

static pf_err take_all(backoff_search *search, double *after) {
    const size_t count = search->histories.n, width = search->rows->width + (size_t)1;
    const unsigned length = search->positions->length;
    search->back = malloc(count * sizeof *search->back);
    if (!search->back) return pf_nomem();
    for (uint32_t number = 0; number < count; number++) search->back[number] = (double)INFINITY;
    PF_TRY(list_ends(search));
    for (unsigned last = 0; last <= length; last++) {
        for (uint32_t i = search->ends_first[last]; i < search->ends_first[last + 1]; i++)
            PF_TRY(PF_PUSH(&search->ending, search->ends[i]));
        PF_TRY(take_position(search, &after[last * width]));
    }
    for (uint32_t class = 0; search->said && class < search->said->classes; class++) {
        for (uint32_t number = 0; number < count; number++)
            if (search->said->of_state.at[number] == class) PF_TRY(PF_PUSH(&search->ending, number));
        PF_TRY(take_position(search, &after[(length + 1 + class) * width]));
    }
    return PF_OK;
}

/* Which units may come after the positions of each slot. */
static pf_err list_follow(backoff_search *search) {
    const pfi_column_positions *positions = search->positions;
    const pf_moves *moves = positions->moves;
    const uint32_t units = positions->first[search->rows->width];
    const unsigned slots = moves ? moves->n : 0;
    search->follow = calloc((slots + (size_t)1) * search->chunk, sizeof *search->follow);
    if (!search->follow) return pf_nomem();
    for (unsigned slot = 0; slot <= slots; slot++) {
        uint64_t *set = &search->follow[slot * (size_t)search->chunk];
        const uint64_t *follows = moves ? &moves->follows[slot * (size_t)pf_cover_words(slots)] : NULL;
        for (uint32_t k = 0; k < units; k++)
            if (!moves || pf_cover_has(follows, positions->slot[positions->position[k]])) pf_cover_put(set, k);
    }
    return PF_OK;
}

static pf_err least(backoff_search *search, double *after, bool *known) {
    const unsigned columns = search->rows->model[0].labels.n;
    search->chunk = pf_cover_words(search->positions->first[search->rows->width]);
    search->position_chunk = pf_cover_words(search->positions->length + 1);
    PF_TRY(pf_known_words_init(&search->asked, columns));
    search->units = malloc(search->chunk * sizeof *search->units);
    search->listed_by = malloc((columns + (size_t)2) * sizeof *search->listed_by);
    if (!search->units || !search->listed_by) return pf_nomem();
    PF_TRY(list_follow(search));
    PF_TRY(form_all(search, known));
    return *known ? take_all(search, after) : PF_OK;
}

pf_err pfi_backoff_least(const pfi_rows *rows, const pfi_column_positions *positions, pfi_said *said, double *after, bool *known) {
    assert(pfi_backoff_possible(rows) && rows->model[0].labels.n == rows->words);
    const pf_scored_by *by = &rows->parts.by[0];
    backoff_search search = {.rows = rows, .positions = positions, .scorer = by->scorer, .scale = by->scale,
                             .said = said};
    pf_statetab_init(&search.numbers, sizeof(uint64_t));
    *known = false;
    pf_err err = least(&search, after, known);
    if (said) said->states = search.numbers;
    else pf_statetab_free(&search.numbers);
    PF_VEC_FREE(&search.histories);
    PF_VEC_FREE(&search.listed);
    PF_VEC_FREE(&search.lists);
    PF_VEC_FREE(&search.open);
    PF_VEC_FREE(&search.formed);
    PF_VEC_FREE(&search.ends_at);
    PF_VEC_FREE(&search.ending);
    PF_VEC_FREE(&search.reached);
    pf_known_words_free(&search.asked);
    free(search.units);
    free(search.follow);
    free(search.listed_by);
    free(search.ends_first);
    free(search.ends);
    free(search.back);
    return err;
}
