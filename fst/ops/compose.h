/* Composition of two transducers, on demand, with OpenFst's sequence filter.
 *
 * A state is (state of the first, state of the second, filter state). The filter keeps one of the equivalent orders of
 * epsilon moves, the first machine's output epsilons before the second's input epsilons, so no path is counted twice. Words
 * are matched by string where both sides carry a table, by number otherwise; neither side need be sorted. */
#ifndef PF_OPS_COMPOSE_H
#define PF_OPS_COMPOSE_H

#include "machine/fst.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Borrows both, which must outlive it. *out belongs to the caller. PF_EARG: different semirings. */
pf_err pf_compose_lazy(pf_fst *first, pf_fst *second, pf_fst **out);

#ifdef __cplusplus
}
#endif
#endif
