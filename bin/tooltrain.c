/* permalign train: reads the texts once for each iteration, and once more to align them. */
#include "tooltrain.h"

#include "toolprogress.h"

enum { SYMMETRIZED = TOOLTRAIN_FILES, OUTPUTS };

typedef struct {
    tool_call *call;
    const align_options *options;
    const char *const *files;
    pf_hmm *model;
    pf_aligned_writer *writer;
    pf_aligner_counts counts;
} trainer;

/* ---- the corpus ---- */

static pf_err open_texts(void *self, pf_parallel **pairs, size_t *source, size_t *target) {
    const trainer *task = self;
    return toolalign_texts(task->call, task->files, pairs, source, target);
}

static void pair_done(void *self, uint64_t pair) {
    const trainer *task = self;
    tool_done(task->call, 1, pair, 0);
}

/* ---- all of it ---- */

static void say_iteration(void *self, uint64_t iteration, const pf_aligner_counts *counts) {
    tool_say(((const trainer *)self)->call, "HMM iteration %llu: log-likelihood %.6f forward, %.6f reverse",
             (unsigned long long)iteration, counts->log_likelihood[PF_HMM_FORWARD], counts->log_likelihood[PF_HMM_REVERSE]);
}

static pf_err open_writer(trainer *task, pf_writer *const *out) {
    const pf_aligned_to to = {
        .best = {out[TOOLTRAIN_FORWARD], out[TOOLTRAIN_REVERSE]},
        .likely = {out[TOOLTRAIN_FORWARD_LIKELY], out[TOOLTRAIN_REVERSE_LIKELY]},
        .symmetrized = out[SYMMETRIZED], .order = (pf_sym_order)task->options->compat,
        .method = task->options->method == TOOL_NOT_GIVEN ? pf_sym_usual() : pf_sym_at((size_t)task->options->method)};
    return pf_aligned_writer_new(&to, &task->writer);
}

static pf_err train_and_align(void *self, pf_writer *const *writers) {
    trainer *task = self;
    const align_options *options = task->options;
    const pf_ibm1_corpus corpus = {open_texts, pair_done, task};
    const pf_workers_hooks hooks = tool_hooks(task->call);
    const pf_aligner_options how = {(size_t)options->common.jobs, &hooks, options->max_words};
    const pf_aligner_training training = {{options->empty, options->alone}, options->model1, options->hmm,
                                          options->verbose ? say_iteration : NULL, task};
    PF_TRY(open_writer(task, writers));
    tool_item(task->call, "pair");
    PF_TRY(pf_aligner_train(&training, &corpus, &how, &task->model));
    const pf_aligner_taker taker = {options->min_posterior, pf_aligned_writer_take, task->writer};
    return pf_aligner_align(task->model, &corpus, &how, &taker, &task->counts);
}

/* The symmetrized links go to standard output if nothing else is asked for. */
static pf_err run_all(trainer *task) {
    const char *paths[OUTPUTS];
    bool any = task->options->common.output;
    tool_operands(task->call, &task->files);
    PF_TRY(toolfst_check_files(task->files, 2, "train reads the texts several times, so they must be files"));
    for (int i = 0; i < TOOLTRAIN_FILES; i++) any = (paths[i] = task->options->paths[i]) || any;
    paths[SYMMETRIZED] = any ? task->options->common.output : "-";
    return toolfst_write_all(task->call, paths, OUTPUTS, train_and_align, task);
}

int tooltrain(tool_call *call) {
    trainer task = {.call = call, .options = tool_options(call)};
    pf_err err = run_all(&task);
    const tool_left_out left_out[] = {
        {task.counts.too_long, "pairs with too many words (--max-words), whose lines are empty"},
        {task.counts.wordless, "pairs without words on a side, whose lines are empty"},
    };
    if (!err) tool_say_left_out(call, left_out, sizeof left_out / sizeof *left_out);
    pf_hmm_free(task.model);
    pf_aligned_writer_free(task.writer);
    return tool_status(call, err, false);
}
