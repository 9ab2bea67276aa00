/* Lists of n best translations with what tuning needs to know of them: their features, and the statistics of a metric.
 *
 * The lists of a sentence that several searches give are merged: a hypothesis with the same words and the same features is
 * there once. The score of a hypothesis is a linear sum of its features, which are costs: the one with the least sum is the
 * translation. Adding a hypothesis is O(bytes + features), with what the metric counts; what is asked is O(1). */
#ifndef PF_TUNE_POOL_H
#define PF_TUNE_POOL_H

#include <permfst/metric/metric.h>
#include <permfst/metric/testset.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_pool pf_pool;

/* An empty pool. The test set has the references, and the metric says what is counted; both are borrowed, and nobody else may
 * use them meanwhile. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_pool_new(size_t features, pf_testset *references, pf_metric *metric, pf_pool **out);
void pf_pool_free(pf_pool *pool);

size_t pf_pool_features(const pf_pool *pool);
size_t pf_pool_sentences(const pf_pool *pool);   /* those of the test set */
size_t pf_pool_hypotheses(const pf_pool *pool);  /* of all sentences */
const pf_metric *pf_pool_metric(const pf_pool *pool);

/* What it was made with, for another pool beside it. */
pf_testset *pf_pool_references(const pf_pool *pool);
pf_metric *pf_pool_counter(const pf_pool *pool);

/* Adds a hypothesis of a sentence, from 0: `length` bytes of text. *fresh (may be NULL): it was not there. PF_EINPUT: a feature is
 * not finite. PF_ENOMEM, PF_ELIMIT. */
pf_err pf_pool_add(pf_pool *pool, size_t sentence, const char *text, size_t length, const double *feature, bool *fresh);

/* The hypotheses of a sentence, n of them, borrowed until the next is added: features and statistics of hypothesis i begin at
 * i * pf_pool_features() and i * width. */
typedef struct {
    size_t n;
    const double *feature, *statistic;
} pf_pool_list;
pf_pool_list pf_pool_at(const pf_pool *pool, size_t sentence);

/* The score of the metric for the translations that these scales choose; of equal sums, the hypothesis that was added first. A
 * sentence without hypotheses counts nothing. O(hypotheses * features). */
double pf_pool_score(const pf_pool *pool, const double *scale);

#ifdef __cplusplus
}
#endif
#endif
