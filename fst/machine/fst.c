/* State records, and the one place where a state is expanded. */
#include <permfst/machine/fst.h>

#include "base/contract.h"
#include "machine/fst_check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WATCH_STATES = 1024 }; /* between two calls of a watcher */

pf_err pf_fst_new(pf_arc_type type, const pf_op *op, void *self, pf_fst **out) {
    assert(type <= PF_LOG64 && (!op || op->expand));
    pf_fst *f = calloc(1, sizeof *f);
    if (!f) {
        if (op && op->free) op->free(self);
        return pf_nomem();
    }
    f->type = type;
    f->start = PF_NO_STATE;
    f->op = op;
    f->self = self;
    *out = f;
    return PF_OK;
}

void pf_fst_free(pf_fst *f) {
    if (!f) return;
    if (f->op && f->op->free) f->op->free(f->self);
    PF_VEC_FREE(&f->state);
    PF_VEC_FREE(&f->emit.arcs);
    PF_VEC_FREE(&f->alphabet);
    pf_arena_free(&f->arcs);
    pf_symtab_free(f->isyms);
    pf_symtab_free(f->osyms);
    free(f);
}

void pf_fst_set_symbols(pf_fst *f, pf_symtab *isyms, pf_symtab *osyms) {
    pf_symtab *old_in = f->isyms, *old_out = f->osyms;
    f->isyms = pf_symtab_ref(isyms);
    f->osyms = pf_symtab_ref(osyms);
    pf_symtab_free(old_in);
    pf_symtab_free(old_out);
}

void pf_fst_watch(pf_fst *f, void (*watch)(void *watcher, uint64_t expanded), void *watcher) {
    if (!f->op) return; /* nothing is expanded, and other threads may read the machine */
    f->watch = watch;
    f->watcher = watcher;
}

const pf_fst_record pf_fst_no_record = {NULL, 0, INFINITY};

/* A record for state s, so that accessors have one to point to even after an error. */
static pf_err room_for(pf_fst *f, pf_state s) {
    PF_TRY(pf_vec_reserve(&f->state.at, &f->state.cap, (size_t)s + 1, sizeof *f->state.at));
    while (f->state.n <= s) f->state.at[f->state.n++] = (pf_fst_record){NULL, PF_NOT_DONE, INFINITY};
    return PF_OK;
}

/* Is the label one that the machine has announced? */
static bool is_announced(const pf_fst *f, pf_label label) {
    for (size_t i = 0; i < f->alphabet.n; i++)
        if (f->alphabet.at[i] == label) return true;
    return false;
}

/* Has the operation filled what an algorithm may see? */
static bool is_sound(const pf_fst *f, const pf_emit *emit) {
    for (size_t i = 0; i < emit->arcs.n; i++) {
        const pf_arc *a = &emit->arcs.at[i];
        if (a->to == PF_NO_STATE || a->w != a->w || a->w == -INFINITY) return false;
        if (f->layered && !is_announced(f, a->out)) return false;
    }
    return emit->final == emit->final && emit->final != -INFINITY;
}

static pf_err expand(pf_fst *f, pf_state s) {
    if (f->err) return f->err;
    f->emit.arcs.n = 0;
    f->emit.final = INFINITY;
    PF_TRY(f->op->expand(f->self, s, &f->emit));
    PFI_CHECK(is_sound(f, &f->emit));
    size_t n = f->emit.arcs.n;
    if (n >= PF_NOT_DONE) return pf_fail(PF_ELIMIT, "a state has too many arcs: %zu", n);
    pf_arc *arc = n ? pf_arena_get(&f->arcs, n * sizeof *arc) : NULL;
    if (n && !arc) return pf_nomem();
    if (n) memcpy(arc, f->emit.arcs.at, n * sizeof *arc);
    f->state.at[s] = (pf_fst_record){arc, (uint32_t)n, f->emit.final};
    f->expanded++;
    f->narcs += n;
    if (f->watch && f->expanded % WATCH_STATES == 0) f->watch(f->watcher, f->expanded);
    return PF_OK;
}

pf_err pf_fst_expand(pf_fst *f, pf_state s) {
    assert(f->op && s != PF_NO_STATE); /* all states of a stored machine are done */
    if (room_for(f, s)) return f->err = PF_ENOMEM;
    assert(f->state.at[s].n == PF_NOT_DONE);
    pf_err err = expand(f, s);
    if (err) {
        f->err = err;
        f->state.at[s] = pf_fst_no_record;
    }
    return f->err;
}

pf_err pf_fst_complete(pf_fst *f) {
    pf_state n = f->start == PF_NO_STATE ? 0 : f->start + 1;
    for (pf_state s = 0; f->op && s < n; s++) {
        pf_arcs a = pf_fst_arcs(f, s);
        PF_TRY(pf_fst_error(f));
        for (uint32_t i = 0; i < a.n; i++)
            if (a.arc[i].to >= n) n = a.arc[i].to + 1;
    }
    return pf_fst_states(f) > INT32_MAX ? pf_fail(PF_ELIMIT, "the automaton has more than %d states", INT32_MAX) : PF_OK;
}

bool pf_fst_nonnegative(const pf_fst *f) {
    if (f->op) return f->op->nonnegative && f->op->nonnegative(f->self);
    for (size_t s = 0; s < f->state.n; s++) {
        const pf_fst_record *record = &f->state.at[s];
        for (uint32_t i = 0; i < record->n; i++)
            if (record->arc[i].w < 0) return false;
        if (record->final < 0) return false;
    }
    return true;
}

const struct pf_con *pf_fst_space(const pf_fst *f) { return f->op && f->op->space ? f->op->space(f->self) : NULL; }

bool pfi_fst_is_closed(const pf_fst *f) {
    uint64_t arcs = 0;
    if (f->op || f->state.n == 0) return f->start == PF_NO_STATE || f->op;
    if (f->start != PF_NO_STATE && f->start >= f->state.n) return false;
    for (size_t s = 0; s < f->state.n; s++) {
        const pf_fst_record *record = &f->state.at[s];
        if (record->n == PF_NOT_DONE) return false;
        for (uint32_t i = 0; i < record->n; i++)
            if (record->arc[i].to >= f->state.n || record->arc[i].in < 0 || record->arc[i].out < 0) return false;
        arcs += record->n;
    }
    return arcs == f->narcs && f->expanded == f->state.n;
}
