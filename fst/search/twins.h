/* Positions whose words no model tells apart, which the best path visits from left to right. Private to the searches.
 *
 * Where the space sorts (space.h), as with ibm:L and in free order, and a move costs nothing by itself, two such positions may
 * change places on a path that visits the right one first: the new path costs the same, to the last bit. Of the two, the one that
 * visits the left position first comes first in the order of ties (best.h: inputs, which are positions). So a search for the one
 * best path need not visit a position before its twin to the left. A sentence with three commas and two articles has 12 times
 * fewer paths then. O(1) for an arc. */
#ifndef PF_SEARCH_TWINS_H
#define PF_SEARCH_TWINS_H

#include "search/rows.h"

#include <permfst/machine/moves.h>

typedef struct {
    uint32_t length;   /* positions */
    uint32_t *left;    /* of each position: the nearest one to the left with such alternatives; the length: none. NULL: there
                          are no twins, or paths to be kept where they do not go from left to right */
    uint64_t *covered; /* scratch: a coverage */
} pfi_twins;

/* Of a sentence whose inputs are positions. PF_ENOMEM, when pfi_twins_free is still to be called. */
pf_err pfi_twins_init(pfi_twins *twins, pfi_rows *rows, const pf_slots_view *slots);
void pfi_twins_free(pfi_twins *twins);

/* The coverage of a state is what pfi_twins_wait asks of. Needs twins->left. */
void pfi_twins_look(pfi_twins *twins, const pf_fst *fst, pf_state state);

/* Does a position have to wait, because its twin is not covered? */
bool pfi_twins_wait(const pfi_twins *twins, unsigned position);

/* The same of a move of a table, without the coverage: is its twin among the moves of its state, which begin with `first`? In a
 * space that sorts, an uncovered position may be visited if one to the right of it may. */
static inline bool pfi_twins_delay(const pfi_twins *twins, const pf_moves *moves, uint32_t first, uint32_t move) {
    const uint32_t left = twins->left[moves->position[move]];
    if (left == twins->length) return false;
    while (first < move && moves->position[first] != left) first++;
    return first < move;
}

#endif
