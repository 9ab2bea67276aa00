/* Tells how sure a score is, and a difference of two scores, by resampling segments from their statistics.
 *
 * Intervals: the bootstrap percentile interval (Efron 1979; Koehn, EMNLP 2004): B samples of n segments drawn with
 * replacement, their scores sorted; 95% of them lie from number B/40 to number B - 1 - B/40, counted from 0.
 *
 * Paired bootstrap (Riezler and Maxwell 2005, figure 2, as Moses and sacreBLEU): both systems are scored on the same
 * samples, and d_b = |score of one - score of the other|; p = (1 + #{b : d_b - mean of d >= d}) / (B + 1).
 *
 * Approximate randomisation (Noreen 1989; Riezler and Maxwell 2005, figure 1): in each of R trials every segment changes
 * sides with probability 1/2; p = (1 + #{trials with a difference >= d}) / (R + 1).
 *
 * d is the absolute difference of the two scores, so both tests are two-sided. sacreBLEU counts > where the paper has >=. That
 * differs only for equal values: two equal systems have p = 1 here, and 1/(B + 1) there.
 * The same seed draws the same segments for all systems and all metrics. An interval sorts the samples, O(B log B); p is O(B). */
#ifndef PF_METRIC_BOOTSTRAP_H
#define PF_METRIC_BOOTSTRAP_H

#include <permfst/metric/metric.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The scores of `samples` bootstrap samples, into score[samples]. O(samples * n * width). */
void pf_bootstrap(const pf_metric *metric, const pf_statistics *statistics, size_t samples, uint64_t seed, double *score);

typedef struct {
    double mean, low, high;
} pf_interval;

/* The 95% interval of `count` scores, at least 1. PF_ENOMEM. */
pf_err pf_interval_of(const double *score, size_t count, pf_interval *out);

/* The paired bootstrap test: scores of two systems on the same samples, at least 1, and on the test set itself. */
double pf_bootstrap_p(const double *first, const double *second, size_t samples, double score_a, double score_b);

/* Approximate randomisation for two systems with statistics of the same segments. PF_ENOMEM. O(trials * n * width). */
pf_err pf_randomisation_p(const pf_metric *metric, const pf_statistics *first, const pf_statistics *second, size_t trials,
                          uint64_t seed, double *out);

#ifdef __cplusplus
}
#endif
#endif
