/* With c(d) the expected jumps by d, and n(x) the expected departures from places x, whose jumps stay within lo(x) <= d <= hi(x),
 * the expected log-likelihood of the weights w is
 *
 *   sum over d of c(d) ln w(d) - sum over x of n(x) ln Z(x),     Z(x) = sum of w(d) over lo(x) <= d <= hi(x).
 *
 * -ln Z is at least its tangent at the weights of now, which gives Hunter's step w(d) = c(d) / sum of n(x) / Z(x) over the x that
 * allow d. Far jumps share a weight; a place allows as many of them as it has words there. */
#include "train/jumps_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 50, FAR = PF_HMM_FAR, WEIGHTS = PFI_JUMP_WEIGHTS };

void pfi_jumps_init(pfi_jumps *jumps) {
    memset(jumps, 0, sizeof *jumps);
    for (int i = 0; i < WEIGHTS; i++) jumps->weight[i] = 1.0 / WEIGHTS;
}

void pfi_jumps_free(pfi_jumps *jumps) { free(jumps->departed); }

pf_err pfi_jumps_room(pfi_jumps *jumps, size_t words) {
    size_t side = jumps->side ? jumps->side : 32;
    if (words <= jumps->side) return PF_OK;
    while (side < words) side *= 2;
    double *grown = calloc(side * side, sizeof *grown); /* words are at most PF_MAX_WORDS */
    if (!grown) return pf_nomem();
    for (size_t i = 0; i < jumps->side; i++)
        memcpy(grown + i * side, jumps->departed + i * jumps->side, jumps->side * sizeof *grown);
    free(jumps->departed);
    jumps->departed = grown;
    jumps->side = side;
    return PF_OK;
}

/* ---- a step ---- */

/* How often a place allows the jump of weight i: 0 or 1 near by, any number far away. */
static double allowed(int i, size_t before, size_t behind) {
    size_t distance = (size_t)abs(i - FAR), words = i < FAR ? before : behind - 1; /* on that side, at distance 1 to words */
    if (distance > words) return 0;
    return distance < FAR ? 1 : (double)(words - FAR + 1);
}

/* Adds n / Z of all departures of so many words before and after to the jumps that they allow. Near jumps that are allowed are a
 * run of places; sums[i] is the sum of the weights before place i. */
static void add_rate(const double *weight, const double *sums, size_t before, size_t behind, double n, double *rate,
                     double *slope) {
    int low = before < FAR ? FAR - (int)before : 1, high = behind <= FAR ? FAR + (int)behind - 1 : WEIGHTS - 2;
    double left = allowed(0, before, behind), right = allowed(WEIGHTS - 1, before, behind);
    double share = n / (sums[high + 1] - sums[low] + left * weight[0] + right * weight[WEIGHTS - 1]);
    rate[0] += left * share;
    rate[WEIGHTS - 1] += right * share;
    slope[low] += share;
    slope[high + 1] -= share;
}

static void find_rates(const pfi_jumps *jumps, double *rate) {
    double sums[WEIGHTS + 1] = {0}, slope[WEIGHTS + 1] = {0}, run = 0;
    for (int weight = 0; weight < WEIGHTS; weight++) {
        rate[weight] = 0;
        sums[weight + 1] = sums[weight] + jumps->weight[weight];
    }
    for (size_t before = 0; before < jumps->side; before++)
        for (size_t behind = 1; behind <= jumps->side; behind++) {
            double n = jumps->departed[before * jumps->side + behind - 1];
            if (n > 0) add_rate(jumps->weight, sums, before, behind, n, rate, slope);
        }
    for (int i = 1; i < WEIGHTS - 1; i++) rate[i] += run += slope[i];
}

static void step(pfi_jumps *jumps) {
    double rate[WEIGHTS], sum = 0;
    find_rates(jumps, rate);
    for (int weight = 0; weight < WEIGHTS; weight++) {
        if (rate[weight] > 0)
            jumps->weight[weight] = jumps->count[weight] / rate[weight]; /* else no sentence was long enough to tell */
        sum += jumps->weight[weight];
    }
    assert(sum > 0);
    for (int i = 0; i < WEIGHTS; i++) jumps->weight[i] /= sum;
}

void pfi_jumps_update(pfi_jumps *jumps) {
    double total = 0;
    for (int i = 0; i < WEIGHTS; i++) total += jumps->count[i];
    for (int i = 0; total > 0 && i < STEPS; i++) step(jumps);
    memset(jumps->count, 0, sizeof jumps->count);
    if (jumps->side) memset(jumps->departed, 0, jumps->side * jumps->side * sizeof *jumps->departed);
}
