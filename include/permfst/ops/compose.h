/* Composition of two transducers, on demand, with OpenFst's sequence filter.
 *
 * A state is (state of the first, state of the second, filter state). The filter keeps one of the equivalent orders of
 * epsilon moves, the first machine's output epsilons before the second's input epsilons, so no path is counted twice. Words
 * are matched by string where both sides carry a table, by number otherwise; neither side need be sorted. What is read
 * over failure arcs of the second is said in match.h. Making one is O(1); expanding a state is O(arcs)
 * look-ups. */
#ifndef PF_OPS_COMPOSE_H
#define PF_OPS_COMPOSE_H

#include <permfst/ops/match.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Can automata of these arc types be composed? Standard only with standard; log and log64 with either of these. PF_EARG: they
 * cannot, with a message. */
pf_err pf_compose_types(pf_arc_type first, pf_arc_type second);

/* Borrows both, which must outlive it. *out belongs to the caller. PF_EARG: different semirings. */
pf_err pf_compose_lazy(pf_fst *first, pf_fst *second, pf_fst **out);

/* The same with a second machine that is put in order already, and with both costs scaled, those of arcs and of ends: finite
 * numbers, at most FLT_MAX in size; an infinite cost stays infinite. Expanding: PF_ELIMIT where a float cannot hold a sum,
 * PF_EINPUT where a failure loop reads a word that has no name in the second machine's table. */
pf_err pf_compose_match(pf_fst *first, pf_match *second, const double scale[2], pf_fst **out);

#ifdef __cplusplus
}
#endif
#endif
