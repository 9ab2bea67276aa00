/* Products over (min, +), inside and outside. */
#include "chart/outside.h"

#include "base/contract.h"
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
    const unsigned words = slots->n;
    size_t all = 0;
    for (unsigned begin = 0; begin < words; begin++)
        for (unsigned end = begin + 1; end <= words; end++) {
            if (at) at[begin * (words + (size_t)1) + end] = all;
            all += (slots->first[words] + (size_t)1) * pfi_columns_of(slots->first, begin, end);
        }
    return all + TOGETHER; /* the last view may go beyond its row */
}

/* Inside costs, the same turned, and outside costs. */
uint64_t pfi_outside_room(const pf_slots_view *slots) { return 3 * (uint64_t)lay_out(slots, NULL) * sizeof(float); }

uint64_t pfi_outside_bytes(const pfi_outside *outside) {
    const size_t side = outside->shape->n + (size_t)1;
    return outside->numbers * sizeof *outside->outside +
        side * side * (sizeof *outside->outer + sizeof *outside->through + sizeof *outside->at);
}

/* ---- matrices ---- */

static float *matrix(const pfi_outside *coarse, float *of, unsigned begin, unsigned end) {
    assert(begin < end && end <= coarse->shape->n);
    return &of[coarse->at[begin * (coarse->shape->n + (size_t)1) + end]];
}

/* A part of a matrix: the columns of one span, where they are in a matrix of `stride` columns. */
typedef struct {
    float *at;
    uint32_t columns, stride;
} matrix_view;

/* The columns of the alternatives of begin .. end-1 in the matrix of a span that begins at `begin` and ends at `end`. */
static matrix_view view(const pfi_outside *coarse, float *of, const unsigned span[2], unsigned begin, unsigned end) {
    float *at = matrix(coarse, of, span[0], span[1]) + (coarse->first[begin] - coarse->first[span[0]]);
    return (matrix_view){at, coarse->first[end] - coarse->first[begin], pfi_outside_columns(coarse, span[0], span[1])};
}

/* ---- nodes ---- */

/* A node of i .. k-1 visits one block before the other. */
typedef struct {
    unsigned span[2], first[2], second[2];
    float cost; /* of the node */
} coarse_node;

/* The alternatives that may come before a span: those outside, and the start. */
static pfi_gapped befores(const pfi_outside *coarse, const unsigned span[2]) {
    const size_t from = coarse->first[span[0]], gap = coarse->first[span[1]] - from;
    return (pfi_gapped){coarse->arcs + (size_t)1 - gap, from, gap};
}

static pfi_gapped all_of(size_t n) { return (pfi_gapped){n, n, 0}; }

/* From the row of the second block's matrix for the first alternative of the first block. */
static float *after_first(const pfi_outside *coarse, const coarse_node *node, matrix_view second) {
    return second.at + (size_t)coarse->first[node->first[0]] * second.stride;
}

static void join_inside(const pfi_outside *coarse, const coarse_node *node) {
    matrix_view first = view(coarse, coarse->inside, node->first, node->first[0], node->first[1]);
    matrix_view second = view(coarse, coarse->inside, node->second, node->second[0], node->second[1]);
    matrix_view to = view(coarse, coarse->inside, node->span, node->second[0], node->second[1]);
    pfi_min_product_take(&(pfi_min_product){
        first.at, after_first(coarse, node, second), to.at, first.stride, 1, second.stride, to.stride, befores(coarse, node->span),
        all_of(first.columns), to.columns, node->cost});
}

/* The inside costs of a span, turned: a row for each of its alternatives, a column for each that may stand before it. */
static void turn(const pfi_outside *coarse, unsigned begin, unsigned end) {
    const float *from = matrix(coarse, coarse->inside, begin, end);
    float *to = matrix(coarse, coarse->turned, begin, end);
    const uint32_t columns = coarse->first[end] - coarse->first[begin], stride = pfi_outside_columns(coarse, begin, end);
    for (size_t before = 0; before <= coarse->arcs; before++)
        for (size_t last = 0; last < columns; last++) to[last * (coarse->arcs + 1) + before] = from[before * stride + last];
}

/* The outside costs of the first block, then those of the second one. */
static void join_outside(const pfi_outside *coarse, const coarse_node *node) {
    matrix_view in_first = view(coarse, coarse->inside, node->first, node->first[0], node->first[1]);
    matrix_view out_first = view(coarse, coarse->outside, node->first, node->first[0], node->first[1]);
    matrix_view out_second = view(coarse, coarse->outside, node->second, node->second[0], node->second[1]);
    matrix_view above = view(coarse, coarse->outside, node->span, node->second[0], node->second[1]);
    const float *in_second = matrix(coarse, coarse->turned, node->second[0], node->second[1]) + coarse->first[node->first[0]];
    const pfi_gapped before = befores(coarse, node->span);
    pfi_min_product_take(&(pfi_min_product){
        above.at, in_second, out_first.at, above.stride, 1, coarse->arcs + (size_t)1, out_first.stride, before,
        all_of(above.columns), in_first.columns, node->cost});
    pfi_min_product_take(&(pfi_min_product){
        in_first.at, above.at, after_first(coarse, node, out_second), 1, in_first.stride, above.stride, out_second.stride,
        all_of(in_first.columns), before, above.columns, node->cost});
}

typedef void (*node_visitor)(const pfi_outside *coarse, const coarse_node *node);

/* Both orientations of a node. */
static void visit_node(const pfi_outside *coarse, unsigned begin, unsigned split, unsigned end, node_visitor visit) {
    double cost[2];
    assert(begin < split && split < end && end <= coarse->shape->n);
    pfi_shape_node(coarse->shape, begin, split, end, cost);
    if (cost[PFI_STRAIGHT] < (double)INFINITY) visit(coarse, &(coarse_node){{begin, end}, {begin, split}, {split, end},
        (float)cost[PFI_STRAIGHT]});
    if (cost[PFI_INVERTED] < (double)INFINITY) visit(coarse, &(coarse_node){{begin, end}, {split, end}, {begin, split},
        (float)cost[PFI_INVERTED]});
}

/* ---- all spans ---- */

static bool is_block(const pfi_outside *coarse, unsigned begin, unsigned end) {
    return pfi_shape_has(coarse->shape, begin, end) && pfi_leaves_joined(coarse->pieces->leaves, begin, end);
}

static pf_err visit_span(const pfi_outside *coarse, unsigned begin, unsigned end, const pf_best_options *options,
    node_visitor visit) {
    if (!is_block(coarse, begin, end)) return PF_OK;
    for (unsigned split = begin + 1; split < end; split++)
        if (is_block(coarse, begin, split) && is_block(coarse, split, end)) visit_node(coarse, begin, split, end, visit);
    return pfi_check_time(options, 0);
}

/* Of one alternative of a slot, which is read from its slot to where it ends: after each that may stand before it. */
static void fill_leaf(const pfi_outside *coarse, unsigned begin, uint32_t a) {
    const pfi_pieces *pieces = coarse->pieces;
    const size_t kinds = pieces->kinds.n;
    const unsigned span[2] = {begin, pieces->leaves->to[a]};
    matrix_view to = view(coarse, coarse->inside, span, begin, begin + 1);
    const pfi_gapped before = befores(coarse, span);
    for (size_t i = 0; i < before.n; i++) {
        const size_t at = pfi_gapped_at(&before, i), from = at == coarse->arcs ? kinds : pieces->kind[at];
        const float cost = pieces->after[from * kinds + pieces->kind[a]];
        float *least = &to.at[at * to.stride + (a - coarse->first[begin])];
        if (cost < *least) *least = cost;
    }
}

/* Outside of the whole sentence there is its end. */
static void fill_end(pfi_outside *coarse) {
    const pfi_pieces *pieces = coarse->pieces;
    const unsigned words = coarse->shape->n;
    const size_t row = (size_t)coarse->arcs * pfi_outside_columns(coarse, 0, words);
    float *in = matrix(coarse, coarse->inside, 0, words) + row, *out = matrix(coarse, coarse->outside, 0, words) + row, best =
        INFINITY;
    for (uint32_t arc = 0; arc < coarse->arcs; arc++) {
        out[arc] = pieces->end_after[pieces->kind[arc]];
        best = in[arc] + out[arc] < best ? in[arc] + out[arc] : best;
    }
    coarse->best = (double)best;
}

static pf_err fill(pfi_outside *coarse, const pf_best_options *options) {
    const unsigned words = coarse->shape->n;
    for (unsigned begin = 0; begin < words; begin++)
        for (uint32_t a = coarse->first[begin]; a < coarse->first[begin + 1]; a++) fill_leaf(coarse, begin, a);
    for (unsigned length = 2; length <= words; length++)
        for (unsigned begin = 0; begin + length <= words; begin++) PF_TRY(visit_span(coarse, begin, begin + length, options,
            join_inside));
    for (unsigned begin = 0; begin < words; begin++)
        for (unsigned end = begin + 1; end <= words; end++) turn(coarse, begin, end);
    fill_end(coarse);
    for (unsigned length = words; length >= 2; length--)
        for (unsigned begin = 0; begin + length <= words; begin++) PF_TRY(visit_span(coarse, begin, begin + length, options,
            join_outside));
    return PF_OK;
}

/* The least outside cost of a span, and the least cost of an order over it. What is beyond the columns of a span is met by a column
 * whose inside costs are INFINITY. */
static void fill_least(pfi_outside *coarse, unsigned begin, unsigned end) {
    const float *in = matrix(coarse, coarse->inside, begin, end), *out = matrix(coarse, coarse->outside, begin, end);
    const uint32_t columns = coarse->first[end] - coarse->first[begin], stride = pfi_outside_columns(coarse, begin, end);
    const size_t span = begin * (coarse->shape->n + (size_t)1) + end;
    float least = INFINITY, through = INFINITY;
    for (uint32_t row = 0; row <= coarse->arcs; row++, in += stride, out += stride) {
        const float sum = pfi_least_sum(in, out, stride, NULL);
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
    coarse->turned = malloc(all * sizeof *coarse->turned);
    if (!coarse->inside || !coarse->outside || !coarse->turned) return pf_nomem();
    pfi_fill_infinity(coarse->inside, all);
    pfi_fill_infinity(coarse->outside, all);
    pfi_fill_infinity(coarse->turned, all);
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
