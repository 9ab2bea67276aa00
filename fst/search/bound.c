/* The tables of the bound, read off the rows of each model. */
#include "search/bound.h"

#include "base/contract.h"

#include <permfst/base/cover.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 1 << 22, MOST_POSITIONS = 1 << 12 };

/* What one model says of the sentence. */
typedef struct {
    pfi_rows *rows;
    double *after; /* length+1 times width+1: the least cost of each column, and of the end, after position q; last: at the start */
    double *least; /* of each column, after any history */
} model_costs;

typedef struct {
    pfi_rows *rows; /* of all models */
    pf_slots_view slots;
    model_costs *model;
    size_t models;            /* that are there */
    uint32_t *first_position; /* scratch: of each column of a model, where its positions begin */
    uint16_t *position;
} bound_tables;

static double smaller(double a, double b) { return a < b ? a : b; }

static uint32_t alternatives(const bound_tables *t) { return t->slots.first[t->slots.n]; }

/* The cost of an alternative by itself. */
static double own(const bound_tables *t, uint32_t arc) { return pf_scaled(t->rows->parts.own, (double)t->slots.arc[arc].w); }

static bool has_silent_words(const bound_tables *t) {
    for (uint32_t a = 0; a < alternatives(t); a++)
        if (pfi_rows_column(t->rows, t->slots.arc[a].out) == t->rows->words) return true;
    return false;
}

static bool own_costs_are_not_negative(const bound_tables *t) {
    for (uint32_t a = 0; a < alternatives(t); a++)
        if (own(t, a) < 0) return false;
    return true;
}

/* ---- one model ---- */

/* Makes the rows of every history that words of the sentence can form. *all: they are within the limit. */
static pf_err close_rows(pfi_rows *rows, bool *all) {
    size_t most = MOST_CELLS / rows->width;
    *all = false;
    for (uint32_t row = 0; row < rows->final.n; row++) {
        if (row == most) return PF_OK;
        PF_TRY(pfi_rows_fill(rows, row));
    }
    *all = true;
    return PF_OK;
}

/* The positions that have an alternative in each column, column by column. A counting sort: the counts stand two places further,
 * so that the sums, one place further, are cursors, and in the end each column begins where the one before it has ended. */
static pf_err list_positions(bound_tables *t, pfi_rows *rows) {
    const pf_slots_view *slots = &t->slots;
    t->first_position = calloc(rows->width + (size_t)2, sizeof *t->first_position);
    t->position = malloc((alternatives(t) + (size_t)1) * sizeof *t->position);
    if (!t->first_position || !t->position) return pf_nomem();
    uint32_t *count = t->first_position + 2, *cursor = t->first_position + 1;
    for (uint32_t a = 0; a < alternatives(t); a++) count[pfi_rows_column(rows, slots->arc[a].out)]++;
    for (size_t c = 1; c < rows->width; c++) count[c] += count[c - 1];
    for (unsigned q = 0; q < slots->n; q++)
        for (uint32_t a = slots->first[q]; a < slots->first[q + 1]; a++)
            t->position[cursor[pfi_rows_column(rows, slots->arc[a].out)]++] = (uint16_t)q;
    return PF_OK;
}

/* The costs of a row are possible after position q. */
static void take_row(const model_costs *m, size_t row, unsigned q) {
    const pfi_rows *rows = m->rows;
    const pfi_cell *cell = &rows->cells.at[row * rows->width];
    double *after = &m->after[q * (rows->width + (size_t)1)];
    for (size_t c = 0; c < rows->width; c++) after[c] = smaller(after[c], cell[c].cost);
    after[rows->width] = smaller(after[rows->width], rows->final.at[row]);
}

/* A row is possible after each position that has a word whose cell leads to the row. */
static pf_err take_rows(const bound_tables *t, model_costs *m) {
    const pfi_rows *rows = m->rows;
    unsigned n = t->slots.n;
    unsigned char *seen = calloc(rows->final.n, n);
    if (!seen) return pf_nomem();
    for (size_t from = 0; from < rows->final.n; from++)
        for (size_t c = 0; c < rows->words; c++) {
            pfi_cell cell = rows->cells.at[from * rows->width + c];
            m->least[c] = smaller(m->least[c], cell.cost);
            if (cell.cost == (double)INFINITY) continue;
            for (uint32_t i = t->first_position[c]; i < t->first_position[c + 1]; i++)
                if (!seen[cell.to * (size_t)n + t->position[i]]++) take_row(m, cell.to, t->position[i]);
        }
    take_row(m, 0, n);
    free(seen);
    return PF_OK;
}

static pf_err make_model(bound_tables *t, model_costs *m, bool *known) {
    size_t width = m->rows->width + (size_t)1, cells = (t->slots.n + (size_t)1) * width;
    PF_TRY(close_rows(m->rows, known));
    if (!*known) return PF_OK;
    m->after = malloc(cells * sizeof *m->after);
    m->least = malloc(width * sizeof *m->least);
    if (!m->after || !m->least) return pf_nomem();
    for (size_t i = 0; i < cells; i++) m->after[i] = (double)INFINITY;
    for (size_t c = 0; c < width; c++) m->least[c] = (double)INFINITY;
    pf_err err = list_positions(t, m->rows);
    if (!err) err = take_rows(t, m);
    free(t->first_position);
    free(t->position);
    t->first_position = NULL;
    t->position = NULL;
    return err;
}

/* ---- all of them ---- */

/* Each model's rows: those of the search where there is one model. *known: none has too many histories. */
static pf_err make_models(bound_tables *t, bool *known) {
    size_t n = t->rows->parts.n;
    t->model = calloc(n, sizeof *t->model);
    if (!t->model) return pf_nomem();
    *known = true;
    for (size_t i = 0; i < n && *known; i++, t->models++) {
        model_costs *m = &t->model[i];
        m->rows = t->rows;
        if (n > 1 && !(m->rows = calloc(1, sizeof *m->rows))) return pf_nomem();
        if (n > 1) PF_TRY(pfi_rows_init_one(m->rows, t->rows, i));
        PF_TRY(make_model(t, m, known));
    }
    return PF_OK;
}

static void free_models(bound_tables *t) {
    for (size_t i = 0; t->model && i < t->rows->parts.n; i++) {
        model_costs *m = &t->model[i];
        free(m->after);
        free(m->least);
        if (m->rows == t->rows || !m->rows) continue;
        pfi_rows_free(m->rows);
        free(m->rows);
    }
    free(t->model);
}

/* The least cost of an alternative after position q, or at the start (q = n). */
static double alternative_after(const bound_tables *t, unsigned q, uint32_t arc) {
    double cost = own(t, arc);
    for (size_t i = 0; i < t->models; i++) {
        const model_costs *m = &t->model[i];
        cost += m->after[q * (m->rows->width + (size_t)1) + pfi_rows_column(m->rows, t->slots.arc[arc].out)];
    }
    return cost;
}

/* The least cost of position j, over its alternatives. */
static double position_after(const bound_tables *t, unsigned q, unsigned j) {
    double cost = (double)INFINITY;
    for (uint32_t a = t->slots.first[j]; a < t->slots.first[j + 1]; a++) cost = smaller(cost, alternative_after(t, q, a));
    return cost;
}

static double end_after(const bound_tables *t, unsigned q) {
    double cost = 0;
    for (size_t i = 0; i < t->models; i++) {
        const model_costs *m = &t->model[i];
        cost += m->after[q * (m->rows->width + (size_t)1) + m->rows->width];
    }
    return cost;
}

/* The least of each column of the search's rows. */
static void fill_column_least(pfi_bound *bound, const bound_tables *t) {
    for (size_t c = 0; c < t->rows->width; c++) bound->column_least[c] = -(double)INFINITY;
    for (uint32_t a = 0; a < alternatives(t); a++) {
        pf_label out = t->slots.arc[a].out;
        double cost = 0;
        for (size_t i = 0; i < t->models; i++) cost += t->model[i].least[pfi_rows_column(t->model[i].rows, out)];
        bound->column_least[pfi_rows_column(t->rows, out)] = cost;
    }
}

typedef struct {
    double cost;
    uint16_t position;
} ranked_position;

static int by_cost(const void *a, const void *b) {
    const ranked_position *x = a, *y = b;
    return (x->cost > y->cost) - (x->cost < y->cost);
}

static bool in_order(const ranked_position *r, unsigned n) {
    for (unsigned i = 1; i < n; i++)
        if (r[i - 1].cost > r[i].cost) return false;
    return true;
}

/* qsort takes a hundred instructions for a comparison, and every column of every sentence is sorted. */
static void sort_by_cost(ranked_position *r, unsigned n, uint16_t *position) {
    if (n > 64) qsort(r, n, sizeof *r, by_cost);
    for (unsigned i = 1; n <= 64 && i < n; i++) {
        ranked_position x = r[i];
        unsigned k = i;
        for (; k && r[k - 1].cost > x.cost; k--) r[k] = r[k - 1];
        r[k] = x;
    }
    PFI_CHECK(in_order(r, n));
    for (unsigned i = 0; i < n; i++) position[i] = r[i].position;
}

/* The largest float that is not above x. */
static float below(double x) {
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

/* The costs of position j and their order; false where one is infinite. */
static bool fill_position(pfi_bound *bound, const bound_tables *t, unsigned j, ranked_position *order) {
    unsigned n = bound->length;
    double any = position_after(t, n, j);
    bool finite = true;
    for (unsigned q = 0; q < n; q++) {
        order[q] = (ranked_position){position_after(t, q, j), (uint16_t)q};
        bound->after[q * bound->stride + j] = below(order[q].cost);
        finite = finite && order[q].cost < (double)INFINITY;
        any = smaller(any, order[q].cost);
    }
    bound->after[n * bound->stride + j] = below(any);
    sort_by_cost(order, n, &bound->by_cost[(size_t)j * n]);
    return finite;
}

/* The costs of the end and their order; false where one is infinite. */
static bool fill_end(pfi_bound *bound, const bound_tables *t, ranked_position *order) {
    bool finite = true;
    for (unsigned q = 0; q < bound->length; q++) {
        bound->end_after[q] = end_after(t, q);
        order[q] = (ranked_position){bound->end_after[q], (uint16_t)q};
        finite = finite && bound->end_after[q] < (double)INFINITY;
    }
    sort_by_cost(order, bound->length, bound->by_end);
    return finite;
}

static bool fill(pfi_bound *bound, const bound_tables *t, ranked_position *order) {
    bool finite = fill_end(bound, t, order);
    for (unsigned j = 0; j < bound->length; j++) finite = fill_position(bound, t, j, order) && finite;
    fill_column_least(bound, t);
    return finite;
}

static pf_err make(pfi_bound *bound, const bound_tables *t) {
    unsigned n = bound->length = t->slots.n;
    ranked_position *order = malloc(n * sizeof *order);
    bound->positions = t->slots.positions;
    bound->stride = (n + PFI_CHUNK - 1) / PFI_CHUNK * PFI_CHUNK;
    bound->after = calloc((n + 1) * bound->stride, sizeof *bound->after);
    bound->by_cost = malloc((size_t)n * n * sizeof *bound->by_cost);
    bound->end_after = malloc(n * sizeof *bound->end_after);
    bound->by_end = malloc(n * sizeof *bound->by_end);
    bound->uncovered = malloc(pf_cover_words(n) * sizeof *bound->uncovered);
    bound->column_least = malloc(t->rows->width * sizeof *bound->column_least);
    bool room = order && bound->after && bound->by_cost && bound->end_after && bound->by_end && bound->uncovered &&
                bound->column_least;
    if (room) bound->known = fill(bound, t, order);
    free(order);
    return room ? PF_OK : pf_nomem();
}

static bool can_be_known(const bound_tables *t) {
    return t->rows->parts.n && t->slots.n && t->slots.n <= MOST_POSITIONS && !has_silent_words(t);
}

pf_err pfi_bound_init(pfi_bound *bound, pfi_rows *rows, const pf_fst *fst) {
    bound_tables t = {.rows = rows};
    bool all = false;
    pf_err err = PF_OK;
    *bound = (pfi_bound){.fst = fst};
    if (!fst->op || !fst->op->slots) return PF_OK;
    assert(fst->op->cover);
    fst->op->slots(fst->self, &t.slots);
    bound->empty = !t.slots.n;
    const bool moves_are_nonnegative = t.slots.nonnegative && rows->parts.own >= 0;
    if (moves_are_nonnegative && can_be_known(&t)) err = make_models(&t, &all);
    if (!err && all) err = make(bound, &t);
    const bool no_cost_is_negative = !rows->parts.n && moves_are_nonnegative && own_costs_are_not_negative(&t);
    bound->admissible = bound->known || no_cost_is_negative;
    free_models(&t);
    return err;
}

void pfi_bound_free(pfi_bound *bound) {
    free(bound->after);
    free(bound->by_cost);
    free(bound->end_after);
    free(bound->by_end);
    free(bound->uncovered);
    free(bound->column_least);
}
