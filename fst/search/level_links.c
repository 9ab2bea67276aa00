/* The next level by links: for each state of it the arcs into it are gathered, and every hypothesis before each arc is extended in
 * one loop. With the rows of the models (rows.h) an extension is one cell, one addition and one comparison. The rest of a path is
 * bounded by routes (routes.h), by rest costs (rest.h), or by nothing.
 *
 * Time: a few instructions for each (arc, hypothesis before it). */
#include "search/levels_impl.h"

#include "base/contract.h"

#include <float.h>
#include <stdlib.h>

/* An arc from a block of this level to a block of the next one. */
typedef struct {
    uint32_t source;
    uint32_t next;   /* link into the same block; PFI_NONE */
    uint32_t column; /* of the rows: that of its output */
    pf_label in, out;
    float weight;
} level_link;

/* Where a history is recombined: the hypothesis that has it in the block being filled. */
typedef struct {
    uint32_t block; /* the number of the block that this was written for; another one: the history is new */
    uint32_t hypothesis;
} history_slot;

typedef struct {
    PF_VEC(level_link) links;     /* as the arcs come; each block of the next level has a list of its own */
    PF_VEC(uint32_t) before;      /* where routes are known, of each hypothesis in `now`: its last position; at the start, 0 */
    PF_VEC(uint32_t) block_of;    /* of each state: its block in `next`, while arcs are collected */
    PF_VEC(history_slot) slots;   /* of each history */
    uint32_t blocks;              /* filled so far */
    pf_err (*extend)(pfi_level_search *search, pfi_block *to); /* over all arcs into a block */
} link_tables;

static link_tables *tables_of(const pfi_level_search *search) { return search->tables; }

/* ---- hypotheses ---- */

/* A new hypothesis at the end of the next level, which has room for it, as the graph has: one of this level, extended by a link. */
static uint32_t add(pfi_level_search *search, const pfi_hypothesis *from, const level_link *link, float weight, uint32_t history,
    pf_state state, double rest) {
    const uint32_t hypothesis = (uint32_t)search->next->hypotheses.n++;
    const double cost = from->cost + (double)weight;
    const uint32_t node = pfi_graph_take(&search->graph, (pfi_edge){from->node, link->in, link->out, weight}, cost);
    search->next->hypotheses.at[hypothesis] = (pfi_hypothesis){cost, cost + rest, node, history, state, 0};
    return hypothesis;
}

/* The least cost of all that comes after an arc of this input, from any position, when uncovered positions have these prices, and
 * these critical ones are open. */
static double least_route(const pfi_level_search *search, pf_label in, unsigned open, double prices) {
    return prices + (double)pfi_routes_least(&search->bound->routes, open, search->level + 1, (unsigned)in - 1);
}

/* The costs of routes after a link into a block, by the position before it, where routes are known. */
static const float *routes_after(const pfi_level_search *search, const level_link *link, const pfi_block *to) {
    return pfi_routes_after(&search->bound->routes, to->open, search->level + 1, (unsigned)link->in - 1);
}

/* What bounds the rest of a path. */
typedef enum { BY_ROUTES, BY_RESTS } rest_source;

static rest_source source_of_rests(const pfi_level_search *search) { return search->bound->routes.known ? BY_ROUTES : BY_RESTS; }

/* The least cost of all that comes after a link into a block. With routes, what it is after the best position before the link's. */
static inline double rest_cost(const pfi_level_search *search, const level_link *link, const pfi_block *to, rest_source by) {
    if (by == BY_ROUTES) return least_route(search, link->in, to->open, to->prices);
    return search->bound->known ? pfi_rest_cost(search->bound, &search->next->rests, to->rest, link->in) : 0;
}

/* Extends all hypotheses of one block over one arc into the block `to`, the last of the next level so far, which has room for them:
 * the innermost loop of the search. Most extensions lose, so they are dropped on the cost alone. Whether edges that lose are kept,
 * and what bounds the rest, is constant where it is inlined. */
static inline __attribute__((always_inline)) pf_err extend(pfi_level_search *search, const level_link *link, pfi_block *to,
    bool keep_all, rest_source by) {
    const link_tables *tables = tables_of(search);
    const pfi_block *from = &search->now->blocks.at[link->source];
    const pfi_hypothesis *const first = &search->now->hypotheses.at[from->first], *const end = first + from->hypotheses;
    const uint32_t *before = by == BY_ROUTES ? &tables->before.at[from->first] : NULL;
    pfi_cell *const *cells = search->rows->cells.at;
    const uint32_t column = link->column;
    const double own = pf_scaled(search->rows->parts.own, (double)link->weight);
    const uint32_t here = to->number;
    const float *routes = by == BY_ROUTES ? routes_after(search, link, to) : NULL;
    double rest = rest_cost(search, link, to, by);
    const double within = search->pass->limit - rest, limit = within < DBL_MAX ? within : DBL_MAX; /* so that no edge is infinite */
    history_slot *slots = tables->slots.at;
    pfi_hypothesis *made = search->next->hypotheses.at;
    double least = to->least_cost;
    if (search->bound->known && from->least_cost + own + search->bound->column_least[link->column] > limit) return PF_OK;
    search->arcs += from->hypotheses;
    if (!pfi_rows_fit(search->rows, own)) return pf_cost_too_large(own);
    for (const pfi_hypothesis *hypothesis = first; hypothesis < end; hypothesis++) {
        const pfi_cell *cell = &cells[hypothesis->history][column];
        const float weight = (float)(own + cell->cost);
        const double cost = hypothesis->cost + (double)weight;
        if (cost > limit) continue;
        if (by == BY_ROUTES) {
            rest = to->prices + (double)routes[before[hypothesis - first]];
            if (cost + rest > search->pass->limit) continue;
        }
        history_slot *at = &slots[cell->to];
        if (at->block != here) {
            at->block = here;
            at->hypothesis = add(search, hypothesis, link, weight, cell->to, to->state, rest);
        } else {
            pfi_hypothesis *there = &made[at->hypothesis];
            if (cost > there->cost && !keep_all) continue;
            const pfi_extension path = {cost, {hypothesis->node, link->in, link->out, weight}};
            PF_TRY(pfi_search_improve(search, &there->cost, there->node, &path));
            if (cost + rest < there->total) there->total = cost + rest;
        }
        least = cost < least ? cost : least;
    }
    to->least_cost = least;
    return PF_OK;
}

static inline __attribute__((always_inline)) pf_err extend_all(pfi_level_search *search, pfi_block *to, bool keep_all,
    rest_source by) {
    const link_tables *tables = tables_of(search);
    assert(keep_all == search->graph.keep_all && by == source_of_rests(search));
    for (uint32_t i = to->first_link; i != PFI_NONE; i = tables->links.at[i].next)
        PF_TRY(extend(search, &tables->links.at[i], to, keep_all, by));
    return PF_OK;
}

static pf_err extend_by_rests(pfi_level_search *search, pfi_block *to) { return extend_all(search, to, false, BY_RESTS); }
static pf_err keep_by_rests(pfi_level_search *search, pfi_block *to) { return extend_all(search, to, true, BY_RESTS); }

static pf_err extend_by_routes(pfi_level_search *search, pfi_block *to) {
    return extend_all(search, to, search->graph.keep_all, BY_ROUTES);
}

/* ---- the arcs of a level ---- */

/* Room for links from one block to so many states. */
static pf_err make_room(const pfi_level_search *search, size_t links) {
    link_tables *tables = tables_of(search);
    if (links >= PFI_NONE - tables->links.n) return pf_fail(PF_ELIMIT, "the search has met more than %u arcs of a level", PFI_NONE);
    PF_TRY(PF_ROOM(&tables->links, links));
    return PF_ROOM(&search->next->blocks, links);
}

/* Room in block_of for a state. */
static pf_err know_state(link_tables *tables, pf_state state) {
    size_t had = tables->block_of.n;
    const size_t count = state + (size_t)1;
    if (count <= had) return PF_OK;
    PF_TRY(PF_ROOM(&tables->block_of, count - had));
    for (tables->block_of.n = count; count > had; had++) tables->block_of.at[had] = PFI_NONE;
    return PF_OK;
}

/* At the end of the list of the block that it leads to, which is made where there is none. There is room. */
static void add_link(const pfi_level_search *search, pf_state to, uint32_t hypotheses, const level_link *link) {
    link_tables *tables = tables_of(search);
    uint32_t *target = &tables->block_of.at[to];
    const uint32_t last = (uint32_t)tables->links.n++;
    pfi_level *next = search->next;
    assert(to < tables->block_of.n);
    if (*target == PFI_NONE) {
        *target = (uint32_t)next->blocks.n++;
        next->blocks.at[*target] = (pfi_block){.state = to, .first_link = last};
    } else tables->links.at[next->blocks.at[*target].last_link].next = last;
    pfi_block *block = &next->blocks.at[*target];
    PFI_CHECK(*target < next->blocks.n && block->state == to); /* no arc leads into an earlier level */
    block->last_link = last;
    block->arrivals += hypotheses;
    tables->links.at[last] = *link;
}

/* The least cost of a path over an arc of a block, as routes say. */
static double least_over(const pfi_level_search *search, uint32_t source, const pf_arc *arc, uint32_t column) {
    const pfi_block *block = &search->now->blocks.at[source];
    const double own = pf_scaled(search->rows->parts.own, (double)arc->w);
    const double least = block->least_cost + own + search->bound->column_least[column];
    const pfi_routes *routes = &search->bound->routes;
    const unsigned position = (unsigned)arc->in - 1;
    return least + least_route(search, arc->in, pfi_routes_visit(routes, block->open, position),
                               block->prices - (double)routes->price[position]);
}

static pf_err collect_arcs(const pfi_level_search *search, uint32_t source) {
    pf_arcs arcs = pf_fst_arcs(search->fst, search->now->blocks.at[source].state);
    pfi_twins *twins = &search->all->twins;
    const uint32_t hypotheses = search->now->blocks.at[source].hypotheses;
    PF_TRY(pf_fst_error(search->fst));
    PF_TRY(make_room(search, arcs.n));
    if (twins->left) pfi_twins_look(twins, search->fst, search->now->blocks.at[source].state);
    for (uint32_t i = 0; i < arcs.n; i++) {
        const pf_arc *arc = &arcs.arc[i];
        if (twins->left && pfi_twins_wait(twins, (unsigned)arc->in - 1)) continue;
        const level_link link = {source, PFI_NONE, pfi_rows_column(search->rows, arc->out), arc->in, arc->out, arc->w};
        if (search->bound->routes.known && least_over(search, source, arc, link.column) > search->pass->limit) continue;
        PF_TRY(know_state(tables_of(search), arc->to));
        add_link(search, arc->to, hypotheses, &link);
    }
    return PF_OK;
}

/* The arcs of the level, and a block for each state that they lead to. */
static pf_err collect_links(pfi_level_search *search) {
    link_tables *tables = tables_of(search);
    search->next->blocks.n = tables->links.n = 0;
    for (size_t i = 0; i < search->now->blocks.n; i++) {
        PF_TRY(pfi_search_step(search));
        PF_TRY(collect_arcs(search, (uint32_t)i));
    }
    for (size_t i = 0; i < search->next->blocks.n; i++)
        tables->block_of.at[search->next->blocks.at[i].state] = PFI_NONE;
    return PF_OK;
}

/* ---- the blocks of the next level ---- */

/* The rest cost of a block, from that of the block that its first arc comes from. */
static pf_err add_rest(pfi_level_search *search, pfi_block *block, const level_link *first) {
    if (!search->bound->known) return PF_OK;
    if (search->bound->routes.known) {
        const pfi_block *from = &search->now->blocks.at[first->source];
        block->prices = from->prices - (double)search->bound->routes.price[first->in - 1];
        block->open = pfi_routes_visit(&search->bound->routes, from->open, (unsigned)first->in - 1);
        return PF_OK;
    }
    block->rest = (uint32_t)search->next->rests.of.n;
    if (!search->bound->positions) return pfi_rest_of_state(search->bound, block->state, &search->next->rests);
    size_t from = search->now->blocks.at[first->source].rest;
    PF_TRY(pfi_rest_of_next(search->bound, &search->now->rests, from, (unsigned)first->in - 1, &search->next->rests));
    PFI_CHECK(pfi_rest_is_of(search->bound, block->state, &search->next->rests, block->rest));
    return PF_OK;
}

static pf_err fill_block(pfi_level_search *search, pfi_block *block) {
    link_tables *tables = tables_of(search);
    block->number = ++tables->blocks;
    block->first = (uint32_t)search->next->hypotheses.n;
    block->least_cost = (double)INFINITY;
    PF_TRY(add_rest(search, block, &tables->links.at[block->first_link]));
    PF_TRY(pfi_graph_room(&search->graph, block->arrivals));
    PF_TRY(PF_ROOM(&search->next->hypotheses, block->arrivals));
    PF_TRY(tables->extend(search, block));
    block->hypotheses = (uint32_t)search->next->hypotheses.n - block->first;
    return PF_OK;
}

static pf_err fill_blocks(pfi_level_search *search) {
    search->next->hypotheses.n = 0;
    pfi_rests_clear(&search->next->rests);
    for (size_t i = 0; i < search->next->blocks.n; i++) {
        PF_TRY(fill_block(search, &search->next->blocks.at[i]));
        PF_TRY(pfi_search_step(search));
    }
    return PF_OK;
}

/* A slot for every row there is. */
static pf_err add_slots(const pfi_level_search *search) {
    link_tables *tables = tables_of(search);
    const size_t had = tables->slots.n, rows = search->rows->final.n;
    if (had < rows) PF_TRY(PF_ROOM(&tables->slots, rows - had));
    for (size_t row = had; row < rows; row++) tables->slots.at[row] = (history_slot){0, 0};
    tables->slots.n = rows;
    return PF_OK;
}

/* The last positions of the level's hypotheses, for routes. */
static pf_err list_before(const pfi_level_search *search) {
    link_tables *tables = tables_of(search);
    if (!search->bound->routes.known) return PF_OK;
    const size_t count = search->now->hypotheses.n;
    tables->before.n = 0;
    PF_TRY(PF_ROOM(&tables->before, count));
    for (size_t i = 0; i < count; i++) {
        const pf_label in = search->graph.best.at[search->now->hypotheses.at[i].node].in;
        tables->before.at[i] = search->level ? (uint32_t)in - 1 : 0;
    }
    tables->before.n = count;
    return PF_OK;
}

/* ---- the way ---- */

static pf_err start_at(pfi_level_search *search, pfi_block *block, double *total) {
    const pfi_bound *bound = search->bound;
    *total = 0;
    if (bound->routes.known) {
        block->prices = bound->routes.prices;
        block->open = bound->routes.sets - 1;
        *total = bound->routes.start;
    } else if (bound->known) {
        PF_TRY(pfi_rest_of_state(search->bound, block->state, &search->now->rests));
        *total = pfi_rest_cost(bound, &search->now->rests, block->rest, PF_EPSILON);
    } else if (!bound->admissible) *total = -(double)INFINITY;
    return PF_OK;
}

static pf_err start(pfi_level_search *search, double *total) {
    link_tables *tables = search->tables = calloc(1, sizeof *tables);
    if (!tables) return pf_nomem();
    pfi_block block = {.state = search->fst->start, .number = ++tables->blocks, .hypotheses = 1};
    if (source_of_rests(search) == BY_ROUTES) tables->extend = extend_by_routes;
    else tables->extend = search->graph.keep_all ? keep_by_rests : extend_by_rests;
    PF_TRY(start_at(search, &block, total));
    return PF_PUSH(&search->now->blocks, block);
}

static pf_err extend_level(pfi_level_search *search) {
    PF_TRY(add_slots(search));
    PF_TRY(list_before(search));
    PF_TRY(collect_links(search));
    return fill_blocks(search);
}

static uint64_t bytes(const pfi_level_search *search) {
    const link_tables *tables = tables_of(search);
    return tables->links.n * sizeof *tables->links.at + tables->before.n * sizeof *tables->before.at +
           tables->slots.n * sizeof *tables->slots.at + tables->block_of.n * sizeof *tables->block_of.at;
}

static void free_tables(pfi_level_search *search) {
    link_tables *tables = tables_of(search);
    if (!tables) return;
    PF_VEC_FREE(&tables->links);
    PF_VEC_FREE(&tables->before);
    PF_VEC_FREE(&tables->block_of);
    PF_VEC_FREE(&tables->slots);
    free(tables);
}

const pfi_level_way pfi_by_links = {start, extend_level, bytes, free_tables};
