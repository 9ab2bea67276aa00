/* One permutation after the other: read, asked about, answered in lines. */
#include <permfst/verbs/check.h>

#include <permfst/base/word.h>
#include <permfst/permute/order.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const pf_check_options *options;
    pf_writer *writer;
    uint64_t record;
    const unsigned *permutation;
    const char *given; /* the constraint as it was given: the one that is checked may have a tree in the place of its file */
    bool outside;
    pf_table_line line; /* with a table: the line of this permutation, and the reasons for its last column */
    pf_writer *reasons;
} line_check;

static bool asks_tightest(const pf_check_options *options) { return !options->n_con || options->tightest; }

/* ---- a line for a permutation ---- */

static pf_err add_column(pf_table *table, const char *name) {
    return pf_table_has(table, name) ? PF_OK : pf_table_column(table, name, -(int)strlen("outside"));
}

pf_err pf_check_columns(const pf_check_options *options, pf_table *table) {
    const pf_con_class *cls;
    PF_TRY(pf_table_column(table, "record", -6));
    for (size_t i = 0; i < options->n_con; i++) PF_TRY(add_column(table, options->con[i]));
    for (size_t i = 0; asks_tightest(options) && (cls = pf_con_at(i)); i++)
        if (cls->least || (!*cls->params && cls->why)) PF_TRY(add_column(table, cls->name));
    return options->why ? pf_table_column(table, "why", 0) : PF_OK;
}

/* For the column "ibm", "3" of "ibm:3". NULL: the specification is not of the column. */
static const char *parameter(const char *column, const char *spec) {
    size_t n = strlen(column);
    return strncmp(spec, column, n) == 0 && spec[n] == ':' ? spec + n + 1 : NULL;
}

static pf_err add_reason(const line_check *check, pf_check *breaks) {
    size_t n;
    assert(check->reasons);
    pf_writer_bytes(check->reasons, &n);
    if (n) PF_TRY(pf_writer_text(check->reasons, "; "));
    return pf_check_why(breaks, check->permutation, check->options->base, check->reasons);
}

/* What has no column of its own was answered before. */
static pf_err write_cell(line_check *check, const char *spec, bool inside, pf_check *breaks) {
    if (check->line.at == check->line.table->n) return PF_OK;
    const char *column = check->line.table->column[check->line.at].name, *least = check->given ? NULL : parameter(column, spec);
    if (!least && strcmp(check->given ? check->given : spec, column) != 0) return PF_OK;
    PF_TRY(least ? pf_cell_digits(&check->line, least) : pf_cell_truth(&check->line, inside));
    return check->options->why && breaks ? add_reason(check, breaks) : PF_OK;
}

static pf_err end_line(line_check *check) {
    size_t n;
    if (!check->options->why) return PF_OK;
    PF_TRY(pf_writer_put(check->reasons, "", 1));
    return pf_cell_text(&check->line, (const char *)pf_writer_bytes(check->reasons, &n));
}

/* ---- a line for an answer ---- */

/* A tab ends a field. */
static pf_err write_spec(const line_check *check, const char *spec) {
    PF_TRY(pf_writer_text(check->writer, "%llu\t", (unsigned long long)check->record));
    for (; *spec; spec++) PF_TRY(pf_writer_put(check->writer, *spec == '\t' ? " " : spec, 1));
    return PF_OK;
}

static pf_err write_answer(void *self, const char *spec, bool inside, pf_check *breaks) {
    line_check *check = self;
    if (check->options->quiet) return PF_OK;
    if (check->options->table) return write_cell(check, spec, inside, breaks);
    PF_TRY(write_spec(check, check->given ? check->given : spec));
    PF_TRY(pf_writer_text(check->writer, "\t%s", inside ? "inside" : "outside"));
    if (breaks && check->options->why) {
        PF_TRY(pf_writer_text(check->writer, "\t"));
        PF_TRY(pf_check_why(breaks, check->permutation, check->options->base, check->writer));
    }
    return pf_writer_text(check->writer, "\n");
}

static pf_err write_and_note(void *self, const char *spec, bool inside, pf_check *breaks) {
    line_check *check = self;
    check->outside = check->outside || !inside;
    return write_answer(check, spec, inside, breaks);
}

static pf_err answer(line_check *check, unsigned n, const char *specs) {
    const pf_check_options *options = check->options;
    for (size_t i = 0; i < options->n_con; i++) {
        check->given = options->con[i];
        PF_TRY(pf_check_spec(specs ? specs : check->given, check->permutation, n, write_and_note, check));
        if (specs) specs += strlen(specs) + 1;
    }
    check->given = NULL;
    if (!asks_tightest(options)) return PF_OK;
    return pf_check_tightest(check->permutation, n, write_answer, check);
}

static unsigned count_words(const char *line) {
    const char *end = line + strlen(line);
    unsigned n = 0;
    for (pf_word word; pf_word_next(&line, end, &word);) n++;
    return n;
}

pf_err pf_check_read_trees(const char *line, const pf_check_options *options, pf_con_file *const *trees, pf_writer *writer) {
    char words[1024] = "";
    pf_err wrong = PF_OK;
    for (size_t i = 0; i < options->n_con; i++) {
        const char *spec = options->con[i];
        pf_err err = trees[i] ? pf_con_file_next(trees[i], count_words(line), &spec) : PF_OK;
        if (err && err != PF_EINPUT) return err;
        if (err && !wrong) snprintf(words, sizeof words, "%s", pf_message());
        if (err) wrong = err;
        else PF_TRY(pf_writer_put(writer, spec, strlen(spec) + 1));
    }
    return wrong ? pf_fail(wrong, "%s", words) : PF_OK;
}

/* All answers, in lines or cells. */
static pf_err answer_all(line_check *check, unsigned n, const char *specs) {
    if (!check->options->table || check->options->quiet) return answer(check, n, specs);
    PF_TRY(pf_writer_memory(&check->reasons));
    check->line = pf_table_begin(check->options->table, check->writer);
    pf_err err = pf_cell_whole(&check->line, check->record);
    if (!err) err = answer(check, n, specs);
    if (!err) err = end_line(check);
    pf_writer_free(check->reasons);
    return err;
}

pf_err pf_check_line(const char *line, uint64_t record, const pf_check_options *options, const char *specs, pf_writer *writer,
                     bool *outside) {
    line_check check = {.options = options, .writer = writer, .record = record};
    pf_visit_order order;
    assert(options->base <= 1);
    pf_err err = pf_visit_order_read(line, options->base, &order);
    check.permutation = options->places ? order.place : order.order;
    if (!err) err = answer_all(&check, order.n, specs);
    *outside = check.outside;
    pf_visit_order_free(&order);
    return err;
}
