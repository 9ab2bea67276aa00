/* Which histories the words of a sentence form, and which of them end at each position. */
#include "search/backoff_impl.h"

#include "base/contract.h"

#include <permfst/base/cover.h>
#include <permfst/base/vec.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_LISTED = 1 << 22 };

/* A history that words of the sentence form, and where the last of them stands; at the start: their number. */
typedef struct {
    uint32_t history, position;
} formed_history;

typedef struct {
    pfi_listings *listings;
    const pfi_rows *rows;
    const pfi_column_positions *positions;
    pf_scorer *scorer;
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
} history_search;

bool pfi_listings_possible(const pfi_rows *rows) {
    return rows->parts.n == 1 && rows->parts.by[0].scorer->cls->known && rows->parts.by[0].scale >= 0;
}

static pf_err number_of(history_search *search, pf_state state, uint32_t *number) {
    PF_TRY(pf_statetab_intern_word(&search->listings->numbers, 0, state, number));
    if (*number < search->listings->histories.n) return PF_OK;
    for (size_t i = 0; i < search->chunk; i++) {
        PF_TRY(PF_PUSH(&search->lists, 0));
        PF_TRY(PF_PUSH(&search->open, 0));
    }
    for (size_t i = 0; i < search->position_chunk; i++) PF_TRY(PF_PUSH(&search->ends_at, 0));
    if (search->said) PF_TRY(PF_PUSH(&search->said->of_history, PFI_SILENT));
    return PF_PUSH(&search->listings->histories, ((pfi_listing){.state = state}));
}

/* The units of a column, in a set. */
static void put_units(const history_search *search, uint32_t column, uint64_t *set) {
    for (uint32_t k = search->positions->first[column]; k < search->positions->first[column + 1]; k++) pf_cover_put(set, k);
}

/* What a history says of the words of the only model, which are the columns. */
static void ask_model(history_search *search, uint32_t number) {
    const pf_state state = search->listings->histories.at[number].state;
    search->scorer->cls->known(search->scorer, state, &search->rows->model[0].labels, &search->asked);
}

/* Where a column leads after a history whose list is known, as are those of all that it backs off to. */
static uint32_t leads_to(const pfi_listings *listings, uint32_t number, uint32_t column) {
    for (;; number = listings->histories.at[number].lower) {
        const pfi_listed_unit *unit = pfi_find_listed(listings, number, column);
        if (unit) return unit->to;
        assert(listings->histories.at[number].lower != number);
    }
}

/* The list of a history of which the model was asked. */
static pf_err list(history_search *search, uint32_t number, uint32_t lower) {
    const double scale = search->rows->parts.by[0].scale;
    pfi_listing history = search->listings->histories.at[number];
    history.first = search->listings->listed.n;
    history.lower = lower;
    for (unsigned i = 0; i < search->asked.n; i++) {
        pfi_listed_unit unit = {.column = search->asked.which[i], .cost = pf_scaled(scale, search->asked.cost[i])};
        if (search->asked.to[i] == PF_NO_STATE) unit.to = leads_to(search->listings, lower, unit.column);
        else PF_TRY(number_of(search, search->asked.to[i], &unit.to));
        PF_TRY(PF_PUSH(&search->listings->listed, unit));
        PF_TRY(PF_PUSH(&search->listings->said, search->asked.cost[i]));
        put_units(search, unit.column, &search->lists.at[number * (size_t)search->chunk]);
    }
    history.units = search->listings->listed.n - history.first;
    history.back = pf_scaled(scale, search->asked.back);
    history.said_back = search->asked.back;
    history.end = pf_scaled(scale, search->scorer->cls->final(search->scorer, history.state));
    history.asked = true;
    search->listings->histories.at[number] = history;
    return PF_OK;
}

/* What a history and all that it backs off to list, these first. The model is asked twice where there was one of these to ask for,
 * which is so for few. */
static pf_err ask(history_search *search, uint32_t number) {
    uint32_t lower;
    if (search->listings->histories.at[number].asked) return PF_OK;
    ask_model(search, number);
    PF_TRY(number_of(search, search->asked.lower, &lower));
    if (lower != number && !search->listings->histories.at[lower].asked) {
        PF_TRY(ask(search, lower));
        ask_model(search, number);
    }
    return list(search, number, lower);
}

/* What was said last in a history that a position has led to from another one: a silent unit leaves it as it was. */
static void say(const history_search *search, uint32_t from, uint32_t number, uint32_t position) {
    pfi_said *said = search->said;
    uint32_t *class = &said->of_history.at[number];
    if (*class == PFI_SILENT) *class = position == said->units ? said->classes - 1 : said->of_unit[position];
    if (*class == PFI_SILENT) *class = said->of_history.at[from];
    pf_cover_put(&said->leads_to[position * (size_t)said->words], *class);
}

static pf_err form(history_search *search, uint32_t from, uint32_t number, uint32_t position) {
    uint64_t *ends_at = &search->ends_at.at[number * (size_t)search->position_chunk];
    if (pf_cover_has(ends_at, position)) return PF_OK;
    pf_cover_put(ends_at, position);
    if (search->said) say(search, from, number, position);
    return PF_PUSH(&search->formed, ((formed_history){number, position}));
}

/* The units among `units` that a history lists, wherever they stand. */
static pf_err take_steps(history_search *search, uint32_t from, uint32_t number) {
    const pfi_column_positions *positions = search->positions;
    const pfi_listing history = search->listings->histories.at[number];
    for (size_t i = history.first; i < history.first + history.units; i++) {
        const pfi_listed_unit unit = search->listings->listed.at[i];
        if (unit.cost == (double)INFINITY) continue;
        for (uint32_t k = positions->first[unit.column]; k < positions->first[unit.column + 1]; k++)
            if (pf_cover_has(search->units, k)) PF_TRY(form(search, from, unit.to, positions->position[k]));
    }
    return PF_OK;
}

/* Leaves those of `units` for which a history was not looked at yet. False where there is none. */
static bool keep_fresh(history_search *search, uint32_t number) {
    uint64_t *open = &search->open.at[number * (size_t)search->chunk], any = 0;
    for (size_t i = 0; i < search->chunk; i++) {
        search->units[i] &= ~open[i];
        open[i] |= search->units[i];
        any |= search->units[i];
    }
    return any;
}

/* The units that may come after a position. */
static const uint64_t *follow(const history_search *search, uint32_t position) {
    const pfi_column_positions *positions = search->positions;
    if (!positions->moves) return search->follow;
    const unsigned slot = position < positions->length ? positions->slot[position] : positions->moves->n;
    return &search->follow[slot * (size_t)search->chunk];
}

/* Each unit after a formed history is said by the longest history that lists it. */
static pf_err step_from(history_search *search, const formed_history formed) {
    uint32_t number = formed.history;
    PF_TRY(ask(search, number));
    memcpy(search->units, follow(search, formed.position), search->chunk * sizeof *search->units);
    while (keep_fresh(search, number)) {
        PF_TRY(take_steps(search, formed.history, number));
        for (size_t i = 0; i < search->chunk; i++) search->units[i] &= ~search->lists.at[number * (size_t)search->chunk + i];
        number = search->listings->histories.at[number].lower;
    }
    return PF_OK;
}

/* Which units may come after the positions of each slot. */
static pf_err list_follow(history_search *search) {
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

/* All histories that the words can form. *all: they do not list too much. */
static pf_err form_all(history_search *search, bool *all) {
    uint32_t start;
    *all = false;
    PF_TRY(number_of(search, search->scorer->cls->start(search->scorer), &start));
    PF_TRY(form(search, start, start, search->positions->length));
    for (size_t which = 0; which < search->formed.n; which++) {
        PF_TRY(step_from(search, search->formed.at[which]));
        if (search->listings->listed.n > MOST_LISTED) return PF_OK;
    }
    *all = true;
    return PF_OK;
}

/* ---- sets ---- */

/* A place has the row of the set of histories from `first` to before `end`: a new one, if no place before it has the same set. */
static pf_err give_row(pfi_listings *listings, pf_statetab *sets, const uint32_t *first, const uint32_t *end) {
    uint32_t row;
    int fresh;
    PF_TRY(pf_statetab_intern(sets, first, (size_t)(end - first) * sizeof *first, &row, &fresh));
    PF_TRY(PF_PUSH(&listings->row, row));
    if (!fresh) return PF_OK;
    PF_TRY(PF_PUSH(&listings->set_first, listings->set.n));
    for (; first < end; first++) PF_TRY(PF_PUSH(&listings->set, *first));
    return PF_OK;
}

/* The histories of each place, in order: a counting sort. first[place] begins where it ends in the end. */
typedef struct {
    size_t *first;
    uint32_t *history;
} placed_histories;

static pf_err give_rows(history_search *search, pf_statetab *sets, const placed_histories *placed, size_t places) {
    for (size_t place = 0; place < places; place++) {
        const uint32_t *first = &placed->history[placed->first[place]], *end = &placed->history[placed->first[place + 1]];
        const bool told_apart = search->said && pfi_is_told_apart(search->said, (uint32_t)place);
        if (told_apart) PF_TRY(PF_PUSH(&search->listings->row, PFI_NO_ROW_OF_COSTS));
        else PF_TRY(give_row(search->listings, sets, first, end));
    }
    return PF_PUSH(&search->listings->set_first, search->listings->set.n);
}

static void visit(size_t *cursor, uint32_t *history, uint32_t number) {
    if (history) history[*cursor] = number;
    (*cursor)++;
}

/* Moves the cursors of the positions where a history is formed, and that of its class; and writes it there, unless they count. */
static void visit_places(const history_search *search, uint32_t number, size_t *cursor, uint32_t *history) {
    const uint64_t *ends_at = &search->ends_at.at[number * (size_t)search->position_chunk];
    const unsigned length = search->positions->length, chunk = search->position_chunk;
    const uint32_t class = search->said ? search->said->of_history.at[number] : PFI_SILENT;
    for (unsigned at = pf_cover_next(ends_at, chunk, 0); at <= length; at = pf_cover_next(ends_at, chunk, at + 1))
        visit(&cursor[at], history, number);
    if (class != PFI_SILENT) visit(&cursor[length + (size_t)1 + class], history, number);
}

static pf_err list_sets(history_search *search) {
    const uint32_t histories = (uint32_t)search->listings->histories.n;
    const size_t places = search->positions->length + (size_t)1 + (search->said ? search->said->classes : 0);
    placed_histories placed = {calloc(places + 2, sizeof *placed.first),
                               malloc((search->formed.n + histories) * sizeof *placed.history)};
    pf_statetab sets;
    pf_statetab_init(&sets, 0);
    pf_err err = placed.first && placed.history ? PF_OK : pf_nomem();
    for (uint32_t number = 0; !err && number < histories; number++) visit_places(search, number, placed.first + 2, NULL);
    for (size_t place = 1; !err && place < places; place++) placed.first[place + 1] += placed.first[place];
    for (uint32_t number = 0; !err && number < histories; number++)
        visit_places(search, number, placed.first + 1, placed.history);
    if (!err) err = give_rows(search, &sets, &placed, places);
    free(placed.first);
    free(placed.history);
    pf_statetab_free(&sets);
    return err;
}

/* ---- all of it ---- */

static pf_err make(history_search *search, bool *all) {
    pfi_listings *listings = search->listings;
    const unsigned columns = search->rows->model[0].labels.n;
    search->chunk = pf_cover_words(search->positions->first[search->rows->width]);
    search->position_chunk = pf_cover_words(search->positions->length + 1);
    PF_TRY(pf_known_words_init(&search->asked, columns));
    search->units = malloc(search->chunk * sizeof *search->units);
    if (!search->units) return pf_nomem();
    PF_TRY(list_follow(search));
    PF_TRY(form_all(search, all));
    if (!*all) return PF_OK;
    PF_TRY(list_sets(search));
    return pfi_listings_ready(listings);
}

pf_err pfi_listings_new(const pfi_rows *rows, const pfi_column_positions *positions, pfi_said *said, pfi_listings **out) {
    assert(pfi_listings_possible(rows) && rows->model[0].labels.n == rows->words);
    const pf_scored_by *by = &rows->parts.by[0];
    pfi_listings *listings = calloc(1, sizeof *listings);
    history_search search = {.listings = listings, .rows = rows, .positions = positions, .scorer = by->scorer, .said = said};
    bool all = false;
    *out = NULL;
    if (!listings) return pf_nomem();
    listings->width = rows->width;
    pf_statetab_init(&listings->numbers, sizeof(uint64_t));
    pf_err err = make(&search, &all);
    PF_VEC_FREE(&search.lists);
    PF_VEC_FREE(&search.open);
    PF_VEC_FREE(&search.formed);
    PF_VEC_FREE(&search.ends_at);
    pf_known_words_free(&search.asked);
    free(search.units);
    free(search.follow);
    if (!err && all) *out = listings;
    else pfi_listings_free(listings);
    return err;
}

void pfi_listings_free(pfi_listings *listings) {
    if (!listings) return;
    pf_statetab_free(&listings->numbers);
    PF_VEC_FREE(&listings->histories);
    PF_VEC_FREE(&listings->listed);
    PF_VEC_FREE(&listings->said);
    PF_VEC_FREE(&listings->set);
    PF_VEC_FREE(&listings->set_first);
    PF_VEC_FREE(&listings->common);
    PF_VEC_FREE(&listings->common_first);
    PF_VEC_FREE(&listings->row);
    PF_VEC_FREE(&listings->reached);
    free(listings->back);
    free(listings->whole);
    free(listings);
}

uint32_t pfi_listings_histories(const pfi_listings *listings) { return (uint32_t)listings->histories.n; }

uint32_t pfi_listings_history(const pfi_listings *listings, pf_state state) {
    return pf_statetab_find_word(&listings->numbers, 0, state);
}

bool pfi_listings_known(const pfi_listings *listings, pf_state state, pf_known_words *out) {
    const uint32_t number = pfi_listings_history(listings, state);
    if (number == PFI_NO_HISTORY || !listings->histories.at[number].asked) return false;
    const pfi_listing *history = &listings->histories.at[number];
    assert(listings->said.n == listings->listed.n);
    for (size_t i = 0; i < history->units; i++) {
        const pfi_listed_unit *unit = &listings->listed.at[history->first + i];
        out->which[i] = unit->column;
        out->cost[i] = listings->said.at[history->first + i];
        out->to[i] = listings->histories.at[unit->to].state;
    }
    out->n = (unsigned)history->units;
    out->lower = listings->histories.at[history->lower].state;
    out->back = history->said_back;
    return true;
}

uint32_t pfi_listings_rows(const pfi_listings *listings) { return (uint32_t)listings->set_first.n - 1; }

const uint32_t *pfi_listings_row(const pfi_listings *listings) { return listings->row.at; }
