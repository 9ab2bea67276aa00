/* Scores as products of integers and a power of e. */
#include <permfst/oracle/counts.h>

#include <permfst/metric/bleu.h>

#include <assert.h>
#include <gmp.h>
#include <math.h>

#define EPSILON 1e-10
enum { INVERSE_OF_EPSILON_DIGITS = 10 };

void pf_oracle_counts_total(pf_oracle_counts *counts, uint64_t length) {
    counts->length = length;
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) counts->total[n] = length > n ? length - n : 0;
}

void pf_oracle_counts_add(pf_oracle_counts *sum, const pf_oracle_counts *counts) {
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) {
        sum->match[n] += counts->match[n];
        sum->total[n] += counts->total[n];
    }
    sum->length += counts->length;
    sum->reference += counts->reference;
}

double pf_oracle_log(const pf_oracle_counts *counts, bool brevity) {
    double sum = 0, short_by = (double)counts->reference - (double)counts->length;
    if (brevity && short_by > 0) sum = counts->length ? -PF_ORACLE_ORDER * short_by / (double)counts->length : -(double)INFINITY;
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++)
        sum += counts->match[n] ? log((double)counts->match[n] / (double)counts->total[n]) : log(EPSILON);
    return sum;
}

double pf_oracle_score(const pf_oracle_counts *counts, bool brevity) {
    return exp(pf_oracle_log(counts, brevity) / PF_ORACLE_ORDER);
}

double pf_oracle_corpus_bleu(const pf_oracle_counts *sum) {
    double statistics[2 + 2 * PF_ORACLE_ORDER] = {(double)sum->length, (double)sum->reference};
    pf_bleu_options options = pf_bleu_usual();
    pf_bleu bleu;
    options.smoothing = PF_SMOOTH_NONE;
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) {
        statistics[2 + n] = (double)sum->match[n];
        statistics[2 + PF_ORACLE_ORDER + n] = (double)sum->total[n];
    }
    pf_bleu_of(&options, statistics, &bleu);
    return bleu.score;
}

/* ---- exact comparison ---- */

static void multiply(mpz_t product, uint64_t by) {
    mpz_t factor;
    mpz_init(factor);
    mpz_import(factor, 1, 1, sizeof by, 0, 0, &by);
    mpz_mul(product, product, factor);
    mpz_clear(factor);
}

/* The product of the precisions. */
static void set_precision(mpq_t out, const pf_oracle_counts *counts) {
    mpz_t epsilon;
    mpz_init(epsilon);
    mpz_ui_pow_ui(epsilon, 10, INVERSE_OF_EPSILON_DIGITS);
    mpq_set_ui(out, 1, 1);
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) {
        if (counts->match[n]) multiply(mpq_numref(out), counts->match[n]);
        if (counts->match[n]) multiply(mpq_denref(out), counts->total[n]);
        else mpz_mul(mpq_denref(out), mpq_denref(out), epsilon);
    }
    mpq_canonicalize(out);
    mpz_clear(epsilon);
}

/* 4 (1 - reference / length), at most 0; length > 0. */
static void set_exponent(mpq_t out, const pf_oracle_counts *counts, bool brevity) {
    mpq_set_ui(out, 0, 1);
    if (!brevity || counts->reference <= counts->length) return;
    assert(counts->length);
    mpz_set_ui(mpq_numref(out), PF_ORACLE_ORDER);
    mpz_set_ui(mpq_denref(out), 1);
    multiply(mpq_numref(out), counts->reference - counts->length);
    multiply(mpq_denref(out), counts->length);
    mpz_neg(mpq_numref(out), mpq_numref(out));
    mpq_canonicalize(out);
}

/* The sum of x^i / i! for i < terms, x > 0, and in `above` more than e^x: what follows is less than twice the next term, if x is
 * less than half of `terms`. */
static void set_powers(const mpq_t x, unsigned long terms, mpq_t below, mpq_t above) {
    mpq_t term, divisor;
    mpq_inits(term, divisor, NULL);
    mpq_set_ui(below, 0, 1);
    mpq_set_ui(term, 1, 1);
    for (unsigned long k = 1; k <= terms; k++) {
        mpq_add(below, below, term);
        mpq_set_ui(divisor, k, 1);
        mpq_mul(term, term, x);
        mpq_div(term, term, divisor);
    }
    mpq_add(above, below, term);
    mpq_add(above, above, term);
    mpq_clears(term, divisor, NULL);
}

/* Is ratio greater (1) or less (-1) than e^x, x > 0? */
static int compare_with_power(const mpq_t ratio, const mpq_t x) {
    mpq_t below, above;
    int result = 0;
    assert(mpq_sgn(x) > 0);
    mpq_inits(below, above, NULL);
    for (unsigned long terms = 32 + 2 * (unsigned long)ceil(mpq_get_d(x)); !result; terms *= 2) {
        set_powers(x, terms, below, above);
        result = mpq_cmp(ratio, below) <= 0 ? -1 : mpq_cmp(ratio, above) >= 0;
    }
    mpq_clears(below, above, NULL);
    return result;
}

/* precision[0] e^exponent[0] against precision[1] e^exponent[1]. */
static int compare_products(mpq_t *precision, mpq_t *exponent) {
    int order = mpq_cmp(exponent[0], exponent[1]), low = order < 0 ? 0 : 1;
    if (!order) return mpq_cmp(precision[0], precision[1]);
    mpq_div(precision[low], precision[low], precision[1 - low]);
    mpq_sub(exponent[1 - low], exponent[1 - low], exponent[low]);
    int result = compare_with_power(precision[low], exponent[1 - low]);
    return low ? -result : result;
}

int pf_oracle_compare(const pf_oracle_counts *first, const pf_oracle_counts *second, bool brevity) {
    double one = pf_oracle_log(first, brevity), other = pf_oracle_log(second, brevity), close = 1e-9;
    const pf_oracle_counts *both[] = {first, second};
    mpq_t precision[2], exponent[2];
    if (one == other && isinf(one)) return 0;
    if (one > other + close) return 1;
    if (one < other - close) return -1;
    for (int side = 0; side < 2; side++) {
        mpq_inits(precision[side], exponent[side], NULL);
        set_precision(precision[side], both[side]);
        set_exponent(exponent[side], both[side], brevity);
    }
    int order = compare_products(precision, exponent);
    for (int i = 0; i < 2; i++) mpq_clears(precision[i], exponent[i], NULL);
    return (order > 0) - (order < 0);
}
