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

/* Of a matrix for each span, with a row for each alternative and for the start. */
static size_t lay_out(const pf_slots_view *slots, size_t *at) {
    const unsigned n = slots->n;
    size_t all = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = i + 1; k <= n; k++) {
            if (at) at[i * (n + (size_t)1) + k] = all;
            all += (slots->first[n] + (size_t)1) * pfi_columns_of(slots->first, i, k);
        }
    return all + TOGETHER; /* the last view may go beyond its row */
}

/* Two matrices, and one number for each of the pairs of a span's and another one's alternatives. */
uint64_t pfi_outside_room(const pf_slots_view *slots) {
    const uint64_t arcs = slots->first[slots->n];
    return (2 * (uint64_t)lay_out(slots, NULL) + arcs * arcs / 2) * sizeof(float);
}

uint64_t pfi_outside_bytes(const pfi_outside *outside) {
    const size_t side = outside->shape->n + (size_t)1;
    return outside->numbers * sizeof *outside->outside +
        side * side * (sizeof *outside->outer + sizeof *outside->through + sizeof *outside->at);
}

/* ---- matrices ---- */

static float *matrix(const pfi_outside *coarse, float *of, unsigned i, unsigned k) {
    return &of[coarse->at[i * (coarse->shape->n + (size_t)1) + k]];
}

/* A part of a matrix: the columns of one span, where they are in a matrix of `stride` columns. */
typedef struct {
    float *at;
    uint32_t columns, stride;
} matrix_view;

/* The columns of the alternatives of i .. k-1 in the matrix of a span that begins at `begin` and ends at `end`. */
static matrix_view view(const pfi_outside *coarse, float *of, const unsigned span[2], unsigned i, unsigned k) {
    float *at = matrix(coarse, of, span[0], span[1]) + (coarse->first[i] - coarse->first[span[0]]);
    return (matrix_view){at, coarse->first[k] - coarse->first[i], pfi_outside_columns(coarse, span[0], span[1])};
}

/* What is beyond the columns of a view is met by a column whose inside costs are INFINITY, or goes to one of outside costs, which
 * nobody reads. */
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

static void befores(const pfi_outside *coarse, const unsigned span[2], arc_range range[2]) {
    range[0] = (arc_range){0, coarse->first[span[0]]};
    range[1] = (arc_range){coarse->first[span[1]], coarse->arcs + 1};
}

/* From the row of the second block's matrix for the first alternative of the first block. */
static float *after_first(const pfi_outside *coarse, const coarse_node *node, matrix_view second) {
    return second.at + (size_t)coarse->first[node->first[0]] * second.stride;
}

static void join_inside(const pfi_outside *coarse, const coarse_node *node) {
    matrix_view first = view(coarse, coarse->inside, node->first, node->first[0], node->first[1]);
    matrix_view second = view(coarse, coarse->inside, node->second, node->second[0], node->second[1]);
    matrix_view to = view(coarse, coarse->inside, node->span, node->second[0], node->second[1]);
    arc_range range[2];
    befores(coarse, node->span, range);
    for (unsigned r = 0; r < 2; r++) {
        const size_t from = range[r].from, rows = range[r].to - from;
        pfi_min_product_take(&(pfi_min_product){
            first.at + from * first.stride, after_first(coarse, node, second), to.at + from * to.stride,
            first.stride, 1, second.stride, to.stride, rows, first.columns, to.columns, node->cost});
    }
}

/* The inside costs of the second block, turned: a row for each of its alternatives, a column for each of the first block. */
static matrix_view turned(const pfi_outside *coarse, const coarse_node *node, uint32_t columns, matrix_view second) {
    const float *from = after_first(coarse, node, second);
    const uint32_t stride = (columns + TOGETHER - 1) / TOGETHER * TOGETHER;
    for (uint32_t c = 0; c < stride; c++)
        for (uint32_t e = 0; e < second.columns; e++)
            coarse->turned[(size_t)e * stride + c] = c < columns ? from[(size_t)c * second.stride + e] : INFINITY;
    return (matrix_view){coarse->turned, columns, stride};
}

/* The outside costs of the first block, then those of the second one. */
static void join_outside(const pfi_outside *coarse, const coarse_node *node) {
    matrix_view in_first = view(coarse, coarse->inside, node->first, node->first[0], node->first[1]);
    matrix_view in_second = view(coarse, coarse->inside, node->second, node->second[0], node->second[1]);
    matrix_view out_first = view(coarse, coarse->outside, node->first, node->first[0], node->first[1]);
    matrix_view out_second = view(coarse, coarse->outside, node->second, node->second[0], node->second[1]);
    matrix_view above = view(coarse, coarse->outside, node->span, node->second[0], node->second[1]);
    matrix_view in_turned = turned(coarse, node, in_first.columns, in_second);
    arc_range range[2];
    befores(coarse, node->span, range);
    for (unsigned r = 0; r < 2; r++) {
        const size_t from = range[r].from, rows = range[r].to - from;
        const float *outer = above.at + from * above.stride;
        pfi_min_product_take(&(pfi_min_product){
            outer, in_turned.at, out_first.at + from * out_first.stride,
            above.stride, 1, in_turned.stride, out_first.stride, rows, above.columns, in_first.columns, node->cost});
        pfi_min_product_take(&(pfi_min_product){
            in_first.at + from * in_first.stride, outer, after_first(coarse, node, out_second),
            1, in_first.stride, above.stride, out_second.stride, in_first.columns, rows, above.columns, node->cost});
    }
}

typedef void (*node_visitor)(const pfi_outside *coarse, const coarse_node *node);

/* Both orientations of a node. */
static void visit_node(const pfi_outside *coarse, unsigned i, unsigned j, unsigned k, node_visitor visit) {
    double cost[2];
    pfi_shape_node(coarse->shape, i, j, k, cost);
    if (cost[PFI_STRAIGHT] < (double)INFINITY) visit(coarse, &(coarse_node){{i, k}, {i, j}, {j, k}, (float)cost[PFI_STRAIGHT]});
    if (cost[PFI_INVERTED] < (double)INFINITY) visit(coarse, &(coarse_node){{i, k}, {j, k}, {i, j}, (float)cost[PFI_INVERTED]});
}

/* ---- all spans ---- */

static bool is_block(const pfi_outside *coarse, unsigned i, unsigned k) {
    return pfi_shape_has(coarse->shape, i, k) && pfi_leaves_joined(coarse->pieces->leaves, i, k);
}

static pf_err visit_span(const pfi_outside *coarse, unsigned i, unsigned k, const pf_best_options *options, node_visitor visit) {
    if (!is_block(coarse, i, k)) return PF_OK;
    for (unsigned j = i + 1; j < k; j++)
        if (is_block(coarse, i, j) && is_block(coarse, j, k)) visit_node(coarse, i, j, k, visit);
    return pfi_check_time(options, 0);
}

/* Of one alternative of a slot, which is read from its slot to where it ends: after each that may stand before it. */
static void fill_leaf(const pfi_outside *coarse, unsigned j, uint32_t a) {
    const pfi_pieces *pieces = coarse->pieces;
    const size_t kinds = pieces->kinds.n;
    const unsigned span[2] = {j, pieces->leaves->to[a]};
    matrix_view to = view(coarse, coarse->inside, span, j, j + 1);
    arc_range range[2];
    befores(coarse, span, range);
    for (unsigned r = 0; r < 2; r++)
        for (uint32_t c = range[r].from; c < range[r].to; c++) {
            const size_t from = c == coarse->arcs ? kinds : pieces->kind[c];
            const float cost = pieces->after[from * kinds + pieces->kind[a]];
            float *least = &to.at[(size_t)c * to.stride + (a - coarse->first[j])];
            if (cost < *least) *least = cost;
        }
}

/* Outside of the whole sentence there is its end. */
static void fill_end(pfi_outside *coarse) {
    const pfi_pieces *pieces = coarse->pieces;
    const unsigned n = coarse->shape->n;
    const size_t row = (size_t)coarse->arcs * pfi_outside_columns(coarse, 0, n);
    float *in = matrix(coarse, coarse->inside, 0, n) + row, *out = matrix(coarse, coarse->outside, 0, n) + row, best = INFINITY;
    for (uint32_t e = 0; e < coarse->arcs; e++) {
        out[e] = pieces->end_after[pieces->kind[e]];
        best = in[e] + out[e] < best ? in[e] + out[e] : best;
    }
    coarse->best = (double)best;
}

static pf_err fill(pfi_outside *coarse, const pf_best_options *options) {
    const unsigned n = coarse->shape->n;
    for (unsigned j = 0; j < n; j++)
        for (uint32_t a = coarse->first[j]; a < coarse->first[j + 1]; a++) fill_leaf(coarse, j, a);
    for (unsigned length = 2; length <= n; length++)
        for (unsigned i = 0; i + length <= n; i++) PF_TRY(visit_span(coarse, i, i + length, options, join_inside));
    fill_end(coarse);
    for (unsigned length = n; length >= 2; length--)
        for (unsigned i = 0; i + length <= n; i++) PF_TRY(visit_span(coarse, i, i + length, options, join_outside));
    return PF_OK;
}

/* The least outside cost of a span, and the least cost of an order over it. */
static void fill_least(pfi_outside *coarse, unsigned i, unsigned k) {
    const float *in = matrix(coarse, coarse->inside, i, k), *out = matrix(coarse, coarse->outside, i, k);
    const uint32_t columns = coarse->first[k] - coarse->first[i], stride = pfi_outside_columns(coarse, i, k);
    const size_t span = i * (coarse->shape->n + (size_t)1) + k;
    float least = INFINITY, through = INFINITY;
    for (uint32_t row = 0; row <= coarse->arcs; row++, in += stride, out += stride) {
        const float sum = least_sum(in, out, stride);
        through = sum < through ? sum : through;
        for (uint32_t c = 0; c < columns; c++) least = out[c] < least ? out[c] : least;
    }
    coarse->outer[span] = (double)least;
    coarse->through[span] = (double)through;
}

/* The inside costs have done their work in the end. */
static pf_err fill_matrices(pfi_outside *coarse, const pf_best_options *options) {
    const unsigned n = coarse->shape->n;
    coarse->at = calloc((n + (size_t)1) * (n + 1), sizeof *coarse->at);
    if (!coarse->at) return pf_nomem();
    const size_t all = coarse->numbers = lay_out(&coarse->pieces->slots, coarse->at);
    coarse->inside = malloc(all * sizeof *coarse->inside);
    coarse->outside = malloc(all * sizeof *coarse->outside);
    const size_t arcs = coarse->arcs, most_turned = arcs * arcs / 2 + (TOGETHER + 1) * (arcs + 1);
    coarse->turned = malloc(most_turned * sizeof *coarse->turned);
    if (!coarse->inside || !coarse->outside || !coarse->turned) return pf_nomem();
    for (size_t x = 0; x < all; x++) coarse->inside[x] = coarse->outside[x] = INFINITY;
    PF_TRY(fill(coarse, options));
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = i + 1; k <= n; k++) fill_least(coarse, i, k);
    free(coarse->inside);
    free(coarse->turned);
    coarse->inside = coarse->turned = NULL;
    return PF_OK;
}

pf_err pfi_outside_init(pfi_outside *coarse, const pfi_pieces *pieces, const pf_best_options *options, double within) {
    const size_t spans = (pieces->shape->n + (size_t)1) * (pieces->shape->n + 1);
    *coarse = (pfi_outside){.pieces = pieces, .shape = pieces->shape, .wide = pieces->wide, .first = pieces->slots.first,
                       .beyond = (double)INFINITY};
    coarse->arcs = coarse->first[coarse->shape->n];
    coarse->outer = malloc(spans * sizeof *coarse->outer);
    coarse->through = malloc(spans * sizeof *coarse->through);
    if (!coarse->outer || !coarse->through) return pf_nomem();
    double n = coarse->shape->n + 1.0, most = fabs(coarse->shape->own) * coarse->shape->all + n * pieces->largest;
    most += coarse->shape->most_of_trees;
    coarse->slack = n * most * (coarse->wide ? 4 * (double)FLT_EPSILON : 16 * n * DBL_EPSILON);
    return coarse->wide ? fill_matrices(coarse, options) : pfi_outside_narrow(coarse, options, within);
}

void pfi_outside_free(pfi_outside *coarse) {
    free(coarse->at);
    free(coarse->inside);
    free(coarse->turned);
    free(coarse->outside);
    free(coarse->outer);
    free(coarse->through);
    *coarse = (pfi_outside){0};
}
