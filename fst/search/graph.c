/* Nodes, edges, and the order of paths with equal costs. */
#include "search/graph.h"

#include "base/contract.h"

#include <string.h>

void pfi_graph_free(pfi_graph *graph) {
    PF_VEC_FREE(&graph->best);
    PF_VEC_FREE(&graph->cost);
    PF_VEC_FREE(&graph->depth);
    PF_VEC_FREE(&graph->newest_lost);
    PF_VEC_FREE(&graph->lost);
}

pf_err pfi_graph_node(pfi_graph *graph, uint32_t *node) {
    pfi_edge none = {PFI_NONE, 0, 0, 0};
    if (graph->best.n == PFI_NONE) return pf_fail(PF_ELIMIT, "the search has met more than %u states", PFI_NONE);
    *node = (uint32_t)graph->best.n;
    PF_TRY(PF_PUSH(&graph->best, none));
    if (graph->keep_all) PF_TRY(PF_PUSH(&graph->newest_lost, PFI_NONE));
    if (!graph->same_length) PF_TRY(PF_PUSH(&graph->depth, 0));
    return graph->keep_all || !graph->same_length ? PF_PUSH(&graph->cost, (double)INFINITY) : PF_OK;
}

pf_err pfi_graph_start(pfi_graph *graph) {
    uint32_t node;
    assert(!graph->best.n);
    PF_TRY(pfi_graph_node(graph, &node));
    if (graph->cost.n) graph->cost.at[PFI_START_NODE] = 0;
    return PF_OK;
}

int pfi_output_order(const pf_symtab *osyms, pf_label first, pf_label second) {
    if (first == second) return 0;
    const char *one = osyms && first ? pf_symtab_name(osyms, first, NULL) : NULL;
    const char *other = osyms && second ? pf_symtab_name(osyms, second, NULL) : NULL;
    int order = one && other ? strcmp(one, other) : 0;
    return order ? order : (first > second) - (first < second);
}

/* Both paths are walked backwards, one edge of each at a time, so the last difference met is the first one on the paths. */
static int compare_inputs(const pfi_graph *graph, const pfi_edge *first, const pfi_edge *second) {
    int order = 0;
    for (;; first = &graph->best.at[first->from], second = &graph->best.at[second->from]) {
        if (first->in != second->in) order = first->in < second->in ? -1 : 1;
        if (first->from == second->from) return order;
    }
}

static int compare_outputs(const pfi_graph *graph, const pfi_edge *first, const pfi_edge *second) {
    int order = 0;
    for (;; first = &graph->best.at[first->from], second = &graph->best.at[second->from]) {
        int here = pfi_output_order(graph->osyms, first->out, second->out);
        if (here) order = here;
        if (first->from == second->from) return order;
    }
}

bool pfi_edge_before(const pfi_graph *graph, const pfi_edge *first, const pfi_edge *second) {
    assert(first->from < graph->best.n && second->from < graph->best.n);
    if (!graph->same_length && graph->depth.at[first->from] != graph->depth.at[second->from])
        return graph->depth.at[first->from] < graph->depth.at[second->from];
    int order = compare_inputs(graph, first, second);
    return (order ? order : compare_outputs(graph, first, second)) < 0;
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
        graph->depth.at[node] = graph->depth.at[path->edge.from] + 1;
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
