/* Rows of cells: a table pads them, TSV separates them, JSON names them. */
#include <permfst/metric/report.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pf_systems *systems;
    const pf_report_options *options;
    pf_writer *w;
    size_t width;                           /* of the systems' names, in a table */
    char *signature[PF_SYSTEMS_METRICS];
} report;

/* NAN, 0 or NULL: not there. */
typedef struct {
    uint64_t sentence;
    const char *system, *metric, *signature;
    char *details;
    double score;
    pf_resampled resampled;
} score_row;

static bool is(const report *t, pf_report_format format) { return t->options->format == format; }
static bool has_intervals(const report *t) { return t->options->resampling.samples; }
static bool is_paired(const report *t) { return t->options->resampling.paired || t->options->resampling.trials; }

/* ---- cells ---- */

enum { METRIC = 6, NUMBER = 9, P_DIGITS = 4 };

static pf_err put_text(const report *t, const char *words, size_t width, bool first) {
    size_t n = strlen(words);
    if (is(t, PF_REPORT_TABLE))
        return pf_writer_text(t->w, "%s%s%*s", first ? "" : "  ", words, (int)(n < width ? width - n : 0), "");
    if (!first) PF_TRY(pf_writer_text(t->w, "\t"));
    for (; *words; words++) PF_TRY(pf_writer_put(t->w, *words == '\t' || *words == '\n' ? " " : words, 1));
    return PF_OK;
}

static pf_err put_cell(const report *t, const char *words) {
    bool table = is(t, PF_REPORT_TABLE);
    return pf_writer_text(t->w, table ? "  %*s" : "\t%.*s", table ? NUMBER : 99, words);
}

static pf_err put_number(const report *t, double x, unsigned digits) {
    char words[400] = "-";
    if (!isnan(x)) snprintf(words, sizeof words, "%.*f", (int)digits, x);
    return put_cell(t, words);
}

/* ---- JSON ---- */

/* Bytes of the character of UTF-8 there, 0 where there is none. */
static size_t character(const unsigned char *at) {
    size_t n = *at < 0x80 ? 1 : *at >= 0xc2 && *at < 0xe0 ? 2 : (*at & 0xf0) == 0xe0 ? 3 : *at >= 0xf0 && *at < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    return n;
}

/* A file name may be no UTF-8, JSON must be. */
static pf_err put_string(pf_writer *w, const char *key, const char *words) {
    PF_TRY(pf_writer_text(w, "\"%s\": \"", key));
    for (const unsigned char *at = (const unsigned char *)words; *at;) {
        size_t n = character(at);
        if (!n) PF_TRY(pf_writer_text(w, "\\ufffd"));
        else if (*at < ' ' || *at == '"' || *at == '\\') PF_TRY(pf_writer_text(w, "\\u%04x", *at));
        else PF_TRY(pf_writer_put(w, at, n));
        at += n ? n : 1;
    }
    return pf_writer_text(w, "\"");
}

static pf_err put_member(const report *t, const char *key, double x, unsigned digits) {
    return isnan(x) ? PF_OK : pf_writer_text(t->w, ", \"%s\": %.*f", key, (int)digits, x);
}

static pf_err put_object(const report *t, const score_row *row) {
    unsigned digits = t->options->digits;
    PF_TRY(pf_writer_text(t->w, "{"));
    if (row->sentence) PF_TRY(pf_writer_text(t->w, "\"sentence\": %llu, ", (unsigned long long)row->sentence));
    PF_TRY(put_string(t->w, "system", row->system));
    PF_TRY(pf_writer_text(t->w, ", "));
    PF_TRY(put_string(t->w, "metric", row->metric));
    PF_TRY(put_member(t, "score", row->score, digits));
    PF_TRY(put_member(t, "mean", row->resampled.interval.mean, digits));
    PF_TRY(put_member(t, "low", row->resampled.interval.low, digits));
    PF_TRY(put_member(t, "high", row->resampled.interval.high, digits));
    PF_TRY(put_member(t, "p", row->resampled.p_value, P_DIGITS));
    PF_TRY(pf_writer_text(t->w, ", "));
    PF_TRY(put_string(t->w, "details", row->details));
    PF_TRY(pf_writer_text(t->w, ", "));
    PF_TRY(put_string(t->w, "signature", row->signature));
    return pf_writer_text(t->w, "}\n");
}

/* ---- rows ---- */

static pf_err put_heading(const report *t) {
    bool sentences = t->options->sentences;
    if (is(t, PF_REPORT_JSON)) return PF_OK;
    if (sentences) PF_TRY(put_text(t, "sentence", 8, true));
    PF_TRY(put_text(t, "system", t->width, !sentences));
    PF_TRY(put_text(t, "metric", METRIC, false));
    PF_TRY(put_cell(t, "score"));
    if (has_intervals(t)) PF_TRY(put_cell(t, "mean"));
    if (has_intervals(t)) PF_TRY(put_cell(t, "low"));
    if (has_intervals(t)) PF_TRY(put_cell(t, "high"));
    if (is_paired(t)) PF_TRY(put_cell(t, "p"));
    PF_TRY(put_text(t, "details", 0, false));
    if (is(t, PF_REPORT_TSV)) PF_TRY(put_text(t, "signature", 0, false));
    return pf_writer_text(t->w, "\n");
}

static pf_err put_row(const report *t, const score_row *row) {
    const pf_interval *i = &row->resampled.interval;
    bool sentences = t->options->sentences;
    unsigned digits = t->options->digits;
    char sentence[24];
    if (is(t, PF_REPORT_JSON)) return put_object(t, row);
    snprintf(sentence, sizeof sentence, "%llu", (unsigned long long)row->sentence);
    if (sentences) PF_TRY(put_text(t, sentence, 8, true));
    PF_TRY(put_text(t, row->system, t->width, !sentences));
    PF_TRY(put_text(t, row->metric, METRIC, false));
    PF_TRY(put_number(t, row->score, digits));
    if (has_intervals(t)) PF_TRY(put_number(t, i->mean, digits));
    if (has_intervals(t)) PF_TRY(put_number(t, i->low, digits));
    if (has_intervals(t)) PF_TRY(put_number(t, i->high, digits));
    if (is_paired(t)) PF_TRY(put_number(t, row->resampled.p_value, P_DIGITS));
    PF_TRY(put_text(t, row->details, 0, false));
    if (is(t, PF_REPORT_TSV)) PF_TRY(put_text(t, row->signature, 0, false));
    return pf_writer_text(t->w, "\n");
}

/* ---- what is in them ---- */

/* What a memory writer holds, as a string of the caller's. */
static pf_err take_string(pf_writer *w, pf_err err, char **out) {
    size_t n;
    *out = NULL;
    if (!err) err = pf_writer_put(w, "", 1);
    if (!err && !(*out = strdup((const char *)pf_writer_bytes(w, &n)))) err = pf_nomem();
    pf_writer_free(w);
    return err;
}

static pf_err make_signature(const report *t, unsigned m, char **out) {
    pf_writer *w;
    PF_TRY(pf_writer_memory(&w));
    return take_string(w, pf_systems_signature(t->systems, m, &t->options->resampling, t->options->version, w), out);
}

static pf_err put_scores(const report *t, size_t system, unsigned m, const double *sum, score_row *row) {
    const pf_metric *metric = &t->systems->metric[m];
    pf_writer *w;
    row->system = t->systems->system.at[system].name;
    row->metric = metric->cls->title;
    row->signature = t->signature[m];
    row->score = metric->cls->score(&metric->options, sum);
    PF_TRY(pf_writer_memory(&w));
    PF_TRY(take_string(w, metric->cls->details(&metric->options, sum, w), &row->details));
    pf_err err = put_row(t, row);
    free(row->details);
    return err;
}

static pf_err put_system(const report *t, size_t system, unsigned m) {
    double sum[PF_METRIC_STATISTICS];
    score_row row = {0};
    PF_TRY(pf_systems_resample(t->systems, system, m, &t->options->resampling, &row.resampled));
    pf_systems_sum(t->systems, system, m, sum);
    return put_scores(t, system, m, sum, &row);
}

static pf_err put_test_set(const report *t) {
    uint64_t rows = 0;
    for (unsigned m = 0; m < t->systems->metrics; m++)
        for (size_t system = 0; system < t->systems->system.n; system++) {
            PF_TRY(put_system(t, system, m));
            if (t->options->progress) t->options->progress(t->options->self, ++rows);
        }
    return PF_OK;
}

static pf_err put_sentences(const report *t) {
    for (size_t i = 0; i < t->systems->set.n; i++)
        for (size_t system = 0; system < t->systems->system.n; system++)
            for (unsigned m = 0; m < t->systems->metrics; m++) {
                score_row row = {.sentence = i + 1, .resampled = {{NAN, NAN, NAN}, NAN}};
                PF_TRY(put_scores(t, system, m, pf_systems_segment(t->systems, system, m, i), &row));
            }
    return PF_OK;
}

/* The first one is preceded by an empty line. */
static pf_err put_signatures(const report *t) {
    for (unsigned m = 0; is(t, PF_REPORT_TABLE) && m < t->systems->metrics; m++)
        PF_TRY(pf_writer_text(t->w, "%s%s|%s\n", m ? "" : "\n", t->systems->metric[m].cls->title, t->signature[m]));
    return PF_OK;
}

static pf_err put_all(report *t) {
    t->width = strlen("system");
    for (size_t k = 0; k < t->systems->system.n; k++)
        if (strlen(t->systems->system.at[k].name) > t->width) t->width = strlen(t->systems->system.at[k].name);
    for (unsigned m = 0; m < t->systems->metrics; m++) PF_TRY(make_signature(t, m, &t->signature[m]));
    PF_TRY(put_heading(t));
    PF_TRY(t->options->sentences ? put_sentences(t) : put_test_set(t));
    return put_signatures(t);
}

pf_err pf_systems_report(pf_systems *s, const pf_report_options *options, pf_writer *w) {
    report t = {.systems = s, .options = options, .w = w};
    assert(options->format < PF_REPORT_FORMATS);
    pf_err err = put_all(&t);
    for (unsigned m = 0; m < s->metrics; m++) free(t.signature[m]);
    return err;
}
