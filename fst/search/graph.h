/* What a search has found: nodes, and the edges that lead to them. Private to the searches.
 *
 * A node stands for all paths that can only go on alike: they end in one state of the machine, with one history of the models.
 * Node i is reached best by edge i, so back-pointers cost 16 bytes a node. A search that has to give more than one path also
 * keeps the costs of the nodes and the edges that lost; nbest.c finds the next paths from them. */
#ifndef PF_SEARCH_GRAPH_H
#define PF_SEARCH_GRAPH_H

#include <permfst/machine/answer.h>
#include <permfst/search/best.h>
#include "search/ties.h"

#include <math.h>

#define PFI_NONE UINT32_MAX /* no node, no edge, no block: no such index */
#define PFI_START_NODE 0u

typedef struct {
    uint32_t from; /* node; PFI_NONE where nothing has led here yet, and at the start */
    pf_label in, out;
    float weight;
} pfi_edge;

/* A path that is offered to a node: the best path to the edge's source, extended by the edge; and its cost. */
typedef struct {
    double cost;
    pfi_edge edge;
} pfi_extension;

typedef struct {
    pfi_edge edge;
    uint32_t next; /* an older one into the same node; PFI_NONE */
} pfi_lost_edge;

typedef struct {
    PF_VEC(pfi_edge) best;        /* of each node */
    PF_VEC(double) cost;          /* of each node's best path; with same_length, for keep_all only */
    PF_VEC(uint32_t) depth;       /* arcs of each node's best path as it is spelt; not with same_length */
    PF_VEC(uint32_t) newest_lost; /* of each node: the newest edge into it that lost; keep_all only */
    PF_VEC(pfi_lost_edge) lost;
    pfi_speech speech;            /* for the order of ties */
    bool keep_all;                /* keep the edges that lose */
    bool same_length;             /* paths to the same node have the same length, as in a layered machine; but for the end, where
                                     a tuple may stand alone */
} pfi_graph;

void pfi_graph_free(pfi_graph *graph);

/* The bytes that the graph takes. */
uint64_t pfi_graph_bytes(const pfi_graph *graph);

/* A new node that nothing leads to, of infinite cost. PF_ELIMIT, PF_ENOMEM. */
pf_err pfi_graph_node(pfi_graph *graph, uint32_t *node);

/* The same for many nodes: first room for as many, then one after the other, each by its best edge and its cost. */
pf_err pfi_graph_make_room(pfi_graph *graph, size_t nodes);
static inline pf_err pfi_graph_room(pfi_graph *graph, size_t nodes) {
    const bool plain = graph->same_length && !graph->keep_all; /* only `best` has nodes */
    if (plain && nodes <= graph->best.cap - graph->best.n && nodes <= PFI_NONE - graph->best.n) return PF_OK;
    return pfi_graph_make_room(graph, nodes);
}
static inline uint32_t pfi_graph_take(pfi_graph *graph, pfi_edge edge, double cost) {
    const uint32_t node = (uint32_t)graph->best.n++;
    if (graph->keep_all) graph->newest_lost.at[graph->newest_lost.n++] = PFI_NONE;
    if (!graph->same_length) graph->depth.at[graph->depth.n++] = 0;
    if (graph->keep_all || !graph->same_length) graph->cost.at[graph->cost.n++] = cost;
    graph->best.at[node] = edge;
    return node;
}

/* Makes PFI_START_NODE, of cost 0, in an empty graph. */
pf_err pfi_graph_start(pfi_graph *graph);

/* The order of paths (see best.h) where costs are equal: less than 0 if the best path over the first edge is before that over the
 * second one. O(length). */
int pfi_edge_order(const pfi_graph *graph, const pfi_edge *first, const pfi_edge *second);
static inline bool pfi_edge_before(const pfi_graph *graph, const pfi_edge *first, const pfi_edge *second) {
    return pfi_edge_order(graph, first, second) < 0;
}

/* Makes an extension the best path of a node if it is that (*won). With keep_all the edge that loses is kept. The best path
 * to the edge's source is settled, and its cost with the edge's weight is that of the extension. Not with same_length. */
pf_err pfi_graph_offer(pfi_graph *graph, uint32_t node, const pfi_extension *path, bool *won);

/* Keeps an edge that has lost. Needs keep_all. */
pf_err pfi_graph_keep(pfi_graph *graph, uint32_t node, const pfi_edge *edge);

/* Adds the best paths to `end` to the answer; an edge into `end` carries a final weight and no labels. The options say how
 * many, which of them count as different, and how long that may take. PF_ELIMIT: the time limit is reached; some are there, and
 * the answer's bound, which the caller has set, is now at most the cost of the last one. pfi_nbest needs keep_all. */
pf_err pfi_graph_answer(const pfi_graph *graph, uint32_t end, const pf_best_options *options, pf_answer *out);
pf_err pfi_nbest(const pfi_graph *graph, uint32_t end, const pf_best_options *options, pf_answer *out);

/* The two searches; they fill in everything of the answer but the symbol tables. */
pf_err pfi_best_levels(pf_fst *fst, const pf_best_options *options, pf_answer *out);
pf_err pfi_best_arcs(pf_fst *fst, const pf_best_options *options, pf_answer *out);

#endif
