/* Completions: what comes after each move of a space, against the coarse model taken literally, state by state and position by
 * position. Which units of a move are kept, and what paths cost more than routes, against their definitions. */
#include "search/completion_impl.h"
#include "search/followers.h"
#include "search/kept_units.h"
#include "search/unit_detours.h"
#include "check.h"
#include "draw.h"
#include "paths.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 21;

static unsigned dice(unsigned sides) { return draw(&seed, sides); }

/* Some costs are below 0, as with potentials; and some are INFINITY. */
static float draw_cost(void) { return dice(12) ? (float)dice(4000) / 300 - 2 : INFINITY; }

/* The tables of a bound that completions read. */
typedef struct {
    pfi_bound bound;
    double own, final;
} coarse_model;

static coarse_model draw_coarse(unsigned n) {
    coarse_model coarse = {{.known = true, .length = n, .stride = pfi_whole_chunks(n)}, dice(3), dice(2)};
    const size_t count = (n + 1) * coarse.bound.stride + PFI_CHUNK;
    coarse.bound.after = calloc(count, sizeof *coarse.bound.after);
    coarse.bound.end_after = calloc(n, sizeof *coarse.bound.end_after);
    assert_true(coarse.bound.after && coarse.bound.end_after);
    for (unsigned last = 0; last <= n; last++)
        for (unsigned next = 0; next < n; next++) coarse.bound.after[last * coarse.bound.stride + next] = draw_cost();
    for (unsigned last = 0; last < n; last++) coarse.bound.end_after[last] = (double)draw_cost();
    return coarse;
}

static void free_coarse(const coarse_model *coarse) {
    free(coarse->bound.after);
    free(coarse->bound.end_after);
}

/* What a move costs after a position, and all that comes after it. `rest`: of each state a row, of what comes after it and each
 * position that was visited last. */
static double cost_of(const coarse_model *coarse, const pf_moves *moves, const double *rest, unsigned last, uint32_t move) {
    const unsigned position = moves->position[move];
    const double own = moves->cost ? coarse->own * moves->cost[move] : 0;
    const double after = rest[moves->to[move] * (size_t)moves->n + position];
    return (double)coarse->bound.after[last * coarse->bound.stride + position] + own + after;
}

static double least_after(const coarse_model *coarse, const pf_moves *moves, const double *rest, unsigned last, uint32_t state) {
    double least = (double)INFINITY;
    for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++)
        least = fmin(least, cost_of(coarse, moves, rest, last, i));
    return least;
}

/* From the end, as moves lead to later states. */
static double *find_rest(const coarse_model *coarse, const pf_moves *moves) {
    const unsigned n = moves->n;
    double *rest = malloc(moves->states * (size_t)n * sizeof *rest);
    assert_non_null(rest);
    for (uint32_t state = moves->states; state-- > 0;)
        for (unsigned last = 0; last < n; last++)
            rest[state * (size_t)n + last] = state + 1 == moves->states ? coarse->bound.end_after[last] + coarse->final
                                                                        : least_after(coarse, moves, rest, last, state);
    return rest;
}

/* A bound in floats, lower by what the sums of n positions and the end are rounded by. */
static void expect_below(unsigned n, double got, double want) {
    if (want == (double)INFINITY) assert_true(got == want);
    else assert_true(got <= want && got >= want - 6e-7 * (n + 1) * (fabs(want) + 2 * n));
}

static void expect_completions(const pf_moves *moves, unsigned *unused) {
    (void)unused;
    const coarse_model coarse = draw_coarse(moves->n);
    double *rest = find_rest(&coarse, moves);
    pfi_completion completion = {.moves = moves};
    SUCCEED(pfi_completion_of_positions(&completion, &coarse.bound, coarse.own, coarse.final));
    for (uint32_t state = 0; state < moves->states; state++) {
        pfi_completion_know(&completion, state);
        for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++)
            expect_below(moves->n, (double)pfi_completion_after(&completion, i, 0),
                         rest[moves->to[i] * (size_t)moves->n + moves->position[i]]);
    }
    expect_below(moves->n, completion.start, least_after(&coarse, moves, rest, moves->n, 0));
    pfi_completion_free(&completion);
    free(rest);
    free_coarse(&coarse);
}

/* Spaces, each of some lengths. */
typedef struct {
    const char *of, *weights;
    unsigned from, to;
} space_lengths;

/* Some checks of the moves of each, `times` times. Returns what these have counted. */
static unsigned expect_of_all(const space_lengths *lengths, size_t count, unsigned times,
    void (*expect)(const pf_moves *moves, unsigned *counted)) {
    pf_moves_store *store;
    unsigned counted = 0;
    SUCCEED(pf_moves_store_new(0, &store));
    for (size_t i = 0; i < count; i++)
        for (unsigned n = lengths[i].from; n <= lengths[i].to; n++) {
            const pf_moves *moves = take_moves(store, lengths[i].of, n, lengths[i].weights, 1 << 20);
            assert_non_null(moves);
            for (unsigned k = 0; k < times; k++) expect(moves, &counted);
            pf_moves_give_back(store, moves);
        }
    pf_moves_store_free(store);
    return counted;
}

static void completions_are_the_definition(void **unused) {
    static const space_lengths lengths[] = {
        {"ibm:1", NULL, 1, 9}, {"ibm:2", NULL, 1, 26}, {"ibm:3", NULL, 1, 26}, {"ibm:4", NULL, 1, 19}, {"ibm:5", NULL, 5, 13},
        {"ibm:7", NULL, 8, 11}, {"inverse-ibm:3", NULL, 4, 17}, {"local:4", NULL, 5, 24}, {"local:7", NULL, 8, 12},
        {"mj:3", NULL, 5, 11}, {"distortion:3", NULL, 5, 18}, {"displacement:2", NULL, 5, 19}, {"itg", NULL, 2, 8},
        {"itg+ibm:3", NULL, 5, 14}, {"ibm:2|local:4", NULL, 6, 15}, {"ibm:4+local:6", NULL, 8, 16}, {"wall:5+ibm:4", NULL, 8, 14},
        {"none", NULL, 1, 10}, {"none", "jumps:1", 2, 8}, {"ibm:4", "monotone:0.5", 2, 14}, {"ibm:3", "inversions:0.25", 4, 12},
        {"local:5", "jumps:0.5", 6, 12},
    };
    (void)unused;
    expect_of_all(lengths, LENGTH(lengths), 3, expect_completions);
}

/* ---- units of a move ---- */

enum { MOST_UNITS = 70 };

/* Whole chunks of costs: few different ones, so that many are equal; or many. Those beyond the units are of other positions. */
static void draw_costs(unsigned kinds, float *cost) {
    const bool none = !dice(40);
    for (size_t i = 0; i < pfi_whole_chunks(MOST_UNITS); i++)
        cost[i] = dice(9) && !none ? (float)dice(kinds) / 7 - 2 : INFINITY;
}

/* The total of a unit. */
static double total_of(const pfi_unit_rests *rests, float lead, uint32_t unit) {
    double rest = (double)rests->of_positions;
    if (rests->of_routes)
        rest = fmax(rest, (double)rests->of_routes[unit] + (double)rests->left + (double)rests->detours[unit]);
    return (double)lead + rest;
}

/* Sums are rounded down by less than this. */
static const double NEAR = 1e-4;

/* The kept units are those within the limit, with their leads, and listed in order; the best ones cost no more than others. Returns
 * how many the best are. */
static unsigned expect_kept(const pfi_unit_rests *rests, const float *lead, const float *left, float limit, uint32_t units,
    const pfi_kept_units *kept, const pfi_unit_lead *listed) {
    double worst = -(double)INFINITY, least_other = (double)INFINITY, least = (double)INFINITY, on = (double)INFINITY;
    float other = INFINITY;
    uint32_t count = 0, best = 0;
    for (uint32_t unit = 0; unit < units; unit++) {
        const double total = total_of(rests, lead[unit], unit);
        if (left[unit] == INFINITY) {
            assert_true(total == (double)INFINITY || total > (double)limit - NEAR);
            continue;
        }
        assert_true(count < kept->units && listed[count].unit == unit && listed[count].cost == left[unit]);
        assert_true(left[unit] == lead[unit] && total <= (double)limit + NEAR);
        least = fmin(least, (double)left[unit]);
        if (rests->of_routes) on = fmin(on, (double)left[unit] + (double)rests->of_routes[unit] + (double)rests->left);
        assert_true(listed[count].best <= 1);
        best += listed[count].best;
        if (listed[count++].best) worst = fmax(worst, total);
        else {
            least_other = fmin(least_other, total);
            other = left[unit] < other ? left[unit] : other;
        }
    }
    assert_int_equal(count, kept->units);
    assert_true(best <= PFI_MOST_BEST && (best > 0) == (count > 0));
    assert_true(least == (double)kept->least && kept->other <= other && worst <= least_other + NEAR);
    if (rests->of_routes) assert_true(on == (double)kept->on || fabs(on - (double)kept->on) < NEAR);
    if (count <= PFI_MOST_BEST) assert_true(best == count && kept->other == INFINITY);
    else assert_true(kept->other < INFINITY);
    return best;
}

/* Wide vectors make no difference. */
static void expect_plain(const pfi_unit_rests *rests, float own, float limit, uint32_t units, const float *given, const float *lead,
    const float *totals, const pfi_kept_units *kept) {
    float plain_lead[MOST_UNITS + PFI_CHUNK], total[MOST_UNITS + PFI_CHUNK];
    pfi_kept_units plain;
    memcpy(plain_lead, given, sizeof plain_lead);
    pfi_keep_units_plain(rests, own, limit, units, plain_lead, total, &plain);
    assert_memory_equal(plain_lead, lead, units * sizeof *lead);
    assert_memory_equal(total, totals, units * sizeof *total);
    assert_true(plain.units == kept->units && plain.least == kept->least && plain.other == kept->other && plain.most == kept->most);
    assert_true(plain.on == kept->on);
}

/* With the cost of the move, and without: leads that have it are compared. */
static unsigned expect_units(uint32_t units, unsigned kinds) {
    enum { ROOM = MOST_UNITS + PFI_CHUNK };
    float routes[ROOM], detours[ROOM], given[ROOM], lead[ROOM], total[ROOM], with_own[ROOM];
    const float own = (float)dice(5) / 4, limit = dice(10) ? (float)dice(kinds + 9) / 4 - 3 : FLT_MAX;
    const pfi_unit_rests rests = {dice(3) ? routes : NULL, detours, (float)dice(8) / 3 - 1,
                                  dice(4) ? (float)dice(9) / 2 - 2 : -INFINITY};
    pfi_kept_units kept;
    pfi_unit_lead listed[MOST_UNITS + 1];
    draw_costs(kinds, routes);
    draw_costs(kinds, given);
    for (size_t i = 0; i < LENGTH(detours); i++) detours[i] = dice(3) ? (float)dice(5) / 3 : 0;
    memcpy(lead, given, sizeof lead);
    for (size_t i = 0; i < LENGTH(given); i++) with_own[i] = given[i] + own;
    if (!rests.of_routes && rests.of_positions == -INFINITY) return 0; /* nothing is known of what comes after units */
    pfi_keep_units(&rests, own, limit, units, lead, total, &kept);
    pfi_list_kept(&kept, lead, total, units, listed);
    expect_plain(&rests, own, limit, units, given, lead, total, &kept);
    const unsigned best = expect_kept(&rests, with_own, lead, limit, units, &kept, listed);
    return kept.units > PFI_MOST_BEST && best == PFI_MOST_BEST;
}

static void kept_units_are_within_the_limit(void **unused) {
    unsigned all_best = 0;
    (void)unused;
    for (uint32_t units = 0; units <= MOST_UNITS; units++)
        for (unsigned k = 0; k < 200; k++) all_best += expect_units(units, k % 2 ? 4 : 4000);
    assert_true(all_best > 1000); /* as many as may be best are mostly found */
}

/* ---- which units follow within a limit ---- */

enum { FOLLOWERS = 40 /* units of a move */, CLASSES = 3 };

/* Moves of the second state, of which only their positions are read; and costs after the second unit. */
typedef struct {
    pf_moves moves;
    uint32_t first[3];
    uint16_t position[4];
    double cost[4];
    pfi_completion completion;
    pfi_move_units units[4];
    uint16_t unit[4 * FOLLOWERS];
    float after_units[4 * FOLLOWERS], after[2][4 * FOLLOWERS];
    uint32_t place[5], of_copy[4 * FOLLOWERS];
    pfi_bound bound;
} follower_case;

static void draw_followers(follower_case *out) {
    uint32_t n = 0;
    *out = (follower_case){.first = {0, 0, 4}, .position = {2, 0, 3, 1}};
    const unsigned classes = dice(2) * CLASSES;
    const float large = dice(8) ? 1 : FLT_MAX / 12; /* sums of two may be larger than FLT_MAX */
    for (unsigned i = 0; i < 4; i++) out->place[i + 1] = out->place[i] + dice(FOLLOWERS);
    for (uint32_t unit = 0; unit < out->place[4]; unit++) {
        out->of_copy[unit] = classes && dice(3) ? dice(classes) : PFI_SILENT;
        out->after[1][unit] = large * draw_cost();
    }
    for (unsigned i = 0; i < 4; i++) {
        const unsigned position = out->position[i];
        out->units[i].first = n;
        for (uint32_t unit = 0; unit < out->place[position + 1] - out->place[position]; unit++)
            if (dice(3)) {
                out->unit[n] = (uint16_t)unit;
                out->after_units[n++] = large * draw_cost();
            }
        out->units[i].end = n;
        out->cost[i] = (double)dice(100) / 20 - 2;
    }
    out->moves = (pf_moves){.n = 4, .first = out->first, .position = out->position, .cost = dice(2) ? out->cost : NULL};
    out->completion = (pfi_completion){.moves = &out->moves, .units = out->units, .unit = out->unit, .after = out->after_units};
    out->bound = (pfi_bound){.length = 1, .stride = 4 * FOLLOWERS, .after = out->after[0],
                             .said = {.place = out->place, .of_copy = out->of_copy, .classes = classes}};
}

/* Those of the definition, in order. */
static unsigned expect_followers(const follower_case *of, const pfi_followers *found, uint32_t class, double own, double most) {
    unsigned n = 0;
    for (uint32_t move = 0; move < 4; move++)
        for (uint32_t i = of->units[move].first; i < of->units[move].end; i++) {
            const uint32_t unit = of->place[of->position[move]] + of->unit[i];
            const double cost = (double)of->after[1][unit] + (double)of->after_units[i];
            const bool within = cost <= (of->moves.cost ? most - own * of->cost[move] : most);
            const bool there = n < found->n && found->at[n].move == move && found->at[n].unit == unit;
            const bool other = of->of_copy[unit] != PFI_SILENT && of->of_copy[unit] != class;
            assert_true(there == (within && !other) && (!there || found->at[n].rest == (double)of->after_units[i]));
            n += there;
        }
    assert_int_equal(n, found->n);
    return n;
}

static void followers_are_within_the_limit(void **unused) {
    (void)unused;
    pfi_followers found = {0};
    unsigned some = 0;
    for (unsigned times = 0; times < 400; times++) {
        follower_case of;
        draw_followers(&of);
        const double own = dice(3), most = dice(9) ? (double)dice(4000) / 200 - 4 : DBL_MAX;
        const pfi_path_end end = {1, 1, of.bound.said.classes ? dice(CLASSES) : 0};
        SUCCEED(pfi_followers_find(&of.completion, &of.bound, own, &end, most, &found));
        some += expect_followers(&of, &found, end.class, own, most) > 0;
    }
    assert_true(some > 300);
    PF_VEC_FREE(&found);
}

/* ---- what paths cost more than routes ---- */

enum { MOST_POSITIONS = 12, UNITS_OF_POSITION = 3, ALL_UNITS = MOST_POSITIONS * UNITS_OF_POSITION };

/* A coarse model of units, and its routes: these go at each visit where some move goes, but for a few units, and visit a position
 * again for its price. */
typedef struct {
    pfi_bound bound;
    const pf_moves *moves;
    uint32_t place[MOST_POSITIONS + 1];
    unsigned of[ALL_UNITS]; /* of each unit: its position */
    bool goes[MOST_POSITIONS][MOST_POSITIONS]; /* level, position */
    double own, final, all_prices;
} unit_model;

static double after_unit(const unit_model *coarse, uint32_t last, uint32_t next) {
    return (double)coarse->bound.after[last * coarse->bound.stride + next];
}

static double route_rest(const unit_model *coarse, unsigned level, uint32_t unit) {
    return (double)coarse->bound.rest_of_routes[level * (size_t)coarse->bound.length + unit];
}

static double price_of(const unit_model *coarse, uint32_t unit) { return (double)coarse->bound.price[coarse->of[unit]]; }

static void fill_routes(unit_model *coarse) {
    const unsigned n = coarse->moves->n;
    for (unsigned level = n; level-- > 0;)
        for (uint32_t unit = 0; unit < coarse->bound.length; unit++) {
            double least = level + 1 < n ? (double)INFINITY : coarse->bound.end_after[unit];
            for (uint32_t next = 0; level + 1 < n && next < coarse->bound.length; next++)
                least = fmin(least, after_unit(coarse, unit, next) - price_of(coarse, next) + route_rest(coarse, level + 1, next));
            if (!coarse->goes[level][coarse->of[unit]] || !dice(12)) least = (double)INFINITY;
            coarse->bound.rest_of_routes[level * (size_t)coarse->bound.length + unit] = (float)least;
        }
}

static void draw_unit_model(const pf_moves *moves, unit_model *coarse) {
    *coarse = (unit_model){.moves = moves, .own = dice(3), .final = (double)dice(3) - 1};
    uint32_t units = 0;
    for (unsigned i = 0; i < moves->n; i++) {
        for (unsigned more = 1 + dice(UNITS_OF_POSITION); more-- > 0;) coarse->of[units++] = i;
        coarse->place[i + 1] = units;
    }
    for (unsigned level = 0; level < moves->n; level++)
        for (uint32_t i = moves->first[moves->level[level]]; i < moves->first[moves->level[level + 1]]; i++)
            coarse->goes[level][moves->position[i]] = true;
    pfi_bound *bound = &coarse->bound;
    *bound = (pfi_bound){.known = true, .length = units, .stride = pfi_whole_chunks(units), .said = {.place = coarse->place}};
    bound->after = calloc((units + (size_t)1) * bound->stride + PFI_CHUNK, sizeof *bound->after);
    bound->end_after = calloc(units, sizeof *bound->end_after);
    bound->price = calloc(moves->n, sizeof *bound->price);
    bound->rest_of_routes = calloc(moves->n * (size_t)units + PFI_CHUNK, sizeof *bound->rest_of_routes);
    assert_true(bound->after && bound->end_after && bound->price && bound->rest_of_routes);
    for (uint32_t last = 0; last <= units; last++)
        for (uint32_t next = 0; next < units; next++) bound->after[last * bound->stride + next] = draw_cost();
    for (uint32_t last = 0; last < units; last++) bound->end_after[last] = (double)draw_cost();
    for (unsigned i = 0; i < moves->n; i++) coarse->all_prices += (double)(bound->price[i] = (float)dice(100) / 20 - 2);
    fill_routes(coarse);
}

static void free_unit_model(const unit_model *coarse) {
    free(coarse->bound.after);
    free(coarse->bound.end_after);
    free(coarse->bound.price);
    free(coarse->bound.rest_of_routes);
}

static double cost_of_move(const unit_model *coarse, uint32_t move) {
    return coarse->moves->cost ? coarse->own * coarse->moves->cost[move] : 0;
}

/* How much a step between units costs more than the best route; INFINITY where there is none. */
static double detour_of(const unit_model *coarse, unsigned level, uint32_t unit, uint32_t next) {
    if (route_rest(coarse, level, unit) == (double)INFINITY) return (double)INFINITY;
    const double then = route_rest(coarse, level + 1, next) - price_of(coarse, next);
    return after_unit(coarse, unit, next) + then - route_rest(coarse, level, unit);
}

static double least_detour(const unit_model *coarse, unsigned level, uint32_t unit, unsigned to) {
    double least = (double)INFINITY;
    for (uint32_t next = coarse->place[to]; next < coarse->place[to + 1]; next++)
        least = fmin(least, detour_of(coarse, level, unit, next));
    return least;
}

/* What comes after a unit of a move: its detours, where then[] has what moves cost with the detours after them; or, with `rest`,
 * which has what comes after units of moves, all that it costs. */
static double after_move(const unit_model *coarse, unsigned level, uint32_t move, uint32_t unit, const double *then,
    const double *rest) {
    const pf_moves *moves = coarse->moves;
    const uint32_t state = moves->to[move];
    if (level + 1 == moves->n) return rest ? coarse->bound.end_after[unit] + coarse->final : coarse->final;
    double least = (double)INFINITY;
    for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++) {
        const unsigned to = moves->position[i];
        if (!rest) least = fmin(least, least_detour(coarse, level, unit, to) + then[i]);
        for (uint32_t next = coarse->place[to]; rest && next < coarse->place[to + 1]; next++) {
            const double step = after_unit(coarse, unit, next) + cost_of_move(coarse, i);
            if (route_rest(coarse, level + 1, next) == (double)INFINITY) continue;
            least = fmin(least, step + rest[i * (size_t)ALL_UNITS + next]);
        }
    }
    return least;
}

static void expect_near(double got, double want) {
    if (want == (double)INFINITY) assert_true(got == want);
    else assert_true(got <= want + 1e-9 && got >= want - 2e-3);
}

/* The detours after the units of one move, by definition; with what routes and prices say, no more than what paths cost. */
static void expect_move(const unit_model *coarse, pfi_unit_detours *detours, unsigned level, uint32_t move, double left,
    const double *then, const double *rest) {
    const unsigned position = coarse->moves->position[move];
    const uint32_t first = coarse->place[position], units = coarse->place[position + 1] - first;
    float after[UNITS_OF_POSITION + PFI_CHUNK];
    expect_near((double)detours->then[move], then[move]);
    if (level + 1 == coarse->moves->n) return;
    SUCCEED(pfi_unit_detours_after(detours, level, move, first, units, after));
    for (uint32_t unit = first; unit < first + units; unit++) {
        if (route_rest(coarse, level, unit) == (double)INFINITY) continue;
        expect_near((double)after[unit - first], after_move(coarse, level, move, unit, then, NULL));
        const double all = rest[move * (size_t)ALL_UNITS + unit];
        assert_true(route_rest(coarse, level, unit) + left + (double)after[unit - first] <= all + 1e-4);
    }
}

/* From the end; *more: how many paths cost more than routes say. */
static void expect_detours(const pf_moves *moves, unsigned *more) {
    const size_t count = moves->first[moves->states];
    double *then = malloc(count * sizeof *then), *rest = malloc(count * ALL_UNITS * sizeof *rest);
    double *left = malloc(moves->states * sizeof *left), start = (double)INFINITY, least = (double)INFINITY;
    unit_model coarse;
    pfi_turned_costs turned;
    float *after_next;
    pfi_unit_detours detours = {0};
    assert_true(then && rest && left);
    draw_unit_model(moves, &coarse);
    SUCCEED(pfi_completion_turn(&coarse.bound, coarse.bound.length + (size_t)1, &turned.stride, &after_next));
    turned.after_next = after_next;
    SUCCEED(pfi_unit_detours_find(&detours, moves, &coarse.bound, &turned, coarse.own, coarse.final));
    left[0] = coarse.all_prices;
    for (uint32_t state = 0; state < moves->states; state++)
        for (uint32_t i = moves->first[state]; i < moves->first[state + 1]; i++)
            left[moves->to[i]] = left[state] - (double)coarse.bound.price[moves->position[i]];
    for (unsigned level = moves->n; level-- > 0;)
        for (uint32_t i = moves->first[moves->level[level]]; i < moves->first[moves->level[level + 1]]; i++) {
            const unsigned position = moves->position[i];
            then[i] = (double)INFINITY;
            for (uint32_t unit = coarse.place[position]; unit < coarse.place[position + 1]; unit++) {
                then[i] = fmin(then[i], cost_of_move(&coarse, i) + after_move(&coarse, level, i, unit, then, NULL));
                rest[i * (size_t)ALL_UNITS + unit] = after_move(&coarse, level, i, unit, NULL, rest);
            }
            if (level + 1 == moves->n) then[i] = cost_of_move(&coarse, i) + coarse.final;
            expect_move(&coarse, &detours, level, i, left[moves->to[i]], then, rest);
        }
    for (uint32_t i = 0; i < moves->first[1]; i++)
        for (uint32_t unit = coarse.place[moves->position[i]]; unit < coarse.place[moves->position[i] + 1]; unit++) {
            const double first = after_unit(&coarse, coarse.bound.length, unit);
            start = fmin(start, first + route_rest(&coarse, 0, unit) + left[moves->to[i]] + then[i]);
            if (route_rest(&coarse, 0, unit) == (double)INFINITY) continue;
            least = fmin(least, first + cost_of_move(&coarse, i) + rest[i * (size_t)ALL_UNITS + unit]);
        }
    expect_near(detours.start, start);
    assert_true(start <= least + 1e-6);
    for (size_t i = 0; i < count; i++) *more += then[i] < (double)INFINITY && then[i] > 0.1;
    pfi_unit_detours_free(&detours);
    free(after_next);
    free_unit_model(&coarse);
    free(then);
    free(rest);
    free(left);
}

static void detours_are_the_definition(void **unused) {
    static const space_lengths lengths[] = {
        {"ibm:2", NULL, 1, 9}, {"ibm:4", NULL, 4, 10}, {"local:3", NULL, 3, 11}, {"mj:3", NULL, 4, 8}, {"itg", NULL, 4, 6},
        {"none", NULL, 1, 7}, {"ibm:4", "monotone:0.5", 2, 9}, {"ibm:3", "inversions:0.25", 4, 8}, {"local:5", "jumps:0.5", 6, 10},
    };
    (void)unused;
    assert_true(expect_of_all(lengths, LENGTH(lengths), 6, expect_detours) > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completions_are_the_definition),
        cmocka_unit_test(kept_units_are_within_the_limit),
        cmocka_unit_test(followers_are_within_the_limit),
        cmocka_unit_test(detours_are_the_definition),
    };
    return cmocka_run_group_tests_name("completions", tests, NULL, NULL);
}
