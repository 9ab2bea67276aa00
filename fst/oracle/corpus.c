/* Choices from fronts, and the bound of all choices. */
#include <permfst/oracle/corpus.h>

#include "oracle/oracle_impl.h"
#include "search/ties.h"

#include <assert.h>
#include <gmp.h>
#include <math.h>

enum { NOTHING = -1 };

/* ---- choosing ---- */

/* Is the path of a choice before that of another of the same front? */
static bool is_before(const pf_oracle_front *front, size_t first, size_t second) {
    const pf_path *a = &front->choice.at[first].path, *b = &front->choice.at[second].path;
    const pfi_speech speech = pfi_speech_of(front->osyms, NULL);
    return pfi_path_order(&speech, a, b) < 0;
}

/* The choice that is best together with `others`; *out is the sum. */
static size_t best_with(const pf_oracle_front *front, const pf_oracle_counts *others, bool brevity, pf_oracle_counts *out) {
    size_t best = SIZE_MAX;
    for (size_t choice = 0; choice < front->choice.n; choice++) {
        pf_oracle_counts sum = *others;
        pf_oracle_counts_add(&sum, &front->choice.at[choice].counts);
        int order = best == SIZE_MAX ? 1 : pf_oracle_compare(&sum, out, brevity);
        if (order < 0 || (!order && !is_before(front, choice, best))) continue;
        best = choice;
        *out = sum;
    }
    return best;
}

static void subtract(pf_oracle_counts *sum, const pf_oracle_counts *counts) {
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) {
        assert(sum->match[n] >= counts->match[n] && sum->total[n] >= counts->total[n]);
        sum->match[n] -= counts->match[n];
        sum->total[n] -= counts->total[n];
    }
    sum->length -= counts->length;
    sum->reference -= counts->reference;
}

/* Chooses each again, given the others. Did any change? */
static bool improve(const pf_oracle_front *front, size_t fronts, bool brevity, size_t *chosen, pf_oracle_counts *total) {
    bool changed = false;
    for (size_t record = 0; record < fronts; record++) {
        pf_oracle_counts others = *total, sum;
        if (chosen[record] == SIZE_MAX) continue;
        assert(chosen[record] < front[record].choice.n);
        subtract(&others, &front[record].choice.at[chosen[record]].counts);
        size_t best = best_with(&front[record], &others, brevity, &sum);
        if (pf_oracle_compare(&sum, total, brevity) <= 0) continue;
        chosen[record] = best;
        *total = sum;
        changed = true;
    }
    return changed;
}

void pf_oracle_choose(const pf_oracle_front *front, size_t fronts, pf_oracle_corpus how, bool brevity, size_t *chosen,
                      pf_oracle_counts *total) {
    static const pf_oracle_counts none;
    *total = none;
    for (size_t record = 0; record < fronts; record++) {
        pf_oracle_counts sum;
        chosen[record] = best_with(&front[record], how == PF_CORPUS_INDEPENDENT ? &none : total, brevity, &sum);
        if (chosen[record] != SIZE_MAX) pf_oracle_counts_add(total, &front[record].choice.at[chosen[record]].counts);
    }
    while (how == PF_CORPUS_ITERATE && improve(front, fronts, brevity, chosen, total)) {
    }
}

/* ---- the bound ---- */

/* sum += the largest sum of v_n * weight_n over the front. */
static void add_largest(const pf_oracle_front *front, mpz_t *weight, mpz_t sum, mpz_t now, mpz_t largest) {
    mpz_set_si(largest, NOTHING);
    for (size_t choice = 0; choice <= front->choice.n; choice++) {
        const pf_oracle_counts *counts = choice < front->choice.n ? &front->choice.at[choice].counts : &front->rest;
        if (choice == front->choice.n && front->whole) break;
        mpz_set_ui(now, 0);
        for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) mpz_addmul_ui(now, weight[n], (unsigned long)counts->match[n]);
        if (mpz_cmp(now, largest) > 0) mpz_set(largest, now);
    }
    if (mpz_sgn(largest) > 0) mpz_add(sum, sum, largest);
}

static bool is_known(const pf_oracle_front *front, size_t fronts, const pf_oracle_counts *total) {
    for (unsigned k = 0; k < PF_ORACLE_ORDER; k++)
        if (!total->match[k]) return false;
    for (size_t record = 0; record < fronts; record++)
        for (size_t k = 1; k < front[record].choice.n; k++)
            if (front[record].choice.at[k].counts.length != front[record].choice.at[0].counts.length) return false;
    return true;
}

bool pf_oracle_choose_bound(const pf_oracle_front *front, size_t fronts, const pf_oracle_counts *total, bool brevity,
                            double *bound) {
    mpz_t weight[PF_ORACLE_ORDER], sum, product, now, largest;
    if (!is_known(front, fronts, total)) return false;
    mpz_inits(sum, product, now, largest, NULL);
    mpz_set_ui(product, 1);
    for (unsigned k = 0; k < PF_ORACLE_ORDER; k++) mpz_mul_ui(product, product, (unsigned long)total->match[k]);
    for (unsigned k = 0; k < PF_ORACLE_ORDER; k++) {
        mpz_init(weight[k]);
        mpz_divexact_ui(weight[k], product, (unsigned long)total->match[k]);
    }
    for (size_t i = 0; i < fronts; i++) add_largest(&front[i], weight, sum, now, largest);
    mpz_submul_ui(sum, product, PF_ORACLE_ORDER); /* S - 4, times the product */
    mpq_t excess;
    mpq_init(excess);
    mpq_set_num(excess, sum);
    mpq_set_den(excess, product);
    mpq_canonicalize(excess);
    *bound = pf_oracle_score(total, brevity) * exp(mpq_get_d(excess) / PF_ORACLE_ORDER);
    mpq_clear(excess);
    for (unsigned k = 0; k < PF_ORACLE_ORDER; k++) mpz_clear(weight[k]);
    mpz_clears(sum, product, now, largest, NULL);
    return true;
}
