/* Potentials of histories, found on tables of floats: what is exact is made of them afterwards (placed.c). */
#include "search/potentials.h"

#include "base/contract.h"
#include "search/ascent.h"
#include "search/bound.h"
#include "search/least_sums.h"

#include <permfst/machine/space.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 512, MOST_COSTS = 1 << 22 };

/* A gap of so large a part of the best bound is expected. Potentials change less than prices: there are more of them. */
static const float GAP = 0.14F, SCALE = 0.15F;

typedef struct {
    unsigned first, last;
} position_range;

/* A word that may come after a position, and the kind of history that it leads to. */
typedef struct {
    uint32_t word, kind;
    size_t place; /* of what it costs there, in `turned` */
} led_word;

typedef struct {
    const pfi_placed_model *model;
    pfi_histories histories;
    size_t across;         /* the positions, made a multiple of PFI_CHUNK */
    size_t kinds;          /* the kinds, made a multiple of PFI_CHUNK */
    led_word *led;         /* of each next word of the model */
    uint32_t *kind_at;     /* of each place of `turned` that has a next word: the kind that it leads to */
    position_range *range; /* of each number of visits, from 0: where the next one may go */
    float *potential;      /* of each kind; of kind 0 none */
    float *unpaid;         /* of each history, what the next word need not pay: below 0 */
    float *least;          /* scratch, of each word after a position, but for what it pays */
    float *turned;         /* of each word a row of `across`: its least cost after each position; then of each word: at the start */
    float *end_after;      /* the least cost of the end after each position, and at the start */
    float *price;          /* of each position */
    float *less;           /* of each word: what it costs by itself, less the price of its position */
    float *then;           /* a row of `across`: of a route's rest after each position, for one number of visits */
    float *rest;           /* of each number of visits a row of the words: of each word visited next, what it and the rest of the
                              route cost by themselves, less prices */
    float *change;         /* of each kind: by the best route */
    float *direction;      /* of each kind: where its potential is going */
    float *price_change, *price_direction; /* the same of each position */
    float *best;           /* potentials */
    pf_arena memory;
} potentials_maker;

/* ---- the least costs ---- */

static uint32_t histories_of(const potentials_maker *maker) { return maker->histories.first[maker->histories.length + 1]; }

static void find_unpaid(const potentials_maker *maker) {
    for (uint32_t history = 0; history < histories_of(maker); history++)
        maker->unpaid[history] = -maker->potential[maker->histories.kind_of[history]];
}

/* Fills `least`, and the end, after a position. Words that cannot come next are left out, but for those in chunks of others. */
static void find_least(const potentials_maker *maker, unsigned last) {
    const pfi_placed_model *model = maker->model;
    const pfi_histories *histories = &maker->histories;
    const uint32_t first = histories->first[last], end = histories->first[last + 1];
    const float *unpaid = maker->unpaid;
    float least = INFINITY;
    for (uint32_t history = first; history < end; history++) least = pfi_smaller(least, histories->end[history] + unpaid[history]);
    maker->end_after[last] = least;
    if (model->first[last] == model->first[last + 1]) return;
    const size_t begin = model->next[model->first[last]].alternative / PFI_CHUNK * PFI_CHUNK;
    const size_t width = (model->next[model->first[last + 1] - 1].alternative / PFI_CHUNK + (size_t)1) * PFI_CHUNK - begin;
    const float *cost = &histories->cost[first * histories->stride + begin];
    const pfi_summands summands = {cost, histories->stride, &unpaid[first], end - first};
    pfi_least_sums(&summands, width, &maker->least[begin]);
}

/* Where the cost of a word after a position, or at the start, stands in `turned`. */
static size_t place_of(const potentials_maker *maker, unsigned last, uint32_t word) {
    return last < maker->histories.length ? word * maker->across + last : maker->histories.words * maker->across + word;
}

/* Where the costs of words after a position, or at the start, stand in `turned`, and how far one is from the next. */
static const float *column_of(const potentials_maker *maker, unsigned last, size_t *between) {
    *between = last < maker->histories.length ? maker->across : 1;
    return &maker->turned[place_of(maker, last, 0)];
}

/* The least costs with the potentials that there are, and what words pay. */
static void find_costs(const potentials_maker *maker) {
    const pfi_placed_model *model = maker->model;
    find_unpaid(maker);
    for (unsigned last = 0; last <= maker->histories.length; last++) {
        const led_word *led = &maker->led[model->first[last]], *end = &maker->led[model->first[last + 1]];
        find_least(maker, last);
        for (; led < end; led++) maker->turned[led->place] = maker->least[led->word] + maker->potential[led->kind];
    }
}

/* ---- what histories cost more than the least ---- */

/* How much more does whatever comes next cost, at least? INFINITY: nothing can. */
static float surplus(const potentials_maker *maker, unsigned last, uint32_t history) {
    const pfi_placed_model *model = maker->model;
    const pfi_histories *histories = &maker->histories;
    const float *cost = &histories->cost[history * histories->stride], unpaid = maker->unpaid[history];
    const float end = histories->end[history];
    float all = end < INFINITY ? end + unpaid - maker->end_after[last] : end;
    for (uint32_t i = model->first[last]; i < model->first[last + 1]; i++) {
        const uint32_t word = model->next[i].alternative;
        all = pfi_smaller(cost[word] + unpaid - maker->least[word], all); /* NAN, where both are infinite, is left out */
    }
    return all;
}

/* Each kind gets what the histories of it cost more than the least, at least. */
static void add_surplus(const potentials_maker *maker) {
    float *more = maker->change;
    for (uint32_t kind = 0; kind < maker->histories.kinds; kind++) more[kind] = INFINITY;
    find_unpaid(maker);
    for (unsigned last = 0; last < maker->histories.length; last++) {
        find_least(maker, last);
        for (uint32_t history = maker->histories.first[last]; history < maker->histories.first[last + 1]; history++) {
            const uint32_t kind = maker->histories.kind_of[history];
            more[kind] = pfi_smaller(more[kind], surplus(maker, last, history));
        }
    }
    for (uint32_t kind = 1; kind < maker->histories.kinds; kind++)
        if (more[kind] < INFINITY) maker->potential[kind] += more[kind];
}

/* ---- the best route ---- */

/* The words that may be visited after so many visits. */
static void words_at(const potentials_maker *maker, unsigned visits, uint32_t *first, uint32_t *end) {
    *first = maker->model->slots->first[maker->range[visits].first];
    *end = maker->model->slots->first[maker->range[visits].last + 1];
}

/* Sums of the chunks that have the places from `first` to before `end`. */
static void add(const float *restrict one, const float *restrict other, size_t first, size_t end, float *restrict sum) {
    for (size_t i = first / PFI_CHUNK * PFI_CHUNK; i < end; i += PFI_CHUNK)
        for (size_t k = 0; k < PFI_CHUNK; k++) sum[i + k] = one[i + k] + other[i + k];
}

/* What comes after so many visits, when `then` is what comes after one more. Where each position has one word, words are numbered
 * like positions. */
static float *find_rest(const potentials_maker *maker, unsigned visits) {
    const pfi_histories *histories = &maker->histories;
    float *rest = &maker->rest[visits * histories->stride];
    uint32_t word, end;
    words_at(maker, visits, &word, &end);
    if (histories->words == histories->length) add(maker->less, maker->then, word, end, rest);
    else
        for (; word < end; word++) rest[word] = maker->less[word] + maker->then[histories->position[word]];
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
    const float *rest = &maker->rest[visits * maker->histories.stride];
    size_t between;
    const float *after = column_of(maker, last, &between);
    uint32_t word, end;
    words_at(maker, visits, &word, &end);
    uint32_t best = end;
    float least = INFINITY;
    for (; word < end; word++) {
        const float sum = after[word * between] + rest[word];
        if (sum < least) best = word;
        least = pfi_smaller(sum, least);
    }
    *cost = least;
    return best;
}

/* The kind of the history after which one word, or the end, is cheapest: costs stand `between` places from one another. */
static uint32_t cheapest_kind(const potentials_maker *maker, unsigned last, const float *cost, size_t between) {
    uint32_t best = maker->histories.first[last];
    float least = INFINITY;
    for (uint32_t history = best; history < maker->histories.first[last + 1]; history++) {
        const float sum = cost[history * between] + maker->unpaid[history];
        if (sum < least) best = history;
        least = pfi_smaller(sum, least);
    }
    return maker->histories.kind_of[best];
}

/* Follows the best route, and notes what it changes. Its cost, with all prices; INFINITY: there is none. */
static float follow_route(const potentials_maker *maker) {
    const unsigned n = maker->histories.length;
    float start = INFINITY, cost;
    unsigned last = n;
    memset(maker->change, 0, maker->histories.kinds * sizeof *maker->change);
    for (unsigned position = 0; position < n; position++) maker->price_change[position] = 1;
    for (unsigned visits = 0; visits < n; visits++) {
        const uint32_t word = next_word(maker, visits, last, &cost);
        if (cost == INFINITY) return cost;
        if (!visits) start = cost;
        maker->change[cheapest_kind(maker, last, &maker->histories.cost[word], maker->histories.stride)] -= 1;
        maker->change[maker->kind_at[place_of(maker, last, word)]] += 1;
        last = maker->histories.position[word];
        maker->price_change[last] -= 1;
    }
    maker->change[cheapest_kind(maker, last, maker->histories.end, 1)] -= 1;
    for (unsigned position = 0; position < n; position++) start += maker->price[position];
    return start;
}

static float best_route(const potentials_maker *maker) {
    find_costs(maker);
    for (uint32_t word = 0; word < maker->histories.words; word++)
        maker->less[word] = (float)maker->model->own[word] - maker->price[maker->histories.position[word]];
    memcpy(maker->then, maker->end_after, maker->histories.length * sizeof *maker->then);
    for (unsigned visits = maker->histories.length - 1; visits; visits--) find_then(maker, visits);
    find_rest(maker, 0);
    return follow_route(maker);
}

/* ---- steps ---- */

/* The first prices: the least that each position costs after any other one. */
static void begin_prices(const potentials_maker *maker) {
    find_costs(maker);
    for (unsigned position = 0; position < maker->histories.length; position++) maker->price[position] = INFINITY;
    for (uint32_t word = 0; word < maker->histories.words; word++) {
        const float *after = &maker->turned[word * maker->across], own = (float)maker->model->own[word];
        float *price = &maker->price[maker->histories.position[word]];
        float least = maker->turned[place_of(maker, maker->histories.length, word)];
        for (unsigned last = 0; last < maker->histories.length; last++) least = pfi_smaller(after[last], least);
        *price = pfi_smaller(least + own, *price);
    }
    for (unsigned position = 0; position < maker->histories.length; position++)
        if (maker->price[position] == INFINITY) maker->price[position] = 0;
}

static void climb(const potentials_maker *maker) {
    pfi_ascent ascent = pfi_ascent_begin(GAP);
    ascent.parts = 2;
    ascent.part[0] = (pfi_ascent_part){maker->kinds, SCALE, maker->potential, maker->change, maker->direction, maker->best};
    ascent.part[1] = (pfi_ascent_part){maker->across, 1, maker->price, maker->price_change, maker->price_direction, NULL};
    begin_prices(maker);
    for (unsigned round = 0; round < maker->model->rounds; round++) {
        const float cost = best_route(maker);
        maker->change[0] = 0;
        if (!(cost < INFINITY) || !pfi_ascent_step(&ascent, cost)) break;
    }
    pfi_ascent_end(&ascent);
}

/* ---- memory ---- */

static float *floats(potentials_maker *maker, size_t count, float value) {
    float *made = pf_arena_get(&maker->memory, count * sizeof *made);
    for (size_t i = 0; made && i < count; i++) made[i] = value;
    return made;
}

/* What cannot come next stays INFINITY in `turned`. */
static pf_err allocate(potentials_maker *maker) {
    const pfi_histories *histories = &maker->histories;
    const size_t n = histories->length, words = histories->words, places = words * maker->across + words;
    const size_t kinds = maker->kinds = pfi_whole_chunks(histories->kinds), across = maker->across;
    maker->led = pf_arena_get(&maker->memory, (maker->model->first[n + 1] + (size_t)1) * sizeof *maker->led);
    maker->kind_at = pf_arena_get(&maker->memory, places * sizeof *maker->kind_at);
    maker->range = pf_arena_get(&maker->memory, n * sizeof *maker->range);
    maker->potential = floats(maker, kinds, 0);
    maker->best = floats(maker, kinds, 0);
    maker->change = floats(maker, kinds, 0);
    maker->direction = floats(maker, kinds, 0);
    maker->unpaid = floats(maker, histories_of(maker), 0);
    maker->least = floats(maker, histories->stride, 0);
    maker->turned = floats(maker, places, INFINITY);
    maker->end_after = floats(maker, n + 1, 0);
    maker->price = floats(maker, across, 0);
    maker->price_change = floats(maker, across, 0);
    maker->price_direction = floats(maker, across, 0);
    maker->less = floats(maker, histories->stride, 0);
    maker->then = floats(maker, across, 0);
    maker->rest = floats(maker, n * histories->stride, 0);
    const bool room = maker->led && maker->kind_at && maker->range && maker->potential && maker->best && maker->change &&
                      maker->direction && maker->unpaid && maker->least && maker->turned && maker->end_after && maker->price &&
                      maker->price_change && maker->price_direction && maker->less && maker->then && maker->rest;
    return room ? PF_OK : pf_nomem();
}

static void list_led(const potentials_maker *maker) {
    const pfi_placed_model *model = maker->model;
    for (unsigned last = 0; last <= maker->histories.length; last++)
        for (uint32_t i = model->first[last]; i < model->first[last + 1]; i++) {
            const uint32_t word = model->next[i].alternative, kind = maker->histories.leads[i];
            const size_t place = place_of(maker, last, word);
            maker->led[i] = (led_word){word, kind, place};
            maker->kind_at[place] = kind;
        }
}

static pf_err make(potentials_maker *maker, double *potential) {
    const pfi_histories *histories = &maker->histories;
    PF_TRY(pfi_histories_init(&maker->histories, maker->model));
    PF_TRY(allocate(maker));
    list_led(maker);
    for (unsigned visits = 0; visits < histories->length; visits++)
        pf_space_range(maker->model->space, visits, &maker->range[visits].first, &maker->range[visits].last);
    add_surplus(maker);
    climb(maker);
    for (uint32_t row = 1; row < histories->rows; row++)
        potential[row] = (double)maker->potential[histories->kind[row]];
    return PF_OK;
}

pf_err pfi_potentials_find(const pfi_placed_model *model, double *potential) {
    const unsigned n = model->slots->n;
    const uint32_t words = model->slots->first[n];
    potentials_maker maker = {.model = model};
    assert(pf_space_length(model->space) == n);
    for (size_t row = 0; row < model->rows->final.n; row++) potential[row] = 0;
    if (words > MOST_WORDS || model->count > MOST_COSTS / words) return PF_OK;
    maker.across = pfi_whole_chunks(n);
    pf_err err = make(&maker, potential);
    pfi_histories_free(&maker.histories);
    pf_arena_free(&maker.memory);
    return err;
}
