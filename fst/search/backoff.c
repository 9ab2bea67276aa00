/* Which histories the words of a sentence form, and which of them end at each position. */
#include "search/backoff_impl.h"

#include "base/contract.h"

#include <permfst/base/cover.h>
#include <permfst/base/vec.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LISTED = 1 << 22,
    /* What most captions have for each unit, so that arrays are seldom moved: */
    HISTORIES_OF_UNIT = 6, LISTED_OF_UNIT = 24, TAILS_OF_UNIT = 12, FORMED_OF_UNIT = 128,
    MOST_EXPECTED = 512 /* units */
};

/* A history that words of the sentence form, and where the last of them stands; at the start: their number. */
typedef struct {
    uint32_t history, position;
} formed_history;

typedef struct {
    pfi_listings *listings;
    const pfi_rows *rows;
    const pfi_column_positions *positions;
    pf_scorer *scorer;
    pf_known_words asked;     /* scratch: what a state says of all heads */
    pf_statetab tails;        /* of a head and the history that it leads to: their number */
    double *tail_cost;        /* scratch: of each column of a head, what it costs beyond it, and where it leads */
    pf_state *tail_to;
    PF_VEC(formed_history) formed; /* each once */
    pfi_said *said;           /* NULL: units are not told apart by what was said last */
    PF_VEC(uint32_t) unit_first; /* of each column: its first unit; and the end. A unit is a column at a position */
    PF_VEC(uint32_t) column;     /* of each unit */
    PF_VEC(uint16_t) position;
    unsigned chunk;           /* words of a set of units */
    uint64_t *follow;         /* of each slot, and at the start: the units that may come next; a single set, where all may */
    PF_VEC(uint64_t) lists;   /* of each history: the units that it lists */
    PF_VEC(uint64_t) open;    /* and those that it was looked at for */
    PF_VEC(bool) full;        /* are these all that ever follow? */
    PF_VEC(uint64_t) taken;   /* of each tails: the units that were formed, a set from the word on where their first one stands */
    PF_VEC(size_t) taken_first; /* where these sets begin */
    unsigned position_chunk;  /* words of a set of positions */
    PF_VEC(uint64_t) ends_at; /* of each history: the positions where it is formed */
    size_t *ending;           /* of each position, and of the start: how many histories are formed there */
    uint64_t *all;            /* all that follow some slot */
    uint64_t *units;          /* scratch: a set */
} history_search;

bool pfi_listings_possible(const pfi_rows *rows) {
    return rows->parts.n == 1 && rows->parts.by[0].scorer->cls->known && rows->parts.by[0].scale >= 0;
}

static pf_err number_of(history_search *search, pf_state state, uint32_t *number) {
    PF_TRY(pf_statetab_intern_word(&search->listings->numbers, 0, state, number));
    if (*number < search->listings->histories.n) return PF_OK;
    PF_TRY(PF_ROOM(&search->lists, search->chunk));
    PF_TRY(PF_ROOM(&search->open, search->chunk));
    PF_TRY(PF_ROOM(&search->ends_at, search->position_chunk));
    PF_TRY(PF_PUSH(&search->full, false));
    for (size_t i = 0; i < search->chunk; i++) search->lists.at[search->lists.n++] = search->open.at[search->open.n++] = 0;
    for (size_t i = 0; i < search->position_chunk; i++) search->ends_at.at[search->ends_at.n++] = 0;
    if (search->said) PF_TRY(PF_PUSH(&search->said->of_history, PFI_SILENT));
    return PF_PUSH(&search->listings->histories, ((pfi_listing){.state = state}));
}

/* ---- lists ---- */

/* The units of a head: from *first to before *end. */
static void units_of(const history_search *search, uint32_t head, uint32_t *first, uint32_t *end) {
    const pfi_heads *heads = &search->listings->heads;
    *first = search->unit_first.at[heads->first[head]];
    *end = search->unit_first.at[heads->first[head + 1]];
}

/* What a history says of the words of the only model, by their heads. */
static void ask_model(history_search *search, uint32_t number) {
    const pf_scorer_class *cls = search->scorer->cls;
    const pf_state state = search->listings->histories.at[number].state;
    (cls->heads ? cls->known_heads : cls->known)(search->scorer, state, &search->rows->model[0].labels, &search->asked);
}

/* What the columns of a head cost beyond it, and where they lead. */
static void ask_tails(history_search *search, uint32_t head, pf_state state) {
    const pf_scorer_class *cls = search->scorer->cls;
    if (cls->heads) cls->tails(search->scorer, &search->rows->model[0].labels, head, state, search->tail_cost, search->tail_to);
    else {
        search->tail_cost[0] = 0;
        search->tail_to[0] = state;
    }
}

/* New tails of a head that has led to a state. */
static pf_err add_tails(history_search *search, uint32_t head, pf_state state) {
    pfi_listings *listings = search->listings;
    const double scale = search->rows->parts.by[0].scale;
    const uint32_t columns = listings->heads.first[head + 1] - listings->heads.first[head];
    uint32_t first, end;
    PF_TRY(PF_PUSH(&listings->tails, ((pfi_tails){head, (uint32_t)listings->tail.n})));
    ask_tails(search, head, state);
    for (uint32_t i = 0; i < columns; i++) {
        pfi_tail tail = {.cost = pf_scaled(scale, search->tail_cost[i])};
        PF_TRY(number_of(search, search->tail_to[i], &tail.to));
        PF_TRY(PF_PUSH(&listings->tail, tail));
        PF_TRY(PF_PUSH(&listings->said_tail, search->tail_cost[i]));
    }
    units_of(search, head, &first, &end);
    PF_TRY(PF_PUSH(&search->taken_first, search->taken.n));
    for (uint32_t word = first / 64; 64 * word < end; word++) PF_TRY(PF_PUSH(&search->taken, 0));
    return PF_OK;
}

static pf_err tails_of(history_search *search, uint32_t head, pf_state state, uint32_t *tails) {
    PF_TRY(pf_statetab_intern_word(&search->tails, 0, (uint64_t)head << 32 | state, tails));
    return *tails < search->listings->tails.n ? PF_OK : add_tails(search, head, state);
}

/* A head after a history whose list is known, as are those of all that it backs off to. *back: what it costs to back off to the one
 * that lists it, as the model says it. */
static const pfi_listed_head *find_below(const pfi_listings *listings, uint32_t number, uint32_t head, double *back) {
    const pfi_listed_head *listed;
    *back = 0;
    while (!(listed = pfi_find_listed(listings, number, head))) {
        assert(!pfi_is_whole(listings, number));
        *back += listings->histories.at[number].said_back;
        number = listings->histories.at[number].lower;
    }
    return listed;
}

static void put_units(const history_search *search, uint32_t head, uint64_t *set) {
    uint32_t first, end;
    units_of(search, head, &first, &end);
    for (uint32_t word = first / 64; 64 * word < end; word++) set[word] |= pf_cover_range_word(first, end, word);
}

/* The cost of the end after a history. What the one that it backs off to says is known. */
static double end_of(const history_search *search, const pfi_listing *history) {
    const pf_scorer_class *cls = search->scorer->cls;
    const bool backs_off = cls->known_end != NULL;
    const double said = backs_off ? cls->known_end(search->scorer, history->state) : cls->final(search->scorer, history->state);
    const pfi_listing *lower = &search->listings->histories.at[history->lower];
    assert(!isnan(said) || lower->asked);
    return isnan(said) ? history->back + lower->end : pf_scaled(search->rows->parts.by[0].scale, said);
}

/* The list of a history of which the model was asked. */
static pf_err list(history_search *search, uint32_t number, uint32_t lower) {
    const double scale = search->rows->parts.by[0].scale;
    pfi_listing history = search->listings->histories.at[number];
    history.first = search->listings->listed.n;
    history.lower = lower;
    for (unsigned i = 0; i < search->asked.n; i++) {
        pfi_listed_head listed = {.head = search->asked.which[i], .cost = pf_scaled(scale, search->asked.cost[i])};
        double back;
        if (search->asked.to[i] == PF_NO_STATE) listed.tails = find_below(search->listings, lower, listed.head, &back)->tails;
        else PF_TRY(tails_of(search, listed.head, search->asked.to[i], &listed.tails));
        PF_TRY(PF_PUSH(&search->listings->listed, listed));
        PF_TRY(PF_PUSH(&search->listings->said, search->asked.cost[i]));
        put_units(search, listed.head, &search->lists.at[number * (size_t)search->chunk]);
    }
    history.heads = search->listings->listed.n - history.first;
    history.back = pf_scaled(scale, search->asked.back);
    history.said_back = search->asked.back;
    history.end = end_of(search, &history);
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
    search->ending[position]++;
    if (search->said) say(search, from, number, position);
    return PF_PUSH(&search->formed, ((formed_history){number, position}));
}

/* Units of tails that were not formed yet: a set's word. */
static pf_err form_units(history_search *search, uint32_t from, const pfi_tails *tails, uint32_t word, uint64_t units) {
    for (; units; units &= units - 1) {
        const uint32_t unit = 64 * word + pf_bits_first(units);
        const pfi_tail *tail = pfi_tail_of(search->listings, tails, search->column.at[unit]);
        if (tail->cost < (double)INFINITY) PF_TRY(form(search, from, tail->to, search->position.at[unit]));
    }
    return PF_OK;
}

/* The units among `units` that a history lists, wherever they stand. */
static pf_err take_steps(history_search *search, uint32_t from, uint32_t number) {
    const pfi_listed_head *end, *listed = pfi_listed(search->listings, number, &end);
    for (; listed < end; listed++) {
        const pfi_tails *tails = &search->listings->tails.at[listed->tails];
        uint64_t *taken = &search->taken.at[search->taken_first.at[listed->tails]];
        uint32_t first, last;
        if (listed->cost == (double)INFINITY) continue;
        units_of(search, listed->head, &first, &last);
        for (uint32_t word = first / 64; 64 * word < last; word++, taken++) {
            const uint64_t units = search->units[word] & pf_cover_range_word(first, last, word) & ~*taken;
            *taken |= units;
            if (units) PF_TRY(form_units(search, from, tails, word, units));
        }
    }
    return PF_OK;
}

/* Leaves those of `units` for which a history was not looked at yet. False where there is none. */
static bool keep_fresh(history_search *search, uint32_t number) {
    uint64_t *open = &search->open.at[number * (size_t)search->chunk], any = 0, left = 0;
    for (size_t i = 0; i < search->chunk; i++) {
        search->units[i] &= ~open[i];
        open[i] |= search->units[i];
        any |= search->units[i];
        left |= search->all[i] & ~open[i];
    }
    search->full.at[number] = !left;
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
    if (search->full.at[number]) return PF_OK;
    PF_TRY(ask(search, number));
    memcpy(search->units, follow(search, formed.position), search->chunk * sizeof *search->units);
    while (keep_fresh(search, number)) {
        PF_TRY(take_steps(search, formed.history, number));
        for (size_t i = 0; i < search->chunk; i++) search->units[i] &= ~search->lists.at[number * (size_t)search->chunk + i];
        number = search->listings->histories.at[number].lower;
    }
    return PF_OK;
}

/* ---- units ---- */

/* The units of each column. */
static pf_err list_units(history_search *search) {
    const pfi_column_positions *positions = search->positions;
    const pfi_heads *heads = &search->listings->heads;
    for (uint32_t column = 0; column < heads->first[heads->n]; column++) {
        const uint32_t of_rows = search->listings->column[column];
        PF_TRY(PF_PUSH(&search->unit_first, (uint32_t)search->position.n));
        for (uint32_t i = positions->first[of_rows]; i < positions->first[of_rows + 1]; i++) {
            PF_TRY(PF_PUSH(&search->position, positions->position[i]));
            PF_TRY(PF_PUSH(&search->column, column));
        }
    }
    return PF_PUSH(&search->unit_first, (uint32_t)search->position.n);
}

/* Which units may come after the positions of each slot. */
static pf_err list_follow(history_search *search) {
    const pfi_column_positions *positions = search->positions;
    const pf_moves *moves = positions->moves;
    const uint32_t units = (uint32_t)search->position.n;
    const unsigned slots = moves ? moves->n : 0;
    search->follow = calloc((slots + (size_t)1) * search->chunk, sizeof *search->follow);
    search->all = calloc(search->chunk, sizeof *search->all);
    if (!search->follow || !search->all) return pf_nomem();
    for (unsigned slot = 0; slot <= slots; slot++) {
        uint64_t *set = &search->follow[slot * (size_t)search->chunk];
        const uint64_t *follows = moves ? &moves->follows[slot * (size_t)pf_cover_words(slots)] : NULL;
        for (uint32_t k = 0; k < units; k++)
            if (!moves || pf_cover_has(follows, positions->slot[search->position.at[k]])) pf_cover_put(set, k);
        for (size_t i = 0; i < search->chunk; i++) search->all[i] |= set[i];
    }
    return PF_OK;
}

/* ---- histories ---- */

/* All histories that the words can form. *all: they do not list too much. */
static pf_err form_all(history_search *search, bool *all) {
    uint32_t start;
    *all = false;
    PF_TRY(number_of(search, search->scorer->cls->start(search->scorer), &start));
    PF_TRY(form(search, start, start, search->positions->length));
    for (size_t which = 0; which < search->formed.n; which++) {
        PF_TRY(step_from(search, search->formed.at[which]));
        if (search->listings->listed.n + search->listings->tail.n > MOST_LISTED) return PF_OK;
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
    PF_TRY(pfi_listings_add_row(listings));
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
    return pfi_listings_add_row(search->listings);
}

/* Counts the histories of each place: where those of the next one begin. */
static void count_places(const history_search *search, size_t *end) {
    const uint32_t histories = (uint32_t)search->listings->histories.n;
    const unsigned length = search->positions->length;
    memcpy(end, search->ending, (length + (size_t)1) * sizeof *end);
    for (uint32_t number = 0; search->said && number < histories; number++) {
        const uint32_t class = search->said->of_history.at[number];
        if (class != PFI_SILENT) end[length + (size_t)1 + class]++;
    }
}

/* Writes a history where the cursors stand of the positions where it is formed, and that of its class. */
static void write_places(const history_search *search, uint32_t number, size_t *cursor, uint32_t *history) {
    const uint64_t *ends_at = &search->ends_at.at[number * (size_t)search->position_chunk];
    const unsigned length = search->positions->length, chunk = search->position_chunk;
    const uint32_t class = search->said ? search->said->of_history.at[number] : PFI_SILENT;
    for (unsigned at = pf_cover_next(ends_at, chunk, 0); at <= length; at = pf_cover_next(ends_at, chunk, at + 1))
        history[cursor[at]++] = number;
    if (class != PFI_SILENT) history[cursor[length + (size_t)1 + class]++] = number;
}

static pf_err list_sets(history_search *search) {
    const uint32_t histories = (uint32_t)search->listings->histories.n;
    const size_t places = search->positions->length + (size_t)1 + (search->said ? search->said->classes : 0);
    placed_histories placed = {calloc(places + 2, sizeof *placed.first),
                               malloc((search->formed.n + histories) * sizeof *placed.history)};
    pf_statetab sets;
    pf_statetab_init(&sets, 0);
    pf_err err = placed.first && placed.history ? PF_OK : pf_nomem();
    if (!err) err = PF_ROOM(&search->listings->row, places);
    if (!err) err = PF_ROOM(&search->listings->sources, places + 1);
    if (!err) count_places(search, placed.first + 2);
    for (size_t place = 1; !err && place < places; place++) placed.first[place + 1] += placed.first[place];
    for (uint32_t number = 0; !err && number < histories; number++) write_places(search, number, placed.first + 1, placed.history);
    if (!err) err = give_rows(search, &sets, &placed, places);
    free(placed.first);
    free(placed.history);
    pf_statetab_free(&sets);
    return err;
}

/* ---- all of it ---- */

static pf_err find_heads(history_search *search) {
    const pf_label_set *labels = &search->rows->model[0].labels;
    const pf_scorer_class *cls = search->scorer->cls;
    pf_label_heads heads;
    if (cls->heads) PF_TRY(cls->heads(search->scorer, labels, &heads));
    return pfi_heads_init(search->listings, labels->n, cls->heads ? &heads : NULL);
}

/* Room for what most captions have. */
static pf_err expect_histories(history_search *search) {
    pfi_listings *listings = search->listings;
    const size_t units = search->position.n < MOST_EXPECTED ? search->position.n : MOST_EXPECTED;
    const size_t histories = HISTORIES_OF_UNIT * units;
    PF_TRY(pf_statetab_expect(&listings->numbers, histories));
    PF_TRY(pf_statetab_expect(&search->tails, TAILS_OF_UNIT * units));
    PF_TRY(PF_ROOM(&listings->histories, histories));
    PF_TRY(PF_ROOM(&search->full, histories));
    PF_TRY(PF_ROOM(&search->lists, histories * search->chunk));
    PF_TRY(PF_ROOM(&search->open, histories * search->chunk));
    PF_TRY(PF_ROOM(&search->ends_at, histories * search->position_chunk));
    PF_TRY(PF_ROOM(&search->formed, FORMED_OF_UNIT * units));
    PF_TRY(PF_ROOM(&search->taken_first, TAILS_OF_UNIT * units));
    PF_TRY(PF_ROOM(&search->taken, 2 * TAILS_OF_UNIT * units));
    PF_TRY(PF_ROOM(&listings->listed, LISTED_OF_UNIT * units));
    PF_TRY(PF_ROOM(&listings->said, LISTED_OF_UNIT * units));
    PF_TRY(PF_ROOM(&listings->tails, TAILS_OF_UNIT * units));
    PF_TRY(PF_ROOM(&listings->tail, LISTED_OF_UNIT * units));
    return PF_ROOM(&listings->said_tail, LISTED_OF_UNIT * units);
}

static pf_err make_room(history_search *search) {
    const unsigned columns = search->rows->model[0].labels.n;
    search->chunk = pf_cover_words((unsigned)search->position.n);
    search->position_chunk = pf_cover_words(search->positions->length + 1);
    PF_TRY(pf_known_words_init(&search->asked, columns));
    PF_TRY(expect_histories(search));
    search->units = malloc(search->chunk * sizeof *search->units);
    search->ending = calloc(search->positions->length + (size_t)1, sizeof *search->ending);
    search->tail_cost = malloc((columns + (size_t)1) * sizeof *search->tail_cost);
    search->tail_to = malloc((columns + (size_t)1) * sizeof *search->tail_to);
    return search->units && search->ending && search->tail_cost && search->tail_to ? PF_OK : pf_nomem();
}

static pf_err make(history_search *search, bool *all) {
    pfi_listings *listings = search->listings;
    PF_TRY(find_heads(search));
    PF_TRY(list_units(search));
    PF_TRY(make_room(search));
    PF_TRY(list_follow(search));
    PF_TRY(form_all(search, all));
    if (!*all) return PF_OK;
    PF_TRY(list_sets(search));
    return pfi_listings_ready(listings, false);
}

static void free_search(history_search *search) {
    pf_statetab_free(&search->tails);
    PF_VEC_FREE(&search->formed);
    PF_VEC_FREE(&search->unit_first);
    PF_VEC_FREE(&search->column);
    PF_VEC_FREE(&search->position);
    PF_VEC_FREE(&search->lists);
    PF_VEC_FREE(&search->open);
    PF_VEC_FREE(&search->full);
    PF_VEC_FREE(&search->taken);
    PF_VEC_FREE(&search->taken_first);
    PF_VEC_FREE(&search->ends_at);
    pf_known_words_free(&search->asked);
    free(search->tail_cost);
    free(search->tail_to);
    free(search->units);
    free(search->ending);
    free(search->follow);
    free(search->all);
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
    pf_statetab_init(&search.tails, sizeof(uint64_t));
    pf_err err = make(&search, &all);
    free_search(&search);
    if (!err && all) *out = listings;
    else pfi_listings_free(listings);
    return err;
}

void pfi_listings_free(pfi_listings *listings) {
    if (!listings) return;
    pf_statetab_free(&listings->numbers);
    PF_VEC_FREE(&listings->histories);
    free(listings->heads.first);
    free(listings->heads.of);
    free(listings->stands);
    free(listings->column);
    PF_VEC_FREE(&listings->listed);
    PF_VEC_FREE(&listings->tails);
    PF_VEC_FREE(&listings->tail);
    PF_VEC_FREE(&listings->said);
    PF_VEC_FREE(&listings->said_tail);
    PF_VEC_FREE(&listings->row);
    PF_VEC_FREE(&listings->sources);
    PF_VEC_FREE(&listings->set);
    PF_VEC_FREE(&listings->back_off);
    PF_VEC_FREE(&listings->wholes);
    PF_VEC_FREE(&listings->common);
    PF_VEC_FREE(&listings->shorter);
    PF_VEC_FREE(&listings->led);
    PF_VEC_FREE(&listings->lead);
    free(listings->value);
    free(listings->paid);
    free(listings->whole);
    free(listings->is_common);
    free(listings);
}

uint32_t pfi_listings_histories(const pfi_listings *listings) { return (uint32_t)listings->histories.n; }

uint32_t pfi_listings_history(const pfi_listings *listings, pf_state state) {
    return pf_statetab_find_word(&listings->numbers, 0, state);
}

/* What is said of the columns of a listed head. */
static void expand(const pfi_listings *listings, size_t listed, pf_known_words *out) {
    const pfi_tails tails = listings->tails.at[listings->listed.at[listed].tails];
    const pfi_heads *heads = &listings->heads;
    const double cost = listings->said.at[listed];
    size_t tail = tails.first;
    for (uint32_t column = heads->first[tails.head]; column < heads->first[tails.head + 1]; column++, tail++) {
        out->which[out->n] = listings->column[column];
        out->cost[out->n] = cost + listings->said_tail.at[tail];
        out->to[out->n++] = listings->histories.at[listings->tail.at[tail].to].state;
    }
}

bool pfi_listings_known(const pfi_listings *listings, pf_state state, pf_known_words *out) {
    const uint32_t number = pfi_listings_history(listings, state);
    if (number == PFI_NO_HISTORY || !listings->histories.at[number].asked) return false;
    const pfi_listing *history = &listings->histories.at[number];
    assert(listings->said.n == listings->listed.n && listings->said_tail.n == listings->tail.n);
    out->n = 0;
    for (size_t i = history->first; i < history->first + history->heads; i++) expand(listings, i, out);
    out->lower = listings->histories.at[history->lower].state;
    out->back = history->said_back;
    return true;
}

bool pfi_listings_step(const pfi_listings *listings, pf_state state, uint32_t label, double *cost, pf_state *to) {
    const uint32_t number = pfi_listings_history(listings, state), column = listings->stands[label];
    double back;
    if (number == PFI_NO_HISTORY || !listings->histories.at[number].asked) return false;
    const pfi_listed_head *listed = find_below(listings, number, listings->heads.of[column], &back);
    const pfi_tail *tail = pfi_tail_of(listings, &listings->tails.at[listed->tails], column);
    *cost = back + (listings->said.at[listed - listings->listed.at] + listings->said_tail.at[tail - listings->tail.at]);
    *to = listings->histories.at[tail->to].state;
    return true;
}

const uint32_t *pfi_listings_stands(const pfi_listings *listings) { return listings->stands; }

uint32_t pfi_listings_rows(const pfi_listings *listings) { return (uint32_t)listings->sources.n - 1; }

const uint32_t *pfi_listings_row(const pfi_listings *listings) { return listings->row.at; }
