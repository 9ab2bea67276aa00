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
    pf_fst *fst = calloc(1, sizeof *fst);
    if (!fst) {
        if (op && op->free) op->free(self);
        return pf_nomem();
    }
    fst->type = type;
    fst->start = PF_NO_STATE;
    fst->op = op;
    fst->self = self;
    *out = fst;
    return PF_OK;
}

void pf_fst_free(pf_fst *fst) {
    if (!fst) return;
    if (fst->op && fst->op->free) fst->op->free(fst->self);
    PF_VEC_FREE(&fst->state);
    PF_VEC_FREE(&fst->emit.arcs);
    PF_VEC_FREE(&fst->alphabet);
    pf_arena_free(&fst->arcs);
    pf_symtab_free(fst->isyms);
    pf_symtab_free(fst->osyms);
    free(fst);
}

void pf_fst_set_symbols(pf_fst *fst, pf_symtab *isyms, pf_symtab *osyms) {
    pf_symtab *old_in = fst->isyms, *old_out = fst->osyms;
    fst->isyms = pf_symtab_ref(isyms);
    fst->osyms = pf_symtab_ref(osyms);
    pf_symtab_free(old_in);
    pf_symtab_free(old_out);
}

void pf_fst_watch(pf_fst *fst, void (*watch)(void *watcher, uint64_t expanded), void *watcher) {
    if (!fst->op) return; /* nothing is expanded, and other threads may read the machine */
    fst->watch = watch;
    fst->watcher = watcher;
}

void pf_fst_expires(pf_fst *fst, bool (*expired)(void *asked), void *asked) {
    if (!fst->op) return;
    fst->expired = expired;
    fst->asked = asked;
}

const pf_fst_record pf_fst_no_record = {NULL, 0, INFINITY};

/* A record for `state`, so that accessors have one to point to even after an error. */
static pf_err room_for(pf_fst *fst, pf_state state) {
    PF_TRY(pf_vec_reserve(&fst->state.at, &fst->state.cap, (size_t)state + 1, sizeof *fst->state.at));
    while (fst->state.n <= state) fst->state.at[fst->state.n++] = (pf_fst_record){NULL, PF_NOT_DONE, INFINITY};
    return PF_OK;
}

/* Is the label one that the machine has announced? */
static bool is_announced(const pf_fst *fst, pf_label label) {
    for (size_t i = 0; i < fst->alphabet.n; i++)
        if (fst->alphabet.at[i] == label) return true;
    return false;
}

/* Has the operation filled what an algorithm may see? */
static bool is_sound(const pf_fst *fst, const pf_emit *emit) {
    for (size_t i = 0; i < emit->arcs.n; i++) {
        const pf_arc *arc = &emit->arcs.at[i];
        if (arc->to == PF_NO_STATE || arc->w != arc->w || arc->w == -INFINITY) return false;
        if (fst->layered && !is_announced(fst, arc->out)) return false;
    }
    return emit->final == emit->final && emit->final != -INFINITY;
}

pf_err pf_fst_look(const pf_fst *fst, uint64_t expanded) {
    if (expanded % WATCH_STATES || !expanded) return PF_OK;
    if (fst->watch) fst->watch(fst->watcher, expanded);
    return fst->expired && fst->expired(fst->asked) ? pf_fail(PF_ELIMIT, "interrupted") : PF_OK;
}

pf_err pf_fst_past_limit(uint64_t max_states, uint64_t waiting) {
    return pf_fail(PF_ELIMIT, "the limit of %llu states is reached, with %llu more waiting", (unsigned long long)max_states,
                   (unsigned long long)waiting);
}

pf_err pf_fst_past_arcs(void) { return pf_fail(PF_ELIMIT, "the automaton has more than %u arcs", UINT32_MAX); }

static pf_err expand(pf_fst *fst, pf_state state) {
    if (fst->err) return fst->err;
    fst->emit.arcs.n = 0;
    fst->emit.final = INFINITY;
    PF_TRY(fst->op->expand(fst->self, state, &fst->emit));
    PFI_CHECK(is_sound(fst, &fst->emit));
    size_t arcs = fst->emit.arcs.n;
    if (arcs >= PF_NOT_DONE) return pf_fail(PF_ELIMIT, "a state has too many arcs: %zu", arcs);
    pf_arc *arc = arcs ? pf_arena_get(&fst->arcs, arcs * sizeof *arc) : NULL;
    if (arcs && !arc) return pf_nomem();
    if (arcs) memcpy(arc, fst->emit.arcs.at, arcs * sizeof *arc);
    fst->state.at[state] = (pf_fst_record){arc, (uint32_t)arcs, fst->emit.final};
    fst->expanded++;
    fst->narcs += arcs;
    return pf_fst_look(fst, fst->expanded);
}

pf_err pf_fst_expand(pf_fst *fst, pf_state state) {
    assert(fst->op && state != PF_NO_STATE); /* all states of a stored machine are done */
    if (room_for(fst, state)) return fst->err = PF_ENOMEM;
    assert(fst->state.at[state].n == PF_NOT_DONE);
    pf_err err = expand(fst, state);
    if (err) {
        fst->err = err;
        fst->state.at[state] = pf_fst_no_record;
    }
    return fst->err;
}

pf_err pf_fst_complete(pf_fst *fst) {
    pf_state states = fst->start == PF_NO_STATE ? 0 : fst->start + 1;
    for (pf_state state = 0; fst->op && state < states; state++) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        PF_TRY(pf_fst_error(fst));
        for (uint32_t i = 0; i < arcs.n; i++)
            if (arcs.arc[i].to >= states) states = arcs.arc[i].to + 1;
    }
    return pf_fst_states(fst) > INT32_MAX ? pf_fail(PF_ELIMIT, "the automaton has more than %d states", INT32_MAX) : PF_OK;
}

bool pf_fst_nonnegative(const pf_fst *fst) {
    if (fst->op) return fst->op->nonnegative && fst->op->nonnegative(fst->self);
    for (size_t state = 0; state < fst->state.n; state++) {
        const pf_fst_record *record = &fst->state.at[state];
        for (uint32_t i = 0; i < record->n; i++)
            if (record->arc[i].w < 0) return false;
        if (record->final < 0) return false;
    }
    return true;
}

const struct pf_con *pf_fst_space(const pf_fst *fst) {
    return fst->op && fst->op->space ? fst->op->space(fst->self) : NULL;
}

uint64_t pf_fst_bytes(const pf_fst *fst) {
    uint64_t own = fst->state.n * sizeof *fst->state.at + fst->arcs.total;
    return own + (fst->op && fst->op->bytes ? fst->op->bytes(fst->self) : 0);
}

bool pfi_fst_is_closed(const pf_fst *fst) {
    uint64_t arcs = 0;
    if (fst->op || fst->state.n == 0) return fst->start == PF_NO_STATE || fst->op;
    if (fst->start != PF_NO_STATE && fst->start >= fst->state.n) return false;
    for (size_t state = 0; state < fst->state.n; state++) {
        const pf_fst_record *record = &fst->state.at[state];
        if (record->n == PF_NOT_DONE) return false;
        for (uint32_t i = 0; i < record->n; i++)
            if (record->arc[i].to >= fst->state.n || record->arc[i].in < 0 || record->arc[i].out < 0) return false;
        arcs += record->n;
    }
    return arcs == fst->narcs && fst->expanded == fst->state.n;
}
