/* A* over a layered machine. Private to the searches. */
#ifndef PF_SEARCH_ASTAR_H
#define PF_SEARCH_ASTAR_H

#include "search/levels.h"

/* The best path, by expanding first the hypothesis with the least sum of cost and rest cost. It is the other way to do an exact
 * pass, and answers as pfi_levels_pass does. With PF_ELIMIT the bound is the least total on the frontier, and the answer has the
 * best path that was met, if one was. Needs a bound that is admissible or empty, and a pass without beam, threshold and lattice
 * for one path. */
pf_err pfi_astar(pfi_levels *all, const pfi_pass *pass, pf_answer *out);

#endif
