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
static unsigned next_move(const order_search *search, unsigned gap, unsigned last) {
    const pfi_order *order = search->order;
    const pf_cover *allowed = search->walk.moves;
    bool gap_open = gap < order->sources && order->turn[gap] == PFI_FREE,
        chained = last != PFI_FREE && order->turn[last] != PFI_FREE;
    unsigned from = chained ? 0 : last + 1;
    if (last == PFI_FREE && gap_open && pf_cover_has(allowed, gap)) return gap;
    if ((last == PFI_FREE || last == gap) && !chained && search->linked < order->aligned &&
        pf_cover_has(allowed, order->chain[search->linked]))
        return order->chain[search->linked];
    if (last == PFI_FREE || last == gap) from = 0;
    for (unsigned j = pf_con_walk_next(&search->walk, from); j < order->sources; j = pf_con_walk_next(&search->walk, j + 1))
        if (order->turn[j] == PFI_FREE && j != gap) return j;
    return PFI_FREE;
}

/* The state of `length` bytes in search->next: *fresh says that it was not entered before. */
static pf_err enter(order_search *search, size_t length, int *fresh) {
    uint32_t id;
    PF_TRY(pf_statetab_intern(&search->seen, search->next, length, &id, fresh));
    if (!*fresh) return PF_OK;
    pf_con_walk_load(&search->walk, search->next, length);
    search->passed[search->walk.covered] = id;
    return PF_OK;
}

/* Visits `position`, unless the state that it leads to was entered before. */
static pf_err make_move(order_search *search, unsigned position, int *fresh) {
    unsigned step = search->walk.covered;
    PF_TRY(enter(search, pf_con_walk_step(&search->walk, position, search->next), fresh));
    if (!*fresh) return PF_OK;
    search->visited[step] = position;
    search->linked += search->order->turn[position] != PFI_FREE;
    return PF_OK;
}

static unsigned take_back(order_search *search) {
    size_t length;
    unsigned step = search->walk.covered - 1, j = search->visited[step];
    assert(search->walk.covered);
    const void *key = pf_statetab_key(&search->seen, search->passed[step], &length);
    pf_con_walk_load(&search->walk, key, length);
    search->linked -= search->order->turn[j] != PFI_FREE;
    return j;
}

/* The next state that was not entered, from the present one, of which the moves up to `last` were tried: *found = false if
 * there is none. */
static pf_err go_on(order_search *search, unsigned last, bool *found) {
    int fresh;
    PF_TRY(pf_con_walk_expand(&search->walk));
    unsigned gap = pf_cover_gap(pf_con_walk_cover(&search->walk), search->con->nw, 0), j;
    for (*found = false; !*found && (j = next_move(search, gap, last)) != PFI_FREE; last = j) {
        PF_TRY(make_move(search, j, &fresh));
        *found = fresh;
    }
    return PF_OK;
}

static pf_err start(order_search *search) {
    int fresh;
    size_t length = pf_con_walk_start(&search->walk);
    memcpy(search->next, search->walk.key, length);
    return enter(search, length, &fresh);
}

static pf_err run(order_search *search, uint64_t limit, pf_reach *out) {
    bool found = true;
    unsigned last = PFI_FREE;
    PF_TRY(start(search));
    *out = PF_REACHED;
    while (!pf_con_walk_ends(&search->walk)) {
        *out = PF_UNDECIDED;
        if (search->seen.n > limit) return PF_OK; /* the start state is not counted */
        PF_TRY(go_on(search, last, &found));
        *out = PF_NOT_REACHED;
        if (!found && !search->walk.covered) return PF_OK;
        last = found ? PFI_FREE : take_back(search);
        *out = PF_REACHED;
    }
    return PF_OK;
}

static pf_err make_room(order_search *search) {
    size_t length = search->con->n;
    pf_statetab_init(&search->seen, 0);
    PF_TRY(pf_con_walk_init(&search->walk, search->con, 0));
    search->next = malloc(pf_con_walk_room(&search->walk));
    search->passed = calloc(length + 1, sizeof *search->passed);
    search->visited = calloc(length + 1, sizeof *search->visited);
    return search->next && search->passed && search->visited ? PF_OK : pf_nomem();
}

/* With the marks of the sentence. */
static pf_err make_constraint(const pf_coverage *coverage, const char *spec, pf_con **out) {
    size_t n = coverage->marks ? coverage->marks->n : 0;
    const char **all = calloc(n + 1, sizeof *all);
    if (!all) return pf_nomem();
    all[0] = spec;
    for (size_t i = 0; i < n; i++) all[i + 1] = coverage->marks->at[i].spec;
    pf_err err = pf_con_plain(all, n + 1, coverage->order.sources, out);
    free(all);
    return err;
}

pf_err pfi_coverage_search(const pf_coverage *coverage, const char *spec, uint64_t limit, pf_reach *out) {
    order_search search = {.order = &coverage->order};
    PF_TRY(make_constraint(coverage, spec, &search.con));
    pf_err err = make_room(&search);
    if (!err) err = run(&search, limit, out);
    pf_statetab_free(&search.seen);
    pf_con_walk_free(&search.walk);
    free(search.next);
    free(search.passed);
    free(search.visited);
    pf_con_free(search.con);
    return err;
}
