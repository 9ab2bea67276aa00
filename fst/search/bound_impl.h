/* What bound.c, placed.c and route_costs.c share: a sentence, and what each model says of it. Private to the searches. */
#ifndef PF_SEARCH_BOUND_IMPL_H
#define PF_SEARCH_BOUND_IMPL_H

#include "search/backoff.h"
#include "search/bound.h"

#include <math.h>
#include <string.h>

/* What one model says of the sentence. */
typedef struct {
    pfi_rows *rows;
    size_t width;     /* costs in a row of `after`, but for that of the end, which is the last one */
    uint32_t *column; /* of each alternative: that of `rows`, or of `listings`; beyond these, in whole chunks, 0 */
    double *after;   /* rows: the least cost of each column, and of the end. Of pairs: of each alternative, and of the end */
    const uint32_t *row; /* of each position, and of the start, which one is its row; also of each class of `said`, if this is its
                            model. NULL: there is one for each, in this order */
    double *least;   /* of each column, after any history */
    double *potential; /* of pairs: of each row (potentials.h), with which `after` and `least` are costs; all 0 where there are
                          none */
    pfi_listings *listings; /* its histories; NULL: `after` is made of rows */
    float *history_potential; /* of each of them; NULL: there are none */
} pfi_model_costs;

typedef struct pfi_bound_tables {
    pfi_rows *rows; /* of all models */
    pf_slots_view slots;
    const struct pf_con *space;
    const pf_moves *moves; /* NULL: any positions may follow one another */
    const uint32_t *place; /* of each position, its first unit, where `slots` are made of units; else NULL */
    uint16_t *stands;      /* of each position, the one that moves know it as: another one where `slots` are made of units; NULL */
    bool many_units;       /* words have so many that histories are looked at by what they list */
    unsigned potentials;   /* rounds for those of the only model, if `pairs`, or of all, if there are units; 0: there are none */
    bool pairs;            /* the costs after a position are those after two positions that can follow one another */
    pfi_said *said;           /* of units; without classes, where they are not told apart by what was said last */
    pfi_model_costs *model;
    size_t models;            /* that are there */
    const double **after;     /* scratch: of each model, what it says after a position */
    uint32_t *first_position; /* scratch: of each column of a model, where its positions begin */
    uint16_t *position;
} pfi_bound_tables;

/* The cost of an alternative by itself. */
static inline double pfi_own_cost(const pfi_bound_tables *tables, uint32_t arc) {
    return pf_scaled(tables->rows->parts.own, (double)tables->slots.arc[arc].w);
}

/* What a model says after a position, at the start (the number of positions), or after a class (so much further). */
static inline const double *pfi_after(const pfi_model_costs *model, size_t place) {
    return &model->after[(model->row ? model->row[place] : place) * (model->width + 1)];
}

/* What the models say after a position, or at the start: until it is asked again. */
static inline const double *const *pfi_after_position(const pfi_bound_tables *tables, unsigned last) {
    for (size_t i = 0; i < tables->models; i++) tables->after[i] = pfi_after(&tables->model[i], last);
    return tables->after;
}

/* Makes each unit a slot of its own, where there are moves and many units, and where that is not too much work for completions:
 * they look at each two units that may follow one another, in each state. *first is freed by the caller. PF_ENOMEM. */
pf_err pfi_units_take_apart(pfi_bound_tables *tables, bool one_path, uint32_t **first);

/* Tells units apart by what was said last to a model, if there is one to which some say nothing. PF_ENOMEM. */
pf_err pfi_units_tell_apart(const pfi_bound_tables *tables, bool one_path);

/* Fills the bound where there are units, and takes over the models' histories. It stays unknown where floats may not hold what a
 * path costs. There is room. PF_ENOMEM. */
pf_err pfi_bound_of_units(pfi_bound *bound, const pfi_bound_tables *tables);

/* Frees what is known of models' histories. */
void pfi_bound_forget_histories(pfi_bound *bound);

/* The least costs of a row's columns, and of the end: none is known; a row is possible. */
void pfi_forget_rows(const pfi_rows *rows, double *least);
void pfi_take_row(const pfi_rows *rows, uint32_t row, double *least);

/* The least costs of a model, where `pairs`, from no cost at all: `after`, `least` and `potential`; after a position those of
 * what may come next. Fills the rows of the histories that orders of the space can form. *known: the model has no more than
 * `most` rows; else the costs are not whole. PF_ENOMEM, PF_ELIMIT. */
pf_err pfi_placed_least(const pfi_bound_tables *tables, pfi_model_costs *model, size_t most, bool *known);

/* The largest float that is not above `value`. As nextafterf below what is rounded up, which is a call: floats of one sign stand in
 * the order of their bits. Half of all values are rounded up, so a branch could not be foretold: there is none. */
static inline float pfi_float_below(double value) {
    const float rounded = (float)value;
    const uint32_t above = (double)rounded > value;
    uint32_t bits;
    float below;
    memcpy(&bits, &rounded, sizeof bits);
    bits += rounded > 0 ? -above : above;
    memcpy(&below, &bits, sizeof below);
    return below;
}

#endif
