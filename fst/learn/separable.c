/* For each span, shorter ones first: its least cost, and the first of the orders that have it.
 *
 * The first order of a node is the first one of the block that is visited first, then that of the other. So a span keeps one order,
 * and two candidates are compared number by number only where their costs are equal. */
#include <permfst/learn/separable.h>

#include <assert.h>
#include <stdbool.h>
#include <string.h>

void pf_separable_free(pf_separable *room) {
    PF_VEC_FREE(&room->number);
    PF_VEC_FREE(&room->order);
}

typedef struct {
    unsigned n;
    const int64_t *sum;     /* at i * (n + 1) + k: costs of the pairs before i and k */
    int64_t *best;          /* at i * (n + 1) + k: of the span i .. k-1 */
    uint16_t *order;        /* spans of one length lie side by side */
} span_chart;

/* The order of the span i .. k-1. Before the spans of length m lie those of lengths 1 .. m-1, (n + 1 - l) l numbers each. */
static uint16_t *order_of(const span_chart *chart, unsigned i, unsigned k) {
    const size_t m = k - i, n = chart->n;
    return chart->order + (n + 1) * m * (m - 1) / 2 - (m - 1) * m * (2 * m - 1) / 6 + i * m;
}

/* What an inverted node i .. j-1, j .. k-1 exchanges. */
static int64_t exchange(const span_chart *chart, unsigned i, unsigned j, unsigned k) {
    const size_t row = chart->n + 1;
    const int64_t *sum = chart->sum;
    return sum[j * row + k] - sum[i * row + k] - sum[j * row + j] + sum[i * row + j];
}

typedef struct {
    int64_t cost;
    unsigned split;
    bool inverted;
} span_node;

/* The two blocks of a node in the order in which they are visited. */
static void blocks(const span_chart *chart, unsigned i, unsigned k, const span_node *node, const uint16_t *part[2],
                   unsigned size[2]) {
    const unsigned left = node->inverted;
    part[left] = order_of(chart, i, node->split);
    size[left] = node->split - i;
    part[1 - left] = order_of(chart, node->split, k);
    size[1 - left] = k - node->split;
}

static bool comes_first(const span_chart *chart, unsigned i, unsigned k, const span_node *one, const span_node *other) {
    const uint16_t *a[2], *b[2];
    unsigned m[2], n[2];
    blocks(chart, i, k, one, a, m);
    blocks(chart, i, k, other, b, n);
    for (unsigned at = 0; at < k - i; at++) {
        unsigned first = at < m[0] ? a[0][at] : a[1][at - m[0]], second = at < n[0] ? b[0][at] : b[1][at - n[0]];
        if (first != second) return first < second;
    }
    return false;
}

static void fill(span_chart *chart, unsigned i, unsigned k) {
    const size_t row = chart->n + 1;
    const uint16_t *part[2];
    unsigned size[2];
    span_node best = {INT64_MAX, 0, false};
    for (unsigned j = i + 1; j < k; j++) {
        const int64_t both = chart->best[i * row + j] + chart->best[j * row + k], more = exchange(chart, i, j, k);
        const span_node node = {both + (more < 0 ? more : 0), j, more < 0}; /* of equal ones, straight comes first */
        if (node.cost < best.cost || (node.cost == best.cost && comes_first(chart, i, k, &node, &best))) best = node;
    }
    blocks(chart, i, k, &best, part, size);
    uint16_t *to = order_of(chart, i, k);
    memcpy(to, part[0], size[0] * sizeof *to);
    memcpy(to + size[0], part[1], size[1] * sizeof *to);
    chart->best[i * row + k] = best.cost;
}

static void sum_up(const int64_t *cost, unsigned n, int64_t *sum) {
    const size_t row = (size_t)n + 1;
    memset(sum, 0, row * row * sizeof *sum);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++)
            sum[(i + 1) * row + j + 1] =
                sum[i * row + j + 1] + sum[(i + 1) * row + j] - sum[i * row + j] + (i < j ? cost[(size_t)i * n + j] : 0);
}

static pf_err prepare(pf_separable *room, unsigned n, int64_t **sum, span_chart *out) {
    const size_t row = (size_t)n + 1, orders = (size_t)n * (n + 1) * (n + 2) / 6;
    room->number.n = room->order.n = 0;
    PF_TRY(PF_ROOM(&room->number, 2 * row * row));
    PF_TRY(PF_ROOM(&room->order, orders + 1));
    *sum = room->number.at;
    *out = (span_chart){n, *sum, *sum + row * row, room->order.at};
    return PF_OK;
}

pf_err pf_separable_best(pf_separable *room, const int64_t *cost, unsigned length, uint32_t *order) {
    span_chart chart;
    int64_t *sum;
    if (!length) return PF_OK;
    if (length > PF_SEPARABLE_POSITIONS)
        return pf_fail(PF_ELIMIT, "the sentence has %u words: the chart has room for %d", length, PF_SEPARABLE_POSITIONS);
    PF_TRY(prepare(room, length, &sum, &chart));
    sum_up(cost, length, sum);
    for (unsigned i = 0; i < length; i++) {
        *order_of(&chart, i, i + 1) = (uint16_t)i;
        chart.best[(size_t)i * (length + 1) + i + 1] = 0;
    }
    for (unsigned m = 2; m <= length; m++)
        for (unsigned i = 0; i + m <= length; i++) fill(&chart, i, i + m);
    for (unsigned at = 0; at < length; at++) order[at] = order_of(&chart, 0, length)[at];
    return PF_OK;
}
