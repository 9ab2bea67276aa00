/* Best paths of any machine, arc by arc.
 *
 * Best-first (Dijkstra 1959) while weights are not negative. Where it is known that no weight is, only what is cheaper than the
 * best path is expanded; elsewhere everything, as what comes after the end of a path may be worth its price. The queue is ordered
 * by cost and then by path, so ties come out in the one documented order. Once a negative weight is met, the machine is searched
 * again: in topological order or, if it has a cycle, in the order in which best paths grow (correcting.h), for which no cycle may
 * have a negative cost. O(arcs log arcs), times the length of the paths that are compared for equal costs; O(states x arcs) at
 * worst with negative weights and cycles. */
#include <permfst/base/heap.h>
#include <permfst/ops/topsort.h>
#include "base/contract.h"
#include "search/correcting.h"
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
    bool cyclic;      /* and there is a cycle */
    uint64_t expanded, arcs;
} arc_search;

static void search_free(arc_search *search) {
    pfi_graph_free(&search->graph);
    PF_VEC_FREE(&search->node);
    PF_VEC_FREE(&search->state);
    PF_VEC_FREE(&search->closed);
    PF_VEC_FREE(&search->entries);
    pf_heap_free(&search->queue);
}

static pf_err new_node(arc_search *search, pf_state state, uint32_t *node) {
    PF_TRY(pfi_graph_node(&search->graph, node));
    PF_TRY(PF_PUSH(&search->closed, false));
    return PF_PUSH(&search->state, state);
}

static pf_err node_of(arc_search *search, pf_state state, uint32_t *node) {
    while (search->node.n <= state) PF_TRY(PF_PUSH(&search->node, PFI_NONE));
    if (search->node.at[state] == PFI_NONE) PF_TRY(new_node(search, state, &search->node.at[state]));
    *node = search->node.at[state];
    return PF_OK;
}

/* The node of the start state; then the end, to which final weights lead. */
static pf_err set_up(arc_search *search) {
    uint32_t start;
    search->graph.speech = pfi_speech_of(search->fst->osyms, search->options->units);
    search->graph.keep_all = search->options->n > 1 || search->options->lattice;
    PF_TRY(node_of(search, search->fst->start, &start));
    assert(start == PFI_START_NODE);
    search->graph.cost.at[start] = 0;
    return new_node(search, PF_NO_STATE, &search->end);
}

static pf_err enqueue(arc_search *search, uint32_t node, const pfi_extension *path) {
    arc_entry one = {*path, node};
    if (search->entries.n == UINT32_MAX) return pf_fail(PF_ELIMIT, "the search has met more than %u arcs", UINT32_MAX);
    PF_TRY(PF_PUSH(&search->entries, one));
    return pf_heap_push(&search->queue, (uint32_t)search->entries.n - 1);
}

static pf_err offer(arc_search *search, uint32_t to, const pfi_extension *path) {
    bool won;
    search->arcs++;
    PF_TRY(pfi_graph_offer(&search->graph, to, path, &won));
    return won && !search->negative ? enqueue(search, to, path) : PF_OK;
}

static bool any_negative(pf_arcs arcs, float final) {
    for (uint32_t i = 0; i < arcs.n; i++)
        if (arcs.arc[i].w < 0) return true;
    return final < 0;
}

static uint64_t bytes(const arc_search *search) {
    return pf_fst_bytes(search->fst) + pfi_graph_bytes(&search->graph) + search->node.n * sizeof *search->node.at +
           search->entries.n * (sizeof *search->entries.at + sizeof *search->queue.at);
}

static pf_err check_limits(const arc_search *search) {
    PF_TRY(pfi_check_states(search->options, search->expanded + 1));
    if (search->expanded % 64 == 0) PF_TRY(pfi_check_bytes(search->options, bytes(search)));
    return search->expanded ? pfi_check_time_at(search->expanded, search->options, search->expanded) : PF_OK;
}

static pf_err check_time(void *self, uint64_t visited) { return pfi_check_time(((const arc_search *)self)->options, visited); }

/* Follows the arcs of a node. Where one is negative, best-first search only notes that it is the wrong search. */
static pf_err expand(arc_search *search, uint32_t node) {
    double cost = search->graph.cost.at[node];
    pf_arcs arcs = pf_fst_arcs(search->fst, search->state.at[node]);
    float final = pf_fst_final(search->fst, search->state.at[node]);
    PF_TRY(pf_fst_error(search->fst));
    if (!search->negative && any_negative(arcs, final)) {
        search->negative = true;
        return PF_OK;
    }
    PF_TRY(check_limits(search));
    search->expanded++;
    for (uint32_t i = 0; i < arcs.n; i++) {
        uint32_t to;
        if (arcs.arc[i].w == INFINITY) continue;
        PF_TRY(node_of(search, arcs.arc[i].to, &to));
        pfi_extension path = {cost + (double)arcs.arc[i].w, {node, arcs.arc[i].in, arcs.arc[i].out, arcs.arc[i].w}};
        PF_TRY(offer(search, to, &path));
    }
    if (final == INFINITY) return PF_OK;
    pfi_extension path = {cost + (double)final, {node, PF_EPSILON, PF_EPSILON, final}};
    return offer(search, search->end, &path);
}

static bool earlier(const void *self, uint32_t first, uint32_t second) {
    const arc_search *search = self;
    const arc_entry *one = &search->entries.at[first], *other = &search->entries.at[second];
    if (one->path.cost != other->path.cost || first == second) return one->path.cost < other->path.cost;
    return pfi_edge_before(&search->graph, &one->path.edge, &other->path.edge);
}

/* The largest cost of a path that is of use: for a lattice, once the end is reached. */
static double most(const arc_search *search) {
    double best = search->graph.cost.at[search->end];
    bool bounded = search->nonnegative && search->options->lattice && search->options->n <= 1;
    return bounded ? best + search->options->threshold + pfi_graph_slack(best) : (double)INFINITY;
}

/* Stops at the end unless every edge is wanted, or a weight further on may be negative. A node may be queued more than once; it is
 * closed when it first comes out. */
static pf_err best_first(arc_search *search) {
    search->queue.before = earlier;
    search->queue.self = search;
    search->closed.at[PFI_START_NODE] = true;
    PF_TRY(expand(search, PFI_START_NODE));
    while (search->queue.n && !search->negative) {
        uint32_t node = search->entries.at[pf_heap_pop(&search->queue)].node;
        if (search->closed.at[node]) continue;
        assert(search->graph.cost.at[node] >= search->frontier); /* no weight was negative */
        search->frontier = search->graph.cost.at[node];
        if (search->frontier > most(search)) break;
        search->closed.at[node] = true;
        if (node == search->end && search->nonnegative && !search->graph.keep_all) break;
        if (node != search->end) PF_TRY(expand(search, node));
    }
    return PF_OK;
}

/* The words of a cycle, as far as they fit. */
static pf_err refuse_cycle(const arc_search *search, const pfi_correcting *best) {
    char words[200] = "";
    size_t count = 0;
    double cost = 0;
    for (size_t i = 0; i < best->cycle.n; i++) {
        const pf_arc *arc = &best->cycle.at[i];
        const char *name = search->fst->isyms ? pf_symtab_name(search->fst->isyms, arc->in, NULL) : NULL;
        cost += (double)arc->w;
        if (count >= sizeof words) continue;
        if (name) count += (size_t)snprintf(words + count, sizeof words - count, " %s", name);
        else count += (size_t)snprintf(words + count, sizeof words - count, " %d", arc->in);
    }
    return pf_fail(PF_EINPUT, "the automaton has a cycle of negative cost, through state %u with the input%s%s of cost %g: "
                              "there is no best path", best->cycle.at[best->cycle.n - 1].to, words,
                   count >= sizeof words ? "..." : "", cost);
}

static pf_err in_order(arc_search *search, const pf_state *order, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t node;
        PF_TRY(node_of(search, order[i], &node));
        if (node == PFI_START_NODE || search->graph.best.at[node].from != PFI_NONE) PF_TRY(expand(search, node));
    }
    return PF_OK;
}

static pf_err in_order_of_best_paths(arc_search *search) {
    pfi_correcting best;
    pf_err err = pfi_correcting_run(search->fst, search->options, &best);
    if (!err) err = best.cycle.n ? refuse_cycle(search, &best) : in_order(search, best.order.at, best.order.n);
    pfi_correcting_free(&best);
    return err;
}

static pf_err in_topological_order(arc_search *search) {
    pf_topsort top;
    PF_TRY(pf_topsort_run(search->fst, search->options->max_states, check_time, search, &top));
    search->cyclic = top.cyclic;
    pf_err err = top.cyclic ? PF_OK : in_order(search, top.order.at, top.order.n);
    pf_topsort_free(&top);
    return err;
}

static pf_err run(arc_search *search) {
    PF_TRY(set_up(search));
    PF_TRY(best_first(search));
    if (!search->negative) return PF_OK;
    arc_search again = {.fst = search->fst, .options = search->options, .negative = true};
    search_free(search);
    *search = again;
    PF_TRY(set_up(search));
    PF_TRY(in_topological_order(search));
    return search->cyclic ? in_order_of_best_paths(search) : PF_OK;
}

/* A limit ends a best-first search with the best path met, if one was. */
static pf_err answer(const arc_search *search, pf_answer *out) {
    double cost = search->graph.cost.at[search->end], least = search->nonnegative ? search->frontier : -(double)INFINITY;
    out->bound = out->stopped ? least : (double)INFINITY;
    if (search->options->lattice && out->stopped) return pfi_graph_no_lattice(search->expanded, cost, fmin(least, cost));
    if (search->options->lattice && cost < (double)INFINITY)
        PF_TRY(pfi_graph_lattice(&search->graph, search->end, search->options->threshold, search->fst->type, &out->lattice));
    return pfi_graph_answer(&search->graph, search->end, search->options, out);
}

pf_err pfi_best_arcs(pf_fst *fst, const pf_best_options *options, pf_answer *out) {
    arc_search search = {.fst = fst, .options = options, .nonnegative = pf_fst_nonnegative(fst)};
    pf_err err = run(&search), ended_by = err;
    out->search = search.cyclic ? "label correcting" : search.negative ? "topological order" : "best-first";
    out->states = search.expanded;
    out->arcs = search.arcs;
    bool ended = search.end < search.graph.cost.n && search.graph.cost.at[search.end] < (double)INFINITY;
    out->stopped = pfi_is_limit(err) && !search.negative && ended;
    if (!err || out->stopped) err = answer(&search, out);
    if (err == PF_ELIMIT && ended_by == PF_ENOMEM) err = pf_nomem(); /* no lattice */
    out->stopped = out->stopped || (pfi_is_limit(err) && out->paths.n);
    out->out_of_memory = out->stopped && (ended_by == PF_ENOMEM || err == PF_ENOMEM);
    search_free(&search);
    return pfi_is_limit(err) && out->paths.n ? PF_OK : err;
}
