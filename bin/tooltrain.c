/* permalign train: reads the texts once for each iteration, and once more to align them. */
#include "tooltrain.h"

#include "toolprogress.h"

enum { SYMMETRIZED = TOOLTRAIN_FILES, OUTPUTS };

typedef struct {
    tool_call *call;
    const align_options *o;
    char *const *files;
    pf_writer *out[OUTPUTS];
    pf_hmm *model;
    pf_aligned_writer *writer;
    pf_aligner_counts counts;
} trainer;

/* ---- the corpus ---- */

static pf_err open_texts(void *self, pf_parallel **pairs, size_t *source, size_t *target) {
    const trainer *t = self;
    PF_TRY(pf_parallel_new(t->o->common.first_record, pairs));
    return toolalign_texts(t->call, *pairs, t->files, source, target);
}

static void pair_done(void *self, uint64_t pair) {
    const trainer *t = self;
    tool_done(t->call, 1, pair, 0);
}

/* ---- the model ---- */

static void say_iteration(const trainer *t, uint64_t iteration) {
    if (t->o->verbose)
        tool_say(t->call, "HMM iteration %llu: log-likelihood %.6f forward, %.6f reverse", (unsigned long long)iteration,
                 t->counts.log_likelihood[PF_HMM_FORWARD], t->counts.log_likelihood[PF_HMM_REVERSE]);
}

static pf_err train(trainer *t, const pf_ibm1_corpus *corpus, const pf_aligner_options *how) {
    PF_TRY(pf_hmm_new(&(pf_hmm_options){t->o->empty, t->o->alone}, &t->model));
    PF_TRY(pf_aligner_start(t->model, corpus, t->o->model1));
    for (uint64_t i = 1; i <= t->o->hmm; i++) {
        PF_TRY(pf_aligner_iterate(t->model, corpus, how, &t->counts));
        say_iteration(t, i);
    }
    return PF_OK;
}

/* ---- all of it ---- */

/* The symmetrized links go to standard output if nothing else is asked for. */
static pf_err open_outputs(trainer *t) {
    const char *path[OUTPUTS];
    bool any = t->o->common.output;
    for (int i = 0; i < TOOLTRAIN_FILES; i++) any = (path[i] = t->o->paths[i]) || any;
    path[SYMMETRIZED] = any ? t->o->common.output : "-";
    if (!path[SYMMETRIZED] && (tool_given(t->call, "symmetrize") || tool_given(t->call, "compat")))
        return pf_fail(PF_EARG, "--symmetrize and --compat are about the symmetrized links: expected --output too");
    return toolfst_create_all(t->call, path, t->out, OUTPUTS);
}

static pf_err check(const trainer *t) {
    if (t->o->empty <= 0 || t->o->empty >= 1) return pf_fail(PF_EARG, "--empty must be above 0 and below 1");
    return toolalign_check_twice(t->files, "train reads the texts several times, so they must be files");
}

static pf_err open_writer(trainer *t) {
    const pf_aligned_to to = {
        .best = {t->out[TOOLTRAIN_FORWARD], t->out[TOOLTRAIN_REVERSE]},
        .likely = {t->out[TOOLTRAIN_FORWARD_LIKELY], t->out[TOOLTRAIN_REVERSE_LIKELY]},
        .symmetrized = t->out[SYMMETRIZED], .order = (pf_sym_order)t->o->compat,
        .method = t->o->method == TOOL_NOT_GIVEN ? pf_sym_usual() : pf_sym_at((size_t)t->o->method)};
    return pf_aligned_writer_new(&to, &t->writer);
}

static pf_err run_all(trainer *t) {
    const pf_ibm1_corpus corpus = {open_texts, pair_done, t};
    const pf_workers_hooks hooks = tool_hooks(t->call);
    const pf_aligner_options how = {(size_t)t->o->common.jobs, &hooks, t->o->max_words};
    tool_operands(t->call, &t->files);
    PF_TRY(check(t));
    PF_TRY(open_outputs(t));
    PF_TRY(open_writer(t));
    tool_item(t->call, "pair");
    PF_TRY(train(t, &corpus, &how));
    const pf_aligner_taker taker = {t->o->min_posterior, pf_aligned_writer_take, t->writer};
    PF_TRY(pf_aligner_align(t->model, &corpus, &how, &taker, &t->counts));
    return toolfst_close_outputs(t->call, t->out, OUTPUTS);
}

int tooltrain(tool_call *call) {
    trainer t = {.call = call, .o = tool_options(call)};
    pf_err err = run_all(&t);
    const tool_left_out left_out[] = {
        {t.counts.too_long, "pairs with too many words (--max-words), whose lines are empty"},
        {t.counts.wordless, "pairs without words on a side, whose lines are empty"},
    };
    if (!err) tool_say_left_out(call, left_out, sizeof left_out / sizeof *left_out);
    for (int i = 0; i < OUTPUTS; i++) pf_writer_free(t.out[i]);
    pf_hmm_free(t.model);
    pf_aligned_writer_free(t.writer);
    return tool_status(call, err, false);
}
