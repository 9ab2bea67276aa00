/* The tables of the bound where words have many units: each unit is a position of its own, and a silent one several (said.h). */
#include "search/completion_impl.h"
#include "search/unit_costs.h"
#include "search/unit_potentials.h"
#include "search/wide.h"

#include "base/contract.h"

#include <permfst/base/cover.h>

#include <stdlib.h>

enum { MOST_UNITS = 1 << 10, MOST_COPIES = 1 << 11 };

static const double MOST_WORK = 1 << 25;
static const double MOST_WORK_OF_ONE = 2e10, MOST_WORK_OF_COPIES = 8e10; /* where one path is wanted, a limit leaves little of it */

pf_err pfi_units_take_apart(pfi_bound_tables *tables, bool one_path, uint32_t **first) {
    const pf_moves *moves = tables->moves;
    const uint32_t units = tables->slots.first[tables->slots.n];
    const double squared = (double)units / tables->slots.n * ((double)units / tables->slots.n);
    *first = NULL;
    if (!moves || !tables->many_units || units > MOST_UNITS) return PF_OK;
    const double arcs = (double)moves->first[moves->states];
    if (arcs * arcs / moves->states * squared > (one_path ? MOST_WORK_OF_ONE : MOST_WORK)) return PF_OK;
    *first = malloc((units + (size_t)1) * sizeof **first);
    if (!*first) return pf_nomem();
    for (uint32_t unit = 0; unit <= units; unit++) (*first)[unit] = unit;
    tables->place = tables->slots.first;
    tables->slots.first = *first;
    tables->slots.n = units;
    return PF_OK;
}

/* ---- silent units ---- */

/* Does a unit say nothing to a model? */
static bool is_silent(const pfi_bound_tables *tables, size_t model, uint32_t unit) {
    return !pfi_rows_length(tables->rows, model, pfi_rows_column(tables->rows, tables->slots.arc[unit].out));
}

/* The model to which some units say nothing, if there is one such model, and its histories are known; else the number of models. */
static size_t silent_model(const pfi_bound_tables *tables) {
    const size_t n = tables->rows->parts.n;
    size_t found = n;
    for (size_t i = 0; i < n; i++) {
        uint32_t unit = 0;
        while (unit < tables->slots.n && !is_silent(tables, i, unit)) unit++;
        if (unit == tables->slots.n) continue;
        if (found < n || !pfi_listings_possible(tables->model[i].rows)) return n;
        found = i;
    }
    return found;
}

/* So many copies of units are not too much work for completions, as for units in pfi_units_take_apart. */
static size_t most_copies(const pfi_bound_tables *tables, bool one_path) {
    const pf_moves *moves = tables->moves;
    const double arcs = (double)moves->first[moves->states], work = one_path ? MOST_WORK_OF_COPIES : MOST_WORK;
    return (size_t)fmin(MOST_COPIES, moves->n * sqrt(work * moves->states) / arcs);
}

pf_err pfi_units_tell_apart(const pfi_bound_tables *tables, bool one_path) {
    const unsigned units = tables->slots.n;
    const size_t model = silent_model(tables);
    bool *silent = calloc(units, sizeof *silent);
    if (!silent) return pf_nomem();
    for (uint32_t unit = 0; model < tables->rows->parts.n && unit < units; unit++) silent[unit] = is_silent(tables, model, unit);
    pf_err err = pfi_said_init(tables->said, tables->moves->n, tables->place, silent, most_copies(tables, one_path));
    tables->said->model = model;
    free(silent);
    return err;
}

/* ---- costs after one another ---- */

/* How many rows a model's costs have. */
static size_t rows_of(const pfi_bound_tables *tables, const pfi_model_costs *model) {
    return model->listings ? pfi_listings_rows(model->listings) : tables->slots.n + (size_t)1;
}

pf_err pfi_unit_costs_init(pfi_unit_costs *costs, const pfi_bound_tables *tables) {
    const size_t units = tables->slots.n, classes = tables->said->classes, stride = pfi_whole_chunks(units);
    *costs = (pfi_unit_costs){.said = tables->said, .stride = stride, .models = tables->models};
    costs->own = malloc(stride * sizeof *costs->own);
    costs->part = calloc(tables->models, sizeof *costs->part);
    costs->after = malloc((units + 1) * stride * sizeof *costs->after);
    costs->end = malloc((units + 1) * sizeof *costs->end);
    costs->after_said = calloc(classes * stride + 1, sizeof *costs->after_said);
    costs->end_said = malloc((classes + 1) * sizeof *costs->end_said);
    costs->sum = malloc(stride * sizeof *costs->sum);
    if (!costs->own || !costs->part || !costs->after || !costs->end) return pf_nomem();
    if (!costs->after_said || !costs->end_said || !costs->sum) return pf_nomem();
    for (size_t unit = 0; unit < stride; unit++)
        costs->own[unit] = unit < units ? pfi_float_below(pfi_own_cost(tables, (uint32_t)unit)) : INFINITY;
    for (size_t i = 0; i < tables->models; i++) {
        costs->part[i] = malloc(rows_of(tables, &tables->model[i]) * stride * sizeof *costs->part[i]);
        if (!costs->part[i]) return pf_nomem();
    }
    return PF_OK;
}

void pfi_unit_costs_free(pfi_unit_costs *costs) {
    for (size_t i = 0; costs->part && i < costs->models; i++) free(costs->part[i]);
    free(costs->own);
    free(costs->part);
    free(costs->after);
    free(costs->end);
    free(costs->after_said);
    free(costs->end_said);
    free(costs->sum);
    *costs = (pfi_unit_costs){0};
}

/* A row of a model's costs, in the order of units, as floats that are not above them; column[] goes on beyond these in whole
 * chunks. */
PFI_WIDE_BODY void fill_row(const double *after, const uint32_t *column, size_t stride, float *part) {
    for (size_t unit = 0; unit < stride; unit += PFI_CHUNK) {
        for (size_t k = 0; k < PFI_CHUNK; k++) part[unit + k] = (float)after[column[unit + k]];
        pfi_completion_less_by(&part[unit], FLT_EPSILON);
    }
}

static void fill_row_plain(const double *after, const uint32_t *column, size_t stride, float *part) {
    fill_row(after, column, stride, part);
}

PFI_WIDE static void fill_row_wide(const double *after, const uint32_t *column, size_t stride, float *part) {
    fill_row(after, column, stride, part);
}

static void fill_part(const pfi_unit_costs *costs, const pfi_bound_tables *tables, size_t which) {
    const pfi_model_costs *model = &tables->model[which];
    const size_t width = model->width + 1;
    for (size_t row = 0; row < rows_of(tables, model); row++)
        (pfi_has_wide() ? fill_row_wide : fill_row_plain)(&model->after[row * width], model->column, costs->stride,
                                                          &costs->part[which][row * costs->stride]);
}

/* Adds a row to another one, so that the sum stays a bound. */
PFI_WIDE_BODY void add_row(float *restrict sum, const float *restrict row, size_t count) {
    for (size_t i = 0; i < count; i += PFI_CHUNK) {
        for (size_t k = 0; k < PFI_CHUNK; k++) sum[i + k] += row[i + k];
        pfi_completion_less_by(&sum[i], PFI_COMPLETION_ROUNDING);
    }
}

static void add_row_plain(float *sum, const float *row, size_t count) { add_row(sum, row, count); }

PFI_WIDE static void add_row_wide(float *sum, const float *row, size_t count) { add_row(sum, row, count); }

/* Leaves only the units of positions that may come after one, or at the start. */
static void keep_followers(const pfi_bound_tables *tables, uint32_t last, float *row) {
    const unsigned n = tables->moves->n, words = pf_cover_words(n);
    const uint64_t *follows = &tables->moves->follows[(last < tables->slots.n ? tables->stands[last] : n) * (size_t)words];
    for (unsigned begin, end = 0; end < n; end = begin < n ? pf_cover_gap(follows, words, begin) : n) {
        begin = pf_cover_next(follows, words, end);
        if (begin > n) begin = n;
        for (uint32_t unit = tables->place[end]; unit < tables->place[begin]; unit++) row[unit] = INFINITY;
    }
}

/* What all models but `but` say after a unit, or at the start. */
static void fill_unit(const pfi_unit_costs *costs, const pfi_bound_tables *tables, size_t but, uint32_t last) {
    float *row = &costs->after[last * costs->stride];
    double end = 0;
    memcpy(row, costs->own, costs->stride * sizeof *row);
    for (size_t i = 0; i < tables->models; i++) {
        const pfi_model_costs *model = &tables->model[i];
        if (i == but) continue;
        const float *part = &costs->part[i][(model->row ? model->row[last] : last) * costs->stride];
        (pfi_has_wide() ? add_row_wide : add_row_plain)(row, part, costs->stride);
        end += pfi_after(model, last)[model->width];
    }
    keep_followers(tables, last, row);
    costs->end[last] = pfi_float_below(end);
}

/* What a model says after a class. */
static void fill_class(const pfi_unit_costs *costs, const pfi_bound_tables *tables, unsigned class) {
    const pfi_said *said = costs->said;
    const pfi_model_costs *model = &tables->model[said->model];
    const size_t place = said->units + (size_t)1 + class;
    float *row = &costs->after_said[class * costs->stride];
    memcpy(row, &costs->part[said->model][model->row[place] * costs->stride], costs->stride * sizeof *row);
    for (uint32_t unit = 0; unit < said->units; unit++)
        if (said->of_unit[unit] == PFI_SILENT) row[unit] = 0;
    costs->end_said[class] = pfi_float_below(pfi_after(model, place)[model->width]);
}

void pfi_unit_costs_fill(pfi_unit_costs *costs, const pfi_bound_tables *tables) {
    const pfi_said *said = costs->said;
    for (size_t i = 0; i < tables->models; i++) fill_part(costs, tables, i);
    for (uint32_t last = 0; last <= said->units; last++)
        fill_unit(costs, tables, pfi_is_told_apart(said, last) ? said->model : tables->models, last);
    for (unsigned class = 0; class < said->classes; class++) fill_class(costs, tables, class);
}

/* ---- copies ---- */

/* What a silent unit costs, as those of its copies that have a class which something may have said last before it. */
static void fill_silent(const pfi_said *said, uint32_t last, uint32_t unit, float cost, float *row) {
    float *copy = &row[said->first[unit]];
    const uint32_t class = said->of_copy[last];
    const uint64_t *leads_to = &said->leads_to[said->unit[last] * (size_t)said->words];
    for (unsigned i = 0; i < said->classes; i++)
        copy[i] = (class == PFI_SILENT ? pf_cover_has(leads_to, i) : i == class) ? cost : INFINITY;
}

/* What units cost after a copy: after a silent one two parts are added. */
static const float *after_copy(const pfi_unit_costs *costs, uint32_t last) {
    const uint32_t class = costs->said->of_copy[last];
    const float *after = &costs->after[costs->said->unit[last] * costs->stride];
    if (class == PFI_SILENT) return after;
    memcpy(costs->sum, after, costs->stride * sizeof *after);
    (pfi_has_wide() ? add_row_wide : add_row_plain)(costs->sum, &costs->after_said[class * costs->stride], costs->stride);
    return costs->sum;
}

/* The costs of copies after a copy: those of units, but for silent ones, of which each has several. */
static void fill_copy(const pfi_unit_costs *costs, uint32_t last, float *row) {
    const pfi_said *said = costs->said;
    const float *after = after_copy(costs, last);
    uint32_t unit = 0;
    for (const uint32_t *silent = said->silent; unit < said->units; silent++) {
        if (unit < *silent) memcpy(&row[said->first[unit]], &after[unit], (*silent - unit) * sizeof *row);
        if (*silent < said->units) fill_silent(said, last, *silent, after[*silent], row);
        unit = *silent + 1;
    }
}

/* Row by row. A copy that nothing can follow is one that completions pass over. */
static void fill_copies(pfi_bound *bound, const pfi_unit_costs *costs) {
    const pfi_said *said = costs->said;
    for (uint32_t last = 0; last <= said->copies; last++) {
        const uint32_t class = said->of_copy[last];
        fill_copy(costs, last, &bound->after[last * bound->stride]);
        if (last == said->copies) break;
        bound->end_after[last] = (double)costs->end[said->unit[last]];
        if (class != PFI_SILENT) bound->end_after[last] += (double)costs->end_said[class];
    }
}

/* ---- histories ---- */

/* The search's rows need not ask again what the models have said. */
static pf_err take_histories(pfi_bound *bound, const pfi_bound_tables *tables) {
    bound->models = tables->models;
    bound->histories = calloc(tables->models, sizeof *bound->histories);
    if (!bound->histories) return pf_nomem();
    for (size_t i = 0; i < tables->models; i++) {
        pfi_model_costs *model = &tables->model[i];
        if (!model->listings) continue;
        bound->histories[i] = (pfi_bound_histories){model->listings, model->history_potential};
        tables->rows->model[i].shorter.listings = model->listings;
        model->listings = NULL;
        model->history_potential = NULL;
    }
    return PF_OK;
}

void pfi_bound_forget_histories(pfi_bound *bound) {
    for (size_t i = 0; i < bound->models; i++) {
        pfi_listings_free(bound->histories[i].listings);
        free(bound->histories[i].potential);
    }
    free(bound->histories);
    bound->histories = NULL;
    bound->models = 0;
}

/* The history that a model is in, after a row of the search. */
static uint32_t history_of(const pfi_bound *bound, const pfi_rows *rows, size_t model, uint32_t row) {
    return pfi_listings_history(bound->histories[model].listings, pfi_rows_state(rows, model, row));
}

/* The potential of a row: the sum over the models. */
static double potential_of(const pfi_bound *bound, const pfi_rows *rows, uint32_t row) {
    double potential = 0;
    for (size_t i = 0; i < bound->models; i++) {
        if (!bound->histories[i].potential) continue;
        const uint32_t history = history_of(bound, rows, i, row);
        potential += history == PFI_NO_HISTORY ? (double)NAN : (double)bound->histories[i].potential[history];
    }
    return potential;
}

pf_err pfi_bound_know(pfi_bound *bound, const pfi_rows *rows) {
    bool any = false;
    for (size_t i = 0; i < bound->models; i++) any = any || bound->histories[i].potential;
    while (any && bound->potential.n < rows->final.n) {
        const double potential = potential_of(bound, rows, (uint32_t)bound->potential.n);
        PF_TRY(PF_PUSH(&bound->potential, potential));
    }
    while (bound->said.classes && bound->said_in.n < rows->final.n) {
        const uint32_t history = history_of(bound, rows, bound->said.model, (uint32_t)bound->said_in.n);
        PF_TRY(PF_PUSH(&bound->said_in, pfi_said_in(&bound->said, history)));
    }
    return PF_OK;
}

/* ---- all of it ---- */

/* The largest of costs by size; INFINITY is left out. */
static double largest(const float *cost, size_t count) {
    float most[PFI_CHUNK] = {0};
    size_t i = 0;
    for (; i + PFI_CHUNK <= count; i += PFI_CHUNK) {
        float size[PFI_CHUNK];
        for (size_t k = 0; k < PFI_CHUNK; k++) size[k] = fabsf(cost[i + k]);
        for (size_t k = 0; k < PFI_CHUNK; k++) size[k] = size[k] <= FLT_MAX ? size[k] : 0;
        for (size_t k = 0; k < PFI_CHUNK; k++) most[k] = size[k] > most[k] ? size[k] : most[k];
    }
    for (; i < count; i++) most[0] = fabsf(cost[i]) <= FLT_MAX ? fmaxf(most[0], fabsf(cost[i])) : most[0];
    for (size_t k = 1; k < PFI_CHUNK; k++) most[0] = most[k] > most[0] ? most[k] : most[0];
    return (double)most[0];
}

/* Can floats hold what any path costs, and all that is added up on the way? */
static bool fit(const pfi_unit_costs *costs, const pfi_bound_tables *tables) {
    const size_t units = tables->slots.n, classes = costs->said->classes;
    const pf_moves *moves = tables->moves;
    double of_step = largest(costs->after, (units + 1) * costs->stride) + largest(costs->end, units + 1) +
                     largest(costs->after_said, classes * costs->stride) + largest(costs->end_said, classes), of_move = 0;
    for (uint32_t i = 0; moves->cost && i < moves->first[moves->states]; i++) of_move = fmax(of_move, fabs(moves->cost[i]));
    of_step += fabs(tables->rows->parts.own) * of_move;
    return of_step * (moves->n + 1) < (double)FLT_MAX / 8;
}

pf_err pfi_bound_of_units(pfi_bound *bound, const pfi_bound_tables *tables) {
    pfi_unit_costs costs;
    assert(tables->slots.first[tables->slots.n] == tables->slots.n && !tables->pairs && tables->models);
    pf_err err = pfi_unit_costs_init(&costs, tables);
    if (!err) pfi_unit_costs_fill(&costs, tables);
    const bool fits = !err && fit(&costs, tables);
    if (fits && tables->potentials) err = pfi_unit_potentials_find(tables, tables->potentials, &costs, bound);
    if (fits && !err) fill_copies(bound, &costs);
    if (fits && !err) err = take_histories(bound, tables);
    bound->known = fits && !err;
    pfi_unit_costs_free(&costs);
    return err;
}
