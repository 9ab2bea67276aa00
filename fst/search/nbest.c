/* The n best paths, lazily (Huang & Chiang 2005, algorithm 3; Jimenez & Marzal 1999).
 *
 * Every node has a list of its best derivations, in order: each is an edge and the rank of a derivation in the list of the edge's
 * source. The list grows when one more is asked for: the successor of the last one (same edge, next rank) joins the candidates, and
 * the best candidate is the next derivation. Only what the n best paths need is ever made. On a cycle no request waits for
 * itself: a path comes before those that go on from it (fewer arcs), so a derivation never needs its own successor.
 * O(n x length x log edges into a node), and the edges into the nodes that are met. */
#include <permfst/base/heap.h>
#include <permfst/base/statetab.h>
#include "base/contract.h"
#include "search/graph.h"
#include "search/limits.h"

#include <stdlib.h>

typedef struct {
    double cost;
    pfi_edge edge;
    uint32_t rank; /* in the list of the edge's source */
    uint32_t depth;
} derivation;

typedef struct {
    PF_VEC(derivation) list; /* best first */
    PF_VEC(derivation) candidates;
    pf_heap heap; /* of candidates */
    bool met;
    bool grown;   /* the successor of the list's last is among the candidates, or there is none */
} node_derivations;

struct nbest_search;
typedef struct {
    const struct nbest_search *search;
    const node_derivations *node;
} node_scope; /* what a heap needs to compare candidates */

typedef struct {
    uint32_t node;
    size_t want; /* length of the list */
} node_request;

typedef struct nbest_search {
    const pfi_graph *graph;
    const pf_best_options *options;
    pf_statetab seen;         /* strings of paths that were given, where they are to differ */
    PF_VEC(pf_label) string;  /* scratch */
    node_derivations *nodes;
    node_scope *scopes;
    PF_VEC(node_request) stack;    /* each waits for the one above it */
    PF_VEC(uint32_t) chain; /* scratch */
} nbest_search;

/* The derivation that a derivation goes on from. Not for the empty path. */
static const derivation *before(const nbest_search *s, const derivation *d) {
    PFI_CHECK(d->edge.from != PFI_NONE && d->rank < s->nodes[d->edge.from].list.n);
    return &s->nodes[d->edge.from].list.at[d->rank];
}

/* As pfi_edge_before, along derivations. */
static bool path_before(const nbest_search *s, const derivation *a, const derivation *b) {
    int order = 0;
    if (a->depth != b->depth) return a->depth < b->depth;
    for (const derivation *x = a, *y = b; x != y; x = before(s, x), y = before(s, y))
        if (x->edge.in != y->edge.in) order = x->edge.in < y->edge.in ? -1 : 1;
    if (order) return order < 0;
    for (; a != b; a = before(s, a), b = before(s, b)) {
        int here = pfi_output_order(s->graph->osyms, a->edge.out, b->edge.out);
        if (here) order = here;
    }
    return order < 0;
}

static bool candidate_before(const void *self, uint32_t a, uint32_t b) {
    const node_scope *c = self;
    const derivation *x = &c->node->candidates.at[a], *y = &c->node->candidates.at[b];
    if (x->cost != y->cost) return x->cost < y->cost;
    return path_before(c->search, x, y);
}

/* The derivation over an edge whose source has the rank. */
static derivation derive(const nbest_search *s, const pfi_edge *edge, uint32_t rank) {
    const derivation *from = &s->nodes[edge->from].list.at[rank];
    return (derivation){from->cost + (double)edge->weight, *edge, rank, from->depth + 1};
}

/* Begins the lists of a node and of all nodes before it on its best path, each with that path. */
static pf_err settle(nbest_search *s, uint32_t id) {
    s->chain.n = 0;
    for (; !s->nodes[id].list.n && id != PFI_START_NODE; id = s->graph->best.at[id].from) PF_TRY(PF_PUSH(&s->chain, id));
    if (!s->nodes[id].list.n) PF_TRY(PF_PUSH(&s->nodes[id].list, ((derivation){.edge.from = PFI_NONE})));
    while (s->chain.n) {
        id = s->chain.at[--s->chain.n];
        PF_TRY(PF_PUSH(&s->nodes[id].list, derive(s, &s->graph->best.at[id], 0)));
    }
    return PF_OK;
}

static pf_err add_candidate(nbest_search *s, node_derivations *n, const pfi_edge *edge, uint32_t rank) {
    PF_TRY(PF_PUSH(&n->candidates, derive(s, edge, rank)));
    return pf_heap_push(&n->heap, (uint32_t)n->candidates.n - 1);
}

/* First use: the best derivation is known, all other edges are candidates. */
static pf_err meet(nbest_search *s, uint32_t id) {
    node_derivations *n = &s->nodes[id];
    s->scopes[id] = (node_scope){s, n};
    n->heap.before = candidate_before;
    n->heap.self = &s->scopes[id];
    n->met = true;
    n->grown = id == PFI_START_NODE; /* the empty path has no successor */
    PF_TRY(settle(s, id));
    for (uint32_t i = s->graph->newest_lost.at[id]; i != PFI_NONE; i = s->graph->lost.at[i].next) {
        const pfi_edge *edge = &s->graph->lost.at[i].edge;
        PF_TRY(settle(s, edge->from));
        PF_TRY(add_candidate(s, n, edge, 0));
    }
    return PF_OK;
}

static pf_err ask(nbest_search *s, uint32_t id, size_t want) {
    node_request r = {id, want};
    if (!s->nodes[id].met) PF_TRY(meet(s, id));
    return PF_PUSH(&s->stack, r);
}

/* The successor of the list's last joins the candidates, if there is one. *asked: its source has to be asked for a derivation
 * first. */
static pf_err grow(nbest_search *s, node_derivations *n, bool *asked) {
    const derivation *last = &n->list.at[n->list.n - 1];
    const node_derivations *source = &s->nodes[last->edge.from];
    pfi_edge edge = last->edge;
    uint32_t rank = last->rank + 1;
    bool exhausted = source->met && source->grown && !source->heap.n;
    *asked = !exhausted && source->list.n <= rank;
    if (*asked) return ask(s, edge.from, (size_t)rank + 1);
    n->grown = true;
    return source->list.n > rank ? add_candidate(s, n, &edge, rank) : PF_OK;
}

/* One step towards the request on top of the stack: the candidate that comes next joins the list. */
static pf_err proceed(nbest_search *s) {
    node_request top = s->stack.at[s->stack.n - 1];
    node_derivations *n = &s->nodes[top.node];
    bool asked = false;
    if (n->list.n < top.want && !n->grown) PF_TRY(grow(s, n, &asked));
    if (asked) return PF_OK;
    if (n->list.n >= top.want || !n->heap.n) {
        s->stack.n--;
        return PF_OK;
    }
    derivation next = n->candidates.at[pf_heap_pop(&n->heap)];
    assert(next.cost >= n->list.at[n->list.n - 1].cost);
    n->grown = false;
    return PF_PUSH(&n->list, next);
}

static pf_err emit(const nbest_search *s, uint32_t end, size_t k, pf_answer *out) {
    const derivation *d = &s->nodes[end].list.at[k];
    PF_VEC(pf_arc) arcs = {0};
    size_t n = d->depth - 1;
    float final = d->edge.weight;
    pf_err err = PF_ROOM(&arcs, n + 1);
    for (size_t i = n; !err && i > 0; i--) {
        d = before(s, d);
        arcs.at[i - 1] = (pf_arc){d->edge.in, d->edge.out, d->edge.weight, PF_NO_STATE};
    }
    if (!err) err = pf_answer_add(out, arcs.at, n, final);
    PF_VEC_FREE(&arcs);
    return err;
}

/* Puts one more label in front, or the words that a unit says. The string is kept backwards. */
static pf_err add_to_string(nbest_search *s, pf_label x, bool output) {
    size_t n = 1;
    const pf_label *label = &x;
    if (x == PF_EPSILON) return PF_OK;
    if (output && s->options->units) label = pf_units_said(s->options->units, x, &n);
    while (n) PF_TRY(PF_PUSH(&s->string, label[--n]));
    return PF_OK;
}

/* Is the string of the k-th path (inputs or outputs, without epsilons) one that no earlier path has? */
static pf_err is_new(nbest_search *s, uint32_t end, size_t k, bool *new_one) {
    int fresh = 1;
    uint32_t id;
    *new_one = true;
    if (s->options->unique == PF_UNIQUE_PATHS) return PF_OK;
    s->string.n = 0;
    for (const derivation *d = &s->nodes[end].list.at[k]; d->edge.from != PFI_NONE; d = before(s, d)) {
        bool outputs = s->options->unique == PF_UNIQUE_OUTPUTS;
        PF_TRY(add_to_string(s, outputs ? d->edge.out : d->edge.in, outputs));
    }
    PF_TRY(PF_ROOM(&s->string, 1));
    PF_TRY(pf_statetab_intern(&s->seen, s->string.at, s->string.n * sizeof *s->string.at, &id, &fresh));
    *new_one = fresh;
    return PF_OK;
}

/* The k-th path, if there is one. */
static pf_err derive_one(nbest_search *s, uint32_t end, size_t k) {
    if (k) PF_TRY(pfi_check_time_at(k, s->options, s->graph->best.n));
    PF_TRY(ask(s, end, k + 1));
    while (s->stack.n) PF_TRY(proceed(s));
    return PF_OK;
}

static pf_err run(nbest_search *s, uint32_t end, pf_answer *out) {
    size_t first = out->paths.n;
    for (size_t k = 0; out->paths.n - first < s->options->n; k++) {
        bool new_one;
        PF_TRY(derive_one(s, end, k));
        if (s->nodes[end].list.n <= k) break; /* there are no more */
        PF_TRY(is_new(s, end, k, &new_one));
        if (new_one) PF_TRY(emit(s, end, k, out));
    }
    return PF_OK;
}

pf_err pfi_nbest(const pfi_graph *graph, uint32_t end, const pf_best_options *o, pf_answer *out) {
    assert(graph->keep_all && end < graph->best.n);
    nbest_search s = {.graph = graph, .options = o};
    s.nodes = calloc(graph->best.n, sizeof *s.nodes);
    s.scopes = calloc(graph->best.n, sizeof *s.scopes);
    pf_statetab_init(&s.seen, 0);
    pf_err err = s.nodes && s.scopes ? run(&s, end, out) : pf_nomem();
    for (size_t i = 0; s.nodes && i < graph->best.n; i++) {
        PF_VEC_FREE(&s.nodes[i].list);
        PF_VEC_FREE(&s.nodes[i].candidates);
        pf_heap_free(&s.nodes[i].heap);
    }
    PF_VEC_FREE(&s.stack);
    PF_VEC_FREE(&s.chain);
    PF_VEC_FREE(&s.string);
    pf_statetab_free(&s.seen);
    free(s.nodes);
    free(s.scopes);
    return err;
}
