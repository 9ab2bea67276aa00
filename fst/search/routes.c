/* Routes: the best of them, and prices that make it visit each position once. */
#include "search/routes.h"

#include "base/contract.h"
#include "search/bound_impl.h"
#include "search/route_costs.h"

#include <permfst/base/cover.h>
#include <permfst/machine/space.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LENGTH = 128, MOST_ROUNDS = 300, FEWEST_ROUNDS = 20, SHORT = 64, PATIENCE = 3, PATIENT = 100 };

static const double MOST_ADDITIONS = 1 << 28, SMOOTHING = 0.5, ADDITIONS_OF_A_HYPOTHESIS = 32, LEAST_REACH = 1. / 256;

/* The positions that a visit may go to. */
typedef struct {
    unsigned first, last;
} route_range;

typedef struct {
    pfi_routes *routes;
    unsigned rounds;    /* sets of prices that are tried */
    pfi_route_costs costs;
    pf_space_walk *walk; /* of greedy orders */
    route_range *range; /* of each number of visits */
    float *next;        /* scratch, length rows: after `last`, what comes after each next position, less its price */
    uint16_t *visited;  /* by the best route, in order */
    int *visits;        /* of each position: by the best route */
    double *direction;  /* of each position: where its price is going */
    float *best_price;
} routes_maker;

static route_range range_of(const struct pf_con *space, unsigned visits) {
    route_range range;
    pf_space_range(space, visits - 1, &range.first, &range.last);
    return range;
}

static double width(route_range range) { return range.last + 1.0 - range.first; }

double pfi_routes_additions(const struct pf_con *space) {
    double sum = 0;
    for (unsigned visits = 2; visits < pf_space_length(space); visits++)
        sum += width(range_of(space, visits - 1)) * width(range_of(space, visits)) * width(range_of(space, visits + 1));
    return sum;
}

/* The longer a sentence, the more hypotheses does a tight bound save. Under a beam they are few, and the prices cost no more. */
unsigned pfi_routes_rounds(const struct pf_con *space, size_t beam) {
    const double n = pf_space_length(space), saved = beam ? (double)beam * n * n * ADDITIONS_OF_A_HYPOTHESIS : MOST_ADDITIONS;
    if (n < 1 || n > MOST_LENGTH) return 0;
    const double affordable = fmin(saved, MOST_ADDITIONS) / (pfi_routes_additions(space) + 1);
    const double rounds = fmin(affordable, fmax(n * n * n / SHORT, FEWEST_ROUNDS));
    return rounds >= FEWEST_ROUNDS ? (unsigned)fmin(rounds, MOST_ROUNDS) : 0;
}

/* ---- the best route ---- */

static float *table_after(const routes_maker *maker, unsigned visits) {
    return &maker->routes->after[(visits - (size_t)1) * maker->routes->length * maker->routes->stride];
}

/* Where a visit may go: 1 <= visits <= length. */
static route_range range_at(const routes_maker *maker, unsigned visits) { return maker->range[visits - 1]; }

/* The columns of a table of a number of visits: where the visit before the last one may go. The start has column 0. */
static route_range columns_at(const routes_maker *maker, unsigned visits) {
    return visits > 1 ? range_at(maker, visits - 1) : (route_range){0, 0};
}

/* Fills `next`. The largest of its costs, for rounding. */
static float fill_next(const routes_maker *maker, unsigned visits) {
    const pfi_routes *routes = maker->routes;
    const route_range lasts = range_at(maker, visits), nexts = range_at(maker, visits + 1);
    const float *after = table_after(maker, visits + 1);
    float largest = 0;
    for (size_t last = lasts.first; last <= lasts.last; last++)
        for (size_t j = nexts.first; j <= nexts.last; j++) {
            const float cost = after[j * routes->stride + last] - routes->price[j], size = cost < INFINITY ? fabsf(cost) : 0;
            maker->next[last * routes->stride + j] = cost;
            largest = size > largest ? size : largest;
        }
    return largest;
}

/* Each sum of floats is rounded twice, by half of FLT_EPSILON times terms of this size, and so is what is taken away for it. */
static float rounding(float largest) { return 2 * FLT_EPSILON * largest; }

/* After position `last`, by the position before it: the cheapest next position and all that comes after it. */
static void fill_row(const routes_maker *maker, unsigned visits, unsigned last, float lost, float *after) {
    const pfi_routes *routes = maker->routes;
    const float *next = &maker->next[last * routes->stride];
    const route_range nexts = range_at(maker, visits + 1), columns = columns_at(maker, visits);
    for (size_t chunk = columns.first / PFI_CHUNK * PFI_CHUNK; chunk <= columns.last; chunk += PFI_CHUNK) {
        const float *cost = pfi_route_costs_row(&maker->costs, last, nexts.first) + chunk;
        float least[PFI_CHUNK];
        for (size_t k = 0; k < PFI_CHUNK; k++) least[k] = INFINITY;
        for (size_t j = nexts.first; j <= nexts.last; j++, cost += routes->stride)
            for (size_t k = 0; k < PFI_CHUNK; k++) {
                const float sum = cost[k] + next[j];
                least[k] = sum < least[k] ? sum : least[k];
            }
        for (size_t k = 0; k < PFI_CHUNK; k++) after[chunk + k] = least[k] - lost;
    }
}

static void fill_first(const routes_maker *maker, unsigned last, float lost, float *after) {
    const route_range nexts = range_at(maker, 2);
    *after = INFINITY;
    for (unsigned j = nexts.first; j <= nexts.last; j++)
        *after = fminf(*after, pfi_route_cost(&maker->costs, 1, 0, last, j) + maker->next[last * maker->routes->stride + j]);
    *after -= lost;
}

static void fill_step(const routes_maker *maker, unsigned visits) {
    const float lost = rounding(fill_next(maker, visits) + maker->costs.largest);
    const route_range lasts = range_at(maker, visits);
    for (unsigned last = lasts.first; last <= lasts.last; last++) {
        float *after = &table_after(maker, visits)[last * maker->routes->stride];
        if (visits > 1) fill_row(maker, visits, last, lost, after);
        else fill_first(maker, last, lost, after);
    }
}

static void fill_end(const routes_maker *maker) {
    const pfi_routes *routes = maker->routes;
    const unsigned n = routes->length;
    const route_range lasts = range_at(maker, n), columns = columns_at(maker, n);
    for (unsigned last = lasts.first; last <= lasts.last; last++)
        for (unsigned column = columns.first; column <= columns.last; column++) {
            const unsigned before = n > 1 ? column : n;
            table_after(maker, n)[last * routes->stride + column] =
                before == last ? INFINITY : maker->costs.end[(size_t)before * n + last];
        }
}

/* The least cost of a route with the prices that there are, and of all prices; its first position. */
static double find_route(routes_maker *maker) {
    pfi_routes *routes = maker->routes;
    const float *after = table_after(maker, 1);
    double least = (double)INFINITY;
    fill_end(maker);
    for (unsigned visits = routes->length - 1; visits > 0; visits--) fill_step(maker, visits);
    routes->prices = 0;
    for (unsigned j = 0; j < routes->length; j++) routes->prices += (double)routes->price[j];
    for (unsigned j = range_at(maker, 1).first; j <= range_at(maker, 1).last; j++) {
        const double cost = (double)maker->costs.begin[j] - (double)routes->price[j] + (double)after[j * routes->stride];
        if (cost < least) maker->visited[0] = (uint16_t)j;
        least = fmin(least, cost);
    }
    return least + routes->prices;
}

/* The position that comes next: the cheapest one of those that are allowed (NULL: all). The length: there is none. */
static unsigned cheapest_next(const routes_maker *maker, unsigned visits, const pf_cover *allowed) {
    const pfi_routes *routes = maker->routes;
    const unsigned last = maker->visited[visits - 1], before = visits > 1 ? maker->visited[visits - 2] : 0;
    const route_range nexts = range_at(maker, visits + 1);
    const float *after = table_after(maker, visits + 1);
    unsigned next = routes->length;
    float least = INFINITY;
    for (unsigned j = nexts.first; j <= nexts.last; j++) {
        if (allowed && !pf_cover_has(allowed, j)) continue;
        const float cost = pfi_route_cost(&maker->costs, visits, before, last, j);
        const float total = cost + (after[j * routes->stride + last] - routes->price[j]);
        if (total >= least) continue;
        least = total;
        next = j;
    }
    return next;
}

/* How often the best route visits each position. False: there is none. */
static bool count_visits(routes_maker *maker) {
    const unsigned n = maker->routes->length;
    memset(maker->visits, 0, n * sizeof *maker->visits);
    maker->visits[maker->visited[0]]++;
    for (unsigned visits = 1; visits < n; visits++) {
        const unsigned next = cheapest_next(maker, visits, NULL);
        if (next == n) return false;
        maker->visited[visits] = (uint16_t)next;
        maker->visits[next]++;
    }
    return true;
}

/* Extends the greedy order of the walk by the cheapest position that the space allows; *cost grows. False: there is none. */
static bool go_on(routes_maker *maker, unsigned visits, double *cost) {
    const unsigned last = maker->visited[visits - 1], before = visits > 1 ? maker->visited[visits - 2] : 0;
    const unsigned next = cheapest_next(maker, visits, pf_space_walk_moves(maker->walk));
    if (next == maker->routes->length) return false;
    *cost += (double)pfi_route_cost(&maker->costs, visits, before, last, next);
    pf_space_walk_visit(maker->walk, next);
    maker->visited[visits] = (uint16_t)next;
    return true;
}

/* The cost of the permutation that begins as the route does, and goes on cheapest: an estimate of the least one. INFINITY: it came
 * to a dead end. */
static double greedy_cost(routes_maker *maker) {
    const unsigned n = maker->routes->length;
    double cost = (double)maker->costs.begin[maker->visited[0]];
    pf_space_walk_start(maker->walk);
    if (!pf_cover_has(pf_space_walk_moves(maker->walk), maker->visited[0])) return (double)INFINITY;
    pf_space_walk_visit(maker->walk, maker->visited[0]);
    for (unsigned visits = 1; visits < n; visits++)
        if (!go_on(maker, visits, &cost)) return (double)INFINITY;
    if (!pf_space_walk_ends(maker->walk)) return (double)INFINITY;
    const unsigned before = n > 1 ? maker->visited[n - 2] : n;
    return cost + (double)maker->costs.end[(size_t)before * n + maker->visited[n - 1]];
}

/* ---- prices ---- */

/* One step along the direction (Camerini, Fratta & Maffioli 1975: past directions count). False: the route is a permutation,
 * which no prices can make dearer. */
static bool change_prices(routes_maker *maker, double missing) {
    pfi_routes *routes = maker->routes;
    double squares = 0;
    bool twice = false;
    for (unsigned j = 0; j < routes->length; j++) {
        const int more = 1 - maker->visits[j];
        twice = twice || more;
        maker->direction[j] = (double)more + SMOOTHING * maker->direction[j];
        squares += maker->direction[j] * maker->direction[j];
    }
    for (unsigned j = 0; twice && squares > 0 && j < routes->length; j++)
        routes->price[j] += (float)(missing / squares * maker->direction[j]);
    return twice && squares > 0;
}

/* The first prices: the least that each position costs after any two others. A route that costs these prices and no more visits
 * nothing below its price, so the first bound is at least their sum. */
static void begin_prices(const routes_maker *maker) {
    const pfi_routes *routes = maker->routes;
    const unsigned n = routes->length;
    for (unsigned j = 0; j < n; j++) {
        float least = maker->costs.begin[j];
        for (unsigned last = 0; last < n; last++) {
            least = fminf(least, maker->costs.second[last * (size_t)n + j]);
            const float *row = pfi_route_costs_row(&maker->costs, last, j);
            for (unsigned before = 0; before < n; before++) least = fminf(least, row[before]);
        }
        routes->price[j] = least < INFINITY ? least : 0;
    }
}

/* Looks for prices that make the best route dear. A step goes as far as would close the gap to the least permutation that is known
 * (Polyak 1969), and less far when that has not helped for some rounds, until steps have come to nothing. */
static void find_prices(routes_maker *maker) {
    pfi_routes *routes = maker->routes;
    double best = -(double)INFINITY, upper = (double)INFINITY, reach = 1;
    unsigned stalled = 0;
    begin_prices(maker);
    for (unsigned round = 0; round < maker->rounds && reach > LEAST_REACH; round++) {
        const double least = find_route(maker);
        if (least > best) {
            best = least;
            memcpy(maker->best_price, routes->price, routes->length * sizeof *routes->price);
            stalled = 0;
        } else if (++stalled == PATIENCE + maker->rounds / PATIENT) {
            reach /= 2;
            stalled = 0;
        }
        if (least == (double)INFINITY || !count_visits(maker)) break;
        upper = fmin(upper, greedy_cost(maker));
        if (!(upper < (double)INFINITY) || !change_prices(maker, reach * fmax(upper - least, 0))) break;
    }
    memcpy(routes->price, maker->best_price, routes->length * sizeof *routes->price);
    routes->guess = upper;
    routes->start = find_route(maker);
}

static void fill_least(routes_maker *maker) {
    pfi_routes *routes = maker->routes;
    for (unsigned visits = 1; visits <= routes->length; visits++) {
        float *least = &routes->least[(visits - 1) * routes->stride];
        const route_range lasts = range_at(maker, visits), columns = columns_at(maker, visits);
        for (unsigned last = 0; last < routes->length; last++) least[last] = INFINITY;
        for (unsigned last = lasts.first; last <= lasts.last; last++)
            for (unsigned before = columns.first; before <= columns.last; before++)
                least[last] = fminf(least[last], table_after(maker, visits)[last * routes->stride + before]);
    }
}

/* ---- memory ---- */

static pf_err allocate(routes_maker *maker) {
    pfi_routes *routes = maker->routes;
    const size_t n = routes->length, square = n * routes->stride;
    routes->after = malloc(n * square * sizeof *routes->after);
    routes->least = malloc(square * sizeof *routes->least);
    routes->price = calloc(routes->stride, sizeof *routes->price);
    maker->range = malloc(n * sizeof *maker->range);
    maker->next = malloc(square * sizeof *maker->next);
    maker->visited = malloc(n * sizeof *maker->visited);
    maker->visits = malloc(n * sizeof *maker->visits);
    maker->direction = calloc(n, sizeof *maker->direction);
    maker->best_price = calloc(n, sizeof *maker->best_price);
    const bool room = routes->after && routes->least && routes->price && maker->range && maker->next && maker->visited &&
                      maker->visits && maker->direction && maker->best_price;
    for (size_t i = 0; room && i < n * square; i++) routes->after[i] = INFINITY; /* what is outside the ranges stays so */
    return room ? PF_OK : pf_nomem();
}

static void maker_free(routes_maker *maker) {
    pfi_route_costs_free(&maker->costs);
    pf_space_walk_free(maker->walk);
    free(maker->range);
    free(maker->next);
    free(maker->visited);
    free(maker->visits);
    free(maker->direction);
    free(maker->best_price);
}

static pf_err make(routes_maker *maker, const pfi_bound_tables *tables, const struct pf_con *space) {
    const unsigned n = maker->routes->length;
    PF_TRY(pf_space_walk_new(space, &maker->walk));
    PF_TRY(allocate(maker));
    PF_TRY(pfi_route_costs_init(&maker->costs, tables));
    for (unsigned visits = 1; visits <= n; visits++) maker->range[visits - 1] = range_of(space, visits);
    maker->routes->known = maker->costs.largest < FLT_MAX / 4 / (float)(n + 1); /* so that sums of them are finite */
    if (!maker->routes->known) return PF_OK;
    find_prices(maker);
    fill_least(maker);
    return PF_OK;
}

pf_err pfi_routes_init(pfi_routes *routes, const pfi_bound_tables *tables, const struct pf_con *space, unsigned rounds) {
    const unsigned n = tables->slots.n;
    routes_maker maker = {.routes = routes, .rounds = rounds};
    assert(n && rounds && pf_space_length(space) == n);
    *routes = (pfi_routes){.length = n, .stride = (n + PFI_CHUNK - 1) / PFI_CHUNK * PFI_CHUNK};
    pf_err err = make(&maker, tables, space);
    if (err) routes->known = false;
    maker_free(&maker);
    return err;
}

void pfi_routes_free(pfi_routes *routes) {
    free(routes->after);
    free(routes->least);
    free(routes->price);
}
