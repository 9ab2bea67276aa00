/* Forward and backward sums, scaled so that those of each link have the sum 1 (Rabiner 1989, A tutorial on hidden Markov
 * models, section V.A). A state of the empty word is reached from its word or from itself only, so all of them together cost
 * O(n) a link. */
#include "train/chain_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void pfi_chain_free(pfi_chain *chain) {
    PF_VEC_FREE(&chain->emission);
    PF_VEC_FREE(&chain->empty_emission);
    PF_VEC_FREE(&chain->jump);
    PF_VEC_FREE(&chain->first);
    PF_VEC_FREE(&chain->forward);
    PF_VEC_FREE(&chain->backward);
    PF_VEC_FREE(&chain->scale);
    PF_VEC_FREE(&chain->place);
    PF_VEC_FREE(&chain->before);
}

/* ---- jumps ---- */

/* The probabilities of all jumps from `from`, an offset before the words, to the n words. */
static void spread(const pfi_jumps *jumps, size_t from, size_t n, double mass, double *to) {
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += to[j] = jumps->weight[pfi_jump_place(from, j)];
    for (size_t j = 0; j < n; j++) to[j] = sum > 0 ? mass * to[j] / sum : mass / (double)n;
}

pf_err pfi_chain_begin(pfi_chain *chain, size_t n, size_t links, const pfi_jumps *first, const pfi_jumps *inner, double empty) {
    assert(n && links && empty > 0 && empty < 1);
    PF_TRY(PF_ROOM(&chain->emission, n * links));
    PF_TRY(PF_ROOM(&chain->empty_emission, links));
    PF_TRY(PF_ROOM(&chain->jump, n * n));
    PF_TRY(PF_ROOM(&chain->first, n));
    PF_TRY(PF_ROOM(&chain->place, n));
    chain->n = n;
    chain->links = links;
    chain->empty = empty;
    spread(first, 0, n, 1 - empty, chain->first.at);
    for (size_t from = 0; from < n; from++) spread(inner, from, n, 1 - empty, chain->jump.at + from * n);
    return PF_OK;
}

/* ---- sums ---- */

static size_t states(const pfi_chain *chain) { return 2 * chain->n + 1; }

/* The sums of a link, from those of the one before (NULL: the first link), before they are scaled. */
static void forward(pfi_chain *chain, size_t link, const double *last, double *sums) {
    size_t n = chain->n;
    const double *emission = chain->emission.at + link * n, begin = last ? last[2 * n] : 1;
    double none = chain->empty * chain->empty_emission.at[link];
    for (size_t j = 0; j < n; j++) {
        sums[j] = begin * chain->first.at[j];
        sums[n + j] = last ? last[j] + last[n + j] : 0; /* where the chain was before */
    }
    for (size_t from = 0; last && from < n; from++) {
        const double *jump = chain->jump.at + from * n, mass = sums[n + from];
        for (size_t j = 0; j < n; j++) sums[j] += mass * jump[j];
    }
    for (size_t j = 0; j < n; j++) {
        sums[j] *= emission[j];
        sums[n + j] *= none;
    }
    sums[2 * n] = begin * none;
}

static double scale(double *sums, size_t n) {
    double sum = 0;
    for (size_t s = 0; s < n; s++) sum += sums[s];
    for (size_t s = 0; s < n; s++) sums[s] /= sum;
    return sum;
}

/* The sums of a link, from those of the one after it. */
static void backward(pfi_chain *chain, size_t link, const double *next, double *sums) {
    size_t n = chain->n, after = link + 1;
    const double *emission = chain->emission.at + after * n;
    double none = chain->empty * chain->empty_emission.at[after] / chain->scale.at[after], *then = chain->place.at, begin = 0;
    for (size_t j = 0; j < n; j++) then[j] = next[j] * emission[j] / chain->scale.at[after];
    for (size_t from = 0; from < n; from++) {
        const double *jump = chain->jump.at + from * n;
        double sum = next[n + from] * none;
        for (size_t j = 0; j < n; j++) sum += jump[j] * then[j];
        sums[from] = sums[n + from] = sum;
        begin += chain->first.at[from] * then[from];
    }
    sums[2 * n] = begin + next[2 * n] * none;
}

pf_err pfi_chain_expect(pfi_chain *chain, double *posterior, double *empty_posterior, double *log_likelihood) {
    size_t n = chain->n, all = states(chain), links = chain->links;
    PF_TRY(PF_ROOM(&chain->forward, all * links));
    PF_TRY(PF_ROOM(&chain->backward, all * links));
    PF_TRY(PF_ROOM(&chain->scale, links));
    *log_likelihood = 0;
    for (size_t i = 0; i < links; i++) {
        double *sums = chain->forward.at + i * all;
        forward(chain, i, i ? sums - all : NULL, sums);
        chain->scale.at[i] = scale(sums, all);
        *log_likelihood += log(chain->scale.at[i]);
    }
    for (size_t s = 0; s < all; s++) chain->backward.at[(links - 1) * all + s] = 1;
    for (size_t i = links - 1; i-- > 0;) backward(chain, i, chain->backward.at + (i + 1) * all, chain->backward.at + i * all);
    for (size_t i = 0; i < links; i++) {
        const double *before = chain->forward.at + i * all, *behind = chain->backward.at + i * all;
        empty_posterior[i] = before[2 * n] * behind[2 * n];
        for (size_t j = 0; j < n; j++) {
            posterior[i * n + j] = before[j] * behind[j];
            empty_posterior[i] += before[n + j] * behind[n + j];
        }
    }
    return PF_OK;
}

/* ---- expected jumps ---- */

/* A word is reached by the first jump, or by one from a word. */
void pfi_chain_count(pfi_chain *chain, const double *posterior, double first[PFI_JUMP_WEIGHTS], double inner[PFI_JUMP_WEIGHTS],
                     double *departed) {
    size_t n = chain->n, all = states(chain);
    memset(first, 0, PFI_JUMP_WEIGHTS * sizeof *first);
    memset(inner, 0, PFI_JUMP_WEIGHTS * sizeof *inner);
    for (size_t j = 0; j < n; j++) {
        departed[j] = 0;
        first[pfi_jump_place(0, j)] += posterior[j];
    }
    for (size_t i = 1; i < chain->links; i++) {
        const double *last = chain->forward.at + (i - 1) * all, *behind = chain->backward.at + i * all;
        double *then = chain->place.at;
        for (size_t j = 0; j < n; j++) {
            then[j] = behind[j] * chain->emission.at[i * n + j] / chain->scale.at[i];
            first[pfi_jump_place(0, j)] += last[2 * n] * chain->first.at[j] * then[j];
        }
        for (size_t from = 0; from < n; from++) {
            double mass = last[from] + last[n + from];
            for (size_t j = 0; j < n; j++) {
                double share = mass * chain->jump.at[from * n + j] * then[j];
                inner[pfi_jump_place(from, j)] += share;
                departed[from] += share;
            }
        }
    }
}

/* ---- the best alignment ---- */

/* Products instead of sums, in the memory of the forward sums, scaled by the largest. A state of the empty word keeps its
 * place. */
static void step(pfi_chain *chain, size_t link, const double *last, double *best, uint32_t *before) {
    size_t n = chain->n;
    double none = chain->empty * chain->empty_emission.at[link], begin = last ? last[2 * n] : 1, most = 0;
    for (size_t j = 0; j < n; j++) {
        bool stays = last && last[n + j] > last[j];
        best[j] = -1;
        best[n + j] = last ? last[stays ? n + j : j] * none : 0;
        before[n + j] = (uint32_t)(stays ? n + j : j);
    }
    for (size_t from = 0; last && from < n; from++) {
        double product = last[from] > last[n + from] ? last[from] : last[n + from];
        for (size_t j = 0; j < n; j++)
            if (product * chain->jump.at[from * n + j] > best[j]) {
                best[j] = product * chain->jump.at[from * n + j];
                before[j] = before[n + from];
            }
    }
    for (size_t j = 0; j < n; j++) {
        if (begin * chain->first.at[j] > best[j]) {
            best[j] = begin * chain->first.at[j];
            before[j] = (uint32_t)(2 * n);
        }
        best[j] *= chain->emission.at[link * n + j];
    }
    best[2 * n] = begin * none;
    before[2 * n] = (uint32_t)(2 * n);
    for (size_t s = 0; s <= 2 * n; s++)
        if (best[s] > most) most = best[s];
    for (size_t s = 0; s <= 2 * n; s++) best[s] /= most;
}

pf_err pfi_chain_best(pfi_chain *chain, uint32_t *word) {
    size_t n = chain->n, all = states(chain), links = chain->links, at = 0;
    PF_TRY(PF_ROOM(&chain->forward, all * links));
    PF_TRY(PF_ROOM(&chain->before, all * links));
    for (size_t i = 0; i < links; i++) {
        double *best = chain->forward.at + i * all;
        step(chain, i, i ? best - all : NULL, best, chain->before.at + i * all);
    }
    const double *last = chain->forward.at + (links - 1) * all;
    for (size_t s = 1; s < all; s++)
        if (last[s] > last[at]) at = s;
    for (size_t i = links; i-- > 0;) {
        word[i] = at < n ? (uint32_t)at : UINT32_MAX;
        at = chain->before.at[i * all + at];
    }
    return PF_OK;
}
