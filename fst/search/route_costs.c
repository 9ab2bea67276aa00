/* Costs after two positions: the rows of each model that are possible after them, and the least of each column of these. */
#include "search/route_costs.h"

#include "search/bound_impl.h"

#include <permfst/machine/space.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The histories of one model. */
typedef struct {
    const pfi_rows *rows;
    const uint32_t *column; /* of each alternative */
    uint32_t *first; /* of each position, and of the start: where its rows begin in `row`; and the end */
    uint32_t *row;   /* that are possible after it */
    uint32_t *taken; /* of each row: the pair of positions that it was taken for last, from 1 */
    uint32_t *after; /* scratch: the rows after the pair */
    uint32_t rows_after;
    double *least;   /* of each column, and of the end: the least cost after the pair */
} route_histories;

typedef struct {
    const pfi_bound_tables *tables;
    pfi_route_costs *costs;
    route_histories *model;
    double *own;            /* of each alternative */
    double *move;           /* (length+1) x length: what a move from a position, or the start, costs by itself */
    double *said;           /* where there is one model: of each of its rows, what each position costs after it, and the end */
    bool *is_said;          /* of each row: is that known? Row 0 is scratch, too */
} costs_maker;

/* ---- histories ---- */

/* leads: of each position and row, whether a word of the position leads to the row from some other one. */
static void mark_rows(const pfi_bound_tables *tables, const route_histories *model, bool *leads) {
    const size_t n = tables->slots.n, count = model->rows->final.n;
    for (uint32_t from = 0; from < count; from++) {
        const pfi_cell *cells = pfi_rows_cells(model->rows, from);
        for (size_t j = 0; j < n; j++)
            for (uint32_t arc = tables->slots.first[j]; arc < tables->slots.first[j + 1]; arc++) {
                const pfi_cell *cell = &cells[model->column[arc]];
                if (cell->cost < (double)INFINITY) leads[j * count + cell->to] = true;
            }
    }
}

/* The rows after each position: those to which a word of it leads. The start has row 0. */
static void list_rows(const pfi_bound_tables *tables, const bool *leads, route_histories *model) {
    const size_t n = tables->slots.n, count = model->rows->final.n;
    uint32_t listed = 0;
    for (size_t j = 0; j < n; j++) {
        model->first[j] = listed;
        for (uint32_t row = 0; row < count; row++)
            if (leads[j * count + row]) model->row[listed++] = row;
    }
    model->first[n] = listed;
    model->row[listed++] = 0;
    model->first[n + 1] = listed;
}

static pf_err make_histories(const pfi_bound_tables *tables, route_histories *model) {
    const size_t n = tables->slots.n, count = model->rows->final.n;
    bool *leads = calloc(count * n, sizeof *leads);
    model->first = malloc((n + 2) * sizeof *model->first);
    model->row = malloc((count * n + 1) * sizeof *model->row);
    model->taken = calloc(count, sizeof *model->taken);
    model->after = malloc(count * sizeof *model->after);
    model->least = malloc((model->rows->width + (size_t)1) * sizeof *model->least);
    const bool room = leads && model->first && model->row && model->taken && model->after && model->least;
    if (room) {
        mark_rows(tables, model, leads);
        list_rows(tables, leads, model);
    }
    free(leads);
    return room ? PF_OK : pf_nomem();
}

/* The rows of a model after positions `before` and `last`. */
static void list_pair(const pfi_bound_tables *tables, route_histories *model, unsigned before, unsigned last) {
    const uint32_t pair = before * tables->slots.n + last + 1;
    model->rows_after = 0;
    for (uint32_t i = model->first[before]; i < model->first[before + 1]; i++) {
        const pfi_cell *cells = pfi_rows_cells(model->rows, model->row[i]);
        for (uint32_t arc = tables->slots.first[last]; arc < tables->slots.first[last + 1]; arc++) {
            const pfi_cell *cell = &cells[model->column[arc]];
            if (cell->cost == (double)INFINITY || model->taken[cell->to] == pair) continue;
            model->taken[cell->to] = pair;
            model->after[model->rows_after++] = cell->to;
        }
    }
}

static void list_start(route_histories *model) {
    model->after[0] = 0;
    model->rows_after = 1;
}

/* The least costs of the rows that are listed. */
static void take_listed(const route_histories *model) {
    pfi_forget_rows(model->rows, model->least);
    for (uint32_t i = 0; i < model->rows_after; i++) pfi_take_row(model->rows, model->after[i], model->least);
}

/* ---- costs ---- */

/* What moves by themselves cost at least: what else they cost is not negative. */
static void fill_moves(const costs_maker *maker) {
    const pfi_bound_tables *tables = maker->tables;
    const unsigned n = tables->slots.n;
    for (unsigned last = 0; last <= n; last++)
        for (unsigned j = 0; j < n; j++) {
            double cost = 0;
            if (tables->slots.weights) cost = pf_scaled(tables->rows->parts.own, pf_space_follow(tables->slots.weights, last, j));
            maker->move[last * (size_t)n + j] = cost;
        }
    for (uint32_t arc = 0; arc < tables->slots.first[n]; arc++) maker->own[arc] = pfi_own_cost(tables, arc);
}

static float noted(pfi_route_costs *costs, double value) {
    const float cost = pfi_float_below(value), size = fabsf(cost);
    if (size < INFINITY && size > costs->largest) costs->largest = size;
    return cost;
}

/* The least cost of a position's alternatives. */
static double position_cost(const costs_maker *maker, unsigned j) {
    const pfi_bound_tables *tables = maker->tables;
    double least = (double)INFINITY;
    for (uint32_t arc = tables->slots.first[j]; arc < tables->slots.first[j + 1]; arc++) {
        double cost = maker->own[arc];
        for (size_t i = 0; i < tables->models; i++) cost += maker->model[i].least[maker->model[i].column[arc]];
        if (cost < least) least = cost;
    }
    return least;
}

static double end_cost(const costs_maker *maker) {
    double cost = 0;
    for (size_t i = 0; i < maker->tables->models; i++) cost += maker->model[i].least[maker->model[i].rows->width];
    return cost;
}

/* What each position costs after the rows that are listed, and the end, but for the move. There is mostly one row, and other pairs
 * have it, too. */
static const double *listed_costs(const costs_maker *maker) {
    const unsigned n = maker->tables->slots.n;
    const route_histories *first = &maker->model[0];
    const bool one = maker->tables->models == 1 && first->rows_after == 1;
    const uint32_t row = one ? first->after[0] : 0;
    double *costs = &maker->said[row * (n + (size_t)1)];
    if (one && maker->is_said[row]) return costs;
    for (size_t i = 0; i < maker->tables->models; i++) take_listed(&maker->model[i]);
    for (unsigned j = 0; j < n; j++) costs[j] = position_cost(maker, j);
    costs[n] = end_cost(maker);
    maker->is_said[row] = one;
    return costs;
}

/* What comes after positions `before` (n: the start) and `last`: each other position, and the end. */
static void fill_pair(costs_maker *maker, unsigned before, unsigned last) {
    const pfi_bound_tables *tables = maker->tables;
    pfi_route_costs *costs = maker->costs;
    const size_t n = tables->slots.n, between = before < n ? costs->stride : 1;
    const double final = pf_scaled(tables->rows->parts.own, (double)tables->slots.final), *move = &maker->move[last * n];
    float *to = before < n ? &costs->after[last * n * costs->stride + before] : &costs->second[last * n];
    for (size_t i = 0; i < tables->models; i++) list_pair(tables, &maker->model[i], before, last);
    const double *said = listed_costs(maker);
    for (unsigned j = 0; j < n; j++, to += between)
        if (j != before && j != last) *to = noted(costs, said[j] + move[j]);
    costs->end[before * n + last] = noted(costs, final + said[n]);
}

static void fill(costs_maker *maker) {
    pfi_route_costs *costs = maker->costs;
    const unsigned n = costs->length;
    for (size_t i = 0; i < (size_t)n * n * costs->stride; i++) costs->after[i] = INFINITY;
    for (size_t i = 0; i < (size_t)n * n; i++) costs->second[i] = INFINITY;
    for (unsigned before = 0; before <= n; before++)
        for (unsigned last = 0; last < n; last++)
            if (before != last) fill_pair(maker, before, last);
    for (size_t i = 0; i < maker->tables->models; i++) list_start(&maker->model[i]);
    const double *said = listed_costs(maker);
    for (unsigned j = 0; j < n; j++) costs->begin[j] = noted(costs, said[j] + maker->move[n * (size_t)n + j]);
}

/* ---- memory ---- */

static pf_err allocate(costs_maker *maker) {
    pfi_route_costs *costs = maker->costs;
    const pfi_bound_tables *tables = maker->tables;
    const size_t n = costs->length, rows = tables->models == 1 ? tables->model[0].rows->final.n : 1;
    costs->after = malloc(n * n * costs->stride * sizeof *costs->after);
    costs->second = malloc(n * n * sizeof *costs->second);
    costs->end = malloc((n + 1) * n * sizeof *costs->end);
    costs->begin = malloc(n * sizeof *costs->begin);
    maker->model = calloc(tables->models, sizeof *maker->model);
    maker->own = malloc(tables->slots.first[n] * sizeof *maker->own);
    maker->move = malloc((n + 1) * n * sizeof *maker->move);
    maker->said = malloc(rows * (n + 1) * sizeof *maker->said);
    maker->is_said = calloc(rows, sizeof *maker->is_said);
    const bool room = costs->after && costs->second && costs->end && costs->begin;
    return room && maker->model && maker->own && maker->move && maker->said && maker->is_said ? PF_OK : pf_nomem();
}

static void maker_free(costs_maker *maker) {
    for (size_t i = 0; maker->model && i < maker->tables->models; i++) {
        free(maker->model[i].first);
        free(maker->model[i].row);
        free(maker->model[i].taken);
        free(maker->model[i].after);
        free(maker->model[i].least);
    }
    free(maker->model);
    free(maker->own);
    free(maker->move);
    free(maker->said);
    free(maker->is_said);
}

pf_err pfi_route_costs_init(pfi_route_costs *costs, const pfi_bound_tables *tables) {
    const unsigned n = tables->slots.n;
    costs_maker maker = {.tables = tables, .costs = costs};
    assert(n && tables->models == tables->rows->parts.n);
    *costs = (pfi_route_costs){.length = n, .stride = pfi_whole_chunks(n)};
    pf_err err = allocate(&maker);
    for (size_t i = 0; !err && i < tables->models; i++) {
        maker.model[i].rows = tables->model[i].rows;
        maker.model[i].column = tables->model[i].column;
        err = make_histories(tables, &maker.model[i]);
    }
    if (!err) fill_moves(&maker);
    if (!err) fill(&maker);
    maker_free(&maker);
    return err;
}

void pfi_route_costs_free(pfi_route_costs *costs) {
    free(costs->after);
    free(costs->second);
    free(costs->end);
    free(costs->begin);
}
