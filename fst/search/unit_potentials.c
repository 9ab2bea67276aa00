/* Potentials of histories of units: subgradient steps on the cheapest route. */
#include "search/unit_potentials.h"

#include "base/contract.h"
#include "search/ascent.h"
#include "search/wide.h"

#include <permfst/base/arena.h>
#include <permfst/base/cover.h>
#include <permfst/machine/space.h>

#include <stdlib.h>

/* A gap of so large a part of the best bound is expected. Potentials change less than prices: there are more of them. */
static const float GAP = 0.14F, SCALE = 0.35F;

/* Where a route is: a unit, or the start, and what was said last if that is told apart. */
typedef struct {
    uint32_t unit, class;
} route_place;

typedef struct {
    const pfi_bound_tables *tables;
    pfi_unit_costs *costs;
    bool wide;                   /* pfi_has_wide */
    unsigned positions, classes; /* 0: units are not told apart */
    uint32_t *first, *end;       /* of each number of visits, from 0: the units that may be visited next */
    uint32_t *silent;            /* the units that are told apart, ascending */
    unsigned silents;
    size_t silent_stride;        /* floats in their rows: a multiple of PFI_CHUNK; those beyond them are INFINITY */
    float *silent_after;         /* of each unit, and of the start, a row: what they cost next */
    float *then, *rest;          /* of each unit: what comes after it; for each number of visits a row, of the unit that is visited
                                    next: the same, less its price. INFINITY for units that are told apart */
    float *silent_then, *silent_rest; /* of each class, the same of the units that are told apart, where this was said last */
    float *said_rest;            /* scratch: a row */
    float *price, *price_change; /* of each position */
    pfi_ascent ascent;           /* the models' histories, and last the prices */
    pf_arena memory;
} route_maker;

static float *row_of_rest(const route_maker *maker, unsigned visits) { return &maker->rest[visits * maker->costs->stride]; }

static float *silent_row(const route_maker *maker, unsigned visits, unsigned class) {
    return &maker->silent_rest[(visits * (size_t)maker->classes + class) * maker->silent_stride];
}

/* The least sum of two rows, in whole chunks from that of `first` to that before `end`. */
PFI_WIDE_BODY float find_least_sum(const float *restrict one, const float *restrict other, uint32_t first, uint32_t end) {
    float least[PFI_CHUNK], all = INFINITY;
    for (size_t k = 0; k < PFI_CHUNK; k++) least[k] = INFINITY;
    for (size_t i = first / PFI_CHUNK * PFI_CHUNK; i < end; i += PFI_CHUNK)
        for (size_t k = 0; k < PFI_CHUNK; k++) {
            const float sum = one[i + k] + other[i + k];
            least[k] = sum < least[k] ? sum : least[k];
        }
    for (size_t k = 0; k < PFI_CHUNK; k++) all = least[k] < all ? least[k] : all;
    return all;
}

static float least_sum_plain(const float *one, const float *other, uint32_t first, uint32_t end) {
    return find_least_sum(one, other, first, end);
}

PFI_WIDE static float least_sum_wide(const float *one, const float *other, uint32_t first, uint32_t end) {
    return find_least_sum(one, other, first, end);
}

static float least_sum(const route_maker *maker, const float *one, const float *other, uint32_t first, uint32_t end) {
    return (maker->wide ? least_sum_wide : least_sum_plain)(one, other, first, end);
}

/* ---- the cheapest route ---- */

/* May a unit be visited after so many visits? */
static bool is_in_range(const route_maker *maker, unsigned visits, uint32_t unit) {
    return maker->first[visits] <= unit && unit < maker->end[visits];
}

/* What comes after so many visits, of what comes after one more. */
static void find_rest(const route_maker *maker, unsigned visits) {
    float *rest = row_of_rest(maker, visits);
    const uint16_t *stands = maker->tables->stands;
    for (uint32_t unit = maker->first[visits]; unit < maker->end[visits]; unit++)
        rest[unit] = maker->then[unit] - maker->price[stands[unit]];
    for (unsigned class = 0; class < maker->classes; class++) {
        float *silent_rest = silent_row(maker, visits, class);
        const float *then = &maker->silent_then[class * maker->silent_stride];
        for (unsigned i = 0; i < maker->silents; i++)
            silent_rest[i] =
                is_in_range(maker, visits, maker->silent[i]) ? then[i] - maker->price[stands[maker->silent[i]]] : INFINITY;
    }
}

/* The least cost after a unit that is not told apart. */
static float then_after(const route_maker *maker, unsigned visits, uint32_t unit) {
    const pfi_said *said = maker->costs->said;
    const float *after = &maker->costs->after[unit * maker->costs->stride];
    const uint64_t *leads_to = &said->leads_to[unit * (size_t)said->words];
    float least = least_sum(maker, after, row_of_rest(maker, visits), maker->first[visits], maker->end[visits]);
    const float *silent = &maker->silent_after[unit * maker->silent_stride];
    for (unsigned c = pf_cover_next(leads_to, said->words, 0); c < said->classes; c = pf_cover_next(leads_to, said->words, c + 1))
        least = pfi_smaller(least_sum(maker, silent, silent_row(maker, visits, c), 0, maker->silents), least);
    return least;
}

/* After units that are told apart, where something of a class was said last. */
static void find_silent_then(const route_maker *maker, unsigned visits, unsigned class) {
    const size_t stride = maker->costs->stride;
    const float *rest = row_of_rest(maker, visits), *after_said = &maker->costs->after_said[class * stride];
    for (size_t i = 0; i < stride; i++) maker->said_rest[i] = rest[i] + after_said[i];
    for (unsigned i = 0; i < maker->silents; i++) maker->said_rest[maker->silent[i]] = silent_row(maker, visits, class)[i];
    for (unsigned i = 0; i < maker->silents; i++)
        if (is_in_range(maker, visits - 1, maker->silent[i]))
            maker->silent_then[class * maker->silent_stride + i] =
                least_sum(maker, &maker->costs->after[maker->silent[i] * stride], maker->said_rest, maker->first[visits],
                          maker->end[visits]);
}

/* Replaces what comes after one visit more by what comes after so many. */
static void find_then(const route_maker *maker, unsigned visits) {
    find_rest(maker, visits);
    for (uint32_t unit = maker->first[visits - 1]; unit < maker->end[visits - 1]; unit++)
        if (!pfi_is_told_apart(maker->costs->said, unit)) maker->then[unit] = then_after(maker, visits, unit);
    for (unsigned class = 0; class < maker->classes; class++) find_silent_then(maker, visits, class);
}

static void find_ends(const route_maker *maker) {
    const pfi_unit_costs *costs = maker->costs;
    for (uint32_t unit = 0; unit < maker->tables->slots.n; unit++)
        maker->then[unit] = pfi_is_told_apart(costs->said, unit) ? INFINITY : costs->end[unit];
    for (unsigned class = 0; class < maker->classes; class++)
        for (unsigned i = 0; i < maker->silents; i++)
            maker->silent_then[class * maker->silent_stride + i] = costs->end[maker->silent[i]] + costs->end_said[class];
}

/* A place that may come next, and the cost from there on. */
typedef struct {
    float cost;
    route_place place;
} next_step;

/* The best of the silent units, if something of a class was said last, or the best step so far. */
static next_step best_silent(const route_maker *maker, unsigned visits, const float *after, unsigned class, next_step best) {
    const float *rest = silent_row(maker, visits, class);
    for (unsigned i = 0; i < maker->silents; i++) {
        const float cost = after[maker->silent[i]] + rest[i];
        if (cost < best.cost) best = (next_step){cost, {maker->silent[i], class}};
    }
    return best;
}

static next_step best_step(const route_maker *maker, unsigned visits, route_place from) {
    const pfi_unit_costs *costs = maker->costs;
    const pfi_said *said = costs->said;
    const float *after = &costs->after[from.unit * costs->stride], *rest = row_of_rest(maker, visits);
    const bool silent = pfi_is_told_apart(said, from.unit);
    const float *after_said = silent ? &costs->after_said[from.class * costs->stride] : NULL;
    const uint64_t *leads_to = &said->leads_to[from.unit * (size_t)said->words];
    next_step best = {.cost = INFINITY};
    for (uint32_t unit = maker->first[visits]; unit < maker->end[visits]; unit++) {
        const float cost = after[unit] + (after_said ? after_said[unit] : 0) + rest[unit];
        if (cost < best.cost) best = (next_step){cost, {unit, 0}};
    }
    if (silent) return best_silent(maker, visits, after, from.class, best);
    for (unsigned i = pf_cover_next(leads_to, said->words, 0); i < said->classes; i = pf_cover_next(leads_to, said->words, i + 1))
        best = best_silent(maker, visits, after, i, best);
    return best;
}

/* ---- what it changes ---- */

/* The histories that a step from one place to another takes its costs from, and leads to; of the end: `to` is no unit. */
static void note_step(route_maker *maker, route_place from, uint32_t to) {
    const pfi_bound_tables *tables = maker->tables;
    const pfi_said *said = maker->costs->said;
    for (size_t i = 0; i < tables->models; i++) {
        const pfi_model_costs *model = &tables->model[i];
        const bool told_apart = said->classes && i == said->model;
        if (!model->listings || (told_apart && pfi_is_told_apart(said, to))) continue; /* what says nothing leads to where it was */
        const bool after_class = told_apart && pfi_is_told_apart(said, from.unit);
        const size_t place = after_class ? said->units + (size_t)1 + from.class : from.unit;
        const uint32_t column = to < tables->slots.n ? model->column[to] : model->rows->width;
        uint32_t before, then;
        if (!pfi_listings_cheapest(model->listings, model->row[place], column, model->history_potential, &before, &then)) continue;
        maker->ascent.part[i].change[before] -= 1;
        if (to < tables->slots.n) maker->ascent.part[i].change[then] += 1;
    }
}

/* Follows the best route. Its cost, with all prices; INFINITY: there is none. */
static float follow_route(route_maker *maker) {
    const uint32_t units = maker->tables->slots.n;
    route_place from = {units, 0};
    float start = INFINITY;
    for (size_t i = 0; i < maker->tables->models; i++)
        memset(maker->ascent.part[i].change, 0, maker->ascent.part[i].count * sizeof *maker->ascent.part[i].change);
    for (unsigned position = 0; position < maker->positions; position++) maker->price_change[position] = 1;
    for (unsigned visits = 0; visits < maker->positions; visits++) {
        const next_step next = best_step(maker, visits, from);
        if (next.cost == INFINITY) return next.cost;
        if (!visits) start = next.cost;
        note_step(maker, from, next.place.unit);
        maker->price_change[maker->tables->stands[next.place.unit]] -= 1;
        from = next.place;
    }
    note_step(maker, from, units);
    for (size_t i = 0; i < maker->tables->models; i++) maker->ascent.part[i].change[0] = 0; /* that of the start */
    for (unsigned position = 0; position < maker->positions; position++) start += maker->price[position];
    return start;
}

/* What silent units cost next, side by side. */
static void take_silent(const route_maker *maker) {
    for (size_t last = 0; last <= maker->tables->slots.n; last++) {
        const float *after = &maker->costs->after[last * maker->costs->stride];
        float *silent = &maker->silent_after[last * maker->silent_stride];
        for (unsigned i = 0; i < maker->silents; i++) silent[i] = after[maker->silent[i]];
    }
}

static float best_route(route_maker *maker) {
    take_silent(maker);
    find_ends(maker);
    for (unsigned visits = maker->positions - 1; visits; visits--) find_then(maker, visits);
    find_rest(maker, 0);
    return follow_route(maker);
}

/* ---- rounds ---- */

/* What the models say, and the costs, with the potentials that there are. */
static void find_costs(const route_maker *maker) {
    for (size_t i = 0; i < maker->tables->models; i++) {
        const pfi_model_costs *model = &maker->tables->model[i];
        if (model->listings) pfi_listings_least(model->listings, model->history_potential, model->after);
    }
    pfi_unit_costs_fill(maker->costs, maker->tables);
}

/* The first prices: the least that each position costs after any other one. */
static void begin_prices(const route_maker *maker) {
    const pfi_unit_costs *costs = maker->costs;
    const uint32_t units = maker->tables->slots.n;
    float *least = maker->said_rest;
    memcpy(least, costs->after, costs->stride * sizeof *least);
    for (uint32_t last = 1; last <= units; last++)
        for (size_t i = 0; i < costs->stride; i++) least[i] = pfi_smaller(costs->after[last * costs->stride + i], least[i]);
    for (unsigned position = 0; position < maker->positions; position++) {
        float price = INFINITY;
        for (uint32_t unit = maker->tables->place[position]; unit < maker->tables->place[position + 1]; unit++)
            price = pfi_smaller(least[unit], price);
        maker->price[position] = fabsf(price) < INFINITY ? price : 0;
    }
}

/* Leaves the costs as they are with the best potentials. */
static void climb(route_maker *maker, unsigned rounds) {
    begin_prices(maker);
    for (unsigned round = 0; round < rounds; round++) {
        if (round) find_costs(maker);
        const float cost = best_route(maker);
        if (!(cost < INFINITY) || !pfi_ascent_step(&maker->ascent, cost)) break;
    }
    pfi_ascent_end(&maker->ascent);
    find_costs(maker);
}

/* ---- memory ---- */

static float *floats(route_maker *maker, size_t count, float value) {
    float *made = pf_arena_get(&maker->memory, count * sizeof *made);
    for (size_t i = 0; made && i < count; i++) made[i] = value;
    return made;
}

/* `value` has the place of so many, in whole chunks. */
static pf_err add_part(route_maker *maker, size_t count, float scale, float *value, bool keep_best) {
    pfi_ascent_part *part = &maker->ascent.part[maker->ascent.parts++];
    count = pfi_whole_chunks(count);
    *part = (pfi_ascent_part){count, scale, value, floats(maker, count, 0), floats(maker, count, 0),
                              keep_best ? floats(maker, count, 0) : NULL};
    return part->value && part->change && part->direction && (part->best || !keep_best) ? PF_OK : pf_nomem();
}

/* The potentials are the models'. A model without histories has none, and its part is as small as can be. */
static pf_err make_ascent(route_maker *maker) {
    maker->ascent = pfi_ascent_begin(GAP);
    for (size_t i = 0; i < maker->tables->models; i++) {
        pfi_model_costs *model = &maker->tables->model[i];
        const size_t count = model->listings ? pfi_listings_histories(model->listings) : 1;
        model->history_potential = calloc(pfi_whole_chunks(count), sizeof *model->history_potential);
        PF_TRY(add_part(maker, count, SCALE, model->history_potential, true));
    }
    maker->price = floats(maker, pfi_whole_chunks(maker->positions), 0);
    PF_TRY(add_part(maker, maker->positions, 1, maker->price, false));
    maker->price_change = maker->ascent.part[maker->tables->models].change;
    return PF_OK;
}

static pf_err make_room(route_maker *maker) {
    const size_t stride = maker->costs->stride, positions = maker->positions;
    const uint32_t units = maker->tables->slots.n;
    maker->first = pf_arena_get(&maker->memory, positions * sizeof *maker->first);
    maker->end = pf_arena_get(&maker->memory, positions * sizeof *maker->end);
    maker->silent = pf_arena_get(&maker->memory, units * sizeof *maker->silent);
    if (!maker->first || !maker->end || !maker->silent) return pf_nomem();
    for (uint32_t unit = 0; unit < units; unit++)
        if (pfi_is_told_apart(maker->costs->said, unit)) maker->silent[maker->silents++] = unit;
    maker->silent_stride = pfi_whole_chunks(maker->silents);
    const size_t silent_row = maker->classes * maker->silent_stride;
    maker->then = floats(maker, stride, INFINITY);
    maker->rest = floats(maker, positions * stride, INFINITY);
    maker->silent_then = floats(maker, silent_row, INFINITY);
    maker->silent_rest = floats(maker, positions * silent_row, INFINITY);
    maker->said_rest = floats(maker, stride, INFINITY);
    maker->silent_after = floats(maker, (units + (size_t)1) * maker->silent_stride, INFINITY);
    if (!maker->then || !maker->rest || !maker->silent_then || !maker->silent_rest) return pf_nomem();
    if (!maker->said_rest || !maker->silent_after) return pf_nomem();
    for (unsigned visits = 0; visits < positions; visits++) {
        unsigned least, most;
        pf_space_range(maker->tables->space, visits, &least, &most);
        maker->first[visits] = maker->tables->place[least];
        maker->end[visits] = maker->tables->place[most + 1];
    }
    return make_ascent(maker);
}

pf_err pfi_unit_potentials_find(const pfi_bound_tables *tables, unsigned rounds, pfi_unit_costs *costs) {
    route_maker maker = {.tables = tables, .costs = costs, .positions = tables->moves->n,
                         .wide = pfi_has_wide(), .classes = tables->said->classes};
    if (tables->models >= PFI_ASCENT_PARTS) return PF_OK;
    assert(pf_space_length(tables->space) == maker.positions);
    pf_err err = make_room(&maker);
    if (!err) climb(&maker, rounds);
    for (size_t i = 0; !err && i < tables->models; i++)
        if (tables->model[i].listings) pfi_take_least(tables, &tables->model[i]);
    pf_arena_free(&maker.memory);
    return err;
}
