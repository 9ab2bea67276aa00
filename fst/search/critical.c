/* Which positions routes visit once. */
#include "search/routes_impl.h"

#include "base/contract.h"

#include <permfst/base/cover.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CRITICAL = 8, TRIAL_ROUNDS = 3, ROUNDS = 100, PATIENCE = 10 };

static const double MOST_BYTES = 1 << 26;

double pfi_routes_tightening(const pfi_routes *routes) {
    const double rounds = (double)TRIAL_ROUNDS * routes->length + ROUNDS;
    const unsigned most = routes->length <= MOST_CRITICAL ? routes->length - 1 : MOST_CRITICAL; /* the last one is met anyway */
    if (routes->sets >> most) return (double)INFINITY;
    if (2 * (double)pfi_routes_bytes(routes) > MOST_BYTES) return (double)INFINITY;
    return rounds * routes->additions * 2 * routes->sets;
}

/* Of all positions that are not critical, the one that makes the best route dearest, after few sets of prices. */
static unsigned best_of_all(pfi_routes_maker *maker, const float *price, unsigned bit, double upper) {
    pfi_routes *routes = maker->routes;
    const pfi_price_search few = {TRIAL_ROUNDS, PATIENCE, 0, false};
    unsigned best = routes->length;
    double dearest = -(double)INFINITY;
    for (unsigned j = 0; j < routes->length; j++) {
        if (routes->bit[j]) continue;
        routes->bit[j] = (uint8_t)bit;
        const double start = pfi_prices_climb(maker, &few, &upper);
        routes->bit[j] = 0;
        memcpy(routes->price, price, routes->length * sizeof *price);
        if (best < routes->length && start <= dearest) continue;
        dearest = start;
        best = j;
    }
    return best;
}

/* The routes have room for the sets of one more critical position. */
static void add_best(pfi_routes_maker *maker, const float *price, double upper) {
    pfi_routes *routes = maker->routes;
    const unsigned bit = routes->sets / 2, best = best_of_all(maker, price, bit, upper);
    const pfi_price_search many = {ROUNDS, PATIENCE, 0, true};
    assert(best < routes->length && !routes->bit[best]);
    routes->bit[best] = (uint8_t)bit;
    routes->start = pfi_prices_climb(maker, &many, &upper);
    pfi_routes_fill_least(maker);
}

pf_err pfi_routes_tighten(pfi_routes *routes, double upper) {
    pfi_routes had = *routes;
    pfi_routes_maker maker;
    float *price = malloc(routes->length * sizeof *price);
    assert(routes->known && pfi_routes_tightening(routes) < (double)INFINITY && upper < (double)INFINITY);
    pf_err err = pfi_routes_maker_init(&maker, routes);
    routes->sets *= 2;
    if (!err) err = price ? pfi_routes_room(routes) : pf_nomem();
    if (err) {
        if (routes->after != had.after) free(routes->after);
        if (routes->least != had.least) free(routes->least);
        *routes = had;
    } else {
        memcpy(price, routes->price, routes->length * sizeof *price);
        add_best(&maker, price, upper);
        free(had.after);
        free(had.least);
    }
    free(price);
    pfi_routes_maker_free(&maker);
    return err;
}
