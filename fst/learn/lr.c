/* Blocks of sentences are the pieces of the workers; each makes a vector of its own, and these are added in order. */
#include <permfst/learn/lr.h>

#include "base/contract.h"
#include "learn/learn_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 }; /* sentences */

void pf_lr_state_free(pf_lr_state *state) {
    free(state->dual);
    state->dual = NULL;
}

/* ---- pairs ---- */

typedef struct {
    const uint32_t *feature;
    size_t features;
    int gold; /* 0: the pair is not used */
} lr_pair;

static lr_pair pair_at(const pf_examples *examples, size_t pair) {
    assert(pair < examples->gold.n && examples->end.n == examples->gold.n);
    const size_t from = pair ? examples->end.at[pair - 1] : 0;
    return (lr_pair){examples->feature.at + from, examples->end.at[pair] - from, examples->gold.at[pair]};
}

static size_t first_pair(const pf_examples *examples, size_t sentence) {
    return sentence < examples->sentence.n ? examples->sentence.at[sentence].pair : examples->gold.n;
}

/* Above 0 if the weights have the pair right. */
static double margin_of(const lr_pair *pair, const double *theta) {
    double sum = 0;
    for (size_t at = 0; at < pair->features; at++) sum += theta[pair->feature[at]];
    return pair->gold * sum;
}

static void add_to(const lr_pair *pair, double more, double *vector) {
    for (size_t at = 0; at < pair->features; at++) vector[pair->feature[at]] += more;
}

/* ---- the value and the gradient ---- */

typedef struct {
    const pf_examples *examples;
    const double *theta;
    double value, *gradient; /* sums; gradient NULL: not asked */
} pair_sum;

typedef struct {
    size_t first, last; /* sentences */
    double value, *gradient;
} pair_block;

static void add_pair(const pair_sum *sum, pair_block *block, const lr_pair *pair) {
    const double margin = margin_of(pair, sum->theta);
    block->value += pfi_softplus(-margin);
    if (block->gradient) add_to(pair, -pair->gold / (1 + exp(margin)), block->gradient);
}

static pf_err work_on(void *self, void *piece) {
    const pair_sum *sum = self;
    pair_block *block = piece;
    const size_t weights = sum->examples->model->weight.n;
    if (sum->gradient && !(block->gradient = calloc(weights + 1, sizeof *block->gradient))) return pf_nomem();
    for (size_t at = first_pair(sum->examples, block->first); at < first_pair(sum->examples, block->last); at++) {
        const lr_pair pair = pair_at(sum->examples, at);
        if (pair.gold) add_pair(sum, block, &pair);
    }
    return PF_OK;
}

static pf_err finish(void *self, void *piece, pf_err err) {
    pair_sum *sum = self;
    const pair_block *block = piece;
    PF_TRY(err);
    sum->value += block->value;
    for (size_t at = 0; sum->gradient && at < sum->examples->model->weight.n; at++) sum->gradient[at] += block->gradient[at];
    return PF_OK;
}

static void drop(void *piece) { free(((pair_block *)piece)->gradient); }

static pf_err sum_up(pair_sum *sum, const pf_lr_options *options) {
    static const pf_workers_steps steps = {sizeof(pair_block), work_on, finish, drop, NULL};
    const size_t sentences = sum->examples->sentence.n;
    pf_workers *workers;
    PF_TRY(pf_workers_new(options->threads, &steps, sum, options->hooks, &workers));
    pf_err err = PF_OK;
    for (size_t at = 0; !err && at < sentences; at += BLOCK)
        err = pf_workers_put(workers, &(pair_block){at, sentences - at < BLOCK ? sentences : at + BLOCK, 0, NULL}, PF_OK);
    return pf_workers_end(workers, err);
}

static double dot(const double *one, const double *other, size_t size) {
    double sum = 0;
    for (size_t at = 0; at < size; at++) sum += one[at] * other[at];
    return sum;
}

pf_err pf_lr_value(const pf_examples *examples, const pf_lr_options *options, const double *theta, double *value,
                   double *gradient) {
    const size_t weights = examples->model->weight.n;
    pair_sum sum = {.examples = examples, .theta = theta, .gradient = gradient};
    if (gradient) memset(gradient, 0, weights * sizeof *gradient);
    PF_TRY(sum_up(&sum, options));
    *value = sum.value + options->lambda / 2 * dot(theta, theta, weights);
    for (size_t at = 0; gradient && at < weights; at++) gradient[at] += options->lambda * theta[at];
    return PF_OK;
}

/* ---- descent ---- */

typedef struct {
    const pf_examples *examples;
    const pf_lr_options *options;
    size_t weights;
    double *theta, *gradient;
    uint32_t *sentence; /* the order of the pass */
    pf_lr_state state;
} descent;

/* What is minimised, of alpha = 1 / (1 + e^-z) with the log odds z, has the slope z + stiffness (alpha - before) + margin, which
 * rises with z. Newton's method finds its root, and halving an interval around it where Newton's steps leave that or do not become
 * shorter by half. */
double pfi_best_alpha(double before, double margin, double stiffness) {
    enum { ROUNDS = 100 };
    assert(stiffness >= 0);
    double low = stiffness * (before - 1) - margin, high = stiffness * before - margin;
    double log_odds = -margin, alpha = before, last = high - low;
    for (int round = 0; round < ROUNDS; round++) {
        alpha = 1 / (1 + exp(-log_odds));
        const double slope = log_odds + stiffness * (alpha - before) + margin, step = slope / (1 + stiffness * alpha * (1 - alpha));
        if (fabs(step) <= 1e-9 * (1 + fabs(log_odds))) break;
        *(slope > 0 ? &high : &low) = log_odds;
        const bool newton = fabs(step) < last / 2 && log_odds - step > low && log_odds - step < high;
        const double next = newton ? log_odds - step : (low + high) / 2;
        last = fabs(next - log_odds);
        log_odds = next;
    }
    return alpha;
}

static void descend_pair(descent *run, size_t at) {
    const lr_pair pair = pair_at(run->examples, at);
    if (!pair.gold) return;
    const double before = run->state.dual[at];
    run->state.dual[at] = pfi_best_alpha(before, margin_of(&pair, run->theta), (double)pair.features / run->options->lambda);
    add_to(&pair, pair.gold * (run->state.dual[at] - before) / run->options->lambda, run->theta);
}

/* Steele, Lea and Flood 2014, Fast splittable pseudorandom number generators: splitmix64. */
static uint64_t draw(uint64_t *seed) {
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* The order depends on the pass alone, so a training that goes on has the same. */
static void shuffle(descent *run) {
    uint64_t seed = run->state.pass;
    const size_t sentences = run->examples->sentence.n;
    for (size_t at = 0; at < sentences; at++) run->sentence[at] = (uint32_t)at;
    for (size_t left = sentences; left > 1; left--) {
        const size_t other = draw(&seed) % left;
        const uint32_t sentence = run->sentence[left - 1];
        run->sentence[left - 1] = run->sentence[other];
        run->sentence[other] = sentence;
    }
}

static void descend(descent *run) {
    shuffle(run);
    for (size_t k = 0; k < run->examples->sentence.n; k++)
        for (size_t at = first_pair(run->examples, run->sentence[k]);
             at < first_pair(run->examples, run->sentence[k] + (size_t)1); at++)
            descend_pair(run, at);
    run->state.pass++;
}

static pf_err measure(descent *run) {
    PF_TRY(pf_lr_value(run->examples, run->options, run->theta, &run->state.value, run->gradient));
    run->state.bound = dot(run->gradient, run->gradient, run->weights) / (2 * run->options->lambda);
    return run->options->told ? run->options->told(run->options->self, &run->state) : PF_OK;
}

static pf_err minimise(descent *run) {
    PF_TRY(measure(run));
    while (!(run->state.bound <= run->options->tolerance * run->state.value) && run->state.pass < run->options->passes) {
        descend(run);
        PF_TRY(measure(run));
    }
    return PF_OK;
}

static pf_err make_room(descent *run) {
    const pf_examples *examples = run->examples;
    run->gradient = calloc(run->weights + 1, sizeof *run->gradient);
    run->sentence = calloc(examples->sentence.n + 1, sizeof *run->sentence);
    run->state.dual = calloc(examples->gold.n + 1, sizeof *run->state.dual);
    return run->gradient && run->sentence && run->state.dual ? PF_OK : pf_nomem();
}

/* The weights are those of theta and alpha together: they begin at 0. */
static void begin(descent *run) {
    const pf_lr_state *from = run->options->from;
    if (!from) {
        if (run->weights) memset(run->theta, 0, run->weights * sizeof *run->theta);
        return;
    }
    run->state.pass = from->pass;
    memcpy(run->state.dual, from->dual, run->examples->gold.n * sizeof *run->state.dual);
}

pf_err pf_lr_train(const pf_examples *examples, const pf_lr_options *options, pf_lr_state *out) {
    descent run = {.examples = examples, .options = options, .weights = examples->model->weight.n,
                   .theta = examples->model->weight.at};
    assert(options->lambda >= PF_LAMBDA_LEAST);
    pf_err err = make_room(&run);
    if (!err) {
        begin(&run);
        err = minimise(&run);
    }
    *out = run.state;
    pf_lr_state_free(&run.state);
    out->dual = NULL;
    free(run.gradient);
    free(run.sentence);
    return err;
}
