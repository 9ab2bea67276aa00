/* The coarse chart where a span is one number: no word is told apart from another by what stands before it.
 *
 * What a node i .. j-1, j .. k-1 costs is a sum of three parts, of (i, j), of (j, k) and of (i, k): by the sums over pairs P of
 * shape.h it is P(j, k) - P(j, j) - P(i, k) + P(i, j) straight and P(k, j) - P(k, i) - P(j, j) + P(j, i) inverted. Each block has
 * its part added to its inside cost, as a left block and as a right one. So the least cost of a span is that of the sum of two
 * rows that lie in memory as they are read, and so are its blocks' outside costs. O(n^3) additions, some 4 n^2 numbers. */
#include "chart/outside.h"

#include "search/limits.h"

#include <stdlib.h>

enum { TOGETHER = 8 };

/* Rows of n + 1 numbers, by orientation. */
typedef struct {
    pfi_outside *outside;
    size_t side;
    bool plain;               /* a node's other costs do not depend on where it is split */
    double *left[2];          /* (i, j): inside cost of i .. j-1 with its part of a node whose left block it is */
    double *right[2];         /* (k, j): of j .. k-1, whose right block it is */
    double *outer_left[2];    /* (i, j), (k, j): the outside costs of the same, without the parts */
    double *outer_right[2];
    double *inside;           /* (i, k) */
    double within;            /* outside costs of spans through which all orders cost more are not needed */
} narrow_chart;

static double pair_sum(const narrow_chart *chart, unsigned before, unsigned after) {
    const double *pairs = chart->outside->shape->pairs;
    return pairs ? chart->outside->shape->own * pairs[before * chart->side + after] : 0;
}

/* The part of a left block begin .. split-1, of a right block split .. k-1, and of the node begin .. k-1 itself. */
static double left_part(const narrow_chart *chart, unsigned orientation, unsigned begin, unsigned split) {
    return (orientation == PFI_STRAIGHT ? pair_sum(chart, begin, split) : pair_sum(chart, split, begin)) - pair_sum(chart,
        split, split);
}
static double right_part(const narrow_chart *chart, unsigned orientation, unsigned split, unsigned end) {
    return orientation == PFI_STRAIGHT ? pair_sum(chart, split, end) : pair_sum(chart, end, split);
}
static double node_part(const narrow_chart *chart, unsigned orientation, unsigned begin, unsigned end) {
    return -(orientation == PFI_STRAIGHT ? pair_sum(chart, begin, end) : pair_sum(chart, end, begin));
}

/* ---- rows ---- */

static double least_sum(const double *restrict one, const double *restrict other, size_t size) {
    double least[TOGETHER], all = (double)INFINITY;
    size_t at = 0;
    for (unsigned lane = 0; lane < TOGETHER; lane++) least[lane] = (double)INFINITY;
    for (; at + TOGETHER <= size; at += TOGETHER)
        for (unsigned lane = 0; lane < TOGETHER; lane++) {
            double sum = one[at + lane] + other[at + lane];
            least[lane] = sum < least[lane] ? sum : least[lane];
        }
    for (unsigned lane = 0; lane < TOGETHER; lane++) all = least[lane] < all ? least[lane] : all;
    for (; at < size; at++) all = one[at] + other[at] < all ? one[at] + other[at] : all;
    return all;
}

static void add_least(double *restrict to, const double *restrict from, double cost, size_t size) {
    size_t at = 0;
    for (; at + TOGETHER <= size; at += TOGETHER)
        for (unsigned lane = 0; lane < TOGETHER; lane++) {
            double sum = cost + from[at + lane];
            to[at + lane] = sum < to[at + lane] ? sum : to[at + lane];
        }
    for (; at < size; at++) to[at] = cost + from[at] < to[at] ? cost + from[at] : to[at];
}

/* ---- inside ---- */

/* The least sum of two blocks and what the node itself costs, by orientation, but for the node's part of the pairs. */
static void least_nodes(const narrow_chart *chart, unsigned begin, unsigned end, double least[2]) {
    double extra[2];
    least[PFI_STRAIGHT] = least[PFI_INVERTED] = (double)INFINITY;
    for (unsigned split = begin + 1; split < end; split++) {
        pfi_shape_least_node(chart->outside->shape, begin, split, end, extra);
        for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
            double sum = chart->left[which][begin * chart->side + split] + chart->right[which][end * chart->side + split] +
                extra[which];
            if (sum < least[which]) least[which] = sum;
        }
    }
}

/* The same where that cost is one number. */
static void least_plain_nodes(const narrow_chart *chart, unsigned begin, unsigned end, double least[2]) {
    double extra[2];
    pfi_shape_least_node(chart->outside->shape, begin, begin + 1, end, extra);
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++)
        least[which] = extra[which] +
            least_sum(&chart->left[which][begin * chart->side + begin + 1], &chart->right[which][end * chart->side + begin +
                1], end - begin - 1);
}

/* The least costs of words and arcs go to their spans. */
static void fill_words(const narrow_chart *chart) {
    const pfi_pieces *pieces = chart->outside->pieces;
    for (unsigned begin = 0; begin < chart->outside->shape->n; begin++)
        for (uint32_t arc = chart->outside->first[begin]; arc < chart->outside->first[begin + 1]; arc++) {
            double *least = &chart->inside[begin * chart->side + pieces->leaves->to[arc]], cost = pieces->least[pieces->kind[arc]];
            if (cost < *least) *least = cost;
        }
}

/* Spans that are neither a node nor a word cost INFINITY. */
static double inside_of(const narrow_chart *chart, unsigned begin, unsigned end) {
    const double word = chart->inside[begin * chart->side + end];
    double least[2];
    if (end - begin == 1 || !pfi_shape_has(chart->outside->shape, begin, end)) return word;
    (chart->plain ? least_plain_nodes : least_nodes)(chart, begin, end, least);
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) least[which] += node_part(chart, which, begin, end);
    if (least[PFI_INVERTED] < least[PFI_STRAIGHT]) least[PFI_STRAIGHT] = least[PFI_INVERTED];
    return word < least[PFI_STRAIGHT] ? word : least[PFI_STRAIGHT];
}

static pf_err fill_inside(narrow_chart *chart, const pf_best_options *options) {
    const unsigned words = chart->outside->shape->n;
    for (unsigned begin = words; begin-- > 0;) {
        for (unsigned end = begin + 1; end <= words; end++) {
            const double inside = chart->inside[begin * chart->side + end] = inside_of(chart, begin, end);
            for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
                chart->left[which][begin * chart->side + end] = inside + left_part(chart, which, begin, end);
                chart->right[which][end * chart->side + begin] = inside + right_part(chart, which, begin, end);
            }
        }
        PF_TRY(pfi_check_time(options, 0));
    }
    return PF_OK;
}

/* ---- outside ---- */

/* All spans above have been visited. */
static double outside_of(const narrow_chart *chart, unsigned begin, unsigned end) {
    const unsigned words = chart->outside->shape->n;
    double least = begin == 0 && end == words ? chart->outside->pieces->end_least : (double)INFINITY;
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
        double left = chart->outer_left[which][begin * chart->side + end] + left_part(chart, which, begin, end);
        double right = chart->outer_right[which][end * chart->side + begin] + right_part(chart, which, begin, end);
        least = left < least ? left : least;
        least = right < least ? right : least;
    }
    return least;
}

static void pass_on_plain(const narrow_chart *chart, unsigned begin, unsigned end, const double above[2]) {
    const size_t left = begin * chart->side + begin + 1, right = end * chart->side + begin + 1, splits = end - begin - 1;
    double extra[2];
    if (!splits) return;
    pfi_shape_least_node(chart->outside->shape, begin, begin + 1, end, extra);
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
        add_least(&chart->outer_left[which][left], &chart->right[which][right], above[which] + extra[which], splits);
        add_least(&chart->outer_right[which][right], &chart->left[which][left], above[which] + extra[which], splits);
    }
}

static void pass_on(const narrow_chart *chart, unsigned begin, unsigned end, const double above[2]) {
    double extra[2];
    for (unsigned split = begin + 1; split < end; split++) {
        const size_t left = begin * chart->side + split, right = end * chart->side + split;
        pfi_shape_least_node(chart->outside->shape, begin, split, end, extra);
        for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
            double cost = above[which] + extra[which];
            chart->outer_left[which][left] = fmin(chart->outer_left[which][left], cost + chart->right[which][right]);
            chart->outer_right[which][right] = fmin(chart->outer_right[which][right], cost + chart->left[which][left]);
        }
    }
}

static pf_err fill_outside(narrow_chart *chart, const pf_best_options *options) {
    const unsigned words = chart->outside->shape->n;
    for (unsigned begin = 0; begin < words; begin++) {
        for (unsigned end = words; end > begin; end--) {
            const double outside = outside_of(chart, begin, end), through = outside + chart->inside[begin * chart->side + end];
            chart->outside->outer[begin * chart->side + end] = outside;
            chart->outside->through[begin * chart->side + end] = through;
            if (through == (double)INFINITY) continue;
            if (through > chart->within) {
                chart->outside->through[begin * chart->side + end] = (double)INFINITY;
                continue;
            }
            (chart->plain ? pass_on_plain : pass_on)(chart, begin, end, (double[]){outside + node_part(chart, PFI_STRAIGHT,
                begin, end),
                                                                                 outside + node_part(chart, PFI_INVERTED,
                                                                                     begin, end)});
        }
        PF_TRY(pfi_check_time(options, 0));
    }
    return PF_OK;
}

/* ---- both ---- */

static pf_err make_rows(narrow_chart *chart) {
    double **rows[] = {&chart->inside, &chart->left[0], &chart->left[1], &chart->right[0], &chart->right[1],
                       &chart->outer_left[0], &chart->outer_left[1], &chart->outer_right[0], &chart->outer_right[1]};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        if (!(*rows[row] = malloc(chart->side * chart->side * sizeof **rows[row]))) return pf_nomem();
        for (size_t at = 0; at < chart->side * chart->side; at++) (*rows[row])[at] = (double)INFINITY;
    }
    return PF_OK;
}

static void free_rows(narrow_chart *chart) {
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
        free(chart->left[which]);
        free(chart->right[which]);
        free(chart->outer_left[which]);
        free(chart->outer_right[which]);
    }
    free(chart->inside);
}

static pf_err fill(narrow_chart *chart, const pf_best_options *options, double within) {
    PF_TRY(make_rows(chart));
    fill_words(chart);
    PF_TRY(fill_inside(chart, options));
    chart->outside->best = chart->inside[chart->outside->shape->n] + chart->outside->pieces->end_least;
    chart->within = chart->outside->best + within + 2 * chart->outside->slack;
    chart->outside->beyond = chart->within;
    return fill_outside(chart, options);
}

pf_err pfi_outside_narrow(pfi_outside *outside, const pf_best_options *options, double within) {
    const pf_tree_costs *trees = outside->shape->trees;
    narrow_chart chart = {.outside = outside, .side = outside->shape->n + (size_t)1,
                          .plain = !outside->shape->beside.n && !(trees && trees->spans && pf_span_costs_by_split(trees->spans))};
    pf_err err = fill(&chart, options, within);
    free_rows(&chart);
    return err;
}
