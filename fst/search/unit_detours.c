/* What paths cost more than routes, backwards over all moves. */
#include "search/unit_detours.h"

#include "base/contract.h"
#include "search/bound_impl.h"
#include "search/completion_impl.h"

#include <stdlib.h>

typedef struct {
    pfi_unit_detours *detours;
    const pf_moves *moves;
    const pfi_bound *bound;
    const pfi_turned_costs *turned;
    const uint32_t *place; /* of each position, its first unit */
    double own;
    float final;           /* the cost of the end, of which routes know only the part that the models say */
    pfi_added_rows rows;   /* scratch */
} detour_maker;

static const float *rest_of_routes(const detour_maker *maker, unsigned level) {
    return &maker->bound->rest_of_routes[level * (size_t)maker->bound->length];
}

/* The least detours of steps to a position of the next level from units of a level, of these from `first` on. */
static const float *detour_row(const pfi_unit_detours *detours, unsigned level, unsigned to, uint32_t first) {
    const pfi_detour_level *here = &detours->level[level];
    assert(first >= here->first_unit);
    return &detours->row[here->rows + (to - here[1].least) * here->stride + (first - here->first_unit)];
}

/* ---- levels ---- */

static pfi_detour_level level_of(const detour_maker *maker, unsigned at) {
    const pf_moves *moves = maker->moves;
    pfi_detour_level level = {.least = moves->n};
    unsigned most = 0;
    for (uint32_t i = moves->first[moves->level[at]]; i < moves->first[moves->level[at + 1]]; i++) {
        level.least = moves->position[i] < level.least ? moves->position[i] : level.least;
        most = moves->position[i] > most ? moves->position[i] : most;
    }
    assert(level.least <= most);
    level.width = most + 1 - level.least;
    level.first_unit = maker->place[level.least];
    level.units = maker->place[most + 1] - level.first_unit;
    level.stride = pfi_whole_chunks(level.units);
    return level;
}

static pf_err make_levels(const detour_maker *maker) {
    pfi_unit_detours *detours = maker->detours;
    size_t rows = 0, steps = 0;
    detours->level = malloc(maker->moves->n * sizeof *detours->level);
    if (!detours->level) return pf_nomem();
    for (unsigned at = 0; at < maker->moves->n; at++) {
        detours->level[at] = level_of(maker, at);
        if (at) {
            rows += detours->level[at].width * detours->level[at - 1].stride;
            steps += detours->level[at].width * (size_t)detours->level[at - 1].width;
        }
        detours->level[at].rows = rows;
        detours->level[at].steps = steps;
    }
    detours->row = malloc((rows + PFI_CHUNK) * sizeof *detours->row);
    detours->step = malloc((steps + 1) * sizeof *detours->step);
    if (!detours->row || !detours->step) return pf_nomem();
    for (size_t k = 0; k < PFI_CHUNK; k++) detours->row[rows + k] = INFINITY; /* the last chunk of units may go on there */
    return PF_OK;
}

/* ---- steps ---- */

/* Makes what units of a chunk cost next, with what comes after that on routes, their detours. */
PFI_WIDE_BODY void less_rest(const float *rest, float price, float *restrict cost) {
    float detour[PFI_CHUNK];
    pfi_completion_less_by(cost, PFI_COMPLETION_ROUNDING);
    for (size_t k = 0; k < PFI_CHUNK; k++) detour[k] = cost[k] - (rest[k] < FLT_MAX ? rest[k] : FLT_MAX);
    for (size_t k = 0; k < PFI_CHUNK; k++) detour[k] = rest[k] < INFINITY ? detour[k] : INFINITY;
    pfi_completion_less_by(detour, PFI_COMPLETION_ROUNDING);
    for (size_t k = 0; k < PFI_CHUNK; k++) detour[k] -= price;
    pfi_completion_less_by(detour, PFI_COMPLETION_ROUNDING);
    for (size_t k = 0; k < PFI_CHUNK; k++) cost[k] = detour[k];
}

PFI_WIDE_BODY void less_rests(const float *rest, float price, size_t count, float *cost) {
    for (size_t i = 0; i < count; i += PFI_CHUNK) less_rest(&rest[i], price, &cost[i]);
}

static void less_rests_plain(const float *rest, float price, size_t count, float *cost) { less_rests(rest, price, count, cost); }

PFI_WIDE static void less_rests_wide(const float *rest, float price, size_t count, float *cost) {
    less_rests(rest, price, count, cost);
}

/* The detours of the steps from the units of a level to a position of the next one. */
static pf_err fill_row(detour_maker *maker, unsigned level, unsigned to, float *row) {
    const pfi_detour_level *here = &maker->detours->level[level];
    const float *rest = rest_of_routes(maker, level), *rest_after = rest_of_routes(maker, level + 1);
    maker->rows.n = 0;
    for (uint32_t unit = maker->place[to]; unit < maker->place[to + 1]; unit++)
        if (rest_after[unit] < INFINITY)
            PF_TRY(PF_PUSH(&maker->rows, ((pfi_added_row){&maker->turned->after_next[unit * maker->turned->stride],
                                                          rest_after[unit]})));
    pfi_least_of_rows(maker->rows.at, maker->rows.n, here->first_unit, here->units, row);
    (pfi_has_wide() ? less_rests_wide : less_rests_plain)(&rest[here->first_unit], maker->bound->price[to], here->stride, row);
    return PF_OK;
}

/* The steps from positions are the least of those of their units. */
static void fill_steps(const detour_maker *maker, unsigned level, unsigned to) {
    const pfi_detour_level *here = &maker->detours->level[level];
    const float *row = detour_row(maker->detours, level, to, here->first_unit);
    float *step = &maker->detours->step[here->steps + (to - here[1].least)];
    for (unsigned from = here->least; from < here->least + here->width; from++, step += here[1].width) {
        float least = INFINITY;
        for (uint32_t unit = maker->place[from] - here->first_unit; unit < maker->place[from + 1] - here->first_unit; unit++)
            least = row[unit] < least ? row[unit] : least;
        *step = least;
    }
}

static pf_err fill_level(detour_maker *maker, unsigned level) {
    const pfi_detour_level *here = &maker->detours->level[level];
    float *row = &maker->detours->row[here->rows];
    for (unsigned to = here[1].least; to < here[1].least + here[1].width; to++, row += here->stride) {
        PF_TRY(fill_row(maker, level, to, row));
        fill_steps(maker, level, to);
    }
    return PF_OK;
}

/* ---- moves ---- */

/* The detours after a move of a level before the last one. */
static float detours_after(const detour_maker *maker, unsigned level, uint32_t move) {
    const pf_moves *moves = maker->moves;
    const uint32_t state = moves->to[move], end = moves->first[state + 1];
    float least = INFINITY;
    for (uint32_t i = moves->first[state]; i < end; i++) {
        const float step = pfi_detour_step(maker->detours, level, moves->position[move], moves->position[i]);
        const float cost = step + maker->detours->then[i];
        least = cost < least ? cost : least;
    }
    return pfi_completion_less(least);
}

static void fill_moves(const detour_maker *maker, unsigned level) {
    const pf_moves *moves = maker->moves;
    for (uint32_t i = moves->first[moves->level[level]]; i < moves->first[moves->level[level + 1]]; i++) {
        const float after = level + 1 < moves->n ? detours_after(maker, level, i) : maker->final;
        maker->detours->then[i] = pfi_completion_less(pfi_cost_of_move(moves, maker->own, i) + after);
    }
}

pf_err pfi_unit_detours_after(pfi_unit_detours *detours, unsigned level, uint32_t move, uint32_t first, uint32_t units,
    float *after) {
    const pf_moves *moves = detours->moves;
    const uint32_t state = moves->to[move], end = moves->first[state + 1];
    assert(level + 1 < moves->n);
    detours->next.n = 0;
    for (uint32_t i = moves->first[state]; i < end; i++) {
        const float *row = detour_row(detours, level, moves->position[i], first);
        PF_TRY(PF_PUSH(&detours->next, ((pfi_added_row){row, detours->then[i]})));
    }
    pfi_least_of_rows(detours->next.at, detours->next.n, 0, units, after);
    return PF_OK;
}

/* ---- the start ---- */

/* What a path costs that begins with a move. */
static double start_with(const detour_maker *maker, uint32_t move) {
    const pfi_bound *bound = maker->bound;
    const float *start = &bound->after[bound->length * bound->stride], *rest = rest_of_routes(maker, 0);
    const unsigned position = maker->moves->position[move];
    double least = (double)INFINITY;
    for (uint32_t unit = maker->place[position]; unit < maker->place[position + 1]; unit++)
        least = fmin(least, (double)start[unit] + (double)rest[unit]);
    return least - (double)bound->price[position] + (double)maker->detours->then[move];
}

static double start_of(const detour_maker *maker) {
    double least = (double)INFINITY, prices = 0;
    for (unsigned i = 0; i < maker->moves->n; i++) prices += (double)maker->bound->price[i];
    for (uint32_t i = 0; i < maker->moves->first[1]; i++) least = fmin(least, start_with(maker, i));
    return least + prices;
}

/* ---- all of it ---- */

static pf_err make(detour_maker *maker) {
    pfi_unit_detours *detours = maker->detours;
    const pf_moves *moves = maker->moves;
    PF_TRY(make_levels(maker));
    detours->then = malloc((moves->first[moves->states] + (size_t)1) * sizeof *detours->then);
    if (!detours->then) return pf_nomem();
    for (unsigned level = moves->n; level-- > 0;) {
        if (level + 1 < moves->n) PF_TRY(fill_level(maker, level));
        fill_moves(maker, level);
    }
    detours->start = start_of(maker);
    return PF_OK;
}

pf_err pfi_unit_detours_find(pfi_unit_detours *detours, const pf_moves *moves, const pfi_bound *bound,
    const pfi_turned_costs *turned, double own, double final) {
    detour_maker maker = {.detours = detours, .moves = moves, .bound = bound, .turned = turned, .place = bound->said.place,
                          .own = own, .final = pfi_float_below(final)};
    assert(bound->price && bound->rest_of_routes);
    detours->moves = moves;
    const pf_err err = make(&maker);
    PF_VEC_FREE(&maker.rows);
    return err;
}

void pfi_unit_detours_free(pfi_unit_detours *detours) {
    free(detours->level);
    free(detours->row);
    free(detours->step);
    free(detours->then);
    PF_VEC_FREE(&detours->next);
    *detours = (pfi_unit_detours){0};
}
