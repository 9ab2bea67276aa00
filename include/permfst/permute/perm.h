/* The permutation automaton of a sentence, on demand (Kanthak et al. 2005, section 4).
 *
 * A state is a coverage (a bit for each slot of the linear input), the bytes of its constraint and those of its weight
 * model; one table interns these to dense ids. An arc visits one uncovered position: the input label is the position,
 * 1..n, the output label the word. A slot with alternatives gives one arc for each, which share the position's
 * probability and keep their own weights. Only states that somebody asks for are built. */
#ifndef PF_PERMUTE_PERM_H
#define PF_PERMUTE_PERM_H

#include <permfst/machine/fst.h>
#include <permfst/machine/weight.h>
#include <permfst/permute/con.h>
#include <permfst/permute/wm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Checks names and parameters without a sentence or tables. PF_EARG. */
pf_err pf_perm_check(const pf_perm_spec *spec);

/* The lazy automaton over a linear one, of which a copy is kept. States are live and the machine is layered: a state is
 * reached by as many arcs as it has covered positions. *out belongs to the caller; pf_fst_free ends it.
 * PF_EARG, PF_EINPUT (not linear), PF_ELIMIT (more than PF_MAX_WORDS), PF_ENOMEM. The tables of weights must outlive it. Cost: O(n) here; later, for each state
 * expanded, its arcs and a hash look-up for each of its moves. */
pf_err pf_perm_lazy(pf_fst *linear, const pf_perm_spec *spec, pf_fst **out);

#ifdef __cplusplus
}
#endif
#endif
