/* The coarse chart where a span is one number: no word is told apart from another by what stands before it.
 *
 * What a node i .. j-1, j .. k-1 costs is a sum of three parts, of (i, j), of (j, k) and of (i, k): by the sums over pairs P of
 * shape.h it is P(j, k) - P(j, j) - P(i, k) + P(i, j) straight and P(k, j) - P(k, i) - P(j, j) + P(j, i) inverted. Each block has its
 * part added to its inside cost, as a left block and as a right one. So the least cost of a span is that of the sum of two rows
 * that lie in memory as they are read, and so are its blocks' outside costs. O(n^3) additions, some 4 n^2 numbers. */
#include "chart/outside.h"

#include "search/limits.h"

#include <stdlib.h>

enum { TOGETHER = 8 };

/* Rows of n + 1 numbers, by orientation. */
typedef struct {
    pfi_outside *o;
    size_t side;
    bool plain;               /* a node's other costs do not depend on where it is split */
    double *left[2];          /* (i, j): inside cost of i .. j-1 with its part of a node whose left block it is */
    double *right[2];         /* (k, j): of j .. k-1, whose right block it is */
    double *outer_left[2];    /* (i, j), (k, j): the outside costs of the same, without the parts */
    double *outer_right[2];
    double *inside;           /* (i, k) */
    double within;            /* outside costs of spans through which all orders cost more are not needed */
} narrow_chart;

static double pair_sum(const narrow_chart *c, unsigned before, unsigned after) {
    const double *pairs = c->o->shape->pairs;
    return pairs ? c->o->shape->own * pairs[before * c->side + after] : 0;
}

/* The part of a left block i .. j-1, of a right block j .. k-1, and of the node i .. k-1 itself. */
static double left_part(const narrow_chart *c, unsigned orientation, unsigned i, unsigned j) {
    return (orientation == PFI_STRAIGHT ? pair_sum(c, i, j) : pair_sum(c, j, i)) - pair_sum(c, j, j);
}
static double right_part(const narrow_chart *c, unsigned orientation, unsigned j, unsigned k) {
    return orientation == PFI_STRAIGHT ? pair_sum(c, j, k) : pair_sum(c, k, j);
}
static double node_part(const narrow_chart *c, unsigned orientation, unsigned i, unsigned k) {
    return -(orientation == PFI_STRAIGHT ? pair_sum(c, i, k) : pair_sum(c, k, i));
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
static void least_nodes(const narrow_chart *c, unsigned i, unsigned k, double least[2]) {
    double extra[2];
    least[PFI_STRAIGHT] = least[PFI_INVERTED] = (double)INFINITY;
    for (unsigned j = i + 1; j < k; j++) {
        pfi_shape_least_node(c->o->shape, i, j, k, extra);
        for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
            double sum = c->left[which][i * c->side + j] + c->right[which][k * c->side + j] + extra[which];
            if (sum < least[which]) least[which] = sum;
        }
    }
}

/* The same where that cost is one number. */
static void least_plain_nodes(const narrow_chart *c, unsigned i, unsigned k, double least[2]) {
    double extra[2];
    pfi_shape_least_node(c->o->shape, i, i + 1, k, extra);
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++)
        least[which] = least_sum(&c->left[which][i * c->side + i + 1], &c->right[which][k * c->side + i + 1], k - i - 1) + extra[which];
}

/* The least costs of words and arcs go to their spans. */
static void fill_words(const narrow_chart *c) {
    const pfi_pieces *pieces = c->o->pieces;
    for (unsigned i = 0; i < c->o->shape->n; i++)
        for (uint32_t arc = c->o->first[i]; arc < c->o->first[i + 1]; arc++) {
            double *least = &c->inside[i * c->side + pieces->leaves->to[arc]], cost = pieces->least[pieces->kind[arc]];
            if (cost < *least) *least = cost;
        }
}

/* Spans that are neither a node nor a word cost INFINITY. */
static double inside_of(const narrow_chart *c, unsigned i, unsigned k) {
    const double word = c->inside[i * c->side + k];
    double least[2];
    if (k - i == 1 || !pfi_shape_has(c->o->shape, i, k)) return word;
    (c->plain ? least_plain_nodes : least_nodes)(c, i, k, least);
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) least[which] += node_part(c, which, i, k);
    if (least[PFI_INVERTED] < least[PFI_STRAIGHT]) least[PFI_STRAIGHT] = least[PFI_INVERTED];
    return word < least[PFI_STRAIGHT] ? word : least[PFI_STRAIGHT];
}

static pf_err fill_inside(narrow_chart *c, const pf_best_options *options) {
    const unsigned n = c->o->shape->n;
    for (unsigned i = n; i-- > 0;) {
        for (unsigned k = i + 1; k <= n; k++) {
            const double inside = c->inside[i * c->side + k] = inside_of(c, i, k);
            for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
                c->left[which][i * c->side + k] = inside + left_part(c, which, i, k);
                c->right[which][k * c->side + i] = inside + right_part(c, which, i, k);
            }
        }
        PF_TRY(pfi_check_time(options, 0));
    }
    return PF_OK;
}

/* ---- outside ---- */

/* All spans above have been visited. */
static double outside_of(const narrow_chart *c, unsigned i, unsigned k) {
    const unsigned n = c->o->shape->n;
    double least = i == 0 && k == n ? c->o->pieces->end_least : (double)INFINITY;
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
        double left = c->outer_left[which][i * c->side + k] + left_part(c, which, i, k);
        double right = c->outer_right[which][k * c->side + i] + right_part(c, which, i, k);
        least = left < least ? left : least;
        least = right < least ? right : least;
    }
    return least;
}

static void pass_on_plain(const narrow_chart *c, unsigned i, unsigned k, const double above[2]) {
    const size_t left = i * c->side + i + 1, right = k * c->side + i + 1, n = k - i - 1;
    double extra[2];
    if (!n) return;
    pfi_shape_least_node(c->o->shape, i, i + 1, k, extra);
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
        add_least(&c->outer_left[which][left], &c->right[which][right], above[which] + extra[which], n);
        add_least(&c->outer_right[which][right], &c->left[which][left], above[which] + extra[which], n);
    }
}

static void pass_on(const narrow_chart *c, unsigned i, unsigned k, const double above[2]) {
    double extra[2];
    for (unsigned j = i + 1; j < k; j++) {
        const size_t left = i * c->side + j, right = k * c->side + j;
        pfi_shape_least_node(c->o->shape, i, j, k, extra);
        for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
            double cost = above[which] + extra[which];
            c->outer_left[which][left] = fmin(c->outer_left[which][left], cost + c->right[which][right]);
            c->outer_right[which][right] = fmin(c->outer_right[which][right], cost + c->left[which][left]);
        }
    }
}

static pf_err fill_outside(narrow_chart *c, const pf_best_options *options) {
    const unsigned n = c->o->shape->n;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = n; k > i; k--) {
            const double outside = outside_of(c, i, k), through = outside + c->inside[i * c->side + k];
            c->o->outer[i * c->side + k] = outside;
            c->o->through[i * c->side + k] = through;
            if (through == (double)INFINITY) continue;
            if (through > c->within) {
                c->o->through[i * c->side + k] = (double)INFINITY;
                continue;
            }
            (c->plain ? pass_on_plain : pass_on)(c, i, k, (double[]){outside + node_part(c, PFI_STRAIGHT, i, k),
                                                                     outside + node_part(c, PFI_INVERTED, i, k)});
        }
        PF_TRY(pfi_check_time(options, 0));
    }
    return PF_OK;
}

/* ---- both ---- */

static pf_err make_rows(narrow_chart *c) {
    double **rows[] = {&c->inside, &c->left[0], &c->left[1], &c->right[0], &c->right[1],
                       &c->outer_left[0], &c->outer_left[1], &c->outer_right[0], &c->outer_right[1]};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        if (!(*rows[r] = malloc(c->side * c->side * sizeof **rows[r]))) return pf_nomem();
        for (size_t x = 0; x < c->side * c->side; x++) (*rows[r])[x] = (double)INFINITY;
    }
    return PF_OK;
}

static void free_rows(narrow_chart *c) {
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
        free(c->left[which]);
        free(c->right[which]);
        free(c->outer_left[which]);
        free(c->outer_right[which]);
    }
    free(c->inside);
}

static pf_err fill(narrow_chart *c, const pf_best_options *options, double within) {
    PF_TRY(make_rows(c));
    fill_words(c);
    PF_TRY(fill_inside(c, options));
    c->o->best = c->inside[c->o->shape->n] + c->o->pieces->end_least;
    c->within = c->o->best + within + 2 * c->o->slack;
    c->o->beyond = c->within;
    return fill_outside(c, options);
}

pf_err pfi_outside_narrow(pfi_outside *o, const pf_best_options *options, double within) {
    const pf_tree_costs *trees = o->shape->trees;
    narrow_chart c = {.o = o, .side = o->shape->n + (size_t)1,
                      .plain = !o->shape->beside.n && !(trees && trees->spans && pf_span_costs_by_split(trees->spans))};
    pf_err err = fill(&c, options, within);
    free_rows(&c);
    return err;
}
