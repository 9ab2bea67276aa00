/* The table of metrics, statistics of a corpus, signatures, and what the error rates share. */
#include <permfst/metric/metric.h>

#include <permfst/base/params.h>
#include "metric/metric_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const pf_metric_class *const metrics[] = {
    &pfi_metric_bleu, &pfi_metric_nist, &pfi_metric_ribes, &pfi_metric_wer, &pfi_metric_mwer, &pfi_metric_per,
    &pfi_metric_tau, &pfi_metric_kendall, &pfi_metric_pairs, &pfi_metric_fuzzy, &pfi_metric_fragmentation, &pfi_metric_spearman,
    &pfi_metric_footrule,
    &pfi_metric_lader_chunk, &pfi_metric_lader_tau, &pfi_metric_tdbtg_fuzzy, &pfi_metric_tdbtg_tau, &pfi_metric_tdbtg_match,
    &pfi_metric_crossing,
};
enum { METRICS = sizeof metrics / sizeof *metrics };

const pf_metric_class *pf_metric_at(size_t place) { return place < METRICS ? metrics[place] : NULL; }

/* Metric i of a subject, NULL past the last. */
static const char *name_of(pf_metric_subject subject, size_t place) {
    for (size_t k = 0; k < METRICS; k++)
        if (metrics[k]->subject == subject && !place--) return metrics[k]->name;
    return NULL;
}

static const char *of_words(size_t place, const char **values) { return *values = "", name_of(PF_METRIC_WORDS, place); }
static const char *of_orders(size_t place, const char **values) { return *values = "", name_of(PF_METRIC_ORDERS, place); }
static const char *of_links(size_t place, const char **values) { return *values = "", name_of(PF_METRIC_LINKS, place); }

pf_err pf_metric_find(pf_metric_subject subject, const char *name, size_t length, const pf_metric_class **out) {
    static const char *(*const entry[])(size_t, const char **) = {of_words, of_orders, of_links};
    static const char *const what[] = {"metric", "metric of two orders", "metric of orders and alignments"};
    for (size_t metric = 0; metric < METRICS; metric++)
        if (metrics[metric]->subject == subject && strlen(metrics[metric]->name) == length &&
            strncmp(metrics[metric]->name, name, length) == 0)
            return *out = metrics[metric], PF_OK;
    char asked[61];
    snprintf(asked, sizeof asked, "%.*s", (int)(length < 60 ? length : 60), name);
    return pf_params_unknown(what[subject], asked, entry[subject]);
}

pf_err pf_metric_init(pf_metric *out, const pf_metric_class *cls, const pf_metric_options *options) {
    *out = (pf_metric){.cls = cls, .options = *options};
    if (out->options.bleu.order < 1 || out->options.bleu.order > PF_BLEU_ORDER)
        return pf_fail(PF_EARG, "expected an order of n-grams from 1 to %d, found %u", PF_BLEU_ORDER, out->options.bleu.order);
    if (!(out->options.bleu.value >= 0)) out->options.bleu.value = pf_smoothing_value(out->options.bleu.smoothing);
    if (!(out->room = calloc(1, sizeof *out->room))) return pf_nomem();
    pf_statetab_init(&out->room->pairs, sizeof(uint64_t));
    pf_statetab_init(&out->room->corpus, sizeof(uint64_t));
    return PF_OK;
}

void pf_metric_free(pf_metric *metric) {
    if (!metric->room) return;
    pf_statetab_free(&metric->room->pairs);
    PF_VEC_FREE(&metric->room->gram);
    PF_VEC_FREE(&metric->room->had);
    PF_VEC_FREE(&metric->room->best);
    PF_VEC_FREE(&metric->room->now);
    PF_VEC_FREE(&metric->room->row);
    PF_VEC_FREE(&metric->room->times);
    pf_statetab_free(&metric->room->corpus);
    pf_order_room_free(&metric->room->orders);
    free(metric->room);
    metric->room = NULL;
}

bool pf_metric_lowers(const pf_metric *metric) {
    pf_metric_case letters = metric->options.letters;
    return letters == PF_CASE_LOWER || (letters == PF_CASE_USUAL && metric->cls->lower_case);
}

double pf_metric_score_one(const pf_metric *metric, const double *statistic) {
    return metric->cls->score_one ? metric->cls->score_one(metric, statistic) : metric->cls->score(metric, statistic);
}

double pfi_rounded(double value, int bits) { return ldexp(rint(ldexp(value, bits)), -bits); }

/* A table that one long segment made large would be cleared at the cost of its size for every short segment after it. */
void pfi_metric_forget(struct pfi_metric_room *room) {
    enum { SPARSE = 64, SMALL = 4096 };
    const pf_statetab_part *slots = room->pairs.part;
    if (slots && slots->mask > SMALL && slots->mask / SPARSE > room->pairs.n) pf_statetab_free(&room->pairs);
    else pf_statetab_reset(&room->pairs);
}

/* ---- error rates ---- */

pf_err pfi_fewest_errors(pf_metric *metric, pf_segment system, const pf_references *references, pfi_errors count, double *to) {
    for (size_t reference = 0; reference < references->n; reference++) {
        size_t errors;
        PF_TRY(count(metric, system, references->at[reference], &errors));
        double found = (double)errors, length = (double)references->at[reference].n;
        if (reference && (found > to[0] || (found == to[0] && length <= to[1]))) continue;
        to[0] = found;
        to[1] = length;
    }
    return PF_OK;
}

unsigned pfi_error_width(const pf_metric_options *options PF_UNUSED) { return 2; }

double pfi_error_rate(const pf_metric *metric PF_UNUSED, const double *sum) {
    return sum[1] > 0 ? sum[0] / sum[1] : sum[0] > 0 ? 1 : 0;
}

pf_err pfi_error_details(const pf_metric *metric PF_UNUSED, const double *sum, pf_writer *writer) {
    return pf_writer_text(writer, "errors=%.0f ref_len=%.0f", sum[0], sum[1]);
}

/* ---- statistics ---- */

pf_err pf_statistics_add(pf_statistics *statistics, pf_metric *metric, pf_segment system, const pf_references *references) {
    assert(references->n >= 1 && (!statistics->n || statistics->width == metric->cls->width(&metric->options)));
    statistics->width = metric->cls->width(&metric->options);
    assert(statistics->width <= PF_METRIC_STATISTICS);
    PF_TRY(PF_ROOM(&statistics->at, statistics->width));
    PF_TRY(metric->cls->count(metric, system, references, statistics->at.at + statistics->at.n));
    statistics->at.n += statistics->width;
    statistics->n++;
    return PF_OK;
}

void pf_statistics_free(pf_statistics *statistics) {
    PF_VEC_FREE(&statistics->at);
    *statistics = (pf_statistics){0};
}

void pf_statistics_sum(const pf_statistics *statistics, double *sum) {
    for (unsigned k = 0; k < statistics->width; k++) sum[k] = 0;
    for (size_t i = 0; i < statistics->n; i++)
        for (unsigned k = 0; k < statistics->width; k++) sum[k] += statistics->at.at[i * statistics->width + k];
}

/* ---- signatures ---- */

pf_err pf_metric_signature(const pf_metric *metric, size_t references, const char *resampled, const pf_tokeniser *tokeniser,
                           const char *version, pf_writer *writer) {
    PF_TRY(references ? pf_writer_text(writer, "nrefs:%zu|", references) : pf_writer_text(writer, "nrefs:var|"));
    bool words = metric->cls->subject == PF_METRIC_WORDS;
    PF_TRY(pf_writer_text(writer, "%s", resampled));
    if (words) PF_TRY(pf_writer_text(writer, "case:%s|", pf_metric_lowers(metric) ? "lc" : "mixed"));
    if (metric->cls->before_tok) PF_TRY(metric->cls->before_tok(&metric->options, writer));
    if (words) PF_TRY(pf_writer_text(writer, "tok:%s|", tokeniser->name));
    if (metric->cls->after_tok) PF_TRY(metric->cls->after_tok(&metric->options, writer));
    return pf_writer_text(writer, "version:%s", version);
}
