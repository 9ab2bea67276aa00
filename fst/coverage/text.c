/* The table for people, and as tab-separated lines. */
#include <permfst/coverage/table.h>

#include "coverage/coverage_impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *const directions[PF_DIRECTIONS] = {"source to target", "target to source"};
const char *const pfi_coverage_directions[PF_DIRECTIONS] = {"source-target", "target-source"};

static unsigned last_of(const pf_coverage_table *t, size_t row, unsigned most) {
    unsigned enough = pf_coverage_enough(t, row);
    return !t->row.at[row].numbered ? 0 : enough < most ? enough : most;
}

static bool asked(const pf_coverage_table *t, unsigned direction) {
    for (size_t row = 0; row < t->row.n; row++)
        if (t->row.at[row].asked[direction]) return true;
    return false;
}

/* ---- text ---- */

static pf_err put_share(const pf_coverage_table *t, size_t bin, size_t row, unsigned d, unsigned param, pf_writer *w) {
    double n = (double)t->pairs.at[bin], low, high;
    if (!t->row.at[row].asked[d]) return pf_writer_text(w, "   %21s", "-");
    const pf_coverage_cell *cell = pf_coverage_table_cell(t, bin, row, d);
    uint64_t reached = pf_coverage_reached(cell, param);
    pf_coverage_interval(reached, t->pairs.at[bin], &low, &high);
    if (cell->undecided) return pf_writer_text(w, "  >=%5.2f  %13s", 100 * (double)reached / n, "undecided");
    return pf_writer_text(w, "   %6.2f  %6.2f-%6.2f", 100 * (double)reached / n, 100 * low, 100 * high);
}

static pf_err put_line(const pf_coverage_table *t, size_t bin, size_t row, unsigned param, pf_writer *w) {
    char name[80];
    if (t->row.at[row].numbered) snprintf(name, sizeof name, "%s:%u", t->row.at[row].name, param);
    PF_TRY(pf_writer_text(w, "%-20s", t->row.at[row].numbered ? name : t->row.at[row].name));
    for (unsigned d = 0; d < PF_DIRECTIONS; d++)
        if (asked(t, d)) PF_TRY(put_share(t, bin, row, d, param, w));
    return pf_writer_text(w, "\n");
}

static pf_err put_directions(const pf_coverage_table *t, pf_writer *w) {
    PF_TRY(pf_writer_text(w, "%-20s", ""));
    for (unsigned d = 0; d < PF_DIRECTIONS; d++)
        if (asked(t, d)) PF_TRY(pf_writer_text(w, "   %21s", directions[d]));
    return pf_writer_text(w, "\n");
}

static pf_err put_bin(const pf_coverage_table *t, size_t bin, unsigned most, pf_writer *w) {
    char words[80];
    pf_coverage_table_label(t, bin, words, sizeof words);
    PF_TRY(pf_writer_text(w, "%s%s: %" PRIu64 " pairs\n", bin ? "\n" : "", words, t->pairs.at[bin]));
    if (!t->pairs.at[bin]) return PF_OK;
    PF_TRY(put_directions(t, w));
    for (size_t row = 0; row < t->row.n; row++)
        for (unsigned k = t->row.at[row].lowest; k <= last_of(t, row, most); k++) PF_TRY(put_line(t, bin, row, k, w));
    return PF_OK;
}

pf_err pf_coverage_table_text(const pf_coverage_table *t, unsigned most, pf_writer *w) {
    for (size_t bin = 0; bin < pf_coverage_table_bins(t); bin++) PF_TRY(put_bin(t, bin, most, w));
    return PF_OK;
}

/* ---- tab-separated ---- */

/* A specification may have tabs and line ends. */
static pf_err put_name(const char *name, pf_writer *w) {
    for (; *name; name++) PF_TRY(pf_writer_put(w, *name == '\t' || *name == '\n' ? " " : name, 1));
    return PF_OK;
}

static pf_err put_fields(const pf_coverage_table *t, size_t bin, size_t row, unsigned d, unsigned param, pf_writer *w) {
    const pf_coverage_cell *cell = pf_coverage_table_cell(t, bin, row, d);
    uint64_t reached = pf_coverage_reached(cell, param), pairs = t->pairs.at[bin];
    double low, high;
    char number[16] = "-", label[80];
    pf_coverage_table_label(t, bin, label, sizeof label);
    pf_coverage_interval(reached, pairs, &low, &high);
    if (t->row.at[row].numbered) snprintf(number, sizeof number, "%u", param);
    PF_TRY(pf_writer_text(w, "%s\t%s\t", label, pfi_coverage_directions[d]));
    PF_TRY(put_name(t->row.at[row].name, w));
    PF_TRY(pf_writer_text(w, "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, number, pairs, reached, cell->undecided));
    if (!pairs) return pf_writer_text(w, "\t-\t-\t-\n");
    return pf_writer_text(w, "\t%.6f\t%.6f\t%.6f\n", (double)reached / (double)pairs, low, high);
}

pf_err pf_coverage_table_tsv(const pf_coverage_table *t, unsigned most, pf_writer *w) {
    PF_TRY(pf_writer_text(w, "lengths\tdirection\tconstraint\tparameter\tpairs\treached\tundecided\tshare\tlow\thigh\n"));
    for (size_t bin = 0; bin < pf_coverage_table_bins(t); bin++)
        for (unsigned d = 0; d < PF_DIRECTIONS; d++)
            for (size_t row = 0; row < t->row.n; row++)
                for (unsigned k = t->row.at[row].lowest; t->row.at[row].asked[d] && k <= last_of(t, row, most); k++)
                    PF_TRY(put_fields(t, bin, row, d, k, w));
    return PF_OK;
}
