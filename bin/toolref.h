/* The orders that people gave, one line for each record. */
#ifndef TOOLREF_H
#define TOOLREF_H

#include "tool.h"

/* The next one against an automaton: the paths of `fst` that have its words, an automaton that borrows fst. Frees with
 * toolref_end. PF_EINPUT: there is no line left. */
typedef struct {
    pf_fst *words, *paths;
} toolref;
pf_err toolref_next(pf_reader *references, pf_fst *fst, toolref *out);
void toolref_end(toolref *one);

/* The least cost of such a path; INFINITY where there is none. Any thread. */
pf_err toolref_cost(const toolref *one, double *cost);

/* Past the line of a record that failed: gives back `err`, with its message, or an error of reading. */
pf_err toolref_skip(pf_reader *references, pf_err err);

/* That no line is left. PF_EINPUT. */
pf_err toolref_close(pf_reader *references);

#endif
