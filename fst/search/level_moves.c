/* The next level from a table of moves, where completions bound the rest of a path: each hypothesis is extended by its own moves.
 *
 * First the totals of all extensions of a hypothesis are found in one loop without a branch that could not be foretold; those
 * within the limit stay. Where completions know units, models are asked only for those of which the bound does not say that they
 * are beyond the limit. Each of these looks for its state and history among the hypotheses of the next level, by a hash: the
 * cheapest stands for all. Where there is a beam, what cannot be kept does not become a hypothesis: as soon as the level has as
 * many as the beam keeps, the worst of the best is known.
 *
 * Time: some 20 instructions for each move of a hypothesis, or 10 for each unit that follows, and 60 for each one that stays. */
#include "search/followers.h"
#include "search/levels_impl.h"

#include "base/contract.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { NARROW = 16 }; /* a beam */

/* An alternative of a slot. */
typedef struct {
    double own; /* what it costs by itself; 0 where moves cost something */
    uint32_t column;
    pf_label in, out;
} level_word;

/* An extension within the limit: over a move, by a word. */
typedef struct {
    double total, cost;
    float weight; /* of its arc */
    uint32_t word;
    pf_state state;
    uint32_t history, unit; /* as those of a hypothesis */
} reached_hypothesis;

/* One that the beam cannot keep. */
typedef struct {
    reached_hypothesis reached;
    const pfi_hypothesis *from;
    size_t dropped; /* the place of its total, where it is the first one to its hypothesis */
} late_extension;

/* What is known of a sentence and its space. */
typedef struct {
    bool several;    /* slots have several alternatives, or none */
    bool costs;      /* moves cost something */
    bool potentials; /* histories have them */
} reach_case;

typedef struct {
    PF_VEC(level_word) words; /* of the slots' alternatives */
    uint32_t widest;          /* how many of them a slot has at most */
    pfi_followers followers;  /* of one hypothesis, where completions know units */
    PF_VEC(reached_hypothesis) reached; /* of one hypothesis */
    reach_case in;
    pf_err (*reach)(pfi_level_search *search, const pfi_hypothesis *from); /* finds them */
    uint32_t *place;     /* a hash by state and history: 1 + the number of a hypothesis in `next`, or after these of a late one;
                            0: none */
    size_t places;       /* a power of two, twice as many as hypotheses or more */
    size_t beam;         /* 0: whatever is within the limit may be kept */
    PF_VEC(double) best; /* totals of `next`: the best ones, as many as the beam, and some more if it is not narrow */
    PF_VEC(late_extension) late; /* of the level */
    double limit;        /* of totals: so that no edge is infinite, too */
    double largest;      /* of what words cost by themselves, by size; INFINITY is left out */
    double most;         /* as many hypotheses of `next` as the beam keeps have at most this total */
} move_tables;

static move_tables *tables_of(const pfi_level_search *search) { return search->tables; }

/* ---- words ---- */

/* What a move that costs something itself and an alternative cost together, whose arc has a float. */
static double own_cost(const pfi_level_search *search, double cost, uint32_t word) {
    const float weight = (float)(cost + (double)search->all->slots.arc[word].w);
    return pf_scaled(search->rows->parts.own, (double)weight);
}

static pf_err list_words(const pfi_level_search *search) {
    move_tables *tables = tables_of(search);
    const pf_slots_view *slots = &search->all->slots;
    PF_TRY(PF_ROOM(&tables->words, slots->first[slots->n]));
    for (uint32_t position = 0; position < slots->n; position++) {
        const uint32_t first = slots->first[position], end = slots->first[position + 1];
        if (end - first > tables->widest) tables->widest = end - first;
        if (first != position || end != position + 1) tables->in.several = true;
        for (uint32_t word = first; word < end; word++) {
            const pf_arc *arc = &slots->arc[word];
            const uint32_t column = pfi_rows_column(search->rows, arc->out);
            const double own = search->completion->moves->cost ? 0 : own_cost(search, 0, word);
            if (own < (double)INFINITY && fabs(own) > fabs(tables->largest)) tables->largest = own;
            tables->words.at[tables->words.n++] =
                (level_word){own, column, slots->positions ? (pf_label)(position + 1) : arc->in, arc->out};
        }
    }
    return PF_OK;
}

/* ---- what a hypothesis reaches ---- */

/* The total of a path that costs so much and leads to a history. */
static inline double total_of(double cost, const double *potential, uint32_t history, double rest) {
    return (potential ? cost + potential[history] : cost) + rest;
}

/* An extension of a path that costs `before`, by a word whose own cost and the move's is `own`. */
static inline __attribute__((always_inline)) reached_hypothesis extended(double before, double own, const pfi_cell *cell,
    const double *potential, double rest, uint32_t word, pf_state state) {
    const float weight = (float)(own + cell->cost);
    const double cost = before + (double)weight;
    return (reached_hypothesis){total_of(cost, potential, cell->to, rest), cost, weight, word, state, cell->to, 0};
}

/* Fills `reached`. There is room. The case is constant where it is inlined. PF_ELIMIT. */
static inline __attribute__((always_inline)) pf_err reach(pfi_level_search *search, const pfi_hypothesis *from, reach_case in) {
    move_tables *tables = tables_of(search);
    const pfi_completion *completion = search->completion;
    const pf_moves *moves = completion->moves;
    const uint16_t *position_of = moves->position;
    const uint32_t *state_of = moves->to, *arrival_of = moves->arrivals.of, *word_of = search->all->slots.first;
    const float *after = completion->cost;
    const pfi_twins *twins = search->all->twins.left ? &search->all->twins : NULL;
    const level_word *words = tables->words.at;
    const double *potential = in.potentials ? search->bound->potential.at : NULL, before = from->cost;
    const pfi_cell *cells = pfi_rows_cells(search->rows, from->history);
    const double limit = tables->limit;
    const uint32_t first = moves->first[from->state], end = moves->first[from->state + 1];
    reached_hypothesis *reached = tables->reached.at;
    size_t looked_at = 0, n = 0;
    for (uint32_t move = first; move < end; move++) {
        const unsigned position = position_of[move];
        const uint32_t begin = in.several ? word_of[position] : position;
        const uint32_t last = in.several ? word_of[position + 1] : position + 1;
        if (twins && pfi_twins_delay(twins, moves, first, move)) continue;
        for (uint32_t word = begin; word < last; word++) {
            const level_word *next = &words[word];
            const double own = in.costs ? own_cost(search, moves->cost[move], word) : next->own;
            if (in.costs && !pfi_rows_fit(search->rows, own)) return pf_cost_too_large(own);
            const double rest = (double)after[arrival_of[move]];
            reached[n] = extended(before, own, &cells[next->column], potential, rest, word, state_of[move]);
            n += reached[n].total <= limit;
            looked_at++;
        }
    }
    tables->reached.n = n;
    search->arcs += looked_at;
    return PF_OK;
}

static pf_err reach_by_words(pfi_level_search *search, const pfi_hypothesis *from) {
    return reach(search, from, (reach_case){0});
}

static pf_err reach_by_potentials(pfi_level_search *search, const pfi_hypothesis *from) {
    return reach(search, from, (reach_case){.potentials = true});
}

static pf_err reach_by_any(pfi_level_search *search, const pfi_hypothesis *from) {
    return reach(search, from, tables_of(search)->in);
}

/* Those by which a path may go on within the limit, as far as is known without the models. */
static pf_err find_followers(pfi_level_search *search, const pfi_hypothesis *from) {
    move_tables *tables = tables_of(search);
    const pfi_bound *bound = search->bound;
    const double before = tables->in.potentials ? from->cost + bound->potential.at[from->history] : from->cost;
    const pfi_path_end end = {from->state, from->unit, bound->said.classes ? bound->said_in.at[from->history] : 0};
    assert(!isnan(before) && end.class != PFI_SILENT); /* its words may follow one another */
    const double most = fmin(tables->limit - before, DBL_MAX);
    PF_TRY(pfi_followers_find(search->completion, bound, search->rows->parts.own, &end, most, &tables->followers));
    search->arcs += tables->followers.n;
    return PF_OK;
}

/* The models say what a follower costs. *reached: all but its total. */
static pf_err step_to(pfi_level_search *search, const pfi_hypothesis *from, const pfi_follower *to, reached_hypothesis *reached) {
    const move_tables *tables = tables_of(search);
    const pf_moves *moves = search->completion->moves;
    const uint32_t word = search->bound->said.unit[to->unit];
    const double own = moves->cost ? own_cost(search, moves->cost[to->move], word) : tables->words.at[word].own;
    pfi_cell cell;
    PF_TRY(pfi_rows_cell(search->rows, from->history, tables->words.at[word].column, &cell));
    if (!pfi_rows_fit(search->rows, own)) return pf_cost_too_large(own);
    *reached = extended(from->cost, own, &cell, NULL, 0, word, moves->to[to->move]);
    reached->unit = to->unit;
    return PF_OK;
}

/* Fills `reached`, where completions know units. */
static pf_err reach_by_units(pfi_level_search *search, const pfi_hypothesis *from) {
    move_tables *tables = tables_of(search);
    const pfi_followers *followers = &tables->followers;
    size_t n = 0;
    PF_TRY(find_followers(search, from));
    for (size_t i = 0; i < followers->n; i++) PF_TRY(step_to(search, from, &followers->at[i], &tables->reached.at[i]));
    PF_TRY(pfi_bound_know(search->bound, search->rows)); /* histories that were not there before */
    const double *potential = tables->in.potentials ? search->bound->potential.at : NULL;
    for (size_t i = 0; i < followers->n; i++) {
        reached_hypothesis reached = tables->reached.at[i];
        reached.total = total_of(reached.cost, potential, reached.history, followers->at[i].rest);
        tables->reached.at[n] = reached;
        n += reached.total <= tables->limit;
    }
    tables->reached.n = n;
    return PF_OK;
}

/* ---- hypotheses of the next level ---- */

/* Is a place that of a hypothesis, or of a late one? */
static inline bool is_of(const pfi_level_search *search, uint32_t place, pf_state state, uint32_t history) {
    const size_t made = search->next->hypotheses.n;
    if (place <= made) {
        const pfi_hypothesis *there = &search->next->hypotheses.at[place - 1];
        return there->state == state && there->history == history;
    }
    const reached_hypothesis *late = &tables_of(search)->late.at[place - 1 - made].reached;
    return late->state == state && late->history == history;
}

/* Where a hypothesis is written, or would be. */
static uint32_t *place_of(const pfi_level_search *search, pf_state state, uint32_t history) {
    const move_tables *tables = tables_of(search);
    const size_t mask = tables->places - 1;
    size_t at = (size_t)(((uint64_t)state << 32 | history) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    while (tables->place[at] && !is_of(search, tables->place[at], state, history)) at = (at + 1) & mask;
    return &tables->place[at];
}

/* Places for so many hypotheses. */
static pf_err make_places(const pfi_level_search *search, size_t hypotheses) {
    move_tables *tables = tables_of(search);
    size_t places = tables->places;
    if (2 * hypotheses <= places) return PF_OK;
    while (places < 2 * hypotheses) places *= 2;
    uint32_t *place = calloc(places, sizeof *place);
    if (!place) return pf_nomem();
    free(tables->place);
    tables->place = place;
    tables->places = places;
    for (size_t i = 0; i < search->next->hypotheses.n; i++) {
        const pfi_hypothesis *there = &search->next->hypotheses.at[i];
        *place_of(search, there->state, there->history) = (uint32_t)i + 1;
    }
    return PF_OK;
}

/* What a narrow beam keeps stands in order, and each total is put into its place. */
static bool is_narrow(const move_tables *tables) { return tables->beam <= NARROW; }

/* Without a branch: which places move on could not be foretold. */
static void insert_total(move_tables *tables, double total) {
    double *best = tables->best.at;
    for (size_t i = tables->beam - 1; i; i--) {
        const double after = best[i - 1] > total ? best[i - 1] : total;
        best[i] = after < best[i] ? after : best[i];
    }
    best[0] = total < best[0] ? total : best[0];
    tables->most = best[tables->beam - 1];
}

/* Some more than the beam keeps are gathered before the best are looked for: so that takes O(1) for each. There is room. */
static void gather_total(move_tables *tables, double total) {
    tables->best.at[tables->best.n++] = total;
    if (tables->best.n < tables->beam + tables->beam / 2) return;
    tables->most = pfi_select_total(tables->best.at, tables->best.n, tables->beam);
    tables->best.n = tables->beam;
}

/* No total of the next level is known. */
static void begin_totals(move_tables *tables) {
    tables->most = (double)INFINITY;
    tables->best.n = 0;
    for (size_t i = 0; is_narrow(tables) && i < tables->beam; i++) tables->best.at[i] = (double)INFINITY;
}

/* One more total of the next level. */
static void note_total(move_tables *tables, double total) { (is_narrow(tables) ? insert_total : gather_total)(tables, total); }

/* There is room. */
static pf_err take(pfi_level_search *search, const pfi_hypothesis *from, const reached_hypothesis *reached) {
    move_tables *tables = tables_of(search);
    const level_word *word = &tables->words.at[reached->word];
    const pfi_edge edge = {from->node, word->in, word->out, reached->weight};
    uint32_t *place = place_of(search, reached->state, reached->history);
    if (*place) {
        pfi_hypothesis *there = &search->next->hypotheses.at[*place - 1];
        if (reached->total < there->total) there->total = reached->total;
        if (reached->cost > there->cost && !search->graph.keep_all) return PF_OK;
        return pfi_search_improve(search, &there->cost, there->node, &(pfi_extension){reached->cost, edge});
    }
    const uint32_t node = pfi_graph_take(&search->graph, edge, reached->cost);
    search->next->hypotheses.at[search->next->hypotheses.n++] =
        (pfi_hypothesis){reached->cost, reached->total, node, reached->history, reached->state, reached->unit};
    *place = (uint32_t)search->next->hypotheses.n;
    if (tables->beam) note_total(tables, reached->total);
    return PF_OK;
}

/* Room for all that a hypothesis may reach. */
static pf_err make_room(pfi_level_search *search, const pfi_hypothesis *from) {
    move_tables *tables = tables_of(search);
    const uint32_t *first = &search->completion->moves->first[from->state];
    const size_t all = (first[1] - first[0]) * (size_t)tables->widest, most = all < tables->words.n ? all : tables->words.n;
    tables->reached.n = 0;
    PF_TRY(PF_ROOM(&tables->reached, most));
    PF_TRY(PF_ROOM(&search->next->hypotheses, most));
    if (tables->beam) PF_TRY(PF_ROOM(&tables->best, most));
    if (tables->beam) PF_TRY(PF_ROOM(&tables->late, most));
    PF_TRY(pfi_graph_room(&search->graph, most));
    return make_places(search, search->next->hypotheses.n + most);
}

static pf_err extend(pfi_level_search *search, const pfi_hypothesis *from) {
    move_tables *tables = tables_of(search);
    PF_TRY(make_room(search, from));
    pfi_completion_know(search->completion, from->state);
    PF_TRY(tables->reach(search, from));
    for (size_t i = 0; i < tables->reached.n; i++) {
        const reached_hypothesis *reached = &tables->reached.at[i];
        if (reached->total > tables->most) tables->late.at[tables->late.n++] = (late_extension){*reached, from, 0};
        else PF_TRY(take(search, from, reached));
    }
    return PF_OK;
}

/* A late extension leads to a hypothesis that is dropped, by another way than late number `first`. */
static void drop_again(const pfi_level_search *search, size_t first, double total) {
    double *dropped = &search->all->dropped.at[tables_of(search)->late.at[first].dropped];
    if (total < *dropped) *dropped = total;
}

/* Those that came late are dropped, but for other ways to a hypothesis that is there. */
static pf_err drop_late(pfi_level_search *search) {
    const move_tables *tables = tables_of(search);
    const size_t made = search->next->hypotheses.n;
    pfi_totals *dropped = &search->all->dropped;
    PF_TRY(PF_ROOM(dropped, tables->late.n));
    PF_TRY(make_places(search, made + tables->late.n));
    for (size_t i = 0; i < tables->late.n; i++) {
        late_extension *late = &tables->late.at[i];
        uint32_t *place = place_of(search, late->reached.state, late->reached.history);
        if (*place > made) drop_again(search, *place - 1 - made, late->reached.total);
        else if (*place) PF_TRY(take(search, late->from, &late->reached));
        else {
            *place = (uint32_t)(made + i + 1);
            late->dropped = dropped->n;
            dropped->at[dropped->n++] = late->reached.total;
        }
    }
    assert(search->next->hypotheses.n == made);
    return PF_OK;
}

/* ---- the way ---- */

/* When the words are listed. */
static void choose_reach(const pfi_level_search *search) {
    move_tables *tables = tables_of(search);
    tables->in.costs = search->completion->moves->cost != NULL;
    tables->in.potentials = search->bound->potential.n > 0;
    if (search->completion->units) tables->reach = reach_by_units;
    else if (tables->in.several || tables->in.costs) tables->reach = reach_by_any;
    else tables->reach = tables->in.potentials ? reach_by_potentials : reach_by_words;
}

static pf_err start(pfi_level_search *search, double *total) {
    enum { PLACES = 128 };
    move_tables *tables = search->tables = calloc(1, sizeof *tables);
    if (!tables) return pf_nomem();
    tables->places = PLACES;
    tables->place = calloc(PLACES, sizeof *tables->place);
    tables->beam = search->pass->beam;
    tables->limit = fmin(search->pass->limit, DBL_MAX);
    *total = search->completion->start;
    if (!tables->place) return pf_nomem();
    PF_TRY(PF_ROOM(&tables->best, NARROW));
    PF_TRY(list_words(search));
    PF_TRY(pfi_bound_know(search->bound, search->rows));
    choose_reach(search);
    return PF_OK;
}

static pf_err extend_level(pfi_level_search *search) {
    move_tables *tables = tables_of(search);
    search->next->hypotheses.n = tables->late.n = 0;
    begin_totals(tables);
    memset(tables->place, 0, tables->places * sizeof *tables->place);
    PF_TRY(pfi_bound_know(search->bound, search->rows));
    assert(!search->bound->potential.n || search->bound->potential.n >= search->rows->final.n);
    if (!pfi_rows_fit(search->rows, tables->largest)) return pf_cost_too_large(tables->largest);
    for (size_t i = 0; i < search->now->hypotheses.n; i++) {
        PF_TRY(pfi_search_step(search));
        PF_TRY(extend(search, &search->now->hypotheses.at[i]));
    }
    return drop_late(search);
}

static uint64_t bytes(const pfi_level_search *search) {
    const move_tables *tables = tables_of(search);
    return tables->places * sizeof *tables->place + tables->best.n * sizeof *tables->best.at +
           tables->late.n * sizeof *tables->late.at + tables->words.n * sizeof *tables->words.at +
           tables->followers.cap * sizeof *tables->followers.at + tables->reached.n * sizeof *tables->reached.at;
}

static void free_tables(pfi_level_search *search) {
    move_tables *tables = tables_of(search);
    if (!tables) return;
    PF_VEC_FREE(&tables->words);
    PF_VEC_FREE(&tables->followers);
    PF_VEC_FREE(&tables->reached);
    PF_VEC_FREE(&tables->best);
    PF_VEC_FREE(&tables->late);
    free(tables->place);
    free(tables);
}

const pfi_level_way pfi_by_moves = {start, extend_level, bytes, free_tables};
