/* The orders that people gave, one line for each record. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "tool.h"

/* The next one against an automaton: the paths of `fst` that have its words, an automaton that borrows fst. Frees with
 * reference_end. PF_EINPUT: there is no line left. */
typedef struct {
    pf_fst *words, *paths;
} referred;
pf_err reference_next(pf_reader *references, pf_fst *fst, referred *out);
void reference_end(referred *one);

/* The least cost of such a path; INFINITY where there is none. Any thread. */
pf_err reference_cost(const referred *one, double *cost);

/* That no line is left. PF_EINPUT. */
pf_err reference_close(pf_reader *references);

#endif
