/* Matrices of costs: first every two words get the cost of no link, then the links theirs. */
#include <permfst/tuples/monotonize.h>

#include "align/sound.h"
#include "base/contract.h"

#include <math.h>

#define LEAST_P 1e-4

void pf_costs_free(pf_costs *costs) { PF_VEC_FREE(&costs->at); }

pf_err pf_costs_resize(pf_costs *costs, uint32_t n_source, uint32_t n_target) {
    uint64_t count = (uint64_t)n_source * n_target;
    if (count > PF_MAX_COSTS)
        return pf_fail(PF_ELIMIT, "%u source words and %u target words: a matrix has at most %llu costs", n_source, n_target,
                       (unsigned long long)PF_MAX_COSTS);
    costs->n_source = n_source;
    costs->n_target = n_target;
    costs->at.n = 0;
    PF_TRY(PF_ROOM(&costs->at, (size_t)count));
    costs->at.n = (size_t)count;
    return PF_OK;
}

/* The length of one side, from whichever alignment knows it; linked_a and linked_b are one past the last links. */
static pf_err length(const char *what, uint32_t first, uint32_t second, uint32_t linked_a, uint32_t linked_b, uint32_t *words) {
    uint32_t linked = linked_a > linked_b ? linked_a : linked_b;
    if (first != PF_UNKNOWN_LENGTH && second != PF_UNKNOWN_LENGTH && first != second)
        return pf_fail(PF_EINPUT, "the two alignments differ in the length of the %s: %u and %u", what, first, second);
    *words = first != PF_UNKNOWN_LENGTH ? first : second != PF_UNKNOWN_LENGTH ? second : linked;
    if (linked <= *words) return PF_OK;
    return pf_fail(PF_EINPUT, "one alignment has a link of %s word %u, but the other one says that there are %u words", what,
                   linked, *words);
}

static pf_err resize(pf_costs *costs, const pf_alignment *first, const pf_alignment *second) {
    uint32_t lengths[2];
    PFI_CHECK(pfi_alignment_sound(first) && (!second || pfi_alignment_sound(second)));
    if (!second) return pf_costs_resize(costs, pf_alignment_sources(first), pf_alignment_targets(first));
    PF_TRY(length("source", first->n_source, second->n_source, pf_alignment_sources(first), pf_alignment_sources(second),
        &lengths[0]));
    PF_TRY(length("target", first->n_target, second->n_target, pf_alignment_targets(first), pf_alignment_targets(second),
        &lengths[1]));
    return pf_costs_resize(costs, lengths[0], lengths[1]);
}

static double *cell(pf_costs *costs, const pf_link *link) {
    assert(link->source < costs->n_source && link->target < costs->n_target);
    return &costs->at.at[(size_t)link->source * costs->n_target + link->target];
}

/* How far from the diagonal, in steps of 1/1024. */
static double off_diagonal(uint64_t i, uint64_t j, uint64_t I, uint64_t J) {
    uint64_t value = (2 * i - 1) * J, y = (2 * j - 1) * I;
    return 1 + (double)(256 * (value > y ? value - y : y - value) / (2 * I * J)) / 1024;
}

pf_err pf_costs_links(pf_costs *costs, const pf_alignment *first, const pf_alignment *second, double weight) {
    assert(!second || (weight >= 0 && weight <= 1));
    PF_TRY(resize(costs, first, second));
    for (uint32_t source = 0; source < costs->n_source; source++)
        for (uint32_t target = 0; target < costs->n_target; target++)
            costs->at.at[(size_t)source * costs->n_target + target] =
                off_diagonal(target + 1, source + 1, costs->n_target, costs->n_source);
    for (size_t k = 0; k < first->link.n; k++) *cell(costs, &first->link.at[k]) = second ? weight : 0;
    for (size_t at = 0; second && at < second->link.n; at++) {
        const pf_link *link = &second->link.at[at];
        *cell(costs, link) = pf_alignment_find(first, link->source, link->target) ? 0 : 1 - weight;
    }
    return PF_OK;
}

static double posterior(const pf_link *link) { return link && link->posterior > LEAST_P ? link->posterior : LEAST_P; }

/* The cost of two words that at least one alignment links; NULL: not linked, or no second alignment. */
static double mix(const pf_link *first, const pf_link *second, double weight) {
    return -log((1 - weight) * posterior(first) + weight * posterior(second));
}

static pf_err all_have_posteriors(const pf_alignment *links) {
    for (size_t at = 0; at < links->link.n; at++) {
        const pf_link *link = &links->link.at[at];
        if (isnan(link->posterior))
            return pf_fail(PF_EINPUT, "expected a posterior for link %u-%u, found none", link->source, link->target);
    }
    return PF_OK;
}

pf_err pf_costs_posteriors(pf_costs *costs, const pf_alignment *first, const pf_alignment *second, double weight) {
    if (!second) weight = 0;
    assert(weight >= 0 && weight <= 1);
    PF_TRY(resize(costs, first, second));
    PF_TRY(all_have_posteriors(first));
    if (second) PF_TRY(all_have_posteriors(second));
    double none = mix(NULL, NULL, weight);
    for (size_t k = 0; k < costs->at.n; k++) costs->at.at[k] = none;
    for (size_t at = 0; at < first->link.n; at++) {
        const pf_link *link = &first->link.at[at];
        *cell(costs, link) = mix(link, second ? pf_alignment_find(second, link->source, link->target) : NULL, weight);
    }
    for (size_t at = 0; second && at < second->link.n; at++) {
        const pf_link *there = &second->link.at[at];
        *cell(costs, there) = mix(pf_alignment_find(first, there->source, there->target), there, weight);
    }
    return PF_OK;
}
