/* Nodes, edges, and the order of paths with equal costs. */
#include "search/graph.h"

#include <string.h>

void pfi_graph_free(pfi_graph *g) {
    PF_VEC_FREE(&g->nodes);
    PF_VEC_FREE(&g->edges);
}

pf_err pfi_graph_node(pfi_graph *g, uint32_t *node) {
    pfi_node fresh = {(double)INFINITY, PFI_NO_EDGE, PFI_NO_EDGE, 0};
    if (g->nodes.n == UINT32_MAX) return pf_fail(PF_ELIMIT, "more than %u states in a search", UINT32_MAX);
    *node = (uint32_t)g->nodes.n;
    return PF_PUSH(&g->nodes, fresh);
}

pf_err pfi_graph_root(pfi_graph *g) {
    uint32_t root = PFI_ROOT;
    PF_TRY(pfi_graph_node(g, &root));
    g->nodes.at[root].cost = 0;
    return PF_OK;
}

int pfi_output_order(const pfi_graph *g, pf_label a, pf_label b) {
    if (a == b) return 0;
    const char *x = g->osyms && a ? pf_symtab_name(g->osyms, a, NULL) : NULL;
    const char *y = g->osyms && b ? pf_symtab_name(g->osyms, b, NULL) : NULL;
    int order = x && y ? strcmp(x, y) : 0;
    return order ? order : (a > b) - (a < b);
}

/* Walks both paths backwards in step, so the last difference met is the first one on the paths. */
typedef struct {
    int in, out; /* order at the earliest difference so far; 0: none */
} difference;

static void compare(const pfi_graph *g, const pfi_step *a, const pfi_step *b, difference *d) {
    int out = pfi_output_order(g, a->out, b->out);
    if (a->in != b->in) d->in = a->in < b->in ? -1 : 1;
    if (out) d->out = out;
}

static const pfi_edge *best_edge(const pfi_graph *g, uint32_t node) { return &g->edges.at[g->nodes.at[node].best]; }

/* The edge before, on the best path. */
static pfi_step step_back(const pfi_graph *g, const pfi_step *step) {
    const pfi_edge *e = best_edge(g, step->from);
    return (pfi_step){0, e->from, e->in, e->out, e->w};
}

bool pfi_step_before(const pfi_graph *g, const pfi_step *a, const pfi_step *b) {
    difference d = {0, 0};
    pfi_step x = *a, y = *b;
    uint32_t deep = g->nodes.at[x.from].depth, other = g->nodes.at[y.from].depth;
    int longer = (deep > other) - (deep < other); /* a path goes before its own continuations */
    for (; deep > other; deep--) x = step_back(g, &x);
    for (; other > deep; other--) y = step_back(g, &y);
    compare(g, &x, &y, &d);
    while (x.from != y.from) {
        x = step_back(g, &x);
        y = step_back(g, &y);
        compare(g, &x, &y, &d);
    }
    return d.in ? d.in < 0 : d.out ? d.out < 0 : longer < 0;
}

static bool wins_over_best(const pfi_graph *g, uint32_t node, const pfi_step *step) {
    const pfi_node *to = &g->nodes.at[node];
    if (node == PFI_ROOT) return false; /* nothing beats the empty path: weights are not negative on cycles */
    if (to->best == PFI_NO_EDGE) return true;
    const pfi_edge *e = &g->edges.at[to->best];
    pfi_step now = {to->cost, e->from, e->in, e->out, e->w};
    return pfi_step_better(g, step, &now);
}

pf_err pfi_graph_offer(pfi_graph *g, uint32_t node, const pfi_step *step, bool keep_all, bool *won) {
    pfi_node *to = &g->nodes.at[node];
    bool wins = *won = wins_over_best(g, node, step);
    if (!wins && !keep_all) return PF_OK;
    if (!keep_all && to->best != PFI_NO_EDGE) { /* the loser's place */
        g->edges.at[to->best] = (pfi_edge){step->from, step->in, step->out, step->w, PFI_NO_EDGE};
    } else {
        if (g->edges.n == UINT32_MAX) return pf_fail(PF_ELIMIT, "more than %u arcs in a search", UINT32_MAX);
        pfi_edge e = {step->from, step->in, step->out, step->w, to->edges};
        uint32_t id = (uint32_t)g->edges.n;
        PF_TRY(PF_PUSH(&g->edges, e));
        to->edges = id;
        if (wins) to->best = id;
    }
    if (wins) {
        to->cost = step->cost;
        to->depth = g->nodes.at[step->from].depth + 1;
    }
    return PF_OK;
}

pf_err pfi_graph_path(const pfi_graph *g, uint32_t end, pf_answer *out) {
    PF_VEC(pf_arc) arcs = {0};
    const pfi_node *last = &g->nodes.at[end];
    const pfi_edge *final = &g->edges.at[last->best];
    size_t n = last->depth - 1;
    pf_err err = PF_ROOM(&arcs, n + 1);
    uint32_t node = final->from;
    for (size_t i = n; !err && i > 0; i--) {
        const pfi_edge *e = best_edge(g, node);
        arcs.at[i - 1] = (pf_arc){e->in, e->out, e->w, PF_NO_STATE};
        node = e->from;
    }
    if (!err) err = pf_answer_add(out, arcs.at, n, final->w);
    PF_VEC_FREE(&arcs);
    return err;
}

pf_err pfi_graph_answer(const pfi_graph *g, uint32_t end, const pf_best_options *options, pf_answer *out) {
    if (g->nodes.at[end].best == PFI_NO_EDGE) return PF_OK; /* no path */
    return options->n > 1 ? pfi_nbest(g, end, options->n, out) : pfi_graph_path(g, end, out);
}
