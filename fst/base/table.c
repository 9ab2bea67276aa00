/* Each cell is written when it is given: the separator before it, its name in JSON, and the end of the line after the last. */
#include <permfst/base/table.h>

#include "base/utf8.h"

#include <permfst/base/digits.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REAL_BYTES = 400 }; /* of a double with up to 15 digits after the point */

const char *const pf_table_formats[] = {"table", "tsv", "json", NULL};

void pf_table_free(pf_table *table) { PF_VEC_FREE(&table->added); }

pf_err pf_table_column(pf_table *table, const char *name, int width) {
    assert(table->n == table->added.n);
    PF_TRY(PF_PUSH(&table->added, ((pf_table_heading_cell){name, width})));
    table->column = table->added.at;
    table->n = table->added.n;
    return PF_OK;
}

bool pf_table_has(const pf_table *table, const char *name) {
    for (size_t i = 0; i < table->n; i++)
        if (strcmp(table->column[i].name, name) == 0) return true;
    return false;
}

/* A tab would end its cell; a line end, or what some readers take for one, its line. */
static pf_err put_on_one_line(pf_writer *writer, const char *words) {
    for (;; words++) {
        size_t n = strcspn(words, "\t\n\r");
        PF_TRY(pf_writer_put(writer, words, n));
        if (!*(words += n)) return PF_OK;
        PF_TRY(pf_writer_put(writer, " ", 1));
    }
}

/* ---- for people ---- */

static pf_err put_padded(const pf_table_line *line, const char *words) {
    int width = line->table->column[line->at].width, n = (int)strlen(words);
    int pad = abs(width) > n ? abs(width) - n : 0;
    PF_TRY(pf_writer_text(line->writer, "%s%*s", line->at ? "  " : "", width < 0 ? pad : 0, ""));
    PF_TRY(put_on_one_line(line->writer, words));
    return pf_writer_text(line->writer, "%*s", width < 0 ? 0 : pad, "");
}

/* ---- lines with tabs ---- */

static pf_err put_field(const pf_table_line *line, const char *words) {
    if (line->at) PF_TRY(pf_writer_put(line->writer, "\t", 1));
    return put_on_one_line(line->writer, words);
}

/* ---- JSON ---- */

static pf_err put_string(pf_writer *writer, const char *words) {
    PF_TRY(pf_writer_put(writer, "\"", 1));
    for (const char *at = words, *end = words + strlen(words); at < end;) {
        uint32_t code;
        size_t length = pfi_utf8(at, (size_t)(end - at), &code);
        if (!length) PF_TRY(pf_writer_text(writer, "\\ufffd"));
        else if (code < ' ' || code == '"' || code == '\\') PF_TRY(pf_writer_text(writer, "\\u%04x", (unsigned)code));
        else PF_TRY(pf_writer_put(writer, at, length));
        at += length ? length : 1;
    }
    return pf_writer_put(writer, "\"", 1);
}

static pf_err put_name(pf_table_line *line) {
    PF_TRY(pf_writer_text(line->writer, line->named ? ", " : "{"));
    line->named = true;
    PF_TRY(put_string(line->writer, line->table->column[line->at].name));
    return pf_writer_text(line->writer, ": ");
}

/* ---- cells ---- */

static pf_err end_cell(pf_table_line *line) {
    bool json = line->table->format == PF_TABLE_JSON;
    if (++line->at < line->table->n) return PF_OK;
    return pf_writer_text(line->writer, !json ? "\n" : line->named ? "}\n" : "{}\n");
}

/* `json` is what JSON has in the place of `words`; NULL: no member. */
static pf_err put_cell(pf_table_line *line, const char *words, const char *json) {
    assert(line->at < line->table->n);
    switch (line->table->format) {
    case PF_TABLE_PADDED: PF_TRY(put_padded(line, words)); break;
    case PF_TABLE_TSV: PF_TRY(put_field(line, words)); break;
    default:
        if (json) PF_TRY(put_name(line));
        if (json) PF_TRY(pf_writer_text(line->writer, "%s", json));
    }
    return end_cell(line);
}

pf_err pf_table_heading(const pf_table *table, pf_writer *writer) {
    pf_table_line line = pf_table_begin(table, writer);
    for (size_t i = 0; table->format != PF_TABLE_JSON && i < table->n; i++)
        PF_TRY(put_cell(&line, table->column[i].name, NULL));
    return PF_OK;
}

pf_table_line pf_table_begin(const pf_table *table, pf_writer *writer) {
    assert(table->n && table->format < PF_TABLE_FORMATS);
    return (pf_table_line){table, writer, 0, false};
}

pf_err pf_cell_text(pf_table_line *line, const char *words) {
    if (line->table->format != PF_TABLE_JSON) return put_cell(line, words, NULL);
    PF_TRY(put_name(line));
    PF_TRY(put_string(line->writer, words));
    return end_cell(line);
}

pf_err pf_cell_digits(pf_table_line *line, const char *digits) { return put_cell(line, digits, digits); }

pf_err pf_cell_list(pf_table_line *line, const char *numbers) {
    if (line->table->format != PF_TABLE_JSON) return put_cell(line, numbers, NULL);
    PF_TRY(put_name(line));
    PF_TRY(pf_writer_put(line->writer, "[", 1));
    for (; *numbers; numbers++)
        PF_TRY(*numbers == ' ' ? pf_writer_text(line->writer, ", ") : pf_writer_put(line->writer, numbers, 1));
    PF_TRY(pf_writer_put(line->writer, "]", 1));
    return end_cell(line);
}

pf_err pf_cell_whole(pf_table_line *line, uint64_t number) {
    char digits[PF_DIGITS + 1];
    digits[pf_digits_write(number, digits)] = 0;
    return pf_cell_digits(line, digits);
}

pf_err pf_cell_real(pf_table_line *line, double number, unsigned digits) {
    char words[REAL_BYTES];
    snprintf(words, sizeof words, "%.*f", (int)digits, number);
    if (isnan(number)) return pf_cell_unknown(line, "nan");
    return isinf(number) ? pf_cell_unknown(line, number < 0 ? "-Infinity" : "Infinity") : pf_cell_digits(line, words);
}

pf_err pf_cell_truth(pf_table_line *line, bool truth) { return put_cell(line, truth ? "yes" : "no", truth ? "true" : "false"); }

pf_err pf_cell_unknown(pf_table_line *line, const char *words) { return put_cell(line, words, "null"); }

pf_err pf_cell_nothing(pf_table_line *line) { return put_cell(line, "-", NULL); }
