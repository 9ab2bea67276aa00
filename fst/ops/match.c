/* Arcs sorted by input label, and what is known of a whole machine once they are. */
#include <permfst/ops/match.h>

#include <permfst/base/digits.h>
#include "ops/match_impl.h"

#include <stdlib.h>
#include <string.h>

pf_label pf_match_label(const pf_symtab *isyms, const char *phi) {
    if (isyms) {
        pf_label x = pf_symtab_find(isyms, phi, strlen(phi));
        return x > 0 ? x : PF_NO_LABEL;
    }
    uint64_t x;
    return pf_digits(phi, strlen(phi), &x) && x > 0 && x <= INT32_MAX ? (pf_label)x : PF_NO_LABEL;
}

/* ---- order ---- */

static int by_input(const void *a, const void *b) {
    const pf_arc *x = a, *y = b;
    if (x->in != y->in) return x->in < y->in ? -1 : 1;
    if (x->out != y->out) return x->out < y->out ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static bool is_sorted(pf_arcs a) {
    for (uint32_t i = 1; i < a.n; i++)
        if (a.arc[i].in < a.arc[i - 1].in) return false;
    return true;
}

/* The arcs themselves where they are in order, else a copy. */
static pf_err sort(pf_match *m, pf_arcs a, const pf_arc **out) {
    *out = a.arc;
    if (is_sorted(a)) return PF_OK;
    pf_arc *copy = pf_arena_get(&m->memory, a.n * sizeof *copy);
    if (!copy) return pf_nomem();
    memcpy(copy, a.arc, a.n * sizeof *copy);
    qsort(copy, a.n, sizeof *copy, by_input);
    *out = copy;
    return PF_OK;
}

pf_err pfi_match_arcs(pf_match *m, pf_state s, pf_arcs *out) {
    *out = pf_fst_arcs(m->fst, s);
    if (m->whole) {
        if (m->sorted.n) out->arc = m->sorted.at[s];
        return PF_OK;
    }
    PF_TRY(pf_fst_error(m->fst));
    while (m->sorted.n <= s) PF_TRY(PF_PUSH(&m->sorted, NULL));
    if (!m->sorted.at[s]) PF_TRY(sort(m, *out, &m->sorted.at[s]));
    out->arc = m->sorted.at[s];
    return PF_OK;
}

/* All states in order; where they were so, there is nothing to keep. */
static pf_err sort_all(pf_match *m) {
    bool copied = false;
    PF_TRY(PF_ROOM(&m->sorted, (size_t)m->states + 1));
    for (pf_state s = 0; s < m->states; s++) {
        pf_arcs a = pf_fst_arcs(m->fst, s);
        PF_TRY(sort(m, a, &m->sorted.at[s]));
        copied = copied || m->sorted.at[s] != a.arc;
    }
    m->sorted.n = m->states;
    if (!copied) PF_VEC_FREE(&m->sorted);
    m->whole = true;
    return PF_OK;
}

/* ---- failure arcs ---- */

/* The first arc whose input label is at least x. */
static uint32_t lower_bound(pf_arcs a, pf_label x) {
    uint32_t low = 0, high = a.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (a.arc[middle].in < x) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The failure arc of a state, or NULL. The label is mostly the largest or the least. */
static const pf_arc *failure(const pf_match *m, pf_arcs a) {
    if (m->phi == PF_NO_LABEL || !a.n) return NULL;
    if (a.arc[a.n - 1].in <= m->phi) return a.arc[a.n - 1].in == m->phi ? &a.arc[a.n - 1] : NULL;
    uint32_t i = lower_bound(a, m->phi);
    return a.arc[i].in == m->phi ? &a.arc[i] : NULL;
}

static pf_err one_failure(pf_match *m) {
    for (pf_state s = 0; s < m->states; s++) {
        pf_arcs a;
        PF_TRY(pfi_match_arcs(m, s, &a));
        const pf_arc *f = failure(m, a);
        if (!f) continue;
        if ((f > a.arc && f[-1].in == m->phi) || (f + 1 < a.arc + a.n && f[1].in == m->phi))
            return pf_fail(PF_EINPUT, "state %u has more than one failure arc", s);
        if (f->to == s) m->loops = true;
    }
    return PF_OK;
}

/* Every state is passed once: a walk ends where an earlier one went, at a state that does not fail, or at a loop. */
static pf_err no_cycle(pf_match *m) {
    pf_state *walk = calloc((size_t)m->states + 1, sizeof *walk); /* by which each state was passed; 0: by none */
    pf_err err = walk ? PF_OK : pf_nomem();
    for (pf_state first = 0; !err && first < m->states; first++)
        for (pf_state s = first; !err && !walk[s];) {
            pf_arcs a = {0};
            walk[s] = first + 1;
            err = pfi_match_arcs(m, s, &a);
            const pf_arc *f = failure(m, a);
            if (!f || f->to == s) break;
            s = f->to;
            if (walk[s] == first + 1) err = pf_fail(PF_EINPUT, "failure arcs lead from state %u back to it", s);
        }
    free(walk);
    return err;
}

/* ---- what a whole machine is ---- */

/* Do both tables call the labels alike? */
static bool one_table(const pf_fst *f) {
    if (f->isyms == f->osyms) return true;
    if (!f->isyms || !f->osyms) return false;
    for (size_t i = 0; i < pf_symtab_count(f->isyms); i++) {
        pf_label x;
        const char *name = pf_symtab_at(f->isyms, i, NULL, &x), *other = pf_symtab_name(f->osyms, x, NULL);
        if (x && (!other || strcmp(name, other) != 0)) return false;
    }
    return true;
}

static pf_err look(pf_match *m) {
    m->acceptor = m->scores = m->nonnegative = true;
    m->largest = m->fst->isyms ? pf_symtab_largest(m->fst->isyms) : 0;
    for (pf_state s = 0; s < m->states; s++) {
        pf_arcs a;
        PF_TRY(pfi_match_arcs(m, s, &a));
        if (pf_fst_final(m->fst, s) < 0) m->nonnegative = false;
        for (uint32_t i = 0; i < a.n; i++) {
            const pf_arc *at = &a.arc[i];
            bool fails = at->in == m->phi;
            if (at->w < 0) m->nonnegative = false;
            if (at->in != at->out) m->acceptor = false;
            if (at->in > m->largest) m->largest = at->in;
            if (at->in == PF_EPSILON || (at->in != at->out && !fails)) m->scores = false;
            if (i && at->in == at[-1].in) m->scores = false;
        }
    }
    m->scores = m->scores && !m->loops && m->fst->isyms && m->fst->start != PF_NO_STATE && m->largest < INT32_MAX &&
                one_table(m->fst);
    if (m->scores) m->scorer = (pf_scorer){.cls = &pfi_match_scorer_class, .own = m};
    return PF_OK;
}

static pf_err set_up(pf_match *m, const char *phi) {
    if (phi && (m->phi = pf_match_label(m->fst->isyms, phi)) == PF_NO_LABEL)
        return pf_fail(PF_EINPUT, "the automaton lacks the failure symbol '%.100s'", phi);
    if (m->fst->op && !phi) return PF_OK;
    PF_TRY(pf_fst_complete(m->fst));
    m->states = pf_fst_states(m->fst);
    PF_TRY(sort_all(m));
    if (phi) PF_TRY(one_failure(m));
    if (phi) PF_TRY(no_cycle(m));
    return look(m);
}

pf_err pf_match_new(pf_fst *fst, const char *phi, pf_match **out) {
    pf_match *m = calloc(1, sizeof *m);
    if (!m) return pf_nomem();
    m->fst = fst;
    m->phi = PF_NO_LABEL;
    pf_err err = set_up(m, phi);
    if (err) pf_match_free(m);
    else *out = m;
    return err;
}

void pf_match_free(pf_match *m) {
    if (!m) return;
    PF_VEC_FREE(&m->sorted);
    pf_arena_free(&m->memory);
    free(m);
}

pf_fst *pf_match_fst(const pf_match *m) { return m->fst; }
bool pf_match_nonnegative(const pf_match *m) { return m->whole ? m->nonnegative : pf_fst_nonnegative(m->fst); }
bool pf_match_rewrites(const pf_match *m) { return m->loops && m->acceptor && one_table(m->fst); }
pf_scorer *pf_match_scorer(pf_match *m) { return m->scores ? &m->scorer : NULL; }

/* ---- reading ---- */

/* From the i-th arc on, those of one label. */
static pf_matched run(pf_arcs a, uint32_t i, pf_label x, double failed) {
    uint32_t end = i;
    while (end < a.n && a.arc[end].in == x) end++;
    return end == i ? (pf_matched){0} : (pf_matched){a.arc + i, end - i, failed, false};
}

pf_err pf_match_word(pf_match *m, pf_state s, pf_label x, pf_matched *out) {
    double failed = 0;
    const pf_arc *f;
    for (;; s = f->to) {
        pf_arcs a;
        PF_TRY(pfi_match_arcs(m, s, &a));
        *out = (pf_matched){0};
        if (x > 0 && x != m->phi) *out = run(a, lower_bound(a, x), x, failed);
        if (out->n || !(f = failure(m, a))) return PF_OK;
        if (f->to == s) {
            *out = (pf_matched){f, 1, failed, m->acceptor};
            return PF_OK;
        }
        failed += (double)f->w;
    }
}

pf_err pf_match_epsilons(pf_match *m, pf_state s, pf_matched *out) {
    pf_arcs a;
    PF_TRY(pfi_match_arcs(m, s, &a));
    *out = run(a, 0, PF_EPSILON, 0);
    return PF_OK;
}

pf_err pf_match_final(pf_match *m, pf_state s, double *cost) {
    double failed = 0;
    while ((*cost = (double)pf_fst_final(m->fst, s)) == (double)INFINITY && m->phi != PF_NO_LABEL) {
        pf_arcs a;
        PF_TRY(pfi_match_arcs(m, s, &a));
        const pf_arc *f = failure(m, a);
        if (!f || f->to == s) return PF_OK;
        failed += (double)f->w;
        s = f->to;
    }
    *cost += failed;
    return PF_OK;
}
