/* What bound.c, placed.c and route_costs.c share: a sentence, and what each model says of it. Private to the searches. */
#ifndef PF_SEARCH_BOUND_IMPL_H
#define PF_SEARCH_BOUND_IMPL_H

#include "search/bound.h"

#include <math.h>
#include <string.h>

/* What one model says of the sentence. */
typedef struct {
    pfi_rows *rows;
    uint32_t *column; /* of each alternative: that of `rows` */
    double *after; /* (length+1)(width+1): the least cost of each column, and of the end, after each position; at the start */
    double *least; /* of each column, after any history */
    double *other;    /* of pairs, as `after`: the least cost when another position than `before` came before the last one */
    uint32_t *before; /* of pairs: the position before the last one where the least cost is reached; the length: none */
} pfi_model_costs;

/* What one model says after one or two positions. */
typedef struct {
    const double *least;    /* of each column, and of the end */
    const double *other;    /* the same when another position than `before` came before the last one; NULL where `before` is */
    const uint32_t *before; /* of each column: the position before the last one where the least cost is reached; NULL: any */
} pfi_costs_after;

typedef struct pfi_bound_tables {
    pfi_rows *rows; /* of all models */
    pf_slots_view slots;
    const pf_moves *moves; /* NULL: any positions may follow one another */
    const uint32_t *place; /* of each position, its first unit, where `slots` are made of units; else NULL */
    uint16_t *stands;      /* of each position, the one that moves know it as: another one where `slots` are made of units; NULL */
    bool many_units;       /* words have so many that histories are looked at by what they list */
    bool pairs;            /* the costs after a position are those after two positions that can follow one another */
    pfi_model_costs *model;
    size_t models;            /* that are there */
    pfi_costs_after *after;   /* scratch: of each model */
    uint32_t *first_position; /* scratch: of each column of a model, where its positions begin */
    uint16_t *position;
} pfi_bound_tables;

/* The cost of an alternative by itself. */
static inline double pfi_own_cost(const pfi_bound_tables *tables, uint32_t arc) {
    return pf_scaled(tables->rows->parts.own, (double)tables->slots.arc[arc].w);
}

/* The least costs of a row's columns, and of the end: none is known; a row is possible. */
void pfi_forget_rows(const pfi_rows *rows, double *least);
void pfi_take_row(const pfi_rows *rows, uint32_t row, double *least);

/* The least costs of a model's columns, where `pairs`, from no cost at all: `after`, `other`, `before` and `least`; after a
 * position those of what may come next. Fills the rows of the histories that orders of the space can form. *known: the model has no
 * more than `most` rows; else the costs are not whole. PF_ENOMEM, PF_ELIMIT. */
pf_err pfi_placed_least(const pfi_bound_tables *tables, pfi_model_costs *model, size_t most, bool *known);

/* The least cost of position j over its alternatives, and of the end, where models say `after`. Position j was not visited. */
double pfi_position_cost(const pfi_bound_tables *tables, const pfi_costs_after *after, unsigned j);
double pfi_end_cost(const pfi_bound_tables *tables, const pfi_costs_after *after);

/* The largest float that is not above `value`. As nextafterf below what is rounded up, which is a call: floats of one sign stand in
 * the order of their bits. */
static inline float pfi_float_below(double value) {
    const float rounded = (float)value;
    uint32_t bits;
    float below;
    memcpy(&bits, &rounded, sizeof bits);
    bits = rounded > 0 ? bits - 1 : bits + 1;
    memcpy(&below, &bits, sizeof below);
    return (double)rounded > value ? below : rounded;
}

#endif
