/* A model seen from one sentence: for each of its states that is met, a row of costs and next states, one cell for each
 * word of the sentence. Private to the searches.
 *
 * States are renumbered in order met, so rows are dense; a row is filled by one call to the model, when it is first
 * needed. Column `words` is epsilon. Without a model there is one row, which costs nothing. */
#ifndef PF_SEARCH_ROWS_H
#define PF_SEARCH_ROWS_H

#include "base/statetab.h"
#include "machine/fst.h"
#include "model/model.h"

typedef struct {
    double w;
    uint32_t to; /* row */
} pfi_cell;

typedef struct {
    const pf_model *model; /* NULL: none */
    const pf_fst *fst;     /* whose alphabet the words come from */
    uint32_t *column;      /* of each letter of the alphabet */
    pf_label *word;        /* of each column but the last: the model's labels, ascending */
    unsigned words, width;
    pf_statetab states;    /* of the model -> rows */
    PF_VEC(pfi_cell) cells; /* rows x width */
    PF_VEC(double) final;  /* of each row; NAN while the row is empty */
    struct {
        pf_label out;
        uint32_t column;
    } seen[256]; /* columns looked up lately, by label modulo 256 */
    double *w_scratch;
    pf_state *to_scratch;
} pfi_rows;

/* Row 0 is the model's start. The words are those of the machine's alphabet. PF_EINPUT: no table of words. */
pf_err pfi_rows_init(pfi_rows *rows, const pf_fst *fst, const pf_model *model);
void pfi_rows_free(pfi_rows *rows);

/* Fills a row unless it is filled; new rows may come to exist. */
pf_err pfi_rows_fill(pfi_rows *rows, uint32_t row);

/* The column of an output label of the machine: pfi_rows_column remembers what pfi_rows_find has found. O(log alphabet). */
uint32_t pfi_rows_find(const pfi_rows *rows, pf_label out);

static inline uint32_t pfi_rows_column(pfi_rows *rows, pf_label out) {
    unsigned i = (unsigned)out % 256;
    if (rows->seen[i].out != out) {
        rows->seen[i].column = pfi_rows_find(rows, out);
        rows->seen[i].out = out;
    }
    return rows->seen[i].column;
}

#endif
