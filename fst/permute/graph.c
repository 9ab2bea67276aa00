/* Word graphs, and the stacks of intervals that their orders leave. */
#include <permfst/permute/graph.h>

#include <permfst/base/statetab.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

enum { UNMET, OPEN, DONE }; /* states of a walk in depth */

typedef struct {
    pf_state state;
    uint32_t next; /* arc to follow */
} walk_place;

typedef struct {
    pf_fst *fst;
    pf_state end;            /* the final state; PF_NO_STATE: not met */
    PF_VEC(unsigned char) met;
    PF_VEC(uint32_t) node;   /* of each state that reaches the end, counted from the end; else 0 */
    PF_VEC(walk_place) path;
    PF_VEC(pf_state) sorted; /* states that reach the end, the end first */
} graph_reader;

static pf_err enter(graph_reader *r, pf_state state) {
    while (r->met.n <= state) {
        PF_TRY(PF_PUSH(&r->met, UNMET));
        PF_TRY(PF_PUSH(&r->node, 0));
    }
    if (r->met.at[state] == OPEN) return pf_fail(PF_EINPUT, "expected a word graph: state %u is on a cycle", state);
    if (r->met.at[state] == DONE) return PF_OK;
    r->met.at[state] = OPEN;
    if (pf_fst_final(r->fst, state) != INFINITY) {
        if (pf_fst_arcs(r->fst, state).n) return pf_fail(PF_EINPUT, "expected a word graph: state %u is final and has arcs", state);
        if (r->end != PF_NO_STATE) return pf_fail(PF_EINPUT, "expected a word graph: states %u and %u are final", r->end, state);
        r->end = state;
    }
    return PF_PUSH(&r->path, ((walk_place){state, 0}));
}

/* All that follows a state has been met. */
static pf_err leave(graph_reader *r, pf_state state) {
    pf_arcs arcs = pf_fst_arcs(r->fst, state);
    bool reaches = state == r->end;
    for (uint32_t i = 0; i < arcs.n; i++) reaches = reaches || (r->node.at[arcs.arc[i].to] && arcs.arc[i].w != INFINITY);
    r->met.at[state] = DONE;
    if (!reaches) return PF_OK;
    if (r->sorted.n == PF_GRAPH_NODES)
        return pf_fail(PF_ELIMIT, "a word graph has at most %d nodes; this one has more", PF_GRAPH_NODES);
    PF_TRY(PF_PUSH(&r->sorted, state));
    r->node.at[state] = (uint32_t)r->sorted.n;
    return PF_OK;
}

/* The arcs are followed from the last one to the first, so that nodes are in the order of the arcs where that can be. */
static pf_err sort(graph_reader *r) {
    PF_TRY(enter(r, r->fst->start));
    while (r->path.n) {
        walk_place *at = &r->path.at[r->path.n - 1];
        pf_arcs arcs = pf_fst_arcs(r->fst, at->state);
        if (at->next < arcs.n) {
            at->next++;
            PF_TRY(enter(r, arcs.arc[arcs.n - at->next].to));
        } else {
            PF_TRY(leave(r, at->state));
            r->path.n--;
        }
    }
    if (pf_fst_error(r->fst)) return pf_fst_error(r->fst);
    return r->end == PF_NO_STATE || !r->node.at[r->fst->start] ? pf_fail(PF_EINPUT, "expected a word graph: it has no path")
                                                              : PF_OK;
}

/* The n-th state is the start's, and numbers go down from there. */
static uint32_t node_of(const graph_reader *r, pf_state state) { return (uint32_t)r->sorted.n - r->node.at[state]; }

static pf_err take_arcs(graph_reader *r, pf_input *out) {
    PF_VEC(pf_arc) arcs = {0};
    pf_err err = PF_OK;
    out->n = (unsigned)r->sorted.n - 1;
    out->final = pf_fst_final(r->fst, r->end);
    out->first = calloc(r->sorted.n + 1, sizeof *out->first);
    if (!out->first) return pf_nomem();
    for (unsigned j = 0; !err && j <= out->n; j++) {
        pf_arcs from = pf_fst_arcs(r->fst, r->sorted.at[out->n - j]);
        out->first[j] = (uint32_t)arcs.n;
        for (uint32_t i = 0; !err && i < from.n; i++)
            if (r->node.at[from.arc[i].to] && from.arc[i].w != INFINITY)
                err = PF_PUSH(&arcs, ((pf_arc){from.arc[i].out, from.arc[i].out, from.arc[i].w, node_of(r, from.arc[i].to)}));
    }
    out->arc = arcs.at;
    return err;
}

pf_err pf_graph_read(pf_fst *fst, pf_input *out) {
    graph_reader r = {.fst = fst, .end = PF_NO_STATE};
    *out = (pf_input){0};
    if (fst->start == PF_NO_STATE) return pf_fail(PF_EINPUT, "expected a word graph, found an automaton without states");
    pf_err err = sort(&r);
    if (!err) err = take_arcs(&r, out);
    PF_VEC_FREE(&r.met);
    PF_VEC_FREE(&r.node);
    PF_VEC_FREE(&r.path);
    PF_VEC_FREE(&r.sorted);
    if (err) pf_input_free(out);
    return err;
}

bool pf_graph_wanted(pf_fst *fst, const char *const *con, size_t n_con) {
    for (size_t i = 0; i < n_con; i++)
        if (strcmp(con[i], "itg") == 0) return pf_input_branches(fst);
    return false;
}

pf_err pf_graph_check(const pf_perm_spec *spec) {
    if (spec->n_wm)
        return pf_fail(PF_EARG, "'%s' weighs moves between positions of a sentence, not of a word graph", spec->wm[0].spec);
    for (size_t i = 0; i < spec->n_con; i++)
        if (strcmp(spec->con[i], "itg") != 0)
            return pf_fail(PF_EARG, "'%s' is about positions of a sentence, and this is a word graph, which itg permutes",
                           spec->con[i]);
    return PF_OK;
}

/* ---- the automaton ---- */

typedef struct {
    uint16_t begin, end;
} covered_nodes;

typedef struct {
    pf_input graph;
    bool acceptor;
    uint64_t *reach;       /* does a path lead from node i to node k? bit k of row i */
    size_t words;          /* of a row */
    pf_statetab states;    /* stacks of intervals, from the bottom */
    covered_nodes *stack;  /* scratch: that of the state, and of the next one */
    unsigned depth;
} graph_machine;

static void machine_free(void *self) {
    graph_machine *g = self;
    pf_input_free(&g->graph);
    pf_statetab_free(&g->states);
    free(g->reach);
    free(g->stack);
    free(g);
}

static bool reaches(const graph_machine *g, unsigned i, unsigned k) { return g->reach[i * g->words + k / 64] >> (k % 64) & 1; }

static void find_reach(graph_machine *g) {
    for (unsigned i = g->graph.n + 1; i-- > 0;) {
        uint64_t *row = &g->reach[i * g->words];
        row[i / 64] |= UINT64_C(1) << (i % 64);
        for (uint32_t a = g->graph.first[i]; i < g->graph.n && a < g->graph.first[i + 1]; a++)
            for (size_t w = 0; w < g->words; w++) row[w] |= g->reach[g->graph.arc[a].to * g->words + w];
    }
}

/* Can the top interval grow to each lower one in turn, along one path? Then all of the stack is on one path. */
static bool can_be_completed(const graph_machine *g, const covered_nodes *stack, unsigned depth) {
    covered_nodes hull = stack[depth - 1];
    for (unsigned s = depth - 1; s-- > 0;) {
        if (stack[s].end <= hull.begin && reaches(g, stack[s].end, hull.begin)) hull.begin = stack[s].begin;
        else if (stack[s].begin >= hull.end && reaches(g, hull.end, stack[s].begin)) hull.end = stack[s].end;
        else return false;
    }
    return true;
}

/* Reads an arc i .. k after the stack; how many intervals there are then in *depth. */
static void push(covered_nodes *stack, unsigned *depth, unsigned i, unsigned k) {
    stack[(*depth)++] = (covered_nodes){(uint16_t)i, (uint16_t)k};
    for (; *depth > 1; --*depth) {
        covered_nodes *below = &stack[*depth - 2], *top = below + 1;
        if (below->end == top->begin) below->end = top->end;
        else if (top->end == below->begin) below->begin = top->begin;
        else return;
    }
}

/* The stack of the state comes before the scratch, and that of the next one after it. */
static pf_err read_arc(graph_machine *g, unsigned i, const pf_arc *arc, pf_emit *to) {
    covered_nodes *next = g->stack + g->depth;
    unsigned depth = g->depth;
    pf_state state;
    memcpy(next, g->stack, depth * sizeof *next);
    push(next, &depth, i, arc->to);
    if (!can_be_completed(g, next, depth)) return PF_OK;
    PF_TRY(pf_statetab_intern(&g->states, next, depth * sizeof *next, &state, NULL));
    return pf_emit_arc(to, g->acceptor ? arc->in : (pf_label)(i + 1), arc->out, arc->w, state);
}

static pf_err expand(void *self, pf_state state, pf_emit *to) {
    graph_machine *g = self;
    size_t length;
    const void *key = pf_statetab_key(&g->states, state, &length);
    memcpy(g->stack, key, length);
    g->depth = (unsigned)(length / sizeof *g->stack);
    if (g->depth == 1 && g->stack[0].begin == 0 && g->stack[0].end == g->graph.n) {
        to->final = g->graph.final;
        return PF_OK;
    }
    for (unsigned i = 0; i < g->graph.n; i++)
        for (uint32_t a = g->graph.first[i]; a < g->graph.first[i + 1]; a++) PF_TRY(read_arc(g, i, &g->graph.arc[a], to));
    return PF_OK;
}

static bool nonnegative(const void *self) {
    const graph_machine *g = self;
    for (uint32_t a = 0; a < g->graph.first[g->graph.n]; a++)
        if (g->graph.arc[a].w < 0) return false;
    return g->graph.final >= 0;
}

static void view(const void *self, pf_slots_view *out) {
    const graph_machine *g = self;
    *out = (pf_slots_view){g->graph.n, g->graph.first, g->graph.arc, !g->acceptor, nonnegative(self), g->graph.final, NULL};
}

static uint64_t bytes(const void *self) { return pf_statetab_bytes(&((const graph_machine *)self)->states); }

static const pf_op graph_op = {
    .name = "graph", .expand = expand, .free = machine_free, .graph = view, .nonnegative = nonnegative, .bytes = bytes,
};

static pf_err set_up(graph_machine *g, pf_fst *graph, const pf_perm_spec *spec, pf_state *start) {
    PF_TRY(pf_graph_check(spec));
    PF_TRY(pf_graph_read(graph, &g->graph));
    g->words = g->graph.n / 64 + 1;
    g->reach = calloc((g->graph.n + (size_t)1) * g->words, sizeof *g->reach);
    g->stack = malloc(2 * (g->graph.n + (size_t)2) * sizeof *g->stack);
    if (!g->reach || !g->stack) return pf_nomem();
    find_reach(g);
    return pf_statetab_intern(&g->states, "", 0, start, NULL);
}

pf_err pf_graph_lazy(pf_fst *graph, const pf_perm_spec *spec, pf_fst **out) {
    graph_machine *g = calloc(1, sizeof *g);
    pf_state start;
    if (!g) return pf_nomem();
    g->acceptor = spec->acceptor;
    pf_statetab_init(&g->states, 0);
    pf_err err = set_up(g, graph, spec, &start);
    if (err) {
        machine_free(g);
        return err;
    }
    PF_TRY(pf_fst_new(graph->type, &graph_op, g, out));
    (*out)->start = start;
    pf_fst_set_symbols(*out, spec->acceptor ? graph->osyms : NULL, graph->osyms);
    err = pf_input_alphabet(&g->graph, *out);
    if (!err) return PF_OK;
    pf_fst_free(*out);
    *out = NULL;
    return err;
}
