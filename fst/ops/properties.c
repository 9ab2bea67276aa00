/* Arcs are looked at once; strongly connected components (Tarjan 1972) tell about cycles. */
#include <permfst/ops/properties.h>

#include <assert.h>
#include <stdlib.h>

/* The first bit of each pair. */
enum {
    ACCEPTOR = 16, IN_DETERMINISTIC = 18, OUT_DETERMINISTIC = 20, EPSILONS = 22, IN_EPSILONS = 24, OUT_EPSILONS = 26,
    IN_SORTED = 28, OUT_SORTED = 30, WEIGHTED = 32, CYCLIC = 34, INITIAL_CYCLIC = 36, TOP_SORTED = 38, ACCESSIBLE = 40,
    COACCESSIBLE = 42, STRING = 44, WEIGHTED_CYCLES = 46, END = 48
};

const char *pf_property_name(unsigned bit) {
    static const char *const names[] = {
        "acceptor", "no acceptor", "input deterministic", "not input deterministic", "output deterministic",
        "not output deterministic", "with epsilon arcs", "without epsilon arcs", "with input epsilons", "without input epsilons",
        "with output epsilons", "without output epsilons", "sorted by input", "not sorted by input", "sorted by output",
        "not sorted by output", "weighted", "unweighted", "cyclic", "acyclic", "cyclic at its start", "acyclic at its start",
        "topologically sorted", "not topologically sorted", "accessible", "not accessible", "coaccessible", "not coaccessible",
        "linear", "not linear", "with weighted cycles", "without weighted cycles"};
    return bit >= ACCEPTOR && bit < END ? names[bit - ACCEPTOR] : NULL;
}

/* Properties as they are found: `holds` has the first bit of each pair. */
typedef struct {
    pf_fst *fst;
    uint64_t holds;
    pf_state states;
    pf_label *labels; /* of one state, to be sorted */
    size_t room;
} look;

static void set(look *view, unsigned property, bool holds) {
    view->holds = holds ? view->holds | UINT64_C(1) << property : view->holds & ~(UINT64_C(1) << property);
}

/* ---- arcs, one after the other ---- */

static int by_value(const void *first, const void *second) {
    pf_label a = *(const pf_label *)first, b = *(const pf_label *)second;
    return (a > b) - (a < b);
}

static bool deterministic(look *view, pf_arcs arcs, bool out) {
    for (uint32_t i = 0; i < arcs.n; i++) view->labels[i] = out ? arcs.arc[i].out : arcs.arc[i].in;
    qsort(view->labels, arcs.n, sizeof *view->labels, by_value);
    for (uint32_t i = 1; i < arcs.n; i++)
        if (view->labels[i] == view->labels[i - 1]) return false;
    return true;
}

static bool is_weight(float weight) { return weight != 0 && weight != INFINITY; }

static void look_at_arc(look *view, pf_state state, const pf_arc *arc) {
    if (arc->in != arc->out) set(view, ACCEPTOR, false);
    if (!arc->in) set(view, IN_EPSILONS, true);
    if (!arc->out) set(view, OUT_EPSILONS, true);
    if (!arc->in && !arc->out) set(view, EPSILONS, true);
    if (is_weight(arc->w)) set(view, WEIGHTED, true);
    if (arc->to <= state) set(view, TOP_SORTED, false);
    if (arc->to != state + 1) set(view, STRING, false);
}

static pf_err look_at_arcs(look *view, pf_state state, pf_arcs arcs) {
    PF_TRY(pf_vec_reserve(&view->labels, &view->room, arcs.n, sizeof *view->labels));
    for (uint32_t i = 0; i < arcs.n; i++) {
        look_at_arc(view, state, &arcs.arc[i]);
        if (i && arcs.arc[i].in < arcs.arc[i - 1].in) set(view, IN_SORTED, false);
        if (i && arcs.arc[i].out < arcs.arc[i - 1].out) set(view, OUT_SORTED, false);
    }
    if (arcs.n > 1 && !deterministic(view, arcs, false)) set(view, IN_DETERMINISTIC, false);
    if (arcs.n > 1 && !deterministic(view, arcs, true)) set(view, OUT_DETERMINISTIC, false);
    return PF_OK;
}

/* A linear machine begins at state 0, and only its last state is final. */
static pf_err look_at_states(look *view) {
    bool ended = false;
    if (view->fst->start != PF_NO_STATE && view->fst->start != 0) set(view, STRING, false);
    for (pf_state state = 0; state < view->states; state++) {
        pf_arcs arcs = pf_fst_arcs(view->fst, state);
        float final = pf_fst_final(view->fst, state);
        if (ended) set(view, STRING, false);
        if (is_weight(final)) set(view, WEIGHTED, true);
        if (final != INFINITY) ended = true;
        else if (arcs.n != 1) set(view, STRING, false);
        PF_TRY(look_at_arcs(view, state, arcs));
    }
    return PF_OK;
}

/* ---- components ---- */

/* What is known of a state. `low`: the earliest state that is known to be in its component; `leads`: to a final state. */
typedef struct {
    uint32_t seen, low, next;
    pf_state parent;
    bool accessible, leads, open;
} node;

typedef struct {
    look *view;
    node *at;
    pf_state *stack; /* of states whose components are not known yet */
    pf_state depth;
    uint32_t clock;
    uint32_t *component, components;
} components;

static void enter(components *found, pf_state state, pf_state parent, bool accessible) {
    found->at[state] = (node){++found->clock, found->clock, 0, parent, accessible,
                              pf_fst_final(found->view->fst, state) != INFINITY,
                              true};
    found->stack[found->depth++] = state;
}

/* All states of a component lead where one of them leads. */
static void close_component(components *found, pf_state state) {
    pf_state first = found->depth;
    bool leads = false;
    assert(first);
    do leads = found->at[found->stack[--first]].leads || leads;
    while (found->stack[first] != state);
    for (pf_state i = first; i < found->depth; i++) {
        found->at[found->stack[i]].open = false;
        found->at[found->stack[i]].leads = leads;
        found->component[found->stack[i]] = found->components;
    }
    found->depth = first;
    found->components++;
}

static void leave(components *found, pf_state state) {
    pf_state parent = found->at[state].parent;
    if (found->at[state].low == found->at[state].seen) close_component(found, state);
    if (parent == PF_NO_STATE) return;
    if (found->at[state].open && found->at[state].low < found->at[parent].low) found->at[parent].low = found->at[state].low;
    found->at[parent].leads = found->at[parent].leads || found->at[state].leads;
}

static void search_from(components *found, pf_state from, bool accessible) {
    assert(!found->depth); /* components are whole where a search ends */
    if (found->at[from].seen) return;
    enter(found, from, PF_NO_STATE, accessible);
    for (pf_state state = from; state != PF_NO_STATE;) {
        pf_arcs arcs = pf_fst_arcs(found->view->fst, state);
        node *here = &found->at[state];
        if (here->next == arcs.n) {
            pf_state parent = here->parent;
            leave(found, state);
            state = parent;
            continue;
        }
        pf_state to = arcs.arc[here->next++].to;
        if (!found->at[to].seen) {
            enter(found, to, state, accessible);
            state = to;
        } else if (found->at[to].open && found->at[to].seen < here->low) here->low = found->at[to].seen;
        else here->leads = here->leads || found->at[to].leads;
    }
}

/* An arc inside a component is on a cycle. */
static void look_at_cycles(components *found) {
    look *view = found->view;
    for (pf_state state = 0; state < view->states; state++) {
        pf_arcs arcs = pf_fst_arcs(view->fst, state);
        if (!found->at[state].accessible) set(view, ACCESSIBLE, false);
        if (!found->at[state].leads) set(view, COACCESSIBLE, false);
        for (uint32_t i = 0; i < arcs.n; i++) {
            if (found->component[arcs.arc[i].to] != found->component[state]) continue;
            set(view, CYCLIC, true);
            if (found->component[state] == found->component[view->fst->start]) set(view, INITIAL_CYCLIC, true);
            if (arcs.arc[i].w != 0) set(view, WEIGHTED_CYCLES, true);
        }
    }
}

static pf_err look_at_components(look *view) {
    size_t n = view->states;
    components found = {.view = view, .at = calloc(n, sizeof *found.at), .stack = calloc(n, sizeof *found.stack),
                        .component = calloc(n, sizeof *found.component)};
    bool room = found.at && found.stack && found.component;
    if (room && view->fst->start != PF_NO_STATE) search_from(&found, view->fst->start, true);
    for (pf_state state = 0; room && state < view->states; state++) search_from(&found, state, false);
    if (room) look_at_cycles(&found);
    free(found.at);
    free(found.stack);
    free(found.component);
    return room ? PF_OK : pf_nomem();
}

/* ---- the whole ---- */

pf_err pf_properties(pf_fst *fst, uint64_t *out) {
    look view = {.fst = fst};
    PF_TRY(pf_fst_complete(fst));
    view.states = pf_fst_states(fst);
    static const unsigned at_first[] = {ACCEPTOR, IN_DETERMINISTIC, OUT_DETERMINISTIC, IN_SORTED, OUT_SORTED, TOP_SORTED,
                                        ACCESSIBLE, COACCESSIBLE, STRING};
    for (size_t i = 0; i < sizeof at_first / sizeof *at_first; i++) set(&view, at_first[i], true);
    pf_err err = look_at_states(&view);
    if (!err && view.states) err = look_at_components(&view);
    free(view.labels);
    const uint64_t firsts = UINT64_C(0x555555550000);
    *out = view.holds | (~view.holds & firsts) << 1;
    return err;
}
