/* Kinds, places and the steps between them, and the least that steps cost. */
#include "chart/pieces.h"
#include "chart/products.h"

#include "base/contract.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* that are listed; of several models together; compared */
enum { MOST_STEPS = 1 << 23, MOST_JOINT_STEPS = 1 << 18, MOST_SUMS = 1 << 27 };

/* ---- kinds ---- */

static bool same_kind(const pfi_kind *one, const pfi_kind *other) {
    return one->column == other->column && one->position == other->position &&
        memcmp(&one->weight, &other->weight, sizeof one->weight) == 0;
}

static pf_err find_kind(pfi_pieces *pieces, const pfi_kind *kind, uint32_t *out) {
    for (*out = 0; *out < pieces->kinds.n; ++*out)
        if (same_kind(&pieces->kinds.at[*out], kind)) return PF_OK;
    return PF_PUSH(&pieces->kinds, *kind);
}

static pf_err find_kinds(pfi_pieces *pieces) {
    const pf_slots_view *slots = &pieces->slots;
    pieces->kind = calloc(slots->first[slots->n] + (size_t)1, sizeof *pieces->kind);
    if (!pieces->kind) return pf_nomem();
    for (unsigned j = 0; j < slots->n; j++)
        for (uint32_t a = slots->first[j]; a < slots->first[j + 1]; a++) {
            const pfi_kind kind = {pfi_rows_column(&pieces->rows, slots->arc[a].out), slots->arc[a].w, pieces->by_position ? j : 0};
            PF_TRY(find_kind(pieces, &kind, &pieces->kind[a]));
        }
    return PF_OK;
}

/* ---- places ---- */

/* A search may go on after PF_ENOMEM, so each place that there is has its `filled`. */
static pf_err place_of(pfi_pieces *pieces, uint32_t row, uint32_t last, uint32_t *place) {
    int fresh;
    PF_TRY(PF_ROOM(&pieces->filled, 1));
    pfi_place_key key = {row, pieces->wide || pieces->by_position ? last : (uint32_t)pieces->kinds.n};
    PF_TRY(pf_statetab_intern(&pieces->places, &key, sizeof key, place, &fresh));
    return fresh && !pieces->lazy ? PF_PUSH(&pieces->filled, PFI_NO_STEPS) : PF_OK;
}

static void note(pfi_pieces *pieces, double cost) {
    if (cost == (double)INFINITY) return;
    if (fabs(cost) > pieces->largest) pieces->largest = fabs(cost);
    int lowest = pfi_lowest_bit(cost);
    if (lowest < pieces->lowest) pieces->lowest = lowest;
}

/* What the arc itself costs: one float, but where costs of pairs are still to be added to it. */
static double arc_cost(const pfi_pieces *pieces, const pfi_kind *kind, const pfi_kind *last) {
    unsigned before = last ? last->position : pieces->shape->n;
    double weight = (pieces->by_position ? pfi_shape_follow(pieces->shape, before, kind->position) : 0) + (double)kind->weight;
    return pf_scaled(pieces->rows.parts.own, pieces->shape->pairs ? weight : (double)(float)weight);
}

static pf_err step_cost(pfi_pieces *pieces, double arc, double model, double *cost) {
    double sum = arc + model;
    if (fabs(arc) > pieces->largest && fabs(arc) < (double)INFINITY) pieces->largest = fabs(arc);
    if (sum == (double)INFINITY) *cost = sum;
    else if (!pf_cost_fits(sum)) return pf_cost_too_large(sum);
    else *cost = pieces->shape->pairs ? sum : (double)(float)sum;
    note(pieces, *cost);
    return PF_OK;
}

/* The step from a place over a kind, by the cell of its row. */
static pf_err make_step(pfi_pieces *pieces, uint32_t place, uint32_t kind, const pfi_cell *cell, pfi_cell *step) {
    const pfi_place_key from = pfi_pieces_place(pieces, place);
    const pfi_kind *last = from.last < pieces->kinds.n ? &pieces->kinds.at[from.last] : NULL;
    *step = (pfi_cell){0, place};
    PF_TRY(step_cost(pieces, arc_cost(pieces, &pieces->kinds.at[kind], last), cell->cost, &step->cost));
    return step->cost < (double)INFINITY ? place_of(pieces, cell->to, kind, &step->to) : PF_OK;
}

pf_err pfi_pieces_fill(pfi_pieces *pieces, uint32_t place) {
    const uint32_t row = pfi_pieces_place(pieces, place).row;
    const size_t kinds = pieces->kinds.n;
    PF_TRY(pfi_rows_fill(&pieces->rows, row));
    PF_TRY(PF_ROOM(&pieces->steps, kinds + 1));
    for (uint32_t kind = 0; kind < kinds; kind++) {
        const pfi_cell cell = pfi_rows_cells(&pieces->rows, row)[pieces->kinds.at[kind].column];
        PF_TRY(make_step(pieces, place, kind, &cell, &pieces->steps.at[pieces->steps.n + kind]));
    }
    pieces->filled.at[place] = (uint32_t)(pieces->steps.n / (kinds ? kinds : 1));
    pieces->steps.n += kinds;
    return PF_OK;
}

pf_err pfi_pieces_find(pfi_pieces *pieces, uint32_t place, uint32_t kind, const pfi_cell **cell) {
    const uint64_t key = (uint64_t)place << 32 | kind;
    uint32_t id = pf_statetab_find(&pieces->found, &key, sizeof key);
    assert(kind < pieces->kinds.n);
    if (id == UINT32_MAX) {
        pfi_cell model, step;
        PF_TRY(PF_ROOM(&pieces->steps, 1));
        PF_TRY(pfi_rows_step(&pieces->rows, pfi_pieces_place(pieces, place).row, pieces->kinds.at[kind].column, &model));
        PF_TRY(make_step(pieces, place, kind, &model, &step));
        PF_TRY(pf_statetab_intern_word(&pieces->found, 0, key, &id));
        pieces->steps.at[pieces->steps.n++] = step;
    }
    *cell = &pieces->steps.at[id];
    return PF_OK;
}

pf_err pfi_pieces_end(pfi_pieces *pieces, uint32_t place, double *cost) {
    const pfi_place_key at = pfi_pieces_place(pieces, place);
    double own = pf_scaled(pieces->rows.parts.own, (double)pieces->slots.final), models;
    PF_TRY(pfi_rows_end(&pieces->rows, at.row, &models));
    *cost = own + models;
    if (!pf_cost_fits(*cost)) return pf_cost_too_large(*cost);
    *cost = (double)(float)*cost;
    note(pieces, *cost);
    return PF_OK;
}

/* ---- what bounds are made of ---- */

/* The largest float that is not above `value`. */
static float below(double value) {
    float rounded = (float)value;
    return (double)rounded > value ? nextafterf(rounded, -INFINITY) : rounded;
}

static void lower(float *least, double cost) {
    float value = below(cost);
    if (value < *least) *least = value;
}

static pf_err take_place(pfi_pieces *pieces, uint32_t place) {
    size_t kinds = pieces->kinds.n;
    const pfi_place_key at = pfi_pieces_place(pieces, place);
    const pfi_cell *cell;
    double end;
    PF_TRY(pfi_pieces_end(pieces, place, &end));
    lower(&pieces->end_after[at.last], end);
    if (end < pieces->end_least) pieces->end_least = end;
    for (uint32_t kind = 0; kind < kinds; kind++) {
        PF_TRY(pfi_pieces_step(pieces, place, kind, &cell));
        if (cell->cost < pieces->least[kind]) pieces->least[kind] = cell->cost;
        if (pieces->wide) lower(&pieces->after[at.last * kinds + kind], cell->cost);
    }
    return PF_OK;
}

/* A word that says nothing leaves the models where they were: anything may come after it. */
static void take_silent(pfi_pieces *pieces) {
    size_t kinds = pieces->kinds.n;
    for (size_t last = 0; pieces->wide && pieces->rows.parts.n && last < kinds; last++) {
        if (pieces->kinds.at[last].column != pieces->rows.words) continue;
        lower(&pieces->end_after[last], pieces->end_least);
        for (size_t kind = 0; kind < kinds; kind++) lower(&pieces->after[last * kinds + kind], pieces->least[kind]);
    }
}

/* Is every sum of costs of an order exact, whatever its parts? */
static bool is_exact(const pfi_pieces *pieces) {
    const pfi_shape *shape = pieces->shape;
    double most = (shape->n + 1.0) * pieces->largest;
    if (shape->trees) return false;
    if (!shape->pairs) return pieces->lowest == INT_MAX || most <= ldexp(1, pieces->lowest + DBL_MANT_DIG);
    int lowest = shape->lowest < pieces->lowest ? shape->lowest : pieces->lowest;
    return !pieces->rows.parts.n && pieces->rows.parts.own == 1 &&
        (lowest == INT_MAX || (shape->largest + pieces->largest <= ldexp(1, lowest + FLT_MANT_DIG) &&
                               shape->all + most <= ldexp(1, lowest + DBL_MANT_DIG)));
}

/* A path rounds each arc to a float, its moves' costs before that to another one, and the sums over pairs are of some 2 n
 * numbers. */
static double slack(const pfi_pieces *pieces) {
    const pfi_shape *shape = pieces->shape;
    double own = fabs(pieces->rows.parts.own), n = shape->n + 1.0, arcs = own * shape->arcs + n * pieces->largest;
    double sums = own * shape->all + n * pieces->largest + shape->most_of_trees;
    double all = 4 * n * sums * DBL_EPSILON * (shape->pairs ? 4 * n : 1);
    if (is_exact(pieces)) return 0;
    if (shape->pairs) all += 1.01 * arcs * (double)FLT_EPSILON;
    if (shape->trees) all += (shape->most_of_trees + pieces->largest) * (double)FLT_EPSILON; /* in the end of a path */
    return all;
}

bool pfi_pieces_settle(pfi_pieces *pieces) {
    const double had = pieces->slack;
    pieces->slack = slack(pieces);
    return pieces->slack > had;
}

static pf_err make_bounds(pfi_pieces *pieces) {
    size_t kinds = pieces->kinds.n, froms = pieces->wide ? kinds + 1 : 1;
    pieces->after = malloc((froms * kinds + 1) * sizeof *pieces->after);
    pieces->least = malloc((kinds + 1) * sizeof *pieces->least);
    pieces->end_after = malloc((kinds + 1) * sizeof *pieces->end_after);
    if (!pieces->after || !pieces->least || !pieces->end_after) return pf_nomem();
    pfi_fill_infinity(pieces->after, froms * kinds);
    for (size_t kind = 0; kind < kinds; kind++) pieces->least[kind] = (double)INFINITY;
    pfi_fill_infinity(pieces->end_after, kinds + 1);
    pieces->end_least = (double)INFINITY;
    return PF_OK;
}

/* Every place that words lead to from the start, if that takes no more than so many steps. */
static pf_err reach_all(pfi_pieces *pieces, size_t most, bool *all) {
    *all = false;
    for (uint32_t place = 0; place < pieces->places.n; place++) {
        if (place * pieces->kinds.n > most) return PF_OK;
        PF_TRY(take_place(pieces, place));
    }
    *all = true;
    pieces->reached = pieces->places.n;
    take_silent(pieces);
    return PF_OK;
}

/* ---- each model by itself ---- */

/* The least costs of a column after another one, or at the start (row `columns`), in any history; of the end in the same way. Of
 * one model, or sums of all. */
typedef struct {
    size_t columns;
    double *after, *end;
    double largest; /* no cost is more in size */
} column_costs;

static pf_err make_column_costs(column_costs *costs, size_t columns, double value) {
    *costs = (column_costs){.columns = columns};
    costs->after = malloc(((columns + 1) * columns + 1) * sizeof *costs->after);
    costs->end = malloc((columns + 1) * sizeof *costs->end);
    if (!costs->after || !costs->end) return pf_nomem();
    for (size_t i = 0; i < (columns + 1) * columns; i++) costs->after[i] = value;
    for (size_t i = 0; i <= columns; i++) costs->end[i] = value;
    return PF_OK;
}

static void free_column_costs(column_costs *costs) {
    free(costs->after);
    free(costs->end);
}

/* Of one model: its rows, each with a column that leads to it. */
typedef struct {
    pfi_rows rows;
    uint32_t *column; /* of each column of all models: that of this one */
    pf_statetab met;  /* pfi_place_key */
    column_costs least;
} model_histories;

/* A row that is filled now: the histories that follow it, whatever led to it. */
static pf_err open_row(model_histories *histories, uint32_t row) {
    uint32_t id;
    PF_TRY(pfi_rows_fill(&histories->rows, row));
    for (uint32_t column = 0; column < histories->least.columns; column++) {
        const pfi_cell cell = pfi_rows_cells(&histories->rows, row)[histories->column[column]];
        if (cell.cost == (double)INFINITY) continue;
        if (fabs(cell.cost) > histories->least.largest) histories->least.largest = fabs(cell.cost);
        PF_TRY(pf_statetab_intern(&histories->met, &(pfi_place_key){cell.to, column}, sizeof(pfi_place_key), &id, NULL));
    }
    const double end = histories->rows.final.at[row];
    if (end < (double)INFINITY && fabs(end) > histories->least.largest) histories->least.largest = fabs(end);
    return PF_OK;
}

static pf_err visit_histories(model_histories *histories) {
    const size_t columns = histories->least.columns;
    pfi_place_key at = {0, (uint32_t)columns};
    uint32_t id;
    PF_TRY(pf_statetab_intern(&histories->met, &at, sizeof at, &id, NULL));
    for (uint32_t from = 0; from < histories->met.n; from++) {
        size_t length;
        if (histories->rows.filled > MOST_STEPS || from * columns > MOST_SUMS)
            return pf_fail(PF_EARG, "a model has more than %u histories of these words", from);
        memcpy(&at, pf_statetab_key(&histories->met, from, &length), sizeof at);
        if (isnan(histories->rows.final.at[at.row])) PF_TRY(open_row(histories, at.row));
        const pfi_cell *cell = pfi_rows_cells(&histories->rows, at.row);
        double *least = &histories->least.after[at.last * columns];
        for (size_t column = 0; column < columns; column++) {
            const double cost = cell[histories->column[column]].cost;
            least[column] = cost < least[column] ? cost : least[column];
        }
        histories->least.end[at.last] = fmin(histories->least.end[at.last], histories->rows.final.at[at.row]);
    }
    return PF_OK;
}

/* label[c]: one of column c. */
static pf_err begin_histories(model_histories *histories, const pfi_rows *all, size_t model, const pf_label *label,
                              size_t columns) {
    pf_statetab_init(&histories->met, sizeof(pfi_place_key));
    pf_err err = pfi_rows_init_one(&histories->rows, all, model);
    pf_err made = make_column_costs(&histories->least, columns, (double)INFINITY);
    if (err || made) return err ? err : made;
    if (!(histories->column = malloc((columns + 1) * sizeof *histories->column))) return pf_nomem();
    for (size_t column = 0; column < columns; column++)
        histories->column[column] = pfi_rows_column(&histories->rows, label[column]);
    return PF_OK;
}

static pf_err add_model(const pfi_pieces *pieces, size_t model, const pf_label *label, column_costs *sum) {
    const size_t columns = sum->columns;
    model_histories histories = {.column = NULL};
    pf_err err = begin_histories(&histories, &pieces->rows, model, label, columns);
    if (!err) err = visit_histories(&histories);
    for (size_t i = 0; !err && i < (columns + 1) * columns; i++) sum->after[i] += histories.least.after[i];
    for (size_t i = 0; !err && i <= columns; i++) sum->end[i] += histories.least.end[i];
    sum->largest += histories.least.largest;
    free_column_costs(&histories.least);
    free(histories.column);
    pfi_rows_free(&histories.rows);
    pf_statetab_free(&histories.met);
    return err;
}

/* What a kind costs at least after another, or at the start (`from` is kinds.n). Every cost of a step is rounded from no less. */
static void take_kind(pfi_pieces *pieces, const column_costs *sum, size_t from, size_t to) {
    const size_t kinds = pieces->kinds.n;
    const pfi_kind *last = from < kinds ? &pieces->kinds.at[from] : NULL, *next = &pieces->kinds.at[to];
    const size_t row = last ? last->column : sum->columns;
    const double arc = arc_cost(pieces, next, last), cost = arc + sum->after[row * sum->columns + next->column];
    const double least = (double)below(cost);
    if (fabs(arc) < (double)INFINITY && fabs(arc) + sum->largest > pieces->largest) pieces->largest = fabs(arc) + sum->largest;
    if (least < pieces->least[to]) pieces->least[to] = least;
    if (pieces->wide) lower(&pieces->after[from * kinds + to], cost);
}

static void take_end(pfi_pieces *pieces, const column_costs *sum, size_t from) {
    const size_t kinds = pieces->kinds.n;
    const double own = pf_scaled(pieces->rows.parts.own, (double)pieces->slots.final);
    const double cost = own + sum->end[from < kinds ? pieces->kinds.at[from].column : sum->columns];
    if (fabs(own) + sum->largest > pieces->largest) pieces->largest = fabs(own) + sum->largest;
    lower(&pieces->end_after[from], cost);
    pieces->end_least = fmin(pieces->end_least, (double)below(cost));
}

static pf_err add_models(pfi_pieces *pieces, column_costs *sum) {
    const size_t kinds = pieces->kinds.n;
    const pf_slots_view *slots = &pieces->slots;
    pf_label *label = calloc(sum->columns + 1, sizeof *label);
    if (!label) return pf_nomem();
    for (uint32_t arc = 0; arc < slots->first[slots->n]; arc++)
        label[pieces->kinds.at[pieces->kind[arc]].column] = slots->arc[arc].out;
    pf_err err = PF_OK;
    for (size_t model = 0; !err && model < pieces->rows.parts.n; model++) err = add_model(pieces, model, label, sum);
    free(label);
    PF_TRY(err);
    for (size_t from = 0; from <= kinds; from++) {
        for (size_t to = 0; to < kinds; to++) take_kind(pieces, sum, from, to);
        take_end(pieces, sum, from);
    }
    pieces->largest *= 1 + 4 * (double)FLT_EPSILON; /* a step is rounded */
    return PF_OK;
}

/* Bounds by sums of least costs of the models. No step is listed. */
static pf_err reach_each(pfi_pieces *pieces) {
    column_costs sum;
    free(pieces->after);
    free(pieces->least);
    free(pieces->end_after);
    pieces->lazy = true;
    pieces->steps.n = 0;
    PF_TRY(make_bounds(pieces));
    pf_err err = make_column_costs(&sum, pieces->rows.words, 0);
    if (!err) err = add_models(pieces, &sum);
    free_column_costs(&sum);
    return err;
}

static pf_err make_all(pfi_pieces *pieces) {
    const bool several = !pieces->guesses && pieces->rows.parts.n > 1;
    bool all;
    PF_TRY(make_bounds(pieces));
    PF_TRY(reach_all(pieces, several ? MOST_JOINT_STEPS : MOST_STEPS, &all));
    if (!all && !several)
        return pf_fail(PF_EARG, "the models have more than %zu histories of these words", MOST_STEPS / pieces->kinds.n);
    if (!all) PF_TRY(reach_each(pieces));
    pieces->slack = slack(pieces);
    return PF_OK;
}

/* ---- all of it ---- */

static bool has_silent_words(const pfi_pieces *pieces) {
    for (size_t i = 0; i < pieces->kinds.n; i++)
        if (pieces->kinds.at[i].column == pieces->rows.words) return pieces->rows.parts.n > 0;
    return false;
}

pf_err pfi_pieces_places(pfi_pieces *pieces) {
    uint32_t row = 0;
    PF_TRY(find_kinds(pieces));
    PF_TRY(place_of(pieces, row, (uint32_t)pieces->kinds.n, &row));
    pieces->guesses = has_silent_words(pieces) || !pfi_rows_pieces(&pieces->rows);
    PF_TRY(make_all(pieces));
    if (pieces->guesses) return PF_OK;
    PF_TRY(pfi_rows_empty(&pieces->rows, &row));
    return place_of(pieces, row, (uint32_t)pieces->kinds.n, &pieces->empty);
}
