/* Topological order of what can be reached. */
#ifndef PF_OPS_TOPSORT_H
#define PF_OPS_TOPSORT_H

#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    PF_VEC(pf_state) order;  /* every state that can be reached, sources before targets where there is no cycle */
    bool cyclic;
    PF_VEC(pf_arc) cycle;    /* then the arcs of one, in order */
} pf_topsort;

/* Called now and then with the states visited; what it fails with ends the sort. */
typedef pf_err (*pf_topsort_look)(void *self, uint64_t visited);

/* Depth-first without recursion; expands the machine, at most max_states of it (0: no bound; PF_ELIMIT past it). `look` may be
 * NULL. O(states + arcs). The result is freed by pf_topsort_free. */
pf_err pf_topsort_run(pf_fst *fst, uint64_t max_states, pf_topsort_look look, void *self, pf_topsort *out);
void pf_topsort_free(pf_topsort *top);

#ifdef __cplusplus
}
#endif
#endif
