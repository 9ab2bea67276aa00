/* Tunes the scales of compositions: searches, merges the lists of n best, optimises, and begins again, until the lists bring
 * nothing new (Och 2003, section 5; Bertoldi et al. 2009, Improved minimum error rate training in Moses, for the outer loop).
 *
 * An iteration costs a search of each record and an optimisation; the pool keeps the lists of all iterations in memory. */
#ifndef PF_TUNE_TUNER_H
#define PF_TUNE_TUNER_H

#include <permfst/base/workers.h>
#include <permfst/search/best.h>
#include <permfst/tune/optimise.h>
#include <permfst/verbs/features.h>

#ifdef __cplusplus
extern "C" {
#endif

/* After a search of all records. */
typedef struct {
    uint64_t iteration;   /* from 1 */
    double score;         /* of the metric, for the best paths found */
    const double *scale;  /* that were searched with */
    size_t hypotheses;    /* in the pool now */
    size_t fresh;         /* added in this iteration */
    size_t without;       /* records that have no path */
} pf_tuner_step;

typedef struct {
    pf_best_options search;    /* how each record is searched: `n` paths */
    pf_optimise_options optimise;
    uint64_t moves_bytes;      /* for what records of one length share of their spaces (machine/moves.h), where search.moves is
                                  NULL; 0: they share nothing */
    uint64_t iterations;       /* at most, at least 1 */
    size_t threads;            /* at least 1 */
    const pf_workers_hooks *hooks; /* NULL: none */
    void (*told)(void *self, const pf_tuner_step *step); /* NULL: nobody is */
    void (*done)(void *self, uint64_t searches);         /* `searches` records were searched in all iterations; NULL: not called */
    void *self;
} pf_tuner_options;

typedef struct {
    double score, score_before; /* of the searches with the scales that are the result, and with those of the beginning */
    uint64_t iterations;
    bool converged;             /* the last search has found nothing new, or the scales did not change any more */
} pf_tuned;

/* Tunes the scales of `records` compositions with the same features, record i being sentence i of the pool. *scale, one for each
 * feature of the pool, are those to begin with, within the limits, and then those with the best score of a search; they have
 * six significant digits. The result is the same with any number of threads. PF_EINPUT: another number of records or features;
 * the errors of pf_best and pf_features_of, with the record; PF_ENOMEM. */
pf_err pf_tune(pf_pool *pool, pf_expr *const *record, size_t records, const pf_tuner_options *options, double *scale,
               pf_tuned *out);

#ifdef __cplusplus
}
#endif
#endif
