/* The bound, from tables of the sentence. */
#include "search/bound.h"

#include "base/cover.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_HISTORIES = 1 << 14, MOST_POSITIONS = 1 << 12 };

/* Rows of every history that words of the sentence can form; false past the limit. */
static pf_err close_rows(pfi_rows *r, bool *all) {
    for (uint32_t row = 0; row < r->final.n; row++) {
        if (row == MOST_HISTORIES) {
            *all = false;
            return PF_OK;
        }
        PF_TRY(pfi_rows_fill(r, row));
    }
    *all = true;
    return PF_OK;
}

typedef struct {
    pfi_rows *rows;
    pf_slots_view slots;
    double *behind; /* of each column the least cost of each column behind it; then of ending behind it */
} tables;

static double least(double a, double b) { return a < b ? a : b; }

/* What an alternative costs by itself. */
static double own(const tables *t, uint32_t arc) { return pf_scaled(t->rows->parts.own, (double)t->slots.arc[arc].w); }

/* A row stands behind each word whose cell leads to it. */
static pf_err least_by_column(tables *t) {
    pfi_rows *r = t->rows;
    size_t width = r->width, rows = r->final.n;
    t->behind = malloc(width * (width + 1) * sizeof *t->behind);
    unsigned char *seen = calloc(rows, width);
    if (!t->behind || !seen) {
        free(seen);
        return pf_nomem();
    }
    for (size_t i = 0; i < width * (width + 1); i++) t->behind[i] = (double)INFINITY;
    for (size_t from = 0; from < rows; from++)
        for (size_t c = 0; c < r->words; c++) {
            size_t row = r->cells.at[from * width + c].to;
            double *to = &t->behind[c * (width + 1)];
            if (seen[row * width + c]++) continue;
            for (size_t k = 0; k < width; k++) to[k] = least(to[k], r->cells.at[row * width + k].w);
            to[width] = least(to[width], r->final.at[row]);
        }
    free(seen);
    return PF_OK;
}

/* The least over the alternatives of both positions; a word without output says nothing about what comes behind it. */
static double between(const tables *t, unsigned q, unsigned j) {
    const pf_slots_view *s = &t->slots;
    size_t width = t->rows->width;
    double cost = (double)INFINITY;
    for (uint32_t a = s->first[q]; a < s->first[q + 1]; a++) {
        const double *behind = &t->behind[pfi_rows_column(t->rows, s->arc[a].out) * (width + 1)];
        if (j == s->n) cost = least(cost, behind[width]);
        else
            for (uint32_t b = s->first[j]; b < s->first[j + 1]; b++)
                cost = least(cost, behind[pfi_rows_column(t->rows, s->arc[b].out)] + own(t, b));
    }
    return cost;
}

static bool has_silent_words(const tables *t) {
    for (uint32_t a = 0; a < t->slots.first[t->slots.n]; a++)
        if (pfi_rows_column(t->rows, t->slots.arc[a].out) == t->rows->words) return true;
    return false;
}

static bool own_costs_are_not_negative(const tables *t) {
    for (uint32_t a = 0; a < t->slots.first[t->slots.n]; a++)
        if (own(t, a) < 0) return false;
    return true;
}

/* The start of the sentence is a history too. */
static double at_start(const tables *t, unsigned j) {
    double cost = (double)INFINITY;
    for (uint32_t b = t->slots.first[j]; b < t->slots.first[j + 1]; b++)
        cost = least(cost, t->rows->cells.at[pfi_rows_column(t->rows, t->slots.arc[b].out)].w + own(t, b));
    return cost;
}

typedef struct {
    double cost;
    uint32_t q;
} ranked;

static int by_cost(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    return (x->cost > y->cost) - (x->cost < y->cost);
}

/* The largest float that is not above x. */
static float below(double x) {
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

/* The column of j and its order; false where a cost is infinite. */
static bool fill_column(pfi_bound *b, const tables *t, unsigned j, ranked *order) {
    unsigned n = b->n;
    double any = at_start(t, j);
    bool finite = true;
    for (unsigned q = 0; q < n; q++) {
        order[q] = (ranked){between(t, q, j), q};
        b->behind[q * b->stride + j] = below(order[q].cost);
        finite = finite && order[q].cost < (double)INFINITY;
        any = least(any, order[q].cost);
    }
    b->behind[n * b->stride + j] = below(any);
    b->end[j] = between(t, j, n);
    qsort(order, n, sizeof *order, by_cost);
    for (unsigned q = 0; q < n; q++) b->by_cost[(size_t)j * n + q] = (uint16_t)order[q].q;
    return finite && b->end[j] < (double)INFINITY;
}

static void order_ends(pfi_bound *b, ranked *order) {
    for (unsigned j = 0; j < b->n; j++) order[j] = (ranked){b->end[j], j};
    qsort(order, b->n, sizeof *order, by_cost);
    for (unsigned j = 0; j < b->n; j++) b->by_end[j] = (uint16_t)order[j].q;
}

static pf_err make(pfi_bound *b, tables *t) {
    unsigned n = b->n = t->slots.n;
    b->stride = (n + PFI_CHUNK - 1) / PFI_CHUNK * PFI_CHUNK;
    b->behind = calloc((n + 1) * b->stride, sizeof *b->behind);
    b->by_cost = malloc((size_t)n * n * sizeof *b->by_cost);
    b->end = malloc(n * sizeof *b->end);
    b->by_end = malloc(n * sizeof *b->by_end);
    b->uncovered = malloc(pf_cover_words(n) * sizeof *b->uncovered);
    if (!b->behind || !b->by_cost || !b->end || !b->by_end || !b->uncovered) return pf_nomem();
    PF_TRY(least_by_column(t));
    ranked *order = malloc(n * sizeof *order);
    if (!order) return pf_nomem();
    b->known = true;
    b->positions = t->slots.positions;
    for (unsigned j = 0; j < n; j++) b->known = fill_column(b, t, j, order) && b->known;
    order_ends(b, order);
    free(order);
    return PF_OK;
}

pf_err pfi_bound_init(pfi_bound *b, pfi_rows *rows, const pf_fst *fst) {
    tables t = {.rows = rows};
    bool all;
    *b = (pfi_bound){.fst = fst};
    if (!fst->op || !fst->op->slots) return PF_OK;
    fst->op->slots(fst->self, &t.slots);
    t.slots.nonnegative = t.slots.nonnegative && rows->parts.own >= 0;
    b->nonnegative = !t.slots.n || (!rows->parts.n && t.slots.nonnegative && own_costs_are_not_negative(&t));
    if (!rows->parts.n || !t.slots.nonnegative || !t.slots.n || t.slots.n > MOST_POSITIONS || has_silent_words(&t)) return PF_OK;
    PF_TRY(close_rows(rows, &all));
    if (!all) return PF_OK;
    pf_err err = make(b, &t);
    b->nonnegative = b->known;
    free(t.behind);
    return err;
}

void pfi_bound_free(pfi_bound *b) {
    free(b->behind);
    free(b->by_cost);
    free(b->end);
    free(b->by_end);
    free(b->uncovered);
}
