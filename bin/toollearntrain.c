/* permlearn train, map and reduce: examples of a corpus, and a learner; or features, counted for one. */
#include "toollearn.h"

#include "toolprogress.h"
#include "toolwatch.h"

#define TOO_LONG "sentences of too many words (--max-length)"

typedef struct {
    tool_call *call;
    const toollearn_options *options;
    const char *source, *target, *links;
    pf_learner learner;
    pf_order_model *model;
    pf_examples *examples;
} learning;

/* ---- examples ---- */

static pf_gold gold_of(const learning *task) {
    if (task->options->gold != TOOL_NOT_GIVEN) return (pf_gold)task->options->gold;
    if (task->options->loss > PF_LOSS_NONE) return PF_GOLD_RANKS;
    return task->learner == PF_LEARN_LR ? PF_GOLD_LINKS : PF_GOLD_UNFOLD;
}

static pf_example_options example_options(const learning *task) {
    return (pf_example_options){gold_of(task), task->learner == PF_LEARN_AP, task->options->max_length, task->options->min_count};
}

static pf_err read_examples(learning *task) {
    const pf_example_options how = example_options(task);
    pf_factor_reader *reader;
    PF_TRY(pf_examples_new(&how, task->model, &task->examples));
    PF_TRY(toollearn_open(task->call, task->source, task->target, task->links, &reader));
    pf_err err = pf_examples_read(task->examples, reader);
    pf_factor_reader_free(reader);
    if (err || !task->options->verbose) return err;
    tool_say(task->call, "%zu sentence%s, %zu pair%s, %llu with gold, %llu of them in order; %zu of %llu features",
             task->examples->sentence.n, pf_plural(task->examples->sentence.n),
             task->examples->gold.n, pf_plural(task->examples->gold.n),
             (unsigned long long)task->examples->with_gold, (unsigned long long)task->examples->in_order, task->model->weight.n,
             (unsigned long long)task->examples->all_features);
    return PF_OK;
}

/* ---- passes ---- */

static pf_err put_state(const learning *task, const pf_training *now) {
    pf_writer *writer;
    PF_TRY(pf_writer_open(task->options->state, &writer));
    pf_err err = pf_training_write(now, writer);
    if (!err) err = pf_writer_close(writer);
    pf_writer_free(writer);
    return err;
}

static void say_pass(const learning *task, const pf_train_pass *pass) {
    const unsigned long long number = pass->pass;
    if (task->learner == PF_LEARN_LR)
        tool_say(task->call, "pass %llu: F %.6f, at most %.6g above the optimum", number, pass->value, pass->bound);
    else
        tool_say(task->call, "pass %llu: %llu sentence%s and %llu pair%s wrong", number, (unsigned long long)pass->sentences,
                 pf_plural(pass->sentences), (unsigned long long)pass->pairs, pf_plural(pass->pairs));
}

static pf_err passed(void *self, const pf_train_pass *pass, const pf_training *now) {
    const learning *task = self;
    if (task->learner == PF_LEARN_LR) tool_done(task->call, 1, pass->pass, 0);
    if (task->options->verbose) say_pass(task, pass);
    if (!task->options->state) return PF_OK;
    tool_write_begin(task->call);
    pf_err err = put_state(task, now);
    tool_write_end(task->call);
    return err;
}

static pf_err learn(learning *task, pf_reader *resume) {
    const pf_workers_hooks hooks = tool_hooks(task->call);
    const pf_train_options how = {
        .lr = {.lambda = task->options->lambda, .tolerance = task->options->tolerance,
               .threads = (size_t)task->options->common.jobs, .hooks = &hooks},
        .ap = {.space = task->options->space.n ? task->options->space.at[0] : "itg", .loss = (pf_loss)task->options->loss,
               .margin = task->options->margin ? (int64_t)task->options->margin : 1, .sentence = tool_one_done, .self = task->call},
        .passes = task->options->passes, .resume = resume, .passed = passed, .self = task};
    pf_train_pass last;
    bool converged;
    if (task->learner == PF_LEARN_LR) tool_item(task->call, "pass");
    PF_TRY(pf_order_train(task->examples, &how, &last, &converged));
    if (!converged)
        tool_say(task->call,
                 "warning: not converged after %llu passes: F %.6f may be %.6g above the optimum (--passes, --tolerance)",
                 (unsigned long long)last.pass, last.value, last.bound);
    return PF_OK;
}

static pf_err learn_from_state(learning *task) {
    pf_reader *resume = NULL;
    if (task->options->resume) PF_TRY(toolfst_open(task->call, task->options->resume, &resume));
    pf_err err = learn(task, resume);
    pf_reader_free(resume);
    return err;
}

/* ---- train ---- */

static pf_err read_features(learning *task) {
    pf_reader *reader;
    PF_TRY(toolfst_open(task->call, task->options->features, &reader));
    pf_err err = pf_features_read(reader, task->learner, &task->model);
    pf_reader_free(reader);
    return err ? err : pf_order_model_check(task->model, task->options->features, (unsigned)task->options->tags.n,
                                            task->options->trees != NULL);
}

static pf_err make_model(learning *task) {
    pf_templates templates = {{0}};
    if (task->options->features) return read_features(task);
    pf_err err = toollearn_templates(task->call, &templates);
    if (!err) return pf_order_model_new(task->learner, &templates, &task->model);
    pf_templates_free(&templates);
    return err;
}

static pf_err train(void *self, pf_writer *writer) {
    learning *task = self;
    PF_TRY(make_model(task));
    PF_TRY(read_examples(task));
    PF_TRY(learn_from_state(task));
    PF_TRY(pf_order_model_write(task->model, writer));
    const tool_left_out left_out = {task->examples->too_long, TOO_LONG};
    tool_say_left_out(task->call, &left_out, 1);
    return PF_OK;
}

/* ---- map and reduce ---- */

static pf_err map_corpus(learning *task, pf_feature_map *map) {
    pf_factor_reader *reader;
    tool_left_out left_out = {0, TOO_LONG};
    PF_TRY(toollearn_open(task->call, task->source, task->target, task->links, &reader));
    pf_err err = pf_feature_map_read(map, reader, &left_out.n);
    pf_factor_reader_free(reader);
    if (!err) tool_say_left_out(task->call, &left_out, 1);
    return err;
}

static pf_err map(void *self, pf_writer *writer) {
    learning *task = self;
    const pf_example_options how = example_options(task);
    pf_feature_map *features;
    PF_TRY(make_model(task));
    PF_TRY(pf_feature_map_new(writer, &how, task->model, 0, &features));
    pf_err err = map_corpus(task, features);
    pf_feature_map_free(features);
    return err;
}

static pf_err reduce(void *self, pf_writer *writer) {
    const learning *task = self;
    tool_left_out left_out = {0, "features of too few pairs (--min-count)"};
    pf_reader *reader;
    PF_TRY(toolfst_open(task->call, task->source, &reader));
    pf_err err = pf_feature_reduce(reader, task->options->min_count, writer, &left_out.n);
    pf_reader_free(reader);
    if (!err) tool_say_left_out(task->call, &left_out, 1);
    return err;
}

/* ---- a call ---- */

static pf_err run_on(tool_call *call, int count, const char *const *operands, pf_err (*verb)(void *self, pf_writer *writer)) {
    learning task = {.call = call, .options = tool_options(call), .source = tool_input_file(call),
                     .target = count > 2 ? operands[1] : NULL, .links = count ? operands[count - 1] : NULL};
    task.learner = (pf_learner)task.options->learner;
    pf_err err = toolfst_write(call, verb, &task);
    pf_examples_free(task.examples);
    pf_order_model_free(task.model);
    return err;
}

pf_err toollearn_train(tool_call *call, int count, const char *const *operands) { return run_on(call, count, operands, train); }
pf_err toollearn_map(tool_call *call, int count, const char *const *operands) { return run_on(call, count, operands, map); }
pf_err toollearn_reduce(tool_call *call, int count, const char *const *operands) { return run_on(call, count, operands, reduce); }
