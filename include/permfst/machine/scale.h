/* Costs times a scale, and what of both a machine can hold. Each call is O(1). */
#ifndef PF_MACHINE_SCALE_H
#define PF_MACHINE_SCALE_H

#include <permfst/base/err.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A cost times a finite scale, never -0; an infinite cost stays infinite, whatever the scale. */
static inline double pf_scaled(double scale, double cost) {
    return cost == (double)INFINITY ? cost : scale * cost + 0.0;
}

/* Is a cost times the scale never below 0, if the costs are not? */
static inline bool pf_scaled_nonnegative(double scale, bool costs) { return scale == 0 || (scale > 0 && costs); }

/* A scale is finite and no larger than a float can be: no cost times it is past the doubles. */
static inline bool pf_scale_fits(double scale) { return fabs(scale) <= (double)FLT_MAX; }

/* PF_ELIMIT, with a message about a scale that does not fit. */
static inline pf_err pf_scale_too_large(double scale) {
    return pf_fail(PF_ELIMIT, "expected a finite scale of at most %g, with either sign, found %g", (double)FLT_MAX, scale);
}

/* Can a float hold the cost? It can hold infinity. */
static inline bool pf_cost_fits(double cost) { return cost == (double)INFINITY || fabs(cost) <= (double)FLT_MAX; }

/* PF_ELIMIT, with a message about a cost that does not fit. */
static inline pf_err pf_cost_too_large(double cost) {
    return pf_fail(PF_ELIMIT, "costs times their scales add up to %g, which is too large for an arc", cost);
}

#ifdef __cplusplus
}
#endif
#endif
