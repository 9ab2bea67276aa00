/* Rest costs of coverages, each made from that of a smaller coverage. */
#include "search/rest.h"

#include "base/contract.h"

#include <permfst/base/cover.h>

#include <string.h>

#define COVERED (-INFINITY)
#define ALONE INFINITY

void pfi_rests_free(pfi_rests *rests) {
    PF_VEC_FREE(&rests->of);
    PF_VEC_FREE(&rests->least);
}

void pfi_rests_clear(pfi_rests *rests) { rests->of.n = rests->least.n = 0; }

static pf_err add(const pfi_bound *bound, pfi_rests *to, pfi_rest **rest, float **least) {
    PF_TRY(PF_ROOM(&to->least, bound->stride));
    *least = &to->least.at[to->least.n];
    to->least.n += bound->stride;
    PF_TRY(PF_PUSH(&to->of, ((pfi_rest){0, 0, 0})));
    *rest = &to->of.at[to->of.n - 1];
    return PF_OK;
}

/* The least costs of all positions after position `last`. */
static const float *costs_after(const pfi_bound *bound, size_t last) { return &bound->after[last * bound->stride]; }

/* The cost of `position` after the cheapest other uncovered position. */
static float cheapest(const pfi_bound *bound, const float *least, unsigned position) {
    const uint16_t *at = &bound->by_cost[(size_t)position * bound->length], *last = at + bound->length;
    while (at < last && (*at == position || least[*at] == COVERED)) at++;
    return at < last ? costs_after(bound, *at)[position] : ALONE;
}

static uint32_t cheapest_last(const pfi_bound *bound, const float *least) {
    const uint16_t *at = bound->by_end, *last = at + bound->length;
    while (at < last && least[*at] == COVERED) at++;
    return at < last ? *at : bound->length;
}

/* The sum of the least costs and the end. It is made anew for each coverage: a sum from which costs were taken away would keep
 * the rounding errors of the largest of them, and might then be no bound. */
static void add_up(const pfi_bound *bound, const float *least, pfi_rest *rest) {
    rest->sum = 0;
    for (unsigned j = 0; j < bound->length; j++) rest->sum += least[j] == COVERED || least[j] == ALONE ? 0 : (double)least[j];
    if (rest->uncovered) rest->sum += bound->end_after[rest->last];
}

pf_err pfi_rest_of_state(pfi_bound *bound, pf_state state, pfi_rests *to) {
    unsigned length = bound->length, nw = pf_cover_words(length);
    uint64_t *uncovered = bound->uncovered;
    pfi_rest *rest;
    float *least;
    assert(bound->known);
    PF_TRY(add(bound, to, &rest, &least));
    bound->fst->op->cover(bound->fst->self, state, uncovered);
    pf_cover_uncovered(uncovered, length, uncovered);
    for (size_t j = 0; j < bound->stride; j++) least[j] = COVERED;
    for (unsigned j = pf_cover_next(uncovered, nw, 0); j < length; j = pf_cover_next(uncovered, nw, j + 1))
        least[j] = ALONE;
    for (unsigned j = 0; j < length; j++) {
        if (least[j] == COVERED) continue;
        rest->uncovered++;
        least[j] = cheapest(bound, least, j);
    }
    rest->last = cheapest_last(bound, least);
    add_up(bound, least, rest);
    return PF_OK;
}

static bool any_equal(const float *first, const float *second) {
    int hits = 0;
    for (size_t i = 0; i < PFI_CHUNK; i++) hits |= first[i] == second[i];
    return hits;
}

/* Position k is covered now. Uncovered positions whose least costs are those after k need another one. */
static void replace(const pfi_bound *bound, unsigned k, float *least) {
    const float *after = costs_after(bound, k);
    for (unsigned first = 0; first < bound->length; first += PFI_CHUNK) {
        if (!any_equal(&least[first], &after[first])) continue;
        for (unsigned j = first; j < first + PFI_CHUNK; j++)
            if (least[j] == after[j]) least[j] = cheapest(bound, least, j);
    }
}

pf_err pfi_rest_of_next(const pfi_bound *bound, const pfi_rests *rests, size_t from, unsigned position, pfi_rests *to) {
    pfi_rest *rest;
    float *least;
    assert(from < rests->of.n && position < bound->length && rests != to);
    PF_TRY(add(bound, to, &rest, &least));
    *rest = rests->of.at[from];
    memcpy(least, &rests->least.at[from * bound->stride], bound->stride * sizeof *least);
    assert(least[position] != COVERED);
    least[position] = COVERED;
    rest->uncovered--;
    replace(bound, position, least);
    if (rest->last == position) rest->last = cheapest_last(bound, least);
    add_up(bound, least, rest);
    return PF_OK;
}

bool pfi_rest_is_of(pfi_bound *bound, pf_state state, const pfi_rests *rests, size_t index) {
    pfi_rests made = {0};
    bool same = index < rests->of.n;
    if (same && !pfi_rest_of_state(bound, state, &made)) {
        const pfi_rest *first = &rests->of.at[index], *second = &made.of.at[0];
        same = first->uncovered == second->uncovered && first->last == second->last && first->sum == second->sum;
        for (size_t j = 0; same && j < bound->stride; j++) same = rests->least.at[index * bound->stride + j] == made.least.at[j];
    }
    pfi_rests_free(&made);
    return same;
}

/* The halves are compared first, in one vector operation. */
static float least_of(float x[PFI_CHUNK]) {
    enum { HALF = PFI_CHUNK / 2 };
    float least = INFINITY;
    for (size_t i = 0; i < HALF; i++) x[i] = x[i] < x[i + HALF] ? x[i] : x[i + HALF];
    for (size_t i = 0; i < HALF; i++) least = x[i] < least ? x[i] : least;
    return least;
}

double pfi_rest_cost(const pfi_bound *bound, const pfi_rests *rests, size_t index, pf_label in) {
    const size_t row = bound->positions && in ? (size_t)in - 1 : bound->length; /* length: after anything */
    assert(index < rests->of.n && row <= bound->length);
    const pfi_rest *rest = &rests->of.at[index];
    const float *least = &rests->least.at[index * bound->stride], *first = costs_after(bound, row);
    float more[PFI_CHUNK];
    if (!rest->uncovered) return bound->end_after[row < bound->length ? row : bound->by_end[0]];
    if (rest->uncovered == 1) return (double)first[rest->last] + bound->end_after[rest->last];
    for (size_t i = 0; i < PFI_CHUNK; i++) more[i] = INFINITY;
    for (size_t j = 0; j < bound->length; j += PFI_CHUNK)
        for (size_t i = 0; i < PFI_CHUNK; i++) {
            float difference = first[j + i] - least[j + i];
            more[i] = difference < more[i] ? difference : more[i];
        }
    return rest->sum + (double)least_of(more);
}
