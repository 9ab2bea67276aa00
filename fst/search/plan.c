/* Best paths of a layered machine: which passes over its levels.
 *
 * Exactly: scout passes with a narrow beam find paths of some cost. Each has four times the beam of the one before, as long as the
 * beam drops a crowd of hypotheses that could still be better. Then a pass that keeps everything, or A*, looks for no path that
 * costs more. Completions lead even a narrow beam to a path that costs little more than the best one, so the first scout is
 * narrower where there are some; most of all in translation, where completions know units. Where these reach only so far, the
 * first scout is wider. It may find a path that costs more: then they are made to reach further, to that path if it is near. That
 * takes longer than the scout, and the longer, the more the path costs. Where there are none for want of time or memory, the first
 * scout is wider still, as it may be the only one.
 * With a gap: the same, until the best path is proven to be within the gap of the bound; where no crowd can be told, with beams
 * that go on doubling.
 * With a beam or a threshold: one pass, and what it dropped bounds what it can have missed.
 * The best paths and the best bound of all passes count, so another pass never makes an answer worse, and a limit that is met ends
 * the search with what there is. */
#include "search/astar.h"
#include "search/better.h"
#include "base/contract.h"
#include "search/graph.h"
#include "search/lattice.h"
#include "search/levels.h"
#include "search/limits.h"

#include <math.h>

enum {
    LED_BEAM = 2, REACH_BEAM = 24, SHORT_BEAM = 4, SCOUT_BEAM = 8, WIDE_BEAM = 32, WIDER = 4,
    CROWD = 160, SMALL_CROWD = 3,
    SHORT = 16, /* positions */
    MOST_SCOUTED = 10000, MOST_BEAM = 1 << 30, STEPS = 16
};

static const double ADDITIONS_OF_AN_ARC = 512, ARCS_OF_A_DROPPED = 32;

typedef pf_err (*pass_function)(pfi_levels *all, const pfi_pass *pass, pf_answer *out);

/* For checks: does `other` have no path that `answer` says it would have? */
static bool bound_holds(const pfi_levels *all, const pf_answer *answer, const pf_answer *other) {
    for (size_t i = 0; i < other->paths.n; i++) {
        const double cost = other->paths.at[i].cost, said = i < answer->paths.n ? answer->paths.at[i].cost : (double)INFINITY;
        if (cost + pfi_levels_slack(all, cost) < fmin(said, answer->bound)) return false;
    }
    return true;
}

/* One more pass. If it meets a limit, the search ends with the paths found so far, if there are any. */
static pf_err go(pfi_levels *all, pass_function search, const pfi_pass *pass, pf_answer *out) {
    pf_answer found = {.bound = -(double)INFINITY};
    pf_err err = search(all, pass, &found);
    assert(bound_holds(all, out, &found) && bound_holds(all, &found, out));
    pfi_take_better(out, &found, all->options->units);
    out->stopped = pfi_is_limit(err) && out->paths.n;
    out->out_of_memory = out->stopped && err == PF_ENOMEM;
    return out->stopped ? PF_OK : err;
}

/* The cost of the worst of the paths wanted, and a little more: no path that costs more is looked for. */
static double limit(const pfi_levels *all, size_t count, const pf_answer *best) {
    if (!all->bound.admissible || best->paths.n < count) return (double)INFINITY;
    double cost = best->paths.at[count - 1].cost;
    return cost + pfi_levels_slack(all, cost);
}

/* At any rank of the list that was asked for, how much less can the path cost that belongs there? */
static double list_gap(const pfi_levels *all, const pf_answer *answer) {
    if (answer->bound == (double)INFINITY) return 0;
    return answer->paths.n < all->options->n ? (double)INFINITY : pf_answer_gap(answer);
}

/* A threshold of 0 grows, too: to a part of the gap that is left, if there is one. */
static void widen(const pfi_levels *all, const pf_answer *best, size_t times, pfi_pass *pass) {
    const double gap = best->paths.n ? pf_answer_gap(best) : (double)INFINITY;
    const double step = gap < (double)INFINITY ? gap / STEPS : pfi_levels_slack(all, 0);
    pass->beam = pass->beam < MOST_BEAM ? times * pass->beam : 0;
    pass->threshold = fmax((double)times * pass->threshold, step);
}

/* How many of the hypotheses dropped could still become one of the paths wanted? */
static size_t dropped_below(const pfi_levels *all, double most) {
    size_t n = 0;
    for (size_t i = 0; i < all->dropped.n; i++) n += all->dropped.at[i] <= most;
    return n;
}

static bool good_enough(const pfi_levels *all, const pf_answer *answer) {
    return answer->paths.n && list_gap(all, answer) <= all->options->gap;
}

static bool has_scouts(const pfi_levels *all) { return all->bound.known && all->options->n <= MOST_SCOUTED; }

/* Does the completion know the units, so that a narrow beam loses little? */
static bool is_led(const pfi_levels *all) { return all->completion.units && all->options->n == 1 && !all->options->widen; }

/* Is a scout with a wider beam likely to take less time than a pass that keeps as many hypotheses? The wider scout may take none
 * away; but those that a very narrow beam leaves are often many more than the best path needs. */
static bool is_crowd(const pfi_levels *all, size_t dropped, size_t beam) {
    const bool narrow = !is_led(all) && SMALL_CROWD * beam < CROWD;
    return dropped >= (narrow ? SMALL_CROWD * beam : CROWD) * beam;
}

static size_t first_beam(const pfi_levels *all) {
    const pf_best_options *options = all->options;
    const size_t narrow = all->bound.length <= SHORT ? SHORT_BEAM : SCOUT_BEAM;
    const size_t led = pfi_levels_reach(all) < (double)INFINITY ? REACH_BEAM : LED_BEAM;
    const bool known = all->completion.moves && (all->completion.units || !all->bound.units);
    const size_t least = is_led(all) ? led : known ? narrow : WIDE_BEAM;
    return options->beam ? options->beam : options->n > least ? options->n : least;
}

/* The routes of the bound often know what the best path will cost. A pass within that cost makes few hypotheses; where the guess
 * was too low, it has cost little. *right: a path costs as little. A path that costs more may be found, too: what the last words
 * make of the end is known at the end only. */
static pf_err try_guess(pfi_levels *all, const pfi_pass *scout, pf_answer *out, bool *right) {
    const pfi_routes *routes = &all->bound.routes;
    *right = false;
    if (!routes->known || all->options->n > 1 || routes->guess == (double)INFINITY || out->paths.n) return PF_OK;
    pfi_pass pass = *scout;
    pass.limit = routes->guess + pfi_levels_slack(all, routes->guess);
    pass.unlimited = true;
    pf_err err = go(all, pfi_levels_pass, &pass, out);
    *right = !err && out->paths.n && out->paths.at[0].cost <= pass.limit;
    return err;
}

/* How many arcs the next pass may visit: those of the passes so far, and what comes after the hypotheses that were dropped. */
static double next_arcs(const pf_answer *out, size_t dropped) {
    const double arcs = (double)out->arcs;
    return fmin(WIDER * arcs, arcs + ARCS_OF_A_DROPPED * (double)dropped);
}

/* Makes the routes of the bound dearer, as long as that takes no more time than the next pass may take. Where there is no room for
 * it, they stay as they are. */
static pf_err tighten(pfi_levels *all, double most, size_t dropped, const pf_answer *out) {
    pfi_routes *routes = &all->bound.routes;
    if (!routes->known || most == (double)INFINITY) return PF_OK;
    for (double left = ADDITIONS_OF_AN_ARC * next_arcs(out, dropped); left >= pfi_routes_tightening(routes);) {
        left -= pfi_routes_tightening(routes);
        const pf_err err = pfi_routes_tighten(routes, most);
        if (err) return err == PF_ENOMEM ? PF_OK : err;
    }
    return PF_OK;
}

/* INFINITY: no path has been found. */
static double found_cost(const pf_answer *out) { return out->paths.n ? out->paths.at[0].cost : (double)INFINITY; }

/* Does the path that was found cost more than completions reach? */
static bool is_beyond_reach(const pfi_levels *all, const pf_answer *out) {
    return out->paths.n && found_cost(out) > pfi_levels_reach(all);
}

/* Scout passes. *done: the last one has dropped nothing that counts, so its answer is exact; or the gap or a limit was reached. */
static pf_err scout(pfi_levels *all, pfi_pass *pass, pf_answer *out, bool *done) {
    const pf_best_options *options = all->options;
    *done = false;
    if (!has_scouts(all)) return PF_OK;
    /* A pass that keeps everything takes longer than expected where routes are known, which the next beam could make dearer. */
    const bool to_the_end = all->bound.routes.known && !options->lattice;
    pass->beam = first_beam(all);
    bool found;
    PF_TRY(try_guess(all, pass, out, &found));
    for (;; found = false, widen(all, out, WIDER, pass)) {
        pass->unlimited = !out->paths.n || (is_led(all) && pass->beam <= WIDE_BEAM);
        if (!found) PF_TRY(go(all, pfi_levels_pass, pass, out));
        if (is_beyond_reach(all, out)) return PF_OK;
        double most = limit(all, options->n, out);
        if (most < pass->limit) pass->limit = most;
        size_t dropped = dropped_below(all, pass->limit);
        *done = out->stopped || !dropped || (options->widen && good_enough(all, out));
        if (*done || (!is_crowd(all, dropped, pass->beam) && !to_the_end)) return PF_OK;
        PF_TRY(tighten(all, pass->limit, dropped, out));
    }
}

/* All passes within the reach of completions, unless scouts find a path that costs more. */
static pf_err within_reach(pfi_levels *all, pf_answer *out) {
    const pf_best_options *options = all->options;
    pfi_pass pass = {.threshold = (double)INFINITY, .limit = limit(all, options->n, out)};
    bool done;
    PF_TRY(scout(all, &pass, out, &done));
    if ((done && !options->lattice) || is_beyond_reach(all, out)) return PF_OK;
    pass.limit = fmin(pass.limit, pfi_levels_reach(all));
    pass.beam = 0;
    pass.unlimited = false;
    pass.lattice = options->lattice;
    if (options->lattice) pass.limit = limit(all, 1, out) + options->threshold;
    bool astar = options->search == PF_SEARCH_ASTAR;
    out->search = astar ? "A*" : "levels";
    PF_TRY(go(all, astar ? pfi_astar : pfi_levels_pass, &pass, out));
    if (!options->lattice || !out->stopped) return PF_OK;
    return pfi_graph_no_lattice(out->states, out->paths.at[0].cost, out->bound);
}

/* Completions further than they reach, as is known of the best path. If that meets a limit, the search ends with the paths that
 * there are. If there is none, it goes on with what is known of positions, by which scouts find one. */
static pf_err reach_further(pfi_levels *all, pf_answer *out) {
    const pf_err err = pfi_completion_widen(&all->completion, found_cost(out));
    if (!pfi_is_limit(err)) return err;
    out->stopped = out->paths.n;
    out->out_of_memory = out->stopped && err == PF_ENOMEM;
    if (!out->stopped) pfi_completion_forget_units(&all->completion);
    return PF_OK;
}

/* The first scouts are not limited, so that there is a path: if it is beyond reach, limits are looked at before the next ones. */
static bool is_at_limit(const pfi_levels *all, const pf_answer *out) {
    return out->paths.n && (pfi_check_time(all->options, out->states) || pfi_check_states(all->options, out->states));
}

static pf_err exactly(pfi_levels *all, pf_answer *out) {
    PF_TRY(within_reach(all, out));
    while (!out->stopped && pfi_levels_reach(all) < found_cost(out)) {
        out->stopped = is_at_limit(all, out);
        if (!out->stopped) PF_TRY(reach_further(all, out));
        if (!out->stopped) PF_TRY(within_reach(all, out));
    }
    return PF_OK;
}

/* A beam may lose every path, where all that it kept are dead ends: it is widened until there is one. Completions may not reach any
 * path: they are made further. */
static pf_err until_found(pfi_levels *all, pfi_pass pass, pf_answer *out) {
    for (;;) {
        PF_TRY(go(all, pfi_levels_pass, &pass, out));
        if (out->paths.n) return PF_OK;
        if (all->dropped.n) widen(all, out, WIDER, &pass);
        else if (pfi_levels_reach(all) < (double)INFINITY) PF_TRY(reach_further(all, out));
        else return PF_OK;
    }
}

static pf_err pruned(pfi_levels *all, pf_answer *out) {
    const pf_best_options *options = all->options;
    pfi_pass pass = {.beam = options->beam, .threshold = options->lattice ? (double)INFINITY : options->threshold,
                     .limit = (double)INFINITY, .lattice = options->lattice};
    return until_found(all, pass, out);
}

/* Where a limit was met before there was any path, a narrow beam finds one. */
static pf_err rescue(pfi_levels *all, pf_err limit, pf_answer *out) {
    const pfi_pass pass = {.beam = WIDE_BEAM, .threshold = (double)INFINITY, .limit = (double)INFINITY, .unlimited = true};
    pf_err err = until_found(all, pass, out);
    out->stopped = !err && out->paths.n;
    out->out_of_memory = out->stopped && (limit == PF_ENOMEM || out->out_of_memory);
    if (err != PF_ENOMEM) return err;
    return pf_fail(err, "out of memory after %llu states, before any path was found", (unsigned long long)out->states);
}

static pf_err widening(pfi_levels *all, pf_answer *out) {
    const pf_best_options *options = all->options;
    pfi_pass pass = {.beam = first_beam(all), .threshold = options->threshold, .limit = (double)INFINITY};
    if (has_scouts(all) && options->threshold == (double)INFINITY) return exactly(all, out);
    for (;; widen(all, out, 2, &pass)) {
        PF_TRY(go(all, pfi_levels_pass, &pass, out));
        if (out->stopped || good_enough(all, out) || !all->dropped.n) return PF_OK;
        pass.limit = limit(all, options->n, out);
    }
}

/* Refuses what the options ask for and the machine does not have, and what does not go together. */
static pf_err check(const pfi_levels *all) {
    const pf_best_options *options = all->options;
    if (options->lattice && options->widen)
        return pf_fail(PF_EARG, "a lattice is made in one pass, so no beam can be widened to a gap");
    if (options->search != PF_SEARCH_ASTAR) return PF_OK;
    if (options->n > 1 || options->lattice || options->beam || options->widen || options->threshold < (double)INFINITY)
        return pf_fail(PF_EARG, "A* finds one path, exactly: for more paths, or with a beam, search by levels");
    if (!all->bound.admissible && !all->bound.empty)
        return pf_fail(PF_EARG, "A* needs costs that are known not to be negative: search by levels");
    return PF_OK;
}

pf_err pfi_best_levels(pf_fst *fst, const pf_best_options *options, pf_answer *out) {
    assert(fst->layered && options->n);
    pfi_levels all;
    bool prunes = options->beam || (!options->lattice && options->threshold < (double)INFINITY);
    out->search = "levels";
    pf_err err = pfi_levels_init(&all, fst, options);
    if (!err) err = check(&all);
    if (err) {
        pfi_levels_free(&all);
        return err;
    }
    err = (options->widen ? widening : prunes ? pruned : exactly)(&all, out);
    if (pfi_is_limit(err) && !options->lattice && !out->paths.n) err = rescue(&all, err, out);
    out->profile.at = all.profile.at;
    out->profile.n = all.profile.n;
    out->profile.cap = all.profile.cap;
    all.profile.at = NULL;
    pfi_levels_free(&all);
    return err;
}
