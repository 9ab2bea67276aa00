/* Best paths of a layered machine: which passes over its levels.
 *
 * Exactly: a scout pass with a narrow beam finds paths of some cost, and a pass that keeps everything looks for no path
 * that costs more. With a beam or a threshold: one pass, and what it dropped bounds what it can have missed. With a gap:
 * passes whose beam doubles, until the best path is proven to be within the gap of the bound, or a limit is met; the best
 * paths and the best bound of all passes count, so widening never makes an answer worse. */
#include "search/graph.h"
#include "search/levels.h"

enum { SCOUT_BEAM = 64, MOST_SCOUTED = 10000, MOST_BEAM = 1 << 30 };

/* A pass whose paths are not asked for: the cost of the n-th, and a little more. */
static pf_err scout(pfi_levels *all, size_t n, double *limit, pf_answer *out) {
    pfi_pass narrow = {n, n > SCOUT_BEAM ? n : SCOUT_BEAM, (double)INFINITY, (double)INFINITY};
    pf_answer found = {0};
    *limit = (double)INFINITY;
    if (!all->bound.known || n > MOST_SCOUTED) return PF_OK;
    pf_err err = pfi_levels_pass(all, &narrow, &found);
    if (!err && found.paths.n == n) {
        double cost = found.paths.at[n - 1].cost;
        *limit = cost + pfi_levels_slack(all, cost);
    }
    out->states += found.states;
    out->arcs += found.arcs;
    pf_answer_free(&found);
    return err;
}

static pf_err exactly(pfi_levels *all, pf_answer *out) {
    pfi_pass pass = {all->options->n, 0, (double)INFINITY, (double)INFINITY};
    PF_TRY(scout(all, pass.n, &pass.limit, out));
    return pfi_levels_pass(all, &pass, out);
}

static pf_err pruned(pfi_levels *all, pf_answer *out) {
    const pf_best_options *o = all->options;
    pfi_pass pass = {o->n, o->beam, o->threshold, (double)INFINITY};
    return pfi_levels_pass(all, &pass, out);
}

/* Are the paths found better than those there are? Of equal cost more of them are, and those that are proven. */
static bool is_better(const pf_answer *found, const pf_answer *best) {
    if (!found->paths.n || !best->paths.n) return found->paths.n;
    double cost = found->paths.at[0].cost, had = best->paths.at[0].cost;
    return cost < had || (cost == had && (found->paths.n > best->paths.n || pf_answer_optimal(found)));
}

/* Takes over the paths of another answer where they are better, and its bound. */
static void take_better(pf_answer *best, pf_answer *found) {
    double bound = found->bound > best->bound ? found->bound : best->bound;
    if (is_better(found, best)) {
        pf_answer had = *best;
        best->paths = found->paths;
        found->paths = had.paths;
    }
    best->bound = best->paths.n && best->paths.at[0].cost < bound ? best->paths.at[0].cost : bound;
    best->states += found->states;
    best->arcs += found->arcs;
    pf_answer_free(found);
}

static bool good_enough(const pf_answer *a, double gap) { return a->paths.n && a->paths.at[0].cost - a->bound <= gap; }

/* A limit that is met in a pass ends the widening; what was found before stands. */
static pf_err widening(pfi_levels *all, pf_answer *out) {
    const pf_best_options *o = all->options;
    pfi_pass pass = {o->n, o->beam ? o->beam : SCOUT_BEAM, o->threshold, (double)INFINITY};
    for (;; pass.beam = pass.beam < MOST_BEAM ? 2 * pass.beam : 0, pass.threshold *= 2) {
        pf_answer found = {.bound = -(double)INFINITY};
        pf_err err = pfi_levels_pass(all, &pass, &found);
        bool limit = err == PF_ELIMIT && out->paths.n;
        take_better(out, &found);
        if (limit) return PF_OK;
        if (err || good_enough(out, o->gap) || !pass.beam || !out->paths.n) return err;
        if (o->n == 1 && all->bound.nonnegative) pass.limit = out->paths.at[0].cost + pfi_levels_slack(all, out->paths.at[0].cost);
    }
}

pf_err pfi_best_levels(pf_fst *fst, const pf_best_options *o, pf_answer *out) {
    pfi_levels all;
    bool prunes = o->beam || o->threshold < (double)INFINITY;
    pf_err err = pfi_levels_init(&all, fst, o);
    if (!err) err = (o->widen ? widening : prunes ? pruned : exactly)(&all, out);
    pfi_levels_free(&all);
    return err;
}
