/* AT&T text: one line an arc or a final state, columns separated by tabs and spaces. What fstcompile takes in silence
 * (labels cut to 32 bits, lines dropped for their length) is an error here. O(text). */
#include <permfst/io/text.h>

#include <permfst/base/digits.h>
#include <permfst/base/statetab.h>
#include <permfst/io/bin.h>
#include <permfst/io/header.h>
#include "io/io_impl.h"
#include <permfst/machine/build.h>

#include <assert.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 5, SHOWN = 80 };

/* With keep_numbering, how far ids may run ahead of the lines: memory must grow with what comes. */
#define STATE_LEAD UINT64_C(1000000)

typedef struct {
    char *at; /* NUL-ended */
    size_t n;
} text_column;

typedef struct {
    pf_reader *reader;
    const pf_text_options *options;
    pf_build build;
    pf_statetab ids; /* state numbers of the text, by order of first appearance */
    uint64_t lines;
    pf_state start;
} text_input;

static bool is_gap(char c) { return c == ' ' || c == '\t' || c == '\r'; } /* a CR stands at the end, if anywhere */

/* Cuts a line into columns, in place; COLUMNS + 1 says too many. */
static unsigned split(char *line, text_column *col) {
    unsigned count = 0;
    for (char *at = line;;) {
        while (is_gap(*at)) at++;
        if (!*at) return count;
        if (count == COLUMNS) return COLUMNS + 1;
        col[count].at = at;
        while (*at && !is_gap(*at)) at++;
        col[count].n = (size_t)(at - col[count].at);
        count++;
        if (*at) *at++ = 0;
    }
}

static pf_err bad_column(pf_reader *reader, const char *what, const text_column *column) {
    char shown[SHOWN];
    return pf_reader_fail_line(reader, "expected %s, found '%s'", what,
        pfi_printable(column->at, column->n, shown, sizeof shown));
}

/* A whole number of 0..INT32_MAX. */
static bool number(const text_column *column, uint32_t *to) {
    uint64_t value;
    if (!pf_digits(column->at, column->n, &value) || value > INT32_MAX) return false;
    *to = (uint32_t)value;
    return true;
}

bool pfi_weight_parse(const char *text, float *weight) {
    char *end;
    double value = strtod(text, &end);
    bool endless = value == (double)INFINITY && (text[text[0] == '+'] | 32) == 'i'; /* the word, not 1e999 */
    if (end == text || *end || !(endless || (value >= -(double)FLT_MAX && value <= (double)FLT_MAX))) return false;
    *weight = (float)value;
    return true;
}

size_t pfi_weight_text(float weight, char *to) {
    int n = weight == INFINITY ? sprintf(to, "Infinity") : 0;
    for (int digits = 6; !n; digits++) {
        n = snprintf(to, PFI_WEIGHT_BYTES, "%.*g", digits, (double)weight);
        if (digits < 9 && strtof(to, NULL) != weight) n = 0;
    }
    return (size_t)n;
}

static pf_err read_weight(text_input *in, const text_column *column, float *weight) {
    if (pfi_weight_parse(column->at, weight)) return PF_OK;
    return bad_column(in->reader, "a weight", column);
}

static pf_err read_state(text_input *in, const text_column *column, pf_state *state) {
    uint32_t id;
    if (!number(column, &id)) return bad_column(in->reader, "a state number", column);
    *state = id;
    if (!in->options->keep_numbering) PF_TRY(pf_statetab_intern(&in->ids, &id, sizeof id, state, NULL));
    else if (id > STATE_LEAD + 64 * in->lines)
        return bad_column(in->reader, "state numbers without large gaps", column);
    return pf_build_state(&in->build, *state);
}

static pf_err read_label(text_input *in, const text_column *column, const pf_symtab *table, pf_label *label) {
    char shown[SHOWN], title[SHOWN];
    uint32_t value;
    if (table) {
        *label = pf_symtab_find(table, column->at, column->n);
        if (*label != PF_NO_LABEL) return PF_OK;
        const char *name = pf_symtab_title(table);
        return pf_reader_fail_line(in->reader, "symbol '%s' is not in the table '%s'",
                                   pfi_printable(column->at, column->n, shown, sizeof shown),
                                   pfi_printable(name, strlen(name), title, sizeof title));
    }
    if (!number(column, &value)) return bad_column(in->reader, "a label from 0 to 2147483647 (there is no symbol table)", column);
    *label = (pf_label)value;
    return PF_OK;
}

static pf_err read_final(text_input *in, const text_column *col, unsigned count) {
    pf_state state;
    float weight = 0;
    PF_TRY(read_state(in, &col[0], &state));
    if (in->start == PF_NO_STATE) in->start = state;
    if (count == 2) PF_TRY(read_weight(in, &col[1], &weight));
    return pf_build_final(&in->build, state, weight);
}

static pf_err read_arc(text_input *in, const text_column *col, unsigned count) {
    const pf_text_options *options = in->options;
    unsigned last = options->acceptor ? 3 : 4; /* the column of the weight */
    pf_state from, to;
    pf_label i, out;
    float weight = 0;
    PF_TRY(read_state(in, &col[0], &from));
    PF_TRY(read_state(in, &col[1], &to));
    if (in->start == PF_NO_STATE) in->start = from;
    PF_TRY(read_label(in, &col[2], options->isyms, &i));
    out = i;
    if (!options->acceptor) PF_TRY(read_label(in, &col[3], options->osyms, &out));
    if (count > last) PF_TRY(read_weight(in, &col[last], &weight));
    return pf_build_arc(&in->build, from, i, out, weight, to);
}

static pf_err bad_count(const text_input *in, unsigned count) {
    static const char *const found[] = {"none", "1", "2", "3", "4", "5", "more than 5"};
    if (in->options->acceptor)
        return pf_reader_fail_line(in->reader, "expected 1 to 4 columns (from, to, label, weight), found %s%s",
            found[count], count == COLUMNS ? ": is this a transducer?" : "");
    return pf_reader_fail_line(in->reader, "expected 1, 2, 4 or 5 columns (from, to, input, output, weight), found %s%s",
                               found[count], count == 3 ? ": is an output label missing, or is this an acceptor?" : "");
}

static pf_err read_line(text_input *in, const text_column *col, unsigned count) {
    if (count <= 2) return read_final(in, col, count);
    unsigned least = in->options->acceptor ? 3 : 4;
    return count < least || count > least + 1 ? bad_count(in, count) : read_arc(in, col, count);
}

/* The columns of the next line, 0 of a blank one; *line = NULL at the end. */
static pf_err read_columns(pf_reader *reader, char **line, text_column *col, unsigned *count) {
    size_t length;
    PF_TRY(pf_reader_line(reader, line, &length));
    if (*line && strlen(*line) != length) return pf_reader_fail_line(reader, "expected text, found a NUL byte");
    *count = *line ? split(*line, col) : 0;
    return PF_OK;
}

/* The lines of one machine; *any says whether there were any, blank ones included. */
static pf_err read_lines(text_input *in, bool *any) {
    for (*any = false;; *any = true) {
        text_column col[COLUMNS];
        char *line;
        unsigned n;
        PF_TRY(read_columns(in->reader, &line, col, &n));
        if (!line) return PF_OK;
        in->lines++;
        if (n) PF_TRY(read_line(in, col, n));
        else if (in->options->many) {
            *any = true;
            return PF_OK;
        }
    }
}

pf_err pf_text_read(pf_reader *reader, const pf_text_options *options, pf_fst **out) {
    text_input in = {.reader = reader, .options = options, .start = PF_NO_STATE};
    bool any;
    *out = NULL;
    pf_statetab_init(&in.ids, sizeof(pf_state));
    pf_err err = read_lines(&in, &any);
    if (!err && (any || !options->many)) err = pf_build_finish(&in.build, options->type, in.start, out);
    else pf_build_free(&in.build);
    pf_statetab_free(&in.ids);
    if (!err && *out) pf_fst_set_symbols(*out, options->isyms, options->osyms);
    return err;
}

static pf_err read_symbol(pf_reader *reader, const text_column *col, unsigned count, pf_symtab *table) {
    uint32_t label;
    if (count != 2)
        return pf_reader_fail_line(reader, "expected 2 columns (symbol, label), found %s", count < 2 ? "1" : "more");
    if (!number(&col[1], &label)) return bad_column(reader, "a label from 0 to 2147483647", &col[1]);
    pf_err err = pf_symtab_put(table, col[0].at, col[0].n, (pf_label)label);
    return err == PF_EINPUT ? pf_reader_fail_line(reader, "%s", pf_message()) : err;
}

static pf_err read_symbols(pf_reader *reader, pf_symtab *table) {
    for (;;) {
        text_column col[COLUMNS];
        char *line;
        unsigned n;
        PF_TRY(read_columns(reader, &line, col, &n));
        if (!line) return PF_OK;
        if (n) PF_TRY(read_symbol(reader, col, n, table));
    }
}

pf_err pf_symtab_read_text(pf_reader *reader, pf_symtab **out) {
    const char *path = pf_reader_name(reader), *slash = strrchr(path, '/');
    pf_symtab *table = NULL;
    *out = NULL;
    PF_TRY(pf_symtab_new(slash ? slash + 1 : path, &table)); /* folders are not for others to see */
    pf_err err = read_symbols(reader, table);
    if (err) pf_symtab_free(table);
    else *out = table;
    return err;
}

/* Checks that a symbol would be read back as it is. */
static pf_err check_column(const char *symbol, size_t length, pf_label label) {
    char shown[SHOWN];
    bool good = length > 0;
    for (size_t i = 0; i < length; i++) good &= !is_gap(symbol[i]) && symbol[i] != '\n' && symbol[i];
    if (good) return PF_OK;
    return pf_fail(PF_EINPUT, "symbol '%s' (label %d) is empty or has white space: it cannot be written as text",
                   pfi_printable(symbol, length, shown, sizeof shown), label);
}

/* TAB and a label: its symbol, or its number where there is no table. */
static pf_err write_label(pf_writer *writer, const pf_symtab *table, pf_label label) {
    char title[SHOWN];
    size_t length;
    if (!table) return pf_writer_text(writer, "\t%d", label);
    const char *symbol = pf_symtab_name(table, label, &length), *name = pf_symtab_title(table);
    if (!symbol)
        return pf_fail(PF_EINPUT, "label %d has no symbol in the table '%s'", label,
                       pfi_printable(name, strlen(name), title, sizeof title));
    PF_TRY(check_column(symbol, length, label));
    PF_TRY(pf_writer_put(writer, "\t", 1));
    return pf_writer_put(writer, symbol, length);
}

static pf_err write_weight(pf_writer *writer, float value) {
    char text[PFI_WEIGHT_BYTES] = "\t";
    size_t n = value == 0 ? 0 : 1 + pfi_weight_text(value, text + 1);
    text[n] = '\n';
    return pf_writer_put(writer, text, n + 1);
}

typedef struct {
    pf_fst *fst;
    const pf_symtab *isyms, *osyms;
    bool acceptor;
} text_output;

static pf_err write_state(pf_writer *writer, const text_output *output, pf_state state) {
    pf_arcs arcs = pf_fst_arcs(output->fst, state);
    float final = pf_fst_final(output->fst, state);
    for (uint32_t i = 0; i < arcs.n; i++) {
        const pf_arc *arc = &arcs.arc[i];
        if (output->acceptor && arc->in != arc->out)
            return pf_fail(PF_EINPUT,
                "state %u has an arc with input label %d and output label %d: this is not an acceptor", state, arc->in,
                arc->out);
        PF_TRY(pf_writer_text(writer, "%u\t%u", state, arc->to));
        PF_TRY(write_label(writer, output->isyms, arc->in));
        if (!output->acceptor) PF_TRY(write_label(writer, output->osyms, arc->out));
        PF_TRY(write_weight(writer, arc->w));
    }
    if (final == INFINITY && arcs.n) return PF_OK;
    PF_TRY(pf_writer_text(writer, "%u", state));
    return write_weight(writer, final);
}

pf_err pf_text_write(pf_writer *writer, pf_fst *fst, bool acceptor, bool numeric) {
    text_output output = {fst, numeric ? NULL : fst->isyms, numeric ? NULL : fst->osyms, acceptor};
    PF_TRY(pf_fst_complete(fst));
    if (fst->start == PF_NO_STATE) return PF_OK;
    PF_TRY(write_state(writer, &output, fst->start));
    for (pf_state state = 0; state < pf_fst_states(fst); state++)
        if (state != fst->start) PF_TRY(write_state(writer, &output, state));
    return PF_OK;
}
