/* A* (Hart, Nilsson & Raphael 1968) over (state of the automaton, history of the models), with the rest cost of rest.h.
 *
 * Expands what can be part of a path as cheap as the best one and hardly more, so it needs the least memory where the scouts'
 * path is not the best. Each hypothesis costs a table look-up and a place in a queue, which levels.c does without. All that costs
 * no more than the best path is expanded before the search ends, ties included, and a hypothesis whose best path changes is
 * expanded again: the answer is the same as by levels. O(extensions log extensions). */
#include "search/astar.h"

#include "base/contract.h"
#include "search/claims.h"
#include "search/limits.h"
#include "search/queue.h"

#include <string.h>

typedef struct {
    pf_state state;   /* of the automaton */
    uint32_t history; /* of the models: a row of rows.h */
} astar_hypothesis;

typedef struct {
    pfi_levels *all;
    pfi_graph graph;
    pf_statetab hypotheses;      /* that were met; the start's is number 0 */
    PF_VEC(uint32_t) node;       /* of each hypothesis */
    PF_VEC(uint32_t) hypothesis; /* of each node; UINT32_MAX: the end, which is none */
    PF_VEC(bool) open;           /* of each node: to be expanded, for the first time or again */
    PF_VEC(uint32_t) rest;       /* of each state of the automaton: its coverage among the rest costs; PFI_NONE */
    pfi_rests rests;
    pfi_queue frontier;          /* open nodes, by total: cost and rest cost */
    pfi_claims claims;
    uint32_t end;
    double limit;                /* totals beyond it are of no use */
    double expanding;            /* the total of the node that is being expanded; INFINITY: none is */
    uint64_t expanded, arcs;
} astar_search;

static void search_free(astar_search *s) {
    pfi_graph_free(&s->graph);
    pf_statetab_free(&s->hypotheses);
    PF_VEC_FREE(&s->node);
    PF_VEC_FREE(&s->hypothesis);
    PF_VEC_FREE(&s->open);
    PF_VEC_FREE(&s->rest);
    pfi_rests_free(&s->rests);
    pfi_queue_free(&s->frontier);
    pfi_claims_free(&s->claims);
}

static pf_err new_node(astar_search *s, uint32_t id, uint32_t *node) {
    PF_TRY(pfi_graph_node(&s->graph, node));
    PF_TRY(PF_PUSH(&s->hypothesis, id));
    return PF_PUSH(&s->open, false);
}

static pf_err node_of(astar_search *s, pf_state state, uint32_t history, uint32_t *node) {
    astar_hypothesis h = {state, history};
    uint32_t id;
    int fresh;
    PF_TRY(pf_statetab_intern(&s->hypotheses, &h, sizeof h, &id, &fresh));
    if (fresh) {
        PF_TRY(new_node(s, id, node));
        return PF_PUSH(&s->node, *node);
    }
    *node = s->node.at[id];
    return PF_OK;
}

/* The rest cost of a state to which an arc with this input label leads. */
static pf_err rest_cost(astar_search *s, pf_state state, pf_label in, double *cost) {
    pfi_bound *bound = &s->all->bound;
    *cost = 0;
    if (!bound->known) return PF_OK;
    while (s->rest.n <= state) PF_TRY(PF_PUSH(&s->rest, PFI_NONE));
    if (s->rest.at[state] == PFI_NONE) {
        s->rest.at[state] = (uint32_t)s->rests.of.n;
        PF_TRY(pfi_rest_of_state(bound, state, &s->rests));
    }
    *cost = pfi_rest_cost(bound, &s->rests, s->rest.at[state], in);
    return PF_OK;
}

static pf_err enqueue(astar_search *s, uint32_t node, double total) {
    s->open.at[node] = true;
    PF_TRY(pfi_claim(&s->claims, node, total));
    return pfi_queue_push(&s->frontier, node, total);
}

static bool same(const pfi_edge *a, const pfi_edge *b) {
    return a->from == b->from && a->in == b->in && a->out == b->out && a->weight == b->weight;
}

/* An extension that wins opens its node. So does one that is there already, as the path before it has changed. */
static pf_err offer(astar_search *s, uint32_t to, const pfi_extension *path, double rest) {
    bool stands = same(&s->graph.best.at[to], &path->edge), won;
    PF_TRY(pfi_graph_offer(&s->graph, to, path, &won));
    return won || stands ? enqueue(s, to, path->cost + rest) : PF_OK;
}

static pf_err follow(astar_search *s, uint32_t node, uint32_t history, const pf_arc *a) {
    const pfi_rows *rows = &s->all->rows;
    double own = pf_scaled(rows->parts.own, (double)a->w);
    const pfi_cell *cell = &rows->cells.at[(size_t)history * rows->width + pfi_rows_column(&s->all->rows, a->out)];
    float w = (float)(own + cell->cost);
    double cost = s->graph.cost.at[node] + (double)w, rest;
    uint32_t to;
    s->arcs++;
    if (own == (double)INFINITY || cell->cost == (double)INFINITY) return PF_OK;
    if (!pfi_rows_fit(rows, own)) return pf_cost_too_large(own);
    PF_TRY(rest_cost(s, a->to, a->in, &rest));
    if (cost + rest > s->limit) return PF_OK;
    PF_TRY(node_of(s, a->to, cell->to, &to));
    return offer(s, to, &(pfi_extension){cost, {node, a->in, a->out, w}}, rest);
}

static pf_err finish(astar_search *s, uint32_t node, uint32_t history, float final) {
    const pfi_rows *rows = &s->all->rows;
    double own = pf_scaled(rows->parts.own, (double)final);
    float w = (float)(own + rows->final.at[history]);
    double cost = s->graph.cost.at[node] + (double)w;
    bool won;
    if (own == (double)INFINITY || rows->final.at[history] == (double)INFINITY) return PF_OK;
    if (!pfi_rows_fit(rows, own)) return pf_cost_too_large(own);
    PF_TRY(pfi_graph_offer(&s->graph, s->end, &(pfi_extension){cost, {node, PF_EPSILON, PF_EPSILON, w}}, &won));
    double most = s->graph.cost.at[s->end] + pfi_levels_slack(s->all, s->graph.cost.at[s->end]);
    if (most < s->limit) s->limit = most;
    return PF_OK;
}

static pf_err expand(astar_search *s, uint32_t node) {
    size_t length;
    astar_hypothesis h;
    memcpy(&h, pf_statetab_key(&s->hypotheses, s->hypothesis.at[node], &length), sizeof h);
    pf_fst *fst = s->all->automaton;
    pf_arcs a = pf_fst_arcs(fst, h.state);
    float final = pf_fst_final(fst, h.state);
    PF_TRY(pf_fst_error(fst));
    PF_TRY(pfi_rows_fill(&s->all->rows, h.history));
    s->open.at[node] = false;
    s->expanded++;
    for (uint32_t i = 0; i < a.n; i++) PF_TRY(follow(s, node, h.history, &a.arc[i]));
    return final == INFINITY ? PF_OK : finish(s, node, h.history, final);
}

static pf_err check_limits(const astar_search *s) {
    PF_TRY(pfi_check_states(s->all->options, s->graph.best.n));
    return pfi_check_time_at(s->expanded, s->all->options, s->graph.best.n);
}

static pf_err set_up(astar_search *s, const pfi_pass *pass) {
    uint32_t start;
    pf_statetab_init(&s->hypotheses, sizeof(astar_hypothesis));
    pfi_queue_init(&s->frontier);
    s->graph.osyms = s->all->automaton->osyms;
    s->limit = pass->limit;
    PF_TRY(node_of(s, s->all->automaton->start, 0, &start));
    assert(start == PFI_START_NODE);
    s->graph.cost.at[start] = 0;
    PF_TRY(new_node(s, UINT32_MAX, &s->end));
    return enqueue(s, start, -(double)INFINITY);
}

static pf_err run(astar_search *s) {
    while (!pfi_queue_empty(&s->frontier) && pfi_queue_least(&s->frontier) <= s->limit) {
        PF_TRY(check_limits(s));
        s->expanding = pfi_queue_least(&s->frontier);
        uint32_t node = pfi_queue_pop(&s->frontier).node;
        if (s->open.at[node]) PF_TRY(expand(s, node));
        s->expanding = (double)INFINITY;
    }
    return PF_OK;
}

/* With a limit met: nothing costs less than the first on the frontier, or the one before it, whose arcs may not all have been
 * followed. The best end met so far is an answer. */
static void set_bound(const astar_search *s, pf_err err, pf_answer *out) {
    double best = s->graph.cost.at[s->end];
    out->bound = best;
    if (!err) return;
    double total = s->expanding;
    if (!pfi_queue_empty(&s->frontier) && pfi_queue_least(&s->frontier) < total) total = pfi_queue_least(&s->frontier);
    total -= pfi_levels_slack(s->all, total);
    if (total < best) out->bound = total;
}

/* Is every total on the best path below what it costs? */
static bool totals_hold(const astar_search *s) {
    double cost = s->graph.cost.at[s->end];
    return cost == (double)INFINITY || pfi_claims_hold(&s->claims, &s->graph, s->end, cost + pfi_levels_slack(s->all, cost));
}

pf_err pfi_astar(pfi_levels *all, const pfi_pass *pass, pf_answer *out) {
    astar_search s = {.all = all, .expanding = (double)INFINITY};
    assert((all->bound.admissible || all->bound.empty) && all->options->n == 1);
    assert(!pass->beam && !pass->lattice && !pass->unlimited && pass->threshold == (double)INFINITY);
    pf_err err = set_up(&s, pass);
    const bool ready = !err;
    if (ready) err = run(&s);
    out->states += s.graph.best.n;
    out->arcs += s.arcs;
    if (ready && (!err || pfi_is_limit(err))) {
        PFI_CHECK(totals_hold(&s));
        pf_err found = pfi_graph_answer(&s.graph, s.end, all->options, out);
        set_bound(&s, err, out);
        err = found ? found : err;
    }
    search_free(&s);
    return err;
}
