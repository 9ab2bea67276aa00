/* The best route of units, backwards from the end: what comes after each number of visits. */
#include "search/unit_routes.h"

#include "base/contract.h"
#include "search/completion_impl.h"
#include "search/wide.h"

#include <permfst/base/cover.h>
#include <permfst/machine/space.h>

#include <limits.h>
#include <stdlib.h>

static inline float *row_of_rest(const pfi_unit_routes *routes, unsigned visits) {
    return &routes->rest[visits * routes->costs->stride];
}

static inline float *silent_row(const pfi_unit_routes *routes, unsigned visits, unsigned class) {
    return &routes->silent_rest[(visits * (size_t)routes->classes + class) * routes->silent_stride];
}

/* The least sum of two rows, in whole chunks from that of `first` to that before `end`. */
PFI_WIDE_BODY float least_sum(const float *restrict one, const float *restrict other, uint32_t first, uint32_t end) {
    float least[PFI_CHUNK];
    for (size_t k = 0; k < PFI_CHUNK; k++) least[k] = INFINITY;
    for (size_t i = first / PFI_CHUNK * PFI_CHUNK; i < end; i += PFI_CHUNK)
        for (size_t k = 0; k < PFI_CHUNK; k++) {
            const float sum = one[i + k] + other[i + k];
            least[k] = sum < least[k] ? sum : least[k];
        }
    return pfi_least_of_chunk(least);
}

/* May a unit be visited after so many visits? */
static inline bool is_in_range(const pfi_unit_routes *routes, unsigned visits, uint32_t unit) {
    return routes->first[visits] <= unit && unit < routes->end[visits];
}

static inline float price_of(const pfi_unit_routes *routes, uint32_t unit) { return routes->price[routes->tables->stands[unit]]; }

/* Can something of a class have been said last before a visit? */
static inline bool may_be_said(const pfi_unit_routes *routes, unsigned class, unsigned visits) {
    return routes->earliest[class] <= visits;
}

/* ---- backwards ---- */

/* What comes after so many visits, of what comes after one more. */
PFI_WIDE_BODY void find_rest(const pfi_unit_routes *routes, unsigned visits) {
    float *rest = row_of_rest(routes, visits);
    for (uint32_t unit = routes->first[visits]; unit < routes->end[visits]; unit++)
        rest[unit] = pfi_completion_less(routes->then[unit] - price_of(routes, unit));
    for (unsigned class = 0; class < routes->classes; class++) {
        if (!may_be_said(routes, class, visits)) continue;
        float *silent_rest = silent_row(routes, visits, class);
        const float *then = &routes->silent_then[class * routes->silent_stride];
        for (unsigned i = 0; i < routes->silents; i++) {
            const uint32_t unit = routes->silent[i];
            silent_rest[i] = is_in_range(routes, visits, unit) ? pfi_completion_less(then[i] - price_of(routes, unit)) : INFINITY;
        }
    }
}

/* The least cost after a unit that is not told apart. */
PFI_WIDE_BODY float then_after(const pfi_unit_routes *routes, unsigned visits, uint32_t unit) {
    const pfi_said *said = routes->costs->said;
    const float *after = &routes->costs->after[unit * routes->costs->stride];
    const uint64_t *leads_to = &said->leads_to[unit * (size_t)said->words];
    float least = least_sum(after, row_of_rest(routes, visits), routes->first[visits], routes->end[visits]);
    const float *silent = &routes->silent_after[unit * routes->silent_stride];
    for (unsigned c = pf_cover_next(leads_to, said->words, 0); c < said->classes; c = pf_cover_next(leads_to, said->words, c + 1))
        least = pfi_smaller(least_sum(silent, silent_row(routes, visits, c), 0, routes->silents), least);
    return pfi_completion_less(least);
}

/* What comes after so many visits where something of a class was said last: of all units that may be visited next. */
PFI_WIDE_BODY void find_said_rest(const pfi_unit_routes *routes, unsigned visits, unsigned class) {
    const size_t stride = routes->costs->stride, first = routes->first[visits] / PFI_CHUNK * PFI_CHUNK;
    const float *rest = row_of_rest(routes, visits), *after_said = &routes->costs->after_said[class * stride];
    const float *silent_rest = silent_row(routes, visits, class);
    for (size_t i = first; i < routes->end[visits]; i += PFI_CHUNK) {
        float sum[PFI_CHUNK];
        for (size_t k = 0; k < PFI_CHUNK; k++) sum[k] = rest[i + k] + after_said[i + k];
        pfi_completion_less_by(sum, PFI_COMPLETION_ROUNDING);
        for (size_t k = 0; k < PFI_CHUNK; k++) routes->said_rest[i + k] = sum[k];
    }
    for (unsigned i = 0; i < routes->silents; i++) routes->said_rest[routes->silent[i]] = silent_rest[i];
}

/* After units that are told apart, where something of a class was said last. */
PFI_WIDE_BODY void find_silent_then(const pfi_unit_routes *routes, unsigned visits, unsigned class) {
    const size_t stride = routes->costs->stride;
    float *then = &routes->silent_then[class * routes->silent_stride];
    find_said_rest(routes, visits, class);
    for (unsigned i = 0; i < routes->silents; i++)
        if (is_in_range(routes, visits - 1, routes->silent[i]))
            then[i] = pfi_completion_less(least_sum(&routes->costs->after[routes->silent[i] * stride], routes->said_rest,
                                                    routes->first[visits], routes->end[visits]));
}

/* Replaces what comes after one visit more by what comes after so many. */
PFI_WIDE_BODY void find_then(const pfi_unit_routes *routes, unsigned visits) {
    for (uint32_t unit = routes->first[visits - 1]; unit < routes->end[visits - 1]; unit++)
        if (!pfi_is_told_apart(routes->costs->said, unit)) routes->then[unit] = then_after(routes, visits, unit);
    for (unsigned class = 0; class < routes->classes; class++)
        if (may_be_said(routes, class, visits - 1)) find_silent_then(routes, visits, class);
}

static void find_ends(const pfi_unit_routes *routes) {
    const pfi_unit_costs *costs = routes->costs;
    for (uint32_t unit = 0; unit < routes->tables->slots.n; unit++)
        routes->then[unit] = pfi_is_told_apart(costs->said, unit) ? INFINITY : costs->end[unit];
    for (unsigned class = 0; class < routes->classes; class++)
        for (unsigned i = 0; i < routes->silents; i++)
            routes->silent_then[class * routes->silent_stride + i] =
                pfi_completion_less(costs->end[routes->silent[i]] + costs->end_said[class]);
}

/* What silent units cost next, side by side. */
static void take_silent(const pfi_unit_routes *routes) {
    for (size_t last = 0; last <= routes->tables->slots.n; last++) {
        const float *after = &routes->costs->after[last * routes->costs->stride];
        float *silent = &routes->silent_after[last * routes->silent_stride];
        for (unsigned i = 0; i < routes->silents; i++) silent[i] = after[routes->silent[i]];
    }
}

/* Everything, from the end; the least cost after the start. */
PFI_WIDE_BODY float find(const pfi_unit_routes *routes) {
    for (unsigned visits = routes->positions - 1; visits; visits--) {
        find_rest(routes, visits);
        find_then(routes, visits);
    }
    find_rest(routes, 0);
    return then_after(routes, 0, routes->tables->slots.n);
}

static float find_plain(const pfi_unit_routes *routes) { return find(routes); }

PFI_WIDE static float find_wide(const pfi_unit_routes *routes) { return find(routes); }

float pfi_unit_routes_find(pfi_unit_routes *routes) {
    take_silent(routes);
    find_ends(routes);
    float cost = (pfi_has_wide() ? find_wide : find_plain)(routes);
    for (unsigned position = 0; position < routes->positions; position++) cost += routes->price[position];
    return cost;
}

/* ---- one route ---- */

/* A place that may come next, and the cost from there on. */
typedef struct {
    float cost;
    pfi_route_place place;
} next_step;

/* Noise that is drawn for one place. */
static float drawn(float noise, uint64_t *draw) {
    if (!(noise > 0)) return 0;
    *draw = *draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return noise * (float)(*draw >> 40) / (float)(1 << 24);
}

/* The best of the silent units, if something of a class was said last, or the best step so far. */
static next_step best_silent(const pfi_unit_routes *routes, const float *rest, const float *after, unsigned class, float noise,
    uint64_t *draw, next_step best) {
    for (unsigned i = 0; i < routes->silents; i++) {
        float cost = after[routes->silent[i]] + rest[i];
        if (!(cost < best.cost)) continue;
        cost += drawn(noise, draw);
        if (cost < best.cost) best = (next_step){cost, {routes->silent[i], class}};
    }
    return best;
}

pfi_route_place pfi_unit_routes_next(const pfi_unit_routes *routes, unsigned visits, pfi_route_place from, float noise,
    uint64_t *draw) {
    const pfi_unit_costs *costs = routes->costs;
    const pfi_said *said = costs->said;
    const float *after = &costs->after[from.unit * costs->stride], *rest = row_of_rest(routes, visits);
    const bool silent = pfi_is_told_apart(said, from.unit);
    const float *after_said = silent ? &costs->after_said[from.class * costs->stride] : NULL;
    const uint64_t *leads_to = &said->leads_to[from.unit * (size_t)said->words];
    next_step best = {.cost = INFINITY, .place = {routes->tables->slots.n, 0}};
    for (uint32_t unit = routes->first[visits]; unit < routes->end[visits]; unit++) {
        float cost = after[unit] + (after_said ? after_said[unit] : 0) + rest[unit];
        if (!(cost < best.cost)) continue;
        cost += drawn(noise, draw);
        if (cost < best.cost) best = (next_step){cost, {unit, 0}};
    }
    if (silent) best = best_silent(routes, silent_row(routes, visits, from.class), after, from.class, noise, draw, best);
    else
        for (unsigned c = pf_cover_next(leads_to, said->words, 0); c < said->classes;
             c = pf_cover_next(leads_to, said->words, c + 1))
            best = best_silent(routes, silent_row(routes, visits, c), after, c, noise, draw, best);
    assert(best.place.unit < routes->tables->slots.n);
    return best.place;
}

/* ---- forwards ---- */

/* What a route that has been at a unit leads to at least, after one visit more. */
PFI_WIDE_BODY void lead_from(const pfi_unit_routes *routes, unsigned visits, uint32_t unit, float cost, float *lead) {
    const float *after = &routes->costs->after[unit * routes->costs->stride];
    for (size_t i = routes->first[visits] / PFI_CHUNK * PFI_CHUNK; i < routes->end[visits]; i += PFI_CHUNK)
        pfi_take_less(&lead[i], &after[i], cost);
}

/* From all units that are told apart: of the next unit, the model says the least that it says after any class. */
PFI_WIDE_BODY void lead_from_silent(const pfi_unit_routes *routes, unsigned visits, const float *now, float *lead) {
    const float *said = routes->costs->after_said;
    const size_t stride = routes->costs->stride;
    for (size_t i = 0; i < stride; i++) routes->said_rest[i] = INFINITY;
    for (unsigned i = 0; i < routes->silents; i++)
        if (is_in_range(routes, visits - 1, routes->silent[i]))
            lead_from(routes, visits, routes->silent[i], now[routes->silent[i]], routes->said_rest);
    for (unsigned class = 0; class < routes->classes; class++, said += stride)
        if (may_be_said(routes, class, visits - 1))
            for (uint32_t unit = routes->first[visits]; unit < routes->end[visits]; unit++)
                lead[unit] = pfi_smaller(routes->said_rest[unit] + said[unit], lead[unit]);
}

/* Keeps what the best routes over the units of a visit cost. */
PFI_WIDE_BODY void take_over(const pfi_unit_routes *routes, unsigned visits, const float *lead, float *over) {
    const float *rest = row_of_rest(routes, visits);
    for (uint32_t unit = routes->first[visits]; unit < routes->end[visits]; unit++)
        over[unit] = pfi_smaller(lead[unit] + rest[unit], over[unit]); /* INFINITY, where units are told apart */
    for (unsigned class = 0; class < routes->classes; class++) {
        const float *silent_rest = silent_row(routes, visits, class);
        if (!may_be_said(routes, class, visits)) continue;
        for (unsigned i = 0; i < routes->silents; i++)
            over[routes->silent[i]] = pfi_smaller(lead[routes->silent[i]] + silent_rest[i], over[routes->silent[i]]);
    }
}

/* What routes to the units of the next visit cost at least: next[], by those to the units of this one, which get prices back. */
PFI_WIDE_BODY void lead_on(const pfi_unit_routes *routes, unsigned visits, float *now, float *next) {
    for (size_t i = 0; i < routes->costs->stride; i++) next[i] = INFINITY;
    for (uint32_t unit = routes->first[visits]; unit < routes->end[visits]; unit++) {
        now[unit] -= price_of(routes, unit);
        if (now[unit] < INFINITY && !pfi_is_told_apart(routes->costs->said, unit))
            lead_from(routes, visits + 1, unit, now[unit], next);
    }
    if (routes->silents) lead_from_silent(routes, visits + 1, now, next);
}

PFI_WIDE_BODY void find_over(const pfi_unit_routes *routes, float *now, float *next, float *over) {
    for (size_t unit = 0; unit < routes->costs->stride; unit++) now[unit] = over[unit] = INFINITY;
    lead_from(routes, 0, routes->tables->slots.n, 0, now);
    for (unsigned visits = 0;; visits++) {
        take_over(routes, visits, now, over);
        if (visits + 1 == routes->positions) return;
        lead_on(routes, visits, now, next);
        float *past = now;
        now = next;
        next = past;
    }
}

static void find_over_plain(const pfi_unit_routes *routes, float *now, float *next, float *over) {
    find_over(routes, now, next, over);
}

PFI_WIDE static void find_over_wide(const pfi_unit_routes *routes, float *now, float *next, float *over) {
    find_over(routes, now, next, over);
}

pf_err pfi_unit_routes_over(const pfi_unit_routes *routes, float *over) {
    const size_t stride = routes->costs->stride;
    float *memory = malloc(2 * stride * sizeof *memory);
    if (!memory) return pf_nomem();
    (pfi_has_wide() ? find_over_wide : find_over_plain)(routes, memory, memory + stride, over);
    free(memory);
    return PF_OK;
}

/* ---- what is left ---- */

void pfi_unit_routes_rest(const pfi_unit_routes *routes, unsigned visits, float *rest) {
    const pfi_said *said = routes->costs->said;
    for (uint32_t copy = 0; copy < said->copies; copy++) rest[copy] = INFINITY;
    for (uint32_t unit = routes->first[visits]; unit < routes->end[visits]; unit++)
        rest[said->first[unit]] = pfi_completion_less(row_of_rest(routes, visits)[unit] + price_of(routes, unit));
    for (unsigned i = 0; i < routes->silents; i++)
        for (unsigned class = 0; class < routes->classes; class++)
            rest[said->first[routes->silent[i]] + class] =
                pfi_completion_less(silent_row(routes, visits, class)[i] + price_of(routes, routes->silent[i]));
}

/* ---- memory ---- */

static float *floats(pfi_unit_routes *routes, size_t count) {
    float *made = pf_arena_get(&routes->memory, count * sizeof *made);
    for (size_t i = 0; made && i < count; i++) made[i] = INFINITY;
    return made;
}

/* A unit, or the start, may be visited as the last one of so many visits. */
static void note_earliest(const pfi_unit_routes *routes, uint32_t unit, unsigned visits) {
    const pfi_said *said = routes->costs->said;
    const uint64_t *leads_to = &said->leads_to[unit * (size_t)said->words];
    for (unsigned c = pf_cover_next(leads_to, said->words, 0); c < said->classes; c = pf_cover_next(leads_to, said->words, c + 1))
        if (visits < routes->earliest[c]) routes->earliest[c] = visits;
}

/* When something of each class may be said first. */
static void find_earliest(const pfi_unit_routes *routes) {
    for (unsigned class = 0; class < routes->classes; class++) routes->earliest[class] = UINT_MAX;
    if (!routes->classes) return;
    note_earliest(routes, routes->tables->slots.n, 0);
    for (unsigned visits = 0; visits < routes->positions; visits++)
        for (uint32_t unit = routes->first[visits]; unit < routes->end[visits]; unit++)
            if (!pfi_is_told_apart(routes->costs->said, unit)) note_earliest(routes, unit, visits + 1);
}

pf_err pfi_unit_routes_init(pfi_unit_routes *routes, const pfi_bound_tables *tables, const pfi_unit_costs *costs,
    const float *price) {
    const uint32_t units = tables->slots.n;
    const size_t stride = costs->stride, positions = tables->moves->n;
    *routes = (pfi_unit_routes){.tables = tables, .costs = costs, .price = price, .positions = tables->moves->n,
                                .classes = tables->said->classes};
    assert(pf_space_length(tables->space) == positions);
    routes->first = pf_arena_get(&routes->memory, positions * sizeof *routes->first);
    routes->end = pf_arena_get(&routes->memory, positions * sizeof *routes->end);
    routes->silent = pf_arena_get(&routes->memory, units * sizeof *routes->silent);
    routes->earliest = pf_arena_get(&routes->memory, (routes->classes + (size_t)1) * sizeof *routes->earliest);
    if (!routes->first || !routes->end || !routes->silent || !routes->earliest) return pf_nomem();
    for (uint32_t unit = 0; unit < units; unit++)
        if (pfi_is_told_apart(costs->said, unit)) routes->silent[routes->silents++] = unit;
    routes->silent_stride = pfi_whole_chunks(routes->silents);
    const size_t silent_row = routes->classes * routes->silent_stride;
    routes->then = floats(routes, stride);
    routes->rest = floats(routes, positions * stride);
    routes->silent_then = floats(routes, silent_row);
    routes->silent_rest = floats(routes, positions * silent_row);
    routes->said_rest = floats(routes, stride);
    routes->silent_after = floats(routes, (units + (size_t)1) * routes->silent_stride);
    if (!routes->then || !routes->rest || !routes->silent_then || !routes->silent_rest) return pf_nomem();
    if (!routes->said_rest || !routes->silent_after) return pf_nomem();
    for (unsigned visits = 0; visits < positions; visits++) {
        unsigned least, most;
        pf_space_range(tables->space, visits, &least, &most);
        routes->first[visits] = tables->place[least];
        routes->end[visits] = tables->place[most + 1];
    }
    find_earliest(routes);
    return PF_OK;
}

void pfi_unit_routes_free(pfi_unit_routes *routes) { pf_arena_free(&routes->memory); }
