/* What the options of permlearn mean: columns of factors, templates, models, examples. */
#include "toollearn.h"

#include "toolprogress.h"

#include <string.h>

/* ---- columns ---- */

static pf_err add_tags(const toollearn *task, pf_factor_files *files) {
    const tool_specs *tags = &task->options->tags;
    for (files->tags = 0; files->tags < tags->n; files->tags++) {
        PF_TRY(toolalign_text(task->call, files->pairs, tags->at[files->tags], &files->tag[files->tags]));
        PF_TRY(pf_parallel_match(files->pairs, files->tag[files->tags], files->words));
    }
    return PF_OK;
}

static pf_err add_orders(const toollearn *task, const char *path, pf_factor_files *files) {
    PF_TRY(toolalign_text(task->call, files->pairs, path, &files->orders));
    return pf_parallel_match(files->pairs, files->orders, files->words);
}

static pf_err add_columns(const toollearn *task, const char *source, const char *target, const char *links,
                          pf_factor_files *files) {
    const toollearn_options *options = task->options;
    size_t target_column = 0;
    PF_TRY(toolalign_text(task->call, files->pairs, source, &files->words));
    PF_TRY(add_tags(task, files));
    PF_TRY(toolalign_text(task->call, files->pairs, target, &target_column));
    if (links && options->permutations) return add_orders(task, links, files);
    const pf_parallel_links how = {toolalign_from(options->from), options->invert, files->words, target_column};
    return toolalign_links(task->call, files->pairs, links, &how, &files->links);
}

static pf_err open_corpus(toollearn *task, const char *source, const char *target, const char *links) {
    pf_factor_files files = {.progress = tool_one_done, .wanted = tool_is_wanted, .ended = tool_records_met, .self = task->call};
    tool_item(task->call, "sentence");
    PF_TRY(pf_parallel_new(task->options->common.first_record, &files.pairs));
    pf_err err = add_columns(task, source, target, links, &files);
    if (!err) err = toolfst_open(task->call, task->options->trees, &files.trees);
    if (!err) return pf_factor_reader_new(&files, &task->corpus);
    pf_parallel_free(files.pairs);
    return err;
}

pf_err toollearn_open(toollearn *task, const char *source) { return open_corpus(task, source, NULL, NULL); }

pf_err toollearn_open_aligned(toollearn *task, int first) {
    const char *const *files = task->operands + first;
    const int last = task->count - first - 1;
    return open_corpus(task, files[0], last > 1 ? files[1] : NULL, files[last]);
}

/* ---- templates and models ---- */

static pf_err read_templates(void *out, pf_reader *reader) { return pf_templates_read(out, reader); }

static pf_err choose_templates(const toollearn *task, pf_templates *out) {
    const char *path = task->options->templates;
    const unsigned tags = (unsigned)task->options->tags.n;
    const bool trees = task->options->trees;
    if (!path || strcmp(path, "default") == 0) return pf_templates_usual(out, tags, trees);
    PF_TRY(toolfst_read(task->call, path, read_templates, out));
    return pf_templates_check(out, path, tags, trees);
}

static pf_err check_model(const toollearn *task, const pf_reader *reader) {
    return pf_order_model_check(task->model, pf_reader_name(reader), (unsigned)task->options->tags.n, task->options->trees);
}

static pf_err read_any_model(void *self, pf_reader *reader) { return pf_order_model_read(reader, &((toollearn *)self)->model); }

static pf_err read_model(void *self, pf_reader *reader) {
    PF_TRY(read_any_model(self, reader));
    return check_model(self, reader);
}

static pf_err read_features(void *self, pf_reader *reader) {
    toollearn *task = self;
    PF_TRY(pf_features_read(reader, (pf_learner)task->options->learner, &task->model));
    return check_model(task, reader);
}

pf_err toollearn_any_model(toollearn *task, const char *path) { return toolfst_read(task->call, path, read_any_model, task); }
pf_err toollearn_model(toollearn *task, const char *path) { return toolfst_read(task->call, path, read_model, task); }

pf_err toollearn_make_model(toollearn *task) {
    pf_templates templates = {{0}};
    if (task->options->features) return toolfst_read(task->call, task->options->features, read_features, task);
    pf_err err = choose_templates(task, &templates);
    if (!err) return pf_order_model_new((pf_learner)task->options->learner, &templates, &task->model);
    pf_templates_free(&templates);
    return err;
}

/* ---- examples ---- */

pf_example_options toollearn_example_options(const toollearn *task) {
    const toollearn_options *options = task->options;
    const pf_learner learner = (pf_learner)options->learner;
    const bool usual = options->gold == TOOL_NOT_GIVEN;
    return (pf_example_options){usual ? pf_train_gold(learner, (pf_loss)options->loss) : (pf_gold)options->gold,
                                learner == PF_LEARN_AP, options->max_length, options->min_count};
}

void toollearn_say_left_out(const toollearn *task, uint64_t count, const char *what) {
    tool_say_left_out(task->call, &(const tool_left_out){count, what}, 1);
}
