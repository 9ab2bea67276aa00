/* The bound, from tables of the sentence. */
#include "search/bound.h"

#include <permfst/base/cover.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 1 << 22, MOST_POSITIONS = 1 << 12 };

/* What one model says of the sentence. */
typedef struct {
    pfi_rows *rows;
    double *behind; /* n+1 rows of width+1: of each column, then of ending, the least cost behind position q; row n: at the start */
    double *least;  /* of each column behind anything */
} part;

typedef struct {
    pfi_rows *rows;     /* of all models */
    pf_slots_view slots;
    part *of;           /* each of them; n_parts */
    size_t n_parts;
    uint32_t *first;    /* scratch: of each column of a part, where its positions begin */
    uint16_t *position;
} tables;

static double smaller(double a, double b) { return a < b ? a : b; }

/* What an alternative costs by itself. */
static double own(const tables *t, uint32_t arc) { return pf_scaled(t->rows->parts.own, (double)t->slots.arc[arc].w); }

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

/* ---- one model ---- */

/* Rows of every history that words of the sentence can form; false past the limit. */
static pf_err close_rows(pfi_rows *r, bool *all) {
    size_t most = MOST_CELLS / r->width;
    for (uint32_t row = 0; row < r->final.n; row++) {
        if (row == most) {
            *all = false;
            return PF_OK;
        }
        PF_TRY(pfi_rows_fill(r, row));
    }
    *all = true;
    return PF_OK;
}

/* The positions that have an alternative in each column, as a list with an index. */
static pf_err list_positions(tables *t, pfi_rows *r) {
    const pf_slots_view *s = &t->slots;
    uint32_t arcs = s->first[s->n];
    t->first = calloc(r->width + (size_t)2, sizeof *t->first);
    t->position = malloc((arcs + (size_t)1) * sizeof *t->position);
    if (!t->first || !t->position) return pf_nomem();
    for (uint32_t a = 0; a < arcs; a++) t->first[pfi_rows_column(r, s->arc[a].out) + 2]++;
    for (size_t c = 2; c <= r->width + (size_t)1; c++) t->first[c] += t->first[c - 1];
    for (unsigned q = 0; q < s->n; q++)
        for (uint32_t a = s->first[q]; a < s->first[q + 1]; a++)
            t->position[t->first[pfi_rows_column(r, s->arc[a].out) + 1]++] = (uint16_t)q;
    return PF_OK;
}

static void take_row(const part *p, size_t row, unsigned q) {
    const pfi_rows *r = p->rows;
    const pfi_cell *cell = &r->cells.at[row * r->width];
    double *to = &p->behind[q * (r->width + (size_t)1)];
    for (size_t k = 0; k < r->width; k++) to[k] = smaller(to[k], cell[k].w);
    to[r->width] = smaller(to[r->width], r->final.at[row]);
}

/* A row stands behind each position that has a word whose cell leads to it. */
static pf_err take_rows(const tables *t, part *p) {
    const pfi_rows *r = p->rows;
    unsigned n = t->slots.n;
    unsigned char *seen = calloc(r->final.n, n);
    if (!seen) return pf_nomem();
    for (size_t from = 0; from < r->final.n; from++)
        for (size_t c = 0; c < r->words; c++) {
            pfi_cell cell = r->cells.at[from * r->width + c];
            p->least[c] = smaller(p->least[c], cell.w);
            if (cell.w == (double)INFINITY) continue;
            for (uint32_t i = t->first[c]; i < t->first[c + 1]; i++)
                if (!seen[cell.to * (size_t)n + t->position[i]]++) take_row(p, cell.to, t->position[i]);
        }
    take_row(p, 0, n);
    free(seen);
    return PF_OK;
}

static pf_err make_part(tables *t, part *p, bool *known) {
    size_t width = p->rows->width + (size_t)1, cells = (t->slots.n + (size_t)1) * width;
    PF_TRY(close_rows(p->rows, known));
    if (!*known) return PF_OK;
    p->behind = malloc(cells * sizeof *p->behind);
    p->least = malloc(width * sizeof *p->least);
    if (!p->behind || !p->least) return pf_nomem();
    for (size_t i = 0; i < cells; i++) p->behind[i] = (double)INFINITY;
    for (size_t c = 0; c < width; c++) p->least[c] = (double)INFINITY;
    pf_err err = list_positions(t, p->rows);
    if (!err) err = take_rows(t, p);
    free(t->first);
    free(t->position);
    t->first = NULL;
    t->position = NULL;
    return err;
}

/* ---- all of them ---- */

/* Each model's rows: those of the search where there is one model. *known: none has too many histories. */
static pf_err make_parts(tables *t, bool *known) {
    size_t n = t->rows->parts.n;
    t->of = calloc(n, sizeof *t->of);
    if (!t->of) return pf_nomem();
    *known = true;
    for (size_t m = 0; m < n && *known; m++, t->n_parts++) {
        part *p = &t->of[m];
        p->rows = t->rows;
        if (n > 1 && !(p->rows = calloc(1, sizeof *p->rows))) return pf_nomem();
        if (n > 1) PF_TRY(pfi_rows_init_one(p->rows, t->rows, m));
        PF_TRY(make_part(t, p, known));
    }
    return PF_OK;
}

static void free_parts(tables *t) {
    for (size_t m = 0; t->of && m < t->rows->parts.n; m++) {
        part *p = &t->of[m];
        free(p->behind);
        free(p->least);
        if (p->rows == t->rows || !p->rows) continue;
        pfi_rows_free(p->rows);
        free(p->rows);
    }
    free(t->of);
}

/* What an alternative costs at least behind position q, or at the start (q = n). */
static double behind(const tables *t, unsigned q, uint32_t arc) {
    double cost = own(t, arc);
    for (size_t m = 0; m < t->n_parts; m++) {
        const part *p = &t->of[m];
        cost += p->behind[q * (p->rows->width + (size_t)1) + pfi_rows_column(p->rows, t->slots.arc[arc].out)];
    }
    return cost;
}

/* The least over the alternatives of j; ending (j = n) behind q. */
static double between(const tables *t, unsigned q, unsigned j) {
    double cost = j == t->slots.n ? 0 : (double)INFINITY;
    for (size_t m = 0; j == t->slots.n && m < t->n_parts; m++) {
        const part *p = &t->of[m];
        cost += p->behind[q * (p->rows->width + (size_t)1) + p->rows->width];
    }
    for (uint32_t b = t->slots.first[j]; j < t->slots.n && b < t->slots.first[j + 1]; b++) cost = smaller(cost, behind(t, q, b));
    return cost;
}

/* The least of each column of the search's rows. */
static void fill_least(pfi_bound *b, const tables *t) {
    for (size_t c = 0; c < t->rows->width; c++) b->least[c] = -(double)INFINITY;
    for (uint32_t a = 0; a < t->slots.first[t->slots.n]; a++) {
        pf_label out = t->slots.arc[a].out;
        double cost = 0;
        for (size_t m = 0; m < t->n_parts; m++) cost += t->of[m].least[pfi_rows_column(t->of[m].rows, out)];
        b->least[pfi_rows_column(t->rows, out)] = cost;
    }
}

typedef struct {
    double cost;
    uint32_t q;
} ranked;

static int by_cost(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    return (x->cost > y->cost) - (x->cost < y->cost);
}

/* qsort takes a hundred instructions for a comparison, and every column of every sentence is sorted. */
static void sort_by_cost(ranked *r, unsigned n) {
    if (n > 64) {
        qsort(r, n, sizeof *r, by_cost);
        return;
    }
    for (unsigned i = 1; i < n; i++) {
        ranked x = r[i];
        unsigned k = i;
        for (; k && r[k - 1].cost > x.cost; k--) r[k] = r[k - 1];
        r[k] = x;
    }
}

/* The largest float that is not above x. */
static float below(double x) {
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

/* The column of j and its order; false where a cost is infinite. */
static bool fill_column(pfi_bound *b, const tables *t, unsigned j, ranked *order) {
    unsigned n = b->n;
    double any = between(t, n, j);
    bool finite = true;
    for (unsigned q = 0; q < n; q++) {
        order[q] = (ranked){between(t, q, j), q};
        b->behind[q * b->stride + j] = below(order[q].cost);
        finite = finite && order[q].cost < (double)INFINITY;
        any = smaller(any, order[q].cost);
    }
    b->behind[n * b->stride + j] = below(any);
    b->end[j] = between(t, j, n);
    sort_by_cost(order, n);
    for (unsigned q = 0; q < n; q++) b->by_cost[(size_t)j * n + q] = (uint16_t)order[q].q;
    return finite && b->end[j] < (double)INFINITY;
}

static void order_ends(pfi_bound *b, ranked *order) {
    for (unsigned j = 0; j < b->n; j++) order[j] = (ranked){b->end[j], j};
    sort_by_cost(order, b->n);
    for (unsigned j = 0; j < b->n; j++) b->by_end[j] = (uint16_t)order[j].q;
}

static pf_err make(pfi_bound *b, const tables *t) {
    unsigned n = b->n = t->slots.n;
    b->stride = (n + PFI_CHUNK - 1) / PFI_CHUNK * PFI_CHUNK;
    b->behind = calloc((n + 1) * b->stride, sizeof *b->behind);
    b->by_cost = malloc((size_t)n * n * sizeof *b->by_cost);
    b->end = malloc(n * sizeof *b->end);
    b->by_end = malloc(n * sizeof *b->by_end);
    b->uncovered = malloc(pf_cover_words(n) * sizeof *b->uncovered);
    b->least = malloc(t->rows->width * sizeof *b->least);
    if (!b->behind || !b->by_cost || !b->end || !b->by_end || !b->uncovered || !b->least) return pf_nomem();
    fill_least(b, t);
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
    pf_err err = make_parts(&t, &all);
    if (!err && all) err = make(b, &t);
    b->nonnegative = b->known;
    free_parts(&t);
    return err;
}

void pfi_bound_free(pfi_bound *b) {
    free(b->behind);
    free(b->by_cost);
    free(b->end);
    free(b->by_end);
    free(b->uncovered);
    free(b->least);
}
