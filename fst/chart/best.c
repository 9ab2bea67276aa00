/* Which passes over a chart.
 *
 * Exactly: a pass with a narrow beam finds orders, and the next one keeps everything that may cost no more than they do.
 * With a gap: beams widen until the best order is proven to be within the gap of the bound; after each beam, a pass that may not
 * take much longer looks for all orders that are better by more than the gap. With a beam or a threshold: one pass. The bound of
 * the coarse chart holds for all of them. */
#include <permfst/chart/best.h>

#include "base/contract.h"
#include "chart/lattice.h"
#include "chart/orders.h"
#include "chart/pass.h"
#include "search/better.h"
#include "search/lattice.h"
#include "search/limits.h"

#include <permfst/ops/spell.h>

#include <stdlib.h>

enum { SCOUT_BEAM = 32, WIDER = 4, MOST_BEAM = 1 << 24, STEPS = 16, SCOUTS = 24 };
enum { EXACT_PAIRS = 1 << 22, ROUNDS = 3 }; /* what an exact pass may look at before beams are widened; beams, all together */
enum { PROOF_PAIRS = 8 };    /* for each item of a beam and each two positions: what the proof of a gap may look at */
enum { MOST_RESCUE = 2048 }; /* the widest beam that limits are not for, where no order is known */

/* The scout of an exact pass: so many items of a span, and one more for so many pairs of words. */
enum { SHORT_BEAM = 4, SHORT_SQUARE = 16 };

#define EXACT_WORK 2e10 /* additions that are worth telling words apart in the bounds of an exact search */
#define BEAM_WORK 1e8   /* and where a beam prunes */
#define UNITS_WORK 2e9  /* translations: what is pending of a piece costs too much to be ranked by the least costs of words alone */

typedef struct {
    const pf_best_options *options;
    pf_fst *fst;
    pfi_shape shape;
    pfi_leaves leaves;
    pfi_pieces pieces;
    pfi_outside outside;
    pfi_forest forest;
    bool hurried; /* the time was over before the coarse chart was there */
} chart_search;

/* ---- what can be searched ---- */

/* Units of several words are leaves, so there are no nodes above single words that could cost something. */
static pf_err check_grouping(const pf_best_options *options, const pf_units *units) {
    if (!options->grouping) return PF_OK;
    if (!units) return pf_fail(PF_EARG, "units of several words need a tuple model, and the record is composed with none");
    return options->trees ? pf_fail(PF_EARG, "trees that cost something need words as leaves, not units of several words") : PF_OK;
}

static pf_err check_options(const pf_best_options *options) {
    if (!options->lattice) return PF_OK;
    if (options->search != PF_SEARCH_CHART)
        return pf_fail(PF_EARG, "the lattice of a chart has epsilon arcs, so it is made only with --search=chart");
    if (options->trees) return pf_fail(PF_EARG, "a chart cannot make a lattice of orders whose trees cost something");
    return options->widen ? pf_fail(PF_EARG, "a lattice is made in one pass, so no beam can be widened to a gap") : PF_OK;
}

/* The permutation automaton inside: its space, and its leaves where these are wanted. */
static pf_err take_apart(pf_fst *fst, const pf_best_options *options, pfi_shape *shape, pfi_leaves *leaves) {
    pf_scoring parts;
    pf_fst *scored = fst;
    const pf_units *units = options->units;
    pf_slots_view slots;
    *shape = (pfi_shape){0};
    pf_spell_parts(fst, &scored, &units);
    pf_score_parts(scored, &parts);
    if (!pfi_leaf_slots(parts.fst, &slots))
        return pf_fail(PF_EARG, "a chart searches permutation automata (lazyperm -c itg), alone or composed with models and "
                       "with automata that score words as models do");
    if (parts.fst->op->graph) PF_TRY(pfi_shape_init_graph(shape, slots.n, options->trees));
    else PF_TRY(pfi_shape_init(shape, pf_fst_space(parts.fst), slots.weights, parts.own, options->trees));
    if (units && pf_units_alone(units))
        return pf_fail(PF_EARG, "a translation may consist of tuples without source words alone, and a chart has no leaf for them");
    PF_TRY(check_options(options));
    PF_TRY(check_grouping(options, units));
    shape->units = options->grouping && shape->zones.n;
    shape->two_runs = options->grouping == PF_GROUPING_EXTENDED;
    return leaves ? pfi_leaves_init(leaves, parts.fst, options) : PF_OK;
}

pf_err pf_chart_check(pf_fst *fst, const pf_best_options *options, bool *itg) {
    pfi_shape shape;
    pf_err err = take_apart(fst, options, &shape, NULL);
    if (itg) *itg = shape.itg;
    pfi_shape_free(&shape);
    return err;
}

/* ---- answers ---- */

/* More than rounding can come to. */
static double slack(const chart_search *search) { return search->outside.slack + search->pieces.slack; }

/* No order that is missing costs less: what was dropped, what was not looked for, and what comes after the orders that were asked
 * for. */
static double proven(const chart_search *search, const pfi_chart_pass *how, double dropped, const pf_answer *found) {
    const size_t count = search->options->n;
    double last = found->paths.n < count ? how->limit : found->paths.at[count - 1].cost;
    double missing = (dropped < search->outside.beyond ? dropped : search->outside.beyond) - slack(search);
    return missing < last ? missing : last;
}

/* ---- passes ---- */

/* The forest of one pass. If sums turn out to be rounded, equal costs may not be so, and orders to be compared are kept. */
static pf_err fill(chart_search *search, const pfi_chart_pass *how, double *dropped, uint64_t *edges) {
    do {
        *dropped = -(double)INFINITY;
        pfi_forest_clear(&search->forest);
        search->forest.keep_all = search->options->n > 1 || search->options->lattice || search->pieces.slack > 0;
        PF_TRY(pfi_chart_fill(&search->forest, &search->pieces, &search->outside, search->options, how, dropped, edges));
    } while (pfi_pieces_settle(&search->pieces));
    return PF_OK;
}

/* One pass. *dropped: nothing that it has dropped costs less. -INFINITY: nothing is known of that. */
static pf_err pass(chart_search *search, const pfi_chart_pass *how, pf_answer *found, double *dropped) {
    double unsettled = (double)INFINITY;
    *found = (pf_answer){.bound = search->outside.best - slack(search)};
    pf_err err = fill(search, how, dropped, &found->arcs);
    if (search->pieces.leaves != &search->leaves) *dropped = -(double)INFINITY;
    found->states = search->forest.items.n;
    if (!err) err = pfi_orders_answer(&search->forest, &search->pieces, search->options, found, &unsettled);
    if (err) return err;
    double bound = proven(search, how, *dropped < unsettled ? *dropped : unsettled, found);
    if (bound > found->bound) found->bound = bound;
    return PF_OK;
}

/* The same. If it meets a limit, the search ends with the paths found so far, if there are any. */
static pf_err go(chart_search *search, const pfi_chart_pass *how, pf_answer *out, double *dropped) {
    pf_answer found;
    pf_err err = pass(search, how, &found, dropped);
    pfi_take_better(out, &found, search->options->units);
    out->stopped = pfi_is_limit(err) && out->paths.n;
    out->out_of_memory = out->stopped && err == PF_ENOMEM;
    return out->stopped ? PF_OK : err;
}

/* The same where each unit is one leaf. Where its words are leaves, a beam may keep none of the pieces that fit, as bounds that
 * tell no words apart do not know which words of units follow one another. */
static pf_err go_by_units(chart_search *search, const pfi_chart_pass *how, pf_answer *out) {
    pf_best_options options = *search->options;
    pf_scoring parts;
    pfi_leaves units;
    double dropped;
    if (!options.units || options.grouping || options.trees) return PF_OK;
    options.grouping = PF_GROUPING_CONTIGUOUS;
    pf_score_parts(search->fst, &parts);
    pf_err err = pfi_leaves_init(&units, parts.fst, &options);
    if (!err) {
        search->pieces.leaves = &units;
        search->shape.units = search->shape.zones.n;
        err = go(search, how, out, &dropped);
        search->pieces.leaves = &search->leaves;
        search->shape.units = false;
    }
    pfi_leaves_free(&units);
    return err;
}

/* One pass; where it has lost every order, another one with units as leaves. */
static pf_err find(chart_search *search, const pfi_chart_pass *how, pf_answer *out, double *dropped) {
    PF_TRY(go(search, how, out, dropped));
    return out->paths.n || *dropped == (double)INFINITY ? PF_OK : go_by_units(search, how, out);
}

/* No order that costs more is looked for. */
static double limit(const chart_search *search, const pf_answer *best) {
    return best->paths.n < search->options->n ? (double)INFINITY : best->paths.at[search->options->n - 1].cost;
}

/* Is each path of the list that was asked for within the gap of the one that belongs there? */
static bool good_enough(const pf_best_options *options, const pf_answer *out) {
    if (!options->widen || !out->paths.n) return false;
    if (out->bound == (double)INFINITY) return true;
    return out->paths.n == options->n && pf_answer_gap(out) <= options->gap;
}

/* A threshold of 0 grows, too: to a part of the gap that is left, if there is one. */
static void widen(pfi_chart_pass *how, const pf_answer *out) {
    const double gap = out->paths.n ? pf_answer_gap(out) : 1;
    how->beam = how->beam < MOST_BEAM ? WIDER * how->beam : 0;
    how->threshold = fmax(WIDER * how->threshold, gap < (double)INFINITY ? gap / STEPS : 1);
}

static bool prunes(const pf_best_options *options) {
    return options->beam || (options->threshold < (double)INFINITY && !options->lattice);
}

/* Does the coarse chart know what the best order costs? */
static bool is_direct(const chart_search *search) {
    const pf_best_options *options = search->options;
    const bool crossed = search->shape.zones.n && (search->shape.free_trees || search->shape.units); /* more than zones allow */
    return !crossed && search->pieces.short_sighted && options->n == 1 && !options->lattice && !prunes(options) &&
        (!options->widen || options->gap == 0);
}

/* Then nothing else is looked for. */
static pf_err directly(chart_search *search, pf_answer *out) {
    pfi_chart_pass how = {.threshold = (double)INFINITY, .limit = search->outside.best + slack(search)};
    double dropped;
    return search->outside.best < (double)INFINITY ? go(search, &how, out, &dropped) : PF_OK;
}

/* The longer the sentence is, the more time the exact pass takes, and the more a better scout is worth. The limits are not for it,
 * but it is as narrow as they ask, or as SCOUT_BEAM is. */
static size_t scout_beam(const chart_search *search) {
    const pf_best_options *options = search->options;
    const size_t n = search->shape.n, spans = n * (n + 1) / 2, wish = SHORT_BEAM + n * n / SHORT_SQUARE;
    uint64_t beam = wish;
    if (options->max_states && options->max_states / spans < beam) beam = options->max_states / spans;
    const uint64_t items = options->max_bytes / PFI_ITEM_BYTES; /* that fit the memory */
    if (options->max_bytes && items / spans < beam) beam = items / spans;
    return beam >= SCOUT_BEAM ? beam : wish < SCOUT_BEAM ? wish : SCOUT_BEAM;
}

/* Everything within the cost that is known. *given_up: that takes more than so many pairs. */
static pf_err everything(chart_search *search, uint64_t most_pairs, pf_answer *out, bool *given_up) {
    double dropped;
    *given_up = false;
    const pfi_chart_pass how = {.threshold = (double)INFINITY, .limit = limit(search, out), .most_pairs = most_pairs,
                                .given_up = given_up};
    PF_TRY(go(search, &how, out, &dropped));
    if (*given_up) out->stopped = false;
    return PF_OK;
}

/* A narrow beam first; then everything within its cost. Where that takes long, wider beams come between: they lower the cost, and
 * their answer is what a limit leaves. */
static pf_err exactly(chart_search *search, pf_answer *out) {
    const pf_best_options *options = search->options;
    if (is_direct(search)) PF_TRY(directly(search, out));
    if (out->paths.n) return PF_OK;
    pfi_chart_pass how = {.beam = options->beam ? options->beam : scout_beam(search), .threshold = (double)INFINITY,
                          .limit = (double)INFINITY, .unlimited = true};
    how.patient = how.beam <= SCOUT_BEAM;
    for (unsigned round = 1;; round++, how.beam *= WIDER) {
        double dropped;
        bool given_up;
        PF_TRY(find(search, &how, out, &dropped));
        how.limit = limit(search, out);
        if (out->stopped || dropped > how.limit + slack(search) || good_enough(options, out)) return PF_OK;
        if (round > 1 && round < ROUNDS) continue;
        PF_TRY(everything(search, round < ROUNDS && out->paths.n ? EXACT_PAIRS : 0, out, &given_up));
        if (!given_up) return PF_OK;
        how.unlimited = how.patient = false;
    }
}

/* Before a wide beam, a narrow one finds paths: nothing that costs more than they do is worth its place in the wide one. Where
 * bounds tell no words of models apart, they are too low for that. */
static pf_err scout(chart_search *search, pf_answer *out) {
    const pf_best_options *options = search->options;
    if (!search->outside.wide && search->pieces.rows.parts.n) return PF_OK;
    pfi_chart_pass how = {.beam = options->beam / SCOUTS, .threshold = options->threshold, .limit = (double)INFINITY,
                          .unlimited = true};
    double dropped;
    how.patient = how.beam <= SCOUT_BEAM;
    return how.beam ? go(search, &how, out, &dropped) : PF_OK;
}

/* A beam may lose every order, where the pieces that it kept do not meet: it is widened until there is one. This ends, because a
 * beam that keeps all loses nothing. */
static pf_err pruned(chart_search *search, pf_answer *out) {
    const pf_best_options *options = search->options;
    pfi_chart_pass how = {.beam = options->beam, .threshold = options->threshold};
    PF_TRY(scout(search, out));
    how.limit = limit(search, out);
    for (double dropped;; widen(&how, out)) {
        PF_TRY(find(search, &how, out, &dropped));
        if (out->paths.n || dropped == (double)INFINITY) return PF_OK;
    }
}

/* No order that costs more would be a better answer by more than the gap. */
static double beyond_gap(const chart_search *search, const pf_answer *out) {
    const double cost = limit(search, out), gap = search->options->gap, least = cost - gap;
    return cost - least <= gap ? least : nextafter(least, (double)INFINITY);
}

/* Looks for all orders that are better by more than the gap: there is none, or the best one is found. That often takes less than
 * beams that are wide enough to prove the same. Where it takes many more pairs than the last beam, nothing is known. */
static pf_err prove(chart_search *search, const pfi_chart_pass *last, pf_answer *out) {
    const pf_best_options *options = search->options;
    const size_t n = search->shape.n;
    double dropped;
    if (options->n > 1 || options->threshold < (double)INFINITY || !out->paths.n) return PF_OK;
    const pfi_chart_pass how = {.threshold = (double)INFINITY, .limit = beyond_gap(search, out),
                                .most_pairs = PROOF_PAIRS * (uint64_t)last->beam * n * (n + 1)};
    PF_TRY(go(search, &how, out, &dropped));
    out->stopped = out->out_of_memory; /* beams go on */
    return PF_OK;
}

static pf_err widening(chart_search *search, pf_answer *out) {
    const pf_best_options *options = search->options;
    pfi_chart_pass how = {.beam = options->beam ? options->beam : SCOUT_BEAM, .threshold = options->threshold,
                          .limit = (double)INFINITY};
    if (options->threshold == (double)INFINITY && options->gap == 0) return exactly(search, out);
    for (bool first = true;; widen(&how, out), first = false) {
        double dropped;
        how.unlimited = !out->paths.n && (first || how.beam <= MOST_RESCUE);
        how.patient = how.unlimited && how.beam <= SCOUT_BEAM;
        PF_TRY(find(search, &how, out, &dropped));
        if (out->stopped || good_enough(options, out) || dropped == (double)INFINITY) return PF_OK;
        PF_TRY(prove(search, &how, out));
        if (out->stopped || good_enough(options, out)) return PF_OK;
        how.limit = limit(search, out);
    }
}

/* Where a limit was met before there was any order, a narrow beam finds one, or one that is a little wider. */
static pf_err rescue(chart_search *search, pf_err limit, pf_answer *out) {
    pfi_chart_pass how = {.beam = SCOUT_BEAM, .threshold = (double)INFINITY, .limit = (double)INFINITY, .unlimited = true,
                          .patient = true};
    double dropped = 0;
    for (; !out->paths.n && dropped < (double)INFINITY; how.beam *= WIDER) {
        if (how.beam > MOST_RESCUE) return limit;
        PF_TRY(find(search, &how, out, &dropped));
    }
    out->stopped = out->paths.n;
    out->out_of_memory = out->stopped && limit == PF_ENOMEM;
    return PF_OK;
}

/* All that a beam keeps, or all that is within the threshold, as an automaton. */
static pf_err lattice(chart_search *search, pf_fst *fst, pf_answer *out) {
    const pf_best_options *options = search->options;
    pfi_chart_pass how = {.beam = options->beam, .threshold = (double)INFINITY, .limit = (double)INFINITY};
    double dropped = (double)INFINITY;
    pf_err err = PF_OK;
    if (!options->beam && options->threshold < (double)INFINITY) {
        err = exactly(search, out);
        how.limit = err ? how.limit : limit(search, out) + options->threshold;
    }
    for (bool first = true; !err && !out->stopped && (first || (!out->paths.n && dropped < (double)INFINITY)); first = false) {
        if (!first) widen(&how, out);
        err = go(search, &how, out, &dropped);
    }
    if (!err && !out->stopped && out->paths.n)
        err = pfi_forest_lattice(&search->forest, options, options->threshold, fst->type, &out->lattice);
    if (pfi_is_limit(err) && !out->paths.n) err = rescue(search, err, out);
    if (out->out_of_memory) return pf_nomem();
    if (out->stopped || (err == PF_ELIMIT && out->paths.n))
        return pfi_graph_no_lattice(out->states, out->paths.at[0].cost, out->bound);
    return err;
}

/* ---- the search ---- */

static pf_err make_outside(chart_search *search, const pf_best_options *options) {
    return pfi_outside_init(&search->outside, &search->pieces, options,
                            is_direct(search) ? 2 * search->pieces.slack : (double)INFINITY);
}

/* The words and the coarse chart. Where the time is over before that is there, the bound tells no words apart. */
static pf_err prepare(chart_search *search, pf_fst *fst) {
    const pf_best_options *options = search->options;
    const double work = pfi_outside_work(&search->leaves.slots);
    const bool fits = !options->max_bytes || pfi_outside_room(&search->leaves.slots) <= options->max_bytes;
    double most = EXACT_WORK;
    if (prunes(options) && !options->widen) most = options->units ? UNITS_WORK : BEAM_WORK;
    pf_best_options patient = *options;
    PF_TRY(pfi_pieces_init(&search->pieces, fst, &search->shape, &search->leaves, work <= most && fits));
    pf_err err = make_outside(search, options);
    if (err != PF_ELIMIT) return err;
    search->hurried = true;
    patient.expired = NULL;
    pfi_outside_free(&search->outside);
    pfi_pieces_free(&search->pieces);
    PF_TRY(pfi_pieces_init(&search->pieces, fst, &search->shape, &search->leaves, false));
    return make_outside(search, &patient);
}

/* A limit did not end the search of an answer that was proven after all. The end of memory stays: its answer may have other counts
 * of states than one that is found with more memory. */
static pf_err run(chart_search *search, pf_fst *fst, pf_answer *out) {
    const pf_best_options *options = search->options;
    PF_TRY(prepare(search, fst));
    PF_TRY(pfi_forest_init(&search->forest, &search->pieces, options->units));
    if (options->lattice) return lattice(search, fst, out);
    pf_err err = (options->widen ? widening : prunes(options) ? pruned : exactly)(search, out);
    if (pfi_is_limit(err) && !out->paths.n) err = rescue(search, err, out);
    if (search->hurried && !err && out->paths.n) out->stopped = true;
    if (pf_answer_optimal(out)) out->stopped = out->out_of_memory;
    return err;
}

static pf_err best(pf_fst *fst, const pf_best_options *options, pf_answer *out) {
    chart_search search = {.options = options, .fst = fst};
    pf_err err = take_apart(fst, options, &search.shape, &search.leaves);
    if (!err) err = run(&search, fst, out);
    pfi_forest_free(&search.forest);
    pfi_outside_free(&search.outside);
    pfi_pieces_free(&search.pieces);
    pfi_leaves_free(&search.leaves);
    pfi_shape_free(&search.shape);
    return err;
}

/* The empty sentence has one path, and no spans. */
static bool is_empty(const pf_fst *fst) {
    const pf_con *con = pf_fst_space(fst);
    return con && !con->n;
}

pf_err pf_chart_best(pf_fst *fst, const pf_best_options *options, pf_answer *out) {
    pf_best_options own = *options, plain = *options;
    pf_fst *scored;
    const bool translates = pf_spell_parts(fst, &scored, &own.units);
    if (!own.n) own.n = 1;
    if (!(own.threshold > 0 || (own.lattice && own.threshold == 0))) own.threshold = (double)INFINITY;
    pf_err err = pf_chart_check(fst, &own, NULL);
    if (err) return err;
    plain.search = PF_SEARCH_LEVELS;
    plain.trees = NULL;
    plain.grouping = PF_GROUPING_ANY; /* of no word there are no units of several */
    if (is_empty(fst)) return pf_best(fst, &plain, out);
    pf_fst *searched = translates ? scored : fst;
    *out = (pf_answer){.type = fst->type, .bound = -(double)INFINITY, .search = "chart",
                       .isyms = pf_symtab_ref(searched->isyms), .osyms = pf_symtab_ref(searched->osyms)};
    err = best(searched, &own, out);
    if (!err && translates) err = pf_spell_answer(own.units, out);
    if (err) pf_answer_free(out);
    return err;
}
