/* permtuples: bilingual tuples, the reordered source and its permutations from an aligned corpus, pair by pair. */
#include "toolalign.h"
#include "toolprogress.h"

enum { ONE_ALIGNMENT, TWO_ALIGNMENTS }; /* forms */
typedef enum { TUPLES, REORDERED, PERMUTATIONS, STATISTICS, OUTPUTS } tuple_output;

typedef struct {
    tool_common common;
    int by, unaligned, costs, from; /* places among the words below, and the formats */
    const char *paths[OUTPUTS];
    bool keep_order, invert_second;
    double weight;
    uint64_t iterations, max_words; /* the latter 0: not given */
} tuple_options;

static const char *const methods[] = {"unfold", "monotone", NULL};               /* as pf_extract_method */
static const char *const sides[] = {"ibm1", "left", "right", NULL};              /* as pf_unaligned */
static const char *const cost_kinds[] = {"auto", "links", "posteriors", NULL};   /* as pf_costs_kind */

#define AT(FIELD) offsetof(tuple_options, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOLALIGN_FROM(AT(from)),
    TOOL_FIRST_RECORD,
    TOOL_SOME("pairs"),
    TOOL_GROUP_OF("How pairs are reordered and cut"),
    {'b', "by", TOOL_CHOICE, AT(by), "METHOD", .words = methods,
     .help = "unfold (the finest tuples that no link leaves) or monotone (one source word each) [unfold]"},
    {'k', "keep-order", TOOL_FLAG, AT(keep_order), .help = "make tuples without reordering the source"},
    {'m', "max-words", TOOL_NUMBER, AT(max_words), "N", .min = 1, .max = UINT32_MAX,
     .help = "leave out pairs with a tuple of more than N words"},
    {.kind = TOOL_GROUP, .excludes = "by=monotone", .help = "With --by=unfold"},
    {'u', "unaligned", TOOL_CHOICE, AT(unaligned), "SIDE", .words = sides,
     .help = "target words without links join the tuple to the left or right, or by model: ibm1 [ibm1]"},
    {0, "iterations", TOOL_NUMBER, AT(iterations), "N", .min = 1, .max = 1000, .excludes = "unaligned=left unaligned=right",
     .help = "train IBM model 1 with N iterations [5]"},
    {.kind = TOOL_GROUP, .needs = "by=monotone", .help = "With --by=monotone"},
    {'c', "costs", TOOL_CHOICE, AT(costs), "KIND", .words = cost_kinds,
     .help = "compute costs from links, posteriors or auto [auto]"},
    {'w', "weight", TOOL_REAL, AT(weight), "W", .min = 0, .max = 1, .forms = TOOL_IN(TWO_ALIGNMENTS),
     .help = "the share of BACKWARD in the costs, 0 to 1 [0.5]"},
    {0, "invert-second", TOOL_FLAG, AT(invert_second), .forms = TOOL_IN(TWO_ALIGNMENTS),
     .help = "the links of BACKWARD have their target first"},
    TOOL_GROUP_OF("What is written; each FILE may be -, standard output"),
    {'t', "tuples", TOOL_FILE, AT(paths[TUPLES]), "FILE", .help = "write the tuples [-, if no other output is given]"},
    {'r', "reordered", TOOL_FILE, AT(paths[REORDERED]), "FILE", .help = "write the reordered source"},
    {'p', "permutations", TOOL_FILE, AT(paths[PERMUTATIONS]), "FILE", .help = "write the source positions in their new order"},
    {'s', "statistics", TOOL_FILE, AT(paths[STATISTICS]), "FILE", .help = "write counts over the corpus"},
    {0},
};

typedef struct {
    tool_call *call;
    const tuple_options *options;
    const char *const *files;
    int n_files;
    pf_tuple_corpus corpus;
    pf_extractor *extractor;
    pf_align_left_out left_out;
} tuple_maker;

/* ---- files ---- */

static pf_err open_texts(void *self, pf_parallel **pairs, size_t *source, size_t *target) {
    const tuple_maker *task = self;
    return toolalign_texts(task->call, task->files, pairs, source, target);
}

static pf_err open_corpus(tuple_maker *task) {
    pf_tuple_corpus *corpus = &task->corpus;
    PF_TRY(open_texts(task, &corpus->pairs, &corpus->source, &corpus->target));
    for (int i = 2; i < task->n_files; i++) {
        pf_parallel_links how = {toolalign_from(task->options->from), task->options->invert_second && i == 3, corpus->source,
                                 corpus->target};
        PF_TRY(toolalign_links(task->call, corpus->pairs, task->files[i], &how, &corpus->links[i - 2]));
    }
    return PF_OK;
}

/* ---- tuples ---- */

static void trained(void *self, uint64_t pair) { tool_steps(((const tuple_maker *)self)->call, TOOL_COUNTED_PAIRS, pair); }

static pf_err open_extractor(tuple_maker *task) {
    const tuple_options *options = task->options;
    const pf_ibm1_corpus corpus = {open_texts, trained, task};
    const pf_extract_options how = {.method = (pf_extract_method)options->by, .keep_order = options->keep_order,
                                    .max_words = options->max_words, .unaligned = (pf_unaligned)options->unaligned,
                                    .corpus = &corpus, .iterations = options->iterations,
                                    .costs = (pf_costs_kind)options->costs, .second_share = options->weight};
    if (how.method == PF_EXTRACT_UNFOLD && how.unaligned == PF_UNALIGNED_IBM1)
        PF_TRY(toolfst_check_files(task->files, 2, "--unaligned=ibm1 reads the texts several times, so they must be files; "
                                   "--unaligned=left or right reads them once"));
    return pf_extractor_new(&how, &task->extractor);
}

static pf_err do_pair(void *self) {
    tuple_maker *task = self;
    return pf_extractor_pair(task->extractor, &task->corpus, &task->left_out);
}

static pf_err make_all(void *self, pf_writer *const *writers) {
    tuple_maker *task = self;
    task->corpus.to = (pf_tuple_writers){writers[TUPLES], writers[REORDERED], writers[PERMUTATIONS]};
    PF_TRY(open_extractor(task));
    PF_TRY(open_corpus(task));
    PF_TRY(toolalign_each(task->call, task->corpus.pairs, task->corpus.links[task->n_files - 3], do_pair, NULL, task));
    if (!writers[STATISTICS]) return PF_OK;
    return pf_extract_counts_write(pf_extractor_counts(task->extractor), writers[STATISTICS]);
}

/* Tuples go to standard output if nothing else is asked for. */
static pf_err run_all(tuple_maker *task) {
    const char *paths[OUTPUTS];
    bool any = false;
    for (int i = 0; i < OUTPUTS; i++) any = (paths[i] = task->options->paths[i]) || any;
    if (!any) paths[TUPLES] = "-";
    return toolfst_write_all(task->call, paths, OUTPUTS, make_all, task);
}

/* What was left out of a run that went well. */
static void say_left_out(const tuple_maker *task) {
    const pf_extract_counts *counts = pf_extractor_counts(task->extractor);
    const tool_left_out more[] = {
        {counts->unused_posteriors, "posteriors, which are not used"},
        {counts->left_out, "pairs with a tuple of too many words (--max-words), whose lines are empty"},
    };
    toolalign_say_left_out(task->call, &task->left_out, more, sizeof more / sizeof *more);
}

static int run(tool_call *call) {
    tuple_maker task = {.call = call, .options = tool_options(call)};
    task.n_files = tool_operands(call, &task.files);
    pf_err err = run_all(&task);
    if (!err) say_left_out(&task);
    pf_parallel_free(task.corpus.pairs);
    pf_extractor_free(task.extractor);
    return tool_status(call, err, false);
}

const tool permtuples = {
    .name = "permtuples",
    .summary = "Reorder an aligned corpus and cut it into bilingual tuples",
    .forms = {"SOURCE TARGET ALIGNMENT", "--by=monotone SOURCE TARGET FORWARD BACKWARD"},
    .options = rows,
    .size = sizeof(tuple_options),
    .defaults = &(const tuple_options){.weight = 0.5, .iterations = 5},
    .run = run,
    .examples = {"permtuples train.de train.en train.gdfa > train.tuples",
                 "permtuples --by=monotone -r reordered.de train.de train.en train.fwd train.rev"},
};

TOOL_MAIN(permtuples);
