/* Two orders of one sentence: Kendall's tau and what is made of the same pairs, chunks, Spearman's rho and footrule.
 *
 *   tau 1 - 4 D / (n (n-1))   kendall sqrt(2 D / (n (n-1))) (Pecheux et al. 2016, eq. 5)   pairs 1 - 2 D / (n (n-1))
 *   fuzzy 1 - (C-1) / (n-1) (Talbot et al. 2011)   fragmentation (C-1) / (n-1)
 *   spearman 1 - 6 S / (n (n^2-1))   footrule F
 *
 * D, C, S and F are the figures of metric/orders.h. Each is a function of a quotient of two numbers; of 0 / 0 it is that of 0. A
 * class says which numbers and which function. Statistics: the value as a multiple of 2^-36, sentences, the two numbers. */
#include <permfst/metric/orders.h>

#include "metric/metric_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { VALUE, SENTENCES, PART, WHOLE, WIDTH, BITS = 36 };

/* ---- figures ---- */

uint64_t pfi_inversions(uint32_t *value, size_t count, uint32_t *spare) {
    uint64_t sum = 0;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t begin = 0; begin + run < count; begin += 2 * run) {
            size_t left = begin, middle = begin + run, right = middle, end = middle + run < count ? middle + run : count, k = 0;
            while (left < middle || right < end) {
                bool is_left = right == end || (left < middle && value[left] <= value[right]);
                if (!is_left) sum += middle - left;
                spare[k++] = value[is_left ? left++ : right++];
            }
            memcpy(value + begin, spare, k * sizeof *value);
        }
    }
    return sum;
}

void pf_order_compare(const uint32_t *order, const uint32_t *reference, size_t words, uint32_t *spare, pf_order_figures *out) {
    uint32_t *place = spare, *merged = spare + words;
    *out = (pf_order_figures){.n = words, .chunks = words > 0};
    for (size_t i = 0; i < words; i++) merged[reference[i]] = (uint32_t)i;
    for (size_t i = 0; i < words; i++) place[i] = merged[order[i]];
    for (size_t step = 0; step < words; step++) {
        uint64_t far = place[step] > step ? place[step] - step : step - place[step];
        out->footrule += far;
        out->squares += (double)far * (double)far;
        out->chunks += step && place[step] != place[step - 1] + 1;
    }
    out->discordant = pfi_inversions(place, words, merged);
}

/* ---- classes ---- */

typedef struct {
    void (*parts)(const pf_order_figures *of, double *part, double *whole);
    double (*value)(double quotient);
} measure;

static const measure *measure_of(const pf_metric *metric) { return metric->cls->own; }
static double quotient(double part, double whole) { return whole > 0 ? part / whole : 0; }

static void twice_pairs(const pf_order_figures *of, double *part, double *whole) {
    *part = 4 * (double)of->discordant;
    *whole = (double)of->n * ((double)of->n - 1);
}
static void once_pairs(const pf_order_figures *of, double *part, double *whole) {
    *part = 2 * (double)of->discordant;
    *whole = (double)of->n * ((double)of->n - 1);
}
static void breaks(const pf_order_figures *of, double *part, double *whole) {
    *part = of->n ? (double)of->chunks - 1 : 0;
    *whole = of->n ? (double)of->n - 1 : 0;
}
static void squares(const pf_order_figures *of, double *part, double *whole) {
    *part = 6 * of->squares;
    *whole = (double)of->n * ((double)of->n * (double)of->n - 1);
}
static void distances(const pf_order_figures *of, double *part, double *whole) {
    *part = (double)of->footrule;
    *whole = 1;
}

static double itself(double value) { return value; }
static double complement(double value) { return 1 - value; }

static unsigned width(const pf_metric_options *options PF_UNUSED) { return WIDTH; }

static pf_err count(pf_metric *metric, pf_segment system, const pf_references *references, double *to) {
    const measure *own = measure_of(metric);
    pf_order_figures figures;
    assert(references->n == 1 && references->at[0].n == system.n);
    metric->room->row.n = 0;
    PF_TRY(PF_ROOM(&metric->room->row, 2 * system.n + 1));
    pf_order_compare(system.word, references->at[0].word, system.n, metric->room->row.at, &figures);
    own->parts(&figures, &to[PART], &to[WHOLE]);
    to[VALUE] = pfi_rounded(own->value(quotient(to[PART], to[WHOLE])), BITS);
    to[SENTENCES] = 1;
    return PF_OK;
}

static double score(const pf_metric *metric, const double *sum) {
    if (metric->options.average == PF_AVERAGE_PAIRS) return measure_of(metric)->value(quotient(sum[PART], sum[WHOLE]));
    return sum[SENTENCES] > 0 ? sum[VALUE] / sum[SENTENCES] : NAN;
}

static pf_err details(const pf_metric *metric PF_UNUSED, const double *sum, pf_writer *writer) {
    return pf_writer_text(writer, "sentences=%.0f %.0f/%.0f", sum[SENTENCES], sum[PART], sum[WHOLE]);
}

static pf_err after_tok(const pf_metric_options *options, pf_writer *writer) {
    return pf_writer_text(writer, "average:%s|", options->average == PF_AVERAGE_PAIRS ? "pairs" : "sentence");
}

#define ORDER_METRIC(NAME, USUAL, PARTS, OF) \
    const pf_metric_class pfi_metric_##NAME = { \
        .name = #NAME, .title = #NAME, .usual = USUAL, .subject = PF_METRIC_ORDERS, .width = width, .count = count, \
        .score = score, .details = details, .after_tok = after_tok, .own = &(const measure){PARTS, OF}, \
    }
ORDER_METRIC(tau, true, twice_pairs, complement);
ORDER_METRIC(kendall, true, once_pairs, sqrt);
ORDER_METRIC(pairs, false, once_pairs, complement);
ORDER_METRIC(fuzzy, true, breaks, complement);
ORDER_METRIC(fragmentation, false, breaks, itself);
ORDER_METRIC(spearman, false, squares, complement);
ORDER_METRIC(footrule, false, distances, itself);
