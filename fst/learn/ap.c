/* A sum of the weights after every sentence is never made: an update at sentence t counts in all sentences from t on, so the mean
 * is (T w - sum of y t) / T, with t from 0 and T sentences in all. */
#include <permfst/learn/ap.h>

#include <permfst/learn/chunk_decoder.h>
#include <permfst/learn/chunk_search.h>

#include "learn/learn_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *pf_loss_name(size_t loss) {
    static const char *const names[] = {"none", "tau", "chunk"};
    return loss < PF_LOSSES ? names[loss] : NULL;
}

struct pf_perceptron {
    const pf_examples *examples;
    pf_ap_options options;
    uint64_t sentences, pass; /* seen so far */
    int64_t *weight, *late;   /* of each feature; late: the sum of y t */
    PF_VEC(uint32_t) target;  /* of each sentence one after the other, without a loss */
    pf_order_decoder decoder;
    pf_chunk_decoder chunks; /* for itg */
    pf_chunk_search chunk_search;
    PF_VEC(int64_t) score, cost; /* of the pairs of a sentence, n x n */
    PF_VEC(uint32_t) order, wanted, place, wanted_place;
};

/* ---- a sentence ---- */

static const pf_example_sentence *sentence_at(const pf_perceptron *learner, size_t which) {
    return &learner->examples->sentence.at[which];
}

static pf_err make_room(pf_perceptron *learner, size_t length) {
    learner->score.n = learner->cost.n = learner->order.n = learner->wanted.n = learner->place.n = learner->wanted_place.n = 0;
    PF_TRY(PF_ROOM(&learner->score, length * length + 1));
    PF_TRY(PF_ROOM(&learner->cost, length * length + 1));
    PF_TRY(PF_ROOM(&learner->order, length + 1));
    PF_TRY(PF_ROOM(&learner->wanted, length + 1));
    PF_TRY(PF_ROOM(&learner->place, length + 1));
    return PF_ROOM(&learner->wanted_place, length + 1);
}

static void find_scores(pf_perceptron *learner, const pf_example_sentence *sentence) {
    const pf_examples *examples = learner->examples;
    size_t pair = sentence->pair, at = pair ? examples->end.at[pair - 1] : 0;
    assert(pair + (size_t)sentence->n * (sentence->n - 1) / 2 <= examples->end.n);
    for (unsigned i = 0; i < sentence->n; i++)
        for (unsigned j = i + 1; j < sentence->n; j++, pair++) {
            int64_t sum = 0;
            for (; at < examples->end.at[pair]; at++) sum += learner->weight[examples->feature.at[at]];
            learner->score.at[(size_t)i * sentence->n + j] = sum;
        }
}

/* cost = factor x score + more x gold: what j before i costs. */
static void set_costs(pf_perceptron *learner, const pf_example_sentence *sentence, int64_t factor, int64_t more) {
    const signed char *gold = learner->examples->gold.at + sentence->pair;
    for (unsigned i = 0; i < sentence->n; i++)
        for (unsigned j = i + 1; j < sentence->n; j++) {
            const size_t at = (size_t)i * sentence->n + j;
            learner->cost.at[at] = (factor ? factor * learner->score.at[at] : 0) + more * *gold++;
        }
}

/* More than all scores together make: what one loss has to weigh. Losses of so much stay within 61 bits, however many there are. */
static pf_err above_all(const pf_perceptron *learner, unsigned length, int64_t *out) {
    const int64_t losses = (int64_t)length * length + 1;
    *out = 1;
    for (unsigned i = 0; i < length; i++)
        for (unsigned j = i + 1; j < length; j++) {
            *out += llabs(learner->score.at[(size_t)i * length + j]);
            if (*out > (INT64_C(1) << 61) / losses)
                return pf_fail(PF_ELIMIT, "the weights are too large for a sentence of %u words", length);
        }
    return PF_OK;
}

/* ---- decoding ---- */

static pf_err decode_chunks(pf_perceptron *learner, const pf_example_sentence *sentence, int64_t loss, uint32_t *order) {
    const char *space = learner->options.space;
    const uint32_t *rank = learner->examples->rank.at + sentence->rank;
    set_costs(learner, sentence, 1, 0);
    if (strcmp(space, "itg") == 0) return pf_chunk_decode(&learner->chunks, learner->cost.at, rank, loss, sentence->n, order);
    return pf_chunk_search_best(&learner->chunk_search, space, learner->cost.at, rank, loss, sentence->n, order);
}

/* The order of least cost, where each loss costs `loss`: of the gold of pairs, or of chunks. */
static pf_err decode(pf_perceptron *learner, const pf_example_sentence *sentence, int64_t loss, uint32_t *order) {
    if (learner->options.loss == PF_LOSS_CHUNK) return decode_chunks(learner, sentence, loss, order);
    set_costs(learner, sentence, 1, loss);
    return pf_order_decode(&learner->decoder, learner->cost.at, sentence->n, order, NULL);
}

/* The order nearest to the gold. */
static pf_err find_target(pf_perceptron *learner, const pf_example_sentence *sentence) {
    set_costs(learner, sentence, 0, 1);
    PF_TRY(PF_ROOM(&learner->target, sentence->n));
    PF_TRY(pf_order_decode(&learner->decoder, learner->cost.at, sentence->n, learner->target.at + learner->target.n, NULL));
    learner->target.n += sentence->n;
    return PF_OK;
}

static pf_err decode_both(pf_perceptron *learner, const pf_example_sentence *sentence, const uint32_t *target) {
    int64_t most;
    PF_TRY(above_all(learner, sentence->n, &most));
    if (learner->options.loss == PF_LOSS_NONE) {
        memcpy(learner->wanted.at, target, sentence->n * sizeof *target);
        return decode(learner, sentence, 0, learner->order.at);
    }
    PF_TRY(decode(learner, sentence, -learner->options.margin, learner->order.at));
    return decode(learner, sentence, most, learner->wanted.at);
}

/* ---- learning ---- */

static void update(pf_perceptron *learner, size_t pair, int64_t sign) {
    const pf_examples *examples = learner->examples;
    for (size_t at = pair ? examples->end.at[pair - 1] : 0; at < examples->end.at[pair]; at++) {
        learner->weight[examples->feature.at[at]] += sign;
        learner->late[examples->feature.at[at]] += sign * (int64_t)learner->sentences;
    }
}

/* Is a pair without gold learned? With chunks all neighbours matter, and the gold of pairs says nothing of them. */
static bool counts(const pf_perceptron *learner, size_t pair) {
    return learner->options.loss == PF_LOSS_CHUNK || learner->examples->gold.at[pair];
}

static uint64_t correct(pf_perceptron *learner, const pf_example_sentence *sentence) {
    uint64_t wrong = 0;
    size_t pair = sentence->pair;
    for (unsigned at = 0; at < sentence->n; at++) {
        assert(learner->order.at[at] < sentence->n && learner->wanted.at[at] < sentence->n);
        learner->place.at[learner->order.at[at]] = at;
        learner->wanted_place.at[learner->wanted.at[at]] = at;
    }
    for (unsigned i = 0; i < sentence->n; i++)
        for (unsigned j = i + 1; j < sentence->n; j++, pair++) {
            const bool first = learner->place.at[i] < learner->place.at[j];
            const bool wanted = learner->wanted_place.at[i] < learner->wanted_place.at[j];
            if (first == wanted || !counts(learner, pair)) continue;
            update(learner, pair, wanted ? 1 : -1);
            wrong++;
        }
    return wrong;
}

static pf_err learn(pf_perceptron *learner, const pf_example_sentence *sentence, const uint32_t *target, pf_ap_state *state) {
    PF_TRY(make_room(learner, sentence->n));
    find_scores(learner, sentence);
    PF_TRY(decode_both(learner, sentence, target));
    const uint64_t wrong = correct(learner, sentence);
    state->pairs += wrong;
    state->sentences += wrong > 0;
    learner->sentences++;
    if (learner->options.sentence) learner->options.sentence(learner->options.self, learner->sentences);
    return PF_OK;
}

/* What decoding a sentence has failed with, by its line. */
static pf_err failed_at(const pf_example_sentence *sentence, pf_err err) {
    return pf_fail_in(err, "line %llu: ", (unsigned long long)sentence->line);
}

static pf_err find_targets(pf_perceptron *learner) {
    for (size_t which = 0; which < learner->examples->sentence.n; which++) {
        const pf_example_sentence *sentence = sentence_at(learner, which);
        PF_TRY(make_room(learner, sentence->n));
        pf_err err = find_target(learner, sentence);
        if (err) return failed_at(sentence, err);
    }
    return PF_OK;
}

pf_err pf_perceptron_pass(pf_perceptron *learner, pf_ap_state *state) {
    const uint32_t *target = learner->target.at;
    *state = (pf_ap_state){.pass = ++learner->pass};
    for (size_t which = 0; which < learner->examples->sentence.n; which++) {
        const pf_example_sentence *sentence = sentence_at(learner, which);
        pf_err err = learn(learner, sentence, target, state);
        if (err) return failed_at(sentence, err);
        if (target) target += sentence->n;
    }
    return PF_OK;
}

uint64_t pf_perceptron_passes(const pf_perceptron *learner) { return learner->pass; }

void pf_perceptron_mean(const pf_perceptron *learner) {
    const double all = (double)learner->sentences;
    double *mean = learner->examples->model->weight.at;
    for (size_t feature = 0; feature < learner->examples->model->weight.n; feature++)
        mean[feature] =
            all > 0 ? (double)((int64_t)learner->sentences * learner->weight[feature] - learner->late[feature]) / all : 0;
}

/* ---- the learner ---- */

static pf_err begin(pf_perceptron *learner) {
    const size_t weights = learner->examples->model->weight.n;
    learner->weight = calloc(weights + 1, sizeof *learner->weight);
    learner->late = calloc(weights + 1, sizeof *learner->late);
    if (!learner->weight || !learner->late) return pf_nomem();
    PF_TRY(pf_order_decoder_init(&learner->decoder, learner->options.space, 1));
    return learner->options.loss == PF_LOSS_NONE ? find_targets(learner) : PF_OK;
}

pf_err pf_perceptron_new(const pf_examples *examples, const pf_ap_options *options, pf_perceptron **out) {
    pf_perceptron *learner = *out = calloc(1, sizeof *learner);
    if (!learner) return pf_nomem();
    assert(examples->options.all_pairs && (options->loss == PF_LOSS_NONE || examples->options.gold == PF_GOLD_RANKS));
    learner->examples = examples;
    learner->options = *options;
    pf_err err = begin(learner);
    if (!err) return PF_OK;
    pf_perceptron_free(learner);
    *out = NULL;
    return err;
}

void pf_perceptron_free(pf_perceptron *learner) {
    if (!learner) return;
    free(learner->weight);
    free(learner->late);
    PF_VEC_FREE(&learner->target);
    pf_order_decoder_free(&learner->decoder);
    pf_chunk_decoder_free(&learner->chunks);
    pf_chunk_search_free(&learner->chunk_search);
    PF_VEC_FREE(&learner->score);
    PF_VEC_FREE(&learner->cost);
    PF_VEC_FREE(&learner->order);
    PF_VEC_FREE(&learner->wanted);
    PF_VEC_FREE(&learner->place);
    PF_VEC_FREE(&learner->wanted_place);
    free(learner);
}

void pfi_perceptron_numbers_of(const pf_perceptron *learner, pfi_perceptron_numbers *out) {
    const pf_ap_options *options = &learner->options;
    const int64_t how[] = {options->loss, options->loss == PF_LOSS_NONE ? 0 : options->margin};
    const uint64_t hash = pf_hash(options->space, strlen(options->space), PF_LEARN_AP);
    *out = (pfi_perceptron_numbers){pfi_examples_hash(learner->examples, pf_hash(how, sizeof how, hash)),
                                    learner->examples->model->weight.n, learner->weight, learner->late, learner->pass,
                                    learner->sentences, learner->examples->sentence.n, learner->examples->gold.n};
}

void pfi_perceptron_go_on(pf_perceptron *learner, uint64_t pass, uint64_t sentences) {
    learner->pass = pass;
    learner->sentences = sentences;
}
