/* What a search leaves behind: nodes, and the edges that lead to them. Private to the searches.
 *
 * Node i is reached best by edge i, so back-pointers cost 16 bytes a node. A search that is to give more than one path keeps
 * costs and all other edges too, and nbest.c finds the next paths from them. */
#ifndef PF_SEARCH_GRAPH_H
#define PF_SEARCH_GRAPH_H

#include <permfst/machine/answer.h>
#include <permfst/search/best.h>

#define PFI_NONE UINT32_MAX
#define PFI_ROOT 0u /* node 0 is the start */

typedef struct {
    uint32_t from; /* node; PFI_NONE: nothing has led here yet, or the root */
    pf_label in, out;
    float w;
} pfi_edge;

/* A path to be: an edge behind the best path of its source, and what that costs. */
typedef struct {
    double cost;
    pfi_edge edge;
} pfi_step;

typedef struct {
    pfi_edge edge;
    uint32_t next; /* another one into the same node; PFI_NONE */
} pfi_other;

typedef struct {
    PF_VEC(pfi_edge) best;    /* of each node */
    PF_VEC(double) cost;      /* of each node's best path; levels.c keeps it for n-best only */
    PF_VEC(uint32_t) depth;   /* arcs of each node's best path; not kept by levels.c */
    PF_VEC(uint32_t) others;  /* of each node: newest of the other edges; n-best only */
    PF_VEC(pfi_other) other;
    const pf_symtab *osyms;   /* for the order of outputs; may be NULL */
    bool keep_all;            /* n-best: keep losing edges */
    bool level;               /* paths that are compared have the same length */
} pfi_graph;

void pfi_graph_free(pfi_graph *g);

/* A new node that nothing leads to, of infinite cost. */
pf_err pfi_graph_node(pfi_graph *g, uint32_t *node);

/* Makes node 0, of cost 0. */
pf_err pfi_graph_root(pfi_graph *g);

/* The order of paths (see best.h) where costs are equal: is the best path over edge a before that over b? O(length). */
bool pfi_edge_before(const pfi_graph *g, const pfi_edge *a, const pfi_edge *b);

/* The order of two labels as outputs: by string, or by number. */
int pfi_output_order(const pfi_graph *g, pf_label a, pf_label b);

/* Makes a step the best edge of a node if it is that (*won); else keeps it with keep_all. Needs cost and depth, and that
 * the best path to the step's source is settled. */
pf_err pfi_graph_offer(pfi_graph *g, uint32_t node, const pfi_step *step, bool *won);

/* Keeps an edge that has lost. */
pf_err pfi_graph_keep(pfi_graph *g, uint32_t node, const pfi_edge *edge);

/* Adds the best paths to `end` to the answer; the edge into `end` carries the final weight and no labels. How many, which
 * ones count and how long that may take is said in the options. PF_ELIMIT: the time is over; some are there. */
pf_err pfi_graph_answer(const pfi_graph *g, uint32_t end, const pf_best_options *options, pf_answer *out);
pf_err pfi_nbest(const pfi_graph *g, uint32_t end, const pf_best_options *options, pf_answer *out);

/* Tells how far a search is, and asks for its time: PF_ELIMIT when that is over. PF_ELIMIT past the options' states. */
pf_err pfi_look(const pf_best_options *options, uint64_t states);
pf_err pfi_check_states(const pf_best_options *options, uint64_t states);

/* Does an error end a search with what it has: no more states, time or memory? */
static inline bool pfi_is_limit(pf_err err) { return err == PF_ELIMIT || err == PF_ENOMEM; }

/* The two searches; they fill in everything of the answer but the symbol tables. */
pf_err pfi_best_levels(pf_fst *fst, const pf_best_options *options, pf_answer *out);
pf_err pfi_best_arcs(pf_fst *fst, const pf_best_options *options, pf_answer *out);

#endif
