/* permlearn train: examples of a corpus, and a learner. */
#include "toollearn.h"

#include "toolprogress.h"

typedef struct {
    tool_call *call;
    const toollearn_options *o;
    const char *source, *target, *links;
    pf_learner learner;
    pf_order_model *model;
    pf_examples *examples;
    pf_perceptron *perceptron;
} learning;

/* ---- examples ---- */

static pf_gold gold_of(const learning *l) {
    if (l->o->gold != TOOL_NOT_GIVEN) return (pf_gold)l->o->gold;
    if (l->o->loss > PF_LOSS_NONE) return PF_GOLD_RANKS;
    return l->learner == PF_LEARN_LR ? PF_GOLD_LINKS : PF_GOLD_UNFOLD;
}

static pf_err read_examples(learning *l) {
    const pf_example_options how = {gold_of(l), l->learner == PF_LEARN_AP, l->o->max_length, l->o->min_count};
    pf_factor_reader *reader;
    PF_TRY(pf_examples_new(&how, l->model, &l->examples));
    PF_TRY(toollearn_open(l->call, l->source, l->target, l->links, &reader));
    pf_err err = pf_examples_read(l->examples, reader);
    pf_factor_reader_free(reader);
    if (err || !l->o->verbose) return err;
    tool_say(l->call, "%zu sentences, %zu pairs, %llu with gold, %llu of them in order; %zu of %llu features", l->examples->sentence.n,
             l->examples->gold.n, (unsigned long long)l->examples->with_gold, (unsigned long long)l->examples->in_order,
             l->model->weight.n, (unsigned long long)l->examples->all_features);
    return PF_OK;
}

/* ---- lr ---- */

static pf_err told_lr(void *self, const pf_lr_state *state) {
    const learning *l = self;
    if (l->o->verbose)
        tool_say(l->call, "step %llu, %llu passes: F %.6f, at most %.6g above the optimum", (unsigned long long)state->step,
                 (unsigned long long)state->passes, state->value, state->bound);
    return PF_OK;
}

static pf_err train_lr(learning *l) {
    const pf_workers_hooks hooks = tool_hooks(l->call);
    const pf_lr_options how = {l->o->lambda, l->o->tolerance, l->o->passes ? l->o->passes : 1000, (size_t)l->o->common.jobs, &hooks,
                               told_lr, l};
    pf_lr_state state;
    PF_TRY(pf_lr_train(l->examples, &how, &state));
    if (state.bound > how.tolerance * state.value)
        tool_say(l->call, "warning: not converged after %llu passes: F %.6f may be %.6g above the optimum (--passes, --tolerance)",
                 (unsigned long long)state.passes, state.value, state.bound);
    return PF_OK;
}

/* ---- ap ---- */

static void sentence_done(void *self, uint64_t sentence) {
    const learning *l = self;
    tool_done(l->call, 1, sentence, 0);
}

static pf_err train_ap(learning *l) {
    const pf_ap_options how = {.passes = l->o->passes ? l->o->passes : 10, .space = l->o->space.n ? l->o->space.at[0] : "itg",
                               .loss = (pf_loss)l->o->loss, .margin = l->o->margin ? (int64_t)l->o->margin : 1,
                               .sentence = sentence_done, .self = l};
    PF_TRY(pf_perceptron_new(l->examples, &how, &l->perceptron));
    for (uint64_t pass = 0; pass < how.passes; pass++) {
        pf_ap_state state;
        PF_TRY(pf_perceptron_pass(l->perceptron, &state));
        if (l->o->verbose)
            tool_say(l->call, "pass %llu: %llu sentences and %llu pairs wrong", (unsigned long long)state.pass,
                     (unsigned long long)state.sentences, (unsigned long long)state.pairs);
    }
    pf_perceptron_mean(l->perceptron);
    return PF_OK;
}

/* ---- all of it ---- */

static pf_err check(const learning *l) {
    if (l->o->space.n > 1) return pf_fail(PF_EARG, "train decodes under one --space, found %zu", l->o->space.n);
    if (l->o->loss > PF_LOSS_NONE && gold_of(l) != PF_GOLD_RANKS)
        return pf_fail(PF_EARG, "--loss is that of ranks: expected --gold=ranks, or none");
    if (l->learner == PF_LEARN_LR && !(l->o->lambda > 0)) return pf_fail(PF_EARG, "--lambda must be above 0");
    return PF_OK;
}

static pf_err make_model(learning *l) {
    pf_templates templates = {{0}};
    pf_err err = toollearn_templates(l->call, &templates);
    if (!err) return pf_order_model_new(l->learner, &templates, &l->model);
    pf_templates_free(&templates);
    return err;
}

static pf_err train(void *self, pf_writer *w) {
    learning *l = self;
    PF_TRY(make_model(l));
    PF_TRY(read_examples(l));
    PF_TRY((l->learner == PF_LEARN_LR ? train_lr : train_ap)(l));
    PF_TRY(pf_order_model_write(l->model, w));
    const tool_left_out left_out = {l->examples->too_long, "sentences of too many words (--max-length)"};
    tool_say_left_out(l->call, &left_out, 1);
    return PF_OK;
}

pf_err toollearn_train(tool_call *call, int n, char *const *operands) {
    learning l = {.call = call, .o = tool_options(call), .source = operands[0], .target = n > 2 ? operands[1] : NULL,
                  .links = operands[n - 1]};
    l.learner = (pf_learner)l.o->learner;
    pf_err err = check(&l);
    if (!err) err = toolfst_write(call, train, &l);
    pf_perceptron_free(l.perceptron);
    pf_examples_free(l.examples);
    pf_order_model_free(l.model);
    return err;
}
