/* Models seen from one sentence: for each history that is met, a row of costs and next histories, one cell for each word of the
 * sentence. Private to the searches.
 *
 * A history is a joint state: the states of all models. Histories are renumbered in the order in which they are met, so rows are
 * dense; a row is filled by one call to each model, when it is first needed. Where few cells of each row are needed, they are asked
 * for one by one. A cost is the sum of what the models say, each times its scale. Words that no model tells apart share a column;
 * column `words` is epsilon. Without a model there is one row, which costs nothing. Memory: 16 bytes for each column of each row
 * that is filled. */
#ifndef PF_SEARCH_ROWS_H
#define PF_SEARCH_ROWS_H

#include "base/contract.h"
#include "search/shorter.h"

#include <permfst/base/arena.h>
#include <permfst/base/statetab.h>
#include <permfst/machine/fst.h>
#include <permfst/machine/scale.h>
#include <permfst/ops/score.h>

typedef struct {
    double cost;
    uint32_t to; /* row */
} pfi_cell;

/* One of the models. */
typedef struct {
    pf_scored_by scored;
    pf_label_set labels; /* of the sentence's words */
    uint32_t *place;    /* of each column but the last: that of its label */
    double *cost;       /* scratch: what it says of each of them */
    pf_state *to;
    bool backs_off;     /* it says so by `shorter` */
    pfi_shorter shorter;
} pfi_row_model;

typedef struct {
    pf_label out;
    uint32_t column;
} pfi_known_column;

typedef struct {
    pf_scoring parts; /* the automaton, whose alphabet the words come from; its scale; the models */
    uint32_t *column;       /* of each label of the alphabet */
    unsigned words, width;  /* columns, and with that of epsilon */
    pfi_row_model *model;
    double least, most;     /* cost that the models have said, but infinity */
    pf_statetab states;     /* joint states of the models -> rows */
    pf_state *joint;        /* scratch: one of them; two at least */
    PF_VEC(uint32_t) led;   /* of each column but the last: the row where a cell of it led last; for one model that backs off, of
                               each of its shorter rows */
    pf_arena memory;        /* of cells: they never move */
    PF_VEC(pfi_cell *) cells; /* of each row: `width` of them; NULL before it is filled */
    size_t filled;          /* how many cells are filled */
    pf_statetab met;        /* rows and columns of cells that were asked for one by one -> where they are kept */
    PF_VEC(pfi_cell) met_cells;
    PF_VEC(double) final;   /* of each row; NAN while the row is empty, and has no cells */
    pfi_known_column *known; /* columns looked up lately, by label modulo `recent` */
    unsigned recent;        /* a power of two */
} pfi_rows;

/* Row 0 is that of the models' start. Takes a machine apart: rows->parts. The machine is borrowed. PF_EINPUT: no table of words. */
pf_err pfi_rows_init(pfi_rows *rows, pf_fst *fst);

/* The same for one of the models alone. */
pf_err pfi_rows_init_one(pfi_rows *rows, const pfi_rows *of, size_t model);
void pfi_rows_free(pfi_rows *rows);

/* Can all models score pieces of sentences (chart/pieces.h)? */
bool pfi_rows_pieces(const pfi_rows *rows);

/* The row of an empty history, before which any words may stand. Needs pfi_rows_pieces. PF_ENOMEM. */
pf_err pfi_rows_empty(pfi_rows *rows, uint32_t *row);

/* How many words a column is to a model, in a history that pfi_rows_open asks about. */
unsigned pfi_rows_length(const pfi_rows *rows, size_t model, uint32_t column);

/* words[model] words from the empty history have led to the row. Could more words before them still matter to some model? */
bool pfi_rows_open(const pfi_rows *rows, uint32_t row, const unsigned *words);

/* The state of a model in a history. */
pf_state pfi_rows_state(const pfi_rows *rows, size_t model, uint32_t row);

/* Fills a row unless it is filled; new rows may come to exist. pfi_rows_make does it, for a row that is empty. PF_ELIMIT: a cost
 * that no float holds. */
pf_err pfi_rows_make(pfi_rows *rows, uint32_t row);

static inline pf_err pfi_rows_fill(pfi_rows *rows, uint32_t row) {
    assert(row < rows->final.n);
    return isnan(rows->final.at[row]) ? pfi_rows_make(rows, row) : PF_OK;
}

/* Fetches into the cache what models list for a row that is empty, and that will soon be filled. */
void pfi_rows_fetch(const pfi_rows *rows, uint32_t row);

/* One cell, and the cost of the end, where the row may be empty and is left so. PF_ELIMIT: a cost that no float holds. */
pf_err pfi_rows_step(pfi_rows *rows, uint32_t row, uint32_t column, pfi_cell *cell);
pf_err pfi_rows_end(pfi_rows *rows, uint32_t row, double *cost);

/* The same cell, which is kept, so that the models are asked for it once. */
pf_err pfi_rows_cell(pfi_rows *rows, uint32_t row, uint32_t column, pfi_cell *cell);

/* The cells of a row that is filled. */
static inline const pfi_cell *pfi_rows_cells(const pfi_rows *rows, uint32_t row) {
    assert(row < rows->final.n && !isnan(rows->final.at[row]));
    return rows->cells.at[row];
}

/* The bytes that the rows take. */
uint64_t pfi_rows_bytes(const pfi_rows *rows);

/* Can a float hold the costs that the models have said, together with another one? */
static inline bool pfi_rows_fit(const pfi_rows *rows, double cost) {
    double size = rows->most > -rows->least ? rows->most : -rows->least;
    return cost == (double)INFINITY || fabs(cost) + size <= (double)FLT_MAX;
}

/* The column of an output label of the machine's alphabet: pfi_rows_column remembers what pfi_rows_find has found.
 * O(log alphabet). */
uint32_t pfi_rows_find(const pfi_rows *rows, pf_label out);

static inline uint32_t pfi_rows_column(pfi_rows *rows, pf_label out) {
    unsigned i = (unsigned)out & (rows->recent - 1);
    if (rows->known[i].out != out) {
        rows->known[i].column = pfi_rows_find(rows, out);
        rows->known[i].out = out;
    }
    return rows->known[i].column;
}

#endif
