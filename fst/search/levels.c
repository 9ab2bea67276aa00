/* Best paths of a layered machine, level by level (dynamic programming over coverage and history).
 *
 * A hypothesis is (state of the automaton, state of the model). The automaton's states of one level are taken together:
 * for each state of the next level the arcs into it are gathered, and every hypothesis behind each arc is relaxed in one
 * loop. With the rows of the model (rows.h) a relaxation is one cell, one addition and one comparison; with the bound of
 * what is left (left.h) most hypotheses are never made where the cost of some path is known. In memory are two levels of
 * hypotheses, 16 bytes of back-pointer for each one there was, the rows, and the expanded automaton. */
#include "search/levels.h"

#include "search/graph.h"
#include "search/lattice.h"
#include "search/left.h"

#include <string.h>

typedef struct {
    double cost;
    double total;  /* with the least that the rest costs */
    uint32_t node; /* in the graph */
    uint32_t row;  /* the model's state */
} hypothesis;

typedef struct {
    pf_state state;  /* of the automaton */
    size_t first, n; /* its hypotheses */
    size_t left;     /* its row of what is left */
    double least;    /* cost of a hypothesis in it */
} block;

typedef struct {
    PF_VEC(block) blocks;
    PF_VEC(hypothesis) hyps;
    pfi_lefts lefts;
} level;

typedef struct {
    uint32_t target; /* block of the next level */
    uint32_t source; /* block of this one */
    const pf_arc *arc;
} link;

typedef struct {
    uint32_t block; /* the slot speaks of this one, counted over all levels */
    uint32_t hyp;
} slot;

typedef struct {
    pfi_levels *all;
    pf_fst *fst; /* the automaton */
    const pf_best_options *options;
    const pfi_pass *pass;
    pfi_graph graph;
    pfi_rows *rows;
    pfi_bound *bound;
    level levels[2], *now, *next;
    PF_VEC(link) links, sorted;
    PF_VEC(uint32_t) place; /* of each automaton state: its block in the level it belongs to */
    PF_VEC(slot) slots;     /* of each row: its hypothesis in the block being filled */
    uint32_t block;         /* blocks filled so far */
    uint32_t end;           /* node; PFI_NONE until a path has ended */
    double end_cost;
    uint64_t arcs;
} search;

/* ---- hypotheses ---- */

/* A new hypothesis at the end of the next level, reached by the step. */
static pf_err add(search *s, uint32_t row, const pfi_step *step, double rest, uint32_t *hyp) {
    hypothesis h = {step->cost, step->cost + rest, 0, row};
    PF_TRY(pfi_graph_node(&s->graph, &h.node));
    s->graph.best.at[h.node] = step->edge;
    if (s->graph.keep_all) s->graph.cost.at[h.node] = step->cost;
    *hyp = (uint32_t)s->next->hyps.n;
    return PF_PUSH(&s->next->hyps, h);
}

/* Another way to a hypothesis that is there. */
static pf_err improve(search *s, double *cost, uint32_t node, const pfi_step *step) {
    pfi_edge *best = &s->graph.best.at[node], loser = step->edge;
    if (step->cost < *cost || (step->cost == *cost && pfi_edge_before(&s->graph, &step->edge, best))) {
        loser = *best;
        *best = step->edge;
        *cost = step->cost;
        if (s->graph.keep_all) s->graph.cost.at[node] = step->cost;
    }
    return s->graph.keep_all ? pfi_graph_keep(&s->graph, node, &loser) : PF_OK;
}

/* All hypotheses of one block over one arc: the innermost loop of the search. Most relaxations lose, so they are dropped
 * on the cost alone. */
static pf_err relax(search *s, const link *l) {
    const block *from = &s->now->blocks.at[l->source];
    const hypothesis *h = &s->now->hyps.at[from->first], *end = h + from->n;
    const uint32_t c = pfi_rows_column(s->rows, l->arc->out);
    const pfi_cell *column = &s->rows->cells.at[c];
    const size_t width = s->rows->width;
    const double arc_w = pf_scaled(s->rows->parts.own, (double)l->arc->w);
    const uint32_t here = s->block;
    const bool keep_all = s->graph.keep_all;
    const double rest = s->bound->known ? pfi_left_rest(s->bound, &s->next->lefts, s->next->lefts.row.n - 1, l->arc->in) : 0;
    const double within = s->pass->limit - rest, limit = within < DBL_MAX ? within : DBL_MAX; /* so that no edge is infinite */
    slot *slots = s->slots.at;
    if (s->bound->known && from->least + arc_w + s->bound->least[c] > limit) return PF_OK;
    s->arcs += from->n;
    if (!pfi_rows_fit(s->rows, arc_w)) return pf_cost_too_large(arc_w);
    for (; h < end; h++) {
        const pfi_cell *cell = &column[h->row * width];
        const float w = (float)(arc_w + cell->w);
        const double cost = h->cost + (double)w;
        if (cost > limit) continue;
        slot *at = &slots[cell->to];
        hypothesis *there = at->block == here ? &s->next->hyps.at[at->hyp] : NULL;
        if (there && cost > there->cost && !keep_all) continue;
        pfi_step step = {cost, {h->node, l->arc->in, l->arc->out, w}};
        if (there) {
            PF_TRY(improve(s, &there->cost, there->node, &step));
            if (cost + rest < there->total) there->total = cost + rest;
        } else {
            at->block = here;
            PF_TRY(add(s, cell->to, &step, rest, &at->hyp));
        }
    }
    return PF_OK;
}

/* ---- one level ---- */

static pf_err check_limit(const search *s) {
    return s->pass->endless ? PF_OK : pfi_check_states(s->options, s->graph.best.n);
}

/* Asked once a level, and often within large ones. */
static pf_err check_time(const search *s) {
    const pf_best_options *o = s->options;
    if (!s->pass->endless) return pfi_look(o, s->graph.best.n);
    if (o->progress) o->progress(o->self, s->graph.best.n);
    return PF_OK;
}

static pf_err finish_path(search *s, const hypothesis *h, float final) {
    double own = pf_scaled(s->rows->parts.own, (double)final);
    float w = (float)(own + s->rows->final.at[h->row]);
    if (!pfi_rows_fit(s->rows, own)) return pf_cost_too_large(own);
    pfi_step step = {h->cost + (double)w, {h->node, PF_EPSILON, PF_EPSILON, w}};
    if (step.cost == (double)INFINITY) return PF_OK;
    if (s->end != PFI_NONE) return improve(s, &s->end_cost, s->end, &step);
    PF_TRY(pfi_graph_node(&s->graph, &s->end));
    s->graph.best.at[s->end] = step.edge;
    if (s->graph.keep_all) s->graph.cost.at[s->end] = step.cost;
    s->end_cost = step.cost;
    return PF_OK;
}

/* Final weights of the level, as edges to the end. */
static pf_err finish_paths(search *s) {
    for (size_t i = 0; i < s->now->blocks.n; i++) {
        const block *b = &s->now->blocks.at[i];
        float final = pf_fst_final(s->fst, b->state);
        for (size_t h = b->first; final != INFINITY && h < b->first + b->n; h++)
            PF_TRY(finish_path(s, &s->now->hyps.at[h], final));
    }
    return PF_OK;
}

/* The block of a state in the next level. */
static pf_err block_of(search *s, pf_state state, uint32_t *place) {
    while (s->place.n <= state) PF_TRY(PF_PUSH(&s->place, PFI_NONE));
    if (s->place.at[state] == PFI_NONE) {
        block b = {state, 0, 0, 0, (double)INFINITY};
        s->place.at[state] = (uint32_t)s->next->blocks.n;
        PF_TRY(PF_PUSH(&s->next->blocks, b));
    }
    *place = s->place.at[state];
    return PF_OK;
}

/* The arcs of the level, and a block for each state they lead to, whose `first` counts them. */
static pf_err collect_links(search *s) {
    s->next->blocks.n = s->links.n = 0;
    for (size_t i = 0; i < s->now->blocks.n; i++) {
        pf_arcs a = pf_fst_arcs(s->fst, s->now->blocks.at[i].state);
        PF_TRY(pf_fst_error(s->fst));
        PF_TRY(PF_ROOM(&s->links, a.n));
        for (uint32_t k = 0; k < a.n; k++) {
            link l = {0, (uint32_t)i, &a.arc[k]};
            PF_TRY(block_of(s, a.arc[k].to, &l.target));
            s->next->blocks.at[l.target].first++;
            s->links.at[s->links.n++] = l;
        }
    }
    return PF_OK;
}

/* Counting sort by target: afterwards the links of block i end at its `first`, those before it where the last one's do. */
static pf_err sort_links(search *s) {
    size_t sum = 0;
    s->sorted.n = 0;
    PF_TRY(PF_ROOM(&s->sorted, s->links.n));
    for (size_t i = 0; i < s->next->blocks.n; i++) {
        size_t count = s->next->blocks.at[i].first;
        s->next->blocks.at[i].first = sum;
        sum += count;
    }
    for (size_t i = 0; i < s->links.n; i++)
        s->sorted.at[s->next->blocks.at[s->links.at[i].target].first++] = s->links.at[i];
    s->sorted.n = s->links.n;
    return PF_OK;
}

/* What a block leaves, from what is left where its first arc comes from. */
static pf_err add_left(search *s, block *b, const link *first) {
    if (!s->bound->known) return PF_OK;
    b->left = s->next->lefts.row.n;
    if (!s->bound->positions) return pfi_left_of(s->bound, b->state, &s->next->lefts);
    size_t from = s->now->blocks.at[first->source].left;
    return pfi_left_after(s->bound, &s->now->lefts, from, (unsigned)first->arc->in - 1, &s->next->lefts);
}

static double least_cost(const level *l, const block *b) {
    double least = (double)INFINITY;
    for (size_t i = b->first; i < b->first + b->n; i++)
        if (l->hyps.at[i].cost < least) least = l->hyps.at[i].cost;
    return least;
}

static pf_err relax_links(search *s) {
    size_t at = 0;
    s->next->hyps.n = s->next->lefts.row.n = s->next->lefts.least.n = 0;
    for (size_t i = 0; i < s->next->blocks.n; i++) {
        block *b = &s->next->blocks.at[i];
        size_t links_end = b->first;
        b->first = s->next->hyps.n;
        s->block++;
        PF_TRY(add_left(s, b, &s->sorted.at[at]));
        for (; at < links_end; at++) PF_TRY(relax(s, &s->sorted.at[at]));
        b->n = s->next->hyps.n - b->first;
        b->least = least_cost(s->next, b);
        PF_TRY(check_limit(s));
        if (i % 1024 == 0) PF_TRY(check_time(s));
    }
    return PF_OK;
}

/* Rows for the level's hypotheses, and a slot for every row there is. */
static pf_err fill_rows(search *s) {
    slot none = {0, 0};
    for (size_t i = 0; i < s->now->hyps.n; i++) PF_TRY(pfi_rows_fill(s->rows, s->now->hyps.at[i].row));
    while (s->slots.n < s->rows->final.n) PF_TRY(PF_PUSH(&s->slots, none));
    return PF_OK;
}

/* ---- the beam ---- */

static bool better(const pfi_graph *g, const hypothesis *a, const hypothesis *b) {
    if (a->total != b->total || a->node == b->node) return a->total < b->total;
    return pfi_edge_before(g, &g->best.at[a->node], &g->best.at[b->node]);
}

static void swap(hypothesis *a, hypothesis *b) {
    hypothesis t = *a;
    *a = *b;
    *b = t;
}

/* Quickselect: the k-th best of n, with the better ones before it. 1 <= k <= n. */
static hypothesis select_kth(const pfi_graph *g, hypothesis *h, size_t n, size_t k) {
    for (;;) {
        size_t lower = 0;
        swap(&h[0], &h[n / 2]);
        for (size_t i = 1; i < n; i++)
            if (better(g, &h[i], &h[0])) swap(&h[++lower], &h[i]);
        swap(&h[0], &h[lower]);
        if (lower + 1 == k) return h[lower];
        if (lower >= k) n = lower;
        else {
            h += lower + 1;
            n -= lower + 1;
            k -= lower + 1;
        }
    }
}

/* The worst hypothesis of the next level that the beam keeps; of infinite total if it keeps all. */
static pf_err worst_kept(const search *s, hypothesis *worst) {
    size_t n = s->next->hyps.n, beam = s->pass->beam;
    *worst = (hypothesis){.total = (double)INFINITY};
    if (!beam || n <= beam) return PF_OK;
    PF_VEC(hypothesis) all = {0};
    PF_TRY(PF_ROOM(&all, n));
    memcpy(all.at, s->next->hyps.at, n * sizeof *all.at);
    *worst = select_kth(&s->graph, all.at, n, beam);
    PF_VEC_FREE(&all);
    return PF_OK;
}

/* The largest total that the threshold keeps. */
static double threshold(const search *s) {
    double least = (double)INFINITY;
    if (s->pass->threshold == (double)INFINITY) return least;
    for (size_t i = 0; i < s->next->hyps.n; i++)
        if (s->next->hyps.at[i].total < least) least = s->next->hyps.at[i].total;
    return least + s->pass->threshold;
}

/* Keeps the best hypotheses of the next level, in their blocks and in order. */
static pf_err prune(search *s) {
    hypothesis worst;
    const double most = threshold(s);
    size_t kept = 0;
    PF_TRY(worst_kept(s, &worst));
    if (worst.total == (double)INFINITY && most == (double)INFINITY) return PF_OK;
    for (size_t i = 0; i < s->next->blocks.n; i++) {
        block *b = &s->next->blocks.at[i];
        size_t first = kept, end = b->first + b->n;
        for (size_t at = b->first; at < end; at++) {
            const hypothesis *h = &s->next->hyps.at[at];
            bool drop = h->total > most || (worst.total < (double)INFINITY && better(&s->graph, &worst, h));
            if (!drop) s->next->hyps.at[kept++] = *h;
            else PF_TRY(PF_PUSH(&s->all->dropped, h->total));
        }
        b->first = first;
        b->n = kept - first;
    }
    s->next->hyps.n = kept;
    return PF_OK;
}

/* Blocks without hypotheses are not gone on from. */
static void drop_empty(level *l) {
    size_t kept = 0;
    for (size_t i = 0; i < l->blocks.n; i++)
        if (l->blocks.at[i].n) l->blocks.at[kept++] = l->blocks.at[i];
    l->blocks.n = kept;
}

/* ---- all levels ---- */

static pf_err start(search *s) {
    block first = {s->fst->start, 0, 1, 0, 0};
    hypothesis root = {0, s->bound->nonnegative && s->rows->least >= 0 ? 0 : -(double)INFINITY, PFI_ROOT, 0};
    s->now = &s->levels[0];
    s->next = &s->levels[1];
    s->graph.osyms = s->fst->osyms;
    s->graph.level = true;
    s->graph.keep_all = s->options->n > 1 || s->pass->lattice;
    PF_TRY(pfi_graph_root(&s->graph));
    PF_TRY(PF_PUSH(&s->now->blocks, first));
    if (s->bound->known) PF_TRY(pfi_left_of(s->bound, first.state, &s->now->lefts));
    return PF_PUSH(&s->now->hyps, root);
}

static pf_err run(search *s) {
    PF_TRY(start(s));
    while (s->now->blocks.n) {
        PF_TRY(fill_rows(s));
        PF_TRY(finish_paths(s));
        PF_TRY(collect_links(s));
        PF_TRY(sort_links(s));
        PF_TRY(relax_links(s));
        PF_TRY(prune(s));
        drop_empty(s->next);
        level *done = s->now;
        s->now = s->next;
        s->next = done;
    }
    return PF_OK;
}

static void search_free(search *s) {
    pfi_graph_free(&s->graph);
    for (size_t i = 0; i < 2; i++) {
        PF_VEC_FREE(&s->levels[i].blocks);
        PF_VEC_FREE(&s->levels[i].hyps);
        pfi_lefts_free(&s->levels[i].lefts);
    }
    PF_VEC_FREE(&s->links);
    PF_VEC_FREE(&s->sorted);
    PF_VEC_FREE(&s->place);
    PF_VEC_FREE(&s->slots);
}

static double least_total(const level *l, double least) {
    for (size_t i = 0; i < l->hyps.n; i++)
        if (l->hyps.at[i].total < least) least = l->hyps.at[i].total;
    return least;
}

/* No path costs less than the best one that ended and the least total of what was not gone on from. Totals are lower bounds
 * only where costs are not negative. */
static double proven(const pfi_levels *all, double open, double best) {
    for (size_t i = 0; i < all->dropped.n; i++)
        if (all->dropped.at[i] < open) open = all->dropped.at[i];
    if (open == (double)INFINITY) return best;
    if (!all->bound.nonnegative) return -(double)INFINITY;
    open -= pfi_levels_slack(all, open);
    return open < best ? open : best;
}

double pfi_levels_slack(const pfi_levels *all, double cost) {
    const pfi_rows *r = &all->rows;
    double size = r->least < 0 ? fmax(r->most, -r->least) * (all->bound.n + 1) : 0; /* terms of both signs */
    return 1e-6 * (fmax(fabs(cost), size) + all->bound.n + 1);
}

static pf_err answer(const search *s, pf_answer *out) {
    if (s->end == PFI_NONE) return PF_OK;
    if (s->pass->lattice) PF_TRY(pfi_lattice(&s->graph, s->end, s->options->threshold, s->fst->type, &out->lattice));
    return pfi_graph_answer(&s->graph, s->end, s->options, out);
}

pf_err pfi_levels_pass(pfi_levels *all, const pfi_pass *pass, pf_answer *out) {
    search s = {.all = all, .fst = all->automaton, .options = all->options, .pass = pass, .rows = &all->rows, .bound = &all->bound,
                .end = PFI_NONE};
    double open = (double)INFINITY;
    all->dropped.n = 0;
    pf_err err = run(&s);
    out->states += s.graph.best.n;
    out->arcs += s.arcs;
    if (err) open = least_total(s.now, open);
    else err = answer(&s, out);
    if (!err || pfi_is_limit(err))
        out->bound = proven(all, open, s.end == PFI_NONE ? (double)INFINITY : s.end_cost);
    search_free(&s);
    return err;
}

pf_err pfi_levels_init(pfi_levels *all, pf_fst *fst, const pf_best_options *options) {
    *all = (pfi_levels){.options = options};
    PF_TRY(pfi_rows_init(&all->rows, fst));
    all->automaton = all->rows.parts.fst;
    return pfi_bound_init(&all->bound, &all->rows, all->automaton);
}

void pfi_levels_free(pfi_levels *all) {
    PF_VEC_FREE(&all->dropped);
    pfi_bound_free(&all->bound);
    pfi_rows_free(&all->rows);
}
