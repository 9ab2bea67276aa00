/* Potentials of histories of units: subgradient steps on the cheapest routes among few units of each position. */
#include "search/unit_potentials.h"

#include "base/contract.h"
#include "search/ascent.h"
#include "search/completion_impl.h"
#include "search/few_units.h"
#include "search/unit_routes.h"

#include <permfst/base/arena.h>

#include <stdlib.h>

enum {
    FEW = 4,     /* units of a position */
    ROUTES = 4   /* of a step, which goes where they lead to together; the first one is the cheapest */
};

/* Gaps of so large a part of the best bound are expected: in the first round, and in the last one. Potentials change less than
 * prices: there are more of them. Noise of a visit is so large a part of the gap that is expected. */
static const float FIRST_GAP = 0.3F, LAST_GAP = 0.1F, SCALE = 0.35F, NOISE = 0.5F;
static const double ROUNDED = 1e-9; /* costs that are sums in different orders differ by less */
static const float SHARE = 1.0F / ROUTES; /* of a route in a step */

/* The costs of some units, and routes over them. */
typedef struct {
    const pfi_bound_tables *tables;
    pfi_unit_costs *costs;
    pfi_unit_routes routes;
} route_world;

/* What a model takes the cost of a step from, and where it leads; PFI_NO_HISTORY: nothing. */
typedef struct {
    uint32_t before, then;
} step_histories;

typedef struct {
    bool known;
    pfi_route_place from;
    uint32_t to;
    step_histories of[PFI_ASCENT_PARTS]; /* of each model */
} noted_step;

typedef struct {
    const pfi_bound_tables *tables; /* of all units */
    unsigned positions;
    noted_step *noted;           /* after each number of visits: the step of the route that was noted last in this round */
    float *price, *price_change; /* of each position */
    pfi_ascent ascent;           /* the models' histories, and last the prices */
    uint64_t draw;
    pf_arena memory;
} unit_climb;

/* What the models say, and the costs, with the potentials that there are. */
static void find_costs(const route_world *world) {
    for (size_t i = 0; i < world->tables->models; i++) {
        const pfi_model_costs *model = &world->tables->model[i];
        if (model->listings) pfi_listings_least(model->listings, model->history_potential, model->after);
    }
    pfi_unit_costs_fill(world->costs, world->tables);
}

/* ---- what routes change ---- */

/* The histories of a model at a step: none where what is said leads to where it was, and none then at the end. */
static void find_histories(const pfi_bound_tables *tables, size_t which, pfi_route_place from, uint32_t to, step_histories *of) {
    const pfi_said *said = tables->said;
    const pfi_model_costs *model = &tables->model[which];
    const bool told_apart = said->classes && which == said->model;
    *of = (step_histories){PFI_NO_HISTORY, PFI_NO_HISTORY};
    if (!model->listings || (told_apart && pfi_is_told_apart(said, to))) return;
    const bool after_class = told_apart && pfi_is_told_apart(said, from.unit);
    const size_t place = after_class ? said->units + (size_t)1 + from.class : from.unit;
    const uint32_t column = to < tables->slots.n ? model->column[to] : (uint32_t)model->width;
    const double least = pfi_after(model, place)[column], enough = least + ROUNDED * (fabs(least) + 1);
    step_histories found;
    if (pfi_listings_cheapest(model->listings, model->row[place], column, model->history_potential, enough, &found.before,
                              &found.then))
        *of = (step_histories){found.before, to < tables->slots.n ? found.then : PFI_NO_HISTORY};
}

static void find_step(const pfi_bound_tables *tables, pfi_route_place from, uint32_t to, noted_step *step) {
    *step = (noted_step){.known = true, .from = from, .to = to};
    for (size_t i = 0; i < tables->models; i++) find_histories(tables, i, from, to, &step->of[i]);
}

/* A step from one place to another; of the end: `to` is no unit. Most routes have it in common with the one noted before. */
static void note_step(unit_climb *maker, const pfi_bound_tables *tables, noted_step *step, pfi_route_place from, uint32_t to) {
    const bool known = step->known && step->from.unit == from.unit && step->from.class == from.class && step->to == to;
    if (!known) find_step(tables, from, to, step);
    for (size_t i = 0; i < tables->models; i++) {
        if (step->of[i].before != PFI_NO_HISTORY) maker->ascent.part[i].change[step->of[i].before] -= SHARE;
        if (step->of[i].then != PFI_NO_HISTORY) maker->ascent.part[i].change[step->of[i].then] += SHARE;
    }
}

static void note_route(unit_climb *maker, const pfi_unit_routes *routes, float noise) {
    const pfi_bound_tables *tables = routes->tables;
    pfi_route_place from = {tables->slots.n, 0};
    for (unsigned visits = 0; visits < maker->positions; visits++) {
        const pfi_route_place next = pfi_unit_routes_next(routes, visits, from, noise, &maker->draw);
        note_step(maker, tables, &maker->noted[visits], from, next.unit);
        maker->price_change[tables->stands[next.unit]] -= SHARE;
        from = next;
    }
    note_step(maker, tables, &maker->noted[maker->positions], from, tables->slots.n);
}

/* The cheapest route, and others that cost little more. */
static void note_routes(unit_climb *maker, const pfi_unit_routes *routes, float noise) {
    for (size_t i = 0; i < maker->tables->models; i++)
        memset(maker->ascent.part[i].change, 0, maker->ascent.part[i].count * sizeof *maker->ascent.part[i].change);
    for (unsigned position = 0; position < maker->positions; position++) maker->price_change[position] = 1;
    for (unsigned visits = 0; visits <= maker->positions; visits++) maker->noted[visits].known = false;
    for (unsigned route = 0; route < ROUTES; route++) note_route(maker, routes, route ? noise : 0);
    for (size_t i = 0; i < maker->tables->models; i++) maker->ascent.part[i].change[0] = 0; /* that of the start */
}

/* ---- rounds ---- */

/* The first prices: the least that each position costs after any other one. */
static pf_err begin_prices(const unit_climb *maker, const pfi_unit_costs *costs) {
    const pfi_bound_tables *tables = maker->tables;
    float *least = malloc(costs->stride * sizeof *least);
    if (!least) return pf_nomem();
    memcpy(least, costs->after, costs->stride * sizeof *least);
    for (uint32_t last = 1; last <= tables->slots.n; last++)
        for (size_t i = 0; i < costs->stride; i += PFI_CHUNK) pfi_take_less(&least[i], &costs->after[last * costs->stride + i], 0);
    for (unsigned position = 0; position < maker->positions; position++) {
        float price = INFINITY;
        for (uint32_t unit = tables->place[position]; unit < tables->place[position + 1]; unit++)
            price = pfi_smaller(least[unit], price);
        maker->price[position] = fabsf(price) < INFINITY ? price : 0;
    }
    free(least);
    return PF_OK;
}

/* So many rounds among few units. */
static void climb(unit_climb *maker, route_world *few, unsigned rounds) {
    for (unsigned round = 0; round < rounds; round++) {
        find_costs(few);
        const float cost = pfi_unit_routes_find(&few->routes);
        if (!(cost < INFINITY)) return;
        maker->ascent.gap = FIRST_GAP + (LAST_GAP - FIRST_GAP) * (float)round / (float)rounds;
        note_routes(maker, &few->routes, NOISE * maker->ascent.gap * fabsf(cost) / (float)maker->positions);
        if (!pfi_ascent_step(&maker->ascent, cost)) return;
    }
}

static pf_err climb_among(unit_climb *maker, const pfi_bound_tables *tables, unsigned rounds) {
    pfi_unit_costs costs;
    route_world few = {tables, &costs, {0}};
    pf_err err = pfi_unit_costs_init(&costs, tables);
    if (!err) err = pfi_unit_routes_init(&few.routes, tables, &costs, maker->price);
    if (!err) climb(maker, &few, rounds);
    pfi_unit_routes_free(&few.routes);
    pfi_unit_costs_free(&costs);
    return err;
}

/* Rounds among the units that the best routes go over, by what is known of all units. What is best is kept. */
static pf_err climb_all(unit_climb *maker, route_world *all, unsigned rounds) {
    PF_TRY(pfi_unit_routes_init(&all->routes, all->tables, all->costs, maker->price));
    PF_TRY(begin_prices(maker, all->costs));
    float *over = pf_arena_get(&maker->memory, all->costs->stride * sizeof *over);
    pfi_few_units few = {0};
    if (!over) return pf_nomem();
    if (!(pfi_unit_routes_find(&all->routes) < INFINITY)) return PF_OK;
    pf_err err = pfi_unit_routes_over(&all->routes, over);
    if (!err) err = pfi_few_units_init(&few, maker->tables, over, FEW);
    if (!err) err = climb_among(maker, &few.tables, rounds);
    pfi_few_units_free(&few);
    pfi_ascent_end(&maker->ascent);
    find_costs(all);
    return err;
}

/* What is known of routes in the end. */
static pf_err keep_routes(const unit_climb *maker, route_world *all, pfi_bound *bound) {
    const size_t copies = bound->said.copies;
    bound->price = malloc(maker->positions * sizeof *bound->price);
    bound->rest_of_routes = pfi_floats_and_chunk(maker->positions * copies);
    if (!bound->price || !bound->rest_of_routes) return pf_nomem();
    memcpy(bound->price, maker->price, maker->positions * sizeof *bound->price);
    pfi_unit_routes_find(&all->routes);
    for (unsigned visits = 0; visits < maker->positions; visits++)
        pfi_unit_routes_rest(&all->routes, visits, &bound->rest_of_routes[visits * copies]);
    return PF_OK;
}

/* ---- memory ---- */

static float *floats(unit_climb *maker, size_t count) {
    float *made = pf_arena_get(&maker->memory, count * sizeof *made);
    for (size_t i = 0; made && i < count; i++) made[i] = 0;
    return made;
}

/* `value` has the place of so many, in whole chunks. */
static pf_err add_part(unit_climb *maker, size_t count, float scale, float *value) {
    pfi_ascent_part *part = &maker->ascent.part[maker->ascent.parts++];
    count = pfi_whole_chunks(count);
    *part = (pfi_ascent_part){count, scale, value, floats(maker, count), floats(maker, count), floats(maker, count)};
    return part->value && part->change && part->direction && part->best ? PF_OK : pf_nomem();
}

/* The potentials are the models'. A model without histories has none, and its part is as small as can be. */
static pf_err make_ascent(unit_climb *maker) {
    maker->ascent = pfi_ascent_begin(FIRST_GAP);
    for (size_t i = 0; i < maker->tables->models; i++) {
        pfi_model_costs *model = &maker->tables->model[i];
        const size_t count = model->listings ? pfi_listings_histories(model->listings) : 1;
        model->history_potential = calloc(pfi_whole_chunks(count), sizeof *model->history_potential);
        PF_TRY(add_part(maker, count, SCALE, model->history_potential));
    }
    maker->noted = pf_arena_get(&maker->memory, (maker->positions + (size_t)1) * sizeof *maker->noted);
    if (!maker->noted) return pf_nomem();
    maker->price = floats(maker, pfi_whole_chunks(maker->positions));
    PF_TRY(add_part(maker, maker->positions, 1, maker->price));
    maker->price_change = maker->ascent.part[maker->tables->models].change;
    return PF_OK;
}

pf_err pfi_unit_potentials_find(const pfi_bound_tables *tables, unsigned rounds, pfi_unit_costs *costs, pfi_bound *bound) {
    unit_climb maker = {.tables = tables, .positions = tables->moves->n};
    route_world all = {tables, costs, {0}};
    if (tables->models >= PFI_ASCENT_PARTS) return PF_OK;
    pf_err err = make_ascent(&maker);
    if (!err) err = climb_all(&maker, &all, rounds);
    if (!err) err = keep_routes(&maker, &all, bound);
    pfi_unit_routes_free(&all.routes);
    pf_arena_free(&maker.memory);
    return err;
}
