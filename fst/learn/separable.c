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
    unsigned words;
    const int64_t *sum;     /* at i * (words + 1) + k: costs of the pairs before i and k */
    int64_t *best;          /* at begin * (words + 1) + end: of the span begin .. end-1 */
    uint16_t *order;        /* spans of one length lie side by side */
} span_chart;

/* The order of the span begin .. end-1. Before the spans of its length lie the shorter ones, those of one length l with
 * (words + 1 - l) l numbers. */
static uint16_t *order_of(const span_chart *chart, unsigned begin, unsigned end) {
    const size_t length = end - begin, words = chart->words;
    return chart->order + (words + 1) * length * (length - 1) / 2 - (length - 1) * length * (2 * length - 1) / 6 + begin * length;
}

/* What an inverted node begin .. split-1, split .. end-1 exchanges. */
static int64_t exchange(const span_chart *chart, unsigned begin, unsigned split, unsigned end) {
    const size_t row = chart->words + 1;
    const int64_t *sum = chart->sum;
    return sum[split * row + end] - sum[begin * row + end] - sum[split * row + split] + sum[begin * row + split];
}

typedef struct {
    int64_t cost;
    unsigned split;
    bool inverted;
} span_node;

/* The two blocks of a node in the order in which they are visited. */
static void blocks(const span_chart *chart, unsigned begin, unsigned end, const span_node *node, const uint16_t *part[2],
                   unsigned size[2]) {
    const unsigned left = node->inverted;
    part[left] = order_of(chart, begin, node->split);
    size[left] = node->split - begin;
    part[1 - left] = order_of(chart, node->split, end);
    size[1 - left] = end - node->split;
}

static bool comes_first(const span_chart *chart, unsigned begin, unsigned end, const span_node *one, const span_node *other) {
    const uint16_t *one_part[2], *other_part[2];
    unsigned one_size[2], other_size[2];
    blocks(chart, begin, end, one, one_part, one_size);
    blocks(chart, begin, end, other, other_part, other_size);
    for (unsigned at = 0; at < end - begin; at++) {
        const unsigned first = at < one_size[0] ? one_part[0][at] : one_part[1][at - one_size[0]];
        const unsigned second = at < other_size[0] ? other_part[0][at] : other_part[1][at - other_size[0]];
        if (first != second) return first < second;
    }
    return false;
}

static void fill(span_chart *chart, unsigned begin, unsigned end) {
    const size_t row = chart->words + 1;
    const uint16_t *part[2];
    unsigned size[2];
    span_node best = {INT64_MAX, 0, false};
    assert(begin + 1 < end && end <= chart->words);
    for (unsigned split = begin + 1; split < end; split++) {
        const int64_t both = chart->best[begin * row + split] + chart->best[split * row + end];
        const int64_t more = exchange(chart, begin, split, end);
        const span_node node = {both + (more < 0 ? more : 0), split, more < 0}; /* of equal ones, straight comes first */
        if (node.cost < best.cost || (node.cost == best.cost && comes_first(chart, begin, end, &node, &best))) best = node;
    }
    assert(best.split);
    blocks(chart, begin, end, &best, part, size);
    uint16_t *to = order_of(chart, begin, end);
    memcpy(to, part[0], size[0] * sizeof *to);
    memcpy(to + size[0], part[1], size[1] * sizeof *to);
    chart->best[begin * row + end] = best.cost;
}

static void sum_up(const int64_t *cost, unsigned words, int64_t *sum) {
    const size_t row = (size_t)words + 1;
    memset(sum, 0, row * row * sizeof *sum);
    for (unsigned i = 0; i < words; i++)
        for (unsigned j = 0; j < words; j++)
            sum[(i + 1) * row + j + 1] =
                sum[i * row + j + 1] + sum[(i + 1) * row + j] - sum[i * row + j] + (i < j ? cost[(size_t)i * words + j] : 0);
}

static pf_err prepare(pf_separable *room, unsigned words, int64_t **sum, span_chart *out) {
    const size_t row = (size_t)words + 1, orders = (size_t)words * (words + 1) * (words + 2) / 6;
    room->number.n = room->order.n = 0;
    PF_TRY(PF_ROOM(&room->number, 2 * row * row));
    PF_TRY(PF_ROOM(&room->order, orders + 1));
    *sum = room->number.at;
    *out = (span_chart){words, *sum, *sum + row * row, room->order.at};
    return PF_OK;
}

pf_err pf_separable_best(pf_separable *room, const int64_t *cost, unsigned length, uint32_t *order) {
    span_chart chart;
    int64_t *sum;
    if (!length) return PF_OK;
    if (length > PF_SEPARABLE_POSITIONS)
        return pf_fail(PF_ELIMIT, "the sentence has %u words, but the chart has room for only %d", length, PF_SEPARABLE_POSITIONS);
    PF_TRY(prepare(room, length, &sum, &chart));
    sum_up(cost, length, sum);
    for (unsigned begin = 0; begin < length; begin++) {
        *order_of(&chart, begin, begin + 1) = (uint16_t)begin;
        chart.best[(size_t)begin * (length + 1) + begin + 1] = 0;
    }
    for (unsigned span = 2; span <= length; span++)
        for (unsigned begin = 0; begin + span <= length; begin++) fill(&chart, begin, begin + span);
    for (unsigned at = 0; at < length; at++) order[at] = order_of(&chart, 0, length)[at];
    return PF_OK;
}
