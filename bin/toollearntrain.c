/* permlearn train, map and reduce: examples of a corpus, and a learner; or features, counted for one. */
#include "toollearn.h"

#include "toolprogress.h"
#include "toolwatch.h"

#define TOO_LONG "sentences of too many words (--max-length)"

typedef struct {
    tool_call *call;
    const toollearn_options *o;
    const char *source, *target, *links;
    pf_learner learner;
    pf_order_model *model;
    pf_examples *examples;
} learning;

/* ---- examples ---- */

static pf_gold gold_of(const learning *l) {
    if (l->o->gold != TOOL_NOT_GIVEN) return (pf_gold)l->o->gold;
    if (l->o->loss > PF_LOSS_NONE) return PF_GOLD_RANKS;
    return l->learner == PF_LEARN_LR ? PF_GOLD_LINKS : PF_GOLD_UNFOLD;
}

static pf_example_options example_options(const learning *l) {
    return (pf_example_options){gold_of(l), l->learner == PF_LEARN_AP, l->o->max_length, l->o->min_count};
}

static pf_err read_examples(learning *l) {
    const pf_example_options how = example_options(l);
    pf_factor_reader *reader;
    PF_TRY(pf_examples_new(&how, l->model, &l->examples));
    PF_TRY(toollearn_open(l->call, l->source, l->target, l->links, &reader));
    pf_err err = pf_examples_read(l->examples, reader);
    pf_factor_reader_free(reader);
    if (err || !l->o->verbose) return err;
    tool_say(l->call, "%zu sentences, %zu pairs, %llu with gold, %llu of them in order; %zu of %llu features",
             l->examples->sentence.n, l->examples->gold.n, (unsigned long long)l->examples->with_gold,
             (unsigned long long)l->examples->in_order, l->model->weight.n, (unsigned long long)l->examples->all_features);
    return PF_OK;
}

/* ---- passes ---- */

static pf_err put_state(const learning *l, const pf_training *now) {
    pf_writer *w;
    PF_TRY(pf_writer_open(l->o->state, &w));
    pf_err err = pf_training_write(now, w);
    if (!err) err = pf_writer_close(w);
    pf_writer_free(w);
    return err;
}

static void say_pass(const learning *l, const pf_train_pass *pass) {
    const unsigned long long number = pass->pass;
    if (l->learner == PF_LEARN_LR)
        tool_say(l->call, "pass %llu: F %.6f, at most %.6g above the optimum", number, pass->value, pass->bound);
    else
        tool_say(l->call, "pass %llu: %llu sentences and %llu pairs wrong", number, (unsigned long long)pass->sentences,
                 (unsigned long long)pass->pairs);
}

static pf_err passed(void *self, const pf_train_pass *pass, const pf_training *now) {
    const learning *l = self;
    if (l->learner == PF_LEARN_LR) tool_done(l->call, 1, pass->pass, 0);
    if (l->o->verbose) say_pass(l, pass);
    if (!l->o->state) return PF_OK;
    tool_write_begin(l->call);
    pf_err err = put_state(l, now);
    tool_write_end(l->call);
    return err;
}

static void sentence_done(void *self, uint64_t sentence) {
    const learning *l = self;
    tool_done(l->call, 1, sentence, 0);
}

static pf_err learn(learning *l, pf_reader *resume) {
    const pf_workers_hooks hooks = tool_hooks(l->call);
    const pf_train_options how = {
        .lr = {.lambda = l->o->lambda, .tolerance = l->o->tolerance, .threads = (size_t)l->o->common.jobs, .hooks = &hooks},
        .ap = {.space = l->o->space.n ? l->o->space.at[0] : "itg", .loss = (pf_loss)l->o->loss,
               .margin = l->o->margin ? (int64_t)l->o->margin : 1, .sentence = sentence_done, .self = l},
        .passes = l->o->passes, .resume = resume, .passed = passed, .self = l};
    pf_train_pass last;
    bool converged;
    if (l->learner == PF_LEARN_LR) tool_item(l->call, "pass");
    PF_TRY(pf_order_train(l->examples, &how, &last, &converged));
    if (!converged)
        tool_say(l->call, "warning: not converged after %llu passes: F %.6f may be %.6g above the optimum (--passes, --tolerance)",
                 (unsigned long long)last.pass, last.value, last.bound);
    return PF_OK;
}

static pf_err learn_from_state(learning *l) {
    pf_reader *resume = NULL;
    if (l->o->resume) PF_TRY(toolfst_open(l->call, l->o->resume, &resume));
    pf_err err = learn(l, resume);
    pf_reader_free(resume);
    return err;
}

/* ---- train ---- */

static pf_err check(const learning *l) {
    if (l->o->space.n > 1) return pf_fail(PF_EARG, "train decodes under one --space, found %zu", l->o->space.n);
    if (l->o->loss > PF_LOSS_NONE && gold_of(l) != PF_GOLD_RANKS)
        return pf_fail(PF_EARG, "--loss is that of ranks: expected --gold=ranks, or none");
    if (!(l->o->lambda >= PF_LAMBDA_LEAST)) return pf_fail(PF_EARG, "--lambda must be at least %g", PF_LAMBDA_LEAST);
    return PF_OK;
}

static pf_err read_features(learning *l) {
    pf_reader *reader;
    PF_TRY(toolfst_open(l->call, l->o->features, &reader));
    pf_err err = pf_features_read(reader, l->learner, &l->model);
    pf_reader_free(reader);
    return err ? err : pf_order_model_check(l->model, l->o->features, (unsigned)l->o->tags.n, l->o->trees != NULL);
}

static pf_err make_model(learning *l) {
    pf_templates templates = {{0}};
    if (l->o->features) return read_features(l);
    pf_err err = toollearn_templates(l->call, &templates);
    if (!err) return pf_order_model_new(l->learner, &templates, &l->model);
    pf_templates_free(&templates);
    return err;
}

static pf_err train(void *self, pf_writer *w) {
    learning *l = self;
    PF_TRY(make_model(l));
    PF_TRY(read_examples(l));
    PF_TRY(learn_from_state(l));
    PF_TRY(pf_order_model_write(l->model, w));
    const tool_left_out left_out = {l->examples->too_long, TOO_LONG};
    tool_say_left_out(l->call, &left_out, 1);
    return PF_OK;
}

/* ---- map and reduce ---- */

static pf_err map_corpus(learning *l, pf_feature_map *map) {
    pf_factor_reader *reader;
    tool_left_out left_out = {0, TOO_LONG};
    PF_TRY(toollearn_open(l->call, l->source, l->target, l->links, &reader));
    pf_err err = pf_feature_map_read(map, reader, &left_out.n);
    pf_factor_reader_free(reader);
    if (!err) tool_say_left_out(l->call, &left_out, 1);
    return err;
}

static pf_err map(void *self, pf_writer *w) {
    learning *l = self;
    const pf_example_options how = example_options(l);
    pf_feature_map *features;
    PF_TRY(make_model(l));
    PF_TRY(pf_feature_map_new(w, &how, l->model, 0, &features));
    pf_err err = map_corpus(l, features);
    pf_feature_map_free(features);
    return err;
}

static pf_err reduce(void *self, pf_writer *w) {
    const learning *l = self;
    tool_left_out left_out = {0, "features of too few pairs (--min-count)"};
    pf_reader *reader;
    PF_TRY(toolfst_open(l->call, l->source, &reader));
    pf_err err = pf_feature_reduce(reader, l->o->min_count, w, &left_out.n);
    pf_reader_free(reader);
    if (!err) tool_say_left_out(l->call, &left_out, 1);
    return err;
}

/* ---- a call ---- */

static pf_err run_on(tool_call *call, int n, char *const *operands, pf_err (*verb)(void *self, pf_writer *w)) {
    learning l = {.call = call, .o = tool_options(call), .source = tool_input_file(call), .target = n > 2 ? operands[1] : NULL,
                  .links = n ? operands[n - 1] : NULL};
    l.learner = (pf_learner)l.o->learner;
    pf_err err = check(&l);
    if (!err) err = toolfst_write(call, verb, &l);
    pf_examples_free(l.examples);
    pf_order_model_free(l.model);
    return err;
}

pf_err toollearn_train(tool_call *call, int n, char *const *operands) { return run_on(call, n, operands, train); }
pf_err toollearn_map(tool_call *call, int n, char *const *operands) { return run_on(call, n, operands, map); }
pf_err toollearn_reduce(tool_call *call, int n, char *const *operands) { return run_on(call, n, operands, reduce); }
