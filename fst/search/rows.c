/* Rows of a model, filled on demand. */
#include "search/rows.h"

#include "ops/labelmap.h"

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
    return r->column[position(r->fst->alphabet.at, r->fst->alphabet.n, out)];
}

/* The model's label of each letter; 0 for all without a model. */
static pf_err map_letters(const pfi_rows *r, pf_label *of) {
    pf_labelmap map;
    if (!r->model) return PF_OK;
    pf_err err = pf_labelmap_model(&map, r->fst->osyms, r->model);
    for (size_t i = 0; !err && i < r->fst->alphabet.n; i++) err = pf_labelmap_get(&map, r->fst->alphabet.at[i], &of[i]);
    pf_labelmap_free(&map);
    return err;
}

/* Letters that the model does not tell apart (unknown words) share a column. */
static pf_err set_columns(pfi_rows *r) {
    size_t letters = r->fst->alphabet.n, n = 0;
    pf_label *of = calloc(letters + 1, sizeof *of);
    r->word = calloc(letters + 1, sizeof *r->word);
    r->column = calloc(letters + 1, sizeof *r->column);
    pf_err err = of && r->word && r->column ? map_letters(r, of) : pf_nomem();
    for (size_t i = 0; !err && i < letters; i++)
        if (of[i] != PF_EPSILON) r->word[n++] = of[i];
    if (!err) {
        qsort(r->word, n, sizeof *r->word, by_label);
        for (size_t i = 0; i < n; i++)
            if (!r->words || r->word[r->words - 1] != r->word[i]) r->word[r->words++] = r->word[i];
        for (size_t i = 0; i < letters; i++)
            r->column[i] = of[i] == PF_EPSILON ? r->words : position(r->word, r->words, of[i]);
    }
    r->width = r->words + 1;
    free(of);
    return err;
}

static pf_err row_of(pfi_rows *r, pf_state s, uint32_t *row) {
    int fresh;
    PF_TRY(pf_statetab_intern(&r->states, &s, sizeof s, row, &fresh));
    if (!fresh) return PF_OK;
    PF_TRY(PF_ROOM(&r->cells, r->width));
    r->cells.n += r->width;
    return PF_PUSH(&r->final, (double)NAN);
}

pf_err pfi_rows_fill(pfi_rows *r, uint32_t row) {
    size_t length, first = (size_t)row * r->width;
    pf_state s;
    if (!isnan(r->final.at[row])) return PF_OK;
    memcpy(&s, pf_statetab_key(&r->states, row, &length), sizeof s);
    if (r->words) r->model->cls->row(r->model->self, s, r->word, r->words, r->w_scratch, r->to_scratch);
    for (unsigned i = 0; i < r->words; i++) {
        uint32_t to;
        PF_TRY(row_of(r, r->to_scratch[i], &to));
        r->cells.at[first + i] = (pfi_cell){r->w_scratch[i], to};
    }
    r->cells.at[first + r->words] = (pfi_cell){0, row};
    r->final.at[row] = r->model ? r->model->cls->final(r->model->self, s) : 0;
    return PF_OK;
}

pf_err pfi_rows_init(pfi_rows *r, const pf_fst *fst, const pf_model *model) {
    uint32_t start;
    *r = (pfi_rows){.fst = fst, .model = model};
    pf_statetab_init(&r->states, sizeof(pf_state));
    for (size_t i = 0; i < sizeof r->seen / sizeof *r->seen; i++) r->seen[i].out = PF_NO_LABEL;
    PF_TRY(set_columns(r));
    r->w_scratch = calloc(r->width, sizeof *r->w_scratch);
    r->to_scratch = calloc(r->width, sizeof *r->to_scratch);
    if (!r->w_scratch || !r->to_scratch) return pf_nomem();
    return row_of(r, model ? model->cls->start(model->self) : 0, &start);
}

void pfi_rows_free(pfi_rows *r) {
    free(r->column);
    free(r->word);
    pf_statetab_free(&r->states);
    PF_VEC_FREE(&r->cells);
    PF_VEC_FREE(&r->final);
    free(r->w_scratch);
    free(r->to_scratch);
}
