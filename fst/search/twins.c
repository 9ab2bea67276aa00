/* Twins are found by comparing each position with those to its left. */
#include "search/twins.h"

#include <permfst/base/cover.h>

#include <assert.h>
#include <stdlib.h>

/* column: of each alternative, that of its output. */
static bool are_alike(const pf_slots_view *slots, const uint32_t *column, uint32_t one, uint32_t other) {
    const uint32_t first = slots->first[one], second = slots->first[other], count = slots->first[one + 1] - first;
    if (slots->first[other + 1] - second != count) return false;
    for (uint32_t i = 0; i < count; i++)
        if (column[first + i] != column[second + i] || slots->arc[first + i].w != slots->arc[second + i].w) return false;
    return true;
}

/* Is there any position with a twin? */
static bool find_twins(const pf_slots_view *slots, const uint32_t *column, uint32_t *twin) {
    bool any = false;
    for (uint32_t j = 0; j < slots->n; j++) {
        uint32_t left = j;
        while (left > 0 && !are_alike(slots, column, left - 1, j)) left--;
        twin[j] = left ? left - 1 : slots->n;
        any = any || left;
    }
    return any;
}

pf_err pfi_twins_init(pfi_twins *twins, pfi_rows *rows, const pf_slots_view *slots) {
    const uint32_t n = slots->n, alternatives = slots->first[n];
    assert(slots->positions);
    twins->length = n;
    twins->left = malloc((n + (size_t)1) * sizeof *twins->left);
    twins->covered = malloc(pf_cover_words(n) * sizeof *twins->covered);
    uint32_t *column = malloc((alternatives + (size_t)1) * sizeof *column);
    if (!twins->left || !twins->covered || !column) {
        free(column);
        return pf_nomem();
    }
    for (uint32_t i = 0; i < alternatives; i++) column[i] = pfi_rows_column(rows, slots->arc[i].out);
    const bool any = find_twins(slots, column, twins->left);
    free(column);
    if (any) return PF_OK;
    free(twins->left);
    twins->left = NULL;
    return PF_OK;
}

void pfi_twins_free(pfi_twins *twins) {
    free(twins->left);
    free(twins->covered);
}

void pfi_twins_look(pfi_twins *twins, const pf_fst *fst, pf_state state) { fst->op->cover(fst->self, state, twins->covered); }

bool pfi_twins_wait(const pfi_twins *twins, unsigned position) {
    assert(position < twins->length);
    return twins->left[position] < twins->length && !pf_cover_has(twins->covered, twins->left[position]);
}
