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
    size_t width, metric_width;             /* of the names of systems and metrics, in a table */
    char *signature[PF_SYSTEMS_METRICS];
} report_state;

/* NAN (but for the score), 0 or NULL: not there. */
typedef struct {
    uint64_t sentence;
    const char *system, *metric, *signature;
    char *details;
    double score;
    pf_resampled resampled;
} score_row;

static bool is(const report_state *report, pf_report_format format) { return report->options->format == format; }
static bool has_intervals(const report_state *report) { return report->options->resampling.samples; }
static bool is_paired(const report_state *report) {
    return report->options->resampling.paired || report->options->resampling.trials;
}

/* ---- cells ---- */

enum { NUMBER = 9, P_DIGITS = 4 };

static pf_err put_text(const report_state *report, const char *words, size_t width, bool first) {
    size_t n = strlen(words);
    if (is(report, PF_REPORT_TABLE))
        return pf_writer_text(report->w, "%s%s%*s", first ? "" : "  ", words, (int)(n < width ? width - n : 0), "");
    if (!first) PF_TRY(pf_writer_text(report->w, "\t"));
    for (; *words; words++) PF_TRY(pf_writer_put(report->w, *words == '\t' || *words == '\n' ? " " : words, 1));
    return PF_OK;
}

static pf_err put_cell(const report_state *report, const char *words) {
    bool table = is(report, PF_REPORT_TABLE);
    return pf_writer_text(report->w, table ? "  %*s" : "\t%.*s", table ? NUMBER : 99, words);
}

/* Of a score: one that is not defined is said, and not left out. */
static pf_err put_score(const report_state *report, double value, unsigned digits) {
    char words[400] = "nan";
    if (!isnan(value)) snprintf(words, sizeof words, "%.*f", (int)digits, value);
    return put_cell(report, words);
}

static pf_err put_number(const report_state *report, double value, unsigned digits) {
    char words[400] = "-";
    if (!isnan(value)) snprintf(words, sizeof words, "%.*f", (int)digits, value);
    return put_cell(report, words);
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
static pf_err put_string(pf_writer *writer, const char *key, const char *words) {
    PF_TRY(pf_writer_text(writer, "\"%s\": \"", key));
    for (const unsigned char *at = (const unsigned char *)words; *at;) {
        size_t n = character(at);
        if (!n) PF_TRY(pf_writer_text(writer, "\\ufffd"));
        else if (*at < ' ' || *at == '"' || *at == '\\') PF_TRY(pf_writer_text(writer, "\\u%04x", *at));
        else PF_TRY(pf_writer_put(writer, at, n));
        at += n ? n : 1;
    }
    return pf_writer_text(writer, "\"");
}

static pf_err put_member(const report_state *report, const char *key, double value, unsigned digits) {
    return isnan(value) ? PF_OK : pf_writer_text(report->w, ", \"%s\": %.*f", key, (int)digits, value);
}

static pf_err put_object(const report_state *report, const score_row *row) {
    unsigned digits = report->options->digits;
    PF_TRY(pf_writer_text(report->w, "{"));
    if (row->sentence) PF_TRY(pf_writer_text(report->w, "\"sentence\": %llu, ", (unsigned long long)row->sentence));
    PF_TRY(put_string(report->w, "system", row->system));
    PF_TRY(pf_writer_text(report->w, ", "));
    PF_TRY(put_string(report->w, "metric", row->metric));
    if (isnan(row->score)) PF_TRY(pf_writer_text(report->w, ", \"score\": null"));
    PF_TRY(put_member(report, "score", row->score, digits));
    PF_TRY(put_member(report, "mean", row->resampled.interval.mean, digits));
    PF_TRY(put_member(report, "low", row->resampled.interval.low, digits));
    PF_TRY(put_member(report, "high", row->resampled.interval.high, digits));
    PF_TRY(put_member(report, "p", row->resampled.p_value, P_DIGITS));
    PF_TRY(put_member(report, "diff", row->resampled.difference, digits));
    PF_TRY(put_member(report, "diff-low", row->resampled.differences.low, digits));
    PF_TRY(put_member(report, "diff-high", row->resampled.differences.high, digits));
    PF_TRY(pf_writer_text(report->w, ", "));
    PF_TRY(put_string(report->w, "details", row->details));
    PF_TRY(pf_writer_text(report->w, ", "));
    PF_TRY(put_string(report->w, "signature", row->signature));
    return pf_writer_text(report->w, "}\n");
}

/* ---- rows ---- */

static pf_err put_heading(const report_state *report) {
    bool sentences = report->options->sentences;
    if (is(report, PF_REPORT_JSON)) return PF_OK;
    if (sentences) PF_TRY(put_text(report, "sentence", 8, true));
    PF_TRY(put_text(report, "system", report->width, !sentences));
    PF_TRY(put_text(report, "metric", report->metric_width, false));
    PF_TRY(put_cell(report, "score"));
    if (has_intervals(report)) PF_TRY(put_cell(report, "mean"));
    if (has_intervals(report)) PF_TRY(put_cell(report, "low"));
    if (has_intervals(report)) PF_TRY(put_cell(report, "high"));
    if (is_paired(report)) PF_TRY(put_cell(report, "p"));
    if (is_paired(report)) PF_TRY(put_cell(report, "diff"));
    if (report->options->resampling.paired) PF_TRY(put_cell(report, "diff-low"));
    if (report->options->resampling.paired) PF_TRY(put_cell(report, "diff-high"));
    PF_TRY(put_text(report, "details", 0, false));
    if (is(report, PF_REPORT_TSV)) PF_TRY(put_text(report, "signature", 0, false));
    return pf_writer_text(report->w, "\n");
}

static pf_err put_row(const report_state *report, const score_row *row) {
    const pf_interval *i = &row->resampled.interval;
    bool sentences = report->options->sentences;
    unsigned digits = report->options->digits;
    char sentence[24];
    if (is(report, PF_REPORT_JSON)) return put_object(report, row);
    snprintf(sentence, sizeof sentence, "%llu", (unsigned long long)row->sentence);
    if (sentences) PF_TRY(put_text(report, sentence, 8, true));
    PF_TRY(put_text(report, row->system, report->width, !sentences));
    PF_TRY(put_text(report, row->metric, report->metric_width, false));
    PF_TRY(put_score(report, row->score, digits));
    if (has_intervals(report)) PF_TRY(put_number(report, i->mean, digits));
    if (has_intervals(report)) PF_TRY(put_number(report, i->low, digits));
    if (has_intervals(report)) PF_TRY(put_number(report, i->high, digits));
    if (is_paired(report)) PF_TRY(put_number(report, row->resampled.p_value, P_DIGITS));
    if (is_paired(report)) PF_TRY(put_number(report, row->resampled.difference, digits));
    if (report->options->resampling.paired) PF_TRY(put_number(report, row->resampled.differences.low, digits));
    if (report->options->resampling.paired) PF_TRY(put_number(report, row->resampled.differences.high, digits));
    PF_TRY(put_text(report, row->details, 0, false));
    if (is(report, PF_REPORT_TSV)) PF_TRY(put_text(report, row->signature, 0, false));
    return pf_writer_text(report->w, "\n");
}

/* ---- what is in them ---- */

/* What a memory writer holds, as a string of the caller's. */
static pf_err take_string(pf_writer *writer, pf_err err, char **out) {
    size_t n;
    *out = NULL;
    if (!err) err = pf_writer_put(writer, "", 1);
    if (!err && !(*out = strdup((const char *)pf_writer_bytes(writer, &n)))) err = pf_nomem();
    pf_writer_free(writer);
    return err;
}

static pf_err make_signature(const report_state *report, unsigned metric, char **out) {
    pf_writer *writer;
    PF_TRY(pf_writer_memory(&writer));
    return take_string(writer,
        pf_systems_signature(report->systems, metric, &report->options->resampling, report->options->version, writer), out);
}

static pf_err put_scores(const report_state *report, size_t system, unsigned m, const double *sum, score_row *row) {
    const pf_metric *metric = &report->systems->metric[m];
    pf_writer *writer;
    row->system = report->systems->system.at[system].name;
    row->metric = metric->cls->title;
    row->signature = report->signature[m];
    row->score = row->sentence ? pf_metric_score_one(metric, sum) : pf_metric_score(metric, sum);
    PF_TRY(pf_writer_memory(&writer));
    PF_TRY(take_string(writer, metric->cls->details(metric, sum, writer), &row->details));
    pf_err err = put_row(report, row);
    free(row->details);
    return err;
}

static pf_err put_system(const report_state *report, size_t system, unsigned metric) {
    double sum[PF_METRIC_STATISTICS];
    score_row row = {0};
    PF_TRY(pf_systems_resample(report->systems, system, metric, &report->options->resampling, &row.resampled));
    pf_systems_sum(report->systems, system, metric, sum);
    return put_scores(report, system, metric, sum, &row);
}

static pf_err put_test_set(const report_state *report) {
    uint64_t rows = 0;
    for (unsigned metric = 0; metric < report->systems->metrics; metric++)
        for (size_t system = 0; system < report->systems->system.n; system++) {
            PF_TRY(put_system(report, system, metric));
            if (report->options->progress) report->options->progress(report->options->self, ++rows);
        }
    return PF_OK;
}

static pf_err put_sentences(const report_state *report) {
    for (size_t i = 0; i < report->systems->set.n; i++)
        for (size_t system = 0; system < report->systems->system.n; system++)
            for (unsigned metric = 0; metric < report->systems->metrics; metric++) {
                score_row row = {.sentence = i + 1, .resampled = PF_NOT_RESAMPLED};
                PF_TRY(put_scores(report, system, metric, pf_systems_segment(report->systems, system, metric, i), &row));
            }
    return PF_OK;
}

/* The first one is preceded by an empty line. */
static pf_err put_signatures(const report_state *report) {
    for (unsigned metric = 0; is(report, PF_REPORT_TABLE) && metric < report->systems->metrics; metric++)
        PF_TRY(pf_writer_text(report->w, "%s%s|%s\n", metric ? "" : "\n", report->systems->metric[metric].cls->title,
            report->signature[metric]));
    return PF_OK;
}

static pf_err put_all(report_state *report) {
    report->width = strlen("system");
    for (size_t k = 0; k < report->systems->system.n; k++)
        if (strlen(report->systems->system.at[k].name) > report->width)
            report->width = strlen(report->systems->system.at[k].name);
    report->metric_width = strlen("metric");
    for (unsigned metric = 0; metric < report->systems->metrics; metric++) {
        size_t width = strlen(report->systems->metric[metric].cls->title);
        if (width > report->metric_width) report->metric_width = width;
    }
    for (unsigned metric = 0; metric < report->systems->metrics; metric++)
        PF_TRY(make_signature(report, metric, &report->signature[metric]));
    PF_TRY(put_heading(report));
    PF_TRY(report->options->sentences ? put_sentences(report) : put_test_set(report));
    return put_signatures(report);
}

pf_err pf_systems_report(pf_systems *systems, const pf_report_options *options, pf_writer *writer) {
    report_state report = {.systems = systems, .options = options, .w = writer};
    assert(options->format < PF_REPORT_FORMATS);
    pf_err err = put_all(&report);
    for (unsigned metric = 0; metric < systems->metrics; metric++) free(report.signature[metric]);
    return err;
}
