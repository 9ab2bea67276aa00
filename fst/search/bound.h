/* What the rest of a sentence costs at least, whatever order it takes. Private to the searches.
 *
 * Every position that is still uncovered comes behind another one that is, or, one of them, behind the last word. So it
 * costs at least the least that its word costs behind any of those, in any longer history that the sentence offers; the last of all
 * pays for the end besides. The least costs are read off the model's rows, which are made for every history that the words
 * of the sentence can form. Admissible: a lower bound for every completion. */
#ifndef PF_SEARCH_BOUND_H
#define PF_SEARCH_BOUND_H

#include "search/rows.h"

typedef struct {
    bool known;        /* else there is none, and nothing below is set but: */
    bool nonnegative;  /* totals are lower bounds: the bound is known, or no cost is below 0, and 0 is one */
    bool positions;    /* input labels tell the position */
    const pf_fst *fst;
    unsigned n;
    double *behind;    /* n+1 rows of n: the least cost of position j behind position q; row n: behind anything */
    uint32_t *by_cost; /* for each j the n positions q, cheapest first */
    double *end;       /* the least cost of ending behind q */
    /* Of the coverage that was asked for last: */
    uint64_t *uncovered;
    unsigned *left, lefts; /* its members */
    double *least;     /* of each member, behind another member */
    double sum;        /* of these, and of the end */
} pfi_bound;

/* Fills rows with the model's; leaves `known` false where the automaton is no permutation automaton, a cost may be negative
 * or there are more histories than are worth their rows. O(rows x words + n^2 log n). */
pf_err pfi_bound_init(pfi_bound *bound, pfi_rows *rows, const pf_fst *fst);
void pfi_bound_free(pfi_bound *bound);

/* Takes up the coverage of a state. O(n), times the few positions that are passed over. */
void pfi_bound_state(pfi_bound *bound, pf_state state);

/* The least cost from that state to the end when it is reached by an arc of this input label. O(uncovered). */
double pfi_bound_rest(const pfi_bound *bound, pf_label in);

#endif
