/* Adds a permutation to a lattice that is minimal already. The states along its beginning are made anew, since other paths may
 * lead to them too, and its end becomes a path of its own. Each new state is looked up like any other. */
#include "rules/rule_lattice_impl.h"
#include "rules/rules_impl.h"
#include "base/contract.h"

uint32_t pfi_rule_arc_find(const pf_rule_lattice *lattice, pf_state s, unsigned position) {
    uint32_t n = pfi_rule_arcs(lattice, s), low = 0, high = n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (pfi_rule_arc_at(lattice, s, mid).position < position) low = mid + 1;
        else high = mid;
    }
    return low < n && pfi_rule_arc_at(lattice, s, low).position == position ? low : n;
}

bool pf_rule_lattice_has(const pf_rule_lattice *lattice, const unsigned *perm, double *cost) {
    pf_state s = lattice->start;
    double sum = 0;
    if (s == PF_NO_STATE) return false;
    for (unsigned step = 0; step < lattice->n; step++) {
        uint32_t i = pfi_rule_arc_find(lattice, s, perm[step]);
        if (i == pfi_rule_arcs(lattice, s)) return false;
        pfi_rule_arc a = pfi_rule_arc_at(lattice, s, i);
        sum += (double)a.cost;
        s = a.to;
    }
    if (cost) *cost = sum;
    return true;
}

/* The states along the permutation as far as it is there: lattice->on_path, the last of which has no arc for it. */
static pf_err follow(pf_rule_lattice *lattice, const unsigned *perm, double *cost) {
    lattice->on_path.n = 0;
    *cost = 0;
    for (pf_state s = lattice->start; s != PF_NO_STATE;) {
        PF_TRY(PF_PUSH(&lattice->on_path, s));
        size_t step = lattice->on_path.n - 1;
        uint32_t i = step < lattice->n ? pfi_rule_arc_find(lattice, s, perm[step]) : 0;
        if (step == lattice->n || i == pfi_rule_arcs(lattice, s)) return PF_OK;
        pfi_rule_arc a = pfi_rule_arc_at(lattice, s, i);
        *cost += (double)a.cost;
        s = a.to;
    }
    return PF_OK;
}

/* The state with the arcs of `s` and `a`, which stands in for the one that reads its position; the start keeps what its arcs
 * cost, any other state gives the least of it to the arc before it. */
static pf_err with_arc(pf_rule_lattice *lattice, pf_state s, pfi_rule_arc a, bool start, float *least, pf_state *out) {
    uint32_t n = s == PF_NO_STATE ? 0 : pfi_rule_arcs(lattice, s), i = 0;
    lattice->arcs.n = 0;
    for (; i < n && pfi_rule_arc_at(lattice, s, i).position < a.position; i++)
        PF_TRY(PF_PUSH(&lattice->arcs, pfi_rule_arc_at(lattice, s, i)));
    if (start && a.cost < 0) a.cost = 0; /* what rounding has left */
    PF_TRY(PF_PUSH(&lattice->arcs, a));
    if (i < n && pfi_rule_arc_at(lattice, s, i).position == a.position) i++;
    for (; i < n; i++) PF_TRY(PF_PUSH(&lattice->arcs, pfi_rule_arc_at(lattice, s, i)));
    *least = 0;
    return start ? pfi_rule_state_intern(lattice, 0, out) : pfi_rule_state_close(lattice, 0, least, out);
}

/* The end of the permutation, from `step` on, as a path. */
static pf_err new_end(pf_rule_lattice *lattice, const unsigned *perm, size_t step, pf_state *s) {
    *s = 0;
    for (size_t i = lattice->n; i-- > step;) {
        pfi_rule_arc a = {perm[i], 0, *s};
        lattice->arcs.n = 0;
        PF_TRY(PF_PUSH(&lattice->arcs, a));
        PF_TRY(pfi_rule_state_intern(lattice, 0, s));
    }
    return PF_OK;
}

static pf_err add_path(pf_rule_lattice *lattice, const unsigned *perm, float cost, bool *fresh) {
    double so_far;
    PF_TRY(follow(lattice, perm, &so_far));
    *fresh = lattice->on_path.n <= lattice->n;
    if (!*fresh) return PF_OK;
    size_t step = lattice->on_path.n ? lattice->on_path.n - 1 : 0; /* the step that is not there */
    pfi_rule_arc a = {0, (float)((double)cost - so_far), 0};
    if (!lattice->n) {
        lattice->start = 0;
        return PF_OK;
    }
    PF_TRY(new_end(lattice, perm, step + 1, &a.to));
    for (size_t i = step + 1; i--;) {
        pf_state from = lattice->on_path.n ? lattice->on_path.at[i] : PF_NO_STATE, made;
        float least;
        a.position = perm[i];
        if (i < step) a.cost += pfi_rule_arc_at(lattice, from, pfi_rule_arc_find(lattice, from, perm[i])).cost;
        PF_TRY(with_arc(lattice, from, a, i == 0, &least, &made));
        a = (pfi_rule_arc){0, least, made};
    }
    lattice->start = a.to;
    return PF_OK;
}

pf_err pf_rule_lattice_add(pf_rule_lattice *lattice, const unsigned *perm, float cost, bool *fresh) {
    assert(cost >= 0);
    PFI_CHECK(pfi_is_permutation(perm, lattice->n));
    pf_err err = add_path(lattice, perm, cost, fresh);
    PFI_CHECK(err || pfi_rule_lattice_sound(lattice));
    return err;
}
