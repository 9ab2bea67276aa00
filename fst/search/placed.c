/* The least that one model says after each position of what may come next, where the moves of the space are known.
 *
 * A row is placed after a position if some order of the space, as far as two positions at a time tell, leads to it with a word of
 * the position. Of each placed row it is enough to know whether one position came before that one, or several: a position is never
 * visited twice, so what may come next was not before, and of several positions another one was.
 *
 * Where there is one model, the rows have potentials (potentials.h), and costs are said with them. */
#include "search/bound_impl.h"
#include "search/potentials.h"

#include "base/contract.h"

#include <permfst/base/cover.h>

#include <stdlib.h>
#include <string.h>

enum { NOWHERE = 0, SEVERAL = UINT16_MAX }; /* marks */
enum { AHEAD = 2 }; /* how many placed rows ahead the words of a row are fetched */

typedef struct {
    pfi_rows *rows;
    unsigned length;
    uint32_t *first; /* of each position, and of the start: where the words that may come next begin in `next`; and the end */
    PF_VEC(pfi_next_word) next;
    uint32_t *leads; /* of each of `next`: the row that it leads to, the first one that was met; PFI_NO_ROW */
    bool mixed;      /* one of them leads to others, too */
    double *least;   /* of each of `next`: the least cost after the rows placed there */
    double *end;     /* of each position, and of the start: the least cost of the end */
    double *potential; /* of each row */
    PF_VEC(pfi_placed_row) placed; /* each once, in the order in which they were met; the first is the start */
    PF_VEC(uint16_t) before;   /* of each row and position: 1 + the position before it (the length: the start), or SEVERAL */
} row_places;

static pf_err list_next(const pfi_bound_tables *tables, const pfi_model_costs *model, row_places *places) {
    const pf_slots_view *slots = &tables->slots;
    const unsigned words = pf_cover_words(slots->n);
    PF_TRY(PF_ROOM(&places->next, 8 * (size_t)slots->first[slots->n]));
    for (unsigned last = 0; last <= slots->n; last++) {
        const uint64_t *follows = &tables->moves->follows[last * (size_t)words];
        places->first[last] = (uint32_t)places->next.n;
        for (unsigned next = pf_cover_next(follows, words, 0); next < slots->n; next = pf_cover_next(follows, words, next + 1)) {
            PF_TRY(PF_ROOM(&places->next, slots->first[next + 1] - slots->first[next]));
            for (uint32_t arc = slots->first[next]; arc < slots->first[next + 1]; arc++)
                places->next.at[places->next.n++] = (pfi_next_word){model->column[arc], arc, next};
        }
    }
    places->first[slots->n + 1] = (uint32_t)places->next.n;
    return PF_OK;
}

static pf_err lead_nowhere(row_places *places) {
    places->leads = malloc((places->next.n + 1) * sizeof *places->leads);
    for (size_t i = 0; places->leads && i < places->next.n; i++) places->leads[i] = PFI_NO_ROW;
    return places->leads ? PF_OK : pf_nomem();
}

static uint16_t *mark_of(const row_places *places, pfi_placed_row at) {
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

static pf_err place(row_places *places, pfi_placed_row at, unsigned before) {
    uint16_t *mark = mark_of(places, at);
    if (*mark == before + 1) return PF_OK;
    const bool fresh = *mark == NOWHERE;
    *mark = fresh ? (uint16_t)(before + 1) : SEVERAL;
    return fresh ? PF_PUSH(&places->placed, at) : PF_OK;
}

/* Fills a row, and places those that it leads to. */
static pf_err follow(row_places *places, pfi_placed_row from) {
    PF_TRY(pfi_rows_fill(places->rows, from.row));
    PF_TRY(grow_marks(places));
    const pfi_cell *cells = pfi_rows_cells(places->rows, from.row);
    for (uint32_t i = places->first[from.last]; i < places->first[from.last + 1]; i++) {
        const pfi_next_word *next = &places->next.at[i];
        const pfi_cell *cell = &cells[next->column];
        if (cell->to == places->leads[i] || cell->cost == (double)INFINITY) continue; /* as a rule it was placed already */
        if (places->leads[i] == PFI_NO_ROW) places->leads[i] = cell->to;
        else places->mixed = true;
        PF_TRY(place(places, (pfi_placed_row){.row = cell->to, .last = next->position}, from.last));
    }
    return PF_OK;
}

/* *all: the rows are within the limit. */
static pf_err place_rows(row_places *places, size_t most, bool *all) {
    *all = false;
    PF_TRY(PF_PUSH(&places->placed, ((pfi_placed_row){0, places->length, places->length})));
    for (size_t i = 0; i < places->placed.n; i++) {
        if (places->rows->final.n > most) return PF_OK;
        if (i + AHEAD < places->placed.n) pfi_rows_fetch(places->rows, places->placed.at[i + AHEAD].row);
        PF_TRY(follow(places, places->placed.at[i]));
    }
    *all = true;
    return PF_OK;
}

/* The positions that came before those of the placed rows, where there is one each; else the length. */
static void find_before(const row_places *places) {
    for (size_t i = 1; i < places->placed.n; i++) {
        pfi_placed_row *at = &places->placed.at[i];
        const uint16_t mark = *mark_of(places, *at);
        assert(mark != NOWHERE);
        at->before = mark == SEVERAL ? places->length : mark - 1u;
    }
}

/* ---- the least costs ---- */

/* What may come next costs at least what the row says, when each row's potential is paid by the word that leads to it. */
static void take_placed(const row_places *places, const pfi_placed_row *from) {
    const pfi_cell *cells = pfi_rows_cells(places->rows, from->row);
    const double *potential = places->potential, paid = potential[from->row], end = places->rows->final.at[from->row] - paid;
    for (uint32_t i = places->first[from->last]; i < places->first[from->last + 1]; i++) {
        const pfi_next_word *next = &places->next.at[i];
        const pfi_cell *cell = &cells[next->column];
        const double cost = cell->cost - paid + potential[cell->to], least = places->least[i];
        places->least[i] = (cost < least) & pfi_can_come(next, from) ? cost : least; /* no branch: it could not be foretold */
    }
    if (end < places->end[from->last]) places->end[from->last] = end;
}

static void take_all(const row_places *places) {
    for (size_t i = 0; i < places->next.n; i++) places->least[i] = (double)INFINITY;
    for (size_t i = 0; i <= places->length; i++) places->end[i] = (double)INFINITY;
    for (size_t i = 0; i < places->placed.n; i++) take_placed(places, &places->placed.at[i]);
}

/* The costs of each alternative and of the end, after each position; and of each column, after what it may come after. */
static void hand_over(const row_places *places, const pfi_bound_tables *tables, pfi_model_costs *model) {
    const size_t ends = tables->slots.first[places->length];
    for (size_t last = 0; last <= places->length; last++) {
        double *after = &model->after[last * (ends + 1)];
        for (uint32_t i = places->first[last]; i < places->first[last + 1]; i++) {
            const pfi_next_word *next = &places->next.at[i];
            double *least = &model->least[next->column];
            after[next->alternative] = places->least[i];
            if (places->least[i] < *least) *least = places->least[i];
        }
        after[ends] = places->end[last];
    }
}

static pf_err find_potentials(const row_places *places, const pfi_bound_tables *tables) {
    const uint32_t words = tables->slots.first[places->length];
    double *own = malloc(words * sizeof *own);
    const pfi_placed_model model = {places->rows, &tables->slots, own, tables->space, places->first, places->next.at,
                                    places->leads, places->mixed, places->placed.at, places->placed.n,
                                    tables->potentials};
    if (!own) return pf_nomem();
    for (uint32_t word = 0; word < words; word++) own[word] = pfi_own_cost(tables, word);
    pf_err err = pfi_potentials_find(&model, places->potential);
    free(own);
    return err;
}

static pf_err find_costs(row_places *places, const pfi_bound_tables *tables, pfi_model_costs *model) {
    places->least = malloc((places->next.n + 1) * sizeof *places->least);
    places->end = malloc((places->length + (size_t)1) * sizeof *places->end);
    places->potential = model->potential = calloc(places->rows->final.n, sizeof *places->potential);
    if (!places->least || !places->end || !places->potential) return pf_nomem();
    find_before(places);
    if (tables->potentials) PF_TRY(find_potentials(places, tables));
    take_all(places);
    hand_over(places, tables, model);
    return PF_OK;
}

pf_err pfi_placed_least(const pfi_bound_tables *tables, pfi_model_costs *model, size_t most, bool *known) {
    row_places places = {.rows = model->rows, .length = tables->slots.n};
    places.first = malloc((places.length + 2u) * sizeof *places.first);
    pf_err err = places.first ? list_next(tables, model, &places) : pf_nomem();
    if (!err) err = lead_nowhere(&places);
    if (!err) err = place_rows(&places, most, known);
    if (!err && *known) err = find_costs(&places, tables, model);
    free(places.first);
    free(places.leads);
    free(places.least);
    free(places.end);
    PF_VEC_FREE(&places.next);
    PF_VEC_FREE(&places.placed);
    PF_VEC_FREE(&places.before);
    return err;
}
