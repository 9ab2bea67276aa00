/* A span is filled from its splits, item with item, into a table of its pairs of ranks; what is too costly is dropped. */
#include <permfst/learn/chunk_decoder.h>

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { POSITIONS = 1000 };

void pf_chunk_decoder_free(pf_chunk_decoder *decoder) {
    PF_VEC_FREE(&decoder->item);
    PF_VEC_FREE(&decoder->begin);
    PF_VEC_FREE(&decoder->sum);
    PF_VEC_FREE(&decoder->place);
    PF_VEC_FREE(&decoder->open);
}

typedef struct {
    pf_chunk_decoder *room;
    unsigned words, ranks;
    int64_t loss, spread; /* of two losses */
    unsigned begin, end;  /* the span that is being filled */
    int64_t best;         /* of its items */
} chunk_chart;

static uint32_t *span_at(const chunk_chart *chart, unsigned begin, unsigned end) {
    return &chart->room->begin.at[2 * ((size_t)begin * (chart->words + 1) + end)];
}

static int64_t neighbours(const chunk_chart *chart, uint32_t before, uint32_t after) {
    return after == before || after == before + 1 ? 0 : chart->loss;
}

static int64_t exchange(const chunk_chart *chart, unsigned begin, unsigned split, unsigned end) {
    const size_t row = chart->words + 1;
    const int64_t *sum = chart->room->sum.at;
    return sum[split * row + end] - sum[begin * row + end] - sum[split * row + split] + sum[begin * row + split];
}

/* ---- a span ---- */

static pf_err open_item(chunk_chart *chart, const pf_chunk_item *item) {
    pf_chunk_decoder *room = chart->room;
    assert(item->first < chart->ranks && item->last < chart->ranks);
    uint32_t *place = &room->place.at[(size_t)item->first * chart->ranks + item->last];
    if (item->cost < chart->best) chart->best = item->cost;
    if (!*place) {
        PF_TRY(PF_PUSH(&room->open, *item));
        *place = (uint32_t)room->open.n;
        return PF_OK;
    }
    if (item->cost < room->open.at[*place - 1].cost) room->open.at[*place - 1] = *item;
    return PF_OK;
}

/* All items of one block with all of another: `earlier` is visited first. Items are sorted, so what is too costly ends the loop. */
static pf_err join(chunk_chart *chart, const uint32_t *earlier, const uint32_t *later, unsigned split, bool inverted,
                   int64_t more) {
    const int64_t least = chart->loss < 0 ? chart->loss : 0;
    for (uint32_t earlier_item = earlier[0]; earlier_item < earlier[1]; earlier_item++)
        for (uint32_t later_item = later[0]; later_item < later[1]; later_item++) {
            const pf_chunk_item one = chart->room->item.at[earlier_item], other = chart->room->item.at[later_item];
            const int64_t both = one.cost + other.cost + more;
            if (both + least > chart->best + chart->spread) break;
            pf_chunk_item item = {both + neighbours(chart, one.last, other.first), one.first, other.last,
                                  earlier_item, later_item, split, inverted};
            if (item.cost <= chart->best + chart->spread) PF_TRY(open_item(chart, &item));
        }
    return PF_OK;
}

static int by_cost(const void *one, const void *other) {
    const pf_chunk_item *first = one, *second = other;
    if (first->cost != second->cost) return first->cost < second->cost ? -1 : 1;
    if (first->first != second->first) return first->first < second->first ? -1 : 1;
    return (first->last > second->last) - (first->last < second->last);
}

static pf_err close_span(chunk_chart *chart) {
    pf_chunk_decoder *room = chart->room;
    uint32_t *span = span_at(chart, chart->begin, chart->end);
    span[0] = (uint32_t)room->item.n;
    for (size_t at = 0; at < room->open.n; at++) {
        const pf_chunk_item *item = &room->open.at[at];
        room->place.at[(size_t)item->first * chart->ranks + item->last] = 0;
        if (item->cost <= chart->best + chart->spread) PF_TRY(PF_PUSH(&room->item, *item));
    }
    qsort(room->item.at + span[0], room->item.n - span[0], sizeof *room->item.at, by_cost);
    span[1] = (uint32_t)room->item.n;
    room->open.n = 0;
    return PF_OK;
}

static pf_err fill(chunk_chart *chart, unsigned begin, unsigned end) {
    chart->begin = begin;
    chart->end = end;
    chart->best = INT64_MAX / 2;
    for (unsigned split = begin + 1; split < end; split++) {
        const uint32_t *left = span_at(chart, begin, split), *right = span_at(chart, split, end);
        PF_TRY(join(chart, left, right, split, false, 0));
        PF_TRY(join(chart, right, left, split, true, exchange(chart, begin, split, end)));
    }
    return close_span(chart);
}

static pf_err fill_word(chunk_chart *chart, unsigned position, uint32_t rank) {
    const pf_chunk_item word = {0, rank, rank, position, position, 0, false};
    chart->begin = position;
    chart->end = position + 1;
    chart->best = INT64_MAX / 2;
    PF_TRY(open_item(chart, &word));
    return close_span(chart);
}

/* ---- the whole ---- */

static uint32_t *write_order(const chunk_chart *chart, uint32_t at, uint32_t *to) {
    const pf_chunk_item *item = &chart->room->item.at[at];
    if (!item->split) {
        *to = item->left;
        return to + 1;
    }
    return write_order(chart, item->right, write_order(chart, item->left, to));
}

/* The best item with the ends around it: rank -1 before, and `ranks` after. */
static uint32_t best_whole(const chunk_chart *chart) {
    const uint32_t *span = span_at(chart, 0, chart->words);
    uint32_t best = span[0];
    int64_t least = INT64_MAX;
    assert(span[0] < span[1]); /* every span has an order */
    for (uint32_t at = span[0]; at < span[1]; at++) {
        const pf_chunk_item *item = &chart->room->item.at[at];
        int64_t cost = item->cost + (item->first ? chart->loss : 0) + (item->last + 1 == chart->ranks ? 0 : chart->loss);
        if (cost >= least) continue;
        least = cost;
        best = at;
    }
    return best;
}

static pf_err prepare(chunk_chart *chart, const int64_t *cost, const uint32_t *rank) {
    pf_chunk_decoder *room = chart->room;
    const size_t row = (size_t)chart->words + 1, words = chart->words;
    room->item.n = room->open.n = room->begin.n = room->sum.n = room->place.n = 0;
    for (unsigned i = 0; i < words; i++)
        if (rank[i] >= chart->ranks) chart->ranks = rank[i] + 1;
    PF_TRY(PF_ROOM(&room->begin, 2 * row * row));
    PF_TRY(PF_ROOM(&room->sum, row * row));
    PF_TRY(PF_ROOM(&room->place, (size_t)chart->ranks * chart->ranks));
    memset(room->place.at, 0, (size_t)chart->ranks * chart->ranks * sizeof *room->place.at);
    memset(room->sum.at, 0, row * row * sizeof *room->sum.at);
    int64_t *sum = room->sum.at;
    for (size_t i = 0; i < words; i++)
        for (size_t j = 0; j < words; j++)
            sum[(i + 1) * row + j + 1] = sum[i * row + j + 1] + sum[(i + 1) * row + j] - sum[i * row + j]
                + (i < j ? cost[i * words + j] : 0);
    return PF_OK;
}

pf_err pf_chunk_decode(pf_chunk_decoder *decoder, const int64_t *cost, const uint32_t *rank, int64_t loss, unsigned length,
                       uint32_t *order) {
    chunk_chart chart = {.room = decoder, .words = length, .loss = loss, .spread = 2 * llabs(loss)};
    if (!length) return PF_OK;
    if (length > POSITIONS)
        return pf_fail(PF_ELIMIT, "the sentence has %u words, but the chart has room for only %d", length, POSITIONS);
    PF_TRY(prepare(&chart, cost, rank));
    for (unsigned i = 0; i < length; i++) PF_TRY(fill_word(&chart, i, rank[i]));
    for (unsigned span = 2; span <= length; span++)
        for (unsigned i = 0; i + span <= length; i++) PF_TRY(fill(&chart, i, i + span));
    write_order(&chart, best_whole(&chart), order);
    return PF_OK;
}
