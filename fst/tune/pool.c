/* A hypothesis is known by its words and the bytes of its features. */
#include <permfst/tune/pool.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pf_statetab known; /* number of the hypothesis: words, then features */
    PF_VEC(double) feature, statistic;
} sentence_pool;

struct pf_pool {
    size_t features, sentences, hypotheses;
    pf_testset *references;
    pf_metric *metric;
    unsigned width; /* statistics of a hypothesis */
    sentence_pool *sentence;
    pf_tokens words;             /* scratch: one segment */
    PF_VEC(unsigned char) key;   /* scratch */
};

pf_err pf_pool_new(size_t features, pf_testset *references, pf_metric *metric, pf_pool **out) {
    pf_pool *pool = *out = calloc(1, sizeof *pool);
    if (!pool) return pf_nomem();
    pool->features = features;
    pool->references = references;
    pool->metric = metric;
    pool->width = metric->cls->width(&metric->options);
    if (!(pool->sentence = calloc(references->n + 1, sizeof *pool->sentence))) {
        free(pool);
        *out = NULL;
        return pf_nomem();
    }
    pool->sentences = references->n;
    for (size_t i = 0; i < pool->sentences; i++) pf_statetab_init(&pool->sentence[i].known, 0);
    return PF_OK;
}

void pf_pool_free(pf_pool *pool) {
    if (!pool) return;
    for (size_t i = 0; i < pool->sentences; i++) {
        pf_statetab_free(&pool->sentence[i].known);
        PF_VEC_FREE(&pool->sentence[i].feature);
        PF_VEC_FREE(&pool->sentence[i].statistic);
    }
    free(pool->sentence);
    pf_tokens_free(&pool->words);
    PF_VEC_FREE(&pool->key);
    free(pool);
}

size_t pf_pool_features(const pf_pool *pool) { return pool->features; }
size_t pf_pool_sentences(const pf_pool *pool) { return pool->sentences; }
size_t pf_pool_hypotheses(const pf_pool *pool) { return pool->hypotheses; }
const pf_metric *pf_pool_metric(const pf_pool *pool) { return pool->metric; }
pf_testset *pf_pool_references(const pf_pool *pool) { return pool->references; }
pf_metric *pf_pool_counter(const pf_pool *pool) { return pool->metric; }

static pf_err make_key(pf_pool *pool, pf_segment words, const double *feature) {
    size_t bytes = words.n * sizeof *words.word, more = pool->features * sizeof *feature;
    pool->key.n = 0;
    PF_TRY(PF_ROOM(&pool->key, bytes + more));
    if (bytes) memcpy(pool->key.at, words.word, bytes);
    memcpy(pool->key.at + bytes, feature, more);
    pool->key.n = bytes + more;
    return PF_OK;
}

static pf_err add_fresh(pf_pool *pool, sentence_pool *to, size_t sentence, pf_segment words, const double *feature) {
    pf_references references;
    PF_TRY(PF_ROOM(&to->feature, pool->features));
    PF_TRY(PF_ROOM(&to->statistic, pool->width));
    PF_TRY(pf_testset_references(pool->references, sentence, &references));
    PF_TRY(pool->metric->cls->count(pool->metric, words, &references, to->statistic.at + to->statistic.n));
    memcpy(to->feature.at + to->feature.n, feature, pool->features * sizeof *feature);
    to->feature.n += pool->features;
    to->statistic.n += pool->width;
    pool->hypotheses++;
    return PF_OK;
}

pf_err pf_pool_add(pf_pool *pool, size_t sentence, const char *text, size_t length, const double *feature, bool *fresh) {
    sentence_pool *to = &pool->sentence[sentence];
    uint32_t id;
    assert(sentence < pool->sentences);
    for (size_t i = 0; i < pool->features; i++)
        if (!isfinite(feature[i])) return pf_fail(PF_EINPUT, "expected finite scores, found a score of %g", feature[i]);
    pool->words.word.n = pool->words.end.n = 0;
    PF_TRY(pf_tokens_add(&pool->words, pool->references->tokeniser, &pool->references->vocabulary, text, length));
    pf_segment words = pf_tokens_at(&pool->words, 0);
    PF_TRY(make_key(pool, words, feature));
    bool there = pf_statetab_find(&to->known, pool->key.at, pool->key.n) != UINT32_MAX;
    if (fresh) *fresh = !there;
    if (there) return PF_OK;
    PF_TRY(add_fresh(pool, to, sentence, words, feature));
    return pf_statetab_intern(&to->known, pool->key.at, pool->key.n, &id, NULL);
}

pf_pool_list pf_pool_at(const pf_pool *pool, size_t sentence) {
    const sentence_pool *from = &pool->sentence[sentence];
    assert(sentence < pool->sentences);
    return (pf_pool_list){from->feature.n / pool->features, from->feature.at, from->statistic.at};
}

/* The hypothesis with the least sum. */
static size_t choose(pf_pool_list list, size_t features, const double *scale) {
    size_t best = 0;
    double least = INFINITY;
    for (size_t i = 0; i < list.n; i++) {
        double sum = 0;
        for (size_t k = 0; k < features; k++) sum += scale[k] * list.feature[i * features + k];
        if (sum < least) least = sum, best = i;
    }
    return best;
}

double pf_pool_score(const pf_pool *pool, const double *scale) {
    double sum[PF_METRIC_STATISTICS] = {0};
    for (size_t sentence = 0; sentence < pool->sentences; sentence++) {
        pf_pool_list list = pf_pool_at(pool, sentence);
        if (!list.n) continue;
        const double *chosen = list.statistic + choose(list, pool->features, scale) * pool->width;
        for (unsigned k = 0; k < pool->width; k++) sum[k] += chosen[k];
    }
    return pf_metric_score(pool->metric, sum);
}
