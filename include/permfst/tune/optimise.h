/* Finds the scales with the best score on a pool (minimum error rate training), by line searches along the axes and in random
 * directions, from several points. The numbers are the same for the same seed.
 *
 * The cost is a line search (line_search.h) for each direction that is tried. */
#ifndef PF_TUNE_OPTIMISE_H
#define PF_TUNE_OPTIMISE_H

#include <permfst/tune/pool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const double *low, *high; /* the limits of each scale; equal: it is not changed */
    size_t restarts;          /* random points to begin at, besides the one given */
    size_t directions;        /* random directions that are tried beside the axes */
    uint64_t seed;
} pf_optimise_options;

/* Puts better scales in the place of *scale, which is within the limits, or leaves it; *score is that of the result. PF_ENOMEM. */
pf_err pf_optimise(const pf_pool *pool, const pf_optimise_options *options, double *scale, double *score);

/* Finds the limit up to which a scale may change without changing the score: -1 the lower, 1 the upper, 0 none or both, or the
 * scale has no interval. PF_ENOMEM. One line search. */
pf_err pf_optimise_limit(const pf_pool *pool, const pf_optimise_options *options, const double *scale, size_t feature, int *limit);

#ifdef __cplusplus
}
#endif
#endif
