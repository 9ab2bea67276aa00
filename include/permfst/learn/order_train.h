/* Training a model by either learner, from a corpus or from its examples to weights: passes, what is said after each, and states to
 * go on from (learner_state.h). Which learner it is, the model says.
 *
 * The cost is that of the passes of lr.h or ap.h; writing is O(features). */
#ifndef PF_LEARN_ORDER_TRAIN_H
#define PF_LEARN_ORDER_TRAIN_H

#include <permfst/learn/learner_state.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The gold that a learner usually takes: links for lr, the order of unfolding for ap, ranks with a loss. */
pf_gold pf_train_gold(pf_learner learner, pf_loss loss);

typedef struct pf_training pf_training;

/* What is told after a pass of lr, or of ap. */
typedef struct {
    uint64_t pass;
    double value, bound;       /* lr: F, and how far it may be above its optimum */
    uint64_t sentences, pairs; /* ap: of which some pair was wrong; pairs wrong */
} pf_train_pass;

typedef struct {
    pf_lr_options lr; /* of lr: `passes`, `from`, `told` and its `self` are set by the call */
    pf_ap_options ap; /* of ap */
    uint64_t passes;  /* at most this many, those before `resume` included; 0: 1000 of lr, 10 of ap */
    pf_reader *resume; /* a state to go on from; NULL: from the beginning */
    void (*read)(void *self, const pf_examples *examples); /* before the first pass of pf_order_learn; NULL: not called */
    /* After each pass; its error ends the training. NULL: not called. */
    pf_err (*passed)(void *self, const pf_train_pass *pass, const pf_training *now);
    void *self;
} pf_train_options;

/* Learns the weights of the examples' model. *last is what was said last; *converged (NULL: not asked) says whether lr has reached
 * its tolerance; for ap it is true. Errors of pf_lr_train, pf_perceptron_new and pf_perceptron_pass, of reading the state, and of
 * `passed`. */
pf_err pf_order_train(const pf_examples *examples, const pf_train_options *options, pf_train_pass *last, bool *converged);

/* What was learned of a corpus. */
typedef struct {
    pf_train_pass last;
    bool converged;
    uint64_t too_long; /* sentences left out */
} pf_learned;

/* Reads the examples of a corpus and learns the weights of the model, which has none, from them. The errors of pf_examples_read and
 * pf_order_train; PF_ENOMEM. Memory: the examples, and that of the learner. */
pf_err pf_order_learn(pf_order_model *model, pf_factor_reader *corpus, const pf_example_options *which,
                      const pf_train_options *options, pf_learned *out);

/* The state after the present pass, for `resume`. Errors of the writer. */
pf_err pf_training_write(const pf_training *now, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
