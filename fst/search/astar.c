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

static void search_free(astar_search *search) {
    pfi_graph_free(&search->graph);
    pf_statetab_free(&search->hypotheses);
    PF_VEC_FREE(&search->node);
    PF_VEC_FREE(&search->hypothesis);
    PF_VEC_FREE(&search->open);
    PF_VEC_FREE(&search->rest);
    pfi_rests_free(&search->rests);
    pfi_queue_free(&search->frontier);
    pfi_claims_free(&search->claims);
}

static pf_err new_node(astar_search *search, uint32_t id, uint32_t *node) {
    PF_TRY(pfi_graph_node(&search->graph, node));
    PF_TRY(PF_PUSH(&search->hypothesis, id));
    return PF_PUSH(&search->open, false);
}

static pf_err node_of(astar_search *search, pf_state state, uint32_t history, uint32_t *node) {
    astar_hypothesis hypothesis = {state, history};
    uint32_t id;
    int fresh;
    PF_TRY(pf_statetab_intern(&search->hypotheses, &hypothesis, sizeof hypothesis, &id, &fresh));
    if (fresh) {
        PF_TRY(new_node(search, id, node));
        return PF_PUSH(&search->node, *node);
    }
    *node = search->node.at[id];
    return PF_OK;
}

/* The rest cost of a state to which an arc with this input label leads. */
static pf_err rest_cost(astar_search *search, pf_state state, pf_label in, double *cost) {
    pfi_bound *bound = &search->all->bound;
    *cost = 0;
    if (!bound->known) return PF_OK;
    while (search->rest.n <= state) PF_TRY(PF_PUSH(&search->rest, PFI_NONE));
    if (search->rest.at[state] == PFI_NONE) {
        search->rest.at[state] = (uint32_t)search->rests.of.n;
        PF_TRY(pfi_rest_of_state(bound, state, &search->rests));
    }
    *cost = pfi_rest_cost(bound, &search->rests, search->rest.at[state], in);
    return PF_OK;
}

static pf_err enqueue(astar_search *search, uint32_t node, double total) {
    search->open.at[node] = true;
    PF_TRY(pfi_claim(&search->claims, node, total));
    return pfi_queue_push(&search->frontier, node, total);
}

static bool same(const pfi_edge *first, const pfi_edge *second) {
    return first->from == second->from && first->in == second->in && first->out == second->out && first->weight == second->weight;
}

/* An extension that wins opens its node. So does one that is there already, as the path before it has changed. */
static pf_err offer(astar_search *search, uint32_t to, const pfi_extension *path, double rest) {
    bool stands = same(&search->graph.best.at[to], &path->edge), won;
    PF_TRY(pfi_graph_offer(&search->graph, to, path, &won));
    return won || stands ? enqueue(search, to, path->cost + rest) : PF_OK;
}

static pf_err follow(astar_search *search, uint32_t node, uint32_t history, const pf_arc *arc) {
    const pfi_rows *rows = &search->all->rows;
    double own = pf_scaled(rows->parts.own, (double)arc->w);
    const pfi_cell *cell = &pfi_rows_cells(rows, history)[pfi_rows_column(&search->all->rows, arc->out)];
    float weight = (float)(own + cell->cost);
    double cost = search->graph.cost.at[node] + (double)weight, rest;
    uint32_t to;
    search->arcs++;
    if (own == (double)INFINITY || cell->cost == (double)INFINITY) return PF_OK;
    if (!pfi_rows_fit(rows, own)) return pf_cost_too_large(own);
    PF_TRY(rest_cost(search, arc->to, arc->in, &rest));
    if (cost + rest > search->limit) return PF_OK;
    PF_TRY(node_of(search, arc->to, cell->to, &to));
    return offer(search, to, &(pfi_extension){cost, {node, arc->in, arc->out, weight}}, rest);
}

static pf_err finish(astar_search *search, uint32_t node, uint32_t history, float final) {
    const pfi_rows *rows = &search->all->rows;
    double own = pf_scaled(rows->parts.own, (double)final);
    float weight = (float)(own + rows->final.at[history]);
    double cost = search->graph.cost.at[node] + (double)weight;
    bool won;
    if (own == (double)INFINITY || rows->final.at[history] == (double)INFINITY) return PF_OK;
    if (!pfi_rows_fit(rows, own)) return pf_cost_too_large(own);
    pfi_extension ending = {cost, {node, PF_EPSILON, PF_EPSILON, weight}};
    PF_TRY(pfi_graph_offer(&search->graph, search->end, &ending, &won));
    double most = search->graph.cost.at[search->end] + pfi_levels_slack(search->all, search->graph.cost.at[search->end]);
    if (most < search->limit) search->limit = most;
    return PF_OK;
}

static pf_err expand(astar_search *search, uint32_t node) {
    size_t length;
    astar_hypothesis hypothesis;
    memcpy(&hypothesis, pf_statetab_key(&search->hypotheses, search->hypothesis.at[node], &length), sizeof hypothesis);
    pf_fst *fst = search->all->automaton;
    pf_arcs arcs = pf_fst_arcs(fst, hypothesis.state);
    float final = pf_fst_final(fst, hypothesis.state);
    PF_TRY(pf_fst_error(fst));
    PF_TRY(pfi_rows_fill(&search->all->rows, hypothesis.history));
    search->open.at[node] = false;
    search->expanded++;
    for (uint32_t i = 0; i < arcs.n; i++) PF_TRY(follow(search, node, hypothesis.history, &arcs.arc[i]));
    return final == INFINITY ? PF_OK : finish(search, node, hypothesis.history, final);
}

static uint64_t bytes(const astar_search *search) {
    return pf_fst_bytes(search->all->automaton) + pfi_rows_bytes(&search->all->rows) + pfi_graph_bytes(&search->graph) +
           pf_statetab_bytes(&search->hypotheses) + pfi_queue_bytes(&search->frontier) +
           search->rests.least.n * sizeof *search->rests.least.at;
}

static pf_err check_limits(const astar_search *search) {
    PF_TRY(pfi_check_states(search->all->options, search->graph.best.n));
    if (search->expanded % 64 == 0) PF_TRY(pfi_check_bytes(search->all->options, bytes(search)));
    return pfi_check_time_at(search->expanded, search->all->options, search->graph.best.n);
}

static pf_err set_up(astar_search *search, const pfi_pass *pass) {
    uint32_t start;
    pf_statetab_init(&search->hypotheses, sizeof(astar_hypothesis));
    pfi_queue_init(&search->frontier);
    search->graph.speech = pfi_speech_of(search->all->automaton->osyms, search->all->options->units);
    search->limit = pass->limit;
    PF_TRY(node_of(search, search->all->automaton->start, 0, &start));
    assert(start == PFI_START_NODE);
    search->graph.cost.at[start] = 0;
    PF_TRY(new_node(search, UINT32_MAX, &search->end));
    return enqueue(search, start, -(double)INFINITY);
}

static pf_err run(astar_search *search) {
    while (!pfi_queue_empty(&search->frontier) && pfi_queue_least(&search->frontier) <= search->limit) {
        PF_TRY(check_limits(search));
        search->expanding = pfi_queue_least(&search->frontier);
        uint32_t node = pfi_queue_pop(&search->frontier).node;
        if (search->open.at[node]) PF_TRY(expand(search, node));
        search->expanding = (double)INFINITY;
    }
    return PF_OK;
}

/* With a limit met: nothing costs less than the first on the frontier, or the one before it, whose arcs may not all have been
 * followed. The best end met so far is an answer. */
static void set_bound(const astar_search *search, pf_err err, pf_answer *out) {
    double best = search->graph.cost.at[search->end];
    out->bound = best;
    if (!err) return;
    double total = search->expanding;
    if (!pfi_queue_empty(&search->frontier)) total = fmin(total, pfi_queue_least(&search->frontier));
    total -= pfi_levels_slack(search->all, total);
    if (total < best) out->bound = total;
}

/* Is every total on the best path below what it costs? */
static bool totals_hold(const astar_search *search) {
    double cost = search->graph.cost.at[search->end];
    return cost == (double)INFINITY ||
        pfi_claims_hold(&search->claims, &search->graph, search->end, cost + pfi_levels_slack(search->all, cost));
}

pf_err pfi_astar(pfi_levels *all, const pfi_pass *pass, pf_answer *out) {
    astar_search search = {.all = all, .expanding = (double)INFINITY};
    assert((all->bound.admissible || all->bound.empty) && all->options->n == 1);
    assert(!pass->beam && !pass->lattice && !pass->unlimited && pass->threshold == (double)INFINITY);
    pf_err err = set_up(&search, pass);
    const bool ready = !err;
    if (ready) err = run(&search);
    out->states += search.graph.best.n;
    out->arcs += search.arcs;
    if (ready && (!err || pfi_is_limit(err))) {
        PFI_CHECK(totals_hold(&search));
        pf_err found = pfi_graph_answer(&search.graph, search.end, all->options, out);
        set_bound(&search, err, out);
        err = found ? found : err;
    }
    search_free(&search);
    return err;
}
