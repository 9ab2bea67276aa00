/* A bootstrap sample adds the statistics of segments. A trial of randomisation adds the differences of the segments that change
 * sides to the sum of one system; the other system has the remainder. Statistics are whole numbers, so sums are exact.
 * Random numbers: splitmix64 (Steele, Lea and Flood 2014); below n by multiplication (Lemire 2019). */
#include <permfst/metric/bootstrap.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next(uint64_t *state) {
    uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

/* Uniform in 0..end-1. */
static size_t below(uint64_t *state, uint32_t end) {
    uint64_t product = (next(state) >> 32) * end;
    if ((uint32_t)product < end)
        for (uint32_t least = -end % end; (uint32_t)product < least;) product = (next(state) >> 32) * end;
    return (size_t)(product >> 32);
}

static void add(double *sum, const double *statistics, unsigned width) {
    for (unsigned k = 0; k < width; k++) sum[k] += statistics[k];
}

void pf_bootstrap(const pf_metric *metric, const pf_statistics *statistics, size_t samples, uint64_t seed, double *score) {
    assert(statistics->n < UINT32_MAX && statistics->width <= PF_METRIC_STATISTICS);
    for (size_t sample = 0; sample < samples; sample++) {
        double sum[PF_METRIC_STATISTICS] = {0};
        for (size_t i = 0; i < statistics->n; i++)
            add(sum, statistics->at.at + below(&seed, (uint32_t)statistics->n) * statistics->width, statistics->width);
        score[sample] = pf_metric_score(metric, sum);
    }
}

static int by_size(const void *first, const void *second) {
    double value = *(const double *)first, other = *(const double *)second;
    return (value > other) - (value < other);
}

pf_err pf_interval_of(const double *score, size_t count, pf_interval *out) {
    assert(count >= 1);
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted) return pf_nomem();
    memcpy(sorted, score, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_size);
    *out = (pf_interval){.low = sorted[count / 40], .high = sorted[count - 1 - count / 40]};
    for (size_t i = 0; i < count; i++) out->mean += sorted[i] / (double)count;
    free(sorted);
    return PF_OK;
}

double pf_bootstrap_p(const double *first, const double *second, size_t samples, double score_a, double score_b) {
    double mean = 0, found = fabs(score_a - score_b);
    size_t as_large = 0;
    assert(samples >= 1);
    for (size_t i = 0; i < samples; i++) mean += fabs(first[i] - second[i]) / (double)samples;
    for (size_t i = 0; i < samples; i++) as_large += fabs(first[i] - second[i]) - mean >= found;
    return (double)(as_large + 1) / (double)(samples + 1);
}

/* The difference after the segments for which a coin shows heads have changed sides. */
static double shuffled(const pf_metric *metric, const pf_statistics *first, const double *sum_a, const double *sum_b,
                       const double *change, uint64_t *state) {
    double one[PF_METRIC_STATISTICS], other[PF_METRIC_STATISTICS];
    uint64_t coins = 0;
    memcpy(one, sum_a, first->width * sizeof *one);
    for (size_t at = 0; at < first->n; at++, coins >>= 1) {
        if (at % 64 == 0) coins = next(state);
        if (coins & 1) add(one, change + at * first->width, first->width);
    }
    for (unsigned k = 0; k < first->width; k++) other[k] = sum_a[k] + sum_b[k] - one[k];
    return fabs(pf_metric_score(metric, one) - pf_metric_score(metric, other));
}

pf_err pf_randomisation_p(const pf_metric *metric, const pf_statistics *first, const pf_statistics *second, size_t trials,
                          uint64_t seed, double *out) {
    double sum_a[PF_METRIC_STATISTICS], sum_b[PF_METRIC_STATISTICS], *change = malloc((first->at.n + 1) * sizeof *change);
    size_t as_large = 0;
    assert(first->n == second->n && first->width == second->width);
    if (!change) return pf_nomem();
    for (size_t i = 0; i < first->at.n; i++) change[i] = second->at.at[i] - first->at.at[i];
    pf_statistics_sum(first, sum_a);
    pf_statistics_sum(second, sum_b);
    double found = fabs(pf_metric_score(metric, sum_a) - pf_metric_score(metric, sum_b));
    for (size_t trial = 0; trial < trials; trial++) as_large += shuffled(metric, first, sum_a, sum_b, change, &seed) >= found;
    *out = (double)(as_large + 1) / (double)(trials + 1);
    free(change);
    return PF_OK;
}
