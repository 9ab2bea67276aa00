/* Building a machine arc by arc, in any order. Adding is O(1). */
#ifndef PF_MACHINE_BUILD_H
#define PF_MACHINE_BUILD_H

#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    PF_VEC(pf_arc) arcs;
    PF_VEC(pf_state) from; /* parallel to arcs */
    PF_VEC(float) final;   /* of each state */
} pf_build; /* all zero: empty */

/* Adds the states up to `state` that are missing; they are not final. PF_ENOMEM. */
pf_err pf_build_state(pf_build *build, pf_state state);

/* Sets the final cost of a state, which is added if it is missing; INFINITY: not final. PF_ENOMEM. */
pf_err pf_build_final(pf_build *build, pf_state state, float weight);

/* Adds an arc with labels of at least 0 and a weight that is not NaN, and the states that are missing. Arcs of one state
 * keep the order in which they were added. PF_ENOMEM. */
pf_err pf_build_arc(pf_build *build, pf_state from, pf_label in, pf_label out, float weight, pf_state to);

/* The machine; the builder is empty again, also after an error. `start` is one of the states, if there are any.
 * *out belongs to the caller. PF_ENOMEM. O(states + arcs). */
pf_err pf_build_finish(pf_build *build, pf_arc_type type, pf_state start, pf_fst **out);

/* Frees what a builder holds; it is empty again. */
void pf_build_free(pf_build *build);

#ifdef __cplusplus
}
#endif
#endif
