/* Composition with a deterministic model, on demand: the model's costs on an automaton's output words.
 *
 * A state is a pair (state of the automaton, state of the model); labels stay as they are; an arc costs the automaton's
 * weight plus the model's cost of its output word, made a float once; epsilon outputs leave the model where it is. */
#ifndef PF_OPS_SCORE_H
#define PF_OPS_SCORE_H

#include "model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Borrows both, which must outlive it. *out belongs to the caller. PF_EINPUT: the automaton has no table of words. */
pf_err pf_score_lazy(pf_fst *fst, const pf_model *model, pf_fst **out);

/* Is it such a composition? Then its operands (borrowed) and true. The searches by level take them apart. */
bool pf_score_parts(const pf_fst *score, pf_fst **fst, const pf_model **model);

#ifdef __cplusplus
}
#endif
#endif
