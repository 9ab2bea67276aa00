/* Makes a lazy machine ordinary: expands it, trims it, and numbers its states in breadth-first order. */
#ifndef PF_OPS_EXPAND_H
#define PF_OPS_EXPAND_H

#include <permfst/machine/fst.h>
#include <permfst/machine/moves.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a machine of everything that lies on a path from the start to a final state. max_states bounds the states visited (0: no
 * bound). The watcher of the machine is called at the end, too. The new machine shares the symbol tables. *out belongs to the
 * caller. PF_ELIMIT, with the number of states seen; errors of expanding; PF_ENOMEM. O(states + arcs). */
pf_err pf_expand(pf_fst *fst, uint64_t max_states, pf_fst **out);

/* The same for the sentences of a corpus. Permutation automata of one length and one space share the table of moves that the first
 * of them makes, however many threads expand them. The store is borrowed; NULL: nothing is shared. The watcher of a machine whose
 * table is there already is called only at the end. Errors and cost of pf_expand. */
pf_err pf_expand_shared(pf_fst *fst, uint64_t max_states, pf_moves_store *store, pf_fst **out);

#ifdef __cplusplus
}
#endif
#endif
