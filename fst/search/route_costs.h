/* What each position costs after two others: the steps of routes. Private to the searches.
 *
 * After positions `before` and `last` a model may have any history to which words of the two lead, one after the other. A position
 * costs at least the least that its words cost after one of them, together with what the move itself costs where that is known of
 * the two positions alone (space.h). O(n^2 (histories after two positions) words); 4 n^3 bytes. */
#ifndef PF_SEARCH_ROUTE_COSTS_H
#define PF_SEARCH_ROUTE_COSTS_H

#include <permfst/base/err.h>

#include <stdbool.h>
#include <stddef.h>

struct pfi_bound_tables;

typedef struct {
    unsigned length; /* positions of the sentence */
    size_t stride;   /* floats in a row: the length, made a multiple of PFI_CHUNK */
    float *after;    /* length x length rows: of position `next` after `last`, by the position before; INFINITY after itself */
    float *second;   /* length x length: the same where the start is before `last` */
    float *end;      /* (length+1) x length: of the end after two positions; position `length` is the start */
    float *begin;    /* of each position at the start */
    float largest;   /* of all those costs that are finite */
} pfi_route_costs;

/* Of tables whose models have all their rows. PF_ENOMEM, when pfi_route_costs_free is still to be called. */
pf_err pfi_route_costs_init(pfi_route_costs *costs, const struct pfi_bound_tables *tables);
void pfi_route_costs_free(pfi_route_costs *costs);

/* By the position before `last`: what `next` costs. */
static inline const float *pfi_route_costs_row(const pfi_route_costs *costs, unsigned last, unsigned next) {
    return &costs->after[(last * (size_t)costs->length + next) * costs->stride];
}

/* What `next` costs after `visits` visits, the last two of them at `before` and `last`. */
static inline float pfi_route_cost(const pfi_route_costs *costs, unsigned visits, unsigned before, unsigned last, unsigned next) {
    return visits > 1 ? pfi_route_costs_row(costs, last, next)[before] : costs->second[(size_t)last * costs->length + next];
}

#endif
