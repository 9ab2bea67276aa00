/* What finds the best route and prices. Private to routes.c, prices.c and critical.c. */
#ifndef PF_SEARCH_ROUTES_IMPL_H
#define PF_SEARCH_ROUTES_IMPL_H

#include "search/routes.h"

#include <permfst/machine/space.h>

typedef struct {
    pfi_routes *routes;
    pf_space_walk *walk; /* of greedy orders; NULL: none are looked for */
    float *next;         /* scratch, length rows: of each next position, what comes after it and each one before it, less its
                            price */
    uint32_t *lasts;     /* scratch: the positions that can be visited last */
    size_t last_count;
    uint32_t *nexts;     /* scratch: of each position that can be visited next, where its row begins in `next` */
    size_t next_count;
    uint16_t *visited;   /* by the best route, in order */
    int *visits;         /* of each position: by the best route */
    double *direction;   /* of each position: where its price is going */
    float *best_price;
} pfi_routes_maker;

/* How prices are looked for. */
typedef struct {
    unsigned rounds;   /* sets of prices, at most */
    unsigned patience; /* rounds that need not help, before steps get shorter */
    double close;      /* a gap of so small a part of *upper is not made smaller */
    bool settles;      /* the tables become those of the best prices */
} pfi_price_search;

pf_err pfi_routes_maker_init(pfi_routes_maker *maker, pfi_routes *routes);
void pfi_routes_maker_free(pfi_routes_maker *maker);

/* The least cost of a route with the prices that there are, and of all prices; its first position is the first one visited. The
 * tables are filled. */
double pfi_routes_find(pfi_routes_maker *maker);

/* The next position of the route: the cheapest one of those that are allowed (NULL: all). The length: there is none. */
unsigned pfi_routes_next(const pfi_routes_maker *maker, unsigned open, unsigned visits, const uint64_t *allowed);

/* The least of all costs after each last position. */
void pfi_routes_fill_least(const pfi_routes_maker *maker);

/* Prices to begin with. */
void pfi_prices_begin(const pfi_routes *routes);

/* Looks for prices that make the best route dear, from those that there are; they become the best ones that were met. If they do
 * not settle, the tables are those of the last prices. Returns the least cost of a route with the best prices. The least
 * permutation costs *upper (INFINITY: not known), which a greedy order makes less where there is a walk. */
double pfi_prices_climb(pfi_routes_maker *maker, const pfi_price_search *search, double *upper);

/* Room for the tables, of as many sets as there are. */
pf_err pfi_routes_room(pfi_routes *routes);

#endif
