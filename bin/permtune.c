/* permtune: scales of compositions that give the best translations of a text with references. */
#include "toolmap.h"
#include "toolprogress.h"
#include "toolsearch.h"

typedef struct {
    tool_common common;
    tool_specs references;
    tool_reals low, high, fixed;
    uint64_t n_best, beam, iterations, restarts, directions, seed;
    double threshold, gap; /* TOOL_NOT_GIVEN */
    int tokeniser, unique; /* places among names */
    bool verbose;
} tune_settings;

static const char *tokeniser_name(size_t place) { return pf_tokeniser_at(place) ? pf_tokeniser_at(place)->name : NULL; }
static const char *const uniques[] = {"paths", "output", "permutation", NULL}; /* as pf_unique */

#define AT(FIELD) offsetof(tune_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    {'r', "reference", TOOL_FILES, AT(references), "FILE", .help = "a reference for each record; may be repeated"},
    {0, "tokenise", TOOL_CHOICE, AT(tokeniser), "WORD", .word = tokeniser_name,
     .help = "split tokens at white space (none) or as mteval-v13a.pl does (13a) [none]"},
    TOOL_FIRST_RECORD,
    TOOL_SOME("records"),
    TOOL_GROUP_OF("What is searched"),
    {'n', "nbest", TOOL_NUMBER, AT(n_best), "N", .min = 1, .max = 1000000, .help = "find the N best paths of each record [100]"},
    {0, "unique", TOOL_CHOICE, AT(unique), "WHAT", .words = uniques,
     .help = "paths that differ at all (paths), in their output or in their permutation [output]"},
    {'b', "beam", TOOL_NUMBER, AT(beam), "N", .min = 1, .max = 1000000000,
     .help = "keep only the N best hypotheses of each level"},
    {'t', "threshold", TOOL_REAL, AT(threshold), "COST",
     .help = "keep only hypotheses of a level up to COST above the best"},
    {'g', "gap", TOOL_REAL, AT(gap), "COST",
     .help = "widen the beam until the answer is proven to be within COST of the best"},
    TOOL_JOBS("records"),
    TOOL_GROUP_OF("What is tuned"),
    {0, "low", TOOL_REALS, AT(low), "X,...",
     .help = "the least scales of A, its weights, B1, B2 and so on [0; -3 for negative ones]"},
    {0, "high", TOOL_REALS, AT(high), "X,...", .help = "the greatest scales [3; 0 for negative ones]"},
    {0, "fix", TOOL_REALS, AT(fixed), "I,...", .help = "keep these scales, 0 for A, 1 for the next and so on [that of B1]"},
    {0, "iterations", TOOL_NUMBER, AT(iterations), "N", .min = 1, .max = 1000,
     .help = "search all records at most N times [10]"},
    {0, "restarts", TOOL_NUMBER, AT(restarts), "N", .max = 100000, .help = "optimise from N random points too [5]"},
    {0, "directions", TOOL_NUMBER, AT(directions), "N", .max = 100000,
     .help = "try N random directions beside the axes [3]"},
    {0, "seed", TOOL_NUMBER, AT(seed), "N", .max = INT64_MAX, .help = "draw points and directions with this seed [1]"},
    TOOL_GROUP_OF("What is written"),
    {'v', "verbose", TOOL_FLAG, AT(verbose), .help = "say the scales and the score of each iteration"},
    TOOL_OUTPUT,
    {0},
};

typedef struct {
    tool_call *call;
    const tune_settings *options;
    pf_tuning *tuning;
} tuner;

/* ---- what is read ---- */

static bool is_wanted(const void *settings, uint64_t place) {
    const tune_settings *options = settings;
    return tool_in_ranges(&options->common.records, options->common.first_record + place);
}

static pf_err read_reference(void *tuning, pf_reader *reader) { return pf_tuning_reference(tuning, reader); }

static pf_err read_records(const tuner *task, const char *path) {
    pf_source *source;
    PF_TRY(toolfst_source_open(task->call, path, &source));
    pf_err err = pf_tuning_records(task->tuning, source);
    pf_source_free(source);
    return err;
}

static pf_err read_all(const tuner *task) {
    const char *const *operands;
    int count = tool_operands(task->call, &operands);
    for (size_t i = 0; i < task->options->references.n; i++)
        PF_TRY(toolfst_read(task->call, task->options->references.at[i], read_reference, task->tuning));
    toolfst_inputs(task->call, &count, &operands);
    for (int i = 0; i < count; i++) PF_TRY(read_records(task, operands[i]));
    uint64_t read = pf_tuning_read(task->tuning);
    return read ? tool_records_met(task->call, task->options->common.first_record + read - 1) : PF_OK;
}

/* ---- what is said ---- */

static void told(void *self, const pf_tuner_step *step) {
    const tuner *task = self;
    char words[PF_TUNING_WORDS];
    if (step->without && step->iteration == 1)
        tool_say(task->call, "warning: %zu record%s no path", step->without, step->without == 1 ? " has" : "s have");
    if (task->options->verbose)
        tool_say(task->call, "iteration %llu: BLEU %.4f with %s; %zu hypotheses, %zu of them new",
                 (unsigned long long)step->iteration, step->score, pf_tuning_words(task->tuning, step->scale, words),
                 step->hypotheses, step->fresh);
}

static void record_done(void *self, uint64_t searches) { tool_done(((const tuner *)self)->call, 1, searches, 0); }

static pf_err say_result(const tuner *task, const pf_tuned *tuned) {
    if (task->options->verbose)
        tool_say(task->call, "BLEU %.4f before, %.4f after %llu iteration%s", tuned->score_before, tuned->score,
                 (unsigned long long)tuned->iterations, pf_plural(tuned->iterations));
    return pf_tuning_warn(task->tuning, tuned, "--iterations", tool_warn, task->call);
}

/* ---- all of it ---- */

static pf_err tune(void *self, pf_writer *writer) {
    tuner *task = self;
    const tune_settings *options = task->options;
    const pf_workers_hooks hooks = tool_hooks(task->call);
    const pf_tuner_options how = {
        .search = {.n = (size_t)options->n_best, .beam = (size_t)options->beam, .unique = (pf_unique)options->unique,
                   .widen = options->gap >= 0, .gap = options->gap, .threshold = tool_threshold(options->threshold)},
        .optimise = {.restarts = (size_t)options->restarts, .directions = (size_t)options->directions, .seed = options->seed},
        .moves_bytes = TOOL_MOVES_BYTES, .iterations = options->iterations, .threads = (size_t)options->common.jobs,
        .hooks = &hooks,
        .told = told, .done = record_done, .self = task,
    };
    pf_tuned tuned;
    PF_TRY(pf_tuning_run(task->tuning, &how, &tuned));
    PF_TRY(say_result(task, &tuned));
    return pf_tuning_write(task->tuning, writer);
}

static pf_err run_all(tuner *task) {
    const tune_settings *options = task->options;
    const pf_scale_limits limits = {{"--low", options->low.at, options->low.n}, {"--high", options->high.at, options->high.n},
                                    {"--fix", options->fixed.at, options->fixed.n}};
    PF_TRY(pf_tuning_new(pf_tokeniser_at((size_t)options->tokeniser), &(pf_tuning_choice){is_wanted, options}, &task->tuning));
    PF_TRY(read_all(task));
    PF_TRY(pf_tuning_limits(task->tuning, &limits));
    return toolfst_write(task->call, tune, task);
}

static int run(tool_call *call) {
    tuner task = {.call = call, .options = tool_options(call)};
    pf_err err = run_all(&task);
    pf_tuning_free(task.tuning);
    return tool_status(call, err, false);
}

const tool permtune = {
    .name = "permtune",
    .summary = "Tune the scales of compositions for the best BLEU",
    .forms = {"--reference=FILE [COMPOSED...]"},
    .options = rows,
    .size = sizeof(tune_settings),
    .defaults = &(const tune_settings){.n_best = 100, .iterations = 10, .restarts = 5, .directions = 3, .seed = 1,
                                       .threshold = TOOL_NOT_GIVEN, .gap = TOOL_NOT_GIVEN, .unique = PF_UNIQUE_OUTPUTS},
    .run = run,
    .examples = {"permcompose -s 1,0.5 permuted.fst tuples.bin en.bin | permtune -r dev.en",
                 "permcompose $(permtune -b 50 -r dev.en dev.fst) test.fst tuples.bin en.bin"},
};

TOOL_MAIN(permtune);
