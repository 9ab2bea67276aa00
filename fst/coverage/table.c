/* Counting: a histogram of least parameters for each row, bin and direction. Memory does not grow with the corpus. */
#include <permfst/coverage/table.h>

#include <limits.h>
#include <stdio.h>

void pf_coverage_table_free(pf_coverage_table *t) {
    for (size_t i = 0; i < t->cell.n; i++) PF_VEC_FREE(&t->cell.at[i].need);
    PF_VEC_FREE(&t->row);
    PF_VEC_FREE(&t->longest);
    PF_VEC_FREE(&t->pairs);
    PF_VEC_FREE(&t->cell);
}

pf_err pf_coverage_table_add(pf_coverage_table *t, const char *name, bool numbered, unsigned lowest, const bool *asked) {
    pf_coverage_row row = {name, numbered, lowest, {asked[PF_FORWARD], asked[PF_BACKWARD]}};
    return PF_PUSH(&t->row, row);
}

size_t pf_coverage_table_bins(const pf_coverage_table *t) { return 1 + t->longest.n; }

pf_err pf_coverage_table_start(pf_coverage_table *t) {
    size_t bins = pf_coverage_table_bins(t), cells = bins * t->row.n * PF_DIRECTIONS;
    PF_TRY(PF_ROOM(&t->pairs, bins));
    PF_TRY(PF_ROOM(&t->cell, cells));
    while (t->pairs.n < bins) t->pairs.at[t->pairs.n++] = 0;
    while (t->cell.n < cells) t->cell.at[t->cell.n++] = (pf_coverage_cell){{0}, 0};
    return PF_OK;
}

static size_t index_of(const pf_coverage_table *t, size_t bin, size_t row, unsigned direction) {
    return (bin * t->row.n + row) * PF_DIRECTIONS + direction;
}

const pf_coverage_cell *pf_coverage_table_cell(const pf_coverage_table *t, size_t bin, size_t row, unsigned direction) {
    return &t->cell.at[index_of(t, bin, row, direction)];
}

/* Besides the first; 0 without bins. */
static size_t bin_of(const pf_coverage_table *t, unsigned length) {
    size_t bin = 0;
    while (bin < t->longest.n && t->longest.at[bin] < length) bin++;
    return t->longest.n ? bin + 1 : 0;
}

void pf_coverage_table_pair(pf_coverage_table *t, unsigned length) {
    size_t bin = bin_of(t, length);
    t->pairs.at[0]++;
    if (bin) t->pairs.at[bin]++;
}

static pf_err count(pf_coverage_cell *cell, pf_reach reach, unsigned param) {
    cell->undecided += reach == PF_UNDECIDED;
    if (reach != PF_REACHED) return PF_OK;
    while (cell->need.n <= param) PF_TRY(PF_PUSH(&cell->need, 0));
    cell->need.at[param]++;
    return PF_OK;
}

pf_err pf_coverage_table_count(pf_coverage_table *t, size_t row, unsigned direction, unsigned length, pf_reach reach,
                               unsigned param) {
    size_t bin = bin_of(t, length);
    PF_TRY(count(&t->cell.at[index_of(t, 0, row, direction)], reach, param));
    return bin ? count(&t->cell.at[index_of(t, bin, row, direction)], reach, param) : PF_OK;
}

void pf_coverage_table_label(const pf_coverage_table *t, size_t bin, char *words, size_t room) {
    unsigned from = bin > 1 ? t->longest.at[bin - 2] : 0;
    if (!bin) snprintf(words, room, "all lengths");
    else if (t->longest.at[bin - 1] == UINT_MAX) snprintf(words, room, "over %u", from);
    else if (bin == 1) snprintf(words, room, "up to %u", t->longest.at[0]);
    else snprintf(words, room, "%u to %u", from + 1, t->longest.at[bin - 1]);
}

uint64_t pf_coverage_reached(const pf_coverage_cell *cell, unsigned param) {
    uint64_t sum = 0;
    for (size_t i = 0; i <= param && i < cell->need.n; i++) sum += cell->need.at[i];
    return sum;
}

/* All bins are in the first. */
unsigned pf_coverage_enough(const pf_coverage_table *t, size_t row) {
    unsigned enough = t->row.at[row].lowest;
    for (unsigned d = 0; d < PF_DIRECTIONS; d++) {
        const pf_coverage_cell *cell = pf_coverage_table_cell(t, 0, row, d);
        if (cell->need.n > enough + 1) enough = (unsigned)cell->need.n - 1;
    }
    return enough;
}
