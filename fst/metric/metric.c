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

void pf_metric_free(pf_metric *m) {
    if (!m->room) return;
    pf_statetab_free(&m->room->pairs);
    PF_VEC_FREE(&m->room->gram);
    PF_VEC_FREE(&m->room->had);
    PF_VEC_FREE(&m->room->best);
    PF_VEC_FREE(&m->room->now);
    PF_VEC_FREE(&m->room->row);
    free(m->room);
    m->room = NULL;
}

/* A table that one long segment made large would be cleared at the cost of its size for every short segment after it. */
void pfi_metric_forget(struct pfi_metric_room *room) {
    enum { SPARSE = 64, SMALL = 4096 };
    const pf_statetab_part *slots = room->pairs.part;
    if (slots && slots->mask > SMALL && slots->mask / SPARSE > room->pairs.n) pf_statetab_free(&room->pairs);
    else pf_statetab_reset(&room->pairs);
}

/* ---- error rates ---- */

pf_err pfi_fewest_errors(pf_metric *m, pf_segment system, const pf_segment *reference, size_t n, pfi_errors count,
                         double *to) {
    for (size_t i = 0; i < n; i++) {
        size_t errors;
        PF_TRY(count(m, system, reference[i], &errors));
        double e = (double)errors, length = (double)reference[i].n;
        if (i && (e > to[0] || (e == to[0] && length <= to[1]))) continue;
        to[0] = e;
        to[1] = length;
    }
    return PF_OK;
}

unsigned pfi_error_width(const pf_metric_options *o PF_UNUSED) { return 2; }

double pfi_error_rate(const pf_metric_options *o PF_UNUSED, const double *sum) {
    return sum[1] > 0 ? sum[0] / sum[1] : sum[0] > 0 ? 1 : 0;
}

pf_err pfi_error_details(const pf_metric_options *o PF_UNUSED, const double *sum, pf_writer *w) {
    return pf_writer_text(w, "errors=%.0f ref_len=%.0f", sum[0], sum[1]);
}

/* ---- statistics ---- */

pf_err pf_statistics_add(pf_statistics *s, pf_metric *m, pf_segment system, const pf_segment *reference, size_t n) {
    assert(n >= 1 && (!s->n || s->width == m->cls->width(&m->options)));
    s->width = m->cls->width(&m->options);
    assert(s->width <= PF_METRIC_STATISTICS);
    PF_TRY(PF_ROOM(&s->at, s->width));
    PF_TRY(m->cls->count(m, system, reference, n, s->at.at + s->at.n));
    s->at.n += s->width;
    s->n++;
    return PF_OK;
}

void pf_statistics_free(pf_statistics *s) {
    PF_VEC_FREE(&s->at);
    *s = (pf_statistics){0};
}

void pf_statistics_sum(const pf_statistics *s, double *sum) {
    for (unsigned k = 0; k < s->width; k++) sum[k] = 0;
    for (size_t i = 0; i < s->n; i++)
        for (unsigned k = 0; k < s->width; k++) sum[k] += s->at.at[i * s->width + k];
}

/* ---- signatures ---- */

pf_err pf_metric_signature(const pf_metric *m, size_t references, const char *resampled, const pf_tokeniser *t,
                           const char *version, pf_writer *w) {
    PF_TRY(references ? pf_writer_text(w, "nrefs:%zu|", references) : pf_writer_text(w, "nrefs:var|"));
    PF_TRY(pf_writer_text(w, "%scase:mixed|", resampled));
    if (m->cls->before_tok) PF_TRY(m->cls->before_tok(&m->options, w));
    PF_TRY(pf_writer_text(w, "tok:%s|", t->name));
    if (m->cls->after_tok) PF_TRY(m->cls->after_tok(&m->options, w));
    return pf_writer_text(w, "version:%s", version);
}
