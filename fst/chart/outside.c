/* Products over (min, +), inside and outside. */
#include "chart/outside.h"

#include "search/limits.h"

#include <float.h>
#include <stdlib.h>

enum { TOGETHER = PFI_OUTSIDE_TOGETHER };

double pfi_outside_work(const pf_slots_view *slots) {
    double arcs = slots->first[slots->n], n = slots->n;
    return arcs * arcs * arcs * n * n * n / 60;
}

/* ---- matrices ---- */

static float *matrix(const pfi_outside *o, float *of, unsigned i, unsigned k) {
    return &of[o->at[i * (o->shape->n + (size_t)1) + k]];
}

/* A part of a matrix: the columns of one span, where they are in a matrix of `stride` columns. */
typedef struct {
    float *at;
    uint32_t columns, stride;
} matrix_view;

/* The columns of the alternatives of i .. k-1 in the matrix of a span that begins at `begin` and ends at `end`. */
static matrix_view view(const pfi_outside *o, float *of, const unsigned span[2], unsigned i, unsigned k) {
    return (matrix_view){matrix(o, of, span[0], span[1]) + (o->first[i] - o->first[span[0]]), o->first[k] - o->first[i],
                         pfi_outside_columns(o, span[0], span[1])};
}

/* Rows are filled up with columns whose inside costs are INFINITY, so that sums are taken some at a time. What is beyond the
 * columns of a view is met by such a column, or goes to one of outside costs, which nobody reads. */
static void add_least(float *restrict to, const float *restrict from, float cost, uint32_t n) {
    for (const float *end = from + n; from < end; from += TOGETHER, to += TOGETHER) {
        float sum[TOGETHER]; /* all are read before any is written: the compiler takes them at once */
        for (unsigned t = 0; t < TOGETHER; t++) sum[t] = cost + from[t];
        for (unsigned t = 0; t < TOGETHER; t++) sum[t] = sum[t] < to[t] ? sum[t] : to[t];
        for (unsigned t = 0; t < TOGETHER; t++) to[t] = sum[t];
    }
}

static float least_sum(const float *restrict one, const float *restrict other, uint32_t n) {
    float least[TOGETHER], all = INFINITY;
    for (unsigned t = 0; t < TOGETHER; t++) least[t] = INFINITY;
    for (const float *end = one + n; one < end; one += TOGETHER, other += TOGETHER)
        for (unsigned t = 0; t < TOGETHER; t++) {
            float sum = one[t] + other[t];
            least[t] = sum < least[t] ? sum : least[t];
        }
    for (unsigned t = 0; t < TOGETHER; t++) all = least[t] < all ? least[t] : all;
    return all;
}

/* ---- nodes ---- */

/* A node of i .. k-1 visits one block before the other. */
typedef struct {
    unsigned span[2], first[2], second[2];
    float cost; /* of the node */
} coarse_node;

/* The alternatives that may come before a span: those outside, and the start, as two ranges. */
typedef struct {
    uint32_t from, to;
} arc_range;

static void befores(const pfi_outside *o, const unsigned span[2], arc_range range[2]) {
    range[0] = (arc_range){0, o->first[span[0]]};
    range[1] = (arc_range){o->first[span[1]], o->arcs + 1};
}

/* The row of the second block's matrix for the m-th alternative of the first. */
static size_t row_after(const pfi_outside *o, const coarse_node *node, uint32_t m) {
    return (size_t)o->first[node->first[0]] + m;
}

static void join_inside(const pfi_outside *o, const coarse_node *node) {
    matrix_view first = view(o, o->inside, node->first, node->first[0], node->first[1]);
    matrix_view second = view(o, o->inside, node->second, node->second[0], node->second[1]);
    matrix_view to = view(o, o->inside, node->span, node->second[0], node->second[1]);
    arc_range range[2];
    befores(o, node->span, range);
    for (unsigned r = 0; r < 2; r++)
        for (uint32_t c = range[r].from; c < range[r].to; c++)
            for (uint32_t m = 0; m < first.columns; m++) {
                float cost = first.at[(size_t)c * first.stride + m] + node->cost;
                if (cost < INFINITY)
                    add_least(&to.at[(size_t)c * to.stride], &second.at[row_after(o, node, m) * second.stride], cost, to.columns);
            }
}

static void join_outside(const pfi_outside *o, const coarse_node *node) {
    matrix_view in_first = view(o, o->inside, node->first, node->first[0], node->first[1]);
    matrix_view in_second = view(o, o->inside, node->second, node->second[0], node->second[1]);
    matrix_view out_first = view(o, o->outside, node->first, node->first[0], node->first[1]);
    matrix_view out_second = view(o, o->outside, node->second, node->second[0], node->second[1]);
    matrix_view out = view(o, o->outside, node->span, node->second[0], node->second[1]);
    arc_range range[2];
    befores(o, node->span, range);
    for (unsigned r = 0; r < 2; r++)
        for (uint32_t c = range[r].from; c < range[r].to; c++)
            for (uint32_t m = 0; m < in_first.columns; m++) {
                const float *above = &out.at[(size_t)c * out.stride];
                const size_t row = row_after(o, node, m);
                float *to = &out_first.at[(size_t)c * out_first.stride + m];
                float cost = in_first.at[(size_t)c * in_first.stride + m] + node->cost;
                float least = least_sum(&in_second.at[row * in_second.stride], above, out.columns) + node->cost;
                if (least < *to) *to = least;
                if (cost < INFINITY) add_least(&out_second.at[row * out_second.stride], above, cost, out.columns);
            }
}

typedef void (*node_visitor)(const pfi_outside *o, const coarse_node *node);

/* Both orientations of a node. */
static void visit_node(const pfi_outside *o, unsigned i, unsigned j, unsigned k, node_visitor visit) {
    double cost[2];
    pfi_shape_node(o->shape, i, j, k, cost);
    if (cost[PFI_STRAIGHT] < (double)INFINITY) visit(o, &(coarse_node){{i, k}, {i, j}, {j, k}, (float)cost[PFI_STRAIGHT]});
    if (cost[PFI_INVERTED] < (double)INFINITY) visit(o, &(coarse_node){{i, k}, {j, k}, {i, j}, (float)cost[PFI_INVERTED]});
}

/* ---- all spans ---- */

static bool is_block(const pfi_outside *o, unsigned i, unsigned k) {
    return pfi_shape_has(o->shape, i, k) && pfi_leaves_joined(o->pieces->leaves, i, k);
}

static pf_err visit_span(const pfi_outside *o, unsigned i, unsigned k, const pf_best_options *options, node_visitor visit) {
    if (!is_block(o, i, k)) return PF_OK;
    for (unsigned j = i + 1; j < k; j++)
        if (is_block(o, i, j) && is_block(o, j, k)) visit_node(o, i, j, k, visit);
    return pfi_check_time(options, 0);
}

/* Of one alternative of a slot, which is read from its slot to where it ends: after each that may stand before it. */
static void fill_leaf(const pfi_outside *o, unsigned j, uint32_t a) {
    const pfi_pieces *pieces = o->pieces;
    const size_t kinds = pieces->kinds.n;
    const unsigned span[2] = {j, pieces->leaves->to[a]};
    matrix_view to = view(o, o->inside, span, j, j + 1);
    arc_range range[2];
    befores(o, span, range);
    for (unsigned r = 0; r < 2; r++)
        for (uint32_t c = range[r].from; c < range[r].to; c++) {
            const size_t from = c == o->arcs ? kinds : pieces->kind[c];
            float cost = pieces->after[from * kinds + pieces->kind[a]], *least = &to.at[(size_t)c * to.stride + (a - o->first[j])];
            if (cost < *least) *least = cost;
        }
}

/* Outside of the whole sentence there is its end. */
static void fill_end(pfi_outside *o) {
    const pfi_pieces *pieces = o->pieces;
    const unsigned n = o->shape->n;
    const size_t row = (size_t)o->arcs * pfi_outside_columns(o, 0, n);
    float *in = matrix(o, o->inside, 0, n) + row, *out = matrix(o, o->outside, 0, n) + row, best = INFINITY;
    for (uint32_t e = 0; e < o->arcs; e++) {
        out[e] = pieces->end_after[pieces->kind[e]];
        best = in[e] + out[e] < best ? in[e] + out[e] : best;
    }
    o->best = (double)best;
}

static pf_err fill(pfi_outside *o, const pf_best_options *options) {
    const unsigned n = o->shape->n;
    for (unsigned j = 0; j < n; j++)
        for (uint32_t a = o->first[j]; a < o->first[j + 1]; a++) fill_leaf(o, j, a);
    for (unsigned length = 2; length <= n; length++)
        for (unsigned i = 0; i + length <= n; i++) PF_TRY(visit_span(o, i, i + length, options, join_inside));
    fill_end(o);
    for (unsigned length = n; length >= 2; length--)
        for (unsigned i = 0; i + length <= n; i++) PF_TRY(visit_span(o, i, i + length, options, join_outside));
    return PF_OK;
}

/* The least outside cost of a span, and the least cost of an order over it. */
static void fill_least(pfi_outside *o, unsigned i, unsigned k) {
    const float *in = matrix(o, o->inside, i, k), *out = matrix(o, o->outside, i, k);
    const uint32_t columns = o->first[k] - o->first[i], stride = pfi_outside_columns(o, i, k);
    const size_t span = i * (o->shape->n + (size_t)1) + k;
    float least = INFINITY, through = INFINITY;
    for (uint32_t row = 0; row <= o->arcs; row++, in += stride, out += stride) {
        const float sum = least_sum(in, out, stride);
        through = sum < through ? sum : through;
        for (uint32_t c = 0; c < columns; c++) least = out[c] < least ? out[c] : least;
    }
    o->outer[span] = (double)least;
    o->through[span] = (double)through;
}

/* Where the matrix of each span begins; returns how many numbers all have. */
static size_t lay_out(pfi_outside *o) {
    const unsigned n = o->shape->n;
    size_t all = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = i + 1; k <= n; k++) {
            o->at[i * (n + (size_t)1) + k] = all;
            all += (o->arcs + (size_t)1) * pfi_outside_columns(o, i, k);
        }
    return all + TOGETHER; /* the last view may go beyond its row */
}

/* The inside costs have done their work in the end. */
static pf_err fill_matrices(pfi_outside *o, const pf_best_options *options) {
    const unsigned n = o->shape->n;
    o->at = calloc((n + (size_t)1) * (n + 1), sizeof *o->at);
    if (!o->at) return pf_nomem();
    size_t all = lay_out(o);
    o->inside = malloc(all * sizeof *o->inside);
    o->outside = malloc(all * sizeof *o->outside);
    if (!o->inside || !o->outside) return pf_nomem();
    for (size_t x = 0; x < all; x++) o->inside[x] = o->outside[x] = INFINITY;
    PF_TRY(fill(o, options));
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = i + 1; k <= n; k++) fill_least(o, i, k);
    free(o->inside);
    o->inside = NULL;
    return PF_OK;
}

pf_err pfi_outside_init(pfi_outside *o, const pfi_pieces *pieces, const pf_best_options *options, double within) {
    const size_t spans = (pieces->shape->n + (size_t)1) * (pieces->shape->n + 1);
    *o = (pfi_outside){.pieces = pieces, .shape = pieces->shape, .wide = pieces->wide, .first = pieces->slots.first,
                       .beyond = (double)INFINITY};
    o->arcs = o->first[o->shape->n];
    o->outer = malloc(spans * sizeof *o->outer);
    o->through = malloc(spans * sizeof *o->through);
    if (!o->outer || !o->through) return pf_nomem();
    double n = o->shape->n + 1.0, most = fabs(o->shape->own) * o->shape->all + o->shape->most_of_trees + n * pieces->largest;
    o->slack = n * most * (o->wide ? 4 * (double)FLT_EPSILON : 16 * n * DBL_EPSILON);
    return o->wide ? fill_matrices(o, options) : pfi_outside_narrow(o, options, within);
}

void pfi_outside_free(pfi_outside *o) {
    free(o->at);
    free(o->inside);
    free(o->outside);
    free(o->outer);
    free(o->through);
    *o = (pfi_outside){0};
}
