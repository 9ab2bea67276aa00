/* Rows of models, filled on demand. */
#include "search/rows.h"

#include <permfst/ops/labelmap.h>

#include <stdlib.h>
#include <string.h>

/* Where a label stands in an ascending array that holds it. */
static uint32_t position(const pf_label *sorted, size_t n, pf_label label) {
    size_t low = 0;
    while (n > 1) {
        size_t half = n / 2;
        if (sorted[low + half] <= label) low += half;
        n -= half;
    }
    return (uint32_t)low;
}

uint32_t pfi_rows_find(const pfi_rows *rows, pf_label out) {
    const pf_fst *fst = rows->parts.fst;
    uint32_t i = position(fst->alphabet.at, fst->alphabet.n, out);
    assert(i < fst->alphabet.n && fst->alphabet.at[i] == out);
    return rows->column[i];
}

/* ---- columns ---- */

/* A label of the alphabet as all models see it: `models` labels. */
typedef struct {
    const pf_label *label;
    size_t models, index; /* in the alphabet */
} row_word;

static int by_labels(const void *first, const void *second) {
    const row_word *one = first, *other = second;
    for (size_t i = 0; i < one->models; i++)
        if (one->label[i] != other->label[i]) return one->label[i] < other->label[i] ? -1 : 1;
    return 0;
}

/* Sorts what is often in order already, as units are. */
static void sort(row_word *one, size_t count) {
    size_t i = 1;
    while (i < count && by_labels(&one[i - 1], &one[i]) <= 0) i++;
    if (i < count) qsort(one, count, sizeof *one, by_labels);
}

/* The models' labels of each label of the alphabet, `k` for each; 0 for epsilon. */
static pf_err map_labels(const pfi_rows *rows, pf_label *of) {
    const pf_fst *fst = rows->parts.fst;
    size_t k = rows->parts.n;
    for (size_t model = 0; model < k; model++) {
        pf_labelmap map;
        pf_err err = pf_labelmap_scorer(&map, fst->osyms, rows->parts.by[model].scorer);
        for (size_t i = 0; !err && i < fst->alphabet.n; i++)
            err = pf_labelmap_look_up(&map, fst->alphabet.at[i], &of[i * k + model]);
        pf_labelmap_free(&map);
        PF_TRY(err);
    }
    return PF_OK;
}

/* Columns in order of their labels: words that no model tells apart (unknown words) share one. */
static void number_columns(pfi_rows *rows, row_word *one, size_t n) {
    sort(one, n);
    for (size_t i = 0; i < n; i++) {
        bool fresh = !i || by_labels(&one[i - 1], &one[i]) != 0;
        if (fresh) one[rows->words] = one[i];
        rows->words += fresh;
        rows->column[one[i].index] = rows->words - 1;
    }
    rows->width = rows->words + 1;
    for (size_t i = 0; i < rows->parts.fst->alphabet.n; i++)
        if (rows->column[i] == UINT32_MAX) rows->column[i] = rows->words;
}

/* For checks: are the labels that a model is asked for ascending, and those of the columns? */
static bool labels_in_order(const pfi_row_model *model, const row_word *one, size_t m, size_t columns) {
    for (size_t i = 1; i < model->labels.n; i++)
        if (model->labels.at[i - 1] >= model->labels.at[i]) return false;
    for (size_t column = 0; column < columns; column++)
        if (model->labels.at[model->place[column]] != one[column].label[m]) return false;
    return true;
}

/* One of the models: of column i, its label is one[i].label[model]. `label`: scratch. */
static pf_err set_model(pfi_rows *rows, size_t model, const row_word *one, pf_label *label) {
    pfi_row_model *own = &rows->model[model];
    size_t room = rows->words + (size_t)1;
    own->scored = rows->parts.by[model];
    own->place = calloc(room, sizeof *own->place);
    own->cost = calloc(room, sizeof *own->cost);
    own->to = calloc(room, sizeof *own->to);
    if (!own->place || !own->cost || !own->to) return pf_nomem();
    for (size_t c = 0; c < rows->words; c++) label[c] = one[c].label[model];
    PF_TRY(pf_label_set_init(&own->labels, label, rows->words));
    for (size_t c = 0; c < rows->words; c++) pf_label_set_find(&own->labels, label[c], &own->place[c]);
    PFI_CHECK(labels_in_order(own, one, model, rows->words));
    own->backs_off = pfi_shorter_possible(own->scored.scorer, own->labels.n);
    own->shorter = (pfi_shorter){.scorer = own->scored.scorer, .labels = &own->labels};
    return PF_OK;
}

/* A column for each label but epsilon; without a model all labels are epsilon. */
static pf_err make_columns(pfi_rows *rows, pf_label *of, row_word *one, pf_label *label) {
    const pf_fst *fst = rows->parts.fst;
    size_t k = rows->parts.n, n = 0;
    PF_TRY(map_labels(rows, of));
    for (size_t i = 0; i < fst->alphabet.n; i++) {
        rows->column[i] = UINT32_MAX;
        if (k && fst->alphabet.at[i] != PF_EPSILON) one[n++] = (row_word){&of[i * k], k, i};
    }
    number_columns(rows, one, n);
    for (size_t model = 0; model < k; model++) PF_TRY(set_model(rows, model, one, label));
    return PF_OK;
}

static pf_err set_columns(pfi_rows *rows) {
    size_t labels = rows->parts.fst->alphabet.n + 1, k = rows->parts.n + 2;
    pf_label *of = calloc(labels * k, sizeof *of), *label = malloc(labels * sizeof *label);
    row_word *one = calloc(labels, sizeof *one);
    rows->column = calloc(labels, sizeof *rows->column);
    rows->model = calloc(k, sizeof *rows->model);
    rows->joint = calloc(k, sizeof *rows->joint);
    const bool room = of && label && one && rows->column && rows->model && rows->joint;
    pf_err err = room ? make_columns(rows, of, one, label) : pf_nomem();
    free(of);
    free(label);
    free(one);
    return err;
}

/* ---- rows ---- */

/* Fetches what models will be asked for in the joint state in rows->joint. */
static void fetch(const pfi_rows *rows) {
    for (size_t model = 0; model < rows->parts.n; model++) {
        const pf_scorer *scorer = rows->parts.by[model].scorer;
        if (scorer->cls->fetch) scorer->cls->fetch(scorer, rows->joint[model]);
    }
}

void pfi_rows_fetch(const pfi_rows *rows, uint32_t row) {
    size_t length;
    if (!isnan(rows->final.at[row])) return;
    const pf_state *joint = pf_statetab_key(&rows->states, row, &length);
    for (size_t model = 0; model < rows->parts.n; model++) {
        const pf_scorer *scorer = rows->parts.by[model].scorer;
        if (scorer->cls->fetch_words) scorer->cls->fetch_words(scorer, joint[model]);
    }
}

/* A search may go on after PF_ENOMEM, so each state has a row. */
static pf_err add_row(pfi_rows *rows, uint32_t *row) {
    PF_TRY(PF_ROOM(&rows->cells, 1));
    PF_TRY(PF_ROOM(&rows->final, 1));
    PF_TRY(pf_statetab_intern(&rows->states, rows->joint, rows->states.fixed, row, NULL));
    if (*row < rows->final.n) return PF_OK;
    fetch(rows);
    rows->cells.at[rows->cells.n++] = NULL;
    rows->final.at[rows->final.n++] = (double)NAN;
    return PF_OK;
}

/* Of the joint state in rows->joint; without a model that is one 0. Most are there. */
static pf_err row_of(pfi_rows *rows, uint32_t *row) {
    uint64_t word;
    uint32_t found = UINT32_MAX;
    if (rows->states.fixed == sizeof word) {
        memcpy(&word, rows->joint, sizeof word);
        found = pf_statetab_find_word(&rows->states, 0, word);
    }
    if (found == UINT32_MAX) return add_row(rows, row);
    *row = found;
    return PF_OK;
}

uint64_t pfi_rows_bytes(const pfi_rows *rows) {
    uint64_t shorter = 0;
    for (size_t model = 0; model < rows->parts.n; model++) shorter += pfi_shorter_bytes(&rows->model[model].shorter);
    return rows->memory.total + rows->final.n * (sizeof *rows->final.at + sizeof *rows->cells.at) +
           rows->led.n * sizeof *rows->led.at + pf_statetab_bytes(&rows->states) + shorter +
           pf_statetab_bytes(&rows->met) + rows->met_cells.n * sizeof *rows->met_cells.at;
}

bool pfi_rows_pieces(const pfi_rows *rows) {
    for (size_t model = 0; model < rows->parts.n; model++)
        if (!rows->parts.by[model].scorer->cls->empty) return false;
    return true;
}

pf_err pfi_rows_empty(pfi_rows *rows, uint32_t *row) {
    for (size_t model = 0; model < rows->parts.n; model++) {
        pf_scorer *scorer = rows->parts.by[model].scorer;
        rows->joint[model] = scorer->cls->empty(scorer);
    }
    return row_of(rows, row);
}

unsigned pfi_rows_length(const pfi_rows *rows, size_t model, uint32_t column) {
    const pfi_row_model *own = &rows->model[model];
    const pf_scorer *scorer = own->scored.scorer;
    return scorer->cls->length ? scorer->cls->length(scorer, own->labels.at[own->place[column]]) : 1;
}

bool pfi_rows_open(const pfi_rows *rows, uint32_t row, const unsigned *words) {
    size_t length;
    const pf_state *joint = pf_statetab_key(&rows->states, row, &length);
    for (size_t model = 0; model < rows->parts.n; model++) {
        const pf_scorer *scorer = rows->parts.by[model].scorer;
        if (scorer->cls->open(scorer, joint[model], words[model])) return true;
    }
    return false;
}

pf_state pfi_rows_state(const pfi_rows *rows, size_t model, uint32_t row) {
    size_t length;
    const pf_state *joint = pf_statetab_key(&rows->states, row, &length);
    return joint[model];
}

/* A cost that is a sum over the models. */
static pf_err note(pfi_rows *rows, double w) {
    if (w == (double)INFINITY) return PF_OK;
    if (!pf_cost_fits(w)) return pf_cost_too_large(w);
    if (w < rows->least) rows->least = w;
    if (w > rows->most) rows->most = w;
    return PF_OK;
}

/* What the models say of each of their words, and of the end, after the joint state. *row: that of the last one which backs off. */
static pf_err ask(pfi_rows *rows, double *final, uint32_t *row) {
    *final = *row = 0;
    for (size_t model = 0; model < rows->parts.n; model++) {
        pfi_row_model *own = &rows->model[model];
        pf_scorer *scorer = own->scored.scorer;
        const pf_state state = rows->joint[model];
        double end;
        if (own->backs_off) PF_TRY(pfi_shorter_fill(&own->shorter, state, own->cost, own->to, &end, row));
        else {
            if (own->labels.n) scorer->cls->row(scorer, state, &own->labels, own->cost, own->to);
            end = scorer->cls->final(scorer, state);
        }
        *final += pf_scaled(own->scored.scale, end);
    }
    return PF_OK;
}

/* Where the columns of a shorter row led last; to the start, before that. */
static pf_err led_from(pfi_rows *rows, uint32_t shorter, uint32_t **led) {
    const size_t first = shorter * (size_t)rows->words, end = first + rows->words, had = rows->led.n;
    if (had < end) {
        PF_TRY(PF_ROOM(&rows->led, end - had));
        memset(&rows->led.at[had], 0, (end - had) * sizeof *rows->led.at);
        rows->led.n = end;
    }
    *led = rows->led.at ? &rows->led.at[first] : NULL;
    return PF_OK;
}

/* Is it the row of the joint state? Most words lead to the same history from all that back off alike: it is tried before the
 * table. */
static bool is_row(const pfi_rows *rows, uint32_t row) {
    size_t length;
    const unsigned char *key = pf_statetab_key(&rows->states, row, &length);
    return memcmp(key, rows->joint, length) == 0;
}

/* The same of one or two models' states, which are compared before they are written: a processor waits for what it has just written
 * in another size. */
static bool is_row_of(const pfi_rows *rows, uint32_t row, pf_state first, pf_state second) {
    size_t length;
    pf_state there[2];
    memcpy(there, pf_statetab_key(&rows->states, row, &length), sizeof there);
    return there[0] == first && there[1] == second;
}

static pf_err fill_cell(pfi_rows *rows, unsigned column, uint32_t *led, pfi_cell *cell) {
    cell->cost = 0;
    for (size_t model = 0; model < rows->parts.n; model++) {
        const pfi_row_model *own = &rows->model[model];
        uint32_t at = own->place[column];
        cell->cost += pf_scaled(own->scored.scale, own->cost[at]);
        rows->joint[model] = own->to[at];
    }
    if (!is_row(rows, *led)) PF_TRY(row_of(rows, led));
    cell->to = *led;
    return note(rows, cell->cost);
}

/* All words of one or two models, which are asked most. Which cell costs most can't be foretold, so there is no branch. If one
 * costs INFINITY, which is rare, all are noted one by one. `models` is constant where it is inlined. */
static inline __attribute__((always_inline)) pf_err fill_cells(pfi_rows *rows, size_t models, uint32_t *led, pfi_cell *cell) {
    const pfi_row_model *first = &rows->model[0], *second = &rows->model[models - 1];
    double least = 0, most = 0;
    for (unsigned column = 0; column < rows->words; column++) {
        const uint32_t at = first->place[column], other = models > 1 ? second->place[column] : 0;
        const pf_state joint[2] = {first->to[at], models > 1 ? second->to[other] : 0};
        double cost = 0 + pf_scaled(first->scored.scale, first->cost[at]);
        if (models > 1) cost += pf_scaled(second->scored.scale, second->cost[other]);
        if (!is_row_of(rows, led[column], joint[0], joint[1])) {
            memcpy(rows->joint, joint, sizeof joint); /* whole, as the table reads it */
            PF_TRY(row_of(rows, &led[column]));
        }
        cell[column] = (pfi_cell){cost, led[column]};
        least = cost < least ? cost : least;
        most = cost > most ? cost : most;
    }
    PF_TRY(note(rows, least));
    if (most < (double)INFINITY) return note(rows, most);
    for (unsigned column = 0; column < rows->words; column++) PF_TRY(note(rows, cell[column].cost));
    return PF_OK;
}

static pf_err fill_all_cells(pfi_rows *rows, uint32_t *led, pfi_cell *cell) {
    if (rows->parts.n == 1) return fill_cells(rows, 1, led, cell);
    if (rows->parts.n == 2) return fill_cells(rows, 2, led, cell);
    for (unsigned column = 0; column < rows->words; column++) PF_TRY(fill_cell(rows, column, &led[column], &cell[column]));
    return PF_OK;
}

/* For checks: does each cell lead to a row, and do all costs lie between the least and the most? */
static bool row_in_order(const pfi_rows *rows, uint32_t row) {
    const pfi_cell *cell = pfi_rows_cells(rows, row);
    for (unsigned column = 0; column < rows->width; column++) {
        bool within = (cell[column].cost >= rows->least && cell[column].cost <= rows->most) ||
            cell[column].cost == (double)INFINITY;
        if (cell[column].to >= rows->final.n || !within) return false;
    }
    return cell[rows->words].to == row && rows->cells.n == rows->final.n && rows->filled % rows->width == 0;
}

pf_err pfi_rows_make(pfi_rows *rows, uint32_t row) {
    size_t length;
    assert(isnan(rows->final.at[row]));
    pfi_cell *cells = rows->cells.at[row];
    if (!cells) cells = rows->cells.at[row] = pf_arena_get(&rows->memory, rows->width * sizeof *cells);
    if (!cells) return pf_nomem();
    memcpy(rows->joint, pf_statetab_key(&rows->states, row, &length), rows->states.fixed);
    double final;
    uint32_t shorter, *led;
    PF_TRY(ask(rows, &final, &shorter));
    PF_TRY(led_from(rows, rows->parts.n == 1 ? shorter : 0, &led));
    PF_TRY(fill_all_cells(rows, led, cells));
    cells[rows->words] = (pfi_cell){0, row};
    rows->filled += rows->width;
    rows->final.at[row] = final;
    PF_TRY(note(rows, final));
    PFI_CHECK(row_in_order(rows, row));
    return PF_OK;
}

/* ---- one cell ---- */

pf_err pfi_rows_step(pfi_rows *rows, uint32_t row, uint32_t column, pfi_cell *cell) {
    size_t length;
    assert(row < rows->final.n && column < rows->width);
    *cell = (pfi_cell){0, row};
    if (column == rows->words) return PF_OK;
    if (!isnan(rows->final.at[row])) {
        *cell = pfi_rows_cells(rows, row)[column];
        return PF_OK;
    }
    memcpy(rows->joint, pf_statetab_key(&rows->states, row, &length), rows->states.fixed);
    for (size_t model = 0; model < rows->parts.n; model++) {
        pfi_row_model *own = &rows->model[model];
        const double cost = pfi_shorter_step(&own->shorter, rows->joint[model], own->place[column], &rows->joint[model]);
        cell->cost += pf_scaled(own->scored.scale, cost);
    }
    PF_TRY(row_of(rows, &cell->to));
    return note(rows, cell->cost);
}

pf_err pfi_rows_end(pfi_rows *rows, uint32_t row, double *cost) {
    size_t length;
    *cost = rows->final.at[row];
    if (!isnan(*cost)) return PF_OK;
    const pf_state *joint = pf_statetab_key(&rows->states, row, &length);
    *cost = 0;
    for (size_t model = 0; model < rows->parts.n; model++) {
        const pf_scored_by *by = &rows->parts.by[model];
        *cost += pf_scaled(by->scale, by->scorer->cls->final(by->scorer, joint[model]));
    }
    return note(rows, *cost);
}

/* Room for one more cell, or, before the first one, for as many as are met in most sentences. */
static pf_err room_for_met(pfi_rows *rows) {
    enum { MET = 1024 };
    if (!rows->met_cells.n) PF_TRY(pf_statetab_expect(&rows->met, MET));
    return PF_ROOM(&rows->met_cells, rows->met_cells.n ? 1 : MET);
}

pf_err pfi_rows_cell(pfi_rows *rows, uint32_t row, uint32_t column, pfi_cell *cell) {
    const uint64_t key = (uint64_t)row << 32 | column;
    uint32_t place = pf_statetab_find_word(&rows->met, 0, key);
    if (place == UINT32_MAX) {
        PF_TRY(pfi_rows_step(rows, row, column, cell));
        PF_TRY(room_for_met(rows));
        PF_TRY(pf_statetab_intern_word(&rows->met, 0, key, &place));
        assert(place == rows->met_cells.n);
        rows->met_cells.at[rows->met_cells.n++] = *cell;
    }
    *cell = rows->met_cells.at[place];
    return PF_OK;
}

/* Room for twice the labels, so that few of them share a place; few are looked up in a large alphabet. */
static pf_err make_recent(pfi_rows *rows) {
    for (rows->recent = 256; rows->recent < 65536 && rows->recent < 2 * rows->parts.fst->alphabet.n;) rows->recent *= 2;
    rows->known = malloc(rows->recent * sizeof *rows->known);
    if (!rows->known) return pf_nomem();
    for (unsigned i = 0; i < rows->recent; i++) rows->known[i].out = PF_NO_LABEL;
    return PF_OK;
}

/* Room for the rows of most sentences, if they are not long, so that arrays do not grow a few rows at a time. */
static pf_err make_room(pfi_rows *rows) {
    enum { ROWS_A_WORD = 9, MOST_CELLS = 8192 };
    const size_t rows_of_most = ROWS_A_WORD * ((size_t)rows->words + 1), most = MOST_CELLS / rows->width + 1;
    const size_t count = rows_of_most < most ? rows_of_most : most;
    PF_TRY(PF_ROOM(&rows->cells, count));
    PF_TRY(PF_ROOM(&rows->final, count));
    return PF_ROOM(&rows->led, (count / ROWS_A_WORD + 1) * rows->words);
}

static pf_err init(pfi_rows *rows, pf_scoring parts) {
    uint32_t start;
    *rows = (pfi_rows){.parts = parts};
    /* Two states at least, of which one may stay 0: keys of 8 bytes are compared and hashed as one word. */
    pf_statetab_init(&rows->states, (rows->parts.n > 2 ? rows->parts.n : 2) * sizeof(pf_state));
    pf_statetab_init(&rows->met, sizeof(uint64_t));
    PF_TRY(make_recent(rows));
    PF_TRY(set_columns(rows));
    PF_TRY(make_room(rows));
    for (size_t model = 0; model < rows->parts.n; model++) {
        pf_scorer *scorer = rows->parts.by[model].scorer;
        rows->joint[model] = scorer->cls->start(scorer);
    }
    return row_of(rows, &start);
}

pf_err pfi_rows_init(pfi_rows *rows, pf_fst *fst) {
    pf_scoring parts;
    pf_score_parts(fst, &parts);
    return init(rows, parts);
}

pf_err pfi_rows_init_one(pfi_rows *rows, const pfi_rows *of, size_t model) {
    return init(rows, (pf_scoring){of->parts.fst, of->parts.own, &of->parts.by[model], 1});
}

void pfi_rows_free(pfi_rows *rows) {
    for (size_t model = 0; rows->model && model < rows->parts.n; model++) {
        pf_label_set_free(&rows->model[model].labels);
        free(rows->model[model].place);
        free(rows->model[model].cost);
        free(rows->model[model].to);
        pfi_shorter_free(&rows->model[model].shorter);
    }
    free(rows->model);
    free(rows->column);
    free(rows->known);
    free(rows->joint);
    pf_statetab_free(&rows->states);
    PF_VEC_FREE(&rows->cells);
    pf_arena_free(&rows->memory);
    PF_VEC_FREE(&rows->final);
    PF_VEC_FREE(&rows->led);
    pf_statetab_free(&rows->met);
    PF_VEC_FREE(&rows->met_cells);
}
