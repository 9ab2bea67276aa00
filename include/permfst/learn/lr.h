/* Logistic regression of pairs, to a proven distance from the optimum.
 *
 *   F(theta) = sum over pairs with gold y of ln(1 + e^(-y s)) + lambda / 2 |theta|^2,    y = 1 if i comes first, -1 if j does
 *
 * F is strictly convex, so it has one optimum F*, whichever method finds it, and F - F* <= |grad F|^2 / (2 lambda): F is at least
 * lambda-convex in every direction. This bound is the proof of convergence: minimising ends when it is at most tolerance x F.
 *
 * The method is coordinate descent on the dual (Yu, Huang and Lin 2011, Dual coordinate descent methods for logistic regression and
 * maximum entropy models, section 3). Each pair has a number alpha between 0 and 1, and theta = sum of alpha y x / lambda, where x
 * are the pair's features. A pass gives each pair, one after the other, the alpha that is best while the others stay; sentences
 * come in an order drawn by lot, the same in each training. Each pass makes the distance from the optimum smaller by a constant
 * factor. This factor depends on lambda and on how many features a pair has, and not on how columns repeat one another: 2 million
 * pairs take 20 passes.
 *
 * A pass is one thread's work, then F and its gradient are summed by all: in double, blocks of 1,024 sentences, added in order, so
 * any number of threads gives the same bits. Memory: the examples, a number for each pair, and a vector for each block at work.
 * A pass and a sum are O(features of all pairs). */
#ifndef PF_LEARN_LR_H
#define PF_LEARN_LR_H

#include <permfst/base/workers.h>
#include <permfst/learn/examples.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Before the first pass, and after each. */
typedef struct {
    uint64_t pass;
    double value, bound; /* F, and |grad F|^2 / (2 lambda) */
    double *dual;        /* alpha of each pair */
} pf_lr_state;
void pf_lr_state_free(pf_lr_state *state); /* one that was read (learner_state.h) */

/* A smaller lambda may make numbers too large for a double. */
#define PF_LAMBDA_LEAST 1e-9

typedef struct {
    double lambda, tolerance; /* lambda: at least PF_LAMBDA_LEAST; tolerance: at least 0 */
    uint64_t passes;          /* at most this many, with those before the state to go on from */
    size_t threads;
    const pf_workers_hooks *hooks;
    pf_err (*told)(void *self, const pf_lr_state *state); /* its error is the end; NULL: not called */
    void *self;
    const pf_lr_state *from; /* the state to go on from, of which the weights are in the model; NULL: begin */
} pf_lr_options;

/* F, and its gradient unless that is NULL. PF_ENOMEM; errors of the workers. */
pf_err pf_lr_value(const pf_examples *examples, const pf_lr_options *options, const double *theta, double *value, double *gradient);

/* Starts from weights of 0, or those of options->from, and leaves the result in the weights of the examples' model. *out: the state
 * at the end, without its dual; it converged if out->bound <= tolerance * out->value. PF_ENOMEM; errors of the workers and of
 * `told`. */
pf_err pf_lr_train(const pf_examples *examples, const pf_lr_options *options, pf_lr_state *out);

#ifdef __cplusplus
}
#endif
#endif
