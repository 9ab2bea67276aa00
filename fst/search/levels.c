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
    uint32_t source;
    uint32_t next;   /* link into the same block; PFI_NONE */
    uint32_t column; /* of the rows: that of its output */
    pf_label in, out;
    float weight;
    float rest; /* the least cost of all that comes after it, where the completion is known */
} level_link;

/* An alternative of a slot, where a table has the moves. */
typedef struct {
    level_link link; /* over it, where moves cost nothing, but for its source and what comes after it */
    double least;    /* that the models say of it after any history, with its own cost where moves cost nothing */
} level_word;

/* Where a history is recombined: the hypothesis that has it in the block being filled. */
typedef struct {
    uint32_t block; /* the number of the block that this was written for; another one: the history is new */
    uint32_t hypothesis;
    double potential; /* what comes after the history costs so much more than completions say; 0 where it is not known */
} history_slot;

typedef struct level_search level_search;

struct level_search {
    pfi_levels *all;
    pf_fst *fst; /* the automaton */
    const pf_best_options *options;
    const pfi_pass *pass;
    pfi_graph graph;
    pfi_rows *rows;
    pfi_bound *bound;
    const pfi_completion *completion;
    pfi_level levels[2], *now, *next;
    PF_VEC(level_link) links;     /* as the arcs come; each block of the next level has a list of its own */
    PF_VEC(uint32_t) before;      /* where routes are known, of each hypothesis in `now`: its last position; at the start, 0 */
    PF_VEC(level_word) words;     /* of each alternative of the slots */
    PF_VEC(uint32_t) block_of;    /* of each state from `first_state` on: its block in `next`, while arcs are collected */
    pf_state first_state;
    PF_VEC(history_slot) slots;   /* of each history */
    uint32_t blocks;                  /* filled so far */
    unsigned level;                   /* of the hypotheses in `now`: how many positions they have covered */
    uint32_t end;                     /* node; PFI_NONE until a path has ended */
    double end_cost;
    uint64_t arcs;
    uint64_t steps;                   /* of all levels */
    pfi_claims claims;
    pf_err (*extend)(level_search *search, pfi_block *to); /* over all arcs into a block */
};

/* ---- hypotheses ---- */

/* A new hypothesis at the end of the next level, which has room for it, as the graph has: one of this level, extended by a link. */
static uint32_t add(level_search *search, const pfi_hypothesis *from, const level_link *link, float weight, uint32_t history,
    double rest) {
    const uint32_t hypothesis = (uint32_t)search->next->hypotheses.n++;
    const double cost = from->cost + (double)weight;
    const uint32_t node = pfi_graph_take(&search->graph, (pfi_edge){from->node, link->in, link->out, weight}, cost);
    search->next->hypotheses.at[hypothesis] = (pfi_hypothesis){cost, cost + rest, node, history};
    return hypothesis;
}

/* Another path to a node that is there. */
static pf_err improve(level_search *search, double *cost, uint32_t node, const pfi_extension *path) {
    pfi_edge *best = &search->graph.best.at[node], loser = path->edge;
    if (path->cost < *cost || (path->cost == *cost && pfi_edge_before(&search->graph, &path->edge, best))) {
        loser = *best;
        *best = path->edge;
        *cost = path->cost;
        if (search->graph.keep_all) search->graph.cost.at[node] = path->cost;
    }
    return search->graph.keep_all ? pfi_graph_keep(&search->graph, node, &loser) : PF_OK;
}

/* The least cost of all that comes after an arc of this input, from any position, when uncovered positions have these prices, and
 * these critical ones are open. */
static double least_route(const level_search *search, pf_label in, unsigned open, double prices) {
    return prices + (double)pfi_routes_least(&search->bound->routes, open, search->level + 1, (unsigned)in - 1);
}

/* The costs of routes after a link into a block, by the position before it, where routes are known. */
static const float *routes_after(const level_search *search, const level_link *link, const pfi_block *to) {
    return pfi_routes_after(&search->bound->routes, to->open, search->level + 1, (unsigned)link->in - 1);
}

/* What bounds the rest of a path. */
typedef enum { BY_COMPLETIONS, BY_ROUTES, BY_RESTS } rest_source;

static rest_source source_of_rests(const level_search *search) {
    return search->completion->moves ? BY_COMPLETIONS : search->bound->routes.known ? BY_ROUTES : BY_RESTS;
}

/* The least cost of all that comes after a link into a block. With routes, what it is after the best position before the link's. */
static inline double rest_cost(const level_search *search, const level_link *link, const pfi_block *to, rest_source by) {
    if (by == BY_COMPLETIONS) return (double)link->rest;
    if (by == BY_ROUTES) return least_route(search, link->in, to->open, to->prices);
    return search->bound->known ? pfi_rest_cost(search->bound, &search->next->rests, to->rest, link->in) : 0;
}

/* Extends all hypotheses of one block over one arc into the block `to`, the last of the next level so far, which has room for them:
 * the innermost loop of the search. Most extensions lose, so they are dropped on the cost alone. Whether edges that lose are kept,
 * and what bounds the rest, is constant where it is inlined. */
static inline __attribute__((always_inline)) pf_err extend(level_search *search, const level_link *link, pfi_block *to,
    bool keep_all, rest_source by) {
    const pfi_block *from = &search->now->blocks.at[link->source];
    const pfi_hypothesis *const first = &search->now->hypotheses.at[from->first], *const end = first + from->hypotheses;
    const uint32_t *before = by == BY_ROUTES ? &search->before.at[from->first] : NULL;
    const pfi_cell *column = &search->rows->cells.at[link->column];
    const size_t *place = search->rows->place.at;
    const double own = pf_scaled(search->rows->parts.own, (double)link->weight);
    const uint32_t here = to->number;
    const float *routes = by == BY_ROUTES ? routes_after(search, link, to) : NULL;
    double rest = rest_cost(search, link, to, by);
    const double within = search->pass->limit - rest, limit = within < DBL_MAX ? within : DBL_MAX; /* so that no edge is infinite */
    history_slot *slots = search->slots.at;
    pfi_hypothesis *made = search->next->hypotheses.at;
    double least = to->least_cost;
    if (by != BY_COMPLETIONS && search->bound->known) { /* a table of moves gives only links within the limit */
        if (from->least_cost + own + search->bound->column_least[link->column] > limit) return PF_OK;
    }
    search->arcs += from->hypotheses;
    if (!pfi_rows_fit(search->rows, own)) return pf_cost_too_large(own);
    for (const pfi_hypothesis *hypothesis = first; hypothesis < end; hypothesis++) {
        const pfi_cell *cell = &column[place[hypothesis->history]];
        const float weight = (float)(own + cell->cost);
        const double cost = hypothesis->cost + (double)weight;
        history_slot *at = &slots[cell->to];
        const double charged = cost + at->potential;
        if (charged > limit) continue;
        if (by == BY_ROUTES) {
            rest = to->prices + (double)routes[before[hypothesis - first]];
            if (cost + rest > search->pass->limit) continue;
        }
        if (at->block != here) {
            at->block = here;
            at->hypothesis = add(search, hypothesis, link, weight, cell->to, rest + at->potential);
        } else {
            pfi_hypothesis *there = &made[at->hypothesis];
            if (cost > there->cost && !keep_all) continue;
            const pfi_extension path = {cost, {hypothesis->node, link->in, link->out, weight}};
            PF_TRY(improve(search, &there->cost, there->node, &path));
            if (charged + rest < there->total) there->total = charged + rest;
        }
        least = charged < least ? charged : least;
    }
    to->least_cost = least;
    return PF_OK;
}

static inline __attribute__((always_inline)) pf_err extend_all(level_search *search, pfi_block *to, bool keep_all,
    rest_source by) {
    assert(keep_all == search->graph.keep_all && by == source_of_rests(search));
    for (uint32_t i = to->first_link; i != PFI_NONE; i = search->links.at[i].next)
        PF_TRY(extend(search, &search->links.at[i], to, keep_all, by));
    return PF_OK;
}

static pf_err extend_by_completions(level_search *search, pfi_block *to) {
    return extend_all(search, to, false, BY_COMPLETIONS);
}

static pf_err keep_by_completions(level_search *search, pfi_block *to) { return extend_all(search, to, true, BY_COMPLETIONS); }
static pf_err extend_by_rests(level_search *search, pfi_block *to) { return extend_all(search, to, false, BY_RESTS); }
static pf_err keep_by_rests(level_search *search, pfi_block *to) { return extend_all(search, to, true, BY_RESTS); }

static pf_err extend_by_routes(level_search *search, pfi_block *to) {
    return extend_all(search, to, search->graph.keep_all, BY_ROUTES);
}

/* ---- limits ---- */

/* What the pass takes, and the machine. */
static uint64_t bytes(const level_search *search) {
    return pf_fst_bytes(search->fst) + pfi_rows_bytes(search->rows) + pfi_graph_bytes(&search->graph) +
           pfi_routes_bytes(&search->bound->routes) + pfi_level_bytes(search->now) + pfi_level_bytes(search->next) +
           search->links.n * sizeof *search->links.at + search->before.n * sizeof *search->before.at +
           search->slots.n * sizeof *search->slots.at + search->block_of.n * sizeof *search->block_of.at;
}

enum { STEPS_A_LOOK = 64 };

/* At step 0, and at few of the steps after it, all limits are looked at. */
static pf_err look_at_limits(const level_search *search, uint64_t step) {
    if (search->pass->unlimited) {
        if (step % 1024 == 0) pfi_tell_progress(search->options, search->graph.best.n);
        return PF_OK;
    }
    PF_TRY(pfi_check_states(search->options, search->graph.best.n));
    if (step % STEPS_A_LOOK == 0) PF_TRY(pfi_check_bytes(search->options, bytes(search)));
    return pfi_check_time_at(step, search->options, search->graph.best.n);
}

/* A step of the pass: a block, or many rows. */
static inline pf_err check_limits(level_search *search) {
    const uint64_t step = search->steps++;
    return step % STEPS_A_LOOK && !search->options->max_states ? PF_OK : look_at_limits(search, step);
}

/* ---- the arcs of a level ---- */

/* Room for links from one block to so many states. */
static inline pf_err make_room(level_search *search, size_t links, size_t states) {
    if (links >= PFI_NONE - search->links.n) return pf_fail(PF_ELIMIT, "the search has met more than %u arcs of a level", PFI_NONE);
    PF_TRY(PF_ROOM(&search->links, links));
    return PF_ROOM(&search->next->blocks, states);
}

/* Room in block_of for a state. */
static pf_err know_state(level_search *search, pf_state state) {
    size_t had = search->block_of.n;
    const size_t count = state - search->first_state + (size_t)1;
    if (count <= had) return PF_OK;
    PF_TRY(PF_ROOM(&search->block_of, count - had));
    for (search->block_of.n = count; count > had; had++) search->block_of.at[had] = PFI_NONE;
    return PF_OK;
}

/* A link at the end of the list of the block that it leads to, which is made where there is none. There is room. The caller writes
 * the link. */
static inline level_link *add_link(level_search *search, pf_state to, uint32_t hypotheses) {
    uint32_t *target = &search->block_of.at[to - search->first_state];
    const uint32_t last = (uint32_t)search->links.n++;
    pfi_level *next = search->next;
    assert(to >= search->first_state && to - search->first_state < search->block_of.n);
    if (*target == PFI_NONE) {
        *target = (uint32_t)next->blocks.n++;
        next->blocks.at[*target] = (pfi_block){.state = to, .first_link = last};
    } else search->links.at[next->blocks.at[*target].last_link].next = last;
    pfi_block *block = &next->blocks.at[*target];
    PFI_CHECK(*target < next->blocks.n && block->state == to); /* no arc leads into an earlier level */
    block->last_link = last;
    block->arrivals += hypotheses;
    return &search->links.at[last];
}

/* The least cost of a path over an arc of a block, as routes say. */
static double least_over(const level_search *search, uint32_t source, const pf_arc *arc, uint32_t column) {
    const pfi_block *block = &search->now->blocks.at[source];
    const double own = pf_scaled(search->rows->parts.own, (double)arc->w);
    const double least = block->least_cost + own + search->bound->column_least[column];
    const pfi_routes *routes = &search->bound->routes;
    const unsigned position = (unsigned)arc->in - 1;
    return least + least_route(search, arc->in, pfi_routes_visit(routes, block->open, position),
                               block->prices - (double)routes->price[position]);
}

static pf_err collect_arcs(level_search *search, uint32_t source) {
    pf_arcs arcs = pf_fst_arcs(search->fst, search->now->blocks.at[source].state);
    pfi_twins *twins = &search->all->twins;
    const uint32_t hypotheses = search->now->blocks.at[source].hypotheses;
    PF_TRY(pf_fst_error(search->fst));
    PF_TRY(make_room(search, arcs.n, arcs.n));
    if (twins->left) pfi_twins_look(twins, search->fst, search->now->blocks.at[source].state);
    for (uint32_t i = 0; i < arcs.n; i++) {
        const pf_arc *arc = &arcs.arc[i];
        if (twins->left && pfi_twins_wait(twins, (unsigned)arc->in - 1)) continue;
        level_link link = {source, PFI_NONE, pfi_rows_column(search->rows, arc->out), arc->in, arc->out, arc->w, 0};
        if (search->bound->routes.known && least_over(search, source, arc, link.column) > search->pass->limit) continue;
        PF_TRY(know_state(search, arc->to));
        *add_link(search, arc->to, hypotheses) = link;
    }
    return PF_OK;
}

/* The weight of an arc: of a move that costs something itself, and an alternative. */
static float move_weight(const pf_slots_view *slots, double cost, uint32_t alternative) {
    return (float)(cost + (double)slots->arc[alternative].w);
}

static double own_cost(const level_search *search, double cost, uint32_t alternative) {
    return pf_scaled(search->rows->parts.own, (double)move_weight(&search->all->slots, cost, alternative));
}

static pf_err list_words(level_search *search) {
    const pf_slots_view *slots = &search->all->slots;
    PF_TRY(PF_ROOM(&search->words, slots->first[slots->n]));
    for (uint32_t position = 0; position < slots->n; position++)
        for (uint32_t k = slots->first[position]; k < slots->first[position + 1]; k++) {
            const pf_arc *arc = &slots->arc[k];
            const pf_label in = slots->positions ? (pf_label)(position + 1) : arc->in;
            const uint32_t column = pfi_rows_column(search->rows, arc->out);
            const double own = search->completion->moves->cost ? 0 : own_cost(search, 0, k);
            assert(search->bound->column_least[column] > -(double)INFINITY);
            search->words.at[search->words.n++] = (level_word){{0, PFI_NONE, column, in, arc->out, move_weight(slots, 0, k), 0},
                                                               search->bound->column_least[column] + own};
        }
    return PF_OK;
}

/* The same of the table of moves. Moves after which nothing can end within the limit are passed over. */
static pf_err collect_moves(level_search *search, uint32_t source) {
    const pfi_completion *completion = search->completion;
    const pf_moves *moves = completion->moves;
    const pf_slots_view *slots = &search->all->slots;
    const pfi_block *block = &search->now->blocks.at[source];
    const uint32_t first = moves->first[block->state], end = moves->first[block->state + 1], hypotheses = block->hypotheses;
    const double within = fmin(search->pass->limit, DBL_MAX) - block->least_cost, *const costs = moves->cost;
    const pfi_twins *twins = &search->all->twins;
    const level_word *const words = search->words.at;
    const uint32_t *const word_of = slots->first;
    PF_TRY(make_room(search, search->words.n, end - first));
    for (uint32_t i = first; i < end; i++) {
        const unsigned position = moves->position[i];
        const uint32_t begin = word_of[position], last = word_of[position + 1];
        if (twins->left && pfi_twins_delay(twins, moves, first, i)) continue;
        for (uint32_t k = begin; k < last; k++) {
            const float rest = pfi_completion_after(completion, i, k - begin);
            const double own = costs ? own_cost(search, costs[i], k) : 0;
            if (own + words[k].least + (double)rest > within) continue; /* also where nothing can end: the rest is INFINITY */
            level_link *link = add_link(search, moves->to[i], hypotheses);
            *link = words[k].link;
            link->source = source;
            link->rest = rest;
            if (costs) link->weight = move_weight(slots, costs[i], k);
        }
    }
    return PF_OK;
}

/* The table of moves and the completion may be larger than a cache. So what blocks after block `i` will look up there is fetched
 * while that one is worked on: first their moves, then what comes after these. A small completion is still there since it was
 * made. */
static void fetch_ahead(const level_search *search, size_t i) {
    enum { MOVES_AHEAD = 12, COSTS_AHEAD = 6, SMALL = 1 << 16 };
    const pfi_level *now = search->now;
    const pf_moves *moves = search->completion->moves;
    const float *cost = search->completion->cost;
    if (i + MOVES_AHEAD < now->blocks.n) {
        const uint32_t first = moves->first[now->blocks.at[i + MOVES_AHEAD].state];
        __builtin_prefetch(&moves->position[first]);
        __builtin_prefetch(&moves->to[first]);
        if (cost) __builtin_prefetch(&moves->arrivals.of[first]);
    }
    if (!cost || moves->arrivals.count <= SMALL || i + COSTS_AHEAD >= now->blocks.n) return;
    const uint32_t *first = &moves->first[now->blocks.at[i + COSTS_AHEAD].state];
    for (uint32_t move = first[0]; move < first[1]; move++) __builtin_prefetch(&cost[moves->arrivals.of[move]]);
}

/* The arcs of the level, and a block for each state that they lead to. */
static pf_err collect_links(level_search *search) {
    const pf_moves *moves = search->completion->moves;
    search->next->blocks.n = search->links.n = 0;
    if (moves) {
        const uint32_t *level = &moves->level[search->level + 1]; /* of the last one, there are no arcs */
        search->first_state = level[0];
        if (search->level < moves->n && level[1] > level[0]) PF_TRY(know_state(search, level[1] - 1));
    }
    for (size_t i = 0; i < search->now->blocks.n; i++) {
        PF_TRY(check_limits(search));
        if (moves) fetch_ahead(search, i);
        PF_TRY((moves ? collect_moves : collect_arcs)(search, (uint32_t)i));
    }
    for (size_t i = 0; i < search->next->blocks.n; i++)
        search->block_of.at[search->next->blocks.at[i].state - search->first_state] = PFI_NONE;
    return PF_OK;
}

/* ---- one level ---- */

static pf_err finish_path(level_search *search, const pfi_hypothesis *hypothesis, float final) {
    double own = pf_scaled(search->rows->parts.own, (double)final);
    float w = (float)(own + search->rows->final.at[hypothesis->history]);
    if (!pfi_rows_fit(search->rows, own)) return pf_cost_too_large(own);
    pfi_extension path = {hypothesis->cost + (double)w, {hypothesis->node, PF_EPSILON, PF_EPSILON, w}};
    if (path.cost == (double)INFINITY) return PF_OK;
    if (search->end != PFI_NONE) return improve(search, &search->end_cost, search->end, &path);
    PF_TRY(pfi_graph_node(&search->graph, &search->end));
    search->graph.best.at[search->end] = path.edge;
    if (search->graph.keep_all) search->graph.cost.at[search->end] = path.cost;
    search->end_cost = path.cost;
    return PF_OK;
}

/* Final weights of the level, as edges to the end. */
static float final_weight(level_search *search, pf_state state) {
    const pf_moves *moves = search->completion->moves;
    if (!moves) return pf_fst_final(search->fst, state);
    return state + 1 == moves->states ? search->all->slots.final : INFINITY;
}

static pf_err finish_paths(level_search *search) {
    for (size_t i = 0; i < search->now->blocks.n; i++) {
        const pfi_block *block = &search->now->blocks.at[i];
        float final = final_weight(search, block->state);
        for (size_t hypothesis = block->first; final != INFINITY && hypothesis < block->first + block->hypotheses; hypothesis++)
            PF_TRY(finish_path(search, &search->now->hypotheses.at[hypothesis], final));
    }
    return PF_OK;
}

/* The rest cost of a block, from that of the block that its first arc comes from. */
static pf_err add_rest(level_search *search, pfi_block *block, const level_link *first) {
    if (!search->bound->known || search->completion->moves) return PF_OK;
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

static pf_err fill_block(level_search *search, pfi_block *block) {
    block->number = ++search->blocks;
    block->first = (uint32_t)search->next->hypotheses.n;
    block->least_cost = (double)INFINITY;
    PF_TRY(add_rest(search, block, &search->links.at[block->first_link]));
    PF_TRY(pfi_graph_room(&search->graph, block->arrivals));
    PF_TRY(PF_ROOM(&search->next->hypotheses, block->arrivals));
    PF_TRY(search->extend(search, block));
    block->hypotheses = (uint32_t)search->next->hypotheses.n - block->first;
    return PF_OK;
}

static pf_err fill_blocks(level_search *search) {
    search->next->hypotheses.n = 0;
    pfi_rests_clear(&search->next->rests);
    for (size_t i = 0; i < search->next->blocks.n; i++) {
        PF_TRY(fill_block(search, &search->next->blocks.at[i]));
        PF_TRY(check_limits(search));
    }
    return PF_OK;
}

/* A slot for every row there is. */
static pf_err add_slots(level_search *search) {
    const pfi_bound *bound = search->bound;
    const size_t had = search->slots.n, rows = search->rows->final.n;
    assert(!bound->potential || bound->rows == rows); /* all rows are known before the search */
    if (had < rows) PF_TRY(PF_ROOM(&search->slots, rows - had));
    for (size_t row = had; row < rows; row++)
        search->slots.at[row] = (history_slot){0, 0, bound->potential ? bound->potential[row] : 0};
    search->slots.n = rows;
    return PF_OK;
}

/* Rows for the level's histories. */
static pf_err fill_rows(level_search *search) {
    for (size_t i = 0; i < search->now->hypotheses.n; i++) {
        PF_TRY(pfi_rows_fill(search->rows, search->now->hypotheses.at[i].history));
        if (i % 64 == 0) PF_TRY(check_limits(search));
    }
    return add_slots(search);
}

/* The last positions of the level's hypotheses, for routes. */
static pf_err list_before(level_search *search) {
    if (!search->bound->routes.known) return PF_OK;
    const size_t count = search->now->hypotheses.n;
    search->before.n = 0;
    PF_TRY(PF_ROOM(&search->before, count));
    for (size_t i = 0; i < count; i++) {
        const pf_label in = search->graph.best.at[search->now->hypotheses.at[i].node].in;
        search->before.at[i] = search->level ? (uint32_t)in - 1 : 0;
    }
    search->before.n = count;
    return PF_OK;
}

static pf_err claim_totals(level_search *search) {
    for (size_t i = 0; i < search->now->hypotheses.n; i++)
        PF_TRY(pfi_claim(&search->claims, search->now->hypotheses.at[i].node, search->now->hypotheses.at[i].total));
    return PF_OK;
}

/* ---- what is proven ---- */

/* A path that the graph of the pass does not have goes over something that was not extended (`frontier`, and what was dropped), so
 * it costs at least the least total of these. Totals are lower bounds only where the bound is admissible. */
static double proven(const pfi_levels *all, double frontier) {
    for (size_t i = 0; i < all->dropped.n; i++)
        if (all->dropped.at[i] < frontier) frontier = all->dropped.at[i];
    if (frontier == (double)INFINITY) return frontier;
    return all->bound.admissible ? frontier - pfi_levels_slack(all, frontier) : -(double)INFINITY;
}

/* The level that is `now`, whose hypotheses are pruned; of what was dropped, all from `noted` on was dropped at this level. */
static pf_err note_level(level_search *search, unsigned level, size_t noted) {
    pfi_levels *all = search->all;
    pf_level_work work = {all->passes, level, search->now->blocks.n, search->now->hypotheses.n, all->dropped.n - noted, 0};
    if (!search->options->profile) return PF_OK;
    work.bound = proven(all, pfi_level_least_total(search->now));
    return PF_PUSH(&all->profile, work);
}

/* ---- all levels ---- */

/* Room for as much as most levels of a narrow beam have, so that arrays do not grow by a few elements at a time. */
static pf_err begin_with_room(level_search *search) {
    enum { ROOM = 256, NODES = 2048 };
    for (size_t i = 0; i < 2; i++) {
        PF_TRY(PF_ROOM(&search->levels[i].blocks, ROOM));
        PF_TRY(PF_ROOM(&search->levels[i].hypotheses, ROOM));
    }
    PF_TRY(PF_ROOM(&search->links, ROOM));
    PF_TRY(PF_ROOM(&search->slots, search->rows->final.n));
    if (search->completion->moves) PF_TRY(PF_ROOM(&search->block_of, pf_moves_widest(search->completion->moves)));
    return pfi_graph_room(&search->graph, NODES);
}

static pf_err start(level_search *search) {
    pfi_block block = {.state = search->completion->moves ? 0 : search->fst->start, .number = ++search->blocks, .hypotheses = 1};
    pfi_hypothesis root = {0, search->bound->admissible ? 0 : -(double)INFINITY, PFI_START_NODE, 0};
    search->now = &search->levels[0];
    search->next = &search->levels[1];
    search->graph.speech = pfi_speech_of(search->fst->osyms, search->options->units);
    search->graph.same_length = true;
    search->graph.keep_all = search->options->n > 1 || search->pass->lattice;
    const rest_source by = source_of_rests(search);
    if (by == BY_ROUTES) search->extend = extend_by_routes;
    else if (by == BY_RESTS) search->extend = search->graph.keep_all ? keep_by_rests : extend_by_rests;
    else search->extend = search->graph.keep_all ? keep_by_completions : extend_by_completions;
    PF_TRY(pfi_graph_start(&search->graph));
    PF_TRY(begin_with_room(search));
    block.prices = search->bound->routes.prices;
    block.open = search->bound->routes.sets - 1;
    PF_TRY(PF_PUSH(&search->now->blocks, block));
    if (search->completion->moves) PF_TRY(list_words(search));
    if (search->bound->routes.known) root.total = search->bound->routes.start;
    else if (search->completion->moves) root.total = search->completion->start;
    else if (search->bound->known) {
        PF_TRY(pfi_rest_of_state(search->bound, block.state, &search->now->rests));
        root.total = pfi_rest_cost(search->bound, &search->now->rests, block.rest, PF_EPSILON);
    }
    return PF_PUSH(&search->now->hypotheses, root);
}

static pf_err run(level_search *search) {
    size_t noted = 0;
    search->all->passes++;
    PF_TRY(start(search));
    for (; search->now->blocks.n; search->level++) {
        PF_TRY(note_level(search, search->level, noted));
        PF_TRY(look_at_limits(search, 0));
        noted = search->all->dropped.n;
        PFI_CHECK(pfi_level_in_order(search->now));
        PF_TRY(claim_totals(search));
        PF_TRY(fill_rows(search));
        PF_TRY(list_before(search));
        PF_TRY(finish_paths(search));
        PF_TRY(collect_links(search));
        PF_TRY(fill_blocks(search));
        PF_TRY(pfi_level_prune(search->next, &search->graph, search->pass->beam, search->pass->threshold, &search->all->dropped));
        pfi_level *done = search->now;
        search->now = search->next;
        search->next = done;
    }
    return PF_OK;
}

static void search_free(level_search *search) {
    pfi_graph_free(&search->graph);
    for (size_t i = 0; i < 2; i++) pfi_level_free(&search->levels[i]);
    PF_VEC_FREE(&search->links);
    PF_VEC_FREE(&search->before);
    PF_VEC_FREE(&search->words);
    PF_VEC_FREE(&search->block_of);
    PF_VEC_FREE(&search->slots);
    pfi_claims_free(&search->claims);
}

double pfi_levels_slack(const pfi_levels *all, double cost) {
    const pfi_rows *rows = &all->rows;
    const unsigned n = all->bound.length;
    double size = rows->least < 0 ? fmax(rows->most, -rows->least) * (n + 1) : 0; /* terms of both signs */
    return 1e-6 * (fmax(fabs(cost), size) + n + 1);
}

static pf_err answer(const level_search *search, pf_answer *out) {
    if (search->end == PFI_NONE) return PF_OK;
    PFI_CHECK(!search->bound->admissible ||
              pfi_claims_hold(&search->claims, &search->graph, search->end,
                              search->end_cost + pfi_levels_slack(search->all, search->end_cost)));
    if (search->pass->lattice)
        PF_TRY(pfi_graph_lattice(&search->graph, search->end, search->options->threshold, search->fst->type, &out->lattice));
    return pfi_graph_answer(&search->graph, search->end, search->options, out);
}

pf_err pfi_levels_pass(pfi_levels *all, const pfi_pass *pass, pf_answer *out) {
    level_search search = {.all = all, .fst = all->automaton, .options = all->options, .pass = pass, .rows = &all->rows,
                           .bound = &all->bound, .completion = &all->completion, .end = PFI_NONE};
    double frontier = (double)INFINITY;
    assert(search.fst->layered && search.options->n && (pass->limit == (double)INFINITY || all->bound.admissible));
    all->dropped.n = 0;
    pf_err err = run(&search);
    out->states += search.graph.best.n;
    out->arcs += search.arcs;
    if (err) { /* perhaps while it started */
        frontier = search.now->hypotheses.n ? pfi_level_least_total(search.now) : -(double)INFINITY;
        out->bound = fmin(proven(all, frontier), search.end == PFI_NONE ? (double)INFINITY : search.end_cost);
    } else {
        out->bound = proven(all, frontier);
        err = answer(&search, out);
        if (err) out->bound = -(double)INFINITY; /* paths that were found may be missing */
    }
    const bool within = out->paths.n && out->paths.at[0].cost <= pass->limit;
    if (pass->guessed && !within) out->bound = -(double)INFINITY;
    search_free(&search);
    return err;
}
