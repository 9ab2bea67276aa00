/* Arcs sorted by input label, and what is known of a whole machine once they are. */
#include <permfst/ops/match.h>

#include <permfst/base/digits.h>
#include "ops/match_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

pf_label pf_match_label(const pf_symtab *isyms, const char *phi) {
    if (isyms) {
        pf_label label = pf_symtab_find(isyms, phi, strlen(phi));
        return label > 0 ? label : PF_NO_LABEL;
    }
    uint64_t x;
    return pf_digits(phi, strlen(phi), &x) && x > 0 && x <= INT32_MAX ? (pf_label)x : PF_NO_LABEL;
}

/* ---- order ---- */

static int by_input(const void *first, const void *second) {
    const pf_arc *label = first, *other = second;
    if (label->in != other->in) return label->in < other->in ? -1 : 1;
    if (label->out != other->out) return label->out < other->out ? -1 : 1;
    return (label->to > other->to) - (label->to < other->to);
}

static bool is_sorted(pf_arcs arcs) {
    for (uint32_t i = 1; i < arcs.n; i++)
        if (arcs.arc[i].in < arcs.arc[i - 1].in) return false;
    return true;
}

/* The arcs themselves where they are in order, else a copy. */
static pf_err sort(pf_match *match, pf_arcs arcs, const pf_arc **out) {
    *out = arcs.arc;
    if (is_sorted(arcs)) return PF_OK;
    pf_arc *copy = pf_arena_get(&match->memory, arcs.n * sizeof *copy);
    if (!copy) return pf_nomem();
    memcpy(copy, arcs.arc, arcs.n * sizeof *copy);
    qsort(copy, arcs.n, sizeof *copy, by_input);
    *out = copy;
    return PF_OK;
}

pf_err pfi_match_arcs(pf_match *match, pf_state state, pf_arcs *out) {
    *out = pf_fst_arcs(match->fst, state);
    if (match->whole) {
        assert(state < match->states);
        if (match->sorted.n) out->arc = match->sorted.at[state];
        return PF_OK;
    }
    PF_TRY(pf_fst_error(match->fst));
    while (match->sorted.n <= state) PF_TRY(PF_PUSH(&match->sorted, NULL));
    if (!match->sorted.at[state]) PF_TRY(sort(match, *out, &match->sorted.at[state]));
    out->arc = match->sorted.at[state];
    return PF_OK;
}

/* All states in order; where they were so, there is nothing to keep. */
static pf_err sort_all(pf_match *match) {
    bool copied = false;
    PF_TRY(PF_ROOM(&match->sorted, (size_t)match->states + 1));
    for (pf_state state = 0; state < match->states; state++) {
        pf_arcs arcs = pf_fst_arcs(match->fst, state);
        PF_TRY(sort(match, arcs, &match->sorted.at[state]));
        copied = copied || match->sorted.at[state] != arcs.arc;
    }
    match->sorted.n = match->states;
    if (!copied) PF_VEC_FREE(&match->sorted);
    match->whole = true;
    return PF_OK;
}

/* ---- failure arcs ---- */

/* The first arc whose input label is at least `label`. */
static uint32_t lower_bound(pf_arcs arcs, pf_label label) {
    uint32_t low = 0, high = arcs.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (arcs.arc[middle].in < label) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The failure arc of a state, or NULL. The label is mostly the largest or the least. */
static const pf_arc *failure(const pf_match *match, pf_arcs arcs) {
    if (match->phi == PF_NO_LABEL || !arcs.n) return NULL;
    if (arcs.arc[arcs.n - 1].in <= match->phi) return arcs.arc[arcs.n - 1].in == match->phi ? &arcs.arc[arcs.n - 1] : NULL;
    uint32_t i = lower_bound(arcs, match->phi);
    return arcs.arc[i].in == match->phi ? &arcs.arc[i] : NULL;
}

static pf_err one_failure(pf_match *match) {
    for (pf_state state = 0; state < match->states; state++) {
        pf_arcs arcs;
        PF_TRY(pfi_match_arcs(match, state, &arcs));
        const pf_arc *failing = failure(match, arcs);
        if (!failing) continue;
        if ((failing > arcs.arc && failing[-1].in == match->phi) ||
            (failing + 1 < arcs.arc + arcs.n && failing[1].in == match->phi))
            return pf_fail(PF_EINPUT, "state %u has more than one failure arc", state);
        if (failing->to == state) match->loops = true;
    }
    return PF_OK;
}

/* Every state is passed once: a walk ends where an earlier one went, at a state that does not fail, or at a loop. */
static pf_err no_cycle(pf_match *match) {
    pf_state *walk = calloc((size_t)match->states + 1, sizeof *walk); /* by which each state was passed; 0: by none */
    pf_err err = walk ? PF_OK : pf_nomem();
    for (pf_state first = 0; !err && first < match->states; first++)
        for (pf_state state = first; !err && !walk[state];) {
            pf_arcs arcs = {0};
            walk[state] = first + 1;
            err = pfi_match_arcs(match, state, &arcs);
            const pf_arc *failing = failure(match, arcs);
            if (!failing || failing->to == state) break;
            state = failing->to;
            if (walk[state] == first + 1) err = pf_fail(PF_EINPUT, "failure arcs lead from state %u back to it", state);
        }
    free(walk);
    return err;
}

/* ---- what a whole machine is ---- */

/* Do both tables call the labels alike? */
static bool one_table(const pf_fst *fst) {
    if (fst->isyms == fst->osyms) return true;
    if (!fst->isyms || !fst->osyms) return false;
    for (size_t i = 0; i < pf_symtab_count(fst->isyms); i++) {
        pf_label label;
        const char *name = pf_symtab_at(fst->isyms, i, NULL, &label), *other = pf_symtab_name(fst->osyms, label, NULL);
        if (label && (!other || strcmp(name, other) != 0)) return false;
    }
    return true;
}

static pf_err look(pf_match *match) {
    match->acceptor = match->scores = match->nonnegative = true;
    match->largest = match->fst->isyms ? pf_symtab_largest(match->fst->isyms) : 0;
    for (pf_state state = 0; state < match->states; state++) {
        pf_arcs arcs;
        PF_TRY(pfi_match_arcs(match, state, &arcs));
        if (pf_fst_final(match->fst, state) < 0) match->nonnegative = false;
        for (uint32_t i = 0; i < arcs.n; i++) {
            const pf_arc *at = &arcs.arc[i];
            bool fails = at->in == match->phi;
            if (at->w < 0) match->nonnegative = false;
            if (at->in != at->out) match->acceptor = false;
            if (at->in > match->largest) match->largest = at->in;
            if (at->in == PF_EPSILON || (at->in != at->out && !fails)) match->scores = false;
            if (i && at->in == at[-1].in) match->scores = false;
        }
    }
    match->scores = match->scores && !match->loops && match->fst->isyms && match->fst->start != PF_NO_STATE &&
        match->largest < INT32_MAX && one_table(match->fst);
    if (match->scores) match->scorer = (pf_scorer){.cls = &pfi_match_scorer_class, .own = match};
    return PF_OK;
}

static pf_err set_up(pf_match *match, const char *phi) {
    if (phi && (match->phi = pf_match_label(match->fst->isyms, phi)) == PF_NO_LABEL)
        return pf_fail(PF_EINPUT, "the automaton lacks the failure symbol '%.100s'", phi);
    if (match->fst->op && !phi) return PF_OK;
    PF_TRY(pf_fst_complete(match->fst));
    match->states = pf_fst_states(match->fst);
    PF_TRY(sort_all(match));
    if (phi) PF_TRY(one_failure(match));
    if (phi) PF_TRY(no_cycle(match));
    return look(match);
}

pf_err pf_match_new(pf_fst *fst, const char *phi, pf_match **out) {
    pf_match *match = calloc(1, sizeof *match);
    if (!match) return pf_nomem();
    match->fst = fst;
    match->phi = PF_NO_LABEL;
    pf_err err = set_up(match, phi);
    if (err) pf_match_free(match);
    else *out = match;
    return err;
}

void pf_match_free(pf_match *match) {
    if (!match) return;
    PF_VEC_FREE(&match->sorted);
    pf_arena_free(&match->memory);
    free(match);
}

pf_fst *pf_match_fst(const pf_match *match) { return match->fst; }
bool pf_match_nonnegative(const pf_match *match) { return match->whole ? match->nonnegative : pf_fst_nonnegative(match->fst); }
bool pf_match_rewrites(const pf_match *match) { return match->loops && match->acceptor && one_table(match->fst); }
pf_scorer *pf_match_scorer(pf_match *match) {
    assert(!match->scores || match->whole); /* threads share it */
    return match->scores ? &match->scorer : NULL;
}

/* ---- reading ---- */

/* Finds the arcs of one label from the i-th arc on. */
static pf_matched run(pf_arcs arcs, uint32_t i, pf_label label, double failed) {
    uint32_t end = i;
    while (end < arcs.n && arcs.arc[end].in == label) end++;
    return end == i ? (pf_matched){0} : (pf_matched){arcs.arc + i, end - i, failed, false};
}

pf_err pf_match_word(pf_match *match, pf_state state, pf_label label, pf_matched *out) {
    double failed = 0;
    const pf_arc *failing;
    for (;; state = failing->to) {
        pf_arcs arcs;
        PF_TRY(pfi_match_arcs(match, state, &arcs));
        *out = (pf_matched){0};
        if (label > 0 && label != match->phi) *out = run(arcs, lower_bound(arcs, label), label, failed);
        if (out->n || !(failing = failure(match, arcs))) return PF_OK;
        if (failing->to == state) {
            *out = (pf_matched){failing, 1, failed, match->acceptor};
            return PF_OK;
        }
        failed += (double)failing->w;
    }
}

pf_err pf_match_epsilons(pf_match *match, pf_state state, pf_matched *out) {
    pf_arcs arcs;
    PF_TRY(pfi_match_arcs(match, state, &arcs));
    *out = run(arcs, 0, PF_EPSILON, 0);
    return PF_OK;
}

pf_err pf_match_final(pf_match *match, pf_state state, double *cost) {
    double failed = 0;
    while ((*cost = (double)pf_fst_final(match->fst, state)) == (double)INFINITY && match->phi != PF_NO_LABEL) {
        pf_arcs arcs;
        PF_TRY(pfi_match_arcs(match, state, &arcs));
        const pf_arc *failing = failure(match, arcs);
        if (!failing || failing->to == state) return PF_OK;
        failed += (double)failing->w;
        state = failing->to;
    }
    *cost += failed;
    return PF_OK;
}
