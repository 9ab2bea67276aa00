/* Pruning by forward and backward costs.
 *
 * The forward cost of each node is known. With it as a potential (Johnson 1977) an edge costs by how much the way over it is
 * worse than the best way to its target: never less than 0, whatever the weights. So one best-first search from the end
 * backwards tells by how much the best path over each node is worse than the best of all. */
#include "search/lattice.h"

#include <permfst/base/heap.h>
#include <permfst/machine/build.h>

#include <math.h>
#include <stdlib.h>

typedef struct {
    double more;
    uint32_t node;
} entry;

typedef struct {
    const pfi_graph *g;
    double most;   /* worth keeping */
    double *more;  /* of each node: how much worse its best path is; INFINITY: too much, or no path */
    PF_VEC(entry) entries;
    pf_heap queue;
    pf_state *state; /* of each node in the lattice */
    pf_build build;
} lattice;

static double extra(const pfi_graph *g, uint32_t node, const pfi_edge *e) {
    double extra = g->cost.at[e->from] + (double)e->w - g->cost.at[node];
    return extra > 0 ? extra : 0; /* less is rounding */
}

typedef pf_err (*visit)(lattice *l, uint32_t node, const pfi_edge *e);

/* All edges into a node. */
static pf_err each_edge(lattice *l, uint32_t node, visit f) {
    const pfi_graph *g = l->g;
    if (g->best.at[node].from != PFI_NONE) PF_TRY(f(l, node, &g->best.at[node]));
    for (uint32_t o = g->others.at[node]; o != PFI_NONE; o = g->other.at[o].next) PF_TRY(f(l, node, &g->other.at[o].edge));
    return PF_OK;
}

static pf_err reach(lattice *l, uint32_t node, double more) {
    entry e = {more, node};
    if (more > l->most || more >= l->more[node]) return PF_OK;
    if (l->entries.n == UINT32_MAX) return pf_fail(PF_ELIMIT, "more than %u arcs in a lattice", UINT32_MAX);
    l->more[node] = more;
    PF_TRY(PF_PUSH(&l->entries, e));
    return pf_heap_push(&l->queue, (uint32_t)l->entries.n - 1);
}

static pf_err reach_source(lattice *l, uint32_t node, const pfi_edge *e) {
    return reach(l, e->from, l->more[node] + extra(l->g, node, e));
}

static bool earlier(const void *self, uint32_t a, uint32_t b) {
    const lattice *l = self;
    return l->entries.at[a].more < l->entries.at[b].more;
}

static pf_err go_back(lattice *l, uint32_t end) {
    for (size_t i = 0; i < l->g->best.n; i++) l->more[i] = (double)INFINITY;
    l->queue.before = earlier;
    l->queue.self = l;
    PF_TRY(reach(l, end, 0));
    while (l->queue.n) {
        entry e = l->entries.at[pf_heap_pop(&l->queue)];
        if (e.more == l->more[e.node]) PF_TRY(each_edge(l, e.node, reach_source));
    }
    return PF_OK;
}

static bool on_a_good_path(const lattice *l, uint32_t node, const pfi_edge *e) {
    return l->more[e->from] < (double)INFINITY && l->more[node] + extra(l->g, node, e) <= l->most;
}

static pf_err put_arc(lattice *l, uint32_t node, const pfi_edge *e) {
    if (!on_a_good_path(l, node, e)) return PF_OK;
    return pf_build_arc(&l->build, l->state[e->from], e->in, e->out, e->w, l->state[node]);
}

static pf_err put_final(lattice *l, uint32_t node, const pfi_edge *e) {
    return on_a_good_path(l, node, e) ? pf_build_final(&l->build, l->state[e->from], e->w) : PF_OK;
}

static pf_err put_all(lattice *l, uint32_t end) {
    pf_state n = 0;
    for (uint32_t i = 0; i < l->g->best.n; i++)
        if (i != end && l->more[i] < (double)INFINITY) l->state[i] = n++;
    if (n) PF_TRY(pf_build_state(&l->build, n - 1));
    for (uint32_t i = 0; i < l->g->best.n; i++)
        if (i != end && l->more[i] < (double)INFINITY) PF_TRY(each_edge(l, i, put_arc));
    return each_edge(l, end, put_final);
}

static pf_err make(lattice *l, uint32_t end, pf_arc_type type, pf_fst **out) {
    l->more = malloc(l->g->best.n * sizeof *l->more);
    l->state = malloc(l->g->best.n * sizeof *l->state);
    if (!l->more || !l->state) return pf_nomem();
    PF_TRY(go_back(l, end));
    PF_TRY(put_all(l, end));
    return pf_build_finish(&l->build, type, l->build.final.n ? 0 : PF_NO_STATE, out);
}

pf_err pfi_lattice_cut_short(uint64_t states, double cost, double bound) {
    return pf_fail(PF_ELIMIT, "a limit has ended the search after %llu states, before its lattice was complete: the best path so "
                   "far costs %.6f, none costs less than %.6f", (unsigned long long)states, cost, bound);
}

double pfi_lattice_slack(double cost) { return 1e-9 * (1 + fabs(cost)); }

pf_err pfi_lattice(const pfi_graph *g, uint32_t end, double more, pf_arc_type type, pf_fst **out) {
    double cost = g->cost.at[end];
    lattice l = {.g = g, .most = more + pfi_lattice_slack(cost)};
    pf_err err = make(&l, end, type, out);
    free(l.more);
    free(l.state);
    PF_VEC_FREE(&l.entries);
    pf_heap_free(&l.queue);
    pf_build_free(&l.build);
    return err;
}
