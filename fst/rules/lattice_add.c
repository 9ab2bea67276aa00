/* Adds a permutation to a lattice that is minimal already. The states along its beginning are made anew, since other paths may
 * lead to them too, and its end becomes a path of its own. Each new state is looked up like any other. */
#include "rules/rule_lattice_impl.h"
#include "rules/rules_impl.h"
#include "base/contract.h"

uint32_t pfi_rule_arc_find(const pf_rule_lattice *lattice, pf_state state, unsigned position) {
    uint32_t count = pfi_rule_arcs(lattice, state), low = 0, high = count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (pfi_rule_arc_at(lattice, state, mid).position < position) low = mid + 1;
        else high = mid;
    }
    return low < count && pfi_rule_arc_at(lattice, state, low).position == position ? low : count;
}

bool pf_rule_lattice_has(const pf_rule_lattice *lattice, const unsigned *perm, double *cost) {
    pf_state state = lattice->start;
    double sum = 0;
    if (state == PF_NO_STATE) return false;
    for (unsigned step = 0; step < lattice->n; step++) {
        uint32_t i = pfi_rule_arc_find(lattice, state, perm[step]);
        if (i == pfi_rule_arcs(lattice, state)) return false;
        pfi_rule_arc arc = pfi_rule_arc_at(lattice, state, i);
        sum += (double)arc.cost;
        state = arc.to;
    }
    if (cost) *cost = sum;
    return true;
}

/* The states along the permutation as far as it is there: lattice->on_path, the last of which has no arc for it. */
static pf_err follow(pf_rule_lattice *lattice, const unsigned *perm, double *cost) {
    lattice->on_path.n = 0;
    *cost = 0;
    for (pf_state state = lattice->start; state != PF_NO_STATE;) {
        PF_TRY(PF_PUSH(&lattice->on_path, state));
        size_t step = lattice->on_path.n - 1;
        uint32_t i = step < lattice->n ? pfi_rule_arc_find(lattice, state, perm[step]) : 0;
        if (step == lattice->n || i == pfi_rule_arcs(lattice, state)) return PF_OK;
        pfi_rule_arc arc = pfi_rule_arc_at(lattice, state, i);
        *cost += (double)arc.cost;
        state = arc.to;
    }
    return PF_OK;
}

/* The state with the arcs of `state` and `arc`, which stands in for the one that reads its position; the start keeps what its arcs
 * cost, any other state gives the least of it to the arc before it. */
static pf_err with_arc(pf_rule_lattice *lattice, pf_state state, pfi_rule_arc arc, bool start, float *least,
    pf_state *out) {
    uint32_t count = state == PF_NO_STATE ? 0 : pfi_rule_arcs(lattice, state), at = 0;
    lattice->arcs.n = 0;
    for (; at < count && pfi_rule_arc_at(lattice, state, at).position < arc.position; at++)
        PF_TRY(PF_PUSH(&lattice->arcs, pfi_rule_arc_at(lattice, state, at)));
    if (start && arc.cost < 0) arc.cost = 0; /* what rounding has left */
    PF_TRY(PF_PUSH(&lattice->arcs, arc));
    if (at < count && pfi_rule_arc_at(lattice, state, at).position == arc.position) at++;
    for (; at < count; at++) PF_TRY(PF_PUSH(&lattice->arcs, pfi_rule_arc_at(lattice, state, at)));
    *least = 0;
    return start ? pfi_rule_state_intern(lattice, 0, out) : pfi_rule_state_close(lattice, 0, least, out);
}

/* The end of the permutation, from `step` on, as a path. */
static pf_err new_end(pf_rule_lattice *lattice, const unsigned *perm, size_t step, pf_state *state) {
    *state = 0;
    for (size_t i = lattice->n; i-- > step;) {
        pfi_rule_arc arc = {perm[i], 0, *state};
        lattice->arcs.n = 0;
        PF_TRY(PF_PUSH(&lattice->arcs, arc));
        PF_TRY(pfi_rule_state_intern(lattice, 0, state));
    }
    return PF_OK;
}

static pf_err add_path(pf_rule_lattice *lattice, const unsigned *perm, float cost, bool *fresh) {
    double so_far;
    PF_TRY(follow(lattice, perm, &so_far));
    *fresh = lattice->on_path.n <= lattice->n;
    if (!*fresh) return PF_OK;
    size_t step = lattice->on_path.n ? lattice->on_path.n - 1 : 0; /* the step that is not there */
    pfi_rule_arc arc = {0, (float)((double)cost - so_far), 0};
    if (!lattice->n) {
        lattice->start = 0;
        return PF_OK;
    }
    PF_TRY(new_end(lattice, perm, step + 1, &arc.to));
    for (size_t at = step + 1; at--;) {
        pf_state from = lattice->on_path.n ? lattice->on_path.at[at] : PF_NO_STATE, made;
        float least;
        arc.position = perm[at];
        if (at < step) arc.cost += pfi_rule_arc_at(lattice, from, pfi_rule_arc_find(lattice, from, perm[at])).cost;
        PF_TRY(with_arc(lattice, from, arc, at == 0, &least, &made));
        arc = (pfi_rule_arc){0, least, made};
    }
    lattice->start = arc.to;
    return PF_OK;
}

pf_err pf_rule_lattice_add(pf_rule_lattice *lattice, const unsigned *perm, float cost, bool *fresh) {
    assert(cost >= 0);
    PFI_CHECK(pfi_is_permutation(perm, lattice->n));
    pf_err err = add_path(lattice, perm, cost, fresh);
    PFI_CHECK(err || pfi_rule_lattice_sound(lattice));
    return err;
}
