/* Best-first over (state of the automaton, state of the model), with the lower bound of what is left (Hart, Nilsson &
 * Raphael 1968).
 *
 * Expands what can be part of a path as cheap as the best one and hardly more, so it needs the least memory where the
 * scouts' path is not the best; each hypothesis costs a table look-up and a place in a queue, which levels.c does without.
 * All that costs no more than the best path is expanded before it ends, ties included, and a hypothesis whose best path
 * changes is expanded again: the answer is the same as by levels. */
#include "search/astar.h"

#include <permfst/base/heap.h>
#include "search/graph.h"
#include "search/left.h"

#include <string.h>

typedef struct {
    pf_state state; /* of the automaton */
    uint32_t row;   /* the model's state */
} place;

typedef struct {
    double total; /* with the least that the rest costs */
    uint32_t node;
} entry;

typedef struct {
    pfi_levels *all;
    pfi_graph graph;
    pf_statetab places;      /* of each node; the root is 0, the end is no place */
    PF_VEC(uint32_t) node;   /* of each place */
    PF_VEC(uint32_t) place;  /* of each node */
    PF_VEC(bool) open;       /* of each node: to be expanded, for the first time or again */
    PF_VEC(uint32_t) left;   /* of each state of the automaton: its row of what is left; PFI_NONE */
    pfi_lefts lefts;
    PF_VEC(entry) entries;
    pf_heap queue;           /* of entries */
    uint32_t end;
    double limit;            /* totals beyond are of no use */
    uint64_t expanded, arcs;
} search;

static void search_free(search *s) {
    pfi_graph_free(&s->graph);
    pf_statetab_free(&s->places);
    PF_VEC_FREE(&s->node);
    PF_VEC_FREE(&s->place);
    PF_VEC_FREE(&s->open);
    PF_VEC_FREE(&s->left);
    pfi_lefts_free(&s->lefts);
    PF_VEC_FREE(&s->entries);
    pf_heap_free(&s->queue);
}

static bool earlier(const void *self, uint32_t a, uint32_t b) {
    const search *s = self;
    double x = s->entries.at[a].total, y = s->entries.at[b].total;
    return x < y || (x == y && a > b); /* of equal ones the newest, which is nearest to the end */
}

static pf_err new_node(search *s, uint32_t id, uint32_t *node) {
    PF_TRY(pfi_graph_node(&s->graph, node));
    PF_TRY(PF_PUSH(&s->place, id));
    return PF_PUSH(&s->open, false);
}

static pf_err node_of(search *s, pf_state state, uint32_t row, uint32_t *node) {
    place p = {state, row};
    uint32_t id;
    int fresh;
    PF_TRY(pf_statetab_intern(&s->places, &p, sizeof p, &id, &fresh));
    if (fresh) {
        PF_TRY(new_node(s, id, node));
        return PF_PUSH(&s->node, *node);
    }
    *node = s->node.at[id];
    return PF_OK;
}

/* The least that the rest costs behind an arc to the state. */
static pf_err rest(search *s, pf_state state, pf_label in, double *cost) {
    pfi_bound *b = &s->all->bound;
    *cost = 0;
    if (!b->known) return PF_OK;
    while (s->left.n <= state) PF_TRY(PF_PUSH(&s->left, PFI_NONE));
    if (s->left.at[state] == PFI_NONE) {
        s->left.at[state] = (uint32_t)s->lefts.row.n;
        PF_TRY(pfi_left_of(b, state, &s->lefts));
    }
    *cost = pfi_left_rest(b, &s->lefts, s->left.at[state], in);
    return PF_OK;
}

static pf_err enqueue(search *s, uint32_t node, double total) {
    entry e = {total, node};
    if (s->entries.n == UINT32_MAX) return pf_fail(PF_ELIMIT, "more than %u arcs in a search", UINT32_MAX);
    s->open.at[node] = true;
    PF_TRY(PF_PUSH(&s->entries, e));
    return pf_heap_push(&s->queue, (uint32_t)s->entries.n - 1);
}

static bool same(const pfi_edge *a, const pfi_edge *b) {
    return a->from == b->from && a->in == b->in && a->out == b->out && a->w == b->w;
}

/* A step that wins opens its node; so does one that stands already, as what leads to it has changed. */
static pf_err offer(search *s, uint32_t to, const pfi_step *step, double left) {
    bool stands = same(&s->graph.best.at[to], &step->edge), won;
    PF_TRY(pfi_graph_offer(&s->graph, to, step, &won));
    return won || stands ? enqueue(s, to, step->cost + left) : PF_OK;
}

static pf_err follow(search *s, uint32_t node, uint32_t row, const pf_arc *a) {
    const pfi_rows *rows = &s->all->rows;
    double own = pf_scaled(rows->parts.own, (double)a->w);
    const pfi_cell *cell = &rows->cells.at[(size_t)row * rows->width + pfi_rows_column(&s->all->rows, a->out)];
    float w = (float)(own + cell->w);
    double cost = s->graph.cost.at[node] + (double)w, left;
    uint32_t to;
    s->arcs++;
    if (own == (double)INFINITY || cell->w == (double)INFINITY) return PF_OK;
    if (!pfi_rows_fit(rows, own)) return pf_cost_too_large(own);
    PF_TRY(rest(s, a->to, a->in, &left));
    if (cost + left > s->limit) return PF_OK;
    PF_TRY(node_of(s, a->to, cell->to, &to));
    return offer(s, to, &(pfi_step){cost, {node, a->in, a->out, w}}, left);
}

static pf_err finish(search *s, uint32_t node, uint32_t row, float final) {
    double own = pf_scaled(s->all->rows.parts.own, (double)final);
    float w = (float)(own + s->all->rows.final.at[row]);
    double cost = s->graph.cost.at[node] + (double)w;
    bool won;
    if (own == (double)INFINITY || s->all->rows.final.at[row] == (double)INFINITY) return PF_OK;
    if (!pfi_rows_fit(&s->all->rows, own)) return pf_cost_too_large(own);
    PF_TRY(pfi_graph_offer(&s->graph, s->end, &(pfi_step){cost, {node, PF_EPSILON, PF_EPSILON, w}}, &won));
    double most = s->graph.cost.at[s->end] + pfi_levels_slack(s->all, s->graph.cost.at[s->end]);
    if (most < s->limit) s->limit = most;
    return PF_OK;
}

static pf_err expand(search *s, uint32_t node) {
    size_t length;
    place p;
    memcpy(&p, pf_statetab_key(&s->places, s->place.at[node], &length), sizeof p);
    pf_fst *fst = s->all->automaton;
    pf_arcs a = pf_fst_arcs(fst, p.state);
    float final = pf_fst_final(fst, p.state);
    PF_TRY(pf_fst_error(fst));
    PF_TRY(pfi_rows_fill(&s->all->rows, p.row));
    s->open.at[node] = false;
    s->expanded++;
    for (uint32_t i = 0; i < a.n; i++) PF_TRY(follow(s, node, p.row, &a.arc[i]));
    return final == INFINITY ? PF_OK : finish(s, node, p.row, final);
}

static pf_err check_limits(const search *s) {
    PF_TRY(pfi_check_states(s->all->options, s->graph.best.n));
    return s->expanded % 1024 ? PF_OK : pfi_look(s->all->options, s->graph.best.n);
}

static pf_err set_up(search *s, const pfi_pass *pass) {
    uint32_t root;
    pf_statetab_init(&s->places, sizeof(place));
    s->graph.osyms = s->all->automaton->osyms;
    s->queue.before = earlier;
    s->queue.self = s;
    s->limit = pass->limit;
    PF_TRY(node_of(s, s->all->automaton->start, 0, &root));
    s->graph.cost.at[root] = 0;
    PF_TRY(new_node(s, UINT32_MAX, &s->end));
    return enqueue(s, root, -(double)INFINITY);
}

static pf_err run(search *s) {
    while (s->queue.n && s->entries.at[s->queue.at[0]].total <= s->limit) {
        PF_TRY(check_limits(s));
        uint32_t node = s->entries.at[pf_heap_pop(&s->queue)].node;
        if (s->open.at[node]) PF_TRY(expand(s, node));
    }
    return PF_OK;
}

/* With a limit met: nothing costs less than the first in the queue, and the best end met so far is an answer. */
static void set_bound(const search *s, pf_err err, pf_answer *out) {
    double best = s->graph.cost.at[s->end];
    out->bound = best;
    if (!err || !s->queue.n) return;
    double total = s->entries.at[s->queue.at[0]].total;
    total -= pfi_levels_slack(s->all, total);
    if (total < best) out->bound = total;
}

pf_err pfi_astar(pfi_levels *all, const pfi_pass *pass, pf_answer *out) {
    search s = {.all = all};
    pf_err err = set_up(&s, pass);
    if (!err) err = run(&s);
    out->states += s.graph.best.n;
    out->arcs += s.arcs;
    if (!err || pfi_is_limit(err)) {
        pf_err found = pfi_graph_answer(&s.graph, s.end, all->options, out);
        set_bound(&s, err, out);
        err = found ? found : err;
    }
    search_free(&s);
    return err;
}
