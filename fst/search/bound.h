/* What the rest of a sentence costs at least, whatever order it takes: the tables of a sentence. Private to the searches.
 *
 * Every position that is still uncovered comes behind another one that is, or, one of them, behind the last word. So it
 * costs at least the least that its word costs behind any of those, in any longer history that the sentence offers; the last of all
 * pays for the end besides. The least costs are read off the rows of each model, which are made for every history that the
 * words of the sentence can form; those of several models add up. Admissible: a lower bound for every completion. left.h
 * adds them up. */
#ifndef PF_SEARCH_BOUND_H
#define PF_SEARCH_BOUND_H

#include "search/rows.h"

enum { PFI_CHUNK = 8 }; /* loops go by as many, which compilers turn into vector operations */

typedef struct {
    bool known;        /* else there is none, and nothing below is set but: */
    bool nonnegative;  /* totals are lower bounds: the bound is known, or no cost is below 0, and 0 is one */
    bool positions;    /* input labels tell the position */
    const pf_fst *fst;
    unsigned n;
    size_t stride;     /* n, or what makes it a multiple of PFI_CHUNK */
    float *behind;     /* n+1 rows of stride: the least cost of position j behind position q; row n: behind anything */
    uint16_t *by_cost; /* for each j the n positions q, cheapest first */
    double *end;       /* the least cost of ending behind q */
    uint16_t *by_end;  /* the n positions q, cheapest to end behind first */
    double *least;     /* of each column of the rows: the least that the models say in any history; -INFINITY: not known */
    uint64_t *uncovered; /* scratch: a coverage */
} pfi_bound;

/* Fills the rows of a single model; leaves `known` false where the automaton is no permutation automaton, one of its own costs may
 * be negative, or a model has more histories than are worth their rows. O(rows x words + n^2 (alternatives + log n)). */
pf_err pfi_bound_init(pfi_bound *bound, pfi_rows *rows, const pf_fst *fst);
void pfi_bound_free(pfi_bound *bound);

#endif
