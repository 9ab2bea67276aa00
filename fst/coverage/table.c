/* Counting: a histogram of least parameters for each row, bin and direction. Memory does not grow with the corpus. */
#include <permfst/coverage/table.h>

#include "base/contract.h"

#include <permfst/base/digits.h>
#include <permfst/permute/con.h>
#include <permfst/permute/con_file.h>

#include <limits.h>
#include <stdio.h>

void pf_coverage_table_free(pf_coverage_table *table) {
    for (size_t i = 0; i < table->cell.n; i++) PF_VEC_FREE(&table->cell.at[i].need);
    PF_VEC_FREE(&table->row);
    PF_VEC_FREE(&table->longest);
    PF_VEC_FREE(&table->pairs);
    PF_VEC_FREE(&table->cell);
}

/* ---- rows and bins ---- */

static pf_err add(pf_coverage_table *table, pf_coverage_row row) {
    assert(!table->pairs.n); /* not started */
    return PF_PUSH(&table->row, row);
}

pf_err pf_coverage_table_family(pf_coverage_table *table, const pf_coverage_family *family, const bool *asked) {
    return add(table, (pf_coverage_row){family->name, NULL, family, false, family->numbered, family->lowest,
                                        {asked[PF_FORWARD], asked[PF_BACKWARD]}});
}

pf_err pf_coverage_table_spec(pf_coverage_table *table, const char *spec, const bool *asked) {
    bool backward = asked[PF_BACKWARD] && !pf_con_has_files(spec); /* trees are about the source */
    return add(table, (pf_coverage_row){.name = spec, .asked = {asked[PF_FORWARD], backward}});
}

pf_err pf_coverage_table_lattice(pf_coverage_table *table, const char *name) {
    return add(table, (pf_coverage_row){.name = name, .lattice = true, .asked = {[PF_FORWARD] = true}});
}

pf_err pf_coverage_table_lengths(pf_coverage_table *table, const char *list) {
    unsigned before = 0;
    if (!*list) return pf_fail(PF_EARG, "expected lengths, such as 10,20,30");
    for (const char *at = list; *at; at += *at == ',') {
        uint64_t length;
        if (!pf_digits_take(&at, &length) || length <= before || length > PF_MAX_WORDS || (*at && (*at != ',' || !at[1])))
            return pf_fail(PF_EARG, "expected ascending lengths, such as 10,20,30, found '%s'", list);
        PF_TRY(PF_PUSH(&table->longest, (unsigned)length));
        before = (unsigned)length;
    }
    return PF_PUSH(&table->longest, UINT_MAX);
}

size_t pf_coverage_table_bins(const pf_coverage_table *table) { return 1 + table->longest.n; }

pf_err pf_coverage_table_start(pf_coverage_table *table) {
    size_t bins = pf_coverage_table_bins(table), cells = bins * table->row.n * PF_DIRECTIONS;
    for (size_t i = 0; i < table->longest.n; i++) assert(!i || table->longest.at[i - 1] < table->longest.at[i]);
    assert(!table->longest.n || table->longest.at[table->longest.n - 1] == UINT_MAX);
    PF_TRY(PF_ROOM(&table->pairs, bins));
    PF_TRY(PF_ROOM(&table->cell, cells));
    while (table->pairs.n < bins) table->pairs.at[table->pairs.n++] = 0;
    while (table->cell.n < cells) table->cell.at[table->cell.n++] = (pf_coverage_cell){{0}, 0};
    return PF_OK;
}

pf_err pf_coverage_check_spec(const char *spec, bool marked) { return marked ? pf_con_check(spec) : pf_coverage_check(spec); }

pf_err pf_coverage_table_make(pf_coverage_table *table, const pf_coverage_questions *questions) {
    const pf_coverage_family *family;
    assert(!questions->families || !questions->marked);
    for (size_t i = 0; i < questions->specs; i++) PF_TRY(pf_coverage_check_spec(questions->spec[i], questions->marked));
    for (size_t i = 0; questions->families && (family = pf_coverage_family_at(i)); i++)
        PF_TRY(pf_coverage_table_family(table, family, questions->asked));
    for (size_t i = 0; i < questions->specs; i++) PF_TRY(pf_coverage_table_spec(table, questions->spec[i], questions->asked));
    if (questions->lattice) PF_TRY(pf_coverage_table_lattice(table, questions->lattice));
    pf_err err = questions->lengths ? pf_coverage_table_lengths(table, questions->lengths) : PF_OK;
    if (err == PF_EARG) return pf_fail_in(err, "%s: ", questions->lengths_are);
    return err ? err : pf_coverage_table_start(table);
}

static size_t index_of(const pf_coverage_table *table, size_t bin, size_t row, unsigned direction) {
    assert(row < table->row.n && direction < PF_DIRECTIONS && bin < table->pairs.n);
    return (bin * table->row.n + row) * PF_DIRECTIONS + direction;
}

const pf_coverage_cell *pf_coverage_table_cell(const pf_coverage_table *table, size_t bin, size_t row, unsigned direction) {
    return &table->cell.at[index_of(table, bin, row, direction)];
}

/* ---- pairs ---- */

/* The bin besides the first; 0 without bins. */
static size_t bin_of(const pf_coverage_table *table, unsigned length) {
    size_t bin = 0;
    while (bin < table->longest.n && table->longest.at[bin] < length) bin++;
    return table->longest.n ? bin + 1 : 0;
}

void pf_coverage_table_pair(pf_coverage_table *table, unsigned length) {
    size_t bin = bin_of(table, length);
    table->pairs.at[0]++;
    if (bin) table->pairs.at[bin]++;
}

static pf_err ask(const pf_coverage_row *row, const pf_coverage *coverage, pf_fst *lattice, uint64_t limit,
                  pf_coverage_answer *out) {
    out->param = 0;
    if (row->lattice) {
        assert(lattice);
        return pf_coverage_lattice(coverage, lattice, limit, &out->reach);
    }
    if (!row->family) return pf_coverage_reaches(coverage, row->spec ? row->spec : row->name, limit, &out->reach);
    out->reach = pf_coverage_least(coverage, row->family, &out->param) ? PF_REACHED : PF_NOT_REACHED;
    return PF_OK;
}

pf_err pf_coverage_table_ask(const pf_coverage_table *table, const pf_coverage *coverage, unsigned direction, pf_fst *lattice,
                             uint64_t limit, pf_coverage_answer *answer, size_t *row) {
    assert(direction < PF_DIRECTIONS);
    for (*row = 0; *row < table->row.n; ++*row) {
        const pf_coverage_row *told = &table->row.at[*row];
        answer[*row] = (pf_coverage_answer){PF_NOT_REACHED, 0};
        if (told->asked[direction]) PF_TRY(ask(told, coverage, lattice, limit, &answer[*row]));
    }
    return PF_OK;
}

static pf_err count(pf_coverage_cell *cell, const pf_coverage_answer *answer) {
    cell->undecided += answer->reach == PF_UNDECIDED;
    if (answer->reach != PF_REACHED) return PF_OK;
    while (cell->need.n <= answer->param) PF_TRY(PF_PUSH(&cell->need, 0));
    cell->need.at[answer->param]++;
    return PF_OK;
}

pf_err pf_coverage_table_count(pf_coverage_table *table, unsigned direction, unsigned length, const pf_coverage_answer *answer) {
    size_t bin = bin_of(table, length);
    for (size_t row = 0; row < table->row.n; row++) {
        if (!table->row.at[row].asked[direction]) continue;
        PF_TRY(count(&table->cell.at[index_of(table, 0, row, direction)], &answer[row]));
        if (bin) PF_TRY(count(&table->cell.at[index_of(table, bin, row, direction)], &answer[row]));
    }
    return PF_OK;
}

/* ---- answers ---- */

void pf_coverage_table_label(const pf_coverage_table *table, size_t bin, char *words, size_t room) {
    unsigned from = bin > 1 ? table->longest.at[bin - 2] : 0;
    if (!bin) snprintf(words, room, "all lengths");
    else if (table->longest.at[bin - 1] == UINT_MAX) snprintf(words, room, "over %u", from);
    else if (bin == 1) snprintf(words, room, "up to %u", table->longest.at[0]);
    else snprintf(words, room, "%u to %u", from + 1, table->longest.at[bin - 1]);
}

uint64_t pf_coverage_reached(const pf_coverage_cell *cell, unsigned param) {
    uint64_t sum = 0;
    for (size_t i = 0; i <= param && i < cell->need.n; i++) sum += cell->need.at[i];
    return sum;
}

/* The first bin has the pairs of all others. */
unsigned pf_coverage_enough(const pf_coverage_table *table, size_t row) {
    unsigned enough = table->row.at[row].lowest;
    for (unsigned direction = 0; direction < PF_DIRECTIONS; direction++) {
        const pf_coverage_cell *cell = pf_coverage_table_cell(table, 0, row, direction);
        if (cell->need.n > enough + 1) enough = (unsigned)cell->need.n - 1;
    }
    return enough;
}
