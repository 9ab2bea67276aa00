/* A line of a table (base/table.h) for each system and metric. */
#include <permfst/metric/report.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pf_systems *systems;
    const pf_report_options *options;
    pf_writer *writer;
    pf_table table;
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

static bool is(const report_state *report, pf_table_format format) { return report->options->format == format; }
static bool has_intervals(const report_state *report) { return report->options->resampling.samples; }
static bool is_paired(const report_state *report) {
    return report->options->resampling.paired || report->options->resampling.trials;
}

/* ---- columns ---- */

enum { NUMBER = -9, P_DIGITS = 4 };

static int wider(int width, const char *name) { return (int)strlen(name) > width ? (int)strlen(name) : width; }

static pf_err add_names(report_state *report) {
    int system = (int)strlen("system"), metric = (int)strlen("metric");
    const pf_systems *systems = report->systems;
    for (size_t k = 0; k < systems->system.n; k++) system = wider(system, systems->system.at[k].name);
    for (unsigned k = 0; k < systems->metrics; k++) metric = wider(metric, systems->metric[k].cls->title);
    if (report->options->sentences) PF_TRY(pf_table_column(&report->table, "sentence", 8));
    PF_TRY(pf_table_column(&report->table, "system", system));
    return pf_table_column(&report->table, "metric", metric);
}

static pf_err add_columns(report_state *report) {
    static const char *const of_interval[] = {"mean", "low", "high"}, *const of_pair[] = {"p", "diff", "diff-low", "diff-high"};
    size_t pairs = is_paired(report) ? report->options->resampling.paired ? 4 : 2 : 0;
    PF_TRY(add_names(report));
    PF_TRY(pf_table_column(&report->table, "score", NUMBER));
    for (size_t i = 0; has_intervals(report) && i < 3; i++) PF_TRY(pf_table_column(&report->table, of_interval[i], NUMBER));
    for (size_t i = 0; i < pairs; i++) PF_TRY(pf_table_column(&report->table, of_pair[i], NUMBER));
    PF_TRY(pf_table_column(&report->table, "details", 0));
    return is(report, PF_TABLE_PADDED) ? PF_OK : pf_table_column(&report->table, "signature", 0);
}

/* ---- lines ---- */

/* A system is not compared with itself. All objects of JSON have the same names. */
static pf_err put_number(pf_table_line *line, double value, unsigned digits) {
    return isnan(value) ? pf_cell_unknown(line, "-") : pf_cell_real(line, value, digits);
}

static pf_err put_resampled(const report_state *report, const pf_resampled *resampled, pf_table_line *line) {
    unsigned digits = report->options->digits;
    if (has_intervals(report)) PF_TRY(put_number(line, resampled->interval.mean, digits));
    if (has_intervals(report)) PF_TRY(put_number(line, resampled->interval.low, digits));
    if (has_intervals(report)) PF_TRY(put_number(line, resampled->interval.high, digits));
    if (!is_paired(report)) return PF_OK;
    PF_TRY(put_number(line, resampled->p_value, P_DIGITS));
    PF_TRY(put_number(line, resampled->difference, digits));
    if (!report->options->resampling.paired) return PF_OK;
    PF_TRY(put_number(line, resampled->differences.low, digits));
    return put_number(line, resampled->differences.high, digits);
}

static pf_err put_row(const report_state *report, const score_row *row) {
    pf_table_line line = pf_table_begin(&report->table, report->writer);
    if (report->options->sentences) PF_TRY(pf_cell_whole(&line, row->sentence));
    PF_TRY(pf_cell_text(&line, row->system));
    PF_TRY(pf_cell_text(&line, row->metric));
    PF_TRY(pf_cell_real(&line, row->score, report->options->digits));
    PF_TRY(put_resampled(report, &row->resampled, &line));
    PF_TRY(pf_cell_text(&line, row->details));
    return is(report, PF_TABLE_PADDED) ? PF_OK : pf_cell_text(&line, row->signature);
}

/* ---- what is in them ---- */

/* What a memory writer holds, as a string of the caller's. */
static pf_err take_string(pf_writer *writer, pf_err err, char **out) {
    size_t length;
    *out = NULL;
    if (!err) err = pf_writer_put(writer, "", 1);
    if (!err && !(*out = strdup((const char *)pf_writer_bytes(writer, &length)))) err = pf_nomem();
    pf_writer_free(writer);
    return err;
}

static pf_err make_signature(const report_state *report, unsigned metric, char **out) {
    pf_writer *writer;
    PF_TRY(pf_writer_memory(&writer));
    return take_string(writer,
        pf_systems_signature(report->systems, metric, &report->options->resampling, report->options->version, writer), out);
}

static pf_err put_scores(const report_state *report, size_t system, unsigned place, const double *sum, score_row *row) {
    const pf_metric *metric = &report->systems->metric[place];
    pf_writer *writer;
    row->system = report->systems->system.at[system].name;
    row->metric = metric->cls->title;
    row->signature = report->signature[place];
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
    for (size_t segment = 0; segment < report->systems->set.n; segment++)
        for (size_t system = 0; system < report->systems->system.n; system++)
            for (unsigned metric = 0; metric < report->systems->metrics; metric++) {
                score_row row = {.sentence = pf_testset_number(&report->systems->set, segment), .resampled = PF_NOT_RESAMPLED};
                PF_TRY(put_scores(report, system, metric, pf_systems_segment(report->systems, system, metric, segment), &row));
            }
    return PF_OK;
}

/* The first one is preceded by an empty line. */
static pf_err put_signatures(const report_state *report) {
    for (unsigned metric = 0; is(report, PF_TABLE_PADDED) && metric < report->systems->metrics; metric++)
        PF_TRY(pf_writer_text(report->writer, "%s%s|%s\n", metric ? "" : "\n", report->systems->metric[metric].cls->title,
            report->signature[metric]));
    return PF_OK;
}

static pf_err put_all(report_state *report) {
    for (unsigned metric = 0; metric < report->systems->metrics; metric++)
        PF_TRY(make_signature(report, metric, &report->signature[metric]));
    PF_TRY(add_columns(report));
    PF_TRY(pf_table_heading(&report->table, report->writer));
    PF_TRY(report->options->sentences ? put_sentences(report) : put_test_set(report));
    return put_signatures(report);
}

pf_err pf_systems_report(pf_systems *systems, const pf_report_options *options, pf_writer *writer) {
    report_state report = {.systems = systems, .options = options, .writer = writer, .table = {.format = options->format}};
    assert(options->format < PF_TABLE_FORMATS);
    pf_err err = put_all(&report);
    for (unsigned metric = 0; metric < systems->metrics; metric++) free(report.signature[metric]);
    pf_table_free(&report.table);
    return err;
}
