/* Lines of cells under named columns: padded for people, separated by tabs, or a JSON object on each line.
 *
 *   pf_table table = {.format = PF_TABLE_TSV};
 *   pf_table_column(&table, "words", 5); pf_table_column(&table, "cost", -9);
 *   pf_table_heading(&table, writer);
 *   pf_table_line line = pf_table_begin(&table, writer);
 *   pf_cell_text(&line, "a b"); pf_cell_real(&line, 0.5, 6);
 *
 * A line has a cell for each column, in their order, and ends with the last one. Nothing is kept of it, so a table may have any
 * number of lines; when it has its columns, any number of threads may write lines of it. Cells: O(bytes), and the errors of the
 * writer. */
#ifndef PF_BASE_TABLE_H
#define PF_BASE_TABLE_H

#include <permfst/base/vec.h>
#include <permfst/base/writer.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PF_TABLE_PADDED, PF_TABLE_TSV, PF_TABLE_JSON, PF_TABLE_FORMATS } pf_table_format;
extern const char *const pf_table_formats[]; /* "table", "tsv", "json", NULL */

typedef struct {
    const char *name; /* borrowed */
    int width;        /* padded: of its cells at least; negative: they stand at the right */
} pf_table_heading_cell;

typedef struct {
    pf_table_format format;
    const pf_table_heading_cell *column;
    size_t n;                            /* columns */
    PF_VEC(pf_table_heading_cell) added; /* all of them, where pf_table_column has added them */
} pf_table; /* without columns: {.format = F} */

/* A table of columns that never change, an array that outlives it: it is not freed, and no column is added. */
#define PF_TABLE_OF(COLUMNS, FORMAT) ((pf_table){.format = FORMAT, .column = COLUMNS, .n = sizeof (COLUMNS) / sizeof *(COLUMNS)})

void pf_table_free(pf_table *table); /* what it has */

/* Adds a column. JSON needs different names, or reads the last of those that are the same. PF_ENOMEM. */
pf_err pf_table_column(pf_table *table, const char *name, int width);

/* Is there a column of this name? */
bool pf_table_has(const pf_table *table, const char *name);

/* The names of the columns; nothing for JSON, whose objects have them. */
pf_err pf_table_heading(const pf_table *table, pf_writer *writer);

typedef struct {
    const pf_table *table;
    pf_writer *writer;
    size_t at;  /* the column of the next cell */
    bool named; /* JSON: the object has a member */
} pf_table_line;

pf_table_line pf_table_begin(const pf_table *table, pf_writer *writer);

/* Text: tabs and line ends are blanks, but not in JSON, where bytes that are not UTF-8 are U+FFFD. */
pf_err pf_cell_text(pf_table_line *line, const char *words);
/* A number as JSON writes it, of any length; numbers with blanks between them, a list in JSON. */
pf_err pf_cell_digits(pf_table_line *line, const char *digits);
pf_err pf_cell_list(pf_table_line *line, const char *numbers);
pf_err pf_cell_whole(pf_table_line *line, uint64_t number);
/* A number with `digits` digits after the point; null in JSON if it is not finite. */
pf_err pf_cell_real(pf_table_line *line, double number, unsigned digits);
/* yes or no; true or false in JSON. */
pf_err pf_cell_truth(pf_table_line *line, bool truth);
/* What is not known: `words`; null in JSON. */
pf_err pf_cell_unknown(pf_table_line *line, const char *words);
/* What this line does not have: "-"; in JSON there is no such member. */
pf_err pf_cell_nothing(pf_table_line *line);

#ifdef __cplusplus
}
#endif
#endif
