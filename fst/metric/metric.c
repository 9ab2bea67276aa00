/* The table of metrics, statistics of a corpus, signatures, and what the error rates share. */
#include <permfst/metric/metric.h>

#include <permfst/base/params.h>
#include "metric/metric_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const pf_metric_class *const metrics[] = {&pfi_metric_bleu, &pfi_metric_wer, &pfi_metric_per};
enum { METRICS = sizeof metrics / sizeof *metrics };

static const char *entry(size_t i, const char **values) {
    *values = "";
    return i < METRICS ? metrics[i]->name : NULL;
}

pf_err pf_metric_find(const char *name, size_t n, const pf_metric_class **out) {
    for (size_t i = 0; i < METRICS; i++)
        if (strlen(metrics[i]->name) == n && strncmp(metrics[i]->name, name, n) == 0) return *out = metrics[i], PF_OK;
    char asked[61];
    snprintf(asked, sizeof asked, "%.*s", (int)(n < 60 ? n : 60), name);
    return pf_params_unknown("metric", asked, entry);
}

pf_err pf_metric_init(pf_metric *out, const pf_metric_class *cls, const pf_metric_options *options) {
    *out = (pf_metric){.cls = cls, .options = *options};
    if (out->options.bleu.order < 1 || out->options.bleu.order > PF_BLEU_ORDER)
        return pf_fail(PF_EARG, "the order of n-grams is from 1 to %d, not %u", PF_BLEU_ORDER, out->options.bleu.order);
    if (!(out->options.bleu.value >= 0)) out->options.bleu.value = pf_smoothing_value(out->options.bleu.smoothing);
    if (!(out->room = calloc(1, sizeof *out->room))) return pf_nomem();
    pf_statetab_init(&out->room->pairs, sizeof(uint64_t));
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
    free(metric->room);
    metric->room = NULL;
}

/* A table that one long segment made large would be cleared at the cost of its size for every short segment after it. */
void pfi_metric_forget(struct pfi_metric_room *room) {
    enum { SPARSE = 64, SMALL = 4096 };
    const pf_statetab_part *slots = room->pairs.part;
    if (slots && slots->mask > SMALL && slots->mask / SPARSE > room->pairs.n) pf_statetab_free(&room->pairs);
    else pf_statetab_reset(&room->pairs);
}

/* ---- error rates ---- */

pf_err pfi_fewest_errors(pf_metric *metric, pf_segment system, const pf_segment *reference, size_t n, pfi_errors count,
                         double *to) {
    for (size_t i = 0; i < n; i++) {
        size_t errors;
        PF_TRY(count(metric, system, reference[i], &errors));
        double e = (double)errors, length = (double)reference[i].n;
        if (i && (e > to[0] || (e == to[0] && length <= to[1]))) continue;
        to[0] = e;
        to[1] = length;
    }
    return PF_OK;
}

unsigned pfi_error_width(const pf_metric_options *options PF_UNUSED) { return 2; }

double pfi_error_rate(const pf_metric_options *options PF_UNUSED, const double *sum) {
    return sum[1] > 0 ? sum[0] / sum[1] : sum[0] > 0 ? 1 : 0;
}

pf_err pfi_error_details(const pf_metric_options *options PF_UNUSED, const double *sum, pf_writer *writer) {
    return pf_writer_text(writer, "errors=%.0f ref_len=%.0f", sum[0], sum[1]);
}

/* ---- statistics ---- */

pf_err pf_statistics_add(pf_statistics *statistics, pf_metric *metric, pf_segment system, const pf_segment *reference, size_t n) {
    assert(n >= 1 && (!statistics->n || statistics->width == metric->cls->width(&metric->options)));
    statistics->width = metric->cls->width(&metric->options);
    assert(statistics->width <= PF_METRIC_STATISTICS);
    PF_TRY(PF_ROOM(&statistics->at, statistics->width));
    PF_TRY(metric->cls->count(metric, system, reference, n, statistics->at.at + statistics->at.n));
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
    PF_TRY(pf_writer_text(writer, "%scase:mixed|", resampled));
    if (metric->cls->before_tok) PF_TRY(metric->cls->before_tok(&metric->options, writer));
    PF_TRY(pf_writer_text(writer, "tok:%s|", tokeniser->name));
    if (metric->cls->after_tok) PF_TRY(metric->cls->after_tok(&metric->options, writer));
    return pf_writer_text(writer, "version:%s", version);
}
