/* Reading tables of costs: a matrix with each sentence, or all words at once. O(numbers). */
#include <permfst/permute/wm_file.h>

#include <permfst/base/vec.h>

#include <assert.h>
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
    uint64_t begun;       /* how many matrices */
    bool inside;          /* the last of these is not read to its end */
};

static pf_err line_of(pf_wm_file *file, char **line) {
    size_t n;
    PF_TRY(pf_reader_line(file->reader, line, &n));
    if (*line && strlen(*line) != n) return pf_reader_fail_line(file->reader, "expected text, found a NUL byte");
    return PF_OK;
}

/* Appends the numbers of a line; *count is how many there were. */
static pf_err read_numbers(pf_wm_file *file, char *at, size_t *count) {
    *count = 0;
    for (char *number; (number = pf_line_field(&at)); ++*count) {
        char *end;
        double value = strtod(number, &end);
        if (end == number || *end || !(fabs(value) <= (double)FLT_MAX)) /* an arc must hold it */
            return pf_reader_fail_line(file->reader, "expected a finite number, found '%.40s'", number);
        PF_TRY(PF_PUSH(&file->rows, value));
    }
    return PF_OK;
}

static pf_err read_word(pf_wm_file *file, char *line) {
    size_t count, words = pf_symtab_count(file->words);
    pf_label label;
    char *word = pf_line_field(&line);
    if (!word) return pf_reader_fail_line(file->reader, "expected a word and its costs, found an empty line");
    PF_TRY(pf_symtab_add(file->words, word, strlen(word), &label));
    if (pf_symtab_count(file->words) == words)
        return pf_reader_fail_line(file->reader, "the costs of the word '%.60s' are listed twice", word);
    PF_TRY(read_numbers(file, line, &count));
    if (count == file->columns) return PF_OK;
    return pf_reader_fail_line(file->reader, "expected %u costs after the word, found %zu", file->columns, count);
}

static pf_err read_words(pf_wm_file *file) {
    file->columns = file->cls->columns(0);
    PF_TRY(pf_symtab_new("words", &file->words));
    for (char *line;;) {
        PF_TRY(line_of(file, &line));
        if (!line) return PF_OK;
        PF_TRY(read_word(file, line));
    }
}

static pf_err class_of(const char *spec, const pf_wm_class **cls) {
    PF_TRY(pf_wm_check(spec));
    return pf_wm_class_of(spec, cls);
}

static pf_err file_new(const pf_wm_class *cls, pf_reader *reader, pf_wm_file **out) {
    pf_wm_file *file = calloc(1, sizeof *file);
    if (!file) {
        pf_reader_free(reader);
        return pf_nomem();
    }
    file->cls = cls;
    file->reader = reader;
    pf_err err = cls->table == PF_WM_WORDS ? read_words(file) : PF_OK;
    if (!err) *out = file;
    else pf_wm_file_free(file);
    return err;
}

static pf_err open_table(const char *spec, pf_reader **out) {
    double scale;
    const char *name = strchr(spec, ':') + 1;
    char *path = strndup(name, (size_t)(spec + pf_wm_scale_of(spec, &scale) - name));
    pf_err err = path ? pf_reader_open(path, out) : pf_nomem();
    free(path);
    return err;
}

pf_err pf_wm_file_read(const char *spec, pf_reader *reader, pf_wm_file **out) {
    const pf_wm_class *cls;
    *out = NULL;
    pf_err err = class_of(spec, &cls);
    if (!err) {
        assert(cls->table);
        return file_new(cls, reader, out);
    }
    pf_reader_free(reader);
    return err;
}

pf_err pf_wm_file_open(const char *spec, pf_wm_file **out) {
    const pf_wm_class *cls;
    pf_reader *reader;
    *out = NULL;
    PF_TRY(class_of(spec, &cls));
    if (!cls->table) return PF_OK;
    PF_TRY(open_table(spec, &reader));
    return pf_wm_file_read(spec, reader, out);
}

void pf_wm_file_free(pf_wm_file *file) {
    if (!file) return;
    pf_reader_free(file->reader);
    pf_symtab_free(file->words);
    PF_VEC_FREE(&file->rows);
    free(file);
}

/* Reads lines up to an empty one or the end into file->rows: *rows of *columns numbers. */
static pf_err read_block(pf_wm_file *file, size_t *rows, size_t *columns) {
    file->rows.n = 0;
    *rows = *columns = 0;
    file->begun++;
    file->inside = true;
    for (char *line;; ++*rows) {
        size_t count;
        PF_TRY(line_of(file, &line));
        if (!line && !*rows) return pf_reader_fail_line(file->reader, "expected the matrix of another sentence, found the end");
        file->inside = line && line[strspn(line, " \t")];
        if (!file->inside) return PF_OK;
        PF_TRY(read_numbers(file, line, &count));
        if (!*rows) *columns = count;
        else if (count != *columns)
            return pf_reader_fail_line(file->reader, "row %zu of the matrix has %zu numbers, but the first row has %zu",
                                       *rows + 1, count,
                                       *columns);
    }
}

static pf_err next_matrix(pf_wm_file *file, unsigned length) {
    size_t rows, columns;
    PF_TRY(read_block(file, &rows, &columns));
    if (rows == length && (!length || columns == file->cls->columns(length))) return PF_OK;
    return pf_reader_fail_line(file->reader, "expected a matrix of %u x %u, for a sentence of %u words, found %zu x %zu",
        length, file->cls->columns(length), length, rows, columns);
}

/* The row of the one word of slot j. */
static pf_err find_row(const pf_wm_file *file, const pf_input *input, const pf_symtab *words, unsigned position,
    const double **row) {
    const char *name = pf_reader_name(file->reader);
    size_t length = 0;
    if (input->first[position + 1] != input->first[position] + 1)
        return pf_fail(PF_EINPUT, "%s: the costs belong to words, but position %u has alternatives", name, position + 1);
    const char *word = words ? pf_symtab_name(words, input->arc[input->first[position]].out, &length) : NULL;
    if (!word)
        return pf_fail(PF_EINPUT, "%s: position %u has no word: the sentence needs a symbol table", name, position + 1);
    pf_label label = pf_symtab_find(file->words, word, length);
    if (label == PF_NO_LABEL) label = pf_symtab_find(file->words, "<unk>", 5);
    if (label == PF_NO_LABEL)
        return pf_fail(PF_EINPUT, "%s: there are no costs for '%.60s' at position %u, and none for <unk>", name, word,
            position + 1);
    assert((size_t)label * file->columns <= file->rows.n);
    *row = file->rows.at + (size_t)(label - 1) * file->columns;
    return PF_OK;
}

static pf_err words_to_matrix(const pf_wm_file *file, const pf_input *input, const pf_symtab *words, double *cost) {
    for (unsigned position = 0; position < input->n; position++) {
        const double *row = NULL;
        PF_TRY(find_row(file, input, words, position, &row));
        memcpy(cost + (size_t)position * file->columns, row, file->columns * sizeof *row);
    }
    return PF_OK;
}

pf_err pf_wm_file_next(pf_wm_file *file, const pf_input *input, const pf_symtab *words, double **cost, size_t *count) {
    bool matrix = file->cls->table == PF_WM_MATRIX;
    if (matrix) PF_TRY(next_matrix(file, input->n));
    *count = (size_t)input->n * file->cls->columns(input->n);
    *cost = malloc((*count + 1) * sizeof **cost);
    if (!*cost) return pf_nomem();
    pf_err err = PF_OK;
    if (!matrix) err = words_to_matrix(file, input, words, *cost);
    else if (*count) memcpy(*cost, file->rows.at, *count * sizeof **cost);
    if (!err) return PF_OK;
    free(*cost);
    *cost = NULL;
    return err;
}

pf_err pf_wm_file_skip(pf_wm_file *file, uint64_t count) {
    if (file->cls->table != PF_WM_MATRIX) return PF_OK;
    while (file->inside || file->begun < count) {
        char *line;
        size_t length;
        if (!file->inside) file->begun++;
        PF_TRY(pf_reader_line(file->reader, &line, &length));
        file->inside = line && line[strspn(line, " \t")];
    }
    return PF_OK;
}

pf_err pf_wm_file_end(pf_wm_file *file) {
    char *line;
    if (file->cls->table != PF_WM_MATRIX) return PF_OK;
    PF_TRY(line_of(file, &line));
    if (!line) return PF_OK;
    return pf_reader_fail_line(file->reader, "expected the end, since every sentence has its matrix, found another line");
}
