/* permlearn train: a learner with the examples of a corpus. */
#include "toollearn.h"

#include "toolprogress.h"
#include "toolwatch.h"

static void examples_read(void *self, const pf_examples *examples) {
    const toollearn *task = self;
    if (task->options->learner == PF_LEARN_LR) tool_item(task->call, "pass");
    if (task->options->verbose)
        tool_say(task->call, "%zu sentence%s, %zu pair%s, %llu with gold, %llu of them in order; %zu of %llu features",
                 examples->sentence.n, pf_plural(examples->sentence.n), examples->gold.n, pf_plural(examples->gold.n),
                 (unsigned long long)examples->with_gold, (unsigned long long)examples->in_order, examples->model->weight.n,
                 (unsigned long long)examples->all_features);
}

static pf_err put_state(const toollearn *task, const pf_training *now) {
    pf_writer *writer;
    PF_TRY(pf_writer_open(task->options->state, &writer));
    pf_err err = pf_training_write(now, writer);
    if (!err) err = pf_writer_close(writer);
    pf_writer_free(writer);
    return err;
}

static void say_pass(const toollearn *task, const pf_train_pass *pass) {
    const unsigned long long number = pass->pass;
    if (task->options->learner == PF_LEARN_LR)
        tool_say(task->call, "pass %llu: F %.6f, at most %.6g above the optimum", number, pass->value, pass->bound);
    else
        tool_say(task->call, "pass %llu: %llu sentence%s and %llu pair%s wrong", number, (unsigned long long)pass->sentences,
                 pf_plural(pass->sentences), (unsigned long long)pass->pairs, pf_plural(pass->pairs));
}

static pf_err passed(void *self, const pf_train_pass *pass, const pf_training *now) {
    const toollearn *task = self;
    if (task->options->learner == PF_LEARN_LR) tool_done(task->call, 1, pass->pass, 0);
    if (task->options->verbose) say_pass(task, pass);
    if (!task->options->state) return PF_OK;
    tool_write_begin(task->call);
    pf_err err = put_state(task, now);
    tool_write_end(task->call);
    return err;
}

static pf_err learn(toollearn *task, pf_reader *resume, pf_learned *learned) {
    const toollearn_options *options = task->options;
    const pf_workers_hooks hooks = tool_hooks(task->call);
    const pf_example_options which = toollearn_example_options(task);
    const pf_train_options how = {
        .lr = {.lambda = options->lambda, .tolerance = options->tolerance, .threads = (size_t)options->common.jobs,
               .hooks = &hooks},
        .ap = {.space = task->spaces.at[0], .loss = (pf_loss)options->loss, .margin = (int64_t)options->margin,
               .sentence = tool_one_done, .self = task->call},
        .passes = options->passes, .resume = resume, .read = examples_read, .passed = passed, .self = task};
    return pf_order_learn(task->model, task->corpus, &which, &how, learned);
}

static pf_err learn_from_state(toollearn *task, pf_learned *learned) {
    pf_reader *resume;
    PF_TRY(toolfst_open(task->call, task->options->resume, &resume));
    pf_err err = learn(task, resume, learned);
    pf_reader_free(resume);
    return err;
}

static pf_err train(void *self, pf_writer *writer) {
    toollearn *task = self;
    pf_learned learned;
    PF_TRY(toollearn_make_model(task));
    PF_TRY(toollearn_open_aligned(task, 0));
    PF_TRY(learn_from_state(task, &learned));
    if (!learned.converged)
        tool_say(task->call,
                 "warning: not converged after %llu passes: F %.6f may be %.6g above the optimum (--passes, --tolerance)",
                 (unsigned long long)learned.last.pass, learned.last.value, learned.last.bound);
    PF_TRY(pf_order_model_write(task->model, writer));
    toollearn_say_left_out(task, learned.too_long, TOOLLEARN_TOO_LONG);
    return PF_OK;
}

pf_err toollearn_train(toollearn *task) { return toolfst_write(task->call, train, task); }
