/* Costs of pairs as a matrix of a permutation automaton, whose best path is the order. */
#include <permfst/learn/order_decoder.h>

#include <permfst/io/sentence.h>
#include <permfst/permute/perm.h>
#include <permfst/verbs/search.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void pf_order_decoder_free(pf_order_decoder *decoder) {
    pf_separable_free(&decoder->room);
    PF_VEC_FREE(&decoder->cost);
}

pf_err pf_order_decoder_init(pf_order_decoder *decoder, const char *space, double unit) {
    assert(unit > 0);
    *decoder = (pf_order_decoder){.space = space, .unit = unit};
    return pf_perm_check(&(pf_perm_spec){.con = &space, .n_con = 1});
}

static pf_err set_costs(pf_order_decoder *decoder, const int64_t *cost, unsigned length) {
    decoder->cost.n = 0;
    PF_TRY(PF_ROOM(&decoder->cost, (size_t)length * length + 1));
    for (unsigned first = 0; first < length; first++) {
        decoder->cost.at[(size_t)first * length + first] = 0;
        for (unsigned second = first + 1; second < length; second++) {
            const double after = (double)cost[(size_t)first * length + second] / decoder->unit;
            decoder->cost.at[(size_t)second * length + first] = after > 0 ? after : 0;
            decoder->cost.at[(size_t)first * length + second] = after < 0 ? -after : 0;
        }
    }
    return PF_OK;
}

static pf_err words_of(unsigned length, pf_fst **out) {
    const char **words = malloc((length + 1) * sizeof *words);
    if (!words) return pf_nomem();
    for (unsigned k = 0; k < length; k++) words[k] = "x";
    pf_err err = pf_fst_of_words(PF_STANDARD, words, length, out);
    free(words);
    return err;
}

static pf_err take_order(const pf_answer *answer, unsigned length, uint32_t *order, bool *proven) {
    if (!answer->paths.n) return pf_fail(PF_EINPUT, "the space has no order of %u words", length);
    assert(answer->paths.at[0].n == length);
    for (unsigned at = 0; at < length; at++) order[at] = (uint32_t)answer->paths.at[0].arc[at].in - 1;
    if (proven) *proven = pf_answer_optimal(answer);
    return PF_OK;
}

static pf_err search(const pf_order_decoder *decoder, pf_fst *fst, unsigned length, uint32_t *order, bool *proven) {
    pf_answer answer = {0};
    PF_TRY(pf_search_best(fst, &(pf_best_options){.n = 1, .max_states = decoder->max_states}, &answer));
    pf_err err = take_order(&answer, length, order, proven);
    pf_answer_free(&answer);
    return err;
}

static pf_err permute_and_search(pf_order_decoder *decoder, pf_fst *words, unsigned length, uint32_t *order, bool *proven) {
    const pf_weight pairwise = {"pairwise:costs", decoder->cost.at, (size_t)length * length};
    const pf_perm_spec spec = {.con = &decoder->space, .n_con = 1, .wm = &pairwise, .n_wm = 1};
    pf_fst *fst;
    PF_TRY(pf_perm_lazy(words, &spec, &fst));
    pf_err err = search(decoder, fst, length, order, proven);
    pf_fst_free(fst);
    return err;
}

pf_err pf_order_decode(pf_order_decoder *decoder, const int64_t *cost, unsigned length, uint32_t *order, bool *proven) {
    pf_fst *words;
    if (proven) *proven = true;
    if (!length) return PF_OK;
    if (strcmp(decoder->space, "itg") == 0) return pf_separable_best(&decoder->room, cost, length, order);
    PF_TRY(set_costs(decoder, cost, length));
    PF_TRY(words_of(length, &words));
    pf_err err = permute_and_search(decoder, words, length, order, proven);
    pf_fst_free(words);
    return err;
}
