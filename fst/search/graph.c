/* Nodes, edges, and the order of paths with equal costs. */
#include "search/graph.h"

#include <string.h>

void pfi_graph_free(pfi_graph *g) {
    PF_VEC_FREE(&g->best);
    PF_VEC_FREE(&g->cost);
    PF_VEC_FREE(&g->depth);
    PF_VEC_FREE(&g->others);
    PF_VEC_FREE(&g->other);
}

pf_err pfi_graph_node(pfi_graph *g, uint32_t *node) {
    pfi_edge none = {PFI_NONE, 0, 0, 0};
    if (g->best.n == PFI_NONE) return pf_fail(PF_ELIMIT, "more than %u states in a search", PFI_NONE);
    *node = (uint32_t)g->best.n;
    PF_TRY(PF_PUSH(&g->best, none));
    if (g->keep_all) PF_TRY(PF_PUSH(&g->others, PFI_NONE));
    if (!g->level) PF_TRY(PF_PUSH(&g->depth, 0));
    return g->keep_all || !g->level ? PF_PUSH(&g->cost, (double)INFINITY) : PF_OK;
}

pf_err pfi_graph_root(pfi_graph *g) {
    uint32_t root;
    PF_TRY(pfi_graph_node(g, &root));
    if (g->cost.n) g->cost.at[PFI_ROOT] = 0;
    return PF_OK;
}

int pfi_output_order(const pfi_graph *g, pf_label a, pf_label b) {
    if (a == b) return 0;
    const char *x = g->osyms && a ? pf_symtab_name(g->osyms, a, NULL) : NULL;
    const char *y = g->osyms && b ? pf_symtab_name(g->osyms, b, NULL) : NULL;
    int order = x && y ? strcmp(x, y) : 0;
    return order ? order : (a > b) - (a < b);
}

/* Both paths are walked backwards in step, so the last difference met is the first one on the paths. */
static int compare_inputs(const pfi_graph *g, const pfi_edge *a, const pfi_edge *b) {
    int order = 0;
    for (;; a = &g->best.at[a->from], b = &g->best.at[b->from]) {
        if (a->in != b->in) order = a->in < b->in ? -1 : 1;
        if (a->from == b->from) return order;
    }
}

static int compare_outputs(const pfi_graph *g, const pfi_edge *a, const pfi_edge *b) {
    int order = 0;
    for (;; a = &g->best.at[a->from], b = &g->best.at[b->from]) {
        int here = pfi_output_order(g, a->out, b->out);
        if (here) order = here;
        if (a->from == b->from) return order;
    }
}

bool pfi_edge_before(const pfi_graph *g, const pfi_edge *a, const pfi_edge *b) {
    if (!g->level && g->depth.at[a->from] != g->depth.at[b->from]) return g->depth.at[a->from] < g->depth.at[b->from];
    int order = compare_inputs(g, a, b);
    return (order ? order : compare_outputs(g, a, b)) < 0;
}

pf_err pfi_graph_keep(pfi_graph *g, uint32_t node, const pfi_edge *edge) {
    if (g->other.n == PFI_NONE) return pf_fail(PF_ELIMIT, "more than %u arcs in a search", PFI_NONE);
    pfi_other o = {*edge, g->others.at[node]};
    g->others.at[node] = (uint32_t)g->other.n;
    return PF_PUSH(&g->other, o);
}

static bool wins(const pfi_graph *g, uint32_t node, const pfi_step *step) {
    if (node == PFI_ROOT) return false; /* nothing beats the empty path: weights on cycles are not negative */
    if (g->best.at[node].from == PFI_NONE) return true;
    if (step->cost != g->cost.at[node]) return step->cost < g->cost.at[node];
    return pfi_edge_before(g, &step->edge, &g->best.at[node]);
}

pf_err pfi_graph_offer(pfi_graph *g, uint32_t node, const pfi_step *step, bool *won) {
    pfi_edge loser = step->edge;
    *won = wins(g, node, step);
    if (*won) {
        loser = g->best.at[node];
        g->best.at[node] = step->edge;
        g->cost.at[node] = step->cost;
        g->depth.at[node] = g->depth.at[step->edge.from] + 1;
    }
    return g->keep_all && loser.from != PFI_NONE ? pfi_graph_keep(g, node, &loser) : PF_OK;
}

pf_err pfi_look(const pf_best_options *o, uint64_t states) {
    if (o->progress) o->progress(o->self, states);
    return o->expired && o->expired(o->self) ? pf_fail(PF_ELIMIT, "the time is over") : PF_OK;
}

pf_err pfi_check_states(const pf_best_options *o, uint64_t states) {
    if (!o->max_states || states <= o->max_states) return PF_OK;
    return pf_fail(PF_ELIMIT, "the limit of %llu states is reached", (unsigned long long)o->max_states);
}

static size_t length(const pfi_graph *g, uint32_t node) {
    size_t n = 0;
    for (; node != PFI_ROOT; node = g->best.at[node].from) n++;
    return n;
}

static pf_err best_path(const pfi_graph *g, uint32_t end, pf_answer *out) {
    PF_VEC(pf_arc) arcs = {0};
    const pfi_edge *final = &g->best.at[end], *e;
    size_t n = length(g, final->from);
    uint32_t node = final->from;
    pf_err err = PF_ROOM(&arcs, n + 1);
    for (size_t i = n; !err && i > 0; i--, node = e->from) {
        e = &g->best.at[node];
        arcs.at[i - 1] = (pf_arc){e->in, e->out, e->w, PF_NO_STATE};
    }
    if (!err) err = pf_answer_add(out, arcs.at, n, final->w);
    PF_VEC_FREE(&arcs);
    return err;
}

pf_err pfi_graph_answer(const pfi_graph *g, uint32_t end, const pf_best_options *o, pf_answer *out) {
    if (g->best.at[end].from == PFI_NONE) return PF_OK; /* no path */
    size_t had = out->paths.n;
    pf_err err = o->n > 1 ? pfi_nbest(g, end, o, out) : best_path(g, end, out);
    if (err == PF_ENOMEM && o->n > 1 && out->paths.n == had) PF_TRY(best_path(g, end, out));
    return err;
}
