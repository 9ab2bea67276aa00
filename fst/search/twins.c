/* Twins are found by comparing each position with those to its left. */
#include "search/twins.h"

#include <permfst/base/cover.h>

#include <assert.h>
#include <stdlib.h>

static bool are_alike(pfi_rows *rows, const pf_slots_view *slots, uint32_t one, uint32_t other) {
    const pf_arc *first = &slots->arc[slots->first[one]], *second = &slots->arc[slots->first[other]];
    const uint32_t count = slots->first[one + 1] - slots->first[one];
    if (slots->first[other + 1] - slots->first[other] != count) return false;
    for (uint32_t i = 0; i < count; i++)
        if (first[i].w != second[i].w || pfi_rows_column(rows, first[i].out) != pfi_rows_column(rows, second[i].out)) return false;
    return true;
}

pf_err pfi_twins_init(pfi_twins *twins, pfi_rows *rows, const pf_slots_view *slots) {
    const uint32_t n = slots->n;
    bool any = false;
    assert(slots->positions);
    twins->length = n;
    twins->left = malloc((n + (size_t)1) * sizeof *twins->left);
    twins->covered = malloc(pf_cover_words(n) * sizeof *twins->covered);
    if (!twins->left || !twins->covered) return pf_nomem();
    for (uint32_t j = 0; j < n; j++) {
        uint32_t left = j;
        while (left > 0 && !are_alike(rows, slots, left - 1, j)) left--;
        twins->left[j] = left ? left - 1 : n;
        any = any || left;
    }
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
