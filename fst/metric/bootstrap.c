/* A bootstrap sample adds the statistics of segments. A trial of randomisation adds the differences of the segments that change
 * sides to the sum of one system; the other system has the remainder. Statistics are whole numbers, so sums are exact.
 * Random numbers: splitmix64 (Steele, Lea and Flood 2014); below n by multiplication (Lemire 2019). */
#include <permfst/metric/bootstrap.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Uniform in 0..n-1, n < 2^32. */
static size_t below(uint64_t *state, uint32_t n) {
    uint64_t product = (next(state) >> 32) * n;
    if ((uint32_t)product < n)
        for (uint32_t least = -n % n; (uint32_t)product < least;) product = (next(state) >> 32) * n;
    return (size_t)(product >> 32);
}

static void add(double *sum, const double *statistics, unsigned width) {
    for (unsigned k = 0; k < width; k++) sum[k] += statistics[k];
}

void pf_bootstrap(const pf_metric *m, const pf_statistics *s, size_t samples, uint64_t seed, double *score) {
    assert(s->n < UINT32_MAX && s->width <= PF_METRIC_STATISTICS);
    for (size_t b = 0; b < samples; b++) {
        double sum[PF_METRIC_STATISTICS] = {0};
        for (size_t i = 0; i < s->n; i++) add(sum, s->at.at + below(&seed, (uint32_t)s->n) * s->width, s->width);
        score[b] = m->cls->score(&m->options, sum);
    }
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

pf_err pf_interval_of(const double *score, size_t n, pf_interval *out) {
    assert(n >= 1);
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted) return pf_nomem();
    memcpy(sorted, score, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_size);
    *out = (pf_interval){.low = sorted[n / 40], .high = sorted[n - 1 - n / 40]};
    for (size_t i = 0; i < n; i++) out->mean += sorted[i] / (double)n;
    free(sorted);
    return PF_OK;
}

double pf_bootstrap_p(const double *a, const double *b, size_t n, double score_a, double score_b) {
    double mean = 0, found = fabs(score_a - score_b);
    size_t as_large = 0;
    assert(n >= 1);
    for (size_t i = 0; i < n; i++) mean += fabs(a[i] - b[i]) / (double)n;
    for (size_t i = 0; i < n; i++) as_large += fabs(a[i] - b[i]) - mean >= found;
    return (double)(as_large + 1) / (double)(n + 1);
}

/* The difference after the segments for which a coin shows heads have changed sides. */
static double shuffled(const pf_metric *m, const pf_statistics *a, const double *sum_a, const double *sum_b,
                       const double *change, uint64_t *state) {
    double x[PF_METRIC_STATISTICS], y[PF_METRIC_STATISTICS];
    uint64_t coins = 0;
    memcpy(x, sum_a, a->width * sizeof *x);
    for (size_t i = 0; i < a->n; i++, coins >>= 1) {
        if (i % 64 == 0) coins = next(state);
        if (coins & 1) add(x, change + i * a->width, a->width);
    }
    for (unsigned k = 0; k < a->width; k++) y[k] = sum_a[k] + sum_b[k] - x[k];
    return fabs(m->cls->score(&m->options, x) - m->cls->score(&m->options, y));
}

pf_err pf_randomisation_p(const pf_metric *m, const pf_statistics *a, const pf_statistics *b, size_t trials, uint64_t seed,
                          double *p) {
    double sum_a[PF_METRIC_STATISTICS], sum_b[PF_METRIC_STATISTICS], *change = malloc((a->at.n + 1) * sizeof *change);
    size_t as_large = 0;
    assert(a->n == b->n && a->width == b->width);
    if (!change) return pf_nomem();
    for (size_t i = 0; i < a->at.n; i++) change[i] = b->at.at[i] - a->at.at[i];
    pf_statistics_sum(a, sum_a);
    pf_statistics_sum(b, sum_b);
    double found = fabs(m->cls->score(&m->options, sum_a) - m->cls->score(&m->options, sum_b));
    for (size_t t = 0; t < trials; t++) as_large += shuffled(m, a, sum_a, sum_b, change, &seed) >= found;
    *p = (double)(as_large + 1) / (double)(trials + 1);
    free(change);
    return PF_OK;
}
