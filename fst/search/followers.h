/* The units by which a path may go on within a limit. Private to the searches.
 *
 * Completions say what comes after a unit of a move at least, and the bound what the unit costs after the one before it. Together
 * with the cost of the path so far that is a lower bound which asks no model: most units of most moves are beyond the limit by it,
 * so that models are asked for few. */
#ifndef PF_SEARCH_FOLLOWERS_H
#define PF_SEARCH_FOLLOWERS_H

#include "search/completion.h"

#include <permfst/base/vec.h>

/* A move from the state of a path, and one of its units. */
typedef struct {
    uint32_t move;
    uint32_t unit; /* as the bound numbers them: a copy, where silent units have several (said.h) */
    double rest;   /* what comes after it at least */
} pfi_follower;

typedef PF_VEC(pfi_follower) pfi_followers;

/* Where a path stands. */
typedef struct {
    uint32_t state; /* as moves number them */
    uint32_t unit;  /* the last one; bound->length at the start */
    uint32_t class; /* of what was said last, where silent units are told apart by it */
} pfi_path_end;

/* Makes *out a list of the units after which something can come, by which a path may go on and cost no more than `most` from there
 * on: in order. `most` is finite. `own`: the scale of what moves cost. Needs completion->units. O(units after which something can
 * come). PF_ENOMEM. */
pf_err pfi_followers_find(const pfi_completion *completion, const pfi_bound *bound, double own, const pfi_path_end *end,
    double most, pfi_followers *out);

#endif
