/* Blocks of sentences are the pieces of the workers; each makes a vector of its own, and these are added in order. */
#include <permfst/learn/lr.h>

#include "learn/learn_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 }; /* sentences */

/* ---- sums over pairs ---- */

typedef enum { GRADIENT, DIAGONAL, PRODUCT } pass_kind;

/* One pass over all pairs: F, and a vector of features that is none of `theta` or `direction`. */
typedef struct {
    const pf_examples *examples;
    pass_kind kind;
    const double *theta, *direction; /* the direction of PRODUCT */
    const double *curvature;         /* of each pair, p (1 - p): for PRODUCT; GRADIENT writes it */
    double *curvature_to;
    double value, *vector;           /* sums; vector NULL: not asked */
} pair_pass;

typedef struct {
    size_t first, last; /* sentences */
    double value, *vector;
} pair_block;

static double dot_pair(const pf_examples *examples, size_t from, size_t to, const double *with) {
    double sum = 0;
    for (size_t k = from; k < to; k++) sum += with[examples->feature.at[k]];
    return sum;
}

/* What a pair adds to each of its features. */
static double pair_term(const pair_pass *pass, pair_block *block, size_t pair, size_t from, size_t to) {
    if (pass->kind == DIAGONAL) return pass->curvature[pair];
    if (pass->kind == PRODUCT) return pass->curvature[pair] * dot_pair(pass->examples, from, to, pass->direction);
    const int gold = pass->examples->gold.at[pair];
    const double margin = gold * dot_pair(pass->examples, from, to, pass->theta), wrong = 1 / (1 + exp(margin));
    block->value += pfi_softplus(-margin);
    if (pass->curvature_to) pass->curvature_to[pair] = wrong * (1 - wrong);
    return -gold * wrong;
}

static void do_pair(const pair_pass *pass, pair_block *block, size_t pair) {
    const pf_examples *examples = pass->examples;
    const size_t from = pair ? examples->end.at[pair - 1] : 0, to = examples->end.at[pair];
    if (!examples->gold.at[pair]) return;
    const double term = pair_term(pass, block, pair, from, to);
    for (size_t k = from; block->vector && k < to; k++) block->vector[examples->feature.at[k]] += term;
}

static size_t first_pair(const pf_examples *examples, size_t sentence) {
    return sentence < examples->sentence.n ? examples->sentence.at[sentence].pair : examples->gold.n;
}

static pf_err work_on(void *self, void *piece) {
    const pair_pass *pass = self;
    pair_block *block = piece;
    if (pass->vector && !(block->vector = calloc(pass->examples->model->weight.n + 1, sizeof *block->vector))) return pf_nomem();
    for (size_t pair = first_pair(pass->examples, block->first); pair < first_pair(pass->examples, block->last); pair++)
        do_pair(pass, block, pair);
    return PF_OK;
}

static pf_err finish(void *self, void *piece, pf_err err) {
    pair_pass *pass = self;
    const pair_block *block = piece;
    PF_TRY(err);
    pass->value += block->value;
    for (size_t k = 0; pass->vector && k < pass->examples->model->weight.n; k++) pass->vector[k] += block->vector[k];
    return PF_OK;
}

static void drop(void *piece) { free(((pair_block *)piece)->vector); }

static pf_err run_pass(pair_pass *pass, const pf_lr_options *options) {
    static const pf_workers_steps steps = {sizeof(pair_block), work_on, finish, drop};
    const size_t n = pass->examples->sentence.n;
    pf_workers *workers;
    pass->value = 0;
    if (pass->vector) memset(pass->vector, 0, pass->examples->model->weight.n * sizeof *pass->vector);
    PF_TRY(pf_workers_new(options->threads, &steps, pass, options->hooks, &workers));
    pf_err err = PF_OK;
    for (size_t at = 0; !err && at < n; at += BLOCK)
        err = pf_workers_put(workers, &(pair_block){at, n - at < BLOCK ? n : at + BLOCK, 0, NULL}, PF_OK);
    return pf_workers_end(workers, err);
}

/* ---- vectors ---- */

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

static void add_scaled(double *to, double scale, const double *more, size_t n) {
    for (size_t k = 0; k < n; k++) to[k] += scale * more[k];
}

/* ---- Newton's method ---- */

typedef struct {
    const pf_examples *examples;
    const pf_lr_options *options;
    size_t n;
    double *theta;
    double *gradient, *diagonal, *step, *residual, *direction, *product, *tried; /* n numbers each */
    double *curvature;                                                           /* of each pair */
    pf_lr_state state;
} newton;

static pf_err value_at(newton *s, const double *theta, double *gradient, double *value) {
    pair_pass pass = {.examples = s->examples, .kind = GRADIENT, .theta = theta, .curvature_to = s->curvature, .vector = gradient};
    PF_TRY(run_pass(&pass, s->options));
    s->state.passes++;
    *value = pass.value + s->options->lambda / 2 * dot(theta, theta, s->n);
    if (gradient) add_scaled(gradient, s->options->lambda, theta, s->n);
    return PF_OK;
}

pf_err pf_lr_value(const pf_examples *examples, const pf_lr_options *options, const double *theta, double *value, double *gradient) {
    newton s = {.examples = examples, .options = options, .n = examples->model->weight.n};
    return value_at(&s, theta, gradient, value);
}

static pf_err find_diagonal(newton *s) {
    pair_pass pass = {.examples = s->examples, .kind = DIAGONAL, .curvature = s->curvature, .vector = s->diagonal};
    PF_TRY(run_pass(&pass, s->options));
    for (size_t k = 0; k < s->n; k++) s->diagonal[k] += s->options->lambda;
    return PF_OK;
}

/* product = second derivatives x direction. */
static pf_err multiply(newton *s) {
    pair_pass pass = {.examples = s->examples, .kind = PRODUCT, .direction = s->direction, .curvature = s->curvature,
                      .vector = s->product};
    PF_TRY(run_pass(&pass, s->options));
    s->state.passes++;
    add_scaled(s->product, s->options->lambda, s->direction, s->n);
    return PF_OK;
}

static double precondition(newton *s) {
    for (size_t k = 0; k < s->n; k++) s->tried[k] = s->residual[k] / s->diagonal[k];
    return dot(s->residual, s->tried, s->n);
}

/* Conjugate gradients for the step: until what is left of the gradient is `share` of it. Every step begins downhill, and
 * stays so. */
static pf_err solve(newton *s, double share) {
    const double goal = share * share * dot(s->gradient, s->gradient, s->n);
    memset(s->step, 0, s->n * sizeof *s->step);
    for (size_t k = 0; k < s->n; k++) s->residual[k] = -s->gradient[k];
    double left = precondition(s);
    memcpy(s->direction, s->tried, s->n * sizeof *s->direction);
    while (dot(s->residual, s->residual, s->n) > goal && s->state.passes < s->options->passes) {
        PF_TRY(multiply(s));
        const double far = left / dot(s->direction, s->product, s->n), before = left;
        add_scaled(s->step, far, s->direction, s->n);
        add_scaled(s->residual, -far, s->product, s->n);
        left = precondition(s);
        for (size_t k = 0; k < s->n; k++) s->direction[k] = s->tried[k] + left / before * s->direction[k];
    }
    return PF_OK;
}

/* Goes along the step until F has become less by enough (Armijo). *moved: it has. */
static pf_err search_line(newton *s, bool *moved) {
    const double slope = dot(s->gradient, s->step, s->n);
    enum { HALVINGS = 40 };
    *moved = false;
    if (!(slope < 0)) return PF_OK;
    double far = 1, value;
    for (int k = 0; k < HALVINGS && !*moved; k++, far /= 2) {
        memcpy(s->tried, s->theta, s->n * sizeof *s->tried);
        add_scaled(s->tried, far, s->step, s->n);
        PF_TRY(value_at(s, s->tried, s->residual, &value));
        *moved = value <= s->state.value + 1e-4 * far * slope;
    }
    if (!*moved) return PF_OK;
    memcpy(s->theta, s->tried, s->n * sizeof *s->theta);
    memcpy(s->gradient, s->residual, s->n * sizeof *s->gradient);
    s->state.value = value;
    return PF_OK;
}

static pf_err tell(newton *s) {
    s->state.bound = dot(s->gradient, s->gradient, s->n) / (2 * s->options->lambda);
    return s->options->told ? s->options->told(s->options->self, &s->state) : PF_OK;
}

static bool is_done(const newton *s) {
    return s->state.bound <= s->options->tolerance * s->state.value || s->state.passes >= s->options->passes;
}

static pf_err minimise(newton *s) {
    const pf_lr_state *from = s->options->from;
    PF_TRY(value_at(s, s->theta, s->gradient, &s->state.value));
    s->state.first = sqrt(dot(s->gradient, s->gradient, s->n));
    if (from) s->state = (pf_lr_state){from->step, from->passes, s->state.value, 0, from->first};
    for (;;) {
        bool moved;
        PF_TRY(tell(s));
        if (is_done(s)) return PF_OK;
        const double now = sqrt(dot(s->gradient, s->gradient, s->n)), root = sqrt(now / s->state.first);
        PF_TRY(find_diagonal(s));
        PF_TRY(solve(s, root < 0.5 ? root : 0.5));
        PF_TRY(search_line(s, &moved));
        s->state.step++;
        if (!moved) return tell(s); /* as near as rounding lets it come */
    }
}

static pf_err make_room(newton *s) {
    double **const vectors[] = {&s->gradient, &s->diagonal, &s->step, &s->residual, &s->direction, &s->product, &s->tried};
    const size_t count = sizeof vectors / sizeof *vectors;
    double *all = calloc(count * s->n + s->examples->gold.n + 1, sizeof *all);
    if (!all) return pf_nomem();
    for (size_t k = 0; k < count; k++) *vectors[k] = all + k * s->n;
    s->curvature = all + count * s->n;
    return PF_OK;
}

pf_err pf_lr_train(const pf_examples *examples, const pf_lr_options *options, pf_lr_state *out) {
    newton s = {.examples = examples, .options = options, .n = examples->model->weight.n, .theta = examples->model->weight.at};
    PF_TRY(make_room(&s));
    pf_err err = minimise(&s);
    *out = s.state;
    free(s.gradient);
    return err;
}
