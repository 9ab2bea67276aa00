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

static pf_err enter(graph_reader *reader, pf_state state) {
    while (reader->met.n <= state) {
        PF_TRY(PF_PUSH(&reader->met, UNMET));
        PF_TRY(PF_PUSH(&reader->node, 0));
    }
    if (reader->met.at[state] == OPEN) return pf_fail(PF_EINPUT, "expected a word graph: state %u is on a cycle", state);
    if (reader->met.at[state] == DONE) return PF_OK;
    reader->met.at[state] = OPEN;
    if (pf_fst_final(reader->fst, state) != INFINITY) {
        if (pf_fst_arcs(reader->fst, state).n)
            return pf_fail(PF_EINPUT, "expected a word graph: state %u is final and has arcs", state);
        if (reader->end != PF_NO_STATE)
            return pf_fail(PF_EINPUT, "expected a word graph: states %u and %u are final", reader->end, state);
        reader->end = state;
    }
    return PF_PUSH(&reader->path, ((walk_place){state, 0}));
}

/* All that follows a state has been met. */
static pf_err leave(graph_reader *reader, pf_state state) {
    pf_arcs arcs = pf_fst_arcs(reader->fst, state);
    bool reaches = state == reader->end;
    for (uint32_t i = 0; i < arcs.n; i++) reaches = reaches || (reader->node.at[arcs.arc[i].to] && arcs.arc[i].w != INFINITY);
    reader->met.at[state] = DONE;
    if (!reaches) return PF_OK;
    if (reader->sorted.n == PF_GRAPH_NODES)
        return pf_fail(PF_ELIMIT, "a word graph has at most %d nodes; this one has more", PF_GRAPH_NODES);
    PF_TRY(PF_PUSH(&reader->sorted, state));
    reader->node.at[state] = (uint32_t)reader->sorted.n;
    return PF_OK;
}

/* The arcs are followed from the last one to the first, so that nodes are in the order of the arcs where that can be. */
static pf_err sort(graph_reader *reader) {
    PF_TRY(enter(reader, reader->fst->start));
    while (reader->path.n) {
        walk_place *at = &reader->path.at[reader->path.n - 1];
        pf_arcs arcs = pf_fst_arcs(reader->fst, at->state);
        if (at->next < arcs.n) {
            at->next++;
            PF_TRY(enter(reader, arcs.arc[arcs.n - at->next].to));
        } else {
            PF_TRY(leave(reader, at->state));
            reader->path.n--;
        }
    }
    if (pf_fst_error(reader->fst)) return pf_fst_error(reader->fst);
    return reader->end == PF_NO_STATE || !reader->node.at[reader->fst->start]
               ? pf_fail(PF_EINPUT, "expected a word graph: it has no path")
               : PF_OK;
}

/* The n-th state is the start's, and numbers go down from there. */
static uint32_t node_of(const graph_reader *reader, pf_state state) { return (uint32_t)reader->sorted.n - reader->node.at[state]; }

static pf_err take_arcs(graph_reader *reader, pf_input *out) {
    PF_VEC(pf_arc) arcs = {0};
    pf_err err = PF_OK;
    out->n = (unsigned)reader->sorted.n - 1;
    out->final = pf_fst_final(reader->fst, reader->end);
    out->first = calloc(reader->sorted.n + 1, sizeof *out->first);
    if (!out->first) return pf_nomem();
    for (unsigned node = 0; !err && node <= out->n; node++) {
        pf_arcs from = pf_fst_arcs(reader->fst, reader->sorted.at[out->n - node]);
        out->first[node] = (uint32_t)arcs.n;
        for (uint32_t at = 0; !err && at < from.n; at++)
            if (reader->node.at[from.arc[at].to] && from.arc[at].w != INFINITY)
                err = PF_PUSH(&arcs,
                              ((pf_arc){from.arc[at].out, from.arc[at].out, from.arc[at].w, node_of(reader, from.arc[at].to)}));
    }
    out->arc = arcs.at;
    return err;
}

pf_err pf_graph_read(pf_fst *fst, pf_input *out) {
    graph_reader reader = {.fst = fst, .end = PF_NO_STATE};
    *out = (pf_input){0};
    if (fst->start == PF_NO_STATE) return pf_fail(PF_EINPUT, "expected a word graph, found an automaton without states");
    pf_err err = sort(&reader);
    if (!err) err = take_arcs(&reader, out);
    PF_VEC_FREE(&reader.met);
    PF_VEC_FREE(&reader.node);
    PF_VEC_FREE(&reader.path);
    PF_VEC_FREE(&reader.sorted);
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
    for (size_t at = 0; at < spec->n_con; at++)
        if (strcmp(spec->con[at], "itg") != 0)
            return pf_fail(PF_EARG, "'%s' is about positions of a sentence, and this is a word graph, which itg permutes",
                           spec->con[at]);
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
    graph_machine *own = self;
    pf_input_free(&own->graph);
    pf_statetab_free(&own->states);
    free(own->reach);
    free(own->stack);
    free(own);
}

static bool reaches(const graph_machine *own, unsigned from, unsigned to) {
    return own->reach[from * own->words + to / 64] >> (to % 64) & 1;
}

static void find_reach(graph_machine *own) {
    for (unsigned node = own->graph.n + 1; node-- > 0;) {
        uint64_t *row = &own->reach[node * own->words];
        row[node / 64] |= UINT64_C(1) << (node % 64);
        for (uint32_t arc = own->graph.first[node]; node < own->graph.n && arc < own->graph.first[node + 1]; arc++)
            for (size_t word = 0; word < own->words; word++) row[word] |= own->reach[own->graph.arc[arc].to * own->words + word];
    }
}

/* Can the top interval grow to each lower one in turn, along one path? Then all of the stack is on one path. */
static bool can_be_completed(const graph_machine *own, const covered_nodes *stack, unsigned depth) {
    covered_nodes hull = stack[depth - 1];
    for (unsigned below = depth - 1; below-- > 0;) {
        if (stack[below].end <= hull.begin && reaches(own, stack[below].end, hull.begin)) hull.begin = stack[below].begin;
        else if (stack[below].begin >= hull.end && reaches(own, hull.end, stack[below].begin)) hull.end = stack[below].end;
        else return false;
    }
    return true;
}

/* Reads an arc begin .. end after the stack; how many intervals there are then in *depth. */
static void push(covered_nodes *stack, unsigned *depth, unsigned begin, unsigned end) {
    stack[(*depth)++] = (covered_nodes){(uint16_t)begin, (uint16_t)end};
    for (; *depth > 1; --*depth) {
        covered_nodes *below = &stack[*depth - 2], *top = below + 1;
        if (below->end == top->begin) below->end = top->end;
        else if (top->end == below->begin) below->begin = top->begin;
        else return;
    }
}

/* The stack of the state comes before the scratch, and that of the next one after it. */
static pf_err read_arc(graph_machine *own, unsigned node, const pf_arc *arc, pf_emit *to) {
    covered_nodes *next = own->stack + own->depth;
    unsigned depth = own->depth;
    pf_state state;
    memcpy(next, own->stack, depth * sizeof *next);
    push(next, &depth, node, arc->to);
    if (!can_be_completed(own, next, depth)) return PF_OK;
    PF_TRY(pf_statetab_intern(&own->states, next, depth * sizeof *next, &state, NULL));
    return pf_emit_arc(to, own->acceptor ? arc->in : (pf_label)(node + 1), arc->out, arc->w, state);
}

static pf_err expand(void *self, pf_state state, pf_emit *to) {
    graph_machine *own = self;
    size_t length;
    const void *key = pf_statetab_key(&own->states, state, &length);
    memcpy(own->stack, key, length);
    own->depth = (unsigned)(length / sizeof *own->stack);
    if (own->depth == 1 && own->stack[0].begin == 0 && own->stack[0].end == own->graph.n) {
        to->final = own->graph.final;
        return PF_OK;
    }
    for (unsigned node = 0; node < own->graph.n; node++)
        for (uint32_t arc = own->graph.first[node]; arc < own->graph.first[node + 1]; arc++)
            PF_TRY(read_arc(own, node, &own->graph.arc[arc], to));
    return PF_OK;
}

static bool nonnegative(const void *self) {
    const graph_machine *own = self;
    for (uint32_t arc = 0; arc < own->graph.first[own->graph.n]; arc++)
        if (own->graph.arc[arc].w < 0) return false;
    return own->graph.final >= 0;
}

static void view(const void *self, pf_slots_view *out) {
    const graph_machine *own = self;
    *out =
        (pf_slots_view){own->graph.n, own->graph.first, own->graph.arc, !own->acceptor, nonnegative(self), own->graph.final, NULL};
}

static uint64_t bytes(const void *self) { return pf_statetab_bytes(&((const graph_machine *)self)->states); }

static const pf_op graph_op = {
    .name = "graph", .expand = expand, .free = machine_free, .graph = view, .nonnegative = nonnegative, .bytes = bytes,
};

static pf_err set_up(graph_machine *own, pf_fst *graph, const pf_perm_spec *spec, pf_state *start) {
    PF_TRY(pf_graph_check(spec));
    PF_TRY(pf_graph_read(graph, &own->graph));
    own->words = own->graph.n / 64 + 1;
    own->reach = calloc((own->graph.n + (size_t)1) * own->words, sizeof *own->reach);
    own->stack = malloc(2 * (own->graph.n + (size_t)2) * sizeof *own->stack);
    if (!own->reach || !own->stack) return pf_nomem();
    find_reach(own);
    return pf_statetab_intern(&own->states, "", 0, start, NULL);
}

pf_err pf_graph_lazy(pf_fst *graph, const pf_perm_spec *spec, pf_fst **out) {
    graph_machine *own = calloc(1, sizeof *own);
    pf_state start;
    if (!own) return pf_nomem();
    own->acceptor = spec->acceptor;
    pf_statetab_init(&own->states, 0);
    pf_err err = set_up(own, graph, spec, &start);
    if (err) {
        machine_free(own);
        return err;
    }
    PF_TRY(pf_fst_new(graph->type, &graph_op, own, out));
    (*out)->start = start;
    pf_fst_set_symbols(*out, spec->acceptor ? graph->osyms : NULL, graph->osyms);
    err = pf_input_alphabet(&own->graph, *out);
    if (!err) return PF_OK;
    pf_fst_free(*out);
    *out = NULL;
    return err;
}
