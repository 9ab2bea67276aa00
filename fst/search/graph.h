/* What a search leaves behind: nodes with their best cost, and the edges that lead to them. Private to the searches.
 *
 * A node's best edge gives the best path to it; with every edge kept, nbest.c finds the next ones. */
#ifndef PF_SEARCH_GRAPH_H
#define PF_SEARCH_GRAPH_H

#include "machine/answer.h"
#include "search/best.h"

#define PFI_NO_EDGE UINT32_MAX
#define PFI_ROOT 0u /* node 0 is the start */

typedef struct {
    double cost;    /* of the best path from the root */
    uint32_t best;  /* edge; PFI_NO_EDGE at the root */
    uint32_t edges; /* newest of the edges kept, linked by `next`; PFI_NO_EDGE */
    uint32_t depth; /* arcs on the best path */
} pfi_node;

typedef struct {
    uint32_t from; /* node */
    pf_label in, out;
    float w;
    uint32_t next; /* another edge into the same node */
} pfi_edge;

typedef struct {
    PF_VEC(pfi_node) nodes;
    PF_VEC(pfi_edge) edges;
    const pf_symtab *osyms; /* for the order of outputs; may be NULL */
} pfi_graph;

void pfi_graph_free(pfi_graph *g);

/* A new node without edges, of infinite cost; or the root, of cost 0. */
pf_err pfi_graph_node(pfi_graph *g, uint32_t *node);
pf_err pfi_graph_root(pfi_graph *g);

/* A path to be: one more edge behind the best path of a node. */
typedef struct {
    double cost;
    uint32_t from;
    pf_label in, out;
    float w;
} pfi_step;

/* The order of paths (see best.h) where costs are equal: is the path a before b? O(length). */
bool pfi_step_before(const pfi_graph *g, const pfi_step *a, const pfi_step *b);

/* The order of two labels as outputs: by string, or by number. */
int pfi_output_order(const pfi_graph *g, pf_label a, pf_label b);

/* Is a better than b: by cost, then by order? */
static inline bool pfi_step_better(const pfi_graph *g, const pfi_step *a, const pfi_step *b) {
    if (a->cost != b->cost) return a->cost < b->cost;
    return pfi_step_before(g, a, b);
}

/* Makes a step the best edge of a node if it is (*won); `keep_all`: losing edges are kept too. */
pf_err pfi_graph_offer(pfi_graph *g, uint32_t node, const pfi_step *step, bool keep_all, bool *won);

/* Adds the best path to `end` to the answer: its last edge carries the final weight, no labels. */
pf_err pfi_graph_path(const pfi_graph *g, uint32_t end, pf_answer *out);

/* Adds the n best paths to `end`, for a graph that kept all edges (nbest.c). */
pf_err pfi_nbest(const pfi_graph *g, uint32_t end, size_t n, pf_answer *out);

/* The two searches; they fill in everything of the answer but the symbol tables. */
pf_err pfi_best_levels(pf_fst *fst, const pf_best_options *options, pf_answer *out);
pf_err pfi_best_arcs(pf_fst *fst, const pf_best_options *options, pf_answer *out);

/* Ends a search: the n best paths to `end`. */
pf_err pfi_graph_answer(const pfi_graph *g, uint32_t end, const pf_best_options *options, pf_answer *out);

#endif
