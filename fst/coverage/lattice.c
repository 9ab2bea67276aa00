/* The paths of an automaton, such as the lattice that rules make of a sentence, are searched depth first for an order that the
 * alignment allows. A state of the search is a state of the automaton and a coverage; in a lattice of permutations the second
 * follows from the first. Each is entered once. */
#include "coverage/coverage_impl.h"

#include <permfst/base/cover.h>
#include <permfst/base/statetab.h>
#include <permfst/permute/input.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pf_state state;
    uint32_t arc;  /* the next arc to try */
    unsigned back; /* the position read on the way in; PFI_FREE: none */
} lattice_place;

typedef struct {
    const pfi_order *order;
    pf_fst *fst;
    PF_VEC(lattice_place) way;
    pf_cover *covered;      /* positions visited, cover_words words; one more word takes the state to make a key */
    unsigned cover_words;
    unsigned steps, linked; /* positions visited, how many of them in the chain */
    pf_statetab seen;
} order_lattice;

/* The position that an arc reads; *fits = false if the alignment or an earlier visit forbids it. */
static pf_err read_arc(order_lattice *search, const pf_arc *arc, unsigned *position, bool *fits) {
    const pfi_order *order = search->order;
    *position = PFI_FREE;
    *fits = true;
    if (arc->in == 0) return PF_OK;
    if (arc->in < 0 || (unsigned)arc->in > order->sources)
        return pf_fail(PF_EINPUT, "input label %d of the lattice is not a position: the sentence has %u words",
            (int)arc->in, order->sources);
    *position = (unsigned)arc->in - 1;
    *fits = !pf_cover_has(search->covered, *position) &&
            (order->turn[*position] == PFI_FREE || order->turn[*position] == search->linked);
    return PF_OK;
}

static pf_err enter(order_lattice *search, pf_state to, unsigned position) {
    lattice_place next = {to, 0, position};
    int fresh;
    uint32_t id;
    if (position != PFI_FREE) pf_cover_put(search->covered, position);
    search->covered[search->cover_words] = to;
    PF_TRY(pf_statetab_intern(&search->seen, search->covered, (search->cover_words + 1) * sizeof *search->covered, &id, &fresh));
    if (!fresh) {
        if (position != PFI_FREE) pf_cover_drop(search->covered, position);
        return PF_OK;
    }
    search->steps += position != PFI_FREE;
    search->linked += position != PFI_FREE && search->order->turn[position] != PFI_FREE;
    return PF_PUSH(&search->way, next);
}

static void leave(order_lattice *search) {
    unsigned j = search->way.at[--search->way.n].back;
    if (j == PFI_FREE) return;
    pf_cover_drop(search->covered, j);
    search->steps--;
    search->linked -= search->order->turn[j] != PFI_FREE;
}

/* One arc of the state on top, or back from it where none is left. */
static pf_err go_on(order_lattice *search) {
    lattice_place *top = &search->way.at[search->way.n - 1];
    pf_arcs arcs = pf_fst_arcs(search->fst, top->state);
    unsigned j;
    bool fits;
    PF_TRY(pf_fst_error(search->fst));
    if (top->arc == arcs.n) {
        leave(search);
        return PF_OK;
    }
    const pf_arc *arc = &arcs.arc[top->arc++];
    PF_TRY(read_arc(search, arc, &j, &fits));
    return fits ? enter(search, arc->to, j) : PF_OK;
}

static pf_err run(order_lattice *search, uint64_t limit, pf_reach *out) {
    *out = PF_NOT_REACHED;
    if (search->fst->start == PF_NO_STATE) return PF_OK;
    PF_TRY(enter(search, search->fst->start, PFI_FREE));
    while (search->way.n) {
        pf_state top = search->way.at[search->way.n - 1].state;
        bool final = search->steps == search->order->sources && pf_fst_final(search->fst, top) < INFINITY;
        *out = final ? PF_REACHED : search->seen.n >= limit ? PF_UNDECIDED : PF_NOT_REACHED;
        if (*out != PF_NOT_REACHED) break;
        PF_TRY(go_on(search));
    }
    return pf_fst_error(search->fst);
}

pf_err pf_coverage_lattice_length(pf_fst *lattice, uint32_t *length) {
    pf_state state = lattice->start;
    uint32_t read = 0;
    *length = PF_UNKNOWN_LENGTH;
    for (uint32_t steps = 0; state != PF_NO_STATE && steps <= 2 * PF_MAX_WORDS; steps++) {
        pf_arcs arcs = pf_fst_arcs(lattice, state);
        PF_TRY(pf_fst_error(lattice));
        if (pf_fst_final(lattice, state) < INFINITY) *length = read;
        if (!arcs.n || *length != PF_UNKNOWN_LENGTH) return PF_OK;
        read += arcs.arc[0].in != PF_EPSILON;
        state = arcs.arc[0].to;
    }
    return PF_OK;
}

pf_err pf_coverage_lattice(const pf_coverage *coverage, pf_fst *lattice, uint64_t limit, pf_reach *out) {
    order_lattice search = {.order = &coverage->order, .fst = lattice, .cover_words = pf_cover_words(coverage->order.sources)};
    if (lattice->isyms) return pf_fail(PF_EINPUT, "the input labels of the lattice are symbols, not positions");
    pf_statetab_init(&search.seen, (search.cover_words + 1) * sizeof *search.covered);
    search.covered = calloc(search.cover_words + 1, sizeof *search.covered);
    pf_err err = search.covered ? run(&search, limit, out) : pf_nomem();
    pf_statetab_free(&search.seen);
    PF_VEC_FREE(&search.way);
    free(search.covered);
    return err;
}
