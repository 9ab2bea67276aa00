/* Best paths of any machine, arc by arc.
 *
 * Best-first (Dijkstra 1959) while weights are not negative. Where it is known that no weight is, only what is cheaper than the
 * best path is expanded; elsewhere everything, as what comes after the end of a path may be worth its price. The queue is ordered
 * by cost and then by path, so ties come out in the one documented order. Once a negative weight is met, the machine is searched
 * again in topological order, for which it must be acyclic. O(arcs log arcs), times the length of the paths that are compared for
 * equal costs. */
#include <permfst/base/heap.h>
#include <permfst/ops/topsort.h>
#include "base/contract.h"
#include "search/graph.h"
#include "search/lattice.h"
#include "search/limits.h"

#include <stdio.h>

/* A node in the queue with the path that it came in by. Its best path may change, the order in the queue must not. */
typedef struct {
    pfi_extension path;
    uint32_t node;
} arc_entry;

typedef struct {
    pf_fst *fst;
    const pf_best_options *options;
    pfi_graph graph;
    PF_VEC(uint32_t) node;  /* of each state; PFI_NONE: not met */
    PF_VEC(pf_state) state; /* of each node; the end has PF_NO_STATE */
    PF_VEC(bool) closed;    /* of each node */
    PF_VEC(arc_entry) entries;
    pf_heap queue;          /* of entries */
    uint32_t end;
    double frontier;  /* no path that has not been met costs less, if no weight is negative */
    bool nonnegative; /* it is known that no weight is negative */
    bool negative;    /* one was met */
    uint64_t expanded, arcs;
} arc_search;

static void search_free(arc_search *s) {
    pfi_graph_free(&s->graph);
    PF_VEC_FREE(&s->node);
    PF_VEC_FREE(&s->state);
    PF_VEC_FREE(&s->closed);
    PF_VEC_FREE(&s->entries);
    pf_heap_free(&s->queue);
}

static pf_err new_node(arc_search *s, pf_state state, uint32_t *node) {
    PF_TRY(pfi_graph_node(&s->graph, node));
    PF_TRY(PF_PUSH(&s->closed, false));
    return PF_PUSH(&s->state, state);
}

static pf_err node_of(arc_search *s, pf_state state, uint32_t *node) {
    while (s->node.n <= state) PF_TRY(PF_PUSH(&s->node, PFI_NONE));
    if (s->node.at[state] == PFI_NONE) PF_TRY(new_node(s, state, &s->node.at[state]));
    *node = s->node.at[state];
    return PF_OK;
}

/* The node of the start state; then the end, to which final weights lead. */
static pf_err set_up(arc_search *s) {
    uint32_t start;
    s->graph.osyms = s->fst->osyms;
    s->graph.keep_all = s->options->n > 1 || s->options->lattice;
    PF_TRY(node_of(s, s->fst->start, &start));
    assert(start == PFI_START_NODE);
    s->graph.cost.at[start] = 0;
    return new_node(s, PF_NO_STATE, &s->end);
}

static pf_err enqueue(arc_search *s, uint32_t node, const pfi_extension *path) {
    arc_entry e = {*path, node};
    if (s->entries.n == UINT32_MAX) return pf_fail(PF_ELIMIT, "the search has met more than %u arcs", UINT32_MAX);
    PF_TRY(PF_PUSH(&s->entries, e));
    return pf_heap_push(&s->queue, (uint32_t)s->entries.n - 1);
}

static pf_err offer(arc_search *s, uint32_t to, const pfi_extension *path) {
    bool won;
    s->arcs++;
    PF_TRY(pfi_graph_offer(&s->graph, to, path, &won));
    return won && !s->negative ? enqueue(s, to, path) : PF_OK;
}

static bool any_negative(pf_arcs a, float final) {
    for (uint32_t i = 0; i < a.n; i++)
        if (a.arc[i].w < 0) return true;
    return final < 0;
}

static pf_err check_limits(const arc_search *s) {
    PF_TRY(pfi_check_states(s->options, s->expanded + 1));
    return s->expanded ? pfi_check_time_at(s->expanded, s->options, s->expanded) : PF_OK;
}

static pf_err check_time(void *self, uint64_t visited) { return pfi_check_time(((const arc_search *)self)->options, visited); }

/* Follows the arcs of a node. Where one is negative, best-first search only notes that it is the wrong search. */
static pf_err expand(arc_search *s, uint32_t node) {
    double cost = s->graph.cost.at[node];
    pf_arcs a = pf_fst_arcs(s->fst, s->state.at[node]);
    float final = pf_fst_final(s->fst, s->state.at[node]);
    PF_TRY(pf_fst_error(s->fst));
    if (!s->negative && any_negative(a, final)) {
        s->negative = true;
        return PF_OK;
    }
    PF_TRY(check_limits(s));
    s->expanded++;
    for (uint32_t i = 0; i < a.n; i++) {
        uint32_t to;
        if (a.arc[i].w == INFINITY) continue;
        PF_TRY(node_of(s, a.arc[i].to, &to));
        pfi_extension path = {cost + (double)a.arc[i].w, {node, a.arc[i].in, a.arc[i].out, a.arc[i].w}};
        PF_TRY(offer(s, to, &path));
    }
    if (final == INFINITY) return PF_OK;
    pfi_extension path = {cost + (double)final, {node, PF_EPSILON, PF_EPSILON, final}};
    return offer(s, s->end, &path);
}

static bool earlier(const void *self, uint32_t a, uint32_t b) {
    const arc_search *s = self;
    const arc_entry *x = &s->entries.at[a], *y = &s->entries.at[b];
    if (x->path.cost != y->path.cost || a == b) return x->path.cost < y->path.cost;
    return pfi_edge_before(&s->graph, &x->path.edge, &y->path.edge);
}

/* The largest cost of a path that is of use: for a lattice, once the end is reached. */
static double most(const arc_search *s) {
    double best = s->graph.cost.at[s->end];
    bool bounded = s->nonnegative && s->options->lattice && s->options->n <= 1;
    return bounded ? best + s->options->threshold + pfi_graph_slack(best) : (double)INFINITY;
}

/* Stops at the end unless every edge is wanted, or a weight further on may be negative. A node may be queued more than once; it is
 * closed when it first comes out. */
static pf_err best_first(arc_search *s) {
    s->queue.before = earlier;
    s->queue.self = s;
    s->closed.at[PFI_START_NODE] = true;
    PF_TRY(expand(s, PFI_START_NODE));
    while (s->queue.n && !s->negative) {
        uint32_t node = s->entries.at[pf_heap_pop(&s->queue)].node;
        if (s->closed.at[node]) continue;
        assert(s->graph.cost.at[node] >= s->frontier); /* no weight was negative */
        s->frontier = s->graph.cost.at[node];
        if (s->frontier > most(s)) break;
        s->closed.at[node] = true;
        if (node == s->end && s->nonnegative && !s->graph.keep_all) break;
        if (node != s->end) PF_TRY(expand(s, node));
    }
    return PF_OK;
}

/* The words of a cycle, as far as they fit. */
static pf_err refuse_cycle(const arc_search *s, const pf_topsort *top) {
    char words[200] = "";
    size_t n = 0;
    double cost = 0;
    for (size_t i = 0; i < top->cycle.n; i++) {
        const pf_arc *a = &top->cycle.at[i];
        const char *name = s->fst->isyms ? pf_symtab_name(s->fst->isyms, a->in, NULL) : NULL;
        cost += (double)a->w;
        if (n >= sizeof words) continue;
        if (name) n += (size_t)snprintf(words + n, sizeof words - n, " %s", name);
        else n += (size_t)snprintf(words + n, sizeof words - n, " %d", a->in);
    }
    return pf_fail(PF_EINPUT, "the automaton has negative weights and a cycle, through state %u with the input%s%s of cost %g: "
                              "there may be no best path", top->cycle.at[top->cycle.n - 1].to, words,
                   n >= sizeof words ? "..." : "", cost);
}

static pf_err in_order(arc_search *s) {
    pf_topsort top;
    PF_TRY(pf_topsort_run(s->fst, s->options->max_states, check_time, s, &top));
    pf_err err = top.cyclic ? refuse_cycle(s, &top) : PF_OK;
    for (size_t i = 0; !err && i < top.order.n; i++) {
        uint32_t node;
        err = node_of(s, top.order.at[i], &node);
        if (!err && (node == PFI_START_NODE || s->graph.best.at[node].from != PFI_NONE)) err = expand(s, node);
    }
    pf_topsort_free(&top);
    return err;
}

static pf_err run(arc_search *s) {
    PF_TRY(set_up(s));
    PF_TRY(best_first(s));
    if (!s->negative) return PF_OK;
    arc_search again = {.fst = s->fst, .options = s->options, .negative = true};
    search_free(s);
    *s = again;
    PF_TRY(set_up(s));
    return in_order(s);
}

/* A limit ends a best-first search with the best path met, if one was. */
static pf_err answer(const arc_search *s, pf_answer *out) {
    double cost = s->graph.cost.at[s->end], least = s->nonnegative ? s->frontier : -(double)INFINITY;
    out->bound = out->stopped && least < cost ? least : cost;
    if (s->options->lattice && out->stopped) return pfi_graph_no_lattice(s->expanded, cost, out->bound);
    if (s->options->lattice && cost < (double)INFINITY)
        PF_TRY(pfi_graph_lattice(&s->graph, s->end, s->options->threshold, s->fst->type, &out->lattice));
    return pfi_graph_answer(&s->graph, s->end, s->options, out);
}

pf_err pfi_best_arcs(pf_fst *fst, const pf_best_options *options, pf_answer *out) {
    arc_search s = {.fst = fst, .options = options, .nonnegative = pf_fst_nonnegative(fst)};
    pf_err err = run(&s), ended_by = err;
    out->search = s.negative ? "topological order" : "best-first";
    out->states = s.expanded;
    out->arcs = s.arcs;
    bool ended = s.end < s.graph.cost.n && s.graph.cost.at[s.end] < (double)INFINITY;
    out->stopped = pfi_is_limit(err) && !s.negative && ended;
    if (!err || out->stopped) err = answer(&s, out);
    out->stopped = out->stopped || (pfi_is_limit(err) && out->paths.n);
    out->out_of_memory = out->stopped && (ended_by == PF_ENOMEM || err == PF_ENOMEM);
    search_free(&s);
    return pfi_is_limit(err) && out->paths.n ? PF_OK : err;
}
