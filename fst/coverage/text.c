/* The table for people, and as tab-separated lines. */
#include <permfst/coverage/table.h>

#include <permfst/base/digits.h>

#include "coverage/coverage_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

static const char *const directions[PF_DIRECTIONS] = {"source to target", "target to source"};
const char *const pfi_coverage_directions[PF_DIRECTIONS] = {"source-target", "target-source"};

static unsigned last_of(const pf_coverage_table *table, size_t row, unsigned most) {
    unsigned enough = pf_coverage_enough(table, row);
    return !table->row.at[row].numbered ? 0 : enough < most ? enough : most;
}

static bool asked(const pf_coverage_table *table, unsigned direction) {
    for (size_t row = 0; row < table->row.n; row++)
        if (table->row.at[row].asked[direction]) return true;
    return false;
}

/* ---- text ---- */

static pf_err put_share(const pf_coverage_table *table, size_t bin, size_t row, unsigned direction, unsigned param,
                        pf_writer *writer) {
    double pairs = (double)table->pairs.at[bin], low, high;
    if (!table->row.at[row].asked[direction]) return pf_writer_text(writer, "   %21s", "-");
    const pf_coverage_cell *cell = pf_coverage_table_cell(table, bin, row, direction);
    uint64_t reached = pf_coverage_reached(cell, param);
    pf_coverage_interval(reached, table->pairs.at[bin], &low, &high);
    if (cell->undecided) return pf_writer_text(writer, "  >=%5.2f  %13s", 100 * (double)reached / pairs, "undecided");
    return pf_writer_text(writer, "   %6.2f  %6.2f-%6.2f", 100 * (double)reached / pairs, 100 * low, 100 * high);
}

static pf_err put_line(const pf_coverage_table *table, size_t bin, size_t row, unsigned param, pf_writer *writer) {
    char name[80];
    if (table->row.at[row].numbered) snprintf(name, sizeof name, "%s:%u", table->row.at[row].name, param);
    PF_TRY(pf_writer_text(writer, "%-20s", table->row.at[row].numbered ? name : table->row.at[row].name));
    for (unsigned direction = 0; direction < PF_DIRECTIONS; direction++)
        if (asked(table, direction)) PF_TRY(put_share(table, bin, row, direction, param, writer));
    return pf_writer_text(writer, "\n");
}

static pf_err put_directions(const pf_coverage_table *table, pf_writer *writer) {
    PF_TRY(pf_writer_text(writer, "%-20s", ""));
    for (unsigned direction = 0; direction < PF_DIRECTIONS; direction++)
        if (asked(table, direction)) PF_TRY(pf_writer_text(writer, "   %21s", directions[direction]));
    return pf_writer_text(writer, "\n");
}

static pf_err put_bin(const pf_coverage_table *table, size_t bin, unsigned most, pf_writer *writer) {
    const uint64_t pairs = table->pairs.at[bin];
    char words[80];
    pf_coverage_table_label(table, bin, words, sizeof words);
    PF_TRY(pf_writer_text(writer, "%s%s: %" PRIu64 " pair%s\n", bin ? "\n" : "", words, pairs, pf_plural(pairs)));
    if (!pairs) return PF_OK;
    PF_TRY(put_directions(table, writer));
    for (size_t row = 0; row < table->row.n; row++)
        for (unsigned k = table->row.at[row].lowest; k <= last_of(table, row, most); k++)
            PF_TRY(put_line(table, bin, row, k, writer));
    return PF_OK;
}

static pf_err put_text(const pf_coverage_table *table, unsigned most, pf_writer *writer) {
    for (size_t bin = 0; bin < pf_coverage_table_bins(table); bin++)
        PF_TRY(put_bin(table, bin, most ? most : PF_COVERAGE_MOST, writer));
    return PF_OK;
}

/* ---- lines ---- */

static pf_err put_figure(const pf_coverage_table *table, size_t bin, size_t row, unsigned direction, unsigned param,
                         pf_table_line *line) {
    const pf_coverage_cell *cell = pf_coverage_table_cell(table, bin, row, direction);
    uint64_t reached = pf_coverage_reached(cell, param), pairs = table->pairs.at[bin];
    double share[3] = {(double)reached / (double)pairs};
    char label[80];
    pf_coverage_table_label(table, bin, label, sizeof label);
    pf_coverage_interval(reached, pairs, &share[1], &share[2]);
    PF_TRY(pf_cell_text(line, label));
    PF_TRY(pf_cell_text(line, pfi_coverage_directions[direction]));
    PF_TRY(pf_cell_text(line, table->row.at[row].name));
    PF_TRY(table->row.at[row].numbered ? pf_cell_whole(line, param) : pf_cell_nothing(line));
    PF_TRY(pf_cell_whole(line, pairs));
    PF_TRY(pf_cell_whole(line, reached));
    PF_TRY(pf_cell_whole(line, cell->undecided));
    for (int i = 0; i < 3; i++) PF_TRY(pairs ? pf_cell_real(line, share[i], 6) : pf_cell_nothing(line));
    return PF_OK;
}

static pf_err put_lines(const pf_coverage_table *table, unsigned most, pf_table_format format, pf_writer *writer) {
    static const pf_table_heading_cell columns[] = {
        {"lengths", 11}, {"direction", 13}, {"constraint", 20}, {"parameter", -9}, {"pairs", -8},
        {"reached", -8}, {"undecided", -9}, {"share", -8}, {"low", -8}, {"high", -8}};
    const pf_table figures = PF_TABLE_OF(columns, format);
    PF_TRY(pf_table_heading(&figures, writer));
    for (size_t bin = 0; bin < pf_coverage_table_bins(table); bin++)
        for (unsigned direction = 0; direction < PF_DIRECTIONS; direction++)
            for (size_t row = 0; row < table->row.n; row++)
                for (unsigned k = table->row.at[row].lowest; table->row.at[row].asked[direction] &&
                     k <= last_of(table, row, most ? most : UINT_MAX); k++) {
                    pf_table_line line = pf_table_begin(&figures, writer);
                    PF_TRY(put_figure(table, bin, row, direction, k, &line));
                }
    return PF_OK;
}

pf_err pf_coverage_table_write(const pf_coverage_table *table, unsigned most, pf_table_format format, pf_writer *writer) {
    return format == PF_TABLE_PADDED ? put_text(table, most, writer) : put_lines(table, most, format, writer);
}
