/* What scorers of units have in common (unit_scorers.c). Private to them. */
#ifndef PF_OPS_UNIT_SCORERS_IMPL_H
#define PF_OPS_UNIT_SCORERS_IMPL_H

#include "ops/units_impl.h"

/* The beginning of what such a scorer owns. */
typedef struct {
    pf_scorer_class cls; /* its own copy, with what `inner` has */
    pf_units *units;
    pf_scorer *inner;    /* of tuples, or of target words; NULL for the order of places */
} pfi_unit_scorer;

/* One more scorer of units, which lives as long as they do. It owns `size` bytes, which begin with its pfi_unit_scorer; the others
 * are 0, for the caller to fill. cls->free gives them back, whatever is filled. PF_ENOMEM. */
pf_err pfi_unit_scorer_add(pf_units *units, const pf_scorer_class *cls, size_t size, pf_scorer **out);

/* What scores units by words or tuples has pieces, and backs off step by step, if the scorer of these does. */
void pfi_unit_scorer_take_inner(pfi_unit_scorer *scorer, pf_scorer *inner);

/* What `inner` says. */
pf_state pfi_unit_scorer_start(const pf_scorer *scorer);
double pfi_unit_scorer_final(pf_scorer *scorer, pf_state state);
double pfi_unit_scorer_known_end(const pf_scorer *scorer, pf_state state);
bool pfi_unit_scorer_nonnegative(const pf_scorer *scorer);
pf_state pfi_unit_scorer_empty(const pf_scorer *scorer);
bool pfi_unit_scorer_open(const pf_scorer *scorer, pf_state state, unsigned words);
unsigned pfi_unit_scorer_backs(const pf_scorer *scorer);

/* A unit may say nothing, so any number of them may stand before one that matters. */
unsigned pfi_unit_scorer_reach(const pf_scorer *scorer);

/* Units are found, as the automaton is made of them. */
pf_label pfi_unit_scorer_label(const pf_scorer *scorer, const char *word, size_t length);

#endif
