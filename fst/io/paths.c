/* O(labels of the paths that are written). */
#include <permfst/io/paths.h>

#include <permfst/base/digits.h>

#include <assert.h>
#include <string.h>

static pf_err put_word(pf_writer *writer, const pf_symtab *table, pf_label label) {
    size_t n;
    const char *word = table ? pf_symtab_name(table, label, &n) : NULL;
    if (word) return pf_writer_put(writer, word, n);
    if (table) return pf_fail(PF_EINPUT, "label %d is not in the symbol table", label);
    return pf_writer_text(writer, "%d", label);
}

pf_err pf_answer_write_words(pf_writer *writer, const pf_answer *answer, size_t rank, bool numeric) {
    assert(rank < answer->paths.n);
    const pf_path *path = &answer->paths.at[rank];
    bool space = false;
    for (size_t i = 0; i < path->n; i++) {
        if (path->arc[i].out == PF_EPSILON) continue;
        if (space) PF_TRY(pf_writer_put(writer, " ", 1));
        PF_TRY(put_word(writer, numeric ? NULL : answer->osyms, path->arc[i].out));
        space = true;
    }
    return PF_OK;
}

pf_err pf_answer_write_permutation(pf_writer *writer, const pf_answer *answer, size_t rank) {
    assert(rank < answer->paths.n);
    const pf_path *path = &answer->paths.at[rank];
    bool space = false;
    if (answer->isyms)
        return pf_fail(PF_EINPUT, "the input labels are symbols, not positions: there is no permutation to write (see lazyperm)");
    for (size_t i = 0; i < path->n; i++) {
        if (path->arc[i].in == PF_EPSILON) continue;
        char words[PF_DIGITS + 1] = " ";
        const size_t digits = pf_digits_write((uint64_t)path->arc[i].in, words + 1);
        PF_TRY(pf_writer_put(writer, space ? words : words + 1, digits + space));
        space = true;
    }
    return PF_OK;
}

pf_err pf_record_name_write(pf_writer *writer, const char *name, uint64_t record) {
    if (!name) return pf_writer_text(writer, "%llu", (unsigned long long)record);
    while (*name) {
        size_t n = strcspn(name, "\t\n\r");
        PF_TRY(pf_writer_put(writer, name, n));
        name += n;
        if (*name) PF_TRY(pf_writer_put(writer, " ", 1));
        name += *name != 0;
    }
    return PF_OK;
}

#define PATH_COLUMNS {"rank", -4}, {"cost", -12}, {"permutation", 20}, {"words", 0}
static const pf_table_heading_cell without_name[] = {{"record", -6}, PATH_COLUMNS};
static const pf_table_heading_cell with_name[] = {{"record", -6}, {"name", 20}, PATH_COLUMNS};

pf_table pf_answer_columns(pf_table_format format, bool named) {
    return named ? PF_TABLE_OF(with_name, format) : PF_TABLE_OF(without_name, format);
}

/* What a memory writer holds, as a string. */
static const char *string_of(pf_writer *words, pf_err *err) {
    size_t n;
    if (!*err) *err = pf_writer_put(words, "", 1);
    return *err ? "" : (const char *)pf_writer_bytes(words, &n);
}

static pf_err put_words(pf_table_line *line, const pf_answer *answer, size_t rank, bool numeric, pf_writer *words) {
    pf_writer_clear(words);
    pf_err err = pf_answer_write_words(words, answer, rank, numeric);
    const char *text = string_of(words, &err);
    return err ? err : pf_cell_text(line, text);
}

static pf_err put_permutation(pf_table_line *line, const pf_answer *answer, size_t rank, pf_writer *words) {
    if (answer->isyms) return pf_cell_nothing(line);
    pf_writer_clear(words);
    pf_err err = pf_answer_write_permutation(words, answer, rank);
    const char *text = string_of(words, &err);
    return err ? err : pf_cell_list(line, text);
}

static pf_err put_record(pf_table_line *line, uint64_t record, const char *name) {
    PF_TRY(pf_cell_whole(line, record));
    if (!pf_table_has(line->table, "name")) return PF_OK;
    return name ? pf_cell_text(line, name) : pf_cell_nothing(line);
}

/* Writes the cells of a path that follow the number of its record. */
static pf_err put_path(pf_table_line *line, const pf_answer *answer, size_t rank, bool numeric, pf_writer *words) {
    PF_TRY(pf_cell_whole(line, rank + 1));
    PF_TRY(pf_cell_real(line, answer->paths.at[rank].cost, 6));
    PF_TRY(put_permutation(line, answer, rank, words));
    return put_words(line, answer, rank, numeric, words);
}

pf_err pf_answer_write_lines(pf_writer *writer, const pf_answer *answer, uint64_t record, const char *name, bool numeric,
                             const pf_table *columns) {
    pf_writer *words;
    PF_TRY(pf_writer_memory(&words));
    pf_err err = PF_OK;
    for (size_t rank = 0; !err && rank < answer->paths.n; rank++) {
        pf_table_line line = pf_table_begin(columns, writer);
        err = put_record(&line, record, name);
        if (!err) err = put_path(&line, answer, rank, numeric, words);
    }
    pf_writer_free(words);
    return err;
}

pf_err pf_answer_write_table(pf_writer *writer, const pf_answer *answer, uint64_t record, bool numeric) {
    const pf_table columns = pf_answer_columns(PF_TABLE_TSV, false);
    return pf_answer_write_lines(writer, answer, record, NULL, numeric, &columns);
}

/* Paths that were drawn at random are in no order. */
static double least_cost(const pf_answer *answer) {
    double least = answer->paths.at[0].cost;
    for (size_t i = 1; i < answer->paths.n; i++)
        if (answer->paths.at[i].cost < least) least = answer->paths.at[i].cost;
    return least;
}

static pf_err describe_proof(const pf_answer *answer, pf_writer *writer) {
    char proof[PF_PROOF_BYTES];
    if (pf_answer_optimal(answer)) return pf_writer_text(writer, "optimal\tyes\n");
    if (pf_answer_gap(answer) == (double)INFINITY) return pf_writer_text(writer, "optimal\tnot proven\n");
    return pf_writer_text(writer, "optimal\t%s\n", pf_answer_proof(answer, proof));
}

static pf_err describe_reference(const pf_answer *answer, pf_writer *writer) {
    PF_TRY(pf_writer_text(writer, "reference\t%s\n", pf_verdict_name(pf_answer_verdict(answer))));
    if (answer->reference < (double)INFINITY) return pf_writer_text(writer, "reference cost\t%.6f\n", answer->reference);
    return pf_writer_text(writer, "reference cost\tInfinity\n");
}

static pf_err describe_cost(const pf_answer *answer, pf_writer *writer) {
    return answer->paths.n ? pf_writer_text(writer, "best cost\t%.6f\n", least_cost(answer)) : PF_OK;
}

pf_err pf_answer_describe_verdict(const pf_answer *answer, pf_writer *writer) {
    assert(answer->compared);
    PF_TRY(describe_cost(answer, writer));
    return describe_reference(answer, writer);
}

pf_err pf_answer_describe(const pf_answer *answer, pf_writer *writer) {
    PF_TRY(pf_writer_text(writer, "paths\t%zu\n", answer->paths.n));
    PF_TRY(describe_cost(answer, writer));
    PF_TRY(describe_proof(answer, writer));
    if (answer->compared) PF_TRY(describe_reference(answer, writer));
    PF_TRY(pf_writer_text(writer, "states searched\t%llu\n", (unsigned long long)answer->states));
    return pf_writer_text(writer, "arcs searched\t%llu\n", (unsigned long long)answer->arcs);
}
