/* Arcs are looked at once; strongly connected components (Tarjan 1972) tell about cycles. */
#include <permfst/ops/properties.h>

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

static void set(look *l, unsigned property, bool holds) {
    l->holds = holds ? l->holds | UINT64_C(1) << property : l->holds & ~(UINT64_C(1) << property);
}

/* ---- arcs, one after the other ---- */

static int by_value(const void *first, const void *second) {
    pf_label a = *(const pf_label *)first, b = *(const pf_label *)second;
    return (a > b) - (a < b);
}

static bool deterministic(look *l, pf_arcs a, bool out) {
    for (uint32_t i = 0; i < a.n; i++) l->labels[i] = out ? a.arc[i].out : a.arc[i].in;
    qsort(l->labels, a.n, sizeof *l->labels, by_value);
    for (uint32_t i = 1; i < a.n; i++)
        if (l->labels[i] == l->labels[i - 1]) return false;
    return true;
}

static bool is_weight(float w) { return w != 0 && w != INFINITY; }

static void look_at_arc(look *l, pf_state s, const pf_arc *arc) {
    if (arc->in != arc->out) set(l, ACCEPTOR, false);
    if (!arc->in) set(l, IN_EPSILONS, true);
    if (!arc->out) set(l, OUT_EPSILONS, true);
    if (!arc->in && !arc->out) set(l, EPSILONS, true);
    if (is_weight(arc->w)) set(l, WEIGHTED, true);
    if (arc->to <= s) set(l, TOP_SORTED, false);
    if (arc->to != s + 1) set(l, STRING, false);
}

static pf_err look_at_arcs(look *l, pf_state s, pf_arcs a) {
    PF_TRY(pf_vec_reserve(&l->labels, &l->room, a.n, sizeof *l->labels));
    for (uint32_t i = 0; i < a.n; i++) {
        look_at_arc(l, s, &a.arc[i]);
        if (i && a.arc[i].in < a.arc[i - 1].in) set(l, IN_SORTED, false);
        if (i && a.arc[i].out < a.arc[i - 1].out) set(l, OUT_SORTED, false);
    }
    if (a.n > 1 && !deterministic(l, a, false)) set(l, IN_DETERMINISTIC, false);
    if (a.n > 1 && !deterministic(l, a, true)) set(l, OUT_DETERMINISTIC, false);
    return PF_OK;
}

/* A linear machine begins at state 0, and only its last state is final. */
static pf_err look_at_states(look *l) {
    bool ended = false;
    if (l->fst->start != PF_NO_STATE && l->fst->start != 0) set(l, STRING, false);
    for (pf_state s = 0; s < l->states; s++) {
        pf_arcs a = pf_fst_arcs(l->fst, s);
        float final = pf_fst_final(l->fst, s);
        if (ended) set(l, STRING, false);
        if (is_weight(final)) set(l, WEIGHTED, true);
        if (final != INFINITY) ended = true;
        else if (a.n != 1) set(l, STRING, false);
        PF_TRY(look_at_arcs(l, s, a));
    }
    return PF_OK;
}

/* ---- components ---- */

/* Of a state. `low`: the earliest state that is known to be in its component; `leads`: to a final state. */
typedef struct {
    uint32_t seen, low, next;
    pf_state parent;
    bool accessible, leads, open;
} node;

typedef struct {
    look *l;
    node *at;
    pf_state *stack; /* of states whose components are not known yet */
    pf_state depth;
    uint32_t clock;
    uint32_t *component, components;
} components;

static void enter(components *c, pf_state s, pf_state parent, bool accessible) {
    c->at[s] = (node){++c->clock, c->clock, 0, parent, accessible, pf_fst_final(c->l->fst, s) != INFINITY, true};
    c->stack[c->depth++] = s;
}

/* All states of a component lead where one of them leads. */
static void close_component(components *c, pf_state s) {
    pf_state first = c->depth;
    bool leads = false;
    do leads = c->at[c->stack[--first]].leads || leads;
    while (c->stack[first] != s);
    for (pf_state i = first; i < c->depth; i++) {
        c->at[c->stack[i]].open = false;
        c->at[c->stack[i]].leads = leads;
        c->component[c->stack[i]] = c->components;
    }
    c->depth = first;
    c->components++;
}

static void leave(components *c, pf_state s) {
    pf_state parent = c->at[s].parent;
    if (c->at[s].low == c->at[s].seen) close_component(c, s);
    if (parent == PF_NO_STATE) return;
    if (c->at[s].open && c->at[s].low < c->at[parent].low) c->at[parent].low = c->at[s].low;
    c->at[parent].leads = c->at[parent].leads || c->at[s].leads;
}

static void search_from(components *c, pf_state from, bool accessible) {
    if (c->at[from].seen) return;
    enter(c, from, PF_NO_STATE, accessible);
    for (pf_state s = from; s != PF_NO_STATE;) {
        pf_arcs a = pf_fst_arcs(c->l->fst, s);
        node *here = &c->at[s];
        if (here->next == a.n) {
            pf_state parent = here->parent;
            leave(c, s);
            s = parent;
            continue;
        }
        pf_state to = a.arc[here->next++].to;
        if (!c->at[to].seen) {
            enter(c, to, s, accessible);
            s = to;
        } else if (c->at[to].open && c->at[to].seen < here->low) here->low = c->at[to].seen;
        else here->leads = here->leads || c->at[to].leads;
    }
}

/* An arc inside a component is on a cycle. */
static void look_at_cycles(components *c) {
    look *l = c->l;
    for (pf_state s = 0; s < l->states; s++) {
        pf_arcs a = pf_fst_arcs(l->fst, s);
        if (!c->at[s].accessible) set(l, ACCESSIBLE, false);
        if (!c->at[s].leads) set(l, COACCESSIBLE, false);
        for (uint32_t i = 0; i < a.n; i++) {
            if (c->component[a.arc[i].to] != c->component[s]) continue;
            set(l, CYCLIC, true);
            if (c->component[s] == c->component[l->fst->start]) set(l, INITIAL_CYCLIC, true);
            if (a.arc[i].w != 0) set(l, WEIGHTED_CYCLES, true);
        }
    }
}

static pf_err look_at_components(look *l) {
    size_t n = l->states;
    components c = {.l = l, .at = calloc(n, sizeof *c.at), .stack = calloc(n, sizeof *c.stack),
                    .component = calloc(n, sizeof *c.component)};
    bool room = c.at && c.stack && c.component;
    if (room && l->fst->start != PF_NO_STATE) search_from(&c, l->fst->start, true);
    for (pf_state s = 0; room && s < l->states; s++) search_from(&c, s, false);
    if (room) look_at_cycles(&c);
    free(c.at);
    free(c.stack);
    free(c.component);
    return room ? PF_OK : pf_nomem();
}

/* ---- the whole ---- */

pf_err pf_properties(pf_fst *fst, uint64_t *out) {
    look l = {.fst = fst};
    PF_TRY(pf_fst_complete(fst));
    l.states = pf_fst_states(fst);
    static const unsigned at_first[] = {ACCEPTOR, IN_DETERMINISTIC, OUT_DETERMINISTIC, IN_SORTED, OUT_SORTED, TOP_SORTED, ACCESSIBLE,
                                        COACCESSIBLE, STRING};
    for (size_t i = 0; i < sizeof at_first / sizeof *at_first; i++) set(&l, at_first[i], true);
    pf_err err = look_at_states(&l);
    if (!err && l.states) err = look_at_components(&l);
    free(l.labels);
    const uint64_t firsts = UINT64_C(0x555555550000);
    *out = l.holds | (~l.holds & firsts) << 1;
    return err;
}
