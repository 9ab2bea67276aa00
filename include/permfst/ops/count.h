/* Counts the states, arcs and paths of a machine. */
#ifndef PF_OPS_COUNT_H
#define PF_OPS_COUNT_H

#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t states, arcs, finals;
    bool cyclic;
    char *paths; /* the exact number of paths from the start to a final state, in decimal; an arc of infinite weight is
                    * on none. NULL when cyclic */
} pf_count;

/* Counts what can be reached from the start, expanding it; max_states as in pf_expand. Paths are summed exactly (gmp) in
 * topological order. *out is freed by pf_count_free. PF_ELIMIT, PF_ENOMEM; errors of expanding. O(states + arcs) additions. */
pf_err pf_count_all(pf_fst *fst, uint64_t max_states, pf_count *out);
void pf_count_free(pf_count *count);

#ifdef __cplusplus
}
#endif
#endif
