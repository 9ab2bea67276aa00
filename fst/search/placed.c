/* The least that one model says after each position of what may come next, where the moves of the space are known.
 *
 * A row is placed after a position if some order of the space, as far as two positions at a time tell, leads to it with a word of
 * the position. Of each placed row it is enough to know whether one position came before that one, or several: a position is never
 * visited twice, so what may come next was not before, and of several positions another one was. */
#include "search/bound_impl.h"

#include "base/contract.h"

#include <permfst/base/cover.h>

#include <stdlib.h>
#include <string.h>

/* A row, and a position after which it is possible; the length: the start. */
typedef struct {
    uint32_t row;
    unsigned last;
} placed_row;

/* A word that may come next. */
typedef struct {
    uint32_t column;
    unsigned position;
} next_word;

enum { NOWHERE = 0, SEVERAL = UINT16_MAX };

typedef struct {
    pfi_rows *rows;
    unsigned length;
    uint32_t *first; /* of each position, and of the start: where the words that may come next begin in `next`; and the end */
    PF_VEC(next_word) next;
    PF_VEC(placed_row) placed; /* each once, in the order in which they were met; the first is the start */
    PF_VEC(uint16_t) before;   /* of each row and position: 1 + the position before it (the length: the start), or SEVERAL */
} row_places;

static pf_err list_next(const pfi_bound_tables *tables, const pfi_model_costs *model, row_places *places) {
    const pf_slots_view *slots = &tables->slots;
    const unsigned words = pf_cover_words(slots->n);
    for (unsigned last = 0; last <= slots->n; last++) {
        const uint64_t *follows = &tables->moves->follows[last * (size_t)words];
        places->first[last] = (uint32_t)places->next.n;
        for (unsigned next = pf_cover_next(follows, words, 0); next < slots->n; next = pf_cover_next(follows, words, next + 1)) {
            PF_TRY(PF_ROOM(&places->next, slots->first[next + 1] - slots->first[next]));
            for (uint32_t arc = slots->first[next]; arc < slots->first[next + 1]; arc++)
                places->next.at[places->next.n++] = (next_word){model->column[arc], next};
        }
    }
    places->first[slots->n + 1] = (uint32_t)places->next.n;
    return PF_OK;
}

static uint16_t *mark_of(const row_places *places, placed_row at) {
    return &places->before.at[at.row * (size_t)places->length + at.last];
}

/* Marks for the rows that there are. */
static pf_err grow_marks(row_places *places) {
    const size_t had = places->before.n, count = places->rows->final.n * (size_t)places->length;
    PF_TRY(PF_ROOM(&places->before, count - had));
    memset(&places->before.at[had], NOWHERE, (count - had) * sizeof *places->before.at);
    places->before.n = count;
    return PF_OK;
}

static pf_err place(row_places *places, placed_row at, unsigned before) {
    uint16_t *mark = mark_of(places, at);
    if (*mark == before + 1) return PF_OK;
    const bool fresh = *mark == NOWHERE;
    *mark = fresh ? (uint16_t)(before + 1) : SEVERAL;
    return fresh ? PF_PUSH(&places->placed, at) : PF_OK;
}

/* Fills a row, and places those that it leads to. */
static pf_err follow(row_places *places, placed_row from) {
    PF_TRY(pfi_rows_fill(places->rows, from.row));
    PF_TRY(grow_marks(places));
    const pfi_cell *cells = pfi_rows_cells(places->rows, from.row);
    for (uint32_t i = places->first[from.last]; i < places->first[from.last + 1]; i++) {
        const next_word *next = &places->next.at[i];
        const pfi_cell *cell = &cells[next->column];
        if (cell->cost < (double)INFINITY) PF_TRY(place(places, (placed_row){cell->to, next->position}, from.last));
    }
    return PF_OK;
}

/* *all: the rows are within the limit. */
static pf_err place_rows(row_places *places, size_t most, bool *all) {
    *all = false;
    PF_TRY(PF_PUSH(&places->placed, ((placed_row){0, places->length})));
    for (size_t i = 0; i < places->placed.n; i++) {
        if (places->rows->final.n > most) return PF_OK;
        PF_TRY(follow(places, places->placed.at[i]));
    }
    *all = true;
    return PF_OK;
}

/* ---- the least costs ---- */

/* A cost that is possible when `before`, and no other position, came before the last one. */
static void take_cost(pfi_model_costs *model, size_t at, double cost, unsigned before) {
    if (cost < model->after[at]) {
        if (model->before[at] != before) model->other[at] = model->after[at];
        model->after[at] = cost;
        model->before[at] = before;
    } else if (before != model->before[at] && cost < model->other[at]) model->other[at] = cost;
}

/* A cost that is possible whatever position comes next. Where it is the least, so is `other`, and `before` says nothing. */
static void take_cost_of_several(pfi_model_costs *model, size_t at, double cost) {
    if (cost < model->after[at]) model->after[at] = cost;
    if (cost < model->other[at]) model->other[at] = cost;
}

/* What may come next costs at least what the row says. */
static void take_placed(const row_places *places, pfi_model_costs *model, placed_row from) {
    const size_t width = places->rows->width, first = from.last * (width + 1);
    const pfi_cell *cells = pfi_rows_cells(places->rows, from.row);
    const next_word *next = &places->next.at[places->first[from.last]], *end = &places->next.at[places->first[from.last + 1]];
    const double final = places->rows->final.at[from.row];
    const uint16_t mark = *mark_of(places, from);
    assert(mark != NOWHERE);
    if (mark == SEVERAL) {
        for (; next < end; next++) take_cost_of_several(model, first + next->column, cells[next->column].cost);
        take_cost_of_several(model, first + width, final);
    } else {
        for (; next < end; next++) take_cost(model, first + next->column, cells[next->column].cost, mark - 1u);
        take_cost(model, first + width, final, mark - 1u);
    }
}

/* Of each column, after what it may come after. */
static void take_least(const row_places *places, pfi_model_costs *model) {
    for (unsigned last = 0; last <= places->length; last++) {
        const double *after = &model->after[last * (places->rows->width + (size_t)1)];
        for (uint32_t i = places->first[last]; i < places->first[last + 1]; i++) {
            double *least = &model->least[places->next.at[i].column];
            if (after[places->next.at[i].column] < *least) *least = after[places->next.at[i].column];
        }
    }
}

static void take_all(const row_places *places, pfi_model_costs *model) {
    pfi_take_row(places->rows, 0, &model->after[places->length * (places->rows->width + (size_t)1)]);
    for (size_t i = 1; i < places->placed.n; i++) take_placed(places, model, places->placed.at[i]);
    take_least(places, model);
}

pf_err pfi_placed_least(const pfi_bound_tables *tables, pfi_model_costs *model, size_t most, bool *known) {
    row_places places = {.rows = model->rows, .length = tables->slots.n};
    places.first = malloc((places.length + 2u) * sizeof *places.first);
    pf_err err = places.first ? list_next(tables, model, &places) : pf_nomem();
    if (!err) err = place_rows(&places, most, known);
    if (!err && *known) take_all(&places, model);
    free(places.first);
    PF_VEC_FREE(&places.next);
    PF_VEC_FREE(&places.placed);
    PF_VEC_FREE(&places.before);
    return err;
}
