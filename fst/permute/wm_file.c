/* Reading tables of costs. */
#include <permfst/permute/wm_file.h>

#include <permfst/base/reader.h>
#include <permfst/base/vec.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pf_wm_file {
    const pf_wm_class *cls;
    pf_reader *reader;
    pf_symtab *words;     /* of a file of words: label i has row i-1 of `rows` */
    PF_VEC(double) rows;
    unsigned columns;
    uint64_t begun;       /* matrices */
    bool inside;          /* the last of them is not at its end */
};

static pf_err line_of(pf_wm_file *f, char **line) {
    size_t n;
    PF_TRY(pf_reader_line(f->reader, line, &n));
    if (*line && strlen(*line) != n) return pf_reader_fail_line(f->reader, "expected text, found a NUL byte");
    return PF_OK;
}

/* The next piece of a line between blanks, NUL-ended; NULL at the end. */
static char *field(char **at) {
    char *begin = *at + strspn(*at, " \t");
    if (!*begin) return NULL;
    *at = begin + strcspn(begin, " \t");
    if (**at) *(*at)++ = 0;
    return begin;
}

/* Appends the numbers of a line; *count is how many there were. */
static pf_err read_numbers(pf_wm_file *f, char *at, size_t *count) {
    *count = 0;
    for (char *number; (number = field(&at)); ++*count) {
        char *end;
        double x = strtod(number, &end);
        if (end == number || *end || !(fabs(x) <= (double)FLT_MAX)) /* an arc is to hold it */
            return pf_reader_fail_line(f->reader, "expected a finite number, found '%.40s'", number);
        PF_TRY(PF_PUSH(&f->rows, x));
    }
    return PF_OK;
}

static pf_err read_word(pf_wm_file *f, char *line) {
    size_t count, words = pf_symtab_count(f->words);
    pf_label label;
    char *word = field(&line);
    if (!word) return pf_reader_fail_line(f->reader, "expected a word and its costs, found an empty line");
    PF_TRY(pf_symtab_add(f->words, word, strlen(word), &label));
    if (pf_symtab_count(f->words) == words) return pf_reader_fail_line(f->reader, "the word '%.60s' has costs already", word);
    PF_TRY(read_numbers(f, line, &count));
    if (count == f->columns) return PF_OK;
    return pf_reader_fail_line(f->reader, "expected %u costs behind the word, found %zu", f->columns, count);
}

static pf_err read_words(pf_wm_file *f) {
    f->columns = f->cls->columns(0);
    PF_TRY(pf_symtab_new("words", &f->words));
    for (char *line;;) {
        PF_TRY(line_of(f, &line));
        if (!line) return PF_OK;
        PF_TRY(read_word(f, line));
    }
}

pf_err pf_wm_file_open(const char *spec, pf_wm_file **out) {
    const pf_wm_class *cls;
    *out = NULL;
    PF_TRY(pf_wm_check(spec));
    PF_TRY(pf_wm_class_of(spec, &cls));
    if (!cls->table) return PF_OK;
    pf_wm_file *f = calloc(1, sizeof *f);
    if (!f) return pf_nomem();
    f->cls = cls;
    pf_err err = pf_reader_open(strchr(spec, ':') + 1, &f->reader);
    if (!err && cls->table == PF_WM_WORDS) err = read_words(f);
    if (!err) *out = f;
    else pf_wm_file_free(f);
    return err;
}

void pf_wm_file_free(pf_wm_file *f) {
    if (!f) return;
    pf_reader_free(f->reader);
    pf_symtab_free(f->words);
    PF_VEC_FREE(&f->rows);
    free(f);
}

/* Lines up to an empty one or the end, into f->rows; *rows of *columns numbers. */
static pf_err read_block(pf_wm_file *f, size_t *rows, size_t *columns) {
    f->rows.n = 0;
    *rows = *columns = 0;
    f->begun++;
    f->inside = true;
    for (char *line;; ++*rows) {
        size_t count;
        PF_TRY(line_of(f, &line));
        if (!line && !*rows) return pf_reader_fail_line(f->reader, "expected the matrix of one more sentence, found the end");
        f->inside = line && line[strspn(line, " \t")];
        if (!f->inside) return PF_OK;
        PF_TRY(read_numbers(f, line, &count));
        if (!*rows) *columns = count;
        else if (count != *columns)
            return pf_reader_fail_line(f->reader, "row %zu of the matrix has %zu numbers, the first row %zu", *rows + 1, count,
                                       *columns);
    }
}

static pf_err next_matrix(pf_wm_file *f, unsigned n) {
    size_t rows, columns;
    PF_TRY(read_block(f, &rows, &columns));
    if (rows == n && (!n || columns == f->cls->columns(n))) return PF_OK;
    return pf_reader_fail_line(f->reader, "expected a matrix of %u x %u, for a sentence of %u words, found %zu x %zu", n,
                               f->cls->columns(n), n, rows, columns);
}

/* The row of the one word of slot j. */
static pf_err find_row(const pf_wm_file *f, const pf_input *in, const pf_symtab *words, unsigned j, const double **row) {
    const char *file = pf_reader_name(f->reader);
    size_t n = 0;
    if (in->first[j + 1] != in->first[j] + 1)
        return pf_fail(PF_EINPUT, "%s: the costs are those of a word, but position %u has alternatives", file, j + 1);
    const char *word = words ? pf_symtab_name(words, in->arc[in->first[j]].out, &n) : NULL;
    if (!word) return pf_fail(PF_EINPUT, "%s: position %u has no word: the sentence needs a symbol table", file, j + 1);
    pf_label label = pf_symtab_find(f->words, word, n);
    if (label == PF_NO_LABEL) label = pf_symtab_find(f->words, "<unk>", 5);
    if (label == PF_NO_LABEL)
        return pf_fail(PF_EINPUT, "%s: no costs for '%.60s', position %u, and none for <unk>", file, word, j + 1);
    *row = f->rows.at + (size_t)(label - 1) * f->columns;
    return PF_OK;
}

static pf_err words_to_matrix(const pf_wm_file *f, const pf_input *in, const pf_symtab *words, double *cost) {
    for (unsigned j = 0; j < in->n; j++) {
        const double *row = NULL;
        PF_TRY(find_row(f, in, words, j, &row));
        memcpy(cost + (size_t)j * f->columns, row, f->columns * sizeof *row);
    }
    return PF_OK;
}

pf_err pf_wm_file_next(pf_wm_file *f, const pf_input *in, const pf_symtab *words, double **cost, size_t *n) {
    bool matrix = f->cls->table == PF_WM_MATRIX;
    if (matrix) PF_TRY(next_matrix(f, in->n));
    *n = (size_t)in->n * f->cls->columns(in->n);
    *cost = malloc((*n + 1) * sizeof **cost);
    if (!*cost) return pf_nomem();
    pf_err err = PF_OK;
    if (!matrix) err = words_to_matrix(f, in, words, *cost);
    else if (*n) memcpy(*cost, f->rows.at, *n * sizeof **cost);
    if (!err) return PF_OK;
    free(*cost);
    *cost = NULL;
    return err;
}

pf_err pf_wm_file_skip(pf_wm_file *f, uint64_t n) {
    if (f->cls->table != PF_WM_MATRIX) return PF_OK;
    while (f->inside || f->begun < n) {
        char *line;
        size_t length;
        if (!f->inside) f->begun++;
        PF_TRY(pf_reader_line(f->reader, &line, &length));
        f->inside = line && line[strspn(line, " \t")];
    }
    return PF_OK;
}

pf_err pf_wm_file_end(pf_wm_file *f) {
    char *line;
    if (f->cls->table != PF_WM_MATRIX) return PF_OK;
    PF_TRY(line_of(f, &line));
    return line ? pf_reader_fail_line(f->reader, "expected the end, as every sentence has its matrix, found a line more") : PF_OK;
}
