/* Potentials of histories: costs are spread over the words of a path so that a coarse model knows more of them. Private to the
 * searches.
 *
 * A coarse model that knows only the last position takes, for each next position, the history after which it costs least. The best
 * path has another history there, so it costs more. Let each history have a potential, which the word that leads to it pays, and
 * which the next word need not pay: the costs of paths stay the same, whatever the potentials are, but the least costs of words
 * change (reparametrization; Wainwright, Jaakkola & Willsky 2005, Werner 2007). Good potentials make the history that the best path
 * has as cheap as any other.
 *
 * Two ways find them. The first one gives a history what it costs more than the least, whatever comes next: mostly the cost of
 * backing off. It makes no least cost smaller. The second one are subgradient steps (Held & Karp 1971; Komodakis, Paragios &
 * Tziritas 2007): the best route of the coarse model is found; a history that it leads to gets more, and one that it takes the next
 * cost from gets less. A route visits as many positions as there are, each among those that the space may visit at that step
 * (machine/space.h), but perhaps some of them twice. So positions have prices, as in routes.h, which are found by the same steps.
 * They are of no more use when the coarse model knows the coverage (completion.h).
 *
 * Of n positions with h histories each: O(n^2 h) additions for the costs and O(n w^2) for the route, for each step, where w
 * positions may be visited at a time, eight at once; 4 n^2 (h + 3) bytes. */
#ifndef PF_SEARCH_POTENTIALS_H
#define PF_SEARCH_POTENTIALS_H

#include "search/histories.h"

/* Potentials of the rows, in potential[row]; 0 of row 0 and of those that are not placed. Where there are too many words, or too
 * many rows are placed, all of them are 0. PF_ENOMEM. */
pf_err pfi_potentials_find(const pfi_placed_model *model, double *potential);

#endif
