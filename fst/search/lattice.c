/* Pruning by forward and backward costs.
 *
 * The forward cost of each node is known. With it as a potential (Johnson 1977) an edge costs by how much the path over it is
 * worse than the best path to its target: never less than 0, whatever the weights. So one best-first search (Dijkstra 1959) from
 * the end backwards tells by how much the best path over each node is worse than the best of all. O(edges log edges). */
#include "search/lattice.h"

#include "base/contract.h"
#include "search/queue.h"

#include <permfst/machine/build.h>

#include <math.h>
#include <stdlib.h>

typedef struct {
    const pfi_graph *graph;
    double most;       /* worth keeping */
    double *more;      /* of each node: by how much its best path is worse; INFINITY: by too much, or there is none */
    pfi_queue queue;   /* of nodes, by `more` */
    pf_state *state;   /* of each node, in the lattice */
    pf_build build;
} kept_lattice;

static double extra(const pfi_graph *graph, uint32_t node, const pfi_edge *edge) {
    double extra = graph->cost.at[edge->from] + (double)edge->weight - graph->cost.at[node];
    return extra > 0 ? extra : 0; /* less is rounding */
}

typedef pf_err (*visitor)(kept_lattice *lattice, uint32_t node, const pfi_edge *edge);

/* All edges into a node. */
static pf_err each_edge(kept_lattice *lattice, uint32_t node, visitor visit) {
    const pfi_graph *graph = lattice->graph;
    if (graph->best.at[node].from != PFI_NONE) PF_TRY(visit(lattice, node, &graph->best.at[node]));
    for (uint32_t i = graph->newest_lost.at[node]; i != PFI_NONE; i = graph->lost.at[i].next)
        PF_TRY(visit(lattice, node, &graph->lost.at[i].edge));
    return PF_OK;
}

static pf_err reach(kept_lattice *lattice, uint32_t node, double more) {
    if (more > lattice->most || more >= lattice->more[node]) return PF_OK;
    lattice->more[node] = more;
    return pfi_queue_push(&lattice->queue, node, more);
}

static pf_err reach_source(kept_lattice *lattice, uint32_t node, const pfi_edge *edge) {
    return reach(lattice, edge->from, lattice->more[node] + extra(lattice->graph, node, edge));
}

static pf_err search_backwards(kept_lattice *lattice, uint32_t end) {
    for (size_t i = 0; i < lattice->graph->best.n; i++) lattice->more[i] = (double)INFINITY;
    PF_TRY(reach(lattice, end, 0));
    while (!pfi_queue_empty(&lattice->queue)) {
        pfi_queued first = pfi_queue_pop(&lattice->queue);
        if (first.cost == lattice->more[first.node]) PF_TRY(each_edge(lattice, first.node, reach_source));
    }
    return PF_OK;
}

static bool on_a_good_path(const kept_lattice *lattice, uint32_t node, const pfi_edge *edge) {
    return lattice->more[edge->from] < (double)INFINITY && lattice->more[node] + extra(lattice->graph, node, edge) <= lattice->most;
}

static pf_err put_arc(kept_lattice *lattice, uint32_t node, const pfi_edge *edge) {
    if (!on_a_good_path(lattice, node, edge)) return PF_OK;
    return pf_build_arc(&lattice->build, lattice->state[edge->from], edge->in, edge->out, edge->weight, lattice->state[node]);
}

static pf_err put_final(kept_lattice *lattice, uint32_t node, const pfi_edge *edge) {
    return on_a_good_path(lattice, node, edge) ? pf_build_final(&lattice->build, lattice->state[edge->from], edge->weight) : PF_OK;
}

static pf_err put_all(kept_lattice *lattice, uint32_t end) {
    pf_state n = 0;
    for (uint32_t i = 0; i < lattice->graph->best.n; i++)
        if (i != end && lattice->more[i] < (double)INFINITY) lattice->state[i] = n++;
    if (n) PF_TRY(pf_build_state(&lattice->build, n - 1));
    for (uint32_t i = 0; i < lattice->graph->best.n; i++)
        if (i != end && lattice->more[i] < (double)INFINITY) PF_TRY(each_edge(lattice, i, put_arc));
    return each_edge(lattice, end, put_final);
}

static pf_err make(kept_lattice *lattice, uint32_t end, pf_arc_type type, pf_fst **out) {
    lattice->more = malloc(lattice->graph->best.n * sizeof *lattice->more);
    lattice->state = malloc(lattice->graph->best.n * sizeof *lattice->state);
    if (!lattice->more || !lattice->state) return pf_nomem();
    PF_TRY(search_backwards(lattice, end));
    PF_TRY(put_all(lattice, end));
    return pf_build_finish(&lattice->build, type, lattice->build.final.n ? 0 : PF_NO_STATE, out);
}

pf_err pfi_graph_no_lattice(uint64_t states, double cost, double bound) {
    return pf_fail(PF_ELIMIT, "a limit ended the search after %llu states, before the lattice was complete: the best path so "
                   "far costs %.6f, and none costs less than %.6f", (unsigned long long)states, cost, bound < cost ? bound : cost);
}

double pfi_graph_slack(double cost) { return 1e-9 * (1 + fabs(cost)); }

pf_err pfi_graph_lattice(const pfi_graph *graph, uint32_t end, double more, pf_arc_type type, pf_fst **out) {
    assert(graph->keep_all && end < graph->best.n && more >= 0);
    kept_lattice lattice = {.graph = graph, .most = more + pfi_graph_slack(graph->cost.at[end])};
    pfi_queue_init(&lattice.queue);
    pf_err err = make(&lattice, end, type, out);
    free(lattice.more);
    free(lattice.state);
    pfi_queue_free(&lattice.queue);
    pf_build_free(&lattice.build);
    return err;
}
