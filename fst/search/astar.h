/* A* over a layered machine. Private to the searches. */
#ifndef PF_SEARCH_ASTAR_H
#define PF_SEARCH_ASTAR_H

#include "search/levels.h"

/* The best path, by expanding the hypothesis whose path costs least with what is left. As pfi_levels_pass, of which it is
 * the other way to do an exact pass: no beam, no threshold, one path. With PF_ELIMIT the bound is the least total in the queue.
 * Only where all->bound.nonnegative. */
pf_err pfi_astar(pfi_levels *all, const pfi_pass *pass, pf_answer *out);

#endif
