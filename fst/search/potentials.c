/* Potentials of histories, found on tables of floats: what is exact is made of them afterwards (placed.c). */
#include "search/potentials.h"

#include "base/contract.h"
#include "search/bound.h"
#include "search/least_sums.h"

#include <permfst/machine/space.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 512, MOST_COSTS = 1 << 22, MOST_ROUNDS = 36, PATIENCE = 4 };

/* Rounds for each position. Past directions count by half. A gap of so large a part of the best bound is expected. Potentials
 * change less than prices: there are more of them. */
static const float ROUNDS_OF_A_POSITION = 0.75F, SMOOTHING = 0.5F, GAP = 0.14F, SCALE = 0.15F;

/* Larger potentials are cut off, so that rounding of sums of doubles stays far below what searches allow for it
 * (pfi_levels_slack). */
static const float LARGEST = 1e6F;

typedef struct {
    unsigned first, last;
} position_range;

/* A history is a kind of rows, after a position. Rows that one word leads to after one position are of one kind, and have one
 * potential: so it is known what the word pays, whatever came before. In a trigram model each row is a kind. */
typedef struct {
    const pfi_placed_model *model;
    const pf_slots_view *slots;
    unsigned length;       /* positions */
    uint32_t words;        /* alternatives of all positions */
    size_t stride;         /* the words, made a multiple of PFI_CHUNK */
    size_t across;         /* the positions, made a multiple of PFI_CHUNK */
    uint16_t *position;    /* of each word */
    position_range *range; /* of each number of visits, from 0: where the next one may go */
    uint32_t rows, kinds;
    uint32_t *kind;        /* of each row. Kind 0 is that of row 0, and of rows that are not placed: it has no potential */
    uint32_t *leads;       /* of each next word of the model: the kind that it leads to */
    uint32_t *first;       /* of each position, and of the start: its first history; and the end */
    uint32_t *kind_of;     /* of each history */
    float *cost;           /* of each history a row of `stride`: the least cost of each word; INFINITY where it cannot come next */
    float *end;            /* of each history: of the end */
    float *potential;      /* of each kind */
    float *unpaid;         /* of each history, what the next word need not pay: below 0 */
    float *least;          /* scratch, `stride`: of each word after a position, but for what it pays */
    float *turned;         /* of each word a row of `across`: its least cost after each position */
    float *begin;          /* of each word: at the start */
    float *end_after;      /* the least cost of the end after each position, and at the start */
    float *price;          /* of each position */
    float *less;           /* of each word: what it costs by itself, less the price of its position */
    float *then;           /* a row of `across`: of a route's rest after each position, for one number of visits */
    float *rest;           /* of each number of visits a row of `stride`: of each word visited next, what it and the rest of the
                              route cost by themselves, less prices */
    float *change;         /* of each kind: by the best route */
    float *direction;      /* of each kind: where its potential is going */
    float *price_change, *price_direction; /* the same of each position */
    float *best;           /* potentials */
} potentials_maker;

/* As fminf, which is a call, for what is not NAN. */
static inline float smaller(float one, float other) { return one < other ? one : other; }

/* ---- kinds ---- */

/* A row that stands for all of its kind. */
static uint32_t find_leader(uint32_t *leader, uint32_t row) {
    while (leader[row] != row) row = leader[row] = leader[leader[row]];
    return row;
}

/* The rows that a word leads to from those placed after a position become one kind. */
static void join_kinds(const potentials_maker *maker, const pfi_placed_row *from, uint32_t *leader) {
    const pfi_placed_model *model = maker->model;
    const pfi_cell *cells = pfi_rows_cells(model->rows, from->row);
    for (uint32_t i = model->first[from->last]; i < model->first[from->last + 1]; i++) {
        const pfi_cell *cell = &cells[model->next[i].column];
        if (model->leads[i] == cell->to || cell->cost == (double)INFINITY) continue;
        const uint32_t one = find_leader(leader, model->leads[i]), other = find_leader(leader, cell->to);
        leader[one > other ? one : other] = one > other ? other : one;
    }
}

static void number_kinds(potentials_maker *maker, uint32_t *leader) {
    maker->kinds = 1;
    for (size_t i = 1; i < maker->model->count; i++) {
        const uint32_t row = maker->model->placed[i].row, first = find_leader(leader, row);
        if (first && !maker->kind[first]) maker->kind[first] = maker->kinds++;
        maker->kind[row] = maker->kind[first];
    }
}

static pf_err find_kinds(potentials_maker *maker) {
    const pfi_placed_model *model = maker->model;
    uint32_t *leader = malloc(maker->rows * sizeof *leader);
    if (!leader) return pf_nomem();
    for (uint32_t row = 0; row < maker->rows; row++) leader[row] = row;
    for (size_t i = 0; model->mixed && i < model->count; i++) join_kinds(maker, &model->placed[i], leader);
    number_kinds(maker, leader);
    for (uint32_t i = 0; i < model->first[maker->length + 1]; i++)
        maker->leads[i] = model->leads[i] == PFI_NO_ROW ? 0 : maker->kind[model->leads[i]];
    free(leader);
    return PF_OK;
}

/* ---- histories ---- */

/* The placed rows, by their positions. `cursor` has as many zeros as there are positions, and two more. */
static void sort_placed(const potentials_maker *maker, uint32_t *cursor, uint32_t *sorted) {
    const pfi_placed_model *model = maker->model;
    for (size_t i = 0; i < model->count; i++) cursor[model->placed[i].last + 1]++;
    for (unsigned last = 0; last <= maker->length; last++) cursor[last + 1] += cursor[last];
    for (size_t i = 0; i < model->count; i++) sorted[cursor[model->placed[i].last]++] = (uint32_t)i;
}

/* What a placed row says becomes known of a history. */
static void take_placed(const potentials_maker *maker, const pfi_placed_row *from, uint32_t history) {
    const pfi_placed_model *model = maker->model;
    const pfi_cell *cells = pfi_rows_cells(model->rows, from->row);
    const float end_cost = (float)model->rows->final.at[from->row];
    float *cost = &maker->cost[history * maker->stride];
    const pfi_next_word *next = &model->next[model->first[from->last]], *end = &model->next[model->first[from->last + 1]];
    for (; next < end; next++) {
        const float one = (float)cells[next->column].cost;
        if (one < cost[next->alternative] && pfi_can_come(next, from)) cost[next->alternative] = one;
    }
    maker->end[history] = smaller(maker->end[history], end_cost);
}

/* seen[kind]: 1 + the last history of it. */
static void take_all(const potentials_maker *maker, const uint32_t *sorted, uint32_t *seen) {
    const pfi_placed_model *model = maker->model;
    uint32_t histories = 0;
    unsigned last = 0;
    for (size_t i = 0; i < model->count; i++) {
        const pfi_placed_row *from = &model->placed[sorted[i]];
        const uint32_t kind = maker->kind[from->row];
        for (; last <= from->last; last++) maker->first[last] = histories;
        if (seen[kind] <= maker->first[from->last]) {
            maker->kind_of[histories++] = kind;
            seen[kind] = histories;
        }
        take_placed(maker, from, seen[kind] - 1);
    }
    for (; last <= maker->length + 1; last++) maker->first[last] = histories;
}

static pf_err find_histories(potentials_maker *maker) {
    const size_t count = maker->model->count, costs = count * maker->stride;
    uint32_t *cursor = calloc(maker->length + (size_t)2, sizeof *cursor);
    uint32_t *sorted = malloc(count * sizeof *sorted), *seen = calloc(maker->kinds, sizeof *seen);
    const bool room = cursor && sorted && seen;
    for (size_t i = 0; room && i < costs; i++) maker->cost[i] = INFINITY;
    for (size_t i = 0; room && i < count; i++) maker->end[i] = INFINITY;
    if (room) {
        sort_placed(maker, cursor, sorted);
        take_all(maker, sorted, seen);
    }
    free(cursor);
    free(sorted);
    free(seen);
    return room ? PF_OK : pf_nomem();
}

/* ---- the least costs ---- */

static uint32_t histories_of(const potentials_maker *maker) { return maker->first[maker->length + 1]; }

static void find_unpaid(const potentials_maker *maker) {
    for (uint32_t history = 0; history < histories_of(maker); history++)
        maker->unpaid[history] = -maker->potential[maker->kind_of[history]];
}

/* Fills `least`, and the end, after a position. Words that cannot come next are left out, but for those in chunks of others. */
static void find_least(const potentials_maker *maker, unsigned last) {
    const pfi_placed_model *model = maker->model;
    const uint32_t first = maker->first[last], end = maker->first[last + 1];
    float least = INFINITY;
    for (uint32_t history = first; history < end; history++)
        least = smaller(least, maker->end[history] + maker->unpaid[history]);
    maker->end_after[last] = least;
    if (model->first[last] == model->first[last + 1]) return;
    const size_t begin = model->next[model->first[last]].alternative / PFI_CHUNK * PFI_CHUNK;
    const size_t width = (model->next[model->first[last + 1] - 1].alternative / PFI_CHUNK + (size_t)1) * PFI_CHUNK - begin;
    const pfi_summands histories = {&maker->cost[first * maker->stride + begin], maker->stride, &maker->unpaid[first], end - first};
    pfi_least_sums(&histories, width, &maker->least[begin]);
}

/* The least costs with the potentials that there are, and what words pay. */
static void find_costs(const potentials_maker *maker) {
    const pfi_placed_model *model = maker->model;
    find_unpaid(maker);
    for (unsigned last = 0; last <= maker->length; last++) {
        float *to = last < maker->length ? &maker->turned[last] : maker->begin;
        const size_t between = last < maker->length ? maker->across : 1;
        find_least(maker, last);
        for (uint32_t i = model->first[last]; i < model->first[last + 1]; i++) {
            const uint32_t word = model->next[i].alternative;
            to[word * between] = maker->least[word] + maker->potential[maker->leads[i]];
        }
    }
}

/* ---- what histories cost more than the least ---- */

/* How much more does whatever comes next cost, at least? INFINITY: nothing can. */
static float surplus(const potentials_maker *maker, unsigned last, uint32_t history) {
    const pfi_placed_model *model = maker->model;
    const float *cost = &maker->cost[history * maker->stride], unpaid = maker->unpaid[history];
    float all = maker->end[history] < INFINITY ? maker->end[history] + unpaid - maker->end_after[last] : INFINITY;
    for (uint32_t i = model->first[last]; i < model->first[last + 1]; i++) {
        const uint32_t word = model->next[i].alternative;
        all = smaller(cost[word] + unpaid - maker->least[word], all); /* NAN, where both are infinite, is left out */
    }
    return all;
}

/* Each kind gets what the histories of it cost more than the least, at least. */
static void add_surplus(const potentials_maker *maker) {
    float *more = maker->change;
    for (uint32_t kind = 0; kind < maker->kinds; kind++) more[kind] = INFINITY;
    find_unpaid(maker);
    for (unsigned last = 0; last < maker->length; last++) {
        find_least(maker, last);
        for (uint32_t history = maker->first[last]; history < maker->first[last + 1]; history++) {
            const uint32_t kind = maker->kind_of[history];
            more[kind] = smaller(more[kind], surplus(maker, last, history));
        }
    }
    for (uint32_t kind = 1; kind < maker->kinds; kind++)
        if (more[kind] < INFINITY) maker->potential[kind] += more[kind];
}

/* ---- the best route ---- */

/* The words that may be visited after so many visits. */
static void words_at(const potentials_maker *maker, unsigned visits, uint32_t *first, uint32_t *end) {
    *first = maker->slots->first[maker->range[visits].first];
    *end = maker->slots->first[maker->range[visits].last + 1];
}

/* What comes after so many visits, when `then` is what comes after one more. */
static float *find_rest(const potentials_maker *maker, unsigned visits) {
    const float *less = maker->less, *then = maker->then;
    const uint16_t *position = maker->position;
    float *rest = &maker->rest[visits * maker->stride];
    uint32_t word, end;
    for (words_at(maker, visits, &word, &end); word < end; word++) rest[word] = less[word] + then[position[word]];
    return rest;
}

/* Replaces `then`, of one visit more, by that of so many visits. */
static void find_then(const potentials_maker *maker, unsigned visits) {
    const position_range range = maker->range[visits - 1];
    const size_t from = range.first / PFI_CHUNK * PFI_CHUNK, to = (range.last / PFI_CHUNK + 1) * (size_t)PFI_CHUNK;
    const float *rest = find_rest(maker, visits);
    uint32_t first, end;
    words_at(maker, visits, &first, &end);
    const pfi_summands words = {&maker->turned[first * maker->across + from], maker->across, &rest[first], end - first};
    pfi_least_sums(&words, to - from, &maker->then[from]);
}

/* The word that comes next in the best route; *cost: of it and all that comes after it, less prices. */
static uint32_t next_word(const potentials_maker *maker, unsigned visits, unsigned last, float *cost) {
    const float *rest = &maker->rest[visits * maker->stride];
    const float *after = last < maker->length ? &maker->turned[last] : maker->begin;
    const size_t between = last < maker->length ? maker->across : 1;
    uint32_t word, end;
    words_at(maker, visits, &word, &end);
    uint32_t best = end;
    float least = INFINITY;
    for (; word < end; word++) {
        const float sum = after[word * between] + rest[word];
        if (sum < least) best = word;
        least = smaller(sum, least);
    }
    *cost = least;
    return best;
}

/* The kind of the history after which one word, or the end, is cheapest: costs stand `between` places from one another. */
static uint32_t cheapest_kind(const potentials_maker *maker, unsigned last, const float *cost, size_t between) {
    uint32_t best = maker->first[last];
    float least = INFINITY;
    for (uint32_t history = best; history < maker->first[last + 1]; history++) {
        const float sum = cost[history * between] + maker->unpaid[history];
        if (sum < least) best = history;
        least = smaller(sum, least);
    }
    return maker->kind_of[best];
}

/* The kind that a word leads to after a position. */
static uint32_t kind_after(const potentials_maker *maker, unsigned last, uint32_t word) {
    const pfi_placed_model *model = maker->model;
    uint32_t i = model->first[last];
    while (model->next[i].alternative != word) i++;
    return maker->leads[i];
}

/* Follows the best route, and notes what it changes. Its cost, with all prices; INFINITY: there is none. */
static float follow_route(const potentials_maker *maker) {
    const unsigned n = maker->length;
    float start = INFINITY, cost;
    unsigned last = n;
    memset(maker->change, 0, maker->kinds * sizeof *maker->change);
    for (unsigned position = 0; position < n; position++) maker->price_change[position] = 1;
    for (unsigned visits = 0; visits < n; visits++) {
        const uint32_t word = next_word(maker, visits, last, &cost);
        if (cost == INFINITY) return cost;
        if (!visits) start = cost;
        maker->change[cheapest_kind(maker, last, &maker->cost[word], maker->stride)] -= 1;
        maker->change[kind_after(maker, last, word)] += 1;
        last = maker->position[word];
        maker->price_change[last] -= 1;
    }
    maker->change[cheapest_kind(maker, last, maker->end, 1)] -= 1;
    for (unsigned position = 0; position < n; position++) start += maker->price[position];
    return start;
}

static float best_route(const potentials_maker *maker) {
    find_costs(maker);
    for (uint32_t word = 0; word < maker->words; word++)
        maker->less[word] = (float)maker->model->own[word] - maker->price[maker->position[word]];
    memcpy(maker->then, maker->end_after, maker->length * sizeof *maker->then);
    for (unsigned visits = maker->length - 1; visits; visits--) find_then(maker, visits);
    find_rest(maker, 0);
    return follow_route(maker);
}

/* ---- steps ---- */

/* The first prices: the least that each position costs after any other one. */
static void begin_prices(const potentials_maker *maker) {
    find_costs(maker);
    for (unsigned position = 0; position < maker->length; position++) maker->price[position] = INFINITY;
    for (uint32_t word = 0; word < maker->words; word++) {
        const float *after = &maker->turned[word * maker->across], own = (float)maker->model->own[word];
        float *price = &maker->price[maker->position[word]], least = maker->begin[word];
        for (unsigned last = 0; last < maker->length; last++) least = smaller(after[last], least);
        *price = smaller(least + own, *price);
    }
    for (unsigned position = 0; position < maker->length; position++)
        if (maker->price[position] == INFINITY) maker->price[position] = 0;
}

/* Changes values along the direction in which they are going. */
static void go(float *value, const float *direction, size_t count, float step) {
    for (size_t i = 0; i < count; i++) value[i] += step * direction[i];
}

/* What a change makes of the direction; returns the sum of its squares. */
static float turn(float *direction, const float *change, size_t count) {
    float squares = 0;
    for (size_t i = 0; i < count; i++) {
        direction[i] = change[i] + SMOOTHING * direction[i];
        squares += direction[i] * direction[i];
    }
    return squares;
}

/* A step along the direction, as far as would close the gap to what is expected (Polyak 1969). False: there is nowhere to go. */
static bool make_step(const potentials_maker *maker, float missing) {
    maker->change[0] = 0;
    const float potentials = turn(maker->direction, maker->change, maker->kinds);
    const float prices = turn(maker->price_direction, maker->price_change, maker->length);
    const float squares = SCALE * potentials + prices;
    if (!(squares > 0)) return false;
    go(maker->potential, maker->direction, maker->kinds, SCALE * missing / squares);
    go(maker->price, maker->price_direction, maker->length, missing / squares);
    return true;
}

/* Steps get shorter when they have not helped for some rounds. */
static void climb(const potentials_maker *maker) {
    const float rounds = fminf(ROUNDS_OF_A_POSITION * (float)maker->length, MOST_ROUNDS);
    float dearest = -INFINITY, reach = 1;
    unsigned stalled = 0;
    begin_prices(maker);
    for (unsigned round = 0; (float)round < rounds; round++) {
        const float cost = best_route(maker);
        if (!(cost < INFINITY)) break;
        if (cost > dearest) {
            dearest = cost;
            memcpy(maker->best, maker->potential, maker->kinds * sizeof *maker->best);
            stalled = 0;
        } else if (++stalled == PATIENCE) {
            reach /= 2;
            stalled = 0;
        }
        if (!make_step(maker, reach * (dearest + GAP * fabsf(dearest) - cost))) break;
    }
    if (dearest > -INFINITY) memcpy(maker->potential, maker->best, maker->kinds * sizeof *maker->best);
}

/* ---- memory ---- */

static pf_err allocate(potentials_maker *maker) {
    const size_t n = maker->length, lasts = n + 1, histories = maker->model->count, rows = maker->rows;
    const size_t turned = maker->words * maker->across;
    maker->position = malloc(maker->words * sizeof *maker->position);
    maker->range = malloc(n * sizeof *maker->range);
    maker->kind = calloc(rows, sizeof *maker->kind);
    maker->leads = malloc((maker->model->first[lasts] + (size_t)1) * sizeof *maker->leads);
    maker->first = malloc((lasts + 1) * sizeof *maker->first);
    maker->kind_of = malloc(histories * sizeof *maker->kind_of);
    maker->cost = malloc(histories * maker->stride * sizeof *maker->cost);
    maker->end = malloc(histories * sizeof *maker->end);
    maker->potential = calloc(rows, sizeof *maker->potential);
    maker->unpaid = malloc(histories * sizeof *maker->unpaid);
    maker->least = malloc(maker->stride * sizeof *maker->least);
    maker->turned = malloc(turned * sizeof *maker->turned);
    maker->begin = malloc(maker->words * sizeof *maker->begin);
    maker->end_after = malloc(lasts * sizeof *maker->end_after);
    maker->price = malloc(n * sizeof *maker->price);
    maker->less = malloc(maker->words * sizeof *maker->less);
    maker->then = calloc(maker->across, sizeof *maker->then);
    maker->rest = malloc(n * maker->stride * sizeof *maker->rest);
    maker->change = malloc(rows * sizeof *maker->change);
    maker->direction = calloc(rows, sizeof *maker->direction);
    maker->price_change = malloc(n * sizeof *maker->price_change);
    maker->price_direction = calloc(n, sizeof *maker->price_direction);
    maker->best = malloc(rows * sizeof *maker->best);
    const bool room = maker->position && maker->range && maker->kind && maker->leads && maker->first && maker->kind_of &&
                      maker->cost && maker->end && maker->potential && maker->unpaid && maker->least && maker->turned &&
                      maker->begin && maker->end_after && maker->price && maker->less && maker->then && maker->rest &&
                      maker->change && maker->direction && maker->price_change && maker->price_direction && maker->best;
    for (size_t i = 0; room && i < turned; i++) maker->turned[i] = INFINITY; /* what cannot come next stays so */
    for (size_t i = 0; room && i < maker->words; i++) maker->begin[i] = INFINITY;
    return room ? PF_OK : pf_nomem();
}

static void maker_free(potentials_maker *maker) {
    free(maker->position);
    free(maker->range);
    free(maker->kind);
    free(maker->leads);
    free(maker->first);
    free(maker->kind_of);
    free(maker->cost);
    free(maker->end);
    free(maker->potential);
    free(maker->unpaid);
    free(maker->least);
    free(maker->turned);
    free(maker->begin);
    free(maker->end_after);
    free(maker->price);
    free(maker->less);
    free(maker->then);
    free(maker->rest);
    free(maker->change);
    free(maker->direction);
    free(maker->price_change);
    free(maker->price_direction);
    free(maker->best);
}

static void find_positions(const potentials_maker *maker) {
    for (unsigned position = 0; position < maker->length; position++)
        for (uint32_t word = maker->slots->first[position]; word < maker->slots->first[position + 1]; word++)
            maker->position[word] = (uint16_t)position;
    for (unsigned visits = 0; visits < maker->length; visits++)
        pf_space_range(maker->model->space, visits, &maker->range[visits].first, &maker->range[visits].last);
}

static double within_largest(float potential) {
    if (isnan(potential)) return 0; /* where costs are infinite as floats */
    return (double)fmaxf(-LARGEST, fminf(potential, LARGEST));
}

static pf_err make(potentials_maker *maker, double *potential) {
    PF_TRY(allocate(maker));
    find_positions(maker);
    PF_TRY(find_kinds(maker));
    PF_TRY(find_histories(maker));
    add_surplus(maker);
    climb(maker);
    for (uint32_t row = 1; row < maker->rows; row++) potential[row] = within_largest(maker->potential[maker->kind[row]]);
    return PF_OK;
}

pf_err pfi_potentials_find(const pfi_placed_model *model, double *potential) {
    const unsigned n = model->slots->n;
    const uint32_t words = model->slots->first[n];
    const uint32_t rows = (uint32_t)model->rows->final.n;
    potentials_maker maker = {.model = model, .slots = model->slots, .length = n, .words = words, .rows = rows};
    assert(n && model->count && model->placed[0].last == n && pf_space_length(model->space) == n);
    for (uint32_t row = 0; row < rows; row++) potential[row] = 0;
    maker.stride = (words + (size_t)PFI_CHUNK - 1) / PFI_CHUNK * PFI_CHUNK;
    if (words > MOST_WORDS || model->count > MOST_COSTS / maker.stride) return PF_OK;
    maker.across = (n + (size_t)PFI_CHUNK - 1) / PFI_CHUNK * PFI_CHUNK;
    pf_err err = make(&maker, potential);
    maker_free(&maker);
    return err;
}
