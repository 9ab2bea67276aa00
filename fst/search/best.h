/* Best paths.
 *
 * The cost of a path is the double sum of its float weights from the start to the end. Paths are ordered by cost, then by
 * number of arcs, then by their input labels (in a permutation automaton: by permutation, as all paths have the same
 * number of arcs), then by their output strings. An order that holds for two paths holds when both go on alike, so every
 * search gives the same answer, and the n best are the first n of the n+1 best. */
#ifndef PF_SEARCH_BEST_H
#define PF_SEARCH_BEST_H

#include "machine/answer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    size_t n;             /* paths wanted; 0 is taken as 1 */
    size_t beam;          /* hypotheses kept at a level; 0: all */
    double threshold;     /* how much more than the best of its level a hypothesis may cost with what is left; 0: any */
    bool widen;           /* widen the beam until the best path is proven to be within `gap` of the least possible cost */
    double gap;
    uint64_t max_states;  /* states of the (composed) machine visited at most in one pass; 0: no limit */
    bool (*expired)(void *self); /* asked now and then: is the time over? NULL: never */
    void (*progress)(void *self, uint64_t states); /* called now and then with the states visited; NULL: not */
    void *self;
} pf_best_options;

/* The n best paths; fewer where there are no more. A layered machine (a permutation automaton, alone or composed with a
 * model) is searched level by level: exact dynamic programming with two levels of hypotheses, the back-pointers and the automaton's
 * expanded states in memory. Any other
 * machine is searched best-first, or in topological order where a weight is negative.
 * The answer is exact without beam, threshold and widening; with them its bound says how far from that it can be. A limit
 * that is met after a first answer of a widening search ends it with that answer.
 * *out is freed by pf_answer_free. PF_EINPUT: a cycle together with a negative weight. PF_EARG: a beam on a machine without levels. PF_ELIMIT: max_states, or expired. */
pf_err pf_best(pf_fst *fst, const pf_best_options *options, pf_answer *out);

#ifdef __cplusplus
}
#endif
#endif
