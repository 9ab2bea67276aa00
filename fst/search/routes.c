/* The best route: tables filled backwards, and followed. */
#include "search/routes_impl.h"

#include "base/contract.h"
#include "search/bound_impl.h"
#include "search/route_step.h"

#include <permfst/base/cover.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LENGTH = 128, MOST_ROUNDS = 300, ENOUGH_ROUNDS = 40, FEWEST_ROUNDS = 20, SHORT = 64, PATIENCE = 3, PATIENT = 100 };

/* The paths that a smaller gap would spare take less time than the rounds that make it so. */
static const double CLOSE = 0.001;

static const double MANY_ADDITIONS = 1 << 30, MOST_ADDITIONS = 3.0 * (1 << 30), ADDITIONS_OF_A_HYPOTHESIS = 32;

/* Columns of a row, from a multiple of PFI_CHUNK to before another. */
typedef struct {
    size_t first, end;
} chunk_range;

static pfi_route_range range_of(const struct pf_con *space, unsigned visits) {
    pfi_route_range range;
    pf_space_range(space, visits - 1, &range.first, &range.last);
    return range;
}

static double width(pfi_route_range range) { return range.last + 1.0 - range.first; }

double pfi_routes_additions(const struct pf_con *space) {
    double sum = 0;
    for (unsigned visits = 2; visits < pf_space_length(space); visits++)
        sum += width(range_of(space, visits - 1)) * width(range_of(space, visits)) * width(range_of(space, visits + 1));
    return sum;
}

/* The longer a sentence, the more hypotheses does a tight bound save: an exact search of a long one is worth the rounds that make
 * it so. Under a beam they are few, and the prices cost no more. */
unsigned pfi_routes_rounds(const struct pf_con *space, size_t beam) {
    const double n = pf_space_length(space), additions = pfi_routes_additions(space) + 1;
    if (n < 1 || n > MOST_LENGTH) return 0;
    const double affordable = fmax(MANY_ADDITIONS / additions, fmin(MOST_ADDITIONS / additions, ENOUGH_ROUNDS));
    const double saved = beam ? (double)beam * n * n * ADDITIONS_OF_A_HYPOTHESIS / additions : affordable;
    const double rounds = fmin(fmin(saved, affordable), fmax(n * n * n / SHORT, FEWEST_ROUNDS));
    return rounds >= FEWEST_ROUNDS ? (unsigned)fmin(rounds, MOST_ROUNDS) : 0;
}

/* ---- the best route ---- */

static float *table_after(const pfi_routes *routes, unsigned open, unsigned visits) {
    return &routes->after[pfi_routes_row(routes, open, visits) * routes->length * routes->stride];
}

/* Where a visit may go: 1 <= visits <= length. */
static pfi_route_range range_at(const pfi_routes *routes, unsigned visits) { return routes->range[visits - 1]; }

/* The columns of a table of a number of visits: where the visit before the last one may go. The start has column 0. */
static pfi_route_range columns_at(const pfi_routes *routes, unsigned visits) {
    return visits > 1 ? range_at(routes, visits - 1) : (pfi_route_range){0, 0};
}

/* After so many visits, can these critical positions be the open ones? */
static bool can_be_open(const pfi_routes *routes, unsigned open, unsigned visits) {
    const unsigned left = pf_bits_count(open), all = pf_bits_count(routes->sets - 1);
    return left <= routes->length - visits && all - left <= visits;
}

static bool is_open(const pfi_routes *routes, unsigned open, size_t position) { return routes->bit[position] & open; }

/* A critical position that is not open was visited. */
static bool is_closed(const pfi_routes *routes, unsigned open, size_t position) { return routes->bit[position] & ~open; }

/* The positions that a route can visit last, and next. */
static void list_positions(pfi_routes_maker *maker, unsigned open, unsigned visits) {
    const pfi_routes *routes = maker->routes;
    const pfi_route_range lasts = range_at(routes, visits), nexts = range_at(routes, visits + 1);
    maker->last_count = maker->next_count = 0;
    for (unsigned j = lasts.first; j <= lasts.last; j++)
        if (!is_open(routes, open, j)) maker->lasts[maker->last_count++] = j;
    for (unsigned j = nexts.first; j <= nexts.last; j++)
        if (!is_closed(routes, open, j)) maker->nexts[maker->next_count++] = j * (uint32_t)routes->stride;
}

/* The chunks that hold a range. */
static chunk_range chunks_of(pfi_route_range range) {
    return (chunk_range){range.first / PFI_CHUNK * PFI_CHUNK, (range.last / PFI_CHUNK + 1) * (size_t)PFI_CHUNK};
}

/* Fills `next`. The largest of its costs, for rounding. */
static float fill_next(const pfi_routes_maker *maker, unsigned open, unsigned visits) {
    const pfi_routes *routes = maker->routes;
    const chunk_range lasts = chunks_of(range_at(routes, visits));
    float largest = 0;
    for (size_t i = 0; i < maker->next_count; i++) {
        const uint32_t row = maker->nexts[i];
        const unsigned j = row / (uint32_t)routes->stride;
        const float *after = pfi_routes_after(routes, pfi_routes_visit(routes, open, j), visits + 1, j) + lasts.first;
        const float size = pfi_route_price(after, routes->price[j], lasts.end - lasts.first, &maker->next[row + lasts.first]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* Each sum of floats is rounded twice, by half of FLT_EPSILON times terms of this size, and so is what is taken away for it. */
static float rounding(float largest) { return 2 * FLT_EPSILON * largest; }

/* After the first visit of a position. */
static void fill_first(const pfi_routes_maker *maker, unsigned last, float lost, float *after) {
    const pfi_routes *routes = maker->routes;
    *after = INFINITY;
    for (size_t i = 0; i < maker->next_count; i++) {
        const uint32_t row = maker->nexts[i];
        const float cost = pfi_route_cost(&routes->costs, 1, 0, last, row / (uint32_t)routes->stride);
        *after = pfi_smaller(*after, cost + maker->next[row + last]);
    }
    *after -= lost;
}

/* The table of a set and a number of visits, when those of one visit more are filled: after each last position, by the position
 * before it, the cheapest next position and all that comes after it. */
static void fill_step(pfi_routes_maker *maker, unsigned open, unsigned visits) {
    const pfi_routes *routes = maker->routes;
    const chunk_range columns = chunks_of(columns_at(routes, visits));
    float *after = table_after(routes, open, visits);
    list_positions(maker, open, visits);
    const float lost = rounding(fill_next(maker, open, visits) + routes->costs.largest);
    const pfi_route_step step = {
        .length = routes->length, .stride = routes->stride, .costs = routes->costs.after, .then = maker->next, .lost = lost,
        .nexts = maker->nexts, .next_count = maker->next_count, .lasts = maker->lasts, .last_count = maker->last_count,
        .first = columns.first, .end = columns.end};
    if (visits > 1) pfi_route_step_fill(&step, after);
    else
        for (size_t i = 0; i < maker->last_count; i++)
            fill_first(maker, maker->lasts[i], lost, &after[maker->lasts[i] * routes->stride]);
}

/* At the end no critical position is open. */
static void fill_end(const pfi_routes *routes) {
    const unsigned n = routes->length;
    const pfi_route_range lasts = range_at(routes, n), columns = columns_at(routes, n);
    for (unsigned last = lasts.first; last <= lasts.last; last++)
        for (unsigned column = columns.first; column <= columns.last; column++) {
            const unsigned before = n > 1 ? column : n;
            table_after(routes, 0, n)[last * routes->stride + column] =
                before == last ? INFINITY : routes->costs.end[(size_t)before * n + last];
        }
}

double pfi_routes_find(pfi_routes_maker *maker) {
    pfi_routes *routes = maker->routes;
    const pfi_route_range firsts = range_at(routes, 1);
    double least = (double)INFINITY;
    fill_end(routes);
    for (unsigned visits = routes->length - 1; visits > 0; visits--)
        for (unsigned open = 0; open < routes->sets; open++)
            if (can_be_open(routes, open, visits)) fill_step(maker, open, visits);
    routes->prices = 0;
    for (unsigned j = 0; j < routes->length; j++) routes->prices += (double)routes->price[j];
    for (unsigned j = firsts.first; j <= firsts.last; j++) {
        const float after = *pfi_routes_after(routes, pfi_routes_visit(routes, routes->sets - 1, j), 1, j);
        const double cost = (double)routes->costs.begin[j] - (double)routes->price[j] + (double)after;
        if (cost < least) maker->visited[0] = (uint16_t)j;
        least = fmin(least, cost);
    }
    return least + routes->prices;
}

unsigned pfi_routes_next(const pfi_routes_maker *maker, unsigned open, unsigned visits, const uint64_t *allowed) {
    const pfi_routes *routes = maker->routes;
    const unsigned last = maker->visited[visits - 1], before = visits > 1 ? maker->visited[visits - 2] : 0;
    const pfi_route_range nexts = range_at(routes, visits + 1);
    unsigned next = routes->length;
    float least = INFINITY;
    for (unsigned j = nexts.first; j <= nexts.last; j++) {
        if (is_closed(routes, open, j) || (allowed && !pf_cover_has(allowed, j))) continue;
        const float cost = pfi_route_cost(&routes->costs, visits, before, last, j);
        const float after = pfi_routes_after(routes, pfi_routes_visit(routes, open, j), visits + 1, j)[last];
        const float total = cost + (after - routes->price[j]);
        if (total >= least) continue;
        least = total;
        next = j;
    }
    return next;
}

/* What routes do not reach is left as it is: INFINITY. */
static void fill_least(const pfi_routes *routes, unsigned open, unsigned visits) {
    const pfi_route_range lasts = range_at(routes, visits), columns = columns_at(routes, visits);
    const float *after = table_after(routes, open, visits);
    float *least = &routes->least[pfi_routes_row(routes, open, visits) * routes->stride];
    for (unsigned last = 0; last < routes->length; last++) least[last] = INFINITY;
    for (size_t last = lasts.first; last <= lasts.last; last++) {
        const float *row = &after[last * routes->stride];
        for (size_t before = columns.first; before <= columns.last; before++)
            if (visits == 1 || !is_open(routes, open, before)) least[last] = pfi_smaller(least[last], row[before]);
    }
}

void pfi_routes_fill_least(const pfi_routes_maker *maker) {
    for (unsigned open = 0; open < maker->routes->sets; open++)
        for (unsigned visits = 1; visits <= maker->routes->length; visits++) fill_least(maker->routes, open, visits);
}

/* ---- memory ---- */

/* The floats of `after`. */
static size_t floats(const pfi_routes *routes) {
    return pfi_routes_row(routes, routes->sets, 1) * routes->length * routes->stride;
}

uint64_t pfi_routes_bytes(const pfi_routes *routes) {
    return routes->known ? (floats(routes) + floats(routes) / routes->length) * sizeof *routes->after : 0;
}

pf_err pfi_routes_room(pfi_routes *routes) {
    routes->after = malloc(floats(routes) * sizeof *routes->after);
    routes->least = malloc(floats(routes) / routes->length * sizeof *routes->least);
    if (!routes->after || !routes->least) return pf_nomem();
    for (size_t i = 0; i < floats(routes); i++) routes->after[i] = INFINITY; /* what is outside the ranges stays so */
    return PF_OK;
}

pf_err pfi_routes_maker_init(pfi_routes_maker *maker, pfi_routes *routes) {
    const size_t n = routes->length;
    *maker = (pfi_routes_maker){.routes = routes};
    maker->next = malloc(n * routes->stride * sizeof *maker->next);
    maker->lasts = malloc(n * sizeof *maker->lasts);
    maker->nexts = malloc(n * sizeof *maker->nexts);
    maker->visited = malloc(n * sizeof *maker->visited);
    maker->visits = malloc(n * sizeof *maker->visits);
    maker->direction = malloc(n * sizeof *maker->direction);
    maker->best_price = calloc(n, sizeof *maker->best_price);
    const bool listed = maker->next && maker->lasts && maker->nexts;
    const bool walked = maker->visited && maker->visits && maker->direction && maker->best_price;
    return listed && walked ? PF_OK : pf_nomem();
}

void pfi_routes_maker_free(pfi_routes_maker *maker) {
    pf_space_walk_free(maker->walk);
    free(maker->next);
    free(maker->lasts);
    free(maker->nexts);
    free(maker->visited);
    free(maker->visits);
    free(maker->direction);
    free(maker->best_price);
}

static pf_err allocate(pfi_routes *routes) {
    const size_t n = routes->length;
    routes->bit = calloc(n, sizeof *routes->bit);
    routes->price = calloc(routes->stride, sizeof *routes->price);
    routes->range = malloc(n * sizeof *routes->range);
    return routes->bit && routes->price && routes->range ? pfi_routes_room(routes) : pf_nomem();
}

static pf_err make(pfi_routes_maker *maker, const pfi_bound_tables *tables, const struct pf_con *space, unsigned rounds) {
    pfi_routes *routes = maker->routes;
    const unsigned n = routes->length;
    const pfi_price_search search = {rounds, PATIENCE + rounds / PATIENT, CLOSE, true};
    routes->guess = (double)INFINITY;
    PF_TRY(pfi_routes_maker_init(maker, routes));
    PF_TRY(pf_space_walk_new(space, &maker->walk));
    PF_TRY(allocate(routes));
    PF_TRY(pfi_route_costs_init(&routes->costs, tables));
    for (unsigned visits = 1; visits <= n; visits++) routes->range[visits - 1] = range_of(space, visits);
    routes->known = routes->costs.largest < FLT_MAX / 4 / (float)(n + 1); /* so that sums of them are finite */
    if (!routes->known) return PF_OK;
    routes->additions = pfi_routes_additions(space);
    pfi_prices_begin(routes);
    routes->start = pfi_prices_climb(maker, &search, &routes->guess);
    pfi_routes_fill_least(maker);
    return PF_OK;
}

pf_err pfi_routes_init(pfi_routes *routes, const pfi_bound_tables *tables, const struct pf_con *space, unsigned rounds) {
    const unsigned n = tables->slots.n;
    pfi_routes_maker maker;
    assert(n && rounds && pf_space_length(space) == n);
    *routes = (pfi_routes){.length = n, .stride = pfi_whole_chunks(n), .sets = 1};
    maker.routes = routes;
    pf_err err = make(&maker, tables, space, rounds);
    if (err) routes->known = false;
    pfi_routes_maker_free(&maker);
    return err;
}

void pfi_routes_free(pfi_routes *routes) {
    pfi_route_costs_free(&routes->costs);
    free(routes->bit);
    free(routes->after);
    free(routes->least);
    free(routes->price);
    free(routes->range);
}
