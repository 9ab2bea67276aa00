/* The n best paths, lazily (Huang & Chiang 2005, algorithm 3; Jimenez & Marzal 1999).
 *
 * Every node has a list of its best derivations: an edge and the rank of the derivation taken at the edge's source. The
 * list grows when somebody asks for one more: the successor of the last one (same edge, next rank) joins the candidates,
 * and the best candidate comes next. Only what the n best paths need is ever made. */
#include "base/heap.h"
#include "search/graph.h"

#include <stdlib.h>

typedef struct {
    double cost;
    uint32_t edge, rank; /* rank in the list of the edge's source */
    uint32_t depth;
} derivation;

typedef struct {
    PF_VEC(derivation) list, candidates;
    pf_heap heap;    /* of candidates */
    bool met, grown; /* grown: the successor of the list's last has been added */
    bool open;       /* on the stack: a request that waits for itself is a cycle of cost zero */
} node;

struct search;
typedef struct {
    const struct search *search;
    const node *node;
} scope; /* what a heap needs to compare candidates */

typedef struct {
    uint32_t node;
    size_t want; /* length of the list */
} request;

typedef struct search {
    const pfi_graph *g;
    node *nodes;
    scope *scopes;
    PF_VEC(request) stack;
} search;

/* A place on a path, for walking it backwards. */
typedef struct {
    const pfi_edge *edge;
    uint32_t rank;
} place;

/* What comes before: the derivation of that rank at the edge's source. A node not met yet has its best edge only. */
static place before(const search *s, place p) {
    uint32_t from = p.edge->from;
    const node *n = &s->nodes[from];
    if (!n->met) return (place){&s->g->edges.at[s->g->nodes.at[from].best], 0};
    const derivation *d = &n->list.at[p.rank];
    return (place){&s->g->edges.at[d->edge], d->rank};
}

/* As pfi_step_before, along derivations. */
static bool path_before(const search *s, const derivation *a, const derivation *b) {
    place x = {&s->g->edges.at[a->edge], a->rank}, y = {&s->g->edges.at[b->edge], b->rank};
    uint32_t deep = a->depth, other = b->depth;
    int in = 0, out = 0, longer = (deep > other) - (deep < other);
    for (; deep > other; deep--) x = before(s, x);
    for (; other > deep; other--) y = before(s, y);
    for (;;) {
        int order = pfi_output_order(s->g, x.edge->out, y.edge->out);
        if (x.edge->in != y.edge->in) in = x.edge->in < y.edge->in ? -1 : 1;
        if (order) out = order;
        if (--deep == 0 || (x.edge->from == y.edge->from && x.rank == y.rank)) break;
        x = before(s, x);
        y = before(s, y);
    }
    return in ? in < 0 : out ? out < 0 : longer < 0;
}

static bool candidate_before(const void *self, uint32_t a, uint32_t b) {
    const scope *c = self;
    const derivation *x = &c->node->candidates.at[a], *y = &c->node->candidates.at[b];
    if (x->cost != y->cost) return x->cost < y->cost;
    return path_before(c->search, x, y);
}

static pf_err add_candidate(search *s, node *n, uint32_t edge, uint32_t rank) {
    const pfi_edge *e = &s->g->edges.at[edge];
    const node *from = &s->nodes[e->from];
    double cost = from->met ? from->list.at[rank].cost : s->g->nodes.at[e->from].cost;
    uint32_t depth = from->met ? from->list.at[rank].depth : s->g->nodes.at[e->from].depth;
    derivation d = {cost + (double)e->w, edge, rank, depth + 1};
    PF_TRY(PF_PUSH(&n->candidates, d));
    return pf_heap_push(&n->heap, (uint32_t)n->candidates.n - 1);
}

/* First use: the best derivation is known, all other edges are candidates. */
static pf_err meet(search *s, uint32_t id) {
    node *n = &s->nodes[id];
    const pfi_node *g = &s->g->nodes.at[id];
    s->scopes[id] = (scope){s, n};
    n->heap.before = candidate_before;
    n->heap.self = &s->scopes[id];
    derivation first = {g->cost, g->best, 0, g->depth};
    PF_TRY(PF_PUSH(&n->list, first));
    n->met = true;
    n->grown = id == PFI_ROOT; /* the empty path has no successor */
    for (uint32_t e = g->edges; e != PFI_NO_EDGE; e = s->g->edges.at[e].next)
        if (e != g->best) PF_TRY(add_candidate(s, n, e, 0));
    return PF_OK;
}

static pf_err ask(search *s, uint32_t id, size_t want) {
    if (s->nodes[id].open) return pf_fail(PF_EINPUT, "a cycle of cost zero: there is no list of best paths");
    request r = {id, want};
    s->nodes[id].open = true;
    if (!s->nodes[id].met) PF_TRY(meet(s, id));
    return PF_PUSH(&s->stack, r);
}

static void answered(search *s) { s->nodes[s->stack.at[--s->stack.n].node].open = false; }

/* One step towards the request on top of the stack. */
static pf_err proceed(search *s) {
    request top = s->stack.at[s->stack.n - 1];
    node *n = &s->nodes[top.node];
    if (n->list.n >= top.want) {
        answered(s);
        return PF_OK;
    }
    if (!n->grown) {
        const derivation *last = &n->list.at[n->list.n - 1];
        uint32_t edge = last->edge, rank = last->rank + 1, from = s->g->edges.at[edge].from;
        const node *source = &s->nodes[from];
        bool exhausted = source->met && source->grown && !source->heap.n;
        if (!exhausted && source->list.n <= rank) return ask(s, from, (size_t)rank + 1);
        n->grown = true;
        if (source->list.n > rank) PF_TRY(add_candidate(s, n, edge, rank));
    }
    if (!n->heap.n) {
        answered(s);
        return PF_OK;
    }
    PF_TRY(PF_PUSH(&n->list, n->candidates.at[pf_heap_pop(&n->heap)]));
    n->grown = false;
    return PF_OK;
}

static pf_err emit(const search *s, uint32_t end, size_t k, pf_answer *out) {
    const derivation *d = &s->nodes[end].list.at[k];
    place p = {&s->g->edges.at[d->edge], d->rank};
    PF_VEC(pf_arc) arcs = {0};
    size_t n = d->depth - 1;
    pf_err err = PF_ROOM(&arcs, n + 1);
    float final = p.edge->w;
    for (size_t i = n; !err && i > 0; i--) {
        p = before(s, p);
        arcs.at[i - 1] = (pf_arc){p.edge->in, p.edge->out, p.edge->w, PF_NO_STATE};
    }
    if (!err) err = pf_answer_add(out, arcs.at, n, final);
    PF_VEC_FREE(&arcs);
    return err;
}

pf_err pfi_nbest(const pfi_graph *g, uint32_t end, size_t n, pf_answer *out) {
    search s = {.g = g, .nodes = calloc(g->nodes.n, sizeof(node)), .scopes = calloc(g->nodes.n, sizeof(scope))};
    pf_err err = s.nodes && s.scopes ? PF_OK : pf_nomem();
    for (size_t k = 0; !err && k < n; k++) {
        err = ask(&s, end, k + 1);
        while (!err && s.stack.n) err = proceed(&s);
        if (!err && s.nodes[end].list.n <= k) break; /* there are no more */
        if (!err) err = emit(&s, end, k, out);
    }
    for (size_t i = 0; s.nodes && i < g->nodes.n; i++) {
        PF_VEC_FREE(&s.nodes[i].list);
        PF_VEC_FREE(&s.nodes[i].candidates);
        pf_heap_free(&s.nodes[i].heap);
    }
    PF_VEC_FREE(&s.stack);
    free(s.nodes);
    free(s.scopes);
    return err;
}
