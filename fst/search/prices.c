/* Prices that make the best route visit each position once: subgradient steps. */
#include "search/routes_impl.h"

#include "base/contract.h"

#include <permfst/base/cover.h>

#include <math.h>
#include <string.h>

static const double SMOOTHING = 0.5, LEAST_REACH = 1. / 256;

/* How often the best route visits each position. False: there is none. */
static bool count_visits(pfi_routes_maker *maker) {
    const pfi_routes *routes = maker->routes;
    const unsigned n = routes->length;
    unsigned open = pfi_routes_visit(routes, routes->sets - 1, maker->visited[0]);
    memset(maker->visits, 0, n * sizeof *maker->visits);
    maker->visits[maker->visited[0]]++;
    for (unsigned visits = 1; visits < n; visits++) {
        const unsigned next = pfi_routes_next(maker, open, visits, NULL);
        if (next == n) return false;
        open = pfi_routes_visit(routes, open, next);
        maker->visited[visits] = (uint16_t)next;
        maker->visits[next]++;
    }
    return true;
}

/* Extends the greedy order of the walk by the cheapest position that the space allows; *cost grows. False: there is none. */
static bool go_on(pfi_routes_maker *maker, unsigned visits, double *cost) {
    const unsigned last = maker->visited[visits - 1], before = visits > 1 ? maker->visited[visits - 2] : 0;
    const unsigned next = pfi_routes_next(maker, 0, visits, pf_space_walk_moves(maker->walk));
    if (next == maker->routes->length) return false;
    *cost += (double)pfi_route_cost(&maker->routes->costs, visits, before, last, next);
    pf_space_walk_visit(maker->walk, next);
    maker->visited[visits] = (uint16_t)next;
    return true;
}

/* The cost of the permutation that begins as the route does, and goes on cheapest: an estimate of the least one. INFINITY: it came
 * to a dead end. */
static double greedy_cost(pfi_routes_maker *maker) {
    const unsigned n = maker->routes->length;
    double cost = (double)maker->routes->costs.begin[maker->visited[0]];
    pf_space_walk_start(maker->walk);
    if (!pf_cover_has(pf_space_walk_moves(maker->walk), maker->visited[0])) return (double)INFINITY;
    pf_space_walk_visit(maker->walk, maker->visited[0]);
    for (unsigned visits = 1; visits < n; visits++)
        if (!go_on(maker, visits, &cost)) return (double)INFINITY;
    if (!pf_space_walk_ends(maker->walk)) return (double)INFINITY;
    const unsigned before = n > 1 ? maker->visited[n - 2] : n;
    return cost + (double)maker->routes->costs.end[(size_t)before * n + maker->visited[n - 1]];
}

/* One step along the direction (Camerini, Fratta & Maffioli 1975: past directions count). False: the route is a permutation,
 * which no prices can make dearer. */
static bool change_prices(pfi_routes_maker *maker, double missing) {
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
void pfi_prices_begin(const pfi_routes *routes) {
    const pfi_route_costs *costs = &routes->costs;
    const unsigned n = routes->length;
    for (unsigned j = 0; j < n; j++) {
        float least = costs->begin[j];
        for (unsigned last = 0; last < n; last++) {
            const float *row = pfi_route_costs_row(costs, last, j), second = costs->second[last * (size_t)n + j];
            least = second < least ? second : least;
            for (unsigned before = 0; before < n; before++) least = row[before] < least ? row[before] : least;
        }
        routes->price[j] = least < INFINITY ? least : 0;
    }
}

/* A step goes as far as would close the gap to the least permutation that is known (Polyak 1969), and less far when that has not
 * helped for some rounds, until steps have come to nothing. */
double pfi_prices_climb(pfi_routes_maker *maker, const pfi_price_search *search, double *upper) {
    pfi_routes *routes = maker->routes;
    double best = -(double)INFINITY, reach = 1;
    unsigned stalled = 0;
    bool is_best = false; /* are the tables those of the best prices? */
    for (unsigned j = 0; j < routes->length; j++) maker->direction[j] = 0;
    for (unsigned round = 0; round < search->rounds && reach > LEAST_REACH; round++) {
        const double least = pfi_routes_find(maker);
        is_best = least > best;
        if (is_best) {
            best = least;
            memcpy(maker->best_price, routes->price, routes->length * sizeof *routes->price);
            stalled = 0;
        } else if (++stalled == search->patience) {
            reach /= 2;
            stalled = 0;
        }
        if (least == (double)INFINITY || !count_visits(maker)) break;
        if (maker->walk) *upper = fmin(*upper, greedy_cost(maker));
        if (!(*upper < (double)INFINITY) || *upper - best <= search->close * fabs(*upper)) break;
        if (!change_prices(maker, reach * fmax(*upper - least, 0))) break;
    }
    memcpy(routes->price, maker->best_price, routes->length * sizeof *routes->price);
    if (search->settles && !is_best) pfi_routes_find(maker);
    return best;
}
