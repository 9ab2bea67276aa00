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

/* The part of a left block i .. j-1, of a right block j .. k-1, and of the node i .. k-1 itself. */
static double left_part(const narrow_chart *chart, unsigned orientation, unsigned i, unsigned j) {
    return (orientation == PFI_STRAIGHT ? pair_sum(chart, i, j) : pair_sum(chart, j, i)) - pair_sum(chart, j, j);
}
static double right_part(const narrow_chart *chart, unsigned orientation, unsigned j, unsigned k) {
    return orientation == PFI_STRAIGHT ? pair_sum(chart, j, k) : pair_sum(chart, k, j);
}
static double node_part(const narrow_chart *chart, unsigned orientation, unsigned i, unsigned k) {
    return -(orientation == PFI_STRAIGHT ? pair_sum(chart, i, k) : pair_sum(chart, k, i));
}

/* ---- rows ---- */

static double least_sum(const double *restrict one, const double *restrict other, size_t n) {
    double least[TOGETHER], all = (double)INFINITY;
    size_t e = 0;
    for (unsigned t = 0; t < TOGETHER; t++) least[t] = (double)INFINITY;
    for (; e + TOGETHER <= n; e += TOGETHER)
        for (unsigned t = 0; t < TOGETHER; t++) {
            double sum = one[e + t] + other[e + t];
            least[t] = sum < least[t] ? sum : least[t];
        }
    for (unsigned t = 0; t < TOGETHER; t++) all = least[t] < all ? least[t] : all;
    for (; e < n; e++) all = one[e] + other[e] < all ? one[e] + other[e] : all;
    return all;
}

static void add_least(double *restrict to, const double *restrict from, double cost, size_t n) {
    size_t e = 0;
    for (; e + TOGETHER <= n; e += TOGETHER)
        for (unsigned t = 0; t < TOGETHER; t++) {
            double sum = cost + from[e + t];
            to[e + t] = sum < to[e + t] ? sum : to[e + t];
        }
    for (; e < n; e++) to[e] = cost + from[e] < to[e] ? cost + from[e] : to[e];
}

/* ---- inside ---- */

/* The least sum of two blocks and what the node itself costs, by orientation, but for the node's part of the pairs. */
static void least_nodes(const narrow_chart *chart, unsigned i, unsigned k, double least[2]) {
    double extra[2];
    least[PFI_STRAIGHT] = least[PFI_INVERTED] = (double)INFINITY;
    for (unsigned j = i + 1; j < k; j++) {
        pfi_shape_least_node(chart->outside->shape, i, j, k, extra);
        for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
            double sum = chart->left[which][i * chart->side + j] + chart->right[which][k * chart->side + j] + extra[which];
            if (sum < least[which]) least[which] = sum;
        }
    }
}

/* The same where that cost is one number. */
static void least_plain_nodes(const narrow_chart *chart, unsigned i, unsigned k, double least[2]) {
    double extra[2];
    pfi_shape_least_node(chart->outside->shape, i, i + 1, k, extra);
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++)
        least[which] = extra[which] +
            least_sum(&chart->left[which][i * chart->side + i + 1], &chart->right[which][k * chart->side + i + 1], k - i - 1);
}

/* The least costs of words and arcs go to their spans. */
static void fill_words(const narrow_chart *chart) {
    const pfi_pieces *pieces = chart->outside->pieces;
    for (unsigned i = 0; i < chart->outside->shape->n; i++)
        for (uint32_t arc = chart->outside->first[i]; arc < chart->outside->first[i + 1]; arc++) {
            double *least = &chart->inside[i * chart->side + pieces->leaves->to[arc]], cost = pieces->least[pieces->kind[arc]];
            if (cost < *least) *least = cost;
        }
}

/* Spans that are neither a node nor a word cost INFINITY. */
static double inside_of(const narrow_chart *chart, unsigned i, unsigned k) {
    const double word = chart->inside[i * chart->side + k];
    double least[2];
    if (k - i == 1 || !pfi_shape_has(chart->outside->shape, i, k)) return word;
    (chart->plain ? least_plain_nodes : least_nodes)(chart, i, k, least);
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) least[which] += node_part(chart, which, i, k);
    if (least[PFI_INVERTED] < least[PFI_STRAIGHT]) least[PFI_STRAIGHT] = least[PFI_INVERTED];
    return word < least[PFI_STRAIGHT] ? word : least[PFI_STRAIGHT];
}

static pf_err fill_inside(narrow_chart *chart, const pf_best_options *options) {
    const unsigned n = chart->outside->shape->n;
    for (unsigned i = n; i-- > 0;) {
        for (unsigned k = i + 1; k <= n; k++) {
            const double inside = chart->inside[i * chart->side + k] = inside_of(chart, i, k);
            for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
                chart->left[which][i * chart->side + k] = inside + left_part(chart, which, i, k);
                chart->right[which][k * chart->side + i] = inside + right_part(chart, which, i, k);
            }
        }
        PF_TRY(pfi_check_time(options, 0));
    }
    return PF_OK;
}

/* ---- outside ---- */

/* All spans above have been visited. */
static double outside_of(const narrow_chart *chart, unsigned i, unsigned k) {
    const unsigned n = chart->outside->shape->n;
    double least = i == 0 && k == n ? chart->outside->pieces->end_least : (double)INFINITY;
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
        double left = chart->outer_left[which][i * chart->side + k] + left_part(chart, which, i, k);
        double right = chart->outer_right[which][k * chart->side + i] + right_part(chart, which, i, k);
        least = left < least ? left : least;
        least = right < least ? right : least;
    }
    return least;
}

static void pass_on_plain(const narrow_chart *chart, unsigned i, unsigned k, const double above[2]) {
    const size_t left = i * chart->side + i + 1, right = k * chart->side + i + 1, n = k - i - 1;
    double extra[2];
    if (!n) return;
    pfi_shape_least_node(chart->outside->shape, i, i + 1, k, extra);
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
        add_least(&chart->outer_left[which][left], &chart->right[which][right], above[which] + extra[which], n);
        add_least(&chart->outer_right[which][right], &chart->left[which][left], above[which] + extra[which], n);
    }
}

static void pass_on(const narrow_chart *chart, unsigned i, unsigned k, const double above[2]) {
    double extra[2];
    for (unsigned j = i + 1; j < k; j++) {
        const size_t left = i * chart->side + j, right = k * chart->side + j;
        pfi_shape_least_node(chart->outside->shape, i, j, k, extra);
        for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
            double cost = above[which] + extra[which];
            chart->outer_left[which][left] = fmin(chart->outer_left[which][left], cost + chart->right[which][right]);
            chart->outer_right[which][right] = fmin(chart->outer_right[which][right], cost + chart->left[which][left]);
        }
    }
}

static pf_err fill_outside(narrow_chart *chart, const pf_best_options *options) {
    const unsigned n = chart->outside->shape->n;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = n; k > i; k--) {
            const double outside = outside_of(chart, i, k), through = outside + chart->inside[i * chart->side + k];
            chart->outside->outer[i * chart->side + k] = outside;
            chart->outside->through[i * chart->side + k] = through;
            if (through == (double)INFINITY) continue;
            if (through > chart->within) {
                chart->outside->through[i * chart->side + k] = (double)INFINITY;
                continue;
            }
            (chart->plain ? pass_on_plain : pass_on)(chart, i, k, (double[]){outside + node_part(chart, PFI_STRAIGHT, i, k),
                                                                                 outside + node_part(chart, PFI_INVERTED, i, k)});
        }
        PF_TRY(pfi_check_time(options, 0));
    }
    return PF_OK;
}

/* ---- both ---- */

static pf_err make_rows(narrow_chart *chart) {
    double **rows[] = {&chart->inside, &chart->left[0], &chart->left[1], &chart->right[0], &chart->right[1],
                       &chart->outer_left[0], &chart->outer_left[1], &chart->outer_right[0], &chart->outer_right[1]};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        if (!(*rows[r] = malloc(chart->side * chart->side * sizeof **rows[r]))) return pf_nomem();
        for (size_t x = 0; x < chart->side * chart->side; x++) (*rows[r])[x] = (double)INFINITY;
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
