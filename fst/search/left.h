/* The lower bound of what a coverage leaves. Private to the searches.
 *
 * Of each coverage of a level it is kept what each uncovered position, its members, costs at least behind another member; the
 * next coverage has one member less and copies all costs but those that came from that one. */
#ifndef PF_SEARCH_LEFT_H
#define PF_SEARCH_LEFT_H

#include "search/bound.h"

typedef struct {
    double sum;   /* of the members' least costs, and of the end behind one of them */
    uint32_t n;   /* members */
    uint32_t end; /* the one that is cheapest to end behind */
} pfi_left;

/* A row for each coverage of a level, in the order they were added. */
typedef struct {
    PF_VEC(pfi_left) row;
    PF_VEC(float) least; /* stride a row: of each position; -INFINITY: no member; INFINITY: there is no other member */
} pfi_lefts;

void pfi_lefts_free(pfi_lefts *lefts);

/* Adds the row of a state's coverage. O(n), times the few positions that are passed over. PF_ENOMEM. */
pf_err pfi_left_of(pfi_bound *bound, pf_state state, pfi_lefts *to);

/* Adds the row of what row `from` of another level leaves when position k is covered. O(n). PF_ENOMEM. */
pf_err pfi_left_after(const pfi_bound *bound, const pfi_lefts *lefts, size_t from, unsigned k, pfi_lefts *to);

/* The least cost from the coverage of a row to the end, when it is reached by an arc of this input label. O(n). */
double pfi_left_rest(const pfi_bound *bound, const pfi_lefts *lefts, size_t row, pf_label in);

#endif
