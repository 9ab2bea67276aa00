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
    uint32_t depth; /* arcs as they are spelt, with the final weight as one */
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
    uint64_t derivations;   /* in all lists and among all candidates */
} nbest_search;

/* The derivation that a derivation goes on from. Not for the empty path. */
static const derivation *before(const nbest_search *search, const derivation *one) {
    PFI_CHECK(one->edge.from != PFI_NONE && one->rank < search->nodes[one->edge.from].list.n);
    return &search->nodes[one->edge.from].list.at[one->rank];
}

static void labels(const void *place, pf_label *in, pf_label *out) {
    const derivation *one = place;
    *in = one->edge.in;
    *out = one->edge.out;
}

static const void *place_before(const void *self, const void *place) { return before(self, place); }

/* As pfi_edge_before, along derivations. */
static bool path_before(const nbest_search *search, const derivation *one, const derivation *other) {
    const pfi_backwards path = {search, labels, place_before};
    if (one->depth != other->depth) return one->depth < other->depth;
    return pfi_backwards_order(&path, &search->graph->speech, one, other) < 0;
}

static bool candidate_before(const void *self, uint32_t first, uint32_t second) {
    const node_scope *scope = self;
    const derivation *one = &scope->node->candidates.at[first], *other = &scope->node->candidates.at[second];
    if (one->cost != other->cost) return one->cost < other->cost;
    return path_before(scope->search, one, other);
}

/* The derivation over an edge whose source has the rank. */
static derivation derive(const nbest_search *search, const pfi_edge *edge, uint32_t rank) {
    const derivation *from = &search->nodes[edge->from].list.at[rank];
    return (derivation){from->cost + (double)edge->weight, *edge, rank,
                        from->depth + pfi_spelt_arcs(&search->graph->speech, edge->out)};
}

/* Begins the lists of a node and of all nodes before it on its best path, each with that path. */
static pf_err settle(nbest_search *search, uint32_t id) {
    search->chain.n = 0;
    for (; !search->nodes[id].list.n && id != PFI_START_NODE; id = search->graph->best.at[id].from)
        PF_TRY(PF_PUSH(&search->chain, id));
    if (!search->nodes[id].list.n) PF_TRY(PF_PUSH(&search->nodes[id].list, ((derivation){.edge.from = PFI_NONE})));
    while (search->chain.n) {
        id = search->chain.at[--search->chain.n];
        PF_TRY(PF_PUSH(&search->nodes[id].list, derive(search, &search->graph->best.at[id], 0)));
    }
    return PF_OK;
}

static pf_err add_candidate(nbest_search *search, node_derivations *derivations, const pfi_edge *edge, uint32_t rank) {
    PF_TRY(PF_PUSH(&derivations->candidates, derive(search, edge, rank)));
    search->derivations++;
    return pf_heap_push(&derivations->heap, (uint32_t)derivations->candidates.n - 1);
}

/* First use: the best derivation is known, all other edges are candidates. */
static pf_err meet(nbest_search *search, uint32_t id) {
    node_derivations *derivations = &search->nodes[id];
    search->scopes[id] = (node_scope){search, derivations};
    derivations->heap.before = candidate_before;
    derivations->heap.self = &search->scopes[id];
    derivations->met = true;
    derivations->grown = id == PFI_START_NODE; /* the empty path has no successor */
    PF_TRY(settle(search, id));
    for (uint32_t i = search->graph->newest_lost.at[id]; i != PFI_NONE; i = search->graph->lost.at[i].next) {
        const pfi_edge *edge = &search->graph->lost.at[i].edge;
        PF_TRY(settle(search, edge->from));
        PF_TRY(add_candidate(search, derivations, edge, 0));
    }
    return PF_OK;
}

static pf_err ask(nbest_search *search, uint32_t id, size_t want) {
    node_request request = {id, want};
    if (!search->nodes[id].met) PF_TRY(meet(search, id));
    return PF_PUSH(&search->stack, request);
}

/* The successor of the list's last joins the candidates, if there is one. *asked: its source has to be asked for a derivation
 * first. */
static pf_err grow(nbest_search *search, node_derivations *derivations, bool *asked) {
    const derivation *last = &derivations->list.at[derivations->list.n - 1];
    const node_derivations *source = &search->nodes[last->edge.from];
    pfi_edge edge = last->edge;
    uint32_t rank = last->rank + 1;
    bool exhausted = source->met && source->grown && !source->heap.n;
    *asked = !exhausted && source->list.n <= rank;
    if (*asked) return ask(search, edge.from, (size_t)rank + 1);
    derivations->grown = true;
    return source->list.n > rank ? add_candidate(search, derivations, &edge, rank) : PF_OK;
}

/* One step towards the request on top of the stack: the candidate that comes next joins the list. */
static pf_err proceed(nbest_search *search) {
    node_request top = search->stack.at[search->stack.n - 1];
    node_derivations *derivations = &search->nodes[top.node];
    bool asked = false;
    if (derivations->list.n < top.want && !derivations->grown) PF_TRY(grow(search, derivations, &asked));
    if (asked) return PF_OK;
    if (derivations->list.n >= top.want || !derivations->heap.n) {
        search->stack.n--;
        return PF_OK;
    }
    derivation next = derivations->candidates.at[pf_heap_pop(&derivations->heap)];
    assert(next.cost >= derivations->list.at[derivations->list.n - 1].cost);
    derivations->grown = false;
    search->derivations++;
    return PF_PUSH(&derivations->list, next);
}

static size_t length(const nbest_search *search, const derivation *one) {
    size_t arcs = 0;
    for (; one->edge.from != PFI_NONE; one = before(search, one)) arcs++;
    return arcs;
}

static pf_err emit(const nbest_search *search, uint32_t end, size_t k, pf_answer *out) {
    const derivation *one = &search->nodes[end].list.at[k];
    PF_VEC(pf_arc) arcs = {0};
    size_t count = length(search, one) - 1;
    float final = one->edge.weight;
    pf_err err = PF_ROOM(&arcs, count + 1);
    for (size_t i = count; !err && i > 0; i--) {
        one = before(search, one);
        arcs.at[i - 1] = (pf_arc){one->edge.in, one->edge.out, one->edge.weight, PF_NO_STATE};
    }
    if (!err) err = pf_answer_add(out, arcs.at, count, final);
    PF_VEC_FREE(&arcs);
    return err;
}

/* Puts one more label in front, or the words that a unit says. The string is kept backwards. */
static pf_err add_to_string(nbest_search *search, pf_label word, bool output) {
    size_t n = 1;
    const pf_label *label = &word;
    if (word == PF_EPSILON) return PF_OK;
    if (output && search->options->units) label = pf_units_said(search->options->units, word, &n);
    while (n) PF_TRY(PF_PUSH(&search->string, label[--n]));
    return PF_OK;
}

/* Is the string of the k-th path (inputs or outputs, without epsilons) one that no earlier path has? */
static pf_err is_new(nbest_search *search, uint32_t end, size_t k, bool *new_one) {
    int fresh = 1;
    uint32_t id;
    *new_one = true;
    if (search->options->unique == PF_UNIQUE_PATHS) return PF_OK;
    search->string.n = 0;
    for (const derivation *one = &search->nodes[end].list.at[k]; one->edge.from != PFI_NONE; one = before(search, one)) {
        bool outputs = search->options->unique == PF_UNIQUE_OUTPUTS;
        PF_TRY(add_to_string(search, outputs ? one->edge.out : one->edge.in, outputs));
    }
    PF_TRY(PF_ROOM(&search->string, 1));
    PF_TRY(pf_statetab_intern(&search->seen, search->string.at, search->string.n * sizeof *search->string.at, &id, &fresh));
    *new_one = fresh;
    return PF_OK;
}

static uint64_t bytes(const nbest_search *search) {
    return pfi_graph_bytes(search->graph) + search->graph->best.n * (sizeof *search->nodes + sizeof *search->scopes) +
           search->derivations * sizeof(derivation) + pf_statetab_bytes(&search->seen);
}

/* The k-th path, if there is one. */
static pf_err derive_one(nbest_search *search, uint32_t end, size_t k) {
    if (k) PF_TRY(pfi_check_time_at(k, search->options, search->graph->best.n));
    if (k) PF_TRY(pfi_check_bytes(search->options, bytes(search)));
    PF_TRY(ask(search, end, k + 1));
    while (search->stack.n) PF_TRY(proceed(search));
    return PF_OK;
}

static pf_err run(nbest_search *search, uint32_t end, pf_answer *out) {
    size_t first = out->paths.n;
    for (size_t k = 0; out->paths.n - first < search->options->n; k++) {
        bool new_one;
        PF_TRY(derive_one(search, end, k));
        if (search->nodes[end].list.n <= k) break; /* there are no more */
        PF_TRY(is_new(search, end, k, &new_one));
        if (new_one) PF_TRY(emit(search, end, k, out));
    }
    return PF_OK;
}

pf_err pfi_nbest(const pfi_graph *graph, uint32_t end, const pf_best_options *options, pf_answer *out) {
    assert(graph->keep_all && end < graph->best.n);
    nbest_search search = {.graph = graph, .options = options};
    search.nodes = calloc(graph->best.n, sizeof *search.nodes);
    search.scopes = calloc(graph->best.n, sizeof *search.scopes);
    pf_statetab_init(&search.seen, 0);
    pf_err err = search.nodes && search.scopes ? run(&search, end, out) : pf_nomem();
    for (size_t i = 0; search.nodes && i < graph->best.n; i++) {
        PF_VEC_FREE(&search.nodes[i].list);
        PF_VEC_FREE(&search.nodes[i].candidates);
        pf_heap_free(&search.nodes[i].heap);
    }
    PF_VEC_FREE(&search.stack);
    PF_VEC_FREE(&search.chain);
    PF_VEC_FREE(&search.string);
    pf_statetab_free(&search.seen);
    free(search.nodes);
    free(search.scopes);
    return err;
}
