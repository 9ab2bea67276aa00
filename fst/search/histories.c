/* Histories, made of the rows that are placed. */
#include "search/histories.h"

#include "base/contract.h"
#include "search/bound.h"

#include <math.h>
#include <stdlib.h>

/* ---- kinds ---- */

/* A row that stands for all of its kind. */
static uint32_t find_leader(uint32_t *leader, uint32_t row) {
    while (leader[row] != row) row = leader[row] = leader[leader[row]];
    return row;
}

/* The rows that a word leads to from those placed after a position become one kind. */
static void join_kinds(const pfi_placed_model *model, const pfi_placed_row *from, uint32_t *leader) {
    const pfi_cell *cells = pfi_rows_cells(model->rows, from->row);
    for (uint32_t i = model->first[from->last]; i < model->first[from->last + 1]; i++) {
        const pfi_cell *cell = &cells[model->next[i].column];
        if (model->leads[i] == cell->to || cell->cost == (double)INFINITY) continue;
        const uint32_t one = find_leader(leader, model->leads[i]), other = find_leader(leader, cell->to);
        leader[one > other ? one : other] = one > other ? other : one;
    }
}

static void number_kinds(pfi_histories *of, const pfi_placed_model *model, uint32_t *leader) {
    of->kinds = 1;
    for (size_t i = 1; i < model->count; i++) {
        const uint32_t row = model->placed[i].row, first = find_leader(leader, row);
        if (first && !of->kind[first]) of->kind[first] = of->kinds++;
        of->kind[row] = of->kind[first];
    }
}

static pf_err find_kinds(pfi_histories *of, const pfi_placed_model *model) {
    uint32_t *leader = malloc(of->rows * sizeof *leader);
    if (!leader) return pf_nomem();
    for (uint32_t row = 0; row < of->rows; row++) {
        leader[row] = row;
        of->kind[row] = 0;
    }
    for (size_t i = 0; model->mixed && i < model->count; i++) join_kinds(model, &model->placed[i], leader);
    number_kinds(of, model, leader);
    for (uint32_t i = 0; i < model->first[of->length + 1]; i++)
        of->leads[i] = model->leads[i] == PFI_NO_ROW ? 0 : of->kind[model->leads[i]];
    free(leader);
    return PF_OK;
}

/* ---- histories ---- */

/* The placed rows, by their positions. `cursor` has as many zeros as there are positions, and two more. */
static void sort_placed(const pfi_histories *of, const pfi_placed_model *model, uint32_t *cursor, uint32_t *sorted) {
    for (size_t i = 0; i < model->count; i++) cursor[model->placed[i].last + 1]++;
    for (unsigned last = 0; last <= of->length; last++) cursor[last + 1] += cursor[last];
    for (size_t i = 0; i < model->count; i++) sorted[cursor[model->placed[i].last]++] = (uint32_t)i;
}

/* What a placed row says becomes known of a history. */
static void take_placed(const pfi_histories *of, const pfi_placed_model *model, const pfi_placed_row *from, uint32_t history) {
    const pfi_cell *cells = pfi_rows_cells(model->rows, from->row);
    const float end_cost = (float)model->rows->final.at[from->row];
    float *cost = &of->cost[history * of->stride];
    const pfi_next_word *next = &model->next[model->first[from->last]], *end = &model->next[model->first[from->last + 1]];
    for (; next < end; next++) {
        const float one = (float)cells[next->column].cost, least = cost[next->alternative];
        cost[next->alternative] = (one < least) & pfi_can_come(next, from) ? one : least; /* no branch: it could not be foretold */
    }
    of->end[history] = end_cost < of->end[history] ? end_cost : of->end[history];
}

/* seen[kind]: 1 + the last history of it. */
static void take_all(const pfi_histories *of, const pfi_placed_model *model, const uint32_t *sorted, uint32_t *seen) {
    uint32_t histories = 0;
    unsigned last = 0;
    for (size_t i = 0; i < model->count; i++) {
        const pfi_placed_row *from = &model->placed[sorted[i]];
        const uint32_t kind = of->kind[from->row];
        for (; last <= from->last; last++) of->first[last] = histories;
        if (seen[kind] <= of->first[from->last]) {
            of->kind_of[histories++] = kind;
            seen[kind] = histories;
        }
        take_placed(of, model, from, seen[kind] - 1);
    }
    for (; last <= of->length + 1; last++) of->first[last] = histories;
}

static pf_err find_histories(pfi_histories *of, const pfi_placed_model *model) {
    const size_t count = model->count, costs = count * of->stride;
    uint32_t *cursor = calloc(of->length + (size_t)2, sizeof *cursor);
    uint32_t *sorted = malloc(count * sizeof *sorted), *seen = calloc(of->kinds, sizeof *seen);
    const bool room = cursor && sorted && seen;
    for (size_t i = 0; room && i < costs; i += PFI_CHUNK)
        for (size_t k = 0; k < PFI_CHUNK; k++) of->cost[i + k] = INFINITY;
    for (size_t i = 0; room && i < count; i++) of->end[i] = INFINITY;
    if (room) {
        sort_placed(of, model, cursor, sorted);
        take_all(of, model, sorted, seen);
    }
    free(cursor);
    free(sorted);
    free(seen);
    return room ? PF_OK : pf_nomem();
}

static void find_positions(const pfi_histories *of, const pf_slots_view *slots) {
    for (unsigned position = 0; position < of->length; position++)
        for (uint32_t word = slots->first[position]; word < slots->first[position + 1]; word++)
            of->position[word] = (uint16_t)position;
}

static pf_err allocate(pfi_histories *of, const pfi_placed_model *model) {
    const size_t lasts = of->length + (size_t)1, next = model->first[lasts] + (size_t)1, count = model->count;
    pf_arena *memory = &of->memory;
    of->kind = pf_arena_get(memory, of->rows * sizeof *of->kind);
    of->leads = pf_arena_get(memory, next * sizeof *of->leads);
    of->first = pf_arena_get(memory, (lasts + 1) * sizeof *of->first);
    of->kind_of = pf_arena_get(memory, count * sizeof *of->kind_of);
    of->cost = pf_arena_get(memory, count * of->stride * sizeof *of->cost);
    of->end = pf_arena_get(memory, count * sizeof *of->end);
    of->position = pf_arena_get(memory, of->words * sizeof *of->position);
    return of->kind && of->leads && of->first && of->kind_of && of->cost && of->end && of->position ? PF_OK : pf_nomem();
}

pf_err pfi_histories_init(pfi_histories *histories, const pfi_placed_model *model) {
    const unsigned n = model->slots->n;
    const uint32_t words = model->slots->first[n];
    assert(n && model->count && model->placed[0].last == n);
    *histories = (pfi_histories){.length = n, .words = words, .rows = (uint32_t)model->rows->final.n};
    histories->stride = pfi_whole_chunks(words);
    PF_TRY(allocate(histories, model));
    find_positions(histories, model->slots);
    PF_TRY(find_kinds(histories, model));
    return find_histories(histories, model);
}

void pfi_histories_free(pfi_histories *histories) { pf_arena_free(&histories->memory); }
