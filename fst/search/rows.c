/* Rows of models, filled on demand. */
#include "search/rows.h"

#include <permfst/ops/labelmap.h>

#include <stdlib.h>
#include <string.h>

static int by_label(const void *a, const void *b) {
    pf_label x = *(const pf_label *)a, y = *(const pf_label *)b;
    return (x > y) - (x < y);
}

/* Where x stands in an ascending array that holds it. */
static uint32_t position(const pf_label *sorted, size_t n, pf_label x) {
    size_t low = 0;
    while (n > 1) {
        size_t half = n / 2;
        if (sorted[low + half] <= x) low += half;
        n -= half;
    }
    return (uint32_t)low;
}

uint32_t pfi_rows_find(const pfi_rows *r, pf_label out) {
    const pf_fst *fst = r->parts.fst;
    uint32_t i = position(fst->alphabet.at, fst->alphabet.n, out);
    assert(i < fst->alphabet.n && fst->alphabet.at[i] == out);
    return r->column[i];
}

/* ---- columns ---- */

/* A label of the alphabet as all models see it: `models` labels. */
typedef struct {
    const pf_label *label;
    size_t models, index; /* in the alphabet */
} row_word;

static int by_labels(const void *a, const void *b) {
    const row_word *x = a, *y = b;
    for (size_t i = 0; i < x->models; i++)
        if (x->label[i] != y->label[i]) return x->label[i] < y->label[i] ? -1 : 1;
    return 0;
}

/* The models' labels of each label of the alphabet, `k` for each; 0 for epsilon. */
static pf_err map_labels(const pfi_rows *r, pf_label *of) {
    const pf_fst *fst = r->parts.fst;
    size_t k = r->parts.n;
    for (size_t m = 0; m < k; m++) {
        pf_labelmap map;
        pf_err err = pf_labelmap_scorer(&map, fst->osyms, r->parts.by[m].scorer);
        for (size_t i = 0; !err && i < fst->alphabet.n; i++)
            err = pf_labelmap_get(&map, fst->alphabet.at[i], &of[i * k + m]);
        pf_labelmap_free(&map);
        PF_TRY(err);
    }
    return PF_OK;
}

/* Columns in order of their labels: words that no model tells apart (unknown words) share one. */
static void number_columns(pfi_rows *r, row_word *l, size_t n) {
    if (n) qsort(l, n, sizeof *l, by_labels);
    for (size_t i = 0; i < n; i++) {
        bool fresh = !i || by_labels(&l[i - 1], &l[i]) != 0;
        if (fresh) l[r->words] = l[i];
        r->words += fresh;
        r->column[l[i].index] = r->words - 1;
    }
    r->width = r->words + 1;
    for (size_t i = 0; i < r->parts.fst->alphabet.n; i++)
        if (r->column[i] == UINT32_MAX) r->column[i] = r->words;
}

/* For checks: are the labels that a model is asked for ascending, and those of the columns? */
static bool labels_in_order(const pfi_row_model *s, const row_word *l, size_t m, size_t columns) {
    for (size_t i = 1; i < s->words; i++)
        if (s->word[i - 1] >= s->word[i]) return false;
    for (size_t c = 0; c < columns; c++)
        if (s->place[c] >= s->words || s->word[s->place[c]] != l[c].label[m]) return false;
    return true;
}

/* The labels of one model: of each column l[c]. */
static pf_err set_model(pfi_rows *r, size_t m, const row_word *l) {
    pfi_row_model *s = &r->model[m];
    size_t room = r->words + (size_t)1;
    s->scored = r->parts.by[m];
    s->word = calloc(room, sizeof *s->word);
    s->place = calloc(room, sizeof *s->place);
    s->cost = calloc(room, sizeof *s->cost);
    s->to = calloc(room, sizeof *s->to);
    if (!s->word || !s->place || !s->cost || !s->to) return pf_nomem();
    for (size_t c = 0; c < r->words; c++) s->word[c] = l[c].label[m];
    qsort(s->word, r->words, sizeof *s->word, by_label);
    for (size_t c = 0; c < r->words; c++)
        if (!s->words || s->word[s->words - 1] != s->word[c]) s->word[s->words++] = s->word[c];
    for (size_t c = 0; c < r->words; c++) s->place[c] = position(s->word, s->words, l[c].label[m]);
    PFI_CHECK(labels_in_order(s, l, m, r->words));
    return PF_OK;
}

/* A column for each label but epsilon; without a model all labels are epsilon. */
static pf_err make_columns(pfi_rows *r, pf_label *of, row_word *l) {
    const pf_fst *fst = r->parts.fst;
    size_t k = r->parts.n, n = 0;
    PF_TRY(map_labels(r, of));
    for (size_t i = 0; i < fst->alphabet.n; i++) {
        r->column[i] = UINT32_MAX;
        if (k && fst->alphabet.at[i] != PF_EPSILON) l[n++] = (row_word){&of[i * k], k, i};
    }
    number_columns(r, l, n);
    for (size_t m = 0; m < k; m++) PF_TRY(set_model(r, m, l));
    return PF_OK;
}

static pf_err set_columns(pfi_rows *r) {
    size_t labels = r->parts.fst->alphabet.n + 1, k = r->parts.n + 1;
    pf_label *of = calloc(labels * k, sizeof *of);
    row_word *l = calloc(labels, sizeof *l);
    r->column = calloc(labels, sizeof *r->column);
    r->model = calloc(k, sizeof *r->model);
    r->joint = calloc(k, sizeof *r->joint);
    r->led = calloc(labels, sizeof *r->led);
    pf_err err = of && l && r->column && r->model && r->joint && r->led ? make_columns(r, of, l) : pf_nomem();
    free(of);
    free(l);
    return err;
}

/* ---- rows ---- */

/* Of the joint state in r->joint; without a model that is one 0. */
static pf_err row_of(pfi_rows *r, uint32_t *row) {
    int fresh;
    PF_TRY(pf_statetab_intern(&r->states, r->joint, r->states.fixed, row, &fresh));
    if (!fresh) return PF_OK;
    PF_TRY(PF_ROOM(&r->cells, r->width));
    r->cells.n += r->width;
    return PF_PUSH(&r->final, (double)NAN);
}

/* A cost that is a sum over the models. */
static pf_err note(pfi_rows *r, double w) {
    if (w == (double)INFINITY) return PF_OK;
    if (!pf_cost_fits(w)) return pf_cost_too_large(w);
    if (w < r->least) r->least = w;
    if (w > r->most) r->most = w;
    return PF_OK;
}

/* What the models say of each of their words, and of the end, after the joint state. */
static double ask(pfi_rows *r) {
    double final = 0;
    for (size_t m = 0; m < r->parts.n; m++) {
        pfi_row_model *s = &r->model[m];
        pf_scorer *scorer = s->scored.scorer;
        if (s->words) scorer->cls->row(scorer, r->joint[m], s->word, s->words, s->cost, s->to);
        final += pf_scaled(s->scored.scale, scorer->cls->final(scorer, r->joint[m]));
    }
    return final;
}

/* Most words lead from most histories to the same one, that of the word alone: it is tried before the table. */
static bool is_row(const pfi_rows *r, uint32_t row) {
    size_t length;
    return memcmp(pf_statetab_key(&r->states, row, &length), r->joint, r->states.fixed) == 0;
}

static pf_err fill_cell(pfi_rows *r, unsigned column, pfi_cell *cell) {
    cell->cost = 0;
    for (size_t m = 0; m < r->parts.n; m++) {
        const pfi_row_model *s = &r->model[m];
        uint32_t at = s->place[column];
        cell->cost += pf_scaled(s->scored.scale, s->cost[at]);
        r->joint[m] = s->to[at];
    }
    if (!is_row(r, r->led[column])) PF_TRY(row_of(r, &r->led[column]));
    cell->to = r->led[column];
    return note(r, cell->cost);
}

/* For checks: does each cell lead to a row, and do all costs lie between the least and the most? */
static bool row_in_order(const pfi_rows *r, uint32_t row) {
    const pfi_cell *cell = &r->cells.at[(size_t)row * r->width];
    for (unsigned c = 0; c < r->width; c++) {
        bool within = (cell[c].cost >= r->least && cell[c].cost <= r->most) || cell[c].cost == (double)INFINITY;
        if (cell[c].to >= r->final.n || !within) return false;
    }
    return cell[r->words].to == row && !isnan(r->final.at[row]) && r->cells.n == r->final.n * r->width;
}

pf_err pfi_rows_make(pfi_rows *r, uint32_t row) {
    size_t length, first = (size_t)row * r->width;
    assert(isnan(r->final.at[row]));
    memcpy(r->joint, pf_statetab_key(&r->states, row, &length), r->states.fixed);
    double final = ask(r);
    for (unsigned i = 0; i < r->words; i++) {
        pfi_cell cell;
        PF_TRY(fill_cell(r, i, &cell));
        r->cells.at[first + i] = cell;
    }
    r->cells.at[first + r->words] = (pfi_cell){0, row};
    r->final.at[row] = final;
    PF_TRY(note(r, final));
    PFI_CHECK(row_in_order(r, row));
    return PF_OK;
}

/* Room for twice the labels, so that few of them share a place; few are looked up in a large alphabet. */
static pf_err make_recent(pfi_rows *r) {
    for (r->recent = 256; r->recent < 65536 && r->recent < 2 * r->parts.fst->alphabet.n;) r->recent *= 2;
    r->known = malloc(r->recent * sizeof *r->known);
    if (!r->known) return pf_nomem();
    for (unsigned i = 0; i < r->recent; i++) r->known[i].out = PF_NO_LABEL;
    return PF_OK;
}

static pf_err init(pfi_rows *r, pf_scoring parts) {
    uint32_t start;
    *r = (pfi_rows){.parts = parts};
    pf_statetab_init(&r->states, (r->parts.n ? r->parts.n : 1) * sizeof(pf_state));
    PF_TRY(make_recent(r));
    PF_TRY(set_columns(r));
    for (size_t m = 0; m < r->parts.n; m++) {
        pf_scorer *scorer = r->parts.by[m].scorer;
        r->joint[m] = scorer->cls->start(scorer);
    }
    return row_of(r, &start);
}

pf_err pfi_rows_init(pfi_rows *r, pf_fst *fst) {
    pf_scoring parts;
    pf_score_parts(fst, &parts);
    return init(r, parts);
}

pf_err pfi_rows_init_one(pfi_rows *r, const pfi_rows *of, size_t model) {
    return init(r, (pf_scoring){of->parts.fst, of->parts.own, &of->parts.by[model], 1});
}

void pfi_rows_free(pfi_rows *r) {
    for (size_t m = 0; r->model && m < r->parts.n; m++) {
        free(r->model[m].word);
        free(r->model[m].place);
        free(r->model[m].cost);
        free(r->model[m].to);
    }
    free(r->model);
    free(r->column);
    free(r->known);
    free(r->joint);
    free(r->led);
    pf_statetab_free(&r->states);
    PF_VEC_FREE(&r->cells);
    PF_VEC_FREE(&r->final);
}
