/* The best scales on a line, exactly (Och 2003, Minimum error rate training in statistical machine translation, section 5).
 *
 * Along scale + x * direction the sum of a hypothesis is a line in x. The translation of a sentence is the lowest line, so it
 * changes at the corners of the lower envelope of its lines only. Between two corners of any sentences the score is constant:
 * it is found for each such interval by adding up how the statistics change at the corners. */
#ifndef PF_TUNE_LINE_SEARCH_H
#define PF_TUNE_LINE_SEARCH_H

#include <permfst/tune/pool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where to go. low <= 0 <= high, finite. */
typedef struct {
    const double *scale, *direction; /* a number for each feature */
    double low, high;                /* x is within these */
} pf_line_of_scales;

/* The interval with the highest score; of equal ones that with x = 0, else the widest, else the first. */
typedef struct {
    double at;             /* a place: 0 if that is in the interval, else its middle */
    double low, high;      /* of the interval, within those of the line */
    double score;          /* of the metric there */
} pf_line_best;

/* PF_ENOMEM. O(h log h) for h hypotheses, times the features, and a score for each interval. */
pf_err pf_line_search(const pf_pool *pool, const pf_line_of_scales *line, pf_line_best *out);

#ifdef __cplusplus
}
#endif
#endif
