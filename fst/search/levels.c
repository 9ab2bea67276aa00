/* Best paths of a layered machine, level by level: dynamic programming over coverage and history (Held & Karp 1962; for word
 * reordering Tillmann & Ney 2003).
 *
 * A hypothesis is (state of the automaton, history of the models). Hypotheses that meet in a state with one history are
 * recombined: the cheapest stands for all. With a bound of what comes after them (completion.h, routes.h, rest.h), most hypotheses
 * are never made where the cost of some path is known. level_moves.c and level_links.c make the next level.
 *
 * Memory: two levels of hypotheses, 16 bytes of back-pointer for each hypothesis there was, the rows, and the expanded
 * automaton. */
#include "search/levels.h"

#include "base/contract.h"
#include "search/lattice.h"
#include "search/levels_impl.h"
#include "search/limits.h"

pf_err pfi_search_improve(pfi_level_search *search, double *cost, uint32_t node, const pfi_extension *path) {
    pfi_edge *best = &search->graph.best.at[node], loser = path->edge;
    if (path->cost < *cost || (path->cost == *cost && pfi_edge_before(&search->graph, &path->edge, best))) {
        loser = *best;
        *best = path->edge;
        *cost = path->cost;
        if (search->graph.keep_all) search->graph.cost.at[node] = path->cost;
    }
    return search->graph.keep_all ? pfi_graph_keep(&search->graph, node, &loser) : PF_OK;
}

/* ---- limits ---- */

/* What the pass takes, and the machine. */
static uint64_t bytes(const pfi_level_search *search) {
    return pf_fst_bytes(search->fst) + pfi_rows_bytes(search->rows) + pfi_graph_bytes(&search->graph) +
           pfi_routes_bytes(&search->bound->routes) + pfi_completion_bytes(search->completion) +
           pfi_level_bytes(search->now) + pfi_level_bytes(search->next) + search->way->bytes(search);
}

pf_err pfi_search_look(const pfi_level_search *search, uint64_t step) {
    if (search->pass->unlimited) {
        if (step % 1024 == 0) pfi_tell_progress(search->options, search->graph.best.n);
        return PF_OK;
    }
    PF_TRY(pfi_check_states(search->options, search->graph.best.n));
    if (step % PFI_STEPS_A_LOOK == 0) PF_TRY(pfi_check_bytes(search->options, bytes(search)));
    return pfi_check_time_at(step, search->options, search->graph.best.n);
}

/* ---- one level ---- */

static pf_err finish_path(pfi_level_search *search, const pfi_hypothesis *hypothesis, float final) {
    double own = pf_scaled(search->rows->parts.own, (double)final);
    double end;
    PF_TRY(pfi_rows_end(search->rows, hypothesis->history, &end));
    float w = (float)(own + end);
    if (!pfi_rows_fit(search->rows, own)) return pf_cost_too_large(own);
    pfi_extension path = {hypothesis->cost + (double)w, {hypothesis->node, PF_EPSILON, PF_EPSILON, w}};
    if (path.cost == (double)INFINITY) return PF_OK;
    if (search->end != PFI_NONE) return pfi_search_improve(search, &search->end_cost, search->end, &path);
    PF_TRY(pfi_graph_node(&search->graph, &search->end));
    search->graph.best.at[search->end] = path.edge;
    if (search->graph.keep_all) search->graph.cost.at[search->end] = path.cost;
    search->end_cost = path.cost;
    return PF_OK;
}

static pf_err finish_some(pfi_level_search *search, size_t first, size_t count, float final) {
    for (size_t i = first; final != INFINITY && i < first + count; i++)
        PF_TRY(finish_path(search, &search->now->hypotheses.at[i], final));
    return PF_OK;
}

/* Final weights of the level, as edges to the end. Of a table of moves, the last level has one state, and it alone is final. */
static pf_err finish_paths(pfi_level_search *search) {
    const pfi_level *now = search->now;
    const pf_moves *moves = search->completion->moves;
    if (moves) return search->level == moves->n ? finish_some(search, 0, now->hypotheses.n, search->all->slots.final) : PF_OK;
    for (size_t i = 0; i < now->blocks.n; i++) {
        const pfi_block *block = &now->blocks.at[i];
        PF_TRY(finish_some(search, block->first, block->hypotheses, pf_fst_final(search->fst, block->state)));
    }
    return PF_OK;
}

/* Rows for the level's histories. Where completions know units, models are asked for few words of a row, one by one. */
static pf_err fill_rows(pfi_level_search *search) {
    if (search->completion->units) return PF_OK;
    for (size_t i = 0; i < search->now->hypotheses.n; i++) {
        PF_TRY(pfi_rows_fill(search->rows, search->now->hypotheses.at[i].history));
        if (i % 64 == 0) PF_TRY(pfi_search_step(search));
    }
    return PF_OK;
}

static pf_err claim_totals(pfi_level_search *search) {
    for (size_t i = 0; i < search->now->hypotheses.n; i++)
        PF_TRY(pfi_claim(&search->claims, search->now->hypotheses.at[i].node, search->now->hypotheses.at[i].total));
    return PF_OK;
}

/* ---- what is proven ---- */

/* A path that the graph of the pass does not have goes over something that was not extended (`frontier`, and what was dropped), so
 * it costs at least the least total of these, and no less than any path. Totals are lower bounds only where the bound is
 * admissible. */
static double proven(const pfi_levels *all, double frontier) {
    for (size_t i = 0; i < all->dropped.n; i++)
        if (all->dropped.at[i] < frontier) frontier = all->dropped.at[i];
    if (frontier == (double)INFINITY) return frontier;
    const double least = all->completion.moves ? fmin(all->completion.start, pfi_levels_reach(all)) : (double)INFINITY;
    if (least < (double)INFINITY) frontier = fmax(frontier, least);
    return all->bound.admissible ? frontier - pfi_levels_slack(all, frontier) : -(double)INFINITY;
}

/* The level that is `now`, whose hypotheses are pruned; of what was dropped, all from `noted` on was dropped at this level. */
static pf_err note_level(pfi_level_search *search, unsigned level, size_t noted) {
    pfi_levels *all = search->all;
    pf_level_work work = {all->passes, level, 0, search->now->hypotheses.n, all->dropped.n - noted, 0};
    if (!search->options->profile) return PF_OK;
    PF_TRY(pfi_level_states(search->now, &work.states));
    work.bound = proven(all, pfi_level_least_total(search->now));
    return PF_PUSH(&all->profile, work);
}

/* ---- all levels ---- */

/* Room for as much as most levels of a narrow beam have, so that arrays do not grow by a few elements at a time. */
static pf_err begin_with_room(pfi_level_search *search) {
    enum { ROOM = 256, NODES = 2048 };
    for (size_t i = 0; i < 2; i++) PF_TRY(PF_ROOM(&search->levels[i].hypotheses, ROOM));
    return pfi_graph_room(&search->graph, NODES);
}

static pf_err start(pfi_level_search *search) {
    pfi_hypothesis root = {.node = PFI_START_NODE};
    search->now = &search->levels[0];
    search->next = &search->levels[1];
    search->graph.speech = pfi_speech_of(search->fst->osyms, search->options->units);
    search->graph.same_length = true;
    search->graph.keep_all = search->options->n > 1 || search->pass->lattice;
    PF_TRY(pfi_graph_start(&search->graph));
    PF_TRY(begin_with_room(search));
    PF_TRY(search->way->start(search, &root.total));
    root.unit = search->bound->length;
    return PF_PUSH(&search->now->hypotheses, root);
}

static pf_err run(pfi_level_search *search) {
    size_t noted = 0;
    search->all->passes++;
    PF_TRY(start(search));
    for (; search->now->hypotheses.n; search->level++) {
        PF_TRY(note_level(search, search->level, noted));
        PF_TRY(pfi_search_look(search, 0));
        noted = search->all->dropped.n;
        PFI_CHECK(pfi_level_in_order(search->now));
        PF_TRY(claim_totals(search));
        PF_TRY(fill_rows(search));
        PF_TRY(finish_paths(search));
        PF_TRY(search->way->extend(search));
        PF_TRY(pfi_level_prune(search->next, &search->graph, search->pass->beam, search->pass->threshold, &search->all->dropped));
        pfi_level *done = search->now;
        search->now = search->next;
        search->next = done;
    }
    return PF_OK;
}

static void search_free(pfi_level_search *search) {
    pfi_graph_free(&search->graph);
    for (size_t i = 0; i < 2; i++) pfi_level_free(&search->levels[i]);
    search->way->free(search);
    pfi_claims_free(&search->claims);
}

double pfi_levels_slack(const pfi_levels *all, double cost) {
    const pfi_rows *rows = &all->rows;
    const unsigned n = all->bound.length;
    double size = rows->least < 0 ? fmax(rows->most, -rows->least) * (n + 1) : 0; /* terms of both signs */
    return 1e-6 * (fmax(fabs(cost), size) + n + 1);
}

static pf_err answer(const pfi_level_search *search, pf_answer *out) {
    if (search->end == PFI_NONE) return PF_OK;
    PFI_CHECK(!search->bound->admissible ||
              pfi_claims_hold(&search->claims, &search->graph, search->end,
                              search->end_cost + pfi_levels_slack(search->all, search->end_cost)));
    if (search->pass->lattice)
        PF_TRY(pfi_graph_lattice(&search->graph, search->end, search->options->threshold, search->fst->type, &out->lattice));
    return pfi_graph_answer(&search->graph, search->end, search->options, out);
}

/* Paths that cost more than the pass looks for, or than completions reach, may be missing. */
static void take_reach(const pfi_levels *all, const pfi_pass *pass, pf_answer *out) {
    const double reach = fmin(pass->limit, pfi_levels_reach(all));
    const bool within = out->paths.n && out->paths.at[0].cost <= reach;
    if (!within && out->bound > reach) out->bound = reach - pfi_levels_slack(all, reach);
}

pf_err pfi_levels_pass(pfi_levels *all, const pfi_pass *pass, pf_answer *out) {
    pfi_level_search search = {.all = all, .fst = all->automaton, .options = all->options, .pass = pass, .rows = &all->rows,
                           .bound = &all->bound, .completion = &all->completion, .end = PFI_NONE,
                               .way = all->completion.moves ? &pfi_by_moves : &pfi_by_links};
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
    take_reach(all, pass, out);
    search_free(&search);
    return err;
}
