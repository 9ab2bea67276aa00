/* Both learners as one: lr runs by itself and says when a pass is done; ap is asked for each pass. */
#include <permfst/learn/order_train.h>

enum { LR_PASSES = 1000, AP_PASSES = 10 };

pf_gold pf_train_gold(pf_learner learner, pf_loss loss) {
    if (loss != PF_LOSS_NONE) return PF_GOLD_RANKS;
    return learner == PF_LEARN_LR ? PF_GOLD_LINKS : PF_GOLD_UNFOLD;
}

struct pf_training {
    const pf_examples *examples;
    const pf_train_options *options;
    pf_train_pass *last;
    pf_lr_options lr;
    pf_lr_state from, now;     /* `now` is borrowed from the learner */
    pf_perceptron *perceptron; /* NULL: the learner is lr */
};

pf_err pf_training_write(const pf_training *now, pf_writer *writer) {
    return now->perceptron ? pf_perceptron_write(now->perceptron, writer)
                           : pf_lr_state_write(now->examples, &now->lr, &now->now, writer);
}

static pf_err tell(const pf_training *training) {
    const pf_train_options *options = training->options;
    return options->passed ? options->passed(options->self, training->last, training) : PF_OK;
}

static pf_err told(void *self, const pf_lr_state *state) {
    pf_training *training = self;
    training->now = *state;
    *training->last = (pf_train_pass){.pass = state->pass, .value = state->value, .bound = state->bound};
    return tell(training);
}

static pf_err train_lr(pf_training *training) {
    pf_lr_state end;
    training->lr = training->options->lr;
    training->lr.passes = training->options->passes ? training->options->passes : LR_PASSES;
    training->lr.told = told;
    training->lr.self = training;
    if (training->options->resume) {
        PF_TRY(pf_lr_state_read(training->options->resume, training->examples, &training->lr, &training->from));
        training->lr.from = &training->from;
    }
    return pf_lr_train(training->examples, &training->lr, &end);
}

static pf_err train_ap(pf_training *training) {
    const uint64_t passes = training->options->passes ? training->options->passes : AP_PASSES;
    PF_TRY(pf_perceptron_new(training->examples, &training->options->ap, &training->perceptron));
    if (training->options->resume) PF_TRY(pf_perceptron_read(training->perceptron, training->options->resume));
    while (pf_perceptron_passes(training->perceptron) < passes) {
        pf_ap_state state;
        PF_TRY(pf_perceptron_pass(training->perceptron, &state));
        *training->last = (pf_train_pass){.pass = state.pass, .sentences = state.sentences, .pairs = state.pairs};
        PF_TRY(tell(training));
    }
    pf_perceptron_mean(training->perceptron);
    return PF_OK;
}

pf_err pf_order_train(const pf_examples *examples, const pf_train_options *options, pf_train_pass *last, bool *converged) {
    pf_training training = {.examples = examples, .options = options, .last = last};
    const bool is_lr = examples->model->learner == PF_LEARN_LR;
    *last = (pf_train_pass){.pass = 0};
    pf_err err = (is_lr ? train_lr : train_ap)(&training);
    if (converged) *converged = !is_lr || last->bound <= options->lr.tolerance * last->value;
    pf_lr_state_free(&training.from);
    pf_perceptron_free(training.perceptron);
    return err;
}

static pf_err learn(pf_examples *examples, pf_factor_reader *corpus, const pf_train_options *options, pf_learned *out) {
    PF_TRY(pf_examples_read(examples, corpus));
    out->too_long = examples->too_long;
    if (options->read) options->read(options->self, examples);
    return pf_order_train(examples, options, &out->last, &out->converged);
}

pf_err pf_order_learn(pf_order_model *model, pf_factor_reader *corpus, const pf_example_options *which,
                      const pf_train_options *options, pf_learned *out) {
    pf_examples *examples;
    *out = (pf_learned){.converged = false};
    PF_TRY(pf_examples_new(which, model, &examples));
    pf_err err = learn(examples, corpus, options, out);
    pf_examples_free(examples);
    return err;
}
