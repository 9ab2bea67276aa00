/* Best paths of a layered machine, level by level: dynamic programming over coverage and history (Held & Karp 1962; for word
 * reordering Tillmann & Ney 2003).
 *
 * A hypothesis is (state of the automaton, history of the models). The states of one level are taken together: for each state of
 * the next level the arcs into it are gathered, and every hypothesis before each arc is extended in one loop. Hypotheses that
 * meet in a state with one history are recombined: the cheapest stands for all. With the rows of the models (rows.h) an extension
 * is one cell, one addition and one comparison; with the rest costs (rest.h) most hypotheses are never made where the cost of
 * some path is known.
 *
 * Time: a few instructions for each (arc, hypothesis before it). Memory: two levels of hypotheses, 16 bytes of back-pointer for
 * each hypothesis there was, the rows, and the expanded automaton. */
#include "search/levels.h"

#include "base/contract.h"
#include "search/claims.h"
#include "search/lattice.h"
#include "search/limits.h"

/* An arc from a block of this level to a block of the next one. */
typedef struct {
    uint32_t target, source;
    const pf_arc *arc;
} level_link;

/* Where a history is recombined: the hypothesis that has it in the block being filled. */
typedef struct {
    uint32_t block; /* the number of the block that this was written for; another one: the history is new */
    uint32_t hypothesis;
} history_slot;

typedef struct {
    pfi_levels *all;
    pf_fst *fst; /* the automaton */
    const pf_best_options *options;
    const pfi_pass *pass;
    pfi_graph graph;
    pfi_rows *rows;
    pfi_bound *bound;
    pfi_level levels[2], *now, *next;
    PF_VEC(level_link) links, sorted; /* as the arcs come; by target */
    PF_VEC(size_t) cursor;            /* scratch: of each block of the next level, where its next link goes */
    PF_VEC(uint32_t) block_of;        /* of each state of the automaton: its block in the level it belongs to */
    PF_VEC(history_slot) slots;       /* of each history */
    uint32_t blocks;                  /* filled so far */
    uint32_t end;                     /* node; PFI_NONE until a path has ended */
    double end_cost;
    uint64_t arcs;
    pfi_claims claims;
} level_search;

/* ---- hypotheses ---- */

/* A new hypothesis at the end of the next level. */
static pf_err add(level_search *s, uint32_t history, const pfi_extension *path, double rest, uint32_t *hypothesis) {
    pfi_hypothesis h = {path->cost, path->cost + rest, 0, history};
    PF_TRY(pfi_graph_node(&s->graph, &h.node));
    s->graph.best.at[h.node] = path->edge;
    if (s->graph.keep_all) s->graph.cost.at[h.node] = path->cost;
    *hypothesis = (uint32_t)s->next->hypotheses.n;
    return PF_PUSH(&s->next->hypotheses, h);
}

/* Another path to a node that is there. */
static pf_err improve(level_search *s, double *cost, uint32_t node, const pfi_extension *path) {
    pfi_edge *best = &s->graph.best.at[node], loser = path->edge;
    if (path->cost < *cost || (path->cost == *cost && pfi_edge_before(&s->graph, &path->edge, best))) {
        loser = *best;
        *best = path->edge;
        *cost = path->cost;
        if (s->graph.keep_all) s->graph.cost.at[node] = path->cost;
    }
    return s->graph.keep_all ? pfi_graph_keep(&s->graph, node, &loser) : PF_OK;
}

/* Extends all hypotheses of one block over one arc into the block `to`, the last of the next level so far: the innermost loop of
 * the search. Most extensions lose, so they are dropped on the cost alone. */
static pf_err extend(level_search *s, const level_link *l, const pfi_block *to) {
    const pfi_block *from = &s->now->blocks.at[l->source];
    const pfi_hypothesis *h = &s->now->hypotheses.at[from->first], *end = h + from->hypotheses;
    const uint32_t c = pfi_rows_column(s->rows, l->arc->out);
    const pfi_cell *column = &s->rows->cells.at[c];
    const size_t width = s->rows->width;
    const double own = pf_scaled(s->rows->parts.own, (double)l->arc->w);
    const uint32_t here = to->number;
    const bool keep_all = s->graph.keep_all;
    const double rest = s->bound->known ? pfi_rest_cost(s->bound, &s->next->rests, to->rest, l->arc->in) : 0;
    const double within = s->pass->limit - rest, limit = within < DBL_MAX ? within : DBL_MAX; /* so that no edge is infinite */
    history_slot *slots = s->slots.at;
    if (s->bound->known && from->least_cost + own + s->bound->column_least[c] > limit) return PF_OK;
    s->arcs += from->hypotheses;
    if (!pfi_rows_fit(s->rows, own)) return pf_cost_too_large(own);
    for (; h < end; h++) {
        const pfi_cell *cell = &column[h->history * width];
        const float w = (float)(own + cell->cost);
        const double cost = h->cost + (double)w;
        if (cost > limit) continue;
        history_slot *at = &slots[cell->to];
        pfi_hypothesis *there = at->block == here ? &s->next->hypotheses.at[at->hypothesis] : NULL;
        if (there && cost > there->cost && !keep_all) continue;
        pfi_extension path = {cost, {h->node, l->arc->in, l->arc->out, w}};
        if (there) {
            PF_TRY(improve(s, &there->cost, there->node, &path));
            if (cost + rest < there->total) there->total = cost + rest;
        } else {
            at->block = here;
            PF_TRY(add(s, cell->to, &path, rest, &at->hypothesis));
        }
    }
    return PF_OK;
}

/* ---- the arcs of a level ---- */

/* The block of a state in the next level. */
static pf_err find_block(level_search *s, pf_state state, uint32_t *block) {
    while (s->block_of.n <= state) PF_TRY(PF_PUSH(&s->block_of, PFI_NONE));
    if (s->block_of.at[state] == PFI_NONE) {
        pfi_block fresh = {.state = state};
        s->block_of.at[state] = (uint32_t)s->next->blocks.n;
        PF_TRY(PF_PUSH(&s->next->blocks, fresh));
    }
    *block = s->block_of.at[state];
    PFI_CHECK(*block < s->next->blocks.n && s->next->blocks.at[*block].state == state); /* no arc leads into an earlier level */
    return PF_OK;
}

/* The arcs of the level, and a block for each state that they lead to. */
static pf_err collect_links(level_search *s) {
    s->next->blocks.n = s->links.n = 0;
    for (size_t i = 0; i < s->now->blocks.n; i++) {
        pf_arcs a = pf_fst_arcs(s->fst, s->now->blocks.at[i].state);
        PF_TRY(pf_fst_error(s->fst));
        PF_TRY(PF_ROOM(&s->links, a.n));
        for (uint32_t k = 0; k < a.n; k++) {
            level_link l = {0, (uint32_t)i, &a.arc[k]};
            PF_TRY(find_block(s, a.arc[k].to, &l.target));
            s->next->blocks.at[l.target].links++;
            s->links.at[s->links.n++] = l;
        }
    }
    return PF_OK;
}

/* Counting sort by target. */
static pf_err sort_links(level_search *s) {
    size_t first = 0;
    s->sorted.n = s->cursor.n = 0;
    PF_TRY(PF_ROOM(&s->sorted, s->links.n));
    PF_TRY(PF_ROOM(&s->cursor, s->next->blocks.n));
    for (size_t i = 0; i < s->next->blocks.n; i++) {
        pfi_block *block = &s->next->blocks.at[i];
        block->first_link = s->cursor.at[i] = first;
        first += block->links;
    }
    for (size_t i = 0; i < s->links.n; i++) s->sorted.at[s->cursor.at[s->links.at[i].target]++] = s->links.at[i];
    s->sorted.n = s->links.n;
    return PF_OK;
}

/* ---- one level ---- */

/* Asked for each block, and for many blocks. */
static pf_err check_limits(const level_search *s, uint64_t block) {
    if (s->pass->unlimited) {
        if (block % 1024 == 0) pfi_tell_progress(s->options, s->graph.best.n);
        return PF_OK;
    }
    PF_TRY(pfi_check_states(s->options, s->graph.best.n));
    return pfi_check_time_at(block, s->options, s->graph.best.n);
}

static pf_err finish_path(level_search *s, const pfi_hypothesis *h, float final) {
    double own = pf_scaled(s->rows->parts.own, (double)final);
    float w = (float)(own + s->rows->final.at[h->history]);
    if (!pfi_rows_fit(s->rows, own)) return pf_cost_too_large(own);
    pfi_extension path = {h->cost + (double)w, {h->node, PF_EPSILON, PF_EPSILON, w}};
    if (path.cost == (double)INFINITY) return PF_OK;
    if (s->end != PFI_NONE) return improve(s, &s->end_cost, s->end, &path);
    PF_TRY(pfi_graph_node(&s->graph, &s->end));
    s->graph.best.at[s->end] = path.edge;
    if (s->graph.keep_all) s->graph.cost.at[s->end] = path.cost;
    s->end_cost = path.cost;
    return PF_OK;
}

/* Final weights of the level, as edges to the end. */
static pf_err finish_paths(level_search *s) {
    for (size_t i = 0; i < s->now->blocks.n; i++) {
        const pfi_block *block = &s->now->blocks.at[i];
        float final = pf_fst_final(s->fst, block->state);
        for (size_t h = block->first; final != INFINITY && h < block->first + block->hypotheses; h++)
            PF_TRY(finish_path(s, &s->now->hypotheses.at[h], final));
    }
    return PF_OK;
}

/* The rest cost of a block, from that of the block that its first arc comes from. */
static pf_err add_rest(level_search *s, pfi_block *block, const level_link *first) {
    if (!s->bound->known) return PF_OK;
    block->rest = (uint32_t)s->next->rests.of.n;
    if (!s->bound->positions) return pfi_rest_of_state(s->bound, block->state, &s->next->rests);
    size_t from = s->now->blocks.at[first->source].rest;
    PF_TRY(pfi_rest_of_next(s->bound, &s->now->rests, from, (unsigned)first->arc->in - 1, &s->next->rests));
    PFI_CHECK(pfi_rest_is_of(s->bound, block->state, &s->next->rests, block->rest));
    return PF_OK;
}

static double least_cost(const pfi_level *level, const pfi_block *block) {
    double least = (double)INFINITY;
    const pfi_hypothesis *h = &level->hypotheses.at[block->first], *end = h + block->hypotheses;
    for (; h < end; h++)
        if (h->cost < least) least = h->cost;
    return least;
}

static pf_err fill_block(level_search *s, pfi_block *block) {
    const level_link *l = &s->sorted.at[block->first_link], *end = l + block->links;
    block->number = ++s->blocks;
    block->first = (uint32_t)s->next->hypotheses.n;
    PF_TRY(add_rest(s, block, l));
    for (; l < end; l++) PF_TRY(extend(s, l, block));
    block->hypotheses = (uint32_t)s->next->hypotheses.n - block->first;
    block->least_cost = least_cost(s->next, block);
    return PF_OK;
}

static pf_err fill_blocks(level_search *s) {
    s->next->hypotheses.n = 0;
    pfi_rests_clear(&s->next->rests);
    for (size_t i = 0; i < s->next->blocks.n; i++) {
        PF_TRY(fill_block(s, &s->next->blocks.at[i]));
        PF_TRY(check_limits(s, i));
    }
    return PF_OK;
}

/* Rows for the level's histories, and a slot for every row there is. */
static pf_err fill_rows(level_search *s) {
    history_slot none = {0, 0};
    for (size_t i = 0; i < s->now->hypotheses.n; i++) PF_TRY(pfi_rows_fill(s->rows, s->now->hypotheses.at[i].history));
    while (s->slots.n < s->rows->final.n) PF_TRY(PF_PUSH(&s->slots, none));
    return PF_OK;
}

static pf_err claim_totals(level_search *s) {
    for (size_t i = 0; i < s->now->hypotheses.n; i++)
        PF_TRY(pfi_claim(&s->claims, s->now->hypotheses.at[i].node, s->now->hypotheses.at[i].total));
    return PF_OK;
}

/* ---- all levels ---- */

static pf_err start(level_search *s) {
    pfi_block block = {.state = s->fst->start, .number = ++s->blocks, .hypotheses = 1};
    pfi_hypothesis root = {0, s->bound->admissible ? 0 : -(double)INFINITY, PFI_START_NODE, 0};
    s->now = &s->levels[0];
    s->next = &s->levels[1];
    s->graph.osyms = s->fst->osyms;
    s->graph.same_length = true;
    s->graph.keep_all = s->options->n > 1 || s->pass->lattice;
    PF_TRY(pfi_graph_start(&s->graph));
    PF_TRY(PF_PUSH(&s->now->blocks, block));
    if (s->bound->known) {
        PF_TRY(pfi_rest_of_state(s->bound, block.state, &s->now->rests));
        root.total = pfi_rest_cost(s->bound, &s->now->rests, block.rest, PF_EPSILON);
    }
    return PF_PUSH(&s->now->hypotheses, root);
}

static pf_err run(level_search *s) {
    PF_TRY(start(s));
    while (s->now->blocks.n) {
        PFI_CHECK(pfi_level_in_order(s->now));
        PF_TRY(claim_totals(s));
        PF_TRY(fill_rows(s));
        PF_TRY(finish_paths(s));
        PF_TRY(collect_links(s));
        PF_TRY(sort_links(s));
        PF_TRY(fill_blocks(s));
        PF_TRY(pfi_level_prune(s->next, &s->graph, s->pass->beam, s->pass->threshold, &s->all->dropped));
        pfi_level *done = s->now;
        s->now = s->next;
        s->next = done;
    }
    return PF_OK;
}

static void search_free(level_search *s) {
    pfi_graph_free(&s->graph);
    for (size_t i = 0; i < 2; i++) pfi_level_free(&s->levels[i]);
    PF_VEC_FREE(&s->links);
    PF_VEC_FREE(&s->sorted);
    PF_VEC_FREE(&s->cursor);
    PF_VEC_FREE(&s->block_of);
    PF_VEC_FREE(&s->slots);
    pfi_claims_free(&s->claims);
}

/* No path costs less than the best one that ended and the least total of what was not extended (`frontier`, and what was dropped).
 * Totals are lower bounds only where the bound is admissible. */
static double proven(const pfi_levels *all, double frontier, double best) {
    for (size_t i = 0; i < all->dropped.n; i++)
        if (all->dropped.at[i] < frontier) frontier = all->dropped.at[i];
    if (frontier == (double)INFINITY) return best;
    if (!all->bound.admissible) return -(double)INFINITY;
    frontier -= pfi_levels_slack(all, frontier);
    return frontier < best ? frontier : best;
}

double pfi_levels_slack(const pfi_levels *all, double cost) {
    const pfi_rows *rows = &all->rows;
    const unsigned n = all->bound.length;
    double size = rows->least < 0 ? fmax(rows->most, -rows->least) * (n + 1) : 0; /* terms of both signs */
    return 1e-6 * (fmax(fabs(cost), size) + n + 1);
}

static pf_err answer(const level_search *s, pf_answer *out) {
    if (s->end == PFI_NONE) return PF_OK;
    PFI_CHECK(!s->bound->admissible ||
              pfi_claims_hold(&s->claims, &s->graph, s->end, s->end_cost + pfi_levels_slack(s->all, s->end_cost)));
    if (s->pass->lattice) PF_TRY(pfi_graph_lattice(&s->graph, s->end, s->options->threshold, s->fst->type, &out->lattice));
    return pfi_graph_answer(&s->graph, s->end, s->options, out);
}

pf_err pfi_levels_pass(pfi_levels *all, const pfi_pass *pass, pf_answer *out) {
    level_search s = {.all = all, .fst = all->automaton, .options = all->options, .pass = pass, .rows = &all->rows,
                      .bound = &all->bound, .end = PFI_NONE};
    double frontier = (double)INFINITY;
    assert(s.fst->layered && s.options->n && (pass->limit == (double)INFINITY || all->bound.admissible));
    all->dropped.n = 0;
    pf_err err = run(&s);
    out->states += s.graph.best.n;
    out->arcs += s.arcs;
    if (err) frontier = s.now->hypotheses.n ? pfi_level_least_total(s.now) : -(double)INFINITY; /* it may have failed to start */
    else err = answer(&s, out);
    if (!err || pfi_is_limit(err))
        out->bound = proven(all, frontier, s.end == PFI_NONE ? (double)INFINITY : s.end_cost);
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
