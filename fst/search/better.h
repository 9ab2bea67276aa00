/* What the passes of one search have found, put together. Private to the searches. */
#ifndef PF_SEARCH_BETTER_H
#define PF_SEARCH_BETTER_H

#include <permfst/machine/answer.h>
#include <permfst/ops/units.h>

/* Takes over the paths of another pass over the same machine if they are better, the greater bound, and the lattice if there is
 * one; work is added up. `units` are those that the paths are made of, or NULL. *found is freed. O(paths x length). */
void pfi_take_better(pf_answer *best, pf_answer *found, const pf_units *units);

#endif
