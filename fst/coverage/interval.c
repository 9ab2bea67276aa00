/* The bootstrap interval of a share. A resample draws n of the n pairs with replacement, of which each was reached with the
 * share p: the number is binomial, and its percentiles are sums of its terms. These are made from the largest outwards by
 * their ratios, so nothing overflows, up to where they no longer count. */
#include <permfst/coverage/table.h>

#include <math.h>

static const double tail = 0.025, nothing = 1e-18;

/* The term of k + 1 over that of k, for n draws with odds p / (1 - p). */
static double ratio(double k, double n, double odds) { return (n - k) / (k + 1) * odds; }

/* The sum of the terms below the mode, in units of that of the mode, and how far down they count. */
static double sum_below(double mode, double n, double odds, double *from) {
    double term = 1, sum = 0;
    for (*from = mode; *from > 0 && term > nothing; --*from) sum += term /= ratio(*from - 1, n, odds);
    return sum;
}

static double sum_above(double mode, double n, double odds) {
    double term = 1, sum = 0;
    for (double k = mode; k < n && term > nothing; k++) sum += term *= ratio(k, n, odds);
    return sum;
}

/* With the share of the sample the mode is what was observed. */
void pf_coverage_interval(uint64_t reached, uint64_t pairs, double *low, double *high) {
    double total = (double)pairs, mode = (double)reached, odds = mode / (total - mode), k;
    *low = *high = mode / total;
    if (!reached || reached == pairs) return;
    double below = sum_below(mode, total, odds, &k), whole = below + 1 + sum_above(mode, total, odds), sum = 0, term = 1;
    for (double i = mode; i > k; i--) term /= ratio(i - 1, total, odds);
    for (*low = NAN; k <= total; k++) {
        sum += term;
        if (isnan(*low) && sum >= tail * whole) *low = k / total;
        if (sum >= (1 - tail) * whole) break;
        term *= ratio(k, total, odds);
    }
    *high = k / total;
}
