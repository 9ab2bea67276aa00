/* Constraints and weight models, taken apart. */
#include "chart/shape.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- constraints ---- */

static pf_err refuse_constraint(const pf_con *con) {
    return pf_fail(PF_EARG, "a chart cannot check '%s' node by node: beside itg, it can check itg-span, local, mj, walls, zones "
                   "and units", con->spec ? con->spec : con->cls->name);
}

static pf_err add_part(pfi_shape *shape, const pf_con *part) {
    if (!part->cls->inverts) return refuse_constraint(part);
    if (strcmp(part->cls->name, "itg") != 0) PF_TRY(PF_PUSH(&shape->beside, part));
    if (!part->cls->together) return PF_OK;
    PF_TRY(PF_ROOM(&shape->zones, 1));
    pfi_block_range *zone = &shape->zones.at[shape->zones.n++];
    part->cls->together(part, &zone->begin, &zone->end);
    return PF_OK;
}

/* A parameter that is no limit may have made `none` of a part, and a conjunction is flat. */
static pf_err add_parts(pfi_shape *shape, const pf_con *con) {
    size_t n = 1;
    const pf_con *inner = pf_con_inner(con);
    pf_con *const *part = inner->cls->parts ? inner->cls->parts(inner, &n) : NULL;
    if (part && strcmp(inner->cls->name, "and") != 0) return refuse_constraint(inner);
    for (size_t i = 0; i < n; i++) shape->itg = shape->itg || strcmp((part ? part[i] : inner)->cls->name, "itg") == 0;
    if (!shape->itg)
        return pf_fail(PF_EARG, "a chart searches orders of itg, and '%s' has other orders",
                       inner->spec ? inner->spec : inner->cls->name);
    for (size_t i = 0; i < n; i++) PF_TRY(add_part(shape, part ? part[i] : inner));
    return PF_OK;
}

static bool crosses(const pfi_block_range *zone, unsigned begin, unsigned end) {
    return (begin < zone->begin && zone->begin < end && end < zone->end) || (zone->begin < begin && begin < zone->end &&
        zone->end < end);
}

bool pfi_shape_crosses(const pfi_shape *shape, unsigned begin, unsigned end) {
    assert(begin < end && end <= shape->n);
    for (size_t zone = 0; zone < shape->zones.n; zone++)
        if (crosses(&shape->zones.at[zone], begin, end)) return true;
    return false;
}

bool pfi_shape_has(const pfi_shape *shape, unsigned begin, unsigned end) {
    return shape->units || shape->free_trees || !pfi_shape_crosses(shape, begin, end);
}

bool pfi_shape_zone(const pfi_shape *shape, unsigned begin, unsigned end) {
    assert(begin < end && end <= shape->n);
    for (size_t zone = 0; zone < shape->zones.n; zone++)
        if (shape->zones.at[zone].begin == begin && shape->zones.at[zone].end == end) return true;
    return false;
}

/* As far as zones do not matter. */
static bool may_invert(const pfi_shape *shape, unsigned begin, unsigned split, unsigned end) {
    for (size_t which = 0; which < shape->beside.n; which++)
        if (!shape->beside.at[which]->cls->inverts(shape->beside.at[which], begin, split, end)) return false;
    return true;
}

bool pfi_shape_inverts(const pfi_shape *shape, unsigned begin, unsigned split, unsigned end) {
    assert(begin < split && split < end && end <= shape->n);
    if (!may_invert(shape, begin, split, end)) return false;
    if (!shape->units || shape->two_runs) return true; /* pfi_shape_sons knows more */
    return !pfi_shape_crosses(shape, begin, split) && !pfi_shape_crosses(shape, split, end) && !pfi_shape_crosses(shape, begin,
        end);
}

/* An inverted node in the block of a unit: it crosses the zones that its left block crosses, and its right block crosses none, as
 * the node would have another tree then. */
static bool crosses_alike(const pfi_shape *shape, unsigned begin, unsigned split, unsigned end) {
    for (size_t which = 0; which < shape->zones.n; which++) {
        const pfi_block_range *zone = &shape->zones.at[which];
        if (crosses(zone, split, end) || (crosses(zone, begin, split) && !crosses(zone, begin, end))) return false;
    }
    return true;
}

/* The right son has the other orientation, or the node would have another tree, but where no tree parts its blocks otherwise: where
 * it is a zone, which no other node may cross. Straight nodes may cross it if there are units. */
bool pfi_shape_sons(const pfi_shape *shape, unsigned orientation, unsigned begin, unsigned split, unsigned end, unsigned which[2]) {
    const bool straight = orientation == PFI_STRAIGHT, lone = (!straight || !shape->units) && pfi_shape_zone(shape, split, end);
    pfi_sons(orientation, shape->free_trees || lone, which);
    if (shape->free_trees && shape->zones.n) {
        if (pfi_shape_crosses(shape, begin, split)) which[straight ? 0 : 1] = orientation;
        if (pfi_shape_crosses(shape, split, end)) which[straight ? 1 : 0] = orientation;
    }
    if (!shape->units) return true;
    if (!straight && !crosses_alike(shape, begin, split, end)) return false;
    if (pfi_shape_crosses(shape, begin, split)) which[straight ? 0 : 1] = orientation;
    if (straight && pfi_shape_crosses(shape, split, end)) which[1] = PFI_ATOM;
    return true;
}

/* ---- weights ---- */

int pfi_lowest_bit(double value) {
    int exponent;
    double mantissa = ldexp(frexp(fabs(value), &exponent), DBL_MANT_DIG);
    if (value == 0) return INT_MAX;
    return exponent - DBL_MANT_DIG + __builtin_ctzll((uint64_t)mantissa);
}

static pf_err make_pairs(pfi_shape *shape) {
    size_t side = shape->n + (size_t)1;
    if (!shape->pairs && !(shape->pairs = calloc(side * side, sizeof *shape->pairs))) return pf_nomem();
    return PF_OK;
}

/* The cost of before before after goes to the place of (before + 1, after + 1). */
static void add_pairs(pfi_shape *shape, const pf_wm *weight) {
    size_t side = shape->n + (size_t)1;
    for (unsigned before = 0; before < shape->n; before++)
        for (unsigned after = 0; after < shape->n; after++)
            if (before != after) shape->pairs[(before + 1) * side + after + 1] += weight->cls->pair(weight, before, after);
}

static pf_err add_weight(pfi_shape *shape, const pf_wm *weight) {
    if (weight->cls->parts) {
        size_t n;
        pf_wm *const *part = weight->cls->parts(weight, &n);
        for (size_t i = 0; i < n; i++) PF_TRY(add_weight(shape, part[i]));
        return PF_OK;
    }
    if (!weight->cls->pair && !weight->cls->follow)
        return pf_fail(PF_EARG, "the costs of '%s' depend on all positions visited before, so a chart cannot add them up over its "
                       "nodes", weight->cls->name);
    if (weight->cls->follow) PF_TRY(PF_PUSH(&shape->follows, weight));
    if (!weight->cls->pair) return PF_OK;
    PF_TRY(make_pairs(shape));
    add_pairs(shape, weight);
    return PF_OK;
}

/* The costs of single pairs become sums over all pairs before. */
static void sum_pairs(pfi_shape *shape) {
    size_t side = shape->n + (size_t)1;
    double *at = shape->pairs;
    for (size_t after = 1; after < side; after++) {
        double above = 0, below = 0;
        for (size_t before = 1; before < side; before++) {
            const double cost = at[before * side + after];
            int lowest = pfi_lowest_bit(cost);
            *(cost > 0 ? &above : &below) += fabs(cost);
            if (lowest < shape->lowest) shape->lowest = lowest;
        }
        shape->largest = fmax(shape->largest, fmax(above, below));
        shape->arcs += fmax(above, below);
        shape->all += above + below;
    }
    for (size_t before = 1; before < side; before++)
        for (size_t after = 1; after < side; after++) at[before * side + after] += at[before * side + after - 1];
    for (size_t before = 2; before < side; before++)
        for (size_t after = 1; after < side; after++) at[before * side + after] += at[(before - 1) * side + after];
}

/* The pairs (s, p) with s in before .. before_end-1 and p in after .. after_end-1. */
static double rectangle(const pfi_shape *shape, unsigned before, unsigned before_end, unsigned after, unsigned after_end) {
    assert(before < before_end && before_end <= shape->n && after < after_end && after_end <= shape->n);
    size_t side = shape->n + (size_t)1;
    const double *low = &shape->pairs[before * side], *high = &shape->pairs[before_end * side];
    return (high[after_end] - high[after]) - (low[after_end] - low[after]);
}

void pfi_shape_tree_node(const pfi_shape *shape, unsigned begin, unsigned split, unsigned end, double cost[2]) {
    const pf_tree_costs *trees = shape->trees;
    cost[PFI_STRAIGHT] = trees ? trees->node[PFI_STRAIGHT] : 0;
    cost[PFI_INVERTED] = trees ? trees->node[PFI_INVERTED] : 0;
    if (trees && trees->spans) pf_span_costs_add(trees->spans, begin, split, end, cost);
    if (!pfi_shape_inverts(shape, begin, split, end)) cost[PFI_INVERTED] = (double)INFINITY;
}

void pfi_shape_least_node(const pfi_shape *shape, unsigned begin, unsigned split, unsigned end, double cost[2]) {
    pfi_shape_tree_node(shape, begin, split, end, cost);
    if (shape->trees && shape->trees->runs && cost[PFI_STRAIGHT] > 0) cost[PFI_STRAIGHT] = 0;
}

void pfi_shape_node(const pfi_shape *shape, unsigned begin, unsigned split, unsigned end, double cost[2]) {
    pfi_shape_least_node(shape, begin, split, end, cost);
    if (!shape->pairs) return;
    cost[PFI_STRAIGHT] += shape->own * rectangle(shape, begin, split, split, end);
    cost[PFI_INVERTED] += shape->own * rectangle(shape, split, end, begin, split);
}

/* ---- leaves of several words ---- */

double pfi_shape_run(const pfi_shape *shape, unsigned begin, unsigned end) {
    double sum = 0;
    assert(begin < end && end <= shape->n);
    for (unsigned split = begin + 1; shape->pairs && split < end; split++) sum += rectangle(shape, begin, split, split, split + 1);
    return shape->own * sum;
}

/* Three runs of positions that are visited one after another, begin .. end-1 in all. Is the zone visited without a break, and is
 * what it has of them at the end where the rest of it is, so that the rest can follow, or come before? The block is read as the
 * others are, but if it crosses the zone: then backwards. */
static bool keeps_zone(const pfi_block_range *run, const pfi_block_range *block, const pfi_two_runs *all,
                       const pfi_block_range *zone) {
    unsigned at = 0, from = 0, to = 0;
    for (unsigned which = 0; which < 3; at += run[which].end - run[which].begin, which++) {
        const unsigned low = run[which].begin > zone->begin ? run[which].begin : zone->begin;
        const unsigned high = run[which].end < zone->end ? run[which].end : zone->end;
        const bool backwards = run[which].begin == block->begin && crosses(zone, block->begin, block->end);
        const unsigned first = at + (backwards ? run[which].end - high : low - run[which].begin);
        if (low >= high) continue;
        if (from == to) from = to = first;
        if (to != first) return false;
        to += high - low;
    }
    if (from == to) return true;
    if (zone->begin < all->begin && zone->end < all->end) return from == 0;
    return !(zone->begin > all->begin && zone->end > all->end) || to == at;
}

static bool keeps_zones(const pfi_shape *shape, const pfi_two_runs *all, bool before) {
    const pfi_block_range first = {all->begin, all->gap_begin}, block = {all->gap_begin, all->gap_end},
        second = {all->gap_end, all->end};
    const pfi_block_range order[2][3] = {{block, first, second}, {first, second, block}};
    for (size_t zone = 0; zone < shape->zones.n; zone++)
        if (!keeps_zone(order[before], &block, all, &shape->zones.at[zone])) return false;
    return true;
}

/* Before the block, its second run is inverted with the block; after the block, its first run. */
void pfi_shape_around(const pfi_shape *shape, const pfi_two_runs *runs, double cost[2]) {
    const unsigned i = runs->begin, j = runs->gap_begin, k = runs->gap_end, end = runs->end;
    assert(i < j && j < k && k < end && end <= shape->n);
    const bool may[2] = {may_invert(shape, j, k, end), may_invert(shape, i, j, k)};
    cost[PFI_STRAIGHT] = cost[PFI_INVERTED] = pfi_shape_run(shape, i, j) + pfi_shape_run(shape, k, end);
    if (shape->pairs) {
        const double both = rectangle(shape, i, j, k, end);
        cost[PFI_STRAIGHT] += shape->own * (both + rectangle(shape, i, j, j, k) + rectangle(shape, k, end, j, k));
        cost[PFI_INVERTED] += shape->own * (both + rectangle(shape, j, k, i, j) + rectangle(shape, j, k, k, end));
    }
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++)
        if (!may[which] || !keeps_zones(shape, runs, which == PFI_STRAIGHT)) cost[which] = (double)INFINITY;
}

/* ---- costs of trees ---- */

static void take_trees(pfi_shape *shape, const pf_tree_costs *trees) {
    if (!trees) return;
    shape->trees = trees;
    shape->free_trees = trees->runs || trees->spans;
    shape->most_of_trees = shape->n * fmax(fabs(trees->node[0]), fabs(trees->node[1]));
    if (trees->spans) shape->most_of_trees += pf_span_costs_largest(trees->spans);
}

/* ---- both ---- */

static pf_err check_length(const pfi_shape *shape) {
    if (shape->n <= PFI_CHART_POSITIONS) return PF_OK;
    return pf_fail(PF_EARG, "a chart searches at most %d positions, as it has about n^3 / 3 nodes, and there are %u",
                   PFI_CHART_POSITIONS, shape->n);
}

pf_err pfi_shape_init(pfi_shape *shape, const pf_con *con, const pf_wm *weights, double own, const pf_tree_costs *trees) {
    *shape = (pfi_shape){.n = con->n, .lowest = INT_MAX, .own = own};
    take_trees(shape, trees);
    PF_TRY(add_parts(shape, con));
    PF_TRY(check_length(shape));
    if (weights) PF_TRY(add_weight(shape, weights));
    if (shape->pairs) sum_pairs(shape);
    return PF_OK;
}

pf_err pfi_shape_init_graph(pfi_shape *shape, unsigned n, const pf_tree_costs *trees) {
    *shape = (pfi_shape){.n = n, .lowest = INT_MAX, .own = 1, .itg = true};
    take_trees(shape, trees);
    return check_length(shape);
}

void pfi_shape_free(pfi_shape *shape) {
    PF_VEC_FREE(&shape->beside);
    PF_VEC_FREE(&shape->zones);
    PF_VEC_FREE(&shape->follows);
    free(shape->pairs);
}
