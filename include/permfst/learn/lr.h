/* Logistic regression of pairs, to a proven distance from the optimum.
 *
 *   F(theta) = sum over pairs with gold y of ln(1 + e^(-y s)) + lambda / 2 |theta|^2,    y = 1 if i comes first, -1 if j does
 *
 * F is strictly convex, so it has one optimum F*, whichever method finds it, and F - F* <= |grad F|^2 / (2 lambda): F is at least
 * lambda-convex in every direction. This bound is the proof of convergence: minimising ends when it is at most tolerance x F.
 *
 * The method is Newton's, truncated (Nocedal and Wright 2006, Numerical Optimization, chapter 7): conjugate gradients, preconditioned by
 * the diagonal, solve for the step as far as it pays, and a backtracking line search ensures descent. A pass over the pairs is a
 * value and a gradient, or a product with the second derivatives. Sums are in double: blocks of 1,024 sentences, added in order,
 * so any number of threads gives the same bits. Memory: the examples, and a vector for each block at work. */
#ifndef PF_LEARN_LR_H
#define PF_LEARN_LR_H

#include <permfst/base/workers.h>
#include <permfst/learn/examples.h>

#ifdef __cplusplus
extern "C" {
#endif

/* After each step of Newton's method. */
typedef struct {
    uint64_t step, passes; /* 0 at the start; passes over the pairs so far */
    double value, bound;   /* F, and |grad F|^2 / (2 lambda) */
    double first;          /* |grad F| at the start */
} pf_lr_state;

typedef struct {
    double lambda, tolerance; /* above 0 */
    uint64_t passes;          /* at most so many, but for those of the last step */
    size_t threads;
    const pf_workers_hooks *hooks;
    pf_err (*told)(void *self, const pf_lr_state *state); /* its error is the end; NULL: not called */
    void *self;
    const pf_lr_state *from; /* the state to go on from, of which the weights are in the model; NULL: begin */
} pf_lr_options;

/* F, and its gradient unless that is NULL. PF_ENOMEM. */
pf_err pf_lr_value(const pf_examples *examples, const pf_lr_options *options, const double *theta, double *value, double *gradient);

/* Starts from the weights of the examples' model, and leaves the result in them. *out: the state at the end; it converged if
 * out->bound <= tolerance * out->value. PF_ENOMEM; errors of the workers. */
pf_err pf_lr_train(const pf_examples *examples, const pf_lr_options *options, pf_lr_state *out);

#ifdef __cplusplus
}
#endif
#endif
