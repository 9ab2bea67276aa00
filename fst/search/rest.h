/* Rest costs: a lower bound of what the positions still cost that a coverage leaves uncovered. Private to the searches.
 *
 * Each uncovered position costs at least its least cost after another uncovered position; the one that comes first costs at
 * least what it costs after the last word covered; and the sentence ends after one of them. The tables of bound.h know these
 * costs. A coverage's least costs are made from those of the coverage one position smaller: only the positions whose least cost
 * came after the position that is now covered need another one. O(n) for each coverage, 4 n bytes. */
#ifndef PF_SEARCH_REST_H
#define PF_SEARCH_REST_H

#include "search/bound.h"

typedef struct {
    double sum;         /* of the least costs of the uncovered positions, and of the end after one of them */
    uint32_t uncovered; /* how many */
    uint32_t last;      /* the uncovered position that is cheapest to end after */
} pfi_rest;

/* The coverages of a level, in the order they were added. */
typedef struct {
    PF_VEC(pfi_rest) of;
    PF_VEC(float) least; /* bound->stride for each: the least cost of each position after another uncovered one; -INFINITY:
                            the position is covered; INFINITY: no other position is uncovered */
} pfi_rests;

void pfi_rests_free(pfi_rests *rests);
void pfi_rests_clear(pfi_rests *rests);

/* Adds a state's coverage. Needs bound->known. O(n), times the few positions that are passed over. PF_ENOMEM. */
pf_err pfi_rest_of_state(pfi_bound *bound, pf_state state, pfi_rests *to);

/* Adds the coverage that coverage `from` of another level becomes when `position`, which it leaves, is covered. O(n). PF_ENOMEM. */
pf_err pfi_rest_of_next(const pfi_bound *bound, const pfi_rests *rests, size_t from, unsigned position, pfi_rests *to);

/* For checks: is a coverage there what pfi_rest_of_state makes of the state? */
bool pfi_rest_is_of(pfi_bound *bound, pf_state state, const pfi_rests *rests, size_t index);

/* The least cost from a coverage to the end, when an arc with this input label has led to it; PF_EPSILON at the start, to which
 * no arc leads. O(n). */
double pfi_rest_cost(const pfi_bound *bound, const pfi_rests *rests, size_t index, pf_label in);

#endif
