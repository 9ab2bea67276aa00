/* The inside of a reordering lattice. The table of states has the arcs of a state as its key, so states with equal arcs are one
 * state, and an arc leads to a state with a smaller number. The end, state 0, has no arcs. */
#ifndef PFI_RULES_LATTICE_IMPL_H
#define PFI_RULES_LATTICE_IMPL_H

#include <permfst/base/statetab.h>
#include <permfst/rules/lattice.h>

#include <string.h>

typedef struct {
    uint32_t position; /* from 0 */
    float cost;
    uint32_t to;
} pfi_rule_arc; /* of a state: by position, which is unique */

struct pf_rule_lattice {
    unsigned n; /* positions */
    pf_state start; /* PF_NO_STATE: no path */
    pf_statetab states;
    PF_VEC(pfi_rule_arc) arcs; /* scratch: of states that are being made */
    PF_VEC(pf_state) on_path;     /* scratch */
};

/* The arcs of a state, copied one by one: keys are bytes. */
static inline uint32_t pfi_rule_arcs(const pf_rule_lattice *lattice, pf_state state) {
    size_t bytes;
    pf_statetab_key(&lattice->states, state, &bytes);
    return (uint32_t)(bytes / sizeof(pfi_rule_arc));
}
static inline pfi_rule_arc pfi_rule_arc_at(const pf_rule_lattice *lattice, pf_state state, uint32_t i) {
    size_t bytes;
    pfi_rule_arc arc;
    memcpy(&arc, (const char *)pf_statetab_key(&lattice->states, state, &bytes) + i * sizeof arc, sizeof arc);
    return arc;
}

/* The arc of `state` that reads a position, or the number of its arcs; O(log arcs). */
uint32_t pfi_rule_arc_find(const pf_rule_lattice *lattice, pf_state state, unsigned position);

/* The state of the arcs from `begin` on in lattice->arcs, which are dropped. *least is subtracted from the cost of each. */
pf_err pfi_rule_state_close(pf_rule_lattice *lattice, size_t begin, float *least, pf_state *state);
static inline pf_err pfi_rule_state_intern(pf_rule_lattice *lattice, size_t begin, pf_state *state) {
    size_t n = lattice->arcs.n - begin;
    lattice->arcs.n = begin;
    return pf_statetab_intern(&lattice->states, n ? (const void *)(lattice->arcs.at + begin) : "", n * sizeof(pfi_rule_arc),
        state, NULL);
}

/* Every state that the start leads to has arcs sorted by position, without repeats, to states of smaller numbers. Only the end has
 * no arc, so every state is on a path, and there is no cycle. All paths from a state read the same positions, and from the start
 * all n. States cannot be equal, because the table interns them. For PFI_CHECK. O(states + arcs). */
bool pfi_rule_lattice_sound(const pf_rule_lattice *lattice);

#endif
