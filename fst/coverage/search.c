/* Any constraint: its automaton searched, depth first, for an order that the alignment allows.
 *
 * A state is a state of the constraint: coverage and extra bytes. The position in the chain follows from the coverage. The
 * automaton keeps its dead ends; only those that the alignment leads to are ever found. No state is entered twice, so the answer
 * is exact, and in the worst case exponential in the number of words without links. Moves are tried in an order that often
 * succeeds at once: a first gap without a link, the next aligned word, other words without links from left to right. The stack
 * has the states passed and the moves; after a move is taken back, the constraint is asked again what it allows. */
#include "coverage/coverage_impl.h"

#include <permfst/base/statetab.h>
#include <permfst/permute/walk.h>

#include <stdlib.h>

typedef struct {
    const pfi_order *order;
    pf_con *con;
    pf_con_walk walk;    /* at the present state, after walk.covered moves */
    pf_statetab seen;    /* keys of the states entered */
    uint32_t *passed;    /* their ids on the way to the present state, from the start on */
    unsigned *visited;   /* the moves made */
    unsigned linked;     /* how many of them are of the chain */
    unsigned char *next; /* scratch: a key */
} order_search;

/* The move to try after `last`, PFI_FREE for the first; PFI_FREE if there is none. `gap` is the first uncovered position. */
static unsigned next_move(const order_search *s, unsigned gap, unsigned last) {
    const pfi_order *o = s->order;
    const pf_cover *allowed = s->walk.moves;
    bool gap_open = gap < o->sources && o->turn[gap] == PFI_FREE, chained = last != PFI_FREE && o->turn[last] != PFI_FREE;
    unsigned from = chained ? 0 : last + 1;
    if (last == PFI_FREE && gap_open && pf_cover_has(allowed, gap)) return gap;
    if ((last == PFI_FREE || last == gap) && !chained && s->linked < o->aligned && pf_cover_has(allowed, o->chain[s->linked]))
        return o->chain[s->linked];
    if (last == PFI_FREE || last == gap) from = 0;
    for (unsigned j = pf_con_walk_next(&s->walk, from); j < o->sources; j = pf_con_walk_next(&s->walk, j + 1))
        if (o->turn[j] == PFI_FREE && j != gap) return j;
    return PFI_FREE;
}

/* The state of `length` bytes in s->next: *fresh says that it was not entered before. */
static pf_err enter(order_search *s, size_t length, int *fresh) {
    uint32_t id;
    PF_TRY(pf_statetab_intern(&s->seen, s->next, length, &id, fresh));
    if (!*fresh) return PF_OK;
    pf_con_walk_load(&s->walk, s->next, length);
    s->passed[s->walk.covered] = id;
    return PF_OK;
}

/* Visits j, unless the state that it leads to was entered before. */
static pf_err make_move(order_search *s, unsigned j, int *fresh) {
    unsigned t = s->walk.covered;
    PF_TRY(enter(s, pf_con_walk_step(&s->walk, j, s->next), fresh));
    if (!*fresh) return PF_OK;
    s->visited[t] = j;
    s->linked += s->order->turn[j] != PFI_FREE;
    return PF_OK;
}

static unsigned take_back(order_search *s) {
    size_t length;
    unsigned t = s->walk.covered - 1, j = s->visited[t];
    assert(s->walk.covered);
    const void *key = pf_statetab_key(&s->seen, s->passed[t], &length);
    pf_con_walk_load(&s->walk, key, length);
    s->linked -= s->order->turn[j] != PFI_FREE;
    return j;
}

/* The next state that was not entered, from the present one, of which the moves up to `last` were tried: *found = false if
 * there is none. */
static pf_err go_on(order_search *s, unsigned last, bool *found) {
    int fresh;
    PF_TRY(pf_con_walk_expand(&s->walk));
    unsigned gap = pf_cover_gap(pf_con_walk_cover(&s->walk), s->con->nw, 0), j;
    for (*found = false; !*found && (j = next_move(s, gap, last)) != PFI_FREE; last = j) {
        PF_TRY(make_move(s, j, &fresh));
        *found = fresh;
    }
    return PF_OK;
}

static pf_err start(order_search *s) {
    int fresh;
    size_t length = pf_con_walk_start(&s->walk);
    memcpy(s->next, s->walk.key, length);
    return enter(s, length, &fresh);
}

static pf_err run(order_search *s, uint64_t limit, pf_reach *out) {
    bool found = true;
    unsigned last = PFI_FREE;
    PF_TRY(start(s));
    *out = PF_REACHED;
    while (!pf_con_walk_ends(&s->walk)) {
        *out = PF_UNDECIDED;
        if (s->seen.n > limit) return PF_OK; /* the start state is not counted */
        PF_TRY(go_on(s, last, &found));
        *out = PF_NOT_REACHED;
        if (!found && !s->walk.covered) return PF_OK;
        last = found ? PFI_FREE : take_back(s);
        *out = PF_REACHED;
    }
    return PF_OK;
}

static pf_err make_room(order_search *s) {
    size_t n = s->con->n;
    pf_statetab_init(&s->seen, 0);
    PF_TRY(pf_con_walk_init(&s->walk, s->con, 0));
    s->next = malloc(pf_con_walk_room(&s->walk));
    s->passed = calloc(n + 1, sizeof *s->passed);
    s->visited = calloc(n + 1, sizeof *s->visited);
    return s->next && s->passed && s->visited ? PF_OK : pf_nomem();
}

pf_err pfi_coverage_search(const pfi_order *order, const char *spec, uint64_t limit, pf_reach *out) {
    order_search s = {.order = order};
    PF_TRY(pf_con_plain(spec, order->sources, &s.con));
    pf_err err = make_room(&s);
    if (!err) err = run(&s, limit, out);
    pf_statetab_free(&s.seen);
    pf_con_walk_free(&s.walk);
    free(s.next);
    free(s.passed);
    free(s.visited);
    pf_con_free(s.con);
    return err;
}
