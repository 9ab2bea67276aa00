/* A1 and A2 take the minima of the rows and of the columns of the matrix. A3 goes backwards over the targets. For each source word
 * of A2 it has the least rest cost from there, and one byte a step that says whether the best rest moves on to the next word.
 * Read forwards, these bytes give the lexicographically lowest of the best, because staying wins ties. Costs that differ by
 * rounding alone are ties. */
#include <permfst/tuples/monotonize.h>

#include "base/contract.h"
#include "tuples/sound.h"

#include <float.h>
#include <math.h>
#include <string.h>

void pf_monotone_free(pf_monotone *monotone) {
    PF_VEC_FREE(&monotone->a1);
    PF_VEC_FREE(&monotone->a2);
    PF_VEC_FREE(&monotone->a3);
    PF_VEC_FREE(&monotone->used);
    PF_VEC_FREE(&monotone->cost);
    PF_VEC_FREE(&monotone->go);
}

static const double *row(const pf_costs *costs, uint32_t source) { return costs->at.at + (size_t)source * costs->n_target; }

/* A matrix without columns has no memory for its rows. */
static bool empty(const pf_costs *costs) { return !costs->n_source || !costs->n_target; }

/* Is `first`, a sum of `count` costs, less than `second`, another one? Costs may be logarithms: then equal products have
 * sums that differ by what the products, the logarithms and the additions were rounded by, each of these by a few
 * DBL_EPSILON of 1 + |cost| or of the sum. Sums of links are multiples of 1/1024 below 2^17 (at w = 0.5), of which none
 * are as near to one another. */
static bool less(double first, double second, size_t count) {
    return second - first > 16 * DBL_EPSILON * (double)count * (1 + fabs(first));
}

static pf_err make_room(pf_monotone *monotone, const pf_costs *costs) {
    monotone->a1.n = monotone->a2.n = monotone->a3.n = monotone->used.n = monotone->cost.n = monotone->go.n = 0;
    if (empty(costs)) return PF_OK;
    PF_TRY(PF_ROOM(&monotone->a1, costs->n_source));
    PF_TRY(PF_ROOM(&monotone->a2, costs->n_target));
    PF_TRY(PF_ROOM(&monotone->a3, costs->n_target));
    PF_TRY(PF_ROOM(&monotone->used, (size_t)costs->n_source + costs->n_target)); /* also used to count sources by target */
    return PF_ROOM(&monotone->cost, (size_t)costs->n_source + costs->n_target);
}

static void find_a1(pf_monotone *monotone, const pf_costs *costs) {
    for (uint32_t source = 0; source < costs->n_source; source++) {
        const double *cost = row(costs, source);
        uint32_t best = 0;
        for (uint32_t target = 1; target < costs->n_target; target++)
            if (less(cost[target], cost[best], 1)) best = target;
        monotone->a1.at[monotone->a1.n++] = best;
    }
}

/* By A1: a counting sort, which keeps the source order of what has one target. */
static void sort_sources(pf_monotone *monotone, const pf_costs *costs, pf_tuples *out) {
    uint32_t *begin = monotone->used.at, sum = 0;
    for (uint32_t i = 0; i < costs->n_target; i++) begin[i] = 0;
    for (uint32_t j = 0; j < costs->n_source; j++) begin[monotone->a1.at[j]]++;
    for (uint32_t target = 0; target < costs->n_target; target++) {
        uint32_t words = begin[target];
        begin[target] = sum;
        sum += words;
    }
    for (uint32_t j = 0; j < costs->n_source; j++) out->order.at[begin[monotone->a1.at[j]]++] = j;
}

static void find_a2(pf_monotone *monotone, const pf_costs *costs, const pf_tuples *out) {
    double *best = monotone->cost.at;
    monotone->a2.n = costs->n_target;
    for (uint32_t place = 0; place < costs->n_source; place++) {
        const double *cost = row(costs, out->order.at[place]);
        for (uint32_t target = 0; target < costs->n_target; target++) {
            if (place && !less(cost[target], best[target], 1)) continue;
            best[target] = cost[target];
            monotone->a2.at[target] = place;
        }
    }
}

/* The places that A2 has, ascending. */
static pf_err find_used(pf_monotone *monotone, const pf_costs *costs) {
    PF_TRY(PF_ROOM(&monotone->go, costs->n_source));
    memset(monotone->go.at, 0, costs->n_source);
    for (uint32_t i = 0; i < costs->n_target; i++) monotone->go.at[monotone->a2.at[i]] = 1;
    for (uint32_t place = 0; place < costs->n_source; place++)
        if (monotone->go.at[place]) monotone->used.at[monotone->used.n++] = place;
    return PF_OK;
}

/* go[target * count + place]: does the best rest after a target, at a place of the used sources, move on to the next source? A
 * rest cost is the least there is even if staying ties with it, so a tie adds nothing to the rounding error of the sums before
 * it. */
static pf_err find_a3(pf_monotone *monotone, const pf_costs *costs, const pf_tuples *out) {
    size_t count = monotone->used.n;
    uint32_t last = costs->n_target - 1;
    double *rest = monotone->cost.at;
    PF_TRY(PF_ROOM(&monotone->go, count * last));
    for (size_t place = 0; place < count; place++)
        rest[place] = place + 1 == count ? row(costs, out->order.at[monotone->used.at[place]])[last] : INFINITY;
    for (uint32_t target = last; target--;) {
        unsigned char *go = monotone->go.at + target * count;
        for (size_t place = 0; place < count; place++) {
            double next = place + 1 < count ? rest[place + 1] : INFINITY;
            go[place] = less(next, rest[place], last - target);
            rest[place] = row(costs, out->order.at[monotone->used.at[place]])[target] + (next < rest[place] ? next : rest[place]);
        }
    }
    for (size_t target = 0, place = 0; target <= last; target++) {
        monotone->a3.at[monotone->a3.n++] = monotone->used.at[place];
        if (target < last) place += monotone->go.at[target * count + place];
    }
    return PF_OK;
}

static void cut(const pf_monotone *monotone, pf_tuples *out) {
    uint32_t end = 0;
    for (uint32_t place = 0; place < out->order.n; place++) {
        while (end < monotone->a3.n && monotone->a3.at[end] == place) end++;
        out->tuple.at[out->tuple.n++] = (pf_tuple){place + 1, end};
    }
}

pf_err pf_monotonize(pf_monotone *monotone, const pf_costs *costs, bool keep_order, pf_tuples *out) {
    assert(costs->at.n == (size_t)costs->n_source * costs->n_target);
    pf_tuples_reset(out);
    PF_TRY(make_room(monotone, costs));
    PF_TRY(PF_ROOM(&out->order, costs->n_source));
    PF_TRY(PF_ROOM(&out->tuple, costs->n_source));
    for (uint32_t j = 0; j < costs->n_source; j++) out->order.at[out->order.n++] = j;
    if (!costs->n_source) return costs->n_target ? PF_PUSH(&out->tuple, ((pf_tuple){0, costs->n_target})) : PF_OK;
    if (!keep_order && !empty(costs)) {
        find_a1(monotone, costs);
        sort_sources(monotone, costs, out);
    }
    if (!empty(costs)) {
        find_a2(monotone, costs, out);
        PF_TRY(find_used(monotone, costs));
        PF_TRY(find_a3(monotone, costs, out));
    }
    cut(monotone, out);
    PFI_CHECK(pfi_tuples_sound(out));
    return PF_OK;
}
