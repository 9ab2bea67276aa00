/* The most that a sum over the output labels of a path can be, without expanding the states of a lazy machine: a bound for searches
 * that a limit has ended. That there is one says that the machine has no cycle.
 *
 * A stored machine is gone through backwards from its ends: the value is exact. A permutation automaton visits each slot once, so
 * the value is the sum over slots of the most that an alternative gains; a word graph is a stored machine. A machine that follows
 * another one, path by path, asks that one with what its own arcs make of a label (pf_op, `most`). */
#ifndef PF_OPS_MOST_H
#define PF_OPS_MOST_H

#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an output label gains; finite, or -INFINITY for a label that no path can have. Epsilon is asked for, too. */
typedef struct pf_gain {
    pf_err (*of)(void *self, pf_label out, double *gain);
    void *self;
} pf_gain;

/* What no path from the start to an end exceeds; -INFINITY: there is no path; INFINITY: the machine has a cycle that can be reached
 * from the start, or it is not known that it has none. Expands nothing. O(arcs) of the stored machines inside, and as many gains.
 * PF_ENOMEM; errors of gains. */
pf_err pf_most_known(pf_fst *fst, const pf_gain *gain, double *out);

/* The same, but a machine of which pf_most_known does not know whether it has a cycle is expanded, in O(states + arcs): INFINITY
 * says that there is a cycle. PF_ELIMIT: it has more than max_states states; errors of the machine. */
pf_err pf_most(pf_fst *fst, const pf_gain *gain, uint64_t max_states, double *out);

#ifdef __cplusplus
}
#endif
#endif
