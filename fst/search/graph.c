/* Nodes, edges, and the order of paths with equal costs. */
#include "search/graph.h"

#include "base/contract.h"

void pfi_graph_free(pfi_graph *graph) {
    PF_VEC_FREE(&graph->best);
    PF_VEC_FREE(&graph->cost);
    PF_VEC_FREE(&graph->depth);
    PF_VEC_FREE(&graph->newest_lost);
    PF_VEC_FREE(&graph->lost);
}

uint64_t pfi_graph_bytes(const pfi_graph *graph) {
    return graph->best.n * sizeof *graph->best.at + graph->cost.n * sizeof *graph->cost.at
        + graph->depth.n * sizeof *graph->depth.at +
           graph->newest_lost.n * sizeof *graph->newest_lost.at + graph->lost.n * sizeof *graph->lost.at;
}

pf_err pfi_graph_make_room(pfi_graph *graph, size_t nodes) {
    if (nodes > PFI_NONE - graph->best.n) return pf_fail(PF_ELIMIT, "the search has met more than %u states", PFI_NONE);
    PF_TRY(PF_ROOM(&graph->best, nodes));
    if (graph->keep_all) PF_TRY(PF_ROOM(&graph->newest_lost, nodes));
    if (!graph->same_length) PF_TRY(PF_ROOM(&graph->depth, nodes));
    return graph->keep_all || !graph->same_length ? PF_ROOM(&graph->cost, nodes) : PF_OK;
}

pf_err pfi_graph_node(pfi_graph *graph, uint32_t *node) {
    PF_TRY(pfi_graph_room(graph, 1));
    *node = pfi_graph_take(graph, (pfi_edge){PFI_NONE, 0, 0, 0}, (double)INFINITY);
    return PF_OK;
}

pf_err pfi_graph_start(pfi_graph *graph) {
    uint32_t node;
    assert(!graph->best.n);
    PF_TRY(pfi_graph_node(graph, &node));
    if (graph->cost.n) graph->cost.at[PFI_START_NODE] = 0;
    return PF_OK;
}

/* Of a path: a place is the edge that leads there, that of a node or one that is offered. */
static void labels(const void *place, pf_label *in, pf_label *out) {
    const pfi_edge *edge = place;
    *in = edge->in;
    *out = edge->out;
}

static const void *before(const void *self, const void *place) {
    const pfi_graph *graph = self;
    return &graph->best.at[((const pfi_edge *)place)->from];
}

/* The arcs of the best path over an edge, spelt. With same_length, where depths are not kept, those that are also on the best path
 * over another edge need not be counted. */
static int length_order(const pfi_graph *graph, const pfi_edge *first, const pfi_edge *second) {
    uint64_t one = 0, other = 0;
    if (graph->same_length && !graph->speech.units) return 0;
    if (!graph->same_length) {
        one = graph->depth.at[first->from] + (uint64_t)pfi_spelt_arcs(&graph->speech, first->out);
        other = graph->depth.at[second->from] + (uint64_t)pfi_spelt_arcs(&graph->speech, second->out);
    } else {
        const pfi_edge *start = &graph->best.at[PFI_START_NODE];
        while (first != second) { /* the start is met last, by the longer of the two */
            if (first != start) one += pfi_spelt_arcs(&graph->speech, first->out), first = before(graph, first);
            if (second != start) other += pfi_spelt_arcs(&graph->speech, second->out), second = before(graph, second);
        }
    }
    return (one > other) - (one < other);
}

int pfi_edge_order(const pfi_graph *graph, const pfi_edge *first, const pfi_edge *second) {
    assert(first->from < graph->best.n && second->from < graph->best.n);
    const pfi_backwards path = {graph, labels, before};
    const pfi_speech raw = {NULL, NULL};
    int order = length_order(graph, first, second);
    if (!order) order = pfi_backwards_order(&path, &graph->speech, first, second);
    /* Paths of different units may be spelt alike. A beam has to tell them apart. */
    if (!order && graph->speech.units && graph->same_length) order = pfi_backwards_order(&path, &raw, first, second);
    return order;
}

pf_err pfi_graph_keep(pfi_graph *graph, uint32_t node, const pfi_edge *edge) {
    assert(graph->keep_all && node < graph->best.n && edge->from != PFI_NONE);
    if (graph->lost.n == PFI_NONE) return pf_fail(PF_ELIMIT, "the search has met more than %u arcs", PFI_NONE);
    pfi_lost_edge lost = {*edge, graph->newest_lost.at[node]};
    graph->newest_lost.at[node] = (uint32_t)graph->lost.n;
    return PF_PUSH(&graph->lost, lost);
}

static bool wins(const pfi_graph *graph, uint32_t node, const pfi_extension *path) {
    if (node == PFI_START_NODE) return false; /* nothing beats the empty path: weights on cycles are not negative */
    if (graph->best.at[node].from == PFI_NONE) return true;
    if (path->cost != graph->cost.at[node]) return path->cost < graph->cost.at[node];
    return pfi_edge_before(graph, &path->edge, &graph->best.at[node]);
}

pf_err pfi_graph_offer(pfi_graph *graph, uint32_t node, const pfi_extension *path, bool *won) {
    pfi_edge loser = path->edge;
    assert(!graph->same_length && node < graph->best.n);
    assert(path->cost == graph->cost.at[path->edge.from] + (double)path->edge.weight);
    *won = wins(graph, node, path);
    if (*won) {
        loser = graph->best.at[node];
        graph->best.at[node] = path->edge;
        graph->cost.at[node] = path->cost;
        graph->depth.at[node] = graph->depth.at[path->edge.from] + pfi_spelt_arcs(&graph->speech, path->edge.out);
    }
    return graph->keep_all && loser.from != PFI_NONE ? pfi_graph_keep(graph, node, &loser) : PF_OK;
}

static size_t length(const pfi_graph *graph, uint32_t node) {
    size_t n = 0;
    for (; node != PFI_START_NODE; node = graph->best.at[node].from) n++;
    return n;
}

static pf_err best_path(const pfi_graph *graph, uint32_t end, pf_answer *out) {
    PF_VEC(pf_arc) arcs = {0};
    const pfi_edge *final = &graph->best.at[end], *edge;
    size_t count = length(graph, final->from);
    uint32_t node = final->from;
    pf_err err = PF_ROOM(&arcs, count + 1);
    for (size_t i = count; !err && i > 0; i--, node = edge->from) {
        edge = &graph->best.at[node];
        arcs.at[i - 1] = (pf_arc){edge->in, edge->out, edge->weight, PF_NO_STATE};
    }
    if (!err) err = pf_answer_add(out, arcs.at, count, final->weight);
    PF_VEC_FREE(&arcs);
    return err;
}

pf_err pfi_graph_answer(const pfi_graph *graph, uint32_t end, const pf_best_options *options, pf_answer *out) {
    assert(end < graph->best.n && end != PFI_START_NODE);
    if (graph->best.at[end].from == PFI_NONE) return PF_OK; /* no path */
    const size_t had = out->paths.n;
    pf_err err = options->n > 1 ? pfi_nbest(graph, end, options, out) : best_path(graph, end, out);
    if (err == PF_ENOMEM && options->n > 1 && out->paths.n == had && best_path(graph, end, out)) return err;
    if (err) out->bound = fmin(out->bound, out->paths.n > had ? out->paths.at[out->paths.n - 1].cost : -(double)INFINITY);
    return err;
}
