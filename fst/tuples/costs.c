/* Matrices of costs: first every two words get the cost of no link, then the links theirs. */
#include <permfst/tuples/monotonize.h>

#include "align/sound.h"
#include "base/contract.h"

#include <math.h>

#define LEAST_P 1e-4

void pf_costs_free(pf_costs *c) { PF_VEC_FREE(&c->at); }

pf_err pf_costs_resize(pf_costs *c, uint32_t n_source, uint32_t n_target) {
    uint64_t n = (uint64_t)n_source * n_target;
    if (n > PF_MAX_COSTS)
        return pf_fail(PF_ELIMIT, "%u source words and %u target words: a matrix has at most %llu costs", n_source, n_target,
                       (unsigned long long)PF_MAX_COSTS);
    c->n_source = n_source;
    c->n_target = n_target;
    c->at.n = 0;
    PF_TRY(PF_ROOM(&c->at, (size_t)n));
    c->at.n = (size_t)n;
    return PF_OK;
}

/* The length of one side, from whichever alignment knows it; linked_a and linked_b are one past the last links. */
static pf_err length(const char *what, uint32_t a, uint32_t b, uint32_t linked_a, uint32_t linked_b, uint32_t *n) {
    uint32_t linked = linked_a > linked_b ? linked_a : linked_b;
    if (a != PF_UNKNOWN_LENGTH && b != PF_UNKNOWN_LENGTH && a != b)
        return pf_fail(PF_EINPUT, "the two alignments differ in the length of the %s: %u and %u", what, a, b);
    *n = a != PF_UNKNOWN_LENGTH ? a : b != PF_UNKNOWN_LENGTH ? b : linked;
    if (linked <= *n) return PF_OK;
    return pf_fail(PF_EINPUT, "one alignment has a link of %s word %u, but the other one says that there are %u words",
                   what, linked, *n);
}

static pf_err resize(pf_costs *c, const pf_alignment *a, const pf_alignment *b) {
    uint32_t n[2];
    PFI_CHECK(pfi_alignment_sound(a) && (!b || pfi_alignment_sound(b)));
    if (!b) return pf_costs_resize(c, pf_alignment_sources(a), pf_alignment_targets(a));
    PF_TRY(length("source", a->n_source, b->n_source, pf_alignment_sources(a), pf_alignment_sources(b), &n[0]));
    PF_TRY(length("target", a->n_target, b->n_target, pf_alignment_targets(a), pf_alignment_targets(b), &n[1]));
    return pf_costs_resize(c, n[0], n[1]);
}

static double *cell(pf_costs *c, const pf_link *l) {
    assert(l->source < c->n_source && l->target < c->n_target);
    return &c->at.at[(size_t)l->source * c->n_target + l->target];
}

/* How far from the diagonal, in steps of 1/1024. */
static double off_diagonal(uint64_t i, uint64_t j, uint64_t I, uint64_t J) {
    uint64_t x = (2 * i - 1) * J, y = (2 * j - 1) * I;
    return 1 + (double)(256 * (x > y ? x - y : y - x) / (2 * I * J)) / 1024;
}

pf_err pf_costs_links(pf_costs *c, const pf_alignment *a, const pf_alignment *b, double w) {
    assert(!b || (w >= 0 && w <= 1));
    PF_TRY(resize(c, a, b));
    for (uint32_t j = 0; j < c->n_source; j++)
        for (uint32_t i = 0; i < c->n_target; i++)
            c->at.at[(size_t)j * c->n_target + i] = off_diagonal(i + 1, j + 1, c->n_target, c->n_source);
    for (size_t k = 0; k < a->link.n; k++) *cell(c, &a->link.at[k]) = b ? w : 0;
    for (size_t k = 0; b && k < b->link.n; k++) {
        const pf_link *l = &b->link.at[k];
        *cell(c, l) = pf_alignment_find(a, l->source, l->target) ? 0 : 1 - w;
    }
    return PF_OK;
}

static double posterior(const pf_link *l) { return l && l->posterior > LEAST_P ? l->posterior : LEAST_P; }

/* The cost of two words that at least one alignment links; NULL: not linked, or no second alignment. */
static double mix(const pf_link *a, const pf_link *b, double w) { return -log((1 - w) * posterior(a) + w * posterior(b)); }

static pf_err all_have_posteriors(const pf_alignment *a) {
    for (size_t k = 0; k < a->link.n; k++) {
        const pf_link *l = &a->link.at[k];
        if (isnan(l->posterior)) return pf_fail(PF_EINPUT, "expected a posterior for link %u-%u, found none", l->source, l->target);
    }
    return PF_OK;
}

pf_err pf_costs_posteriors(pf_costs *c, const pf_alignment *a, const pf_alignment *b, double w) {
    if (!b) w = 0;
    assert(w >= 0 && w <= 1);
    PF_TRY(resize(c, a, b));
    PF_TRY(all_have_posteriors(a));
    if (b) PF_TRY(all_have_posteriors(b));
    double none = mix(NULL, NULL, w);
    for (size_t k = 0; k < c->at.n; k++) c->at.at[k] = none;
    for (size_t k = 0; k < a->link.n; k++) {
        const pf_link *l = &a->link.at[k];
        *cell(c, l) = mix(l, b ? pf_alignment_find(b, l->source, l->target) : NULL, w);
    }
    for (size_t k = 0; b && k < b->link.n; k++) {
        const pf_link *l = &b->link.at[k];
        *cell(c, l) = mix(pf_alignment_find(a, l->source, l->target), l, w);
    }
    return PF_OK;
}
