/* permlearn map and reduce: features, counted for a learner. */
#include "toollearn.h"

static pf_err map(void *self, pf_writer *writer) {
    toollearn *task = self;
    const pf_example_options which = toollearn_example_options(task);
    pf_feature_map *features;
    uint64_t too_long;
    PF_TRY(toollearn_make_model(task));
    PF_TRY(toollearn_open_aligned(task, 0));
    PF_TRY(pf_feature_map_new(writer, &which, task->model, 0, &features));
    pf_err err = pf_feature_map_read(features, task->corpus, &too_long);
    if (!err) toollearn_say_left_out(task, too_long, TOOLLEARN_TOO_LONG);
    pf_feature_map_free(features);
    return err;
}

static pf_err reduce(void *self, pf_writer *writer) {
    const toollearn *task = self;
    uint64_t rare;
    pf_reader *reader;
    PF_TRY(toolfst_open(task->call, tool_input_file(task->call), &reader));
    pf_err err = pf_feature_reduce(reader, task->options->min_count, writer, &rare);
    if (!err) toollearn_say_left_out(task, rare, "features of too few pairs (--min-count)");
    pf_reader_free(reader);
    return err;
}

pf_err toollearn_map(toollearn *task) { return toolfst_write(task->call, map, task); }
pf_err toollearn_reduce(toollearn *task) { return toolfst_write(task->call, reduce, task); }
