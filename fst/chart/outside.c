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

static size_t number_of(const pfi_outside *coarse, unsigned begin, unsigned end) {
    assert(begin < end && end <= coarse->shape->n);
    return begin * (coarse->shape->n + (size_t)1) + end;
}

/* The matrices of a span: where they begin, in each of the three arrays; its alternatives, which are the columns; and from row to
 * row. */
typedef struct {
    size_t at;
    uint32_t from, n, stride;
} coarse_span;

static coarse_span span_of(const pfi_outside *coarse, unsigned begin, unsigned end) {
    const uint32_t from = coarse->first[begin];
    return (coarse_span){coarse->at[number_of(coarse, begin, end)], from, coarse->first[end] - from,
                         pfi_outside_columns(coarse, begin, end)};
}

/* ---- nodes ---- */

/* A node of a span visits one block before the other. */
typedef struct {
    const coarse_span *span, *first, *second;
    pfi_gapped before; /* the alternatives that may come before the span: those outside, and the start */
    float cost;        /* of the node */
} coarse_node;

static pfi_gapped befores(const pfi_outside *coarse, const coarse_span *span) {
    return (pfi_gapped){coarse->arcs + (size_t)1 - span->n, span->from, span->n};
}

static pfi_gapped all_of(size_t n) { return (pfi_gapped){n, n, 0}; }

/* In the matrix of the node's span: the columns of the second block. */
static float *of_second(float *matrices, const coarse_node *node) {
    return matrices + node->span->at + (node->second->from - node->span->from);
}

/* In the second block's matrix: the rows of the first block. */
static float *after_first(float *matrices, const coarse_node *node) {
    return matrices + node->second->at + (size_t)node->first->from * node->second->stride;
}

static void join_inside(const pfi_outside *coarse, const coarse_node *node) {
    const coarse_span *span = node->span, *first = node->first, *second = node->second;
    float *inside = coarse->inside;
    pfi_min_product_take(&(pfi_min_product){
        inside + first->at, after_first(inside, node), of_second(inside, node), first->stride, 1, second->stride, span->stride,
        node->before, all_of(first->n), second->n, node->cost});
}

/* The inside costs of a span, turned: a row for each of its alternatives, a column for each that may stand before it. */
static void turn(const pfi_outside *coarse, unsigned begin, unsigned end) {
    const coarse_span span = span_of(coarse, begin, end);
    const float *from = coarse->inside + span.at;
    float *to = coarse->turned + span.at;
    for (size_t before = 0; before <= coarse->arcs; before++)
        for (size_t last = 0; last < span.n; last++) to[last * (coarse->arcs + 1) + before] = from[before * span.stride + last];
}

/* The outside costs of the first block, then those of the second one. */
static void join_outside(const pfi_outside *coarse, const coarse_node *node) {
    const coarse_span *span = node->span, *first = node->first, *second = node->second;
    const float *above = of_second(coarse->outside, node), *turned = coarse->turned + second->at + first->from;
    pfi_min_product_take(&(pfi_min_product){
        above, turned, coarse->outside + first->at, span->stride, 1, coarse->arcs + (size_t)1, first->stride, node->before,
        all_of(second->n), first->n, node->cost});
    pfi_min_product_take(&(pfi_min_product){
        coarse->inside + first->at, above, after_first(coarse->outside, node), 1, first->stride, span->stride, second->stride,
        all_of(first->n), node->before, second->n, node->cost});
}

typedef void (*node_visitor)(const pfi_outside *coarse, const coarse_node *node);

/* ---- all spans ---- */

static bool is_block(const pfi_outside *coarse, unsigned begin, unsigned end) {
    return pfi_shape_has(coarse->shape, begin, end) && pfi_leaves_joined(coarse->pieces->leaves, begin, end);
}

/* All nodes of a span, of both orientations. */
static pf_err visit_span(const pfi_outside *coarse, unsigned begin, unsigned end, const pf_best_options *options,
    node_visitor visit) {
    if (!is_block(coarse, begin, end)) return PF_OK;
    const coarse_span span = span_of(coarse, begin, end);
    const pfi_gapped before = befores(coarse, &span);
    for (unsigned split = begin + 1; split < end; split++) {
        if (!is_block(coarse, begin, split) || !is_block(coarse, split, end)) continue;
        const coarse_span left = span_of(coarse, begin, split), right = span_of(coarse, split, end);
        double cost[2];
        pfi_shape_node(coarse->shape, begin, split, end, cost);
        if (cost[PFI_STRAIGHT] < (double)INFINITY)
            visit(coarse, &(coarse_node){&span, &left, &right, before, (float)cost[PFI_STRAIGHT]});
        if (cost[PFI_INVERTED] < (double)INFINITY)
            visit(coarse, &(coarse_node){&span, &right, &left, before, (float)cost[PFI_INVERTED]});
    }
    return pfi_check_time(options, 0);
}

/* Of one alternative of a slot, which is read from its slot to where it ends: after each that may stand before it. */
static void fill_leaf(const pfi_outside *coarse, unsigned begin, uint32_t a) {
    const pfi_pieces *pieces = coarse->pieces;
    const size_t kinds = pieces->kinds.n;
    const coarse_span span = span_of(coarse, begin, pieces->leaves->to[a]);
    const pfi_gapped before = befores(coarse, &span);
    for (size_t i = 0; i < before.n; i++) {
        const size_t at = pfi_gapped_at(&before, i), from = at == coarse->arcs ? kinds : pieces->kind[at];
        const float cost = pieces->after[from * kinds + pieces->kind[a]];
        float *least = &coarse->inside[span.at + at * span.stride + (a - span.from)];
        if (cost < *least) *least = cost;
    }
}

/* Outside of the whole sentence there is its end. */
static void fill_end(pfi_outside *coarse) {
    const pfi_pieces *pieces = coarse->pieces;
    const unsigned words = coarse->shape->n;
    const coarse_span whole = span_of(coarse, 0, words);
    const size_t row = whole.at + (size_t)coarse->arcs * whole.stride;
    float *in = coarse->inside + row, *out = coarse->outside + row, best = INFINITY;
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
    const coarse_span span = span_of(coarse, begin, end);
    const float *in = coarse->inside + span.at, *out = coarse->outside + span.at;
    float least = INFINITY, through = INFINITY;
    for (uint32_t row = 0; row <= coarse->arcs; row++, in += span.stride, out += span.stride) {
        const float sum = pfi_least_sum(in, out, span.stride, NULL);
        through = sum < through ? sum : through;
        for (uint32_t c = 0; c < span.n; c++) least = out[c] < least ? out[c] : least;
    }
    coarse->outer[number_of(coarse, begin, end)] = (double)least;
    coarse->through[number_of(coarse, begin, end)] = (double)through;
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
