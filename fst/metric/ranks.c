/* An order against an alignment, as lader and TD-BTG do it. A source word has the span of its targets, from the least to the
 * largest, and the rank of its span. See metric/orders.h.
 *
 * lader: words whose spans overlap become blocks, which take in all source words between them; a word without links has the span of
 * a neighbour. Losses and what they are divided by are added up over the corpus. TD-BTG: a sentence in which the span of a word
 * lies within that of another is skipped, words without links leave the order, and a corpus has the mean of its sentences. */
#include <permfst/metric/orders.h>

#include "metric/metric_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { NONE = UINT32_MAX, BITS = 36 };

/* All lists are by source word, n of each; in the room one after the other, with room for sorting. */
typedef struct {
    uint32_t n;
    uint32_t *first, *last; /* target words; NONE: no links */
    uint32_t *sorted;       /* the words with spans, by span, then by number */
    uint32_t *rank, *spare;
    uint32_t linked, ranks; /* words with spans; different ranks */
} spans;

void pf_order_room_free(pf_order_room *room) { PF_VEC_FREE(&room->number); }

static pf_err make_room(pf_order_room *room, size_t numbers) {
    room->number.n = 0;
    return PF_ROOM(&room->number, numbers + 1);
}

static pf_err find_spans(pf_order_room *room, uint32_t words, pf_segment links, spans *out) {
    PF_TRY(make_room(room, 6 * (size_t)words));
    uint32_t *at = room->number.at;
    *out = (spans){words, at, at + words, at + 2 * (size_t)words, at + 3 * (size_t)words, at + 4 * (size_t)words, 0, 0};
    for (uint32_t i = 0; i < words; i++) out->first[i] = out->last[i] = NONE;
    for (size_t k = 0; k + 1 < links.n; k += 2) {
        uint32_t source = links.word[k], target = links.word[k + 1];
        assert(source < words);
        bool fresh = out->first[source] == NONE;
        if (fresh || target < out->first[source]) out->first[source] = target;
        if (fresh || target > out->last[source]) out->last[source] = target;
    }
    return PF_OK;
}

/* ---- ranks ---- */

static bool is_before(const spans *of, uint32_t word, uint32_t other) {
    if (of->first[word] != of->first[other]) return of->first[word] < of->first[other];
    if (of->last[word] != of->last[other]) return of->last[word] < of->last[other];
    return word < other;
}

static void merge(const spans *of, uint32_t begin, uint32_t middle, uint32_t end) {
    uint32_t left = begin, right = middle, k = 0;
    while (left < middle || right < end) {
        bool is_left = right == end || (left < middle && is_before(of, of->sorted[left], of->sorted[right]));
        of->spare[k++] = of->sorted[is_left ? left++ : right++];
    }
    memcpy(of->sorted + begin, of->spare, k * sizeof *of->sorted);
}

static void sort_spans(spans *of) {
    of->linked = 0;
    for (uint32_t i = 0; i < of->n; i++)
        if (of->first[i] != NONE) of->sorted[of->linked++] = i;
    for (uint32_t run = 1; run < of->linked; run *= 2)
        for (uint32_t begin = 0; begin + run < of->linked; begin += 2 * run)
            merge(of, begin, begin + run, of->linked - begin - run < run ? of->linked : begin + 2 * run);
}

/* Sorted spans are in order iff no span ends before one that begins before it. */
static bool find_ranks(spans *of) {
    of->ranks = 0;
    for (uint32_t at = 0; at < of->linked; at++) {
        uint32_t word = of->sorted[at], before = at ? of->sorted[at - 1] : word;
        if (of->last[word] < of->last[before]) return false;
        bool same = at && of->first[word] == of->first[before] && of->last[word] == of->last[before];
        if (!same) of->ranks++;
        of->rank[word] = of->ranks - 1;
    }
    return true;
}

/* ---- lader ---- */

/* The block that begins with word `next` of the sorted ones; the first word after it. Spans change, the order of the words does
 * not. */
static uint32_t make_block(spans *of, uint32_t next) {
    uint32_t low = of->sorted[next], high = low, first = of->first[low], last = of->last[low];
    for (next++; next < of->linked && of->first[of->sorted[next]] <= last; next++) {
        uint32_t word = of->sorted[next];
        for (; low > word; low--)
            if (of->last[low - 1] != NONE && of->last[low - 1] > last) last = of->last[low - 1];
        for (; high < word; high++)
            if (of->last[high + 1] != NONE && of->last[high + 1] > last) last = of->last[high + 1];
        if (of->last[word] > last) last = of->last[word];
    }
    for (uint32_t rank = low; rank <= high; rank++) {
        of->first[rank] = first;
        of->last[rank] = last;
    }
    return next;
}

static void give(spans *of, uint32_t word, uint32_t first, uint32_t last) {
    if (of->first[word] != NONE) return;
    of->first[word] = first;
    of->last[word] = last;
}

static void fill_from_left(spans *of) {
    for (uint32_t i = 1; i < of->n; i++) give(of, i, of->first[i - 1], of->last[i - 1]);
}

static void fill_from_right(spans *of) {
    for (uint32_t i = of->n; i-- > 1;) give(of, i - 1, of->first[i], of->last[i]);
}

/* The words without a span get that of a neighbour. Those after the last word with one have no right neighbour to take it from,
 * and take it from the left; but if words go with their left neighbours, lader puts them a place after all. */
static void attach(spans *of, bool left) {
    uint32_t behind = 0;
    if (!of->linked) give(of, 0, 0, 0);
    for (uint32_t i = 0; i < of->n; i++)
        if (of->first[i] != NONE && of->last[i] >= behind) behind = of->last[i] + 1;
    if (!left) fill_from_right(of);
    for (uint32_t i = of->n; left && of->linked && i-- && of->first[i] == NONE;) give(of, i, behind, behind);
    fill_from_left(of);
    fill_from_right(of);
}

/* Counts the neighbours and the falling pairs in an order with a rank for each word. `all` ranks stand after the last. */
static void compare_ranks(const spans *of, const uint32_t *order, size_t words, uint64_t *bad, uint64_t *falling) {
    uint32_t before = 0; /* the rank of the word before, and 1 */
    *bad = 0;
    for (size_t i = 0; i <= words; before = i < words ? of->rank[order[i]] + 1 : 0, i++) {
        uint32_t now = i < words ? of->rank[order[i]] + 1 : of->ranks + 1;
        *bad += now != before && now != before + 1;
    }
    for (size_t i = 0; i < words; i++) of->sorted[i] = of->rank[order[i]];
    *falling = pfi_inversions(of->sorted, words, of->spare);
}

/* Pairs of equal rank, of sorted ranks. */
static uint64_t count_equal(const uint32_t *rank, size_t words) {
    uint64_t sum = 0, same = 0;
    for (size_t i = 1; i < words; i++) {
        same = rank[i] == rank[i - 1] ? same + 1 : 0;
        sum += same;
    }
    return sum;
}

/* The spans of a sentence as lader has them, each with its rank if *defined. */
static pf_err lader_spans(pf_order_room *room, uint32_t words, pf_segment links, bool combine, bool attach_left, spans *of,
                          bool *defined) {
    PF_TRY(find_spans(room, words, links, of));
    sort_spans(of);
    for (uint32_t k = 0; combine && k < of->linked;) k = make_block(of, k);
    attach(of, attach_left);
    sort_spans(of);
    *defined = find_ranks(of);
    return PF_OK;
}

pf_err pf_order_lader_ranks(pf_order_room *room, uint32_t words, pf_segment links, uint32_t *rank) {
    spans of;
    bool defined;
    if (!words) return PF_OK;
    PF_TRY(lader_spans(room, words, links, true, false, &of, &defined));
    assert(defined); /* blocks overlap no others */
    memcpy(rank, of.rank, words * sizeof *rank);
    return PF_OK;
}

pf_err pf_order_lader(pf_order_room *room, pf_segment order, pf_segment links, bool combine, bool attach_left,
                      pf_lader_figures *out) {
    spans of;
    bool defined;
    uint64_t words = order.n;
    *out = (pf_lader_figures){0};
    if (!words) return PF_OK;
    PF_TRY(lader_spans(room, (uint32_t)words, links, combine, attach_left, &of, &defined));
    if (!defined) return out->undefined = true, PF_OK;
    compare_ranks(&of, order.word, order.n, &out->bad, &out->falling);
    out->chunks = of.ranks > 1 ? words + 1 : 0;
    if (!out->chunks) out->bad = 0;
    out->pairs = words * (words - 1) / 2 - count_equal(of.sorted, order.n);
    return PF_OK;
}

/* ---- TD-BTG ---- */

pf_err pf_order_tdbtg(pf_order_room *room, pf_segment order, pf_segment links, pf_tdbtg_figures *out) {
    spans of;
    *out = (pf_tdbtg_figures){0};
    if (!order.n) return PF_OK;
    PF_TRY(find_spans(room, (uint32_t)order.n, links, &of));
    sort_spans(&of);
    out->n = of.linked;
    if (!find_ranks(&of)) return out->skipped = true, PF_OK;
    uint32_t *kept = of.spare + of.n; /* the order of the words with links */
    size_t linked = 0;
    for (size_t i = 0; i < order.n; i++)
        if (of.first[order.word[i]] != NONE) kept[linked++] = order.word[i];
    compare_ranks(&of, kept, linked, &out->bad, &out->falling);
    return PF_OK;
}

/* ---- crossings ---- */

/* Is one link before the other, by place of the source, then by target? */
static bool link_before(const uint32_t *place, const uint32_t *link, uint32_t one, uint32_t other) {
    uint32_t source = place[link[2 * one]], other_source = place[link[2 * other]];
    return source != other_source ? source < other_source : link[2 * one + 1] < link[2 * other + 1];
}

/* Links sorted by the place of their source, then by target: pairs with falling targets. O(links log links). */
static uint64_t count_crossings(const uint32_t *place, pf_segment links, uint32_t *sorted, uint32_t *spare) {
    uint32_t count = (uint32_t)(links.n / 2);
    for (uint32_t i = 0; i < count; i++) sorted[i] = i;
    for (uint32_t run = 1; run < count; run *= 2)
        for (uint32_t begin = 0; begin + run < count; begin += 2 * run) {
            uint32_t left = begin, middle = begin + run, right = middle, end = count - middle < run ? count : middle + run, k = 0;
            while (left < middle || right < end) {
                bool is_left = right == end || (left < middle && !link_before(place, links.word, sorted[right], sorted[left]));
                spare[k++] = sorted[is_left ? left++ : right++];
            }
            memcpy(sorted + begin, spare, k * sizeof *sorted);
        }
    for (uint32_t i = 0; i < count; i++) sorted[i] = links.word[2 * sorted[i] + 1];
    return pfi_inversions(sorted, count, spare);
}

pf_err pf_order_crossings(pf_order_room *room, pf_segment order, pf_segment links, uint64_t *before, uint64_t *after) {
    PF_TRY(make_room(room, order.n + links.n));
    uint32_t *place = room->number.at, *sorted = place + order.n, *spare = sorted + links.n / 2;
    for (size_t i = 0; i < order.n; i++) place[i] = (uint32_t)i;
    *before = count_crossings(place, links, sorted, spare);
    for (size_t i = 0; i < order.n; i++) place[order.word[i]] = (uint32_t)i;
    *after = count_crossings(place, links, sorted, spare);
    return PF_OK;
}

/* ---- lader's classes ---- */

enum { LOSS, OF, UNDEFINED, LADER_WIDTH };

static unsigned lader_width(const pf_metric_options *options PF_UNUSED) { return LADER_WIDTH; }

static pf_err count_lader(pf_metric *metric, pf_segment system, const pf_references *references, pf_lader_figures *out) {
    const pf_metric_options *options = &metric->options;
    return pf_order_lader(&metric->room->orders, system, references->at[0], !options->apart, options->attach_left, out);
}

static pf_err count_lader_chunk(pf_metric *metric, pf_segment system, const pf_references *references, double *to) {
    pf_lader_figures figures;
    PF_TRY(count_lader(metric, system, references, &figures));
    to[LOSS] = (double)figures.bad;
    to[OF] = (double)figures.chunks;
    to[UNDEFINED] = figures.undefined;
    return PF_OK;
}

static pf_err count_lader_tau(pf_metric *metric, pf_segment system, const pf_references *references, double *to) {
    pf_lader_figures figures;
    PF_TRY(count_lader(metric, system, references, &figures));
    to[LOSS] = (double)figures.falling;
    to[OF] = (double)figures.pairs;
    to[UNDEFINED] = figures.undefined;
    return PF_OK;
}

static double lader_score(const pf_metric *metric PF_UNUSED, const double *sum) {
    return sum[UNDEFINED] > 0 || !(sum[OF] > 0) ? NAN : 1 - sum[LOSS] / sum[OF];
}

/* Nothing of nothing is 1 in a sentence, and not defined in a corpus. */
static double lader_score_one(const pf_metric *metric, const double *sum) {
    return sum[OF] > 0 || sum[UNDEFINED] > 0 ? lader_score(metric, sum) : 1;
}

static pf_err lader_details(const pf_metric *metric PF_UNUSED, const double *sum, pf_writer *writer) {
    PF_TRY(pf_writer_text(writer, "loss=%.0f/%.0f", sum[LOSS], sum[OF]));
    return sum[UNDEFINED] > 0 ? pf_writer_text(writer, " without_order=%.0f", sum[UNDEFINED]) : PF_OK;
}

static pf_err lader_signature(const pf_metric_options *options, pf_writer *writer) {
    return pf_writer_text(writer, "combine:%s|attach:%s|", options->apart ? "no" : "yes", options->attach_left ? "left" : "right");
}

const pf_metric_class pfi_metric_lader_chunk = {
    .name = "lader-chunk", .title = "lader-chunk", .usual = true, .program = "lader", .subject = PF_METRIC_LINKS,
        .width = lader_width, .count = count_lader_chunk,
    .score = lader_score, .score_one = lader_score_one, .details = lader_details, .after_tok = lader_signature,
};
const pf_metric_class pfi_metric_lader_tau = {
    .name = "lader-tau", .title = "lader-tau", .usual = true, .program = "lader", .subject = PF_METRIC_LINKS, .width = lader_width,
        .count = count_lader_tau,
    .score = lader_score, .score_one = lader_score_one, .details = lader_details, .after_tok = lader_signature,
};

/* ---- TD-BTG's classes ---- */

enum { VALUE, KEPT, SKIPPED, TDBTG_WIDTH };

static unsigned tdbtg_width(const pf_metric_options *options PF_UNUSED) { return TDBTG_WIDTH; }

static double fuzzy_of(const pf_tdbtg_figures *figures) {
    return figures->n > 1 ? 1 - (double)figures->bad / ((double)figures->n + 1) : 1;
}
static double match_of(const pf_tdbtg_figures *figures) { return figures->n <= 1 || !figures->falling; }
static double tau_of(const pf_tdbtg_figures *figures) {
    return figures->n > 1 ? 1 - (double)figures->falling / ((double)figures->n * ((double)figures->n - 1) / 2) : 1;
}

typedef struct {
    double (*of)(const pf_tdbtg_figures *figures);
} tdbtg_measure;

static pf_err count_tdbtg(pf_metric *metric, pf_segment system, const pf_references *references, double *to) {
    pf_tdbtg_figures figures;
    PF_TRY(pf_order_tdbtg(&metric->room->orders, system, references->at[0], &figures));
    to[VALUE] = figures.skipped ? 0 : pfi_rounded(((const tdbtg_measure *)metric->cls->own)->of(&figures), BITS);
    to[KEPT] = !figures.skipped;
    to[SKIPPED] = figures.skipped;
    return PF_OK;
}

static double tdbtg_score(const pf_metric *metric PF_UNUSED, const double *sum) {
    return sum[KEPT] > 0 ? sum[VALUE] / sum[KEPT] : NAN;
}

static pf_err tdbtg_details(const pf_metric *metric PF_UNUSED, const double *sum, pf_writer *writer) {
    return pf_writer_text(writer, "sentences=%.0f skipped=%.0f", sum[KEPT], sum[SKIPPED]);
}

#define TDBTG_METRIC(ID) \
    const pf_metric_class pfi_metric_tdbtg_##ID = { \
        .name = "tdbtg-" #ID, .title = "tdbtg-" #ID, .usual = true, .program = "tdbtg", .subject = PF_METRIC_LINKS, \
        .width = tdbtg_width, .count = count_tdbtg, .score = tdbtg_score, .details = tdbtg_details, \
        .own = &(const tdbtg_measure){ID##_of}, \
    }
TDBTG_METRIC(fuzzy);
TDBTG_METRIC(tau);
TDBTG_METRIC(match);

/* ---- the crossing score ---- */

enum { BEFORE, AFTER, CROSSING_WIDTH };

static unsigned crossing_width(const pf_metric_options *options PF_UNUSED) { return CROSSING_WIDTH; }

static pf_err count_crossing(pf_metric *metric, pf_segment system, const pf_references *references, double *to) {
    uint64_t before, after;
    PF_TRY(pf_order_crossings(&metric->room->orders, system, references->at[0], &before, &after));
    to[BEFORE] = (double)before;
    to[AFTER] = (double)after;
    return PF_OK;
}

static double crossing_score(const pf_metric *metric PF_UNUSED, const double *sum) { return sum[AFTER]; }

static pf_err crossing_details(const pf_metric *metric PF_UNUSED, const double *sum, pf_writer *writer) {
    return pf_writer_text(writer, "before=%.0f after=%.0f", sum[BEFORE], sum[AFTER]);
}

const pf_metric_class pfi_metric_crossing = {
    .name = "crossing", .title = "crossing", .usual = true, .subject = PF_METRIC_LINKS, .width = crossing_width,
        .count = count_crossing,
    .score = crossing_score, .details = crossing_details,
};
