/* Any constraint: its automaton searched, depth first, for an order that the alignment allows.
 *
 * A state is a state of the constraint: coverage and extra bytes. The position in the chain follows from the coverage. The
 * automaton keeps its dead ends; only those that the alignment leads to are ever found. No state is entered twice, so the answer
 * is exact, and in the worst case exponential in the number of words without links. Moves are tried in an order that often
 * succeeds at once: a first gap without a link, the next aligned word, other words without links from left to right. The stack
 * has the moves only; after a move is taken back, the constraint is asked again what it allows. */
#include "coverage/coverage_impl.h"

#include <permfst/base/cover.h>
#include <permfst/base/statetab.h>
#include <permfst/permute/con.h>

#include <stdlib.h>
#include <string.h>

typedef struct {
    const pfi_order *order;
    pf_con *con;
    pf_cover *covered, *allowed; /* positions visited; the moves from there */
    unsigned char *bytes, *key;  /* extra bytes, con->room for each step; a state as it is remembered */
    unsigned *move;              /* the moves made */
    unsigned steps, linked;      /* how many moves, how many of them in the chain */
    pf_statetab seen;
} search;

static unsigned char *extra(const search *s, unsigned t) { return s->bytes + (size_t)t * s->con->room; }

/* Remembers the state; *fresh = false if it was seen. */
static pf_err enter(search *s, int *fresh) {
    size_t words = s->con->nw * sizeof *s->covered, n = s->con->room ? pf_con_extent(s->con, extra(s, s->steps)) : 0;
    uint32_t id;
    memcpy(s->key, s->covered, words);
    memcpy(s->key + words, extra(s, s->steps), n);
    return pf_statetab_intern(&s->seen, s->key, words + n, &id, fresh);
}

/* The move to try after `last` (PFI_FREE: the first move); PFI_FREE if there is none. `gap` is the first uncovered position. */
static unsigned next_move(const search *s, unsigned gap, unsigned last) {
    const pfi_order *o = s->order;
    bool gap_open = gap < o->sources && o->turn[gap] == PFI_FREE, chained = last != PFI_FREE && o->turn[last] != PFI_FREE;
    unsigned from = chained ? 0 : last + 1;
    if (last == PFI_FREE && gap_open && pf_cover_has(s->allowed, gap)) return gap;
    if ((last == PFI_FREE || last == gap) && !chained && s->linked < o->aligned && pf_cover_has(s->allowed, o->chain[s->linked]))
        return o->chain[s->linked];
    if (last == PFI_FREE || last == gap) from = 0;
    for (unsigned j = pf_cover_next(s->allowed, s->con->nw, from); j < o->sources; j = pf_cover_next(s->allowed, s->con->nw, j + 1))
        if (o->turn[j] == PFI_FREE && j != gap) return j;
    return PFI_FREE;
}

static void make_move(search *s, unsigned j) {
    pf_con_advance(s->con, s->covered, extra(s, s->steps), j, extra(s, s->steps + 1));
    pf_cover_put(s->covered, j);
    s->move[s->steps++] = j;
    s->linked += s->order->turn[j] != PFI_FREE;
}

static unsigned take_back(search *s) {
    unsigned j = s->move[--s->steps];
    pf_cover_drop(s->covered, j);
    s->linked -= s->order->turn[j] != PFI_FREE;
    return j;
}

/* The next state that was not seen, from the present one, of which the moves up to `last` were tried: *found = false if
 * there is none. */
static pf_err go_on(search *s, unsigned last, bool *found) {
    int fresh;
    PF_TRY(pf_con_allowed(s->con, s->covered, extra(s, s->steps), s->allowed));
    unsigned gap = pf_cover_gap(s->covered, s->con->nw, 0), j;
    for (*found = false; (j = next_move(s, gap, last)) != PFI_FREE; last = j) {
        make_move(s, j);
        PF_TRY(enter(s, &fresh));
        *found = fresh;
        if (fresh) return PF_OK;
        take_back(s);
    }
    return PF_OK;
}

static bool complete(const search *s) { return s->steps == s->order->sources && pf_con_accepts(s->con, extra(s, s->steps)); }

static pf_err run(search *s, uint64_t limit, pf_reach *out) {
    bool found = true;
    unsigned last = PFI_FREE;
    pf_con_start(s->con, s->bytes);
    *out = PF_REACHED;
    while (!complete(s)) {
        *out = PF_UNDECIDED;
        if (s->seen.n >= limit) return PF_OK;
        PF_TRY(go_on(s, last, &found));
        *out = PF_NOT_REACHED;
        if (!found && !s->steps) return PF_OK;
        last = found ? PFI_FREE : take_back(s);
        *out = PF_REACHED;
    }
    return PF_OK;
}

static pf_err make_room(search *s) {
    size_t n = s->con->n, nw = s->con->nw;
    s->covered = calloc(2 * nw, sizeof *s->covered);
    s->bytes = malloc((n + 1) * s->con->room + 1);
    s->key = malloc(nw * sizeof *s->covered + s->con->room + 1);
    s->move = calloc(n + 1, sizeof *s->move);
    s->allowed = s->covered ? s->covered + nw : NULL;
    pf_statetab_init(&s->seen, 0);
    return s->covered && s->bytes && s->key && s->move ? PF_OK : pf_nomem();
}

pf_err pfi_coverage_search(const pfi_order *o, const char *spec, uint64_t limit, pf_reach *out) {
    search s = {.order = o};
    PF_TRY(pf_con_plain(spec, o->sources, &s.con));
    pf_err err = make_room(&s);
    if (!err) err = run(&s, limit, out);
    pf_statetab_free(&s.seen);
    free(s.covered);
    free(s.bytes);
    free(s.key);
    free(s.move);
    pf_con_free(s.con);
    return err;
}
