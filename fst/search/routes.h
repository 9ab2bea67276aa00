/* The least cost of routes: a lower bound of what is uncovered. Private to the searches.
 *
 * A route visits as many positions as the sentence has, but may visit some of them again and others never. Only the last two
 * positions are not visited next, and those that the space does not visit at a step (space.h): under ibm:L, one that is L or
 * more further than the step. The best route needs no coverage: it is found backwards over (step, last two positions), at the
 * costs that the models say after the words of two positions. A permutation is a route, so no permutation costs less. Each visit
 * of a position costs less by the price of the position, and all prices are added up once: that is the same for permutations,
 * and makes routes dearer that visit a position twice. Prices are found by subgradient steps (Held & Karp 1971; q-routes of
 * Christofides, Mingozzi & Toth 1981). After a step that covers S and ends in positions i, j the rest costs at least the best route
 * from there and the prices of what S leaves. Where steps have ranges of w positions, O(n w^3) additions for each set of prices,
 * several of them at once; 8 n^3 bytes.
 *
 * A critical position is visited once by every route: then a route knows which critical positions are still open (state space
 * relaxation, from below: Righini & Salani 2008; Boland, Dethridge & Dumitrescu 2006). Each doubles the additions and the bytes.
 * There is none at first. Few of them make routes much dearer, and which ones is found by trying all. */
#ifndef PF_SEARCH_ROUTES_H
#define PF_SEARCH_ROUTES_H

#include "search/route_costs.h"

#include <stdint.h>

/* The positions that a visit may go to. */
typedef struct {
    unsigned first, last;
} pfi_route_range;

typedef struct {
    bool known;      /* else nothing below is set */
    unsigned length; /* positions of the sentence */
    size_t stride;   /* floats in a row of a table: the length, made a multiple of PFI_CHUNK */
    unsigned sets;   /* of critical positions that may be open: from 0, none, to sets - 1, all */
    uint8_t *bit;    /* of each position: the bit of a critical one in the number of a set; else 0 */
    float *after;    /* of each set and number of visits, from 1, a table: in row j, column i the least cost of a route's rest after
                        positions i, j; after one visit column 0 is that of the start. INFINITY: there is none */
    float *least;    /* of each set and number of visits, and position visited last: the least of them */
    float *price;    /* of each position */
    double prices;   /* of all positions */
    double start;    /* no permutation costs less */
    double guess;    /* of the least cost of a permutation: that of one that was met, at the costs of routes; INFINITY: none was */
    double additions; /* that one set of prices takes, where no position is critical */
    pfi_route_costs costs;
    pfi_route_range *range; /* of each number of visits, from 1 */
} pfi_routes;

/* Where the tables of a set and a number of visits begin, counted in rows. */
static inline size_t pfi_routes_row(const pfi_routes *routes, unsigned open, unsigned visits) {
    return open * (size_t)routes->length + visits - 1;
}

/* The costs of a route's rest by its last position but one, when `position` was the last one of `visits`. */
static inline const float *pfi_routes_after(const pfi_routes *routes, unsigned open, unsigned visits, unsigned position) {
    return &routes->after[(pfi_routes_row(routes, open, visits) * routes->length + position) * routes->stride];
}

static inline float pfi_routes_least(const pfi_routes *routes, unsigned open, unsigned visits, unsigned position) {
    return routes->least[pfi_routes_row(routes, open, visits) * routes->stride + position];
}

/* The critical positions that are open when those of `open` were and `position` is visited. */
static inline unsigned pfi_routes_visit(const pfi_routes *routes, unsigned open, unsigned position) {
    return open & ~(unsigned)routes->bit[position];
}

struct pf_con;
struct pfi_bound_tables;

/* How many additions a set of prices takes. */
double pfi_routes_additions(const struct pf_con *space);

/* How many sets of prices a search with a beam (0: without one) should try: 0 where even a few would cost more than they save. */
unsigned pfi_routes_rounds(const struct pf_con *space, size_t beam);

/* Of tables whose models have all their rows; `rounds` sets of prices are tried, one at least. Not known where costs are too large
 * for floats. PF_ENOMEM, when pfi_routes_free is still to be called. */
pf_err pfi_routes_init(pfi_routes *routes, const struct pfi_bound_tables *tables, const struct pf_con *space, unsigned rounds);
void pfi_routes_free(pfi_routes *routes);

/* Makes one more position critical, the one that makes routes dearest. They are known, and the best permutation costs `upper` at
 * most. PF_ENOMEM, when the routes are as they were. */
pf_err pfi_routes_tighten(pfi_routes *routes, double upper);

/* How many additions that takes; INFINITY: there are as many critical positions as there can be. */
double pfi_routes_tightening(const pfi_routes *routes);

/* The bytes that the tables take. */
uint64_t pfi_routes_bytes(const pfi_routes *routes);

#endif
