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

void pf_monotone_free(pf_monotone *m) {
    PF_VEC_FREE(&m->a1);
    PF_VEC_FREE(&m->a2);
    PF_VEC_FREE(&m->a3);
    PF_VEC_FREE(&m->used);
    PF_VEC_FREE(&m->cost);
    PF_VEC_FREE(&m->go);
}

static const double *row(const pf_costs *c, uint32_t source) { return c->at.at + (size_t)source * c->n_target; }

/* A matrix without columns has no memory for its rows. */
static bool empty(const pf_costs *c) { return !c->n_source || !c->n_target; }

/* Is a, a sum of n costs, less than b, another one? Costs may be logarithms: then equal products have sums that differ by what
 * the products, the logarithms and the n additions were rounded by, each of these by a few DBL_EPSILON of 1 + |cost| or of the
 * sum. Sums of links are multiples of 1/1024 below 2^17 (at w = 0.5), of which none are as near to one another. */
static bool less(double a, double b, size_t n) { return b - a > 16 * DBL_EPSILON * (double)n * (1 + fabs(a)); }

static pf_err make_room(pf_monotone *m, const pf_costs *c) {
    m->a1.n = m->a2.n = m->a3.n = m->used.n = m->cost.n = m->go.n = 0;
    if (empty(c)) return PF_OK;
    PF_TRY(PF_ROOM(&m->a1, c->n_source));
    PF_TRY(PF_ROOM(&m->a2, c->n_target));
    PF_TRY(PF_ROOM(&m->a3, c->n_target));
    PF_TRY(PF_ROOM(&m->used, (size_t)c->n_source + c->n_target)); /* also used to count sources by target */
    return PF_ROOM(&m->cost, (size_t)c->n_source + c->n_target);
}

static void find_a1(pf_monotone *m, const pf_costs *c) {
    for (uint32_t j = 0; j < c->n_source; j++) {
        const double *cost = row(c, j);
        uint32_t best = 0;
        for (uint32_t i = 1; i < c->n_target; i++)
            if (less(cost[i], cost[best], 1)) best = i;
        m->a1.at[m->a1.n++] = best;
    }
}

/* By A1: a counting sort, which keeps the source order of what has one target. */
static void sort_sources(pf_monotone *m, const pf_costs *c, pf_tuples *out) {
    uint32_t *begin = m->used.at, sum = 0;
    for (uint32_t i = 0; i < c->n_target; i++) begin[i] = 0;
    for (uint32_t j = 0; j < c->n_source; j++) begin[m->a1.at[j]]++;
    for (uint32_t i = 0; i < c->n_target; i++) {
        uint32_t n = begin[i];
        begin[i] = sum;
        sum += n;
    }
    for (uint32_t j = 0; j < c->n_source; j++) out->order.at[begin[m->a1.at[j]]++] = j;
}

static void find_a2(pf_monotone *m, const pf_costs *c, const pf_tuples *out) {
    double *best = m->cost.at;
    m->a2.n = c->n_target;
    for (uint32_t p = 0; p < c->n_source; p++) {
        const double *cost = row(c, out->order.at[p]);
        for (uint32_t i = 0; i < c->n_target; i++) {
            if (p && !less(cost[i], best[i], 1)) continue;
            best[i] = cost[i];
            m->a2.at[i] = p;
        }
    }
}

/* The places that A2 has, ascending. */
static pf_err find_used(pf_monotone *m, const pf_costs *c) {
    PF_TRY(PF_ROOM(&m->go, c->n_source));
    memset(m->go.at, 0, c->n_source);
    for (uint32_t i = 0; i < c->n_target; i++) m->go.at[m->a2.at[i]] = 1;
    for (uint32_t p = 0; p < c->n_source; p++)
        if (m->go.at[p]) m->used.at[m->used.n++] = p;
    return PF_OK;
}

/* go[i * n + k]: does the best rest after target i, at the k-th used source, move on to the next source? A rest cost is the least
 * there is even if staying ties with it, so a tie adds nothing to the rounding error of the sums before it. */
static pf_err find_a3(pf_monotone *m, const pf_costs *c, const pf_tuples *out) {
    size_t n = m->used.n;
    uint32_t last = c->n_target - 1;
    double *rest = m->cost.at;
    PF_TRY(PF_ROOM(&m->go, n * last));
    for (size_t k = 0; k < n; k++) rest[k] = k + 1 == n ? row(c, out->order.at[m->used.at[k]])[last] : INFINITY;
    for (uint32_t i = last; i--;) {
        unsigned char *go = m->go.at + i * n;
        for (size_t k = 0; k < n; k++) {
            double next = k + 1 < n ? rest[k + 1] : INFINITY;
            go[k] = less(next, rest[k], last - i);
            rest[k] = row(c, out->order.at[m->used.at[k]])[i] + (next < rest[k] ? next : rest[k]);
        }
    }
    for (size_t i = 0, k = 0; i <= last; i++) {
        m->a3.at[m->a3.n++] = m->used.at[k];
        if (i < last) k += m->go.at[i * n + k];
    }
    return PF_OK;
}

static void cut(const pf_monotone *m, pf_tuples *out) {
    uint32_t end = 0;
    for (uint32_t p = 0; p < out->order.n; p++) {
        while (end < m->a3.n && m->a3.at[end] == p) end++;
        out->tuple.at[out->tuple.n++] = (pf_tuple){p + 1, end};
    }
}

pf_err pf_monotonize(pf_monotone *m, const pf_costs *c, bool keep_order, pf_tuples *out) {
    assert(c->at.n == (size_t)c->n_source * c->n_target);
    pf_tuples_reset(out);
    PF_TRY(make_room(m, c));
    PF_TRY(PF_ROOM(&out->order, c->n_source));
    PF_TRY(PF_ROOM(&out->tuple, c->n_source));
    for (uint32_t j = 0; j < c->n_source; j++) out->order.at[out->order.n++] = j;
    if (!c->n_source) return c->n_target ? PF_PUSH(&out->tuple, ((pf_tuple){0, c->n_target})) : PF_OK;
    if (!keep_order && !empty(c)) {
        find_a1(m, c);
        sort_sources(m, c, out);
    }
    if (!empty(c)) {
        find_a2(m, c, out);
        PF_TRY(find_used(m, c));
        PF_TRY(find_a3(m, c, out));
    }
    cut(m, out);
    PFI_CHECK(pfi_tuples_sound(out));
    return PF_OK;
}
