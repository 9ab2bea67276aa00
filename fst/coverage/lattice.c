/* The paths of an automaton, such as the lattice that rules make of a sentence, searched depth first for an order that the
 * alignment allows. A state is one of the automaton and a coverage; in a lattice of permutations the second follows from the
 * first. Each is entered once. */
#include "coverage/coverage_impl.h"

#include <permfst/base/cover.h>
#include <permfst/base/statetab.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pf_state s;
    uint32_t arc;  /* the next one to try */
    unsigned back; /* the position read on the way in; PFI_FREE: none */
} place;

typedef struct {
    const pfi_order *o;
    pf_fst *fst;
    PF_VEC(place) way;
    pf_cover *b;    /* visited; nw words, behind which the state is put to make a key */
    unsigned nw, t, i; /* positions visited, of the chain */
    pf_statetab seen;
} search;

/* The coverage after an arc, *fits = false where the alignment or an earlier visit forbids it. */
static pf_err read_arc(search *s, const pf_arc *a, unsigned *j, bool *fits) {
    const pfi_order *o = s->o;
    *j = PFI_FREE;
    *fits = true;
    if (a->in == 0) return PF_OK;
    if (a->in < 0 || (unsigned)a->in > o->n)
        return pf_fail(PF_EINPUT, "input label %d of the lattice is no position: the sentence has %u words", (int)a->in, o->n);
    *j = (unsigned)a->in - 1;
    *fits = !pf_cover_has(s->b, *j) && (o->turn[*j] == PFI_FREE || o->turn[*j] == s->i);
    return PF_OK;
}

static pf_err enter(search *s, pf_state to, unsigned j) {
    place next = {to, 0, j};
    int fresh;
    uint32_t id;
    if (j != PFI_FREE) pf_cover_put(s->b, j);
    s->b[s->nw] = to;
    PF_TRY(pf_statetab_intern(&s->seen, s->b, (s->nw + 1) * sizeof *s->b, &id, &fresh));
    if (!fresh) {
        if (j != PFI_FREE) pf_cover_drop(s->b, j);
        return PF_OK;
    }
    s->t += j != PFI_FREE;
    s->i += j != PFI_FREE && s->o->turn[j] != PFI_FREE;
    return PF_PUSH(&s->way, next);
}

static void leave(search *s) {
    unsigned j = s->way.at[--s->way.n].back;
    if (j == PFI_FREE) return;
    pf_cover_drop(s->b, j);
    s->t--;
    s->i -= s->o->turn[j] != PFI_FREE;
}

/* One arc of the state on top, or back from it where none is left. */
static pf_err go_on(search *s) {
    place *top = &s->way.at[s->way.n - 1];
    pf_arcs arcs = pf_fst_arcs(s->fst, top->s);
    unsigned j;
    bool fits;
    PF_TRY(pf_fst_error(s->fst));
    if (top->arc == arcs.n) {
        leave(s);
        return PF_OK;
    }
    const pf_arc *a = &arcs.arc[top->arc++];
    PF_TRY(read_arc(s, a, &j, &fits));
    return fits ? enter(s, a->to, j) : PF_OK;
}

static pf_err run(search *s, uint64_t limit, pf_reach *out) {
    *out = PF_NOT_REACHED;
    if (s->fst->start == PF_NO_STATE) return PF_OK;
    PF_TRY(enter(s, s->fst->start, PFI_FREE));
    while (s->way.n) {
        pf_state top = s->way.at[s->way.n - 1].s;
        bool final = s->t == s->o->n && pf_fst_final(s->fst, top) < INFINITY;
        *out = final ? PF_REACHED : s->seen.n >= limit ? PF_UNDECIDED : PF_NOT_REACHED;
        if (*out != PF_NOT_REACHED) break;
        PF_TRY(go_on(s));
    }
    return pf_fst_error(s->fst);
}

pf_err pf_coverage_lattice(const pf_coverage *c, pf_fst *lattice, uint64_t limit, pf_reach *out) {
    search s = {.o = &c->o, .fst = lattice, .nw = pf_cover_words(c->o.n)};
    if (lattice->isyms) return pf_fail(PF_EINPUT, "the input labels of the lattice are symbols, not positions");
    pf_statetab_init(&s.seen, (s.nw + 1) * sizeof *s.b);
    s.b = calloc(s.nw + 1, sizeof *s.b);
    pf_err err = s.b ? run(&s, limit, out) : pf_nomem();
    pf_statetab_free(&s.seen);
    PF_VEC_FREE(&s.way);
    free(s.b);
    return err;
}
