/* A lazy machine made ordinary: expanded, trimmed, its states numbered in breadth-first order. */
#ifndef PF_OPS_EXPAND_H
#define PF_OPS_EXPAND_H

#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything that lies on a path from the start to a final state. max_states bounds the states visited (0: no bound). The watcher
 * of the machine is called at the end, too. The new machine shares the symbol tables. *out belongs to the caller. PF_ELIMIT, with
 * the number of states seen; errors of expanding; PF_ENOMEM. O(states + arcs). */
pf_err pf_expand(pf_fst *fst, uint64_t max_states, pf_fst **out);

#ifdef __cplusplus
}
#endif
#endif
