/* A plot of a table: lines with tabs under a heading, as a sweep writes them. One column is the x axis, one the y axis, and each
 * value of a third one is a series. O(lines * values). */
#include "shell/shell_impl.h"

#include <permfst/draw/plot.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 64, NAMED_BYTES = 200 /* of the columns that a message names */ };

/* Column numbers; NONE: there is no such column. */
#define NONE SIZE_MAX

typedef struct {
    char *cell[MOST_COLUMNS];
    size_t n;
} table_line;

typedef struct {
    const pfi_command *command;
    pf_reader *reader;
    size_t x, y, series;
    size_t filter[MOST_COLUMNS]; /* of each word after the columns: the column of NAME=VALUE; NONE: it names the series */
    pfi_texts x_word, name;      /* the values of x and of the series, in the order in which they appear */
    bool x_numbers;              /* so far all of x are numbers */
    PF_VEC(pf_plot_point) point; /* `at` is a place in x_word */
    PF_VEC(size_t) of;           /* the series of each point */
} plot_table;

enum { WORD_TABLE = 1, WORD_PICTURE, WORD_X, WORD_Y, WORD_MORE };

static pf_err split(plot_table *table, char *line, table_line *out) {
    out->n = 0;
    for (char *at = line;; at++) {
        if (out->n == MOST_COLUMNS) return pf_reader_fail_line(table->reader, "expected at most %d columns", MOST_COLUMNS);
        out->cell[out->n++] = at;
        if (!(at = strchr(at, '\t'))) return PF_OK;
        *at = 0;
    }
}

static pf_err find_column(const plot_table *table, const table_line *heading, const char *name, size_t length, size_t *out) {
    for (*out = 0; *out < heading->n; ++*out)
        if (strlen(heading->cell[*out]) == length && memcmp(heading->cell[*out], name, length) == 0) return PF_OK;
    char there[NAMED_BYTES] = "";
    for (size_t i = 0, n = 0; i < heading->n && n < sizeof there; i++)
        n += (size_t)snprintf(there + n, sizeof there - n, "%s%s", i ? ", " : "", heading->cell[i]);
    return pf_reader_fail_line(table->reader, "expected a column '%.*s' in the heading, found %s", (int)length, name, there);
}

static pf_err read_heading(plot_table *table, char *line) {
    const char *const *word = table->command->word;
    table_line heading;
    PF_TRY(split(table, line, &heading));
    PF_TRY(find_column(table, &heading, word[WORD_X], strlen(word[WORD_X]), &table->x));
    PF_TRY(find_column(table, &heading, word[WORD_Y], strlen(word[WORD_Y]), &table->y));
    for (size_t i = WORD_MORE; i < table->command->n; i++) {
        const char *equals = strchr(word[i], '=');
        size_t column;
        if (i - WORD_MORE == MOST_COLUMNS) return pf_fail(PF_EARG, "plot: expected at most %d words", MOST_COLUMNS);
        PF_TRY(find_column(table, &heading, word[i], equals ? (size_t)(equals - word[i]) : strlen(word[i]), &column));
        table->filter[i - WORD_MORE] = equals ? column : NONE;
        if (!equals) table->series = column;
    }
    return PF_OK;
}

static pf_err place_of(pfi_texts *texts, const char *text, size_t *out) {
    for (*out = 0; *out < texts->n; ++*out)
        if (strcmp(texts->at[*out], text) == 0) return PF_OK;
    return pfi_texts_add(texts, text);
}

static bool is_number(const char *text, double *out) {
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out);
}

static bool is_wanted(const plot_table *table, const table_line *line) {
    for (size_t i = WORD_MORE; i < table->command->n; i++) {
        size_t column = table->filter[i - WORD_MORE];
        if (column != NONE && strcmp(line->cell[column], strchr(table->command->word[i], '=') + 1) != 0) return false;
    }
    return true;
}

static pf_err read_line(plot_table *table, char *text, size_t columns) {
    table_line line;
    size_t x, series = 0;
    double value, number;
    PF_TRY(split(table, text, &line));
    if (line.n != columns)
        return pf_reader_fail_line(table->reader, "expected %zu columns as in the heading, found %zu", columns, line.n);
    assert(table->x < line.n && table->y < line.n && (table->series == NONE || table->series < line.n));
    if (!is_wanted(table, &line)) return PF_OK;
    if (!is_number(line.cell[table->y], &value))
        return pf_reader_fail_line(table->reader, "expected a number as %s, found '%.100s'", table->command->word[WORD_Y],
                                   line.cell[table->y]);
    PF_TRY(place_of(&table->x_word, line.cell[table->x], &x));
    PF_TRY(place_of(&table->name, table->series == NONE ? table->command->word[WORD_Y] : line.cell[table->series], &series));
    table->x_numbers = table->x_numbers && is_number(line.cell[table->x], &number);
    pf_plot_point point = {(double)x, value, value, value};
    if (PF_PUSH(&table->point, point) || PF_PUSH(&table->of, series)) return pf_nomem();
    return PF_OK;
}

static pf_err read_table(plot_table *table) {
    char *line;
    size_t length, columns = 1;
    PF_TRY(pf_reader_line(table->reader, &line, &length));
    if (!line) return pf_reader_fail_line(table->reader, "expected a heading, found nothing");
    for (const char *at = line; (at = strchr(at, '\t')); at++) columns++;
    PF_TRY(read_heading(table, line));
    for (;;) {
        PF_TRY(pf_reader_line(table->reader, &line, &length));
        if (!line) return PF_OK;
        PF_TRY(read_line(table, line, columns));
    }
}

static pf_err fill(const plot_table *table, pf_plot *plot) {
    double number;
    assert(table->of.n == table->point.n);
    if (!table->x_numbers) {
        plot->x_words = (const char *const *)table->x_word.at;
        plot->n_words = table->x_word.n;
    }
    for (size_t i = 0; i < table->name.n; i++) {
        PF_TRY(pf_plot_series_add(plot, table->name.at[i], true));
        for (size_t k = 0; k < table->point.n; k++) {
            pf_plot_point point = table->point.at[k];
            if (table->of.at[k] != i) continue;
            if (table->x_numbers && is_number(table->x_word.at[(size_t)point.at], &number)) point.at = number;
            PF_TRY(pf_plot_point_add(plot, point));
        }
    }
    return PF_OK;
}

static pf_err write_plot(const plot_table *table, const char *path) {
    const char *const *word = table->command->word;
    pf_plot plot = {.title = "", .x_name = word[WORD_X], .y_name = word[WORD_Y]};
    pf_writer *writer = NULL;
    if (!table->point.n) return pf_fail(PF_EARG, "%s: no line of the table is plotted", word[WORD_TABLE]);
    pf_err err = fill(table, &plot);
    if (!err) err = pf_writer_open(path, &writer);
    if (!err) err = pf_draw_plots(writer, word[WORD_TABLE], &plot, 1);
    if (!err) err = pf_writer_close(writer);
    pf_writer_free(writer);
    pf_plot_free(&plot);
    return err;
}

/* plot TABLE PICTURE X Y [SERIES] [NAME=VALUE...] */
pf_err pfi_do_plot(pfi_command *command) {
    plot_table table = {.command = command, .series = NONE, .x_numbers = true};
    PF_TRY(pfi_shell_may_write(command->shell, command->word[WORD_PICTURE]));
    PF_TRY(pfi_shell_open(command->shell, command->word[WORD_TABLE], &table.reader));
    pf_err err = read_table(&table);
    if (!err) err = write_plot(&table, command->word[WORD_PICTURE]);
    PF_VEC_FREE(&table.point);
    PF_VEC_FREE(&table.of);
    pfi_texts_free(&table.x_word);
    pfi_texts_free(&table.name);
    pf_reader_free(table.reader);
    return err ? err : pfi_pipe_itself(command->shell, command);
}
