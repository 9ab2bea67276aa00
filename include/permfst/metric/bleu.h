/* BLEU from the sums of its statistics, as sacreBLEU 2 computes it (Papineni et al., ACL 2002; Post, WMT 2018).
 *
 *   score = BP * exp(1/N * sum of log p_n over n = 1..N),  p_n = 100 * matches_n / total_n,
 *   BP = 1 where c >= r, else exp(1 - r/c), 0 where c = 0;  no match at all: 0.
 *
 * An n-gram of a segment matches at most as often as the reference with most of it has it (clipping). The r of a segment is the
 * length of the reference closest to its own, of two the shorter. Smoothing is that of Chen and Cherry (WMT 2014). Each call is
 * O(1). */
#ifndef PF_METRIC_BLEU_H
#define PF_METRIC_BLEU_H

#include <permfst/base/err.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PF_BLEU_ORDER = 16 }; /* of n-grams, at most */

/* What replaces a precision without a match (methods 1 to 3 of Chen and Cherry):
 *   none   the score is 0                 floor  `value` matches (0.1)
 *   add-k  `value` (1) is added to matches and total of all orders above 1
 *   exp    1/2 match at the first such order, 1/4 at the second, and so on, as mteval-v13a.pl */
typedef enum { PF_SMOOTH_NONE, PF_SMOOTH_FLOOR, PF_SMOOTH_ADD_K, PF_SMOOTH_EXP } pf_smoothing;

/* The name of the smoothing at a place, NULL past the last; its preset value, negative if it takes none. */
const char *pf_smoothing_name(size_t place);
double pf_smoothing_value(pf_smoothing smoothing);

typedef struct {
    unsigned order;      /* N, 1..PF_BLEU_ORDER */
    pf_smoothing smoothing;
    double value;        /* of floor and add-k */
    bool effective;      /* N is the highest order of which the system has an n-gram: for single segments */
} pf_bleu_options;

/* The usual ones: 4, exp, not effective. */
pf_bleu_options pf_bleu_usual(void);

typedef struct {
    double score;                    /* 0..100 */
    double precision[PF_BLEU_ORDER]; /* in percent, smoothed */
    double penalty;                  /* BP */
} pf_bleu;

/* sum[2 + 2 N]: c, r, matches of orders 1..N, n-grams of orders 1..N. */
void pf_bleu_of(const pf_bleu_options *options, const double *sum, pf_bleu *out);

#ifdef __cplusplus
}
#endif
#endif
