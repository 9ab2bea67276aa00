/* permlearn: a model of which word comes first, learned from aligned text, and its costs for sentences. */
#include "toollearn.h"
#include "toolperm.h"

#include "toolprogress.h"

enum { TRAIN, MAP, REDUCE, APPLY, TEST, COMPILE }; /* forms */
#define ON_LEARN (TOOL_IN(TRAIN) | TOOL_IN(MAP))
#define ON_LINKS (ON_LEARN | TOOL_IN(TEST))
#define ON_SPACES (TOOL_IN(TRAIN) | TOOL_IN(APPLY) | TOOL_IN(TEST))
#define ON_WORDS (ON_LINKS | TOOL_IN(APPLY))

#define AT(FIELD) offsetof(toollearn_options, FIELD)

static const char *const links[] = {"sure", "all", NULL};

static const tool_option rows[] = {
    {.kind = TOOL_GROUP, .forms = ON_WORDS, .help = "With train, map, apply and test"},
    {'t', "tags", TOOL_FILES, AT(tags), "FILE", .max = PF_TAG_COLUMNS, .help = "tags or classes of the words: t1, t2, ..."},
    {0, "trees", TOOL_FILE, AT(trees), "FILE", .help = "dependency trees of the sentences: u, r, g, h"},
    TOOL_FIRST_RECORD,
    TOOL_SOME("sentences"),
    {.kind = TOOL_GROUP, .forms = ON_SPACES, .help = "With train, apply and test"},
    {'s', "space", TOOL_SPECS, AT(space), "SPEC", .list = toolperm_list_constraints, .excludes = "space>1+train space>16+test",
     .help = "the constraint of orders [itg]; with test, several"},
    TOOL_JOBS("parts"),
    {.kind = TOOL_GROUP, .forms = ON_LINKS, .help = "With train, map and test"},
    TOOLALIGN_FROM(AT(from)),
    {'i', "invert", TOOL_FLAG, AT(invert), .help = "alignments list the other side first"},
    {'p', "permutations", TOOL_FLAG, AT(permutations), .excludes = "from invert",
     .help = "ALIGNMENTS has orders: numbers of words, from 1"},
    {.kind = TOOL_GROUP, .forms = ON_LEARN, .help = "With train and map"},
    {'l', "learner", TOOL_CHOICE, AT(learner), "WORD", .word = pf_learner_name,
     .help = "logistic regression (lr) or perceptron (ap) [lr]"},
    {0, "loss", TOOL_CHOICE, AT(loss), "WORD", .word = pf_loss_name, .needs = "learner=ap",
     .excludes = "loss=tau|chunk+gold=links|unfold",
     .help = "ap: a margin for losses: none, tau, chunk [none]"},
    {'g', "gold", TOOL_CHOICE, AT(gold), "WORD", .word = pf_gold_name,
     .help = "which words come first: links, unfold or ranks"},
    {0, "templates", TOOL_FILE, AT(templates), "FILE", .help = "the templates of features, one per line [default]"},
    {0, "max-length", TOOL_NUMBER, AT(max_length), "N", .min = 1, .max = PF_SEPARABLE_POSITIONS,
     .help = "leave out sentences of more than N words [80]"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(TRAIN) | TOOL_IN(REDUCE), .help = "With train and reduce"},
    {0, "min-count", TOOL_NUMBER, AT(min_count), "K", .min = 1, .max = UINT64_MAX,
     .help = "leave out features of fewer than K pairs [5]"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(TRAIN), .help = "With train"},
    {0, "features", TOOL_FILE, AT(features), "FILE", .excludes = "templates min-count",
     .help = "take the features that reduce has written"},
    {0, "passes", TOOL_NUMBER, AT(passes), "N", .min = 1, .max = PF_PASSES_MOST,
     .help = "make at most N passes [lr: 1000; ap: 10]"},
    {0, "lambda", TOOL_REAL, AT(lambda), "X", .least = PF_LAMBDA_LEAST, .needs = "learner=lr",
     .help = "lr: the weight of the squared weights [3]"},
    {0, "tolerance", TOOL_REAL, AT(tolerance), "X", .min = 0, .needs = "learner=lr",
     .help = "lr: stop within this share of the optimum [0.0001]"},
    {0, "margin", TOOL_NUMBER, AT(margin), "N", .min = 1, .max = PF_MARGIN_MOST, .needs = "loss=tau loss=chunk",
     .help = "ap: the margin of a loss [1]"},
    {0, "state", TOOL_FILE, AT(state), "FILE", .help = "write the state of the learner after each pass"},
    {0, "resume", TOOL_FILE, AT(resume), "FILE", .help = "go on from the state in FILE"},
    {'v', "verbose", TOOL_FLAG, AT(verbose), .help = "say how far the learner is after each pass"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(APPLY), .help = "With apply"},
    {'m', "matrices", TOOL_FLAG, AT(matrices), .excludes = "why space", .help = "write matrices, for lazyperm -w pairwise:FILE"},
    {0, "why", TOOL_REALS, AT(why), "I,J", .max = 2, .excludes = "space", .help = "write which features order the words I and J"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(TEST), .help = "With test"},
    {0, "links", TOOL_CHOICE, AT(links), "WHICH", .words = links, .help = "score orders by sure links, or all [sure]"},
    TOOL_MAX_STATES(NULL, "end a search after N states, with its best answer"),
    TOOL_GROUP_OF("With all commands"),
    TOOL_OUTPUT,
    {0},
};

/* ---- apply ---- */

static pf_err pair_of(const toollearn *task, pf_order_apply_options *how) {
    const double *why = task->options->why.at;
    if (!task->options->why.n) return PF_OK;
    if (task->options->why.n != 2 || why[0] != (double)(unsigned)why[0] || why[1] != (double)(unsigned)why[1] || why[0] < 1
        || why[1] <= why[0])
        return pf_fail(PF_EARG, "--why: expected the numbers of two words, from 1, the first one first");
    how->earlier = (unsigned)why[0] - 1;
    how->later = (unsigned)why[1] - 1;
    return PF_OK;
}

static pf_err apply_to_text(void *self, pf_writer *writer) {
    const toollearn *task = self;
    const pf_workers_hooks hooks = tool_hooks(task->call);
    pf_order_apply_options how = {.threads = (size_t)task->options->common.jobs, .hooks = &hooks,
                                  .done = tool_one_done, .self = task->call};
    PF_TRY(pair_of(task, &how));
    *(task->options->matrices ? &how.matrices : &how.why) = writer;
    return pf_order_apply(task->model, task->corpus, &how);
}

static pf_err apply_to_records(const toollearn *task, toolfst_sink *to) {
    const pf_workers_hooks hooks = tool_hooks(task->call);
    const pf_order_apply_options how = {.space = task->spaces.at, .spaces = task->spaces.n,
                                        .threads = (size_t)task->options->common.jobs, .hooks = &hooks,
                                        .stream = to->stream, .done = tool_one_done, .self = task->call};
    PF_TRY(pf_order_apply(task->model, task->corpus, &how));
    return toolfst_sink_close(to);
}

static pf_err apply(toollearn *task) {
    toolfst_sink to;
    PF_TRY(toollearn_model(task, task->operands[0]));
    PF_TRY(toollearn_open(task, task->count > 1 ? task->operands[1] : "-"));
    if (task->options->matrices || task->options->why.n) return toolfst_write(task->call, apply_to_text, task);
    pf_err err = toolfst_sink_open(task->call, &to);
    if (!err) err = apply_to_records(task, &to);
    toolfst_sink_free(&to);
    return err;
}

/* ---- test ---- */

static pf_err write_test(void *self, pf_writer *writer) {
    const toollearn *task = self;
    const pf_workers_hooks hooks = tool_hooks(task->call);
    const pf_figure_options how = {.space = task->spaces.at, .spaces = task->spaces.n,
                                   .max_states = task->options->common.max_states, .sure_only = !task->options->links,
                                   .threads = (size_t)task->options->common.jobs, .hooks = &hooks};
    pf_learn_figures figures;
    _Static_assert(PF_FIGURE_SPACES == 16, "the table says so of --space");
    PF_TRY(pf_learn_figures_read(task->model, task->corpus, &how, &figures));
    return pf_learn_figures_write(&figures, &how, writer);
}

static pf_err test(toollearn *task) {
    PF_TRY(toollearn_model(task, task->operands[0]));
    PF_TRY(toollearn_open_aligned(task, 1));
    return toolfst_write(task->call, write_test, task);
}

/* ---- compile ---- */

static pf_err write_compiled(void *self, pf_writer *writer) {
    return pf_order_model_compile(((const toollearn *)self)->model, writer);
}

static pf_err compile(toollearn *task) {
    PF_TRY(toollearn_any_model(task, tool_input_file(task->call)));
    return toolfst_write(task->call, write_compiled, task);
}

static int run(tool_call *call) {
    static pf_err (*const verbs[])(toollearn *task) = {toollearn_train, toollearn_map, toollearn_reduce, apply, test, compile};
    const toollearn_options *options = tool_options(call);
    toollearn task = {.call = call, .options = options, .spaces = options->space.n ? options->space : (tool_specs){{"itg"}, 1}};
    task.count = tool_operands(call, &task.operands);
    pf_err err = verbs[tool_form(call)](&task);
    pf_factor_reader_free(task.corpus);
    pf_order_model_free(task.model);
    return tool_status(call, err, false);
}

const tool permlearn = {
    .name = "permlearn",
    .summary = "Learn which word comes first from aligned text, and apply it to sentences",
    .forms = {"train SOURCE [TARGET] ALIGNMENTS",
              "map SOURCE [TARGET] ALIGNMENTS",
              "reduce [FILE]",
              "apply MODEL [SOURCE]",
              "test MODEL SOURCE [TARGET] ALIGNMENTS",
              "compile [MODEL]"},
    .options = rows,
    .size = sizeof(toollearn_options),
    .defaults = &(const toollearn_options){.lambda = 3, .tolerance = 1e-4, .min_count = 5, .max_length = 80, .margin = 1,
                                           .gold = TOOL_NOT_GIVEN},
    .run = run,
    .examples = {"permlearn train --tags=train.upos train.ja train.gdfa > model",
                 "permlearn apply --tags=test.upos model test.ja | permshortest | permprint -s"},
};

TOOL_MAIN(permlearn);
