/* Rows of what is left, each made from the one before. */
#include "search/left.h"

#include <permfst/base/cover.h>

#include <string.h>

#define COVERED (-INFINITY)
#define ALONE INFINITY

void pfi_lefts_free(pfi_lefts *lefts) {
    PF_VEC_FREE(&lefts->row);
    PF_VEC_FREE(&lefts->least);
}

static pf_err add_row(const pfi_bound *b, pfi_lefts *to, pfi_left **left, float **least) {
    PF_TRY(PF_ROOM(&to->least, b->stride));
    *least = &to->least.at[to->least.n];
    to->least.n += b->stride;
    PF_TRY(PF_PUSH(&to->row, ((pfi_left){0, 0, 0})));
    *left = &to->row.at[to->row.n - 1];
    return PF_OK;
}

static const float *behind(const pfi_bound *b, size_t q) { return &b->behind[q * b->stride]; }

/* What member j costs behind the cheapest other member. */
static float cheapest(const pfi_bound *b, const float *least, unsigned j) {
    const uint16_t *q = &b->by_cost[(size_t)j * b->n], *last = q + b->n;
    while (q < last && (*q == j || least[*q] == COVERED)) q++;
    return q < last ? behind(b, *q)[j] : ALONE;
}

static uint32_t cheapest_end(const pfi_bound *b, const float *least) {
    const uint16_t *q = b->by_end, *last = q + b->n;
    while (q < last && least[*q] == COVERED) q++;
    return q < last ? *q : b->n;
}

pf_err pfi_left_of(pfi_bound *b, pf_state state, pfi_lefts *to) {
    unsigned n = b->n, nw = pf_cover_words(n);
    pfi_left *left;
    float *least;
    PF_TRY(add_row(b, to, &left, &least));
    b->fst->op->cover(b->fst->self, state, b->uncovered);
    pf_cover_uncovered(b->uncovered, n, b->uncovered);
    for (size_t j = 0; j < b->stride; j++) least[j] = COVERED;
    for (unsigned j = pf_cover_next(b->uncovered, nw, 0); j < n; j = pf_cover_next(b->uncovered, nw, j + 1)) least[j] = ALONE;
    for (unsigned j = 0; j < n; j++) {
        if (least[j] == COVERED) continue;
        left->n++;
        least[j] = cheapest(b, least, j);
        if (least[j] != ALONE) left->sum += (double)least[j];
    }
    left->end = cheapest_end(b, least);
    if (left->n) left->sum += b->end[left->end];
    return PF_OK;
}

static bool any_equal(const float *a, const float *b) {
    int hits = 0;
    for (size_t i = 0; i < PFI_CHUNK; i++) hits |= a[i] == b[i];
    return hits;
}

/* Members whose costs are those behind k, which is a member no more, need another one. */
static void replace(const pfi_bound *b, const float *behind_k, float *least, pfi_left *left) {
    for (unsigned first = 0; first < b->n; first += PFI_CHUNK) {
        if (!any_equal(&least[first], &behind_k[first])) continue;
        for (unsigned j = first; j < first + PFI_CHUNK; j++) {
            if (least[j] != behind_k[j]) continue;
            left->sum -= (double)least[j];
            least[j] = cheapest(b, least, j);
            if (least[j] != ALONE) left->sum += (double)least[j];
        }
    }
}

pf_err pfi_left_after(const pfi_bound *b, const pfi_lefts *lefts, size_t from, unsigned k, pfi_lefts *to) {
    pfi_left *left;
    float *least;
    PF_TRY(add_row(b, to, &left, &least));
    *left = lefts->row.at[from];
    memcpy(least, &lefts->least.at[from * b->stride], b->stride * sizeof *least);
    if (least[k] != ALONE) left->sum -= (double)least[k];
    least[k] = COVERED;
    left->n--;
    replace(b, behind(b, k), least, left);
    if (left->end == k) {
        left->end = cheapest_end(b, least);
        left->sum += (left->n ? b->end[left->end] : 0) - b->end[k];
    }
    return PF_OK;
}

double pfi_left_rest(const pfi_bound *b, const pfi_lefts *lefts, size_t row, pf_label in) {
    const pfi_left *left = &lefts->row.at[row];
    const float *least = &lefts->least.at[row * b->stride];
    const float *first = behind(b, b->positions ? (size_t)in - 1 : b->n);
    float more[PFI_CHUNK], fewest = INFINITY;
    if (!left->n) return b->end[b->positions ? (unsigned)in - 1 : b->by_end[0]];
    if (left->n == 1) return (double)first[left->end] + b->end[left->end];
    for (size_t i = 0; i < PFI_CHUNK; i++) more[i] = INFINITY;
    for (size_t j = 0; j < b->n; j += PFI_CHUNK)
        for (size_t i = 0; i < PFI_CHUNK; i++) {
            float difference = first[j + i] - least[j + i];
            more[i] = difference < more[i] ? difference : more[i];
        }
    for (size_t i = 0; i < PFI_CHUNK; i++) fewest = more[i] < fewest ? more[i] : fewest;
    return left->sum + (double)fewest;
}
