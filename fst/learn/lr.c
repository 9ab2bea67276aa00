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
    size_t n;
    int gold; /* 0: the pair is not used */
} lr_pair;

static lr_pair pair_at(const pf_examples *examples, size_t pair) {
    const size_t from = pair ? examples->end.at[pair - 1] : 0;
    return (lr_pair){examples->feature.at + from, examples->end.at[pair] - from, examples->gold.at[pair]};
}

static size_t first_pair(const pf_examples *examples, size_t sentence) {
    return sentence < examples->sentence.n ? examples->sentence.at[sentence].pair : examples->gold.n;
}

/* Above 0 if the weights have the pair right. */
static double margin_of(const lr_pair *pair, const double *theta) {
    double sum = 0;
    for (size_t k = 0; k < pair->n; k++) sum += theta[pair->feature[k]];
    return pair->gold * sum;
}

static void add_to(const lr_pair *pair, double more, double *vector) {
    for (size_t k = 0; k < pair->n; k++) vector[pair->feature[k]] += more;
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
    for (size_t k = 0; sum->gradient && k < sum->examples->model->weight.n; k++) sum->gradient[k] += block->gradient[k];
    return PF_OK;
}

static void drop(void *piece) { free(((pair_block *)piece)->gradient); }

static pf_err sum_up(pair_sum *sum, const pf_lr_options *options) {
    static const pf_workers_steps steps = {sizeof(pair_block), work_on, finish, drop};
    const size_t n = sum->examples->sentence.n;
    pf_workers *workers;
    PF_TRY(pf_workers_new(options->threads, &steps, sum, options->hooks, &workers));
    pf_err err = PF_OK;
    for (size_t at = 0; !err && at < n; at += BLOCK)
        err = pf_workers_put(workers, &(pair_block){at, n - at < BLOCK ? n : at + BLOCK, 0, NULL}, PF_OK);
    return pf_workers_end(workers, err);
}

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

pf_err pf_lr_value(const pf_examples *examples, const pf_lr_options *options, const double *theta, double *value,
                   double *gradient) {
    const size_t n = examples->model->weight.n;
    pair_sum sum = {.examples = examples, .theta = theta, .gradient = gradient};
    if (gradient) memset(gradient, 0, n * sizeof *gradient);
    PF_TRY(sum_up(&sum, options));
    *value = sum.value + options->lambda / 2 * dot(theta, theta, n);
    for (size_t k = 0; gradient && k < n; k++) gradient[k] += options->lambda * theta[k];
    return PF_OK;
}

/* ---- descent ---- */

typedef struct {
    const pf_examples *examples;
    const pf_lr_options *options;
    size_t n;
    double *theta, *gradient;
    uint32_t *sentence; /* the order of the pass */
    pf_lr_state state;
} descent;

/* What is minimised, of alpha = 1 / (1 + e^-z), has the slope z + stiffness (alpha - before) + margin, which rises with z. Newton's
 * method finds its root, and halving an interval around it where Newton's steps leave that or do not become shorter by half. */
double pfi_best_alpha(double before, double margin, double stiffness) {
    enum { ROUNDS = 100 };
    double low = stiffness * (before - 1) - margin, high = stiffness * before - margin;
    double z = -margin, alpha = before, last = high - low;
    for (int k = 0; k < ROUNDS; k++) {
        alpha = 1 / (1 + exp(-z));
        const double slope = z + stiffness * (alpha - before) + margin, step = slope / (1 + stiffness * alpha * (1 - alpha));
        if (fabs(step) <= 1e-9 * (1 + fabs(z))) break;
        *(slope > 0 ? &high : &low) = z;
        const bool newton = fabs(step) < last / 2 && z - step > low && z - step < high;
        const double next = newton ? z - step : (low + high) / 2;
        last = fabs(next - z);
        z = next;
    }
    return alpha;
}

static void descend_pair(descent *s, size_t at) {
    const lr_pair pair = pair_at(s->examples, at);
    if (!pair.gold) return;
    const double before = s->state.dual[at];
    s->state.dual[at] = pfi_best_alpha(before, margin_of(&pair, s->theta), (double)pair.n / s->options->lambda);
    add_to(&pair, pair.gold * (s->state.dual[at] - before) / s->options->lambda, s->theta);
}

/* Steele, Lea and Flood 2014, Fast splittable pseudorandom number generators: splitmix64. */
static uint64_t draw(uint64_t *seed) {
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* The order depends on the pass alone, so a training that goes on has the same. */
static void shuffle(descent *s) {
    uint64_t seed = s->state.pass;
    const size_t n = s->examples->sentence.n;
    for (size_t k = 0; k < n; k++) s->sentence[k] = (uint32_t)k;
    for (size_t k = n; k > 1; k--) {
        const size_t other = draw(&seed) % k;
        const uint32_t sentence = s->sentence[k - 1];
        s->sentence[k - 1] = s->sentence[other];
        s->sentence[other] = sentence;
    }
}

static void descend(descent *s) {
    shuffle(s);
    for (size_t k = 0; k < s->examples->sentence.n; k++)
        for (size_t at = first_pair(s->examples, s->sentence[k]); at < first_pair(s->examples, s->sentence[k] + (size_t)1); at++)
            descend_pair(s, at);
    s->state.pass++;
}

static pf_err measure(descent *s) {
    PF_TRY(pf_lr_value(s->examples, s->options, s->theta, &s->state.value, s->gradient));
    s->state.bound = dot(s->gradient, s->gradient, s->n) / (2 * s->options->lambda);
    return s->options->told ? s->options->told(s->options->self, &s->state) : PF_OK;
}

static pf_err minimise(descent *s) {
    PF_TRY(measure(s));
    while (!(s->state.bound <= s->options->tolerance * s->state.value) && s->state.pass < s->options->passes) {
        descend(s);
        PF_TRY(measure(s));
    }
    return PF_OK;
}

static pf_err make_room(descent *s) {
    const pf_examples *examples = s->examples;
    s->gradient = calloc(s->n + 1, sizeof *s->gradient);
    s->sentence = calloc(examples->sentence.n + 1, sizeof *s->sentence);
    s->state.dual = calloc(examples->gold.n + 1, sizeof *s->state.dual);
    return s->gradient && s->sentence && s->state.dual ? PF_OK : pf_nomem();
}

/* The weights are those of theta and alpha together: they begin at 0. */
static void begin(descent *s) {
    const pf_lr_state *from = s->options->from;
    if (!from) {
        if (s->n) memset(s->theta, 0, s->n * sizeof *s->theta);
        return;
    }
    s->state.pass = from->pass;
    memcpy(s->state.dual, from->dual, s->examples->gold.n * sizeof *s->state.dual);
}

pf_err pf_lr_train(const pf_examples *examples, const pf_lr_options *options, pf_lr_state *out) {
    descent s = {.examples = examples, .options = options, .n = examples->model->weight.n, .theta = examples->model->weight.at};
    assert(options->lambda >= PF_LAMBDA_LEAST);
    pf_err err = make_room(&s);
    if (!err) {
        begin(&s);
        err = minimise(&s);
    }
    *out = s.state;
    pf_lr_state_free(&s.state);
    out->dual = NULL;
    free(s.gradient);
    free(s.sentence);
    return err;
}
