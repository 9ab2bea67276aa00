/* The permutation automaton of a sentence, on demand (Kanthak et al. 2005, section 4).
 *
 * A state is a coverage (a bit for each slot of the linear input), the extra bytes of the constraint, and those of the weight
 * model. One table interns these bytes to dense ids. An arc visits one uncovered position: the input label is the position,
 * 1..n, the output label the word. A slot with alternatives gives one arc for each; every one of them pays the cost of the
 * move and its own weight. Only states that are asked for are built. Checks are O(size of the specification). */
#ifndef PF_PERMUTE_PERM_H
#define PF_PERMUTE_PERM_H

#include <permfst/machine/fst.h>
#include <permfst/machine/weight.h>
#include <permfst/permute/con.h>
#include <permfst/permute/wm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Are names and parameters valid? No sentence and no tables are needed. PF_EARG. */
pf_err pf_perm_check(const pf_perm_spec *spec);

/* The lazy automaton over a linear one, which is copied; over a word graph, where itg is asked for, that of graph.h. Every state
 * reaches the end, and the machine is layered: all paths to a state have as many arcs as the state has covered positions. *out
 * belongs to the caller; pf_fst_free ends it.
 * PF_EARG, PF_EINPUT (not linear), PF_ELIMIT (more than PF_MAX_WORDS slots), PF_ENOMEM. O(n) here; later, for each state
 * expanded, its arcs and one hash look-up for each move. The tables of weights must outlive it. */
pf_err pf_perm_lazy(pf_fst *linear, const pf_perm_spec *spec, pf_fst **out);

/* Is it such an automaton? A composition is not one, even of such an automaton. */
bool pf_is_perm(const pf_fst *fst);

/* The same orders of the same words with other weights, and nothing else that costs anything: `wm` for its length, which belongs to
 * the new automaton from now on, also when this fails; NULL: no move costs anything. Borrows the constraint of `perm`, which must
 * outlive it. *out belongs to the caller. PF_ENOMEM. O(arcs of the slots) here. */
pf_err pf_perm_reweigh(pf_fst *perm, pf_wm *wm, pf_fst **out);

#ifdef __cplusplus
}
#endif
#endif
