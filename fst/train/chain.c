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

/* The probabilities of all jumps from `from`, an offset before the words, to the words. */
static void spread(const pfi_jumps *jumps, size_t from, size_t words, double mass, double *to) {
    double sum = 0;
    for (size_t word = 0; word < words; word++) sum += to[word] = jumps->weight[pfi_jump_place(from, word)];
    for (size_t word = 0; word < words; word++) to[word] = sum > 0 ? mass * to[word] / sum : mass / (double)words;
}

pf_err pfi_chain_begin(pfi_chain *chain, size_t words, size_t links, const pfi_jumps *first, const pfi_jumps *inner, double empty) {
    assert(words && links && empty > 0 && empty < 1);
    PF_TRY(PF_ROOM(&chain->emission, words * links));
    PF_TRY(PF_ROOM(&chain->empty_emission, links));
    PF_TRY(PF_ROOM(&chain->jump, words * words));
    PF_TRY(PF_ROOM(&chain->first, words));
    PF_TRY(PF_ROOM(&chain->place, words));
    chain->n = words;
    chain->links = links;
    chain->empty = empty;
    spread(first, 0, words, 1 - empty, chain->first.at);
    for (size_t from = 0; from < words; from++) spread(inner, from, words, 1 - empty, chain->jump.at + from * words);
    return PF_OK;
}

/* ---- sums ---- */

static size_t states(const pfi_chain *chain) { return 2 * chain->n + 1; }

/* The sums of a link, from those of the one before (NULL: the first link), before they are scaled. */
static void forward(pfi_chain *chain, size_t link, const double *last, double *sums) {
    size_t words = chain->n;
    const double *emission = chain->emission.at + link * words, begin = last ? last[2 * words] : 1;
    double none = chain->empty * chain->empty_emission.at[link];
    for (size_t word = 0; word < words; word++) {
        sums[word] = begin * chain->first.at[word];
        sums[words + word] = last ? last[word] + last[words + word] : 0; /* where the chain was before */
    }
    for (size_t from = 0; last && from < words; from++) {
        const double *jump = chain->jump.at + from * words, mass = sums[words + from];
        for (size_t word = 0; word < words; word++) sums[word] += mass * jump[word];
    }
    for (size_t word = 0; word < words; word++) {
        sums[word] *= emission[word];
        sums[words + word] *= none;
    }
    sums[2 * words] = begin * none;
}

static double scale(double *sums, size_t all) {
    double sum = 0;
    for (size_t state = 0; state < all; state++) sum += sums[state];
    assert(sum > 0);
    for (size_t state = 0; state < all; state++) sums[state] /= sum;
    return sum;
}

/* The sums of a link, from those of the one after it. */
static void backward(pfi_chain *chain, size_t link, const double *next, double *sums) {
    size_t words = chain->n, after = link + 1;
    const double *emission = chain->emission.at + after * words;
    double none = chain->empty * chain->empty_emission.at[after] / chain->scale.at[after], *then = chain->place.at, begin = 0;
    for (size_t word = 0; word < words; word++) then[word] = next[word] * emission[word] / chain->scale.at[after];
    for (size_t from = 0; from < words; from++) {
        const double *jump = chain->jump.at + from * words;
        double sum = next[words + from] * none;
        for (size_t word = 0; word < words; word++) sum += jump[word] * then[word];
        sums[from] = sums[words + from] = sum;
        begin += chain->first.at[from] * then[from];
    }
    sums[2 * words] = begin + next[2 * words] * none;
}

pf_err pfi_chain_expect(pfi_chain *chain, double *posterior, double *empty_posterior, double *log_likelihood) {
    size_t words = chain->n, all = states(chain), links = chain->links;
    PF_TRY(PF_ROOM(&chain->forward, all * links));
    PF_TRY(PF_ROOM(&chain->backward, all * links));
    PF_TRY(PF_ROOM(&chain->scale, links));
    *log_likelihood = 0;
    for (size_t link = 0; link < links; link++) {
        double *sums = chain->forward.at + link * all;
        forward(chain, link, link ? sums - all : NULL, sums);
        chain->scale.at[link] = scale(sums, all);
        *log_likelihood += log(chain->scale.at[link]);
    }
    for (size_t state = 0; state < all; state++) chain->backward.at[(links - 1) * all + state] = 1;
    for (size_t link = links - 1; link-- > 0;)
        backward(chain, link, chain->backward.at + (link + 1) * all, chain->backward.at + link * all);
    for (size_t link = 0; link < links; link++) {
        const double *before = chain->forward.at + link * all, *behind = chain->backward.at + link * all;
        empty_posterior[link] = before[2 * words] * behind[2 * words];
        for (size_t word = 0; word < words; word++) {
            posterior[link * words + word] = before[word] * behind[word];
            empty_posterior[link] += before[words + word] * behind[words + word];
        }
    }
    return PF_OK;
}

/* ---- expected jumps ---- */

/* A word is reached by the first jump, or by one from a word. */
void pfi_chain_count(pfi_chain *chain, const double *posterior, double first[PFI_JUMP_WEIGHTS], double inner[PFI_JUMP_WEIGHTS],
                     double *departed) {
    size_t words = chain->n, all = states(chain);
    memset(first, 0, PFI_JUMP_WEIGHTS * sizeof *first);
    memset(inner, 0, PFI_JUMP_WEIGHTS * sizeof *inner);
    for (size_t word = 0; word < words; word++) {
        departed[word] = 0;
        first[pfi_jump_place(0, word)] += posterior[word];
    }
    for (size_t link = 1; link < chain->links; link++) {
        const double *last = chain->forward.at + (link - 1) * all, *behind = chain->backward.at + link * all;
        double *then = chain->place.at;
        for (size_t word = 0; word < words; word++) {
            then[word] = behind[word] * chain->emission.at[link * words + word] / chain->scale.at[link];
            first[pfi_jump_place(0, word)] += last[2 * words] * chain->first.at[word] * then[word];
        }
        for (size_t from = 0; from < words; from++) {
            double mass = last[from] + last[words + from];
            for (size_t word = 0; word < words; word++) {
                double share = mass * chain->jump.at[from * words + word] * then[word];
                inner[pfi_jump_place(from, word)] += share;
                departed[from] += share;
            }
        }
    }
}

/* ---- the best alignment ---- */

/* Products instead of sums, in the memory of the forward sums, scaled by the largest. A state of the empty word keeps its
 * place. */
static void step(pfi_chain *chain, size_t link, const double *last, double *best, uint32_t *before) {
    size_t words = chain->n;
    double none = chain->empty * chain->empty_emission.at[link], begin = last ? last[2 * words] : 1, most = 0;
    for (size_t word = 0; word < words; word++) {
        bool stays = last && last[words + word] > last[word];
        best[word] = -1;
        best[words + word] = last ? last[stays ? words + word : word] * none : 0;
        before[words + word] = (uint32_t)(stays ? words + word : word);
    }
    for (size_t from = 0; last && from < words; from++) {
        double product = last[from] > last[words + from] ? last[from] : last[words + from];
        for (size_t word = 0; word < words; word++)
            if (product * chain->jump.at[from * words + word] > best[word]) {
                best[word] = product * chain->jump.at[from * words + word];
                before[word] = before[words + from];
            }
    }
    for (size_t word = 0; word < words; word++) {
        if (begin * chain->first.at[word] > best[word]) {
            best[word] = begin * chain->first.at[word];
            before[word] = (uint32_t)(2 * words);
        }
        best[word] *= chain->emission.at[link * words + word];
    }
    best[2 * words] = begin * none;
    before[2 * words] = (uint32_t)(2 * words);
    for (size_t state = 0; state <= 2 * words; state++)
        if (best[state] > most) most = best[state];
    for (size_t state = 0; state <= 2 * words; state++) best[state] /= most;
}

pf_err pfi_chain_best(pfi_chain *chain, uint32_t *word) {
    size_t words = chain->n, all = states(chain), links = chain->links, at = 0;
    PF_TRY(PF_ROOM(&chain->forward, all * links));
    PF_TRY(PF_ROOM(&chain->before, all * links));
    for (size_t link = 0; link < links; link++) {
        double *best = chain->forward.at + link * all;
        step(chain, link, link ? best - all : NULL, best, chain->before.at + link * all);
    }
    const double *last = chain->forward.at + (links - 1) * all;
    for (size_t state = 1; state < all; state++)
        if (last[state] > last[at]) at = state;
    for (size_t link = links; link-- > 0;) {
        word[link] = at < words ? (uint32_t)at : UINT32_MAX;
        at = chain->before.at[link * all + at];
    }
    return PF_OK;
}
