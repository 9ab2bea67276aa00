/* permscore: translations and orders against references: their scores, how sure they are, and whether systems differ. */
#include "toolfst.h"
#include "toolprogress.h"

#include <math.h>

enum { DEFAULT_RESAMPLES = 1000, MAX_RESAMPLES = 10000000 };

typedef struct {
    tool_common common;
    tool_specs references;
    tool_choices metrics;
    const char *alignment; /* NULL: not given */
    /* places among names; TOOL_NOT_GIVEN where there is no default */
    int tokeniser, letters, smoothing, effective, paired, format, input, compat, links, average, attach;
    bool sentences, orders, apart;
    double smooth_value;
    uint64_t max_order, resamples, trials, seed, digits, base;
} score_options;

static const char *tokeniser_name(size_t place) { return pf_tokeniser_at(place) ? pf_tokeniser_at(place)->name : NULL; }
static const char *metric_name(size_t place) { return pf_metric_at(place) ? pf_metric_at(place)->name : NULL; }
static const char *const inputs[] = {"auto", "text", "sgml", "xml", NULL}; /* as pf_docs_form */
static const char *const letters[] = {"mixed", "lower", NULL};             /* after the first of pf_metric_case */
static const char *const averages[] = {"sentence", "pairs", NULL};         /* as pf_metric_average */
static const char *const programs[] = {"lader", "tdbtg", NULL}, *const sides[] = {"right", "left", NULL};
static const char *const yes_no[] = {"no", "yes", NULL}, *const tests[] = {"bootstrap", "randomisation", NULL};
enum { SURE, ALL };
static const char *const links[] = {"sure", "all", NULL};
enum { BOOTSTRAP, RANDOMISATION }; /* tests */
enum { SCORED, PAIRED }; /* forms */
#define AT(FIELD) offsetof(score_options, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    {'r', "reference", TOOL_FILES, AT(references), "FILE", .help = "references of translations or orders; may be repeated"},
    {0, "orders", TOOL_FLAG, AT(orders), .excludes = "reference>1", .help = "all files have orders of positions"},
    {'a', "alignment", TOOL_FILE, AT(alignment), "FILE", .excludes = "reference orders",
     .help = "score orders by word alignments"},
    TOOL_SOME("sentences"),
    {.kind = TOOL_GROUP, .excludes = "orders alignment", .help = "Translations"},
    {0, "input", TOOL_CHOICE, AT(input), "WORD", .words = inputs, .help = "read text, sgml, xml or auto [auto]"},
    {'t', "tokenise", TOOL_CHOICE, AT(tokeniser), "WORD", .word = tokeniser_name,
     .help = "tokenise as mteval-v13a.pl does (13a), or not [none]"},
    {0, "case", TOOL_CHOICE, AT(letters), "WORD", .words = letters,
     .help = "compare mixed or lower case [mixed; RIBES: lower]"},
    {.kind = TOOL_GROUP, .needs = "orders alignment", .help = "With --orders or --alignment"},
    {0, "base", TOOL_NUMBER, AT(base), "N", .min = 0, .max = 1, .help = "the number of the first position, 0 or 1 [1]"},
    {0, "average", TOOL_CHOICE, AT(average), "WHAT", .words = averages, .needs = "orders",
     .help = "the mean over sentences (sentence) or pairs [sentence]"},
    {.kind = TOOL_GROUP, .needs = "alignment", .help = "With --alignment"},
    {0, "links", TOOL_CHOICE, AT(links), "WHICH", .words = links, .help = "count sure links, or all [sure]"},
    {0, "compat", TOOL_CHOICE, AT(compat), "PROGRAM", .words = programs, .excludes = "metric",
     .help = "use the metrics of lader, or tdbtg"},
    {0, "no-combine", TOOL_FLAG, AT(apart), .help = "lader: do not combine words with overlapping targets"},
    {0, "attach", TOOL_CHOICE, AT(attach), "SIDE", .words = sides,
     .help = "lader: words without links go right or left [right]"},
    TOOL_GROUP_OF("What is computed"),
    {'m', "metric", TOOL_CHOICES, AT(metrics), "LIST", .word = metric_name,
     .help = "of bleu, nist, ribes, wer, mwer, per [bleu,wer,per]; of orders: tau, kendall, pairs, fuzzy, fragmentation, "
             "spearman, footrule [tau,kendall,fuzzy]; with alignments, all of: lader-chunk, lader-tau, tdbtg-fuzzy, "
             "tdbtg-tau, tdbtg-match, crossing"},
    {'s', "sentence", TOOL_FLAG, AT(sentences), .help = "score each sentence by itself"},
    {'b', "bootstrap", TOOL_NUMBER, AT(resamples), "N", .min = 1, .max = MAX_RESAMPLES, .excludes = "sentence",
     .help = "compute 95% intervals from N samples"},
    {0, "paired", TOOL_CHOICE, AT(paired), "TEST", .words = tests, .optional = "bootstrap", .excludes = "sentence",
     .forms = TOOL_IN(PAIRED),
     .help = "test whether systems differ from the first one, by bootstrap (default) or randomisation"},
    {0, "trials", TOOL_NUMBER, AT(trials), "N", .min = 1, .max = MAX_RESAMPLES, .needs = "paired=randomisation",
     .help = "make N trials [10000]"},
    {0, "seed", TOOL_NUMBER, AT(seed), "N", .max = INT64_MAX, .needs = "bootstrap paired",
     .help = "draw the samples with this seed [12345]"},
    {.kind = TOOL_GROUP, .needs = "metric=bleu", .excludes = "orders alignment", .help = "With --metric=bleu"},
    {0, "smooth", TOOL_CHOICE, AT(smoothing), "WORD", .word = pf_smoothing_name,
     .help = "smooth 0 matches: none, floor, add-k or exp [exp]"},
    {0, "smooth-value", TOOL_REAL, AT(smooth_value), "X", .needs = "smooth=floor smooth=add-k",
     .help = "the number that --smooth uses [floor: 0.1; add-k: 1]"},
    {0, "max-order", TOOL_NUMBER, AT(max_order), "N", .min = 1, .max = PF_BLEU_ORDER, .help = "count n-grams of up to N words [4]"},
    {0, "effective-order", TOOL_CHOICE, AT(effective), "WORD", .words = yes_no,
     .help = "leave out orders without n-grams: no or yes [no]"},
    TOOL_GROUP_OF("What is written"),
    TOOL_FORMAT(AT(format), .help = "write a table, tsv or json [table]"),
    {'w', "width", TOOL_NUMBER, AT(digits), "N", .max = 15, .help = "print scores with N decimals [4]"},
    TOOL_OUTPUT,
    {0},
};

static pf_metric_subject subject(const score_options *options) {
    return options->alignment ? PF_METRIC_LINKS : options->orders ? PF_METRIC_ORDERS : PF_METRIC_WORDS;
}

/* ---- files ---- */

typedef struct {
    tool_call *call;
    pf_systems systems;
} scoring;

static pf_err read_file(scoring *task, pf_reader *reader, pf_docs_kind kind) {
    const score_options *options = tool_options(task->call);
    const pf_scored_form form = {subject(options), (pf_docs_form)options->input, (unsigned)options->base,
                                 {.sure_only = options->links == SURE}};
    return pf_systems_read(&task->systems, reader, &form, kind, tool_warn, task->call);
}

static pf_err read_reference(void *self, pf_reader *reader) { return read_file(self, reader, PF_DOCS_REFERENCE); }
static pf_err read_system(void *self, pf_reader *reader) { return read_file(self, reader, PF_DOCS_SYSTEM); }

static pf_err read_files(scoring *task) {
    tool_call *call = task->call;
    const score_options *options = tool_options(call);
    const char *const *operands;
    int count = tool_operands(call, &operands);
    for (size_t i = 0; i < options->references.n; i++)
        PF_TRY(toolfst_read(call, options->references.at[i], read_reference, task));
    if (options->alignment) PF_TRY(toolfst_read(call, options->alignment, read_reference, task));
    if (!count) return toolfst_read(call, "-", read_system, task);
    for (int i = 0; i < count; i++) PF_TRY(toolfst_read(call, operands[i], read_system, task));
    return PF_OK;
}

/* ---- metrics ---- */

static pf_metric_options metric_options(const score_options *options) {
    _Static_assert(PF_CASE_USUAL == 0 && TOOL_NOT_GIVEN == -1, "letters without --case are the usual ones");
    return (pf_metric_options){
        .bleu = {.order = (unsigned)options->max_order, .smoothing = (pf_smoothing)options->smoothing,
                 .value = options->smooth_value,
                 .effective = options->effective == TOOL_NOT_GIVEN ? options->sentences : options->effective},
        .average = (pf_metric_average)options->average, .apart = options->apart, .attach_left = options->attach,
        .letters = (pf_metric_case)(options->letters + 1)};
}

static pf_err add_metrics(const score_options *options, pf_systems *systems) {
    const pf_metric_options how = metric_options(options);
    if (!options->metrics.n)
        return pf_systems_usual(systems, subject(options), options->compat == TOOL_NOT_GIVEN ? NULL : programs[options->compat],
                                &how);
    for (size_t i = 0; i < options->metrics.n; i++)
        PF_TRY(pf_systems_metric_named(systems, subject(options), metric_name((size_t)options->metrics.at[i]), &how));
    return PF_OK;
}

/* ---- all of it ---- */

static pf_err choose(scoring *task) {
    if (!tool_common_of(task->call)->records.n || !task->systems.set.n) return PF_OK;
    PF_TRY(tool_records_met(task->call, task->systems.set.n));
    return pf_systems_choose(&task->systems, tool_is_wanted, task->call);
}

static void count_rows(void *call, uint64_t written) { tool_steps(call, TOOL_SCORED_SYSTEMS, written); }

static pf_err put_all(void *self, pf_writer *writer) {
    scoring *task = self;
    const score_options *options = tool_options(task->call);
    return pf_systems_report(&task->systems, &(pf_report_options){
        .format = (pf_table_format)options->format, .digits = (unsigned)options->digits, .sentences = options->sentences,
        .resampling = {options->paired == BOOTSTRAP && !options->resamples ? DEFAULT_RESAMPLES : options->resamples,
                       options->paired == BOOTSTRAP, options->paired == RANDOMISATION ? options->trials : 0, options->seed},
        .version = "permscore-" PACKAGE_VERSION, .progress = count_rows, .self = task->call}, writer);
}

static pf_err score(scoring *task) {
    PF_TRY(add_metrics(tool_options(task->call), &task->systems));
    PF_TRY(read_files(task));
    PF_TRY(choose(task));
    tool_item(task->call, "sentence");
    PF_TRY(pf_systems_count_all(&task->systems, tool_warn, tool_one_done, task->call));
    return toolfst_write(task->call, put_all, task);
}

static int run(tool_call *call) {
    scoring task = {.call = call};
    pf_systems_init(&task.systems, pf_tokeniser_at((size_t)((const score_options *)tool_options(call))->tokeniser));
    pf_err err = score(&task);
    pf_systems_free(&task.systems);
    return tool_status(call, err, false);
}

const tool permscore = {
    .name = "permscore",
    .forms = {"--reference=REF|--alignment=REF [HYP...]", "--reference=REF|--alignment=REF --paired HYP HYP..."},
    .summary = "Score translations and word orders, with intervals and tests of significance",
    .options = rows,
    .size = sizeof(score_options),
    .defaults = &(const score_options){.base = 1, .letters = TOOL_NOT_GIVEN, .compat = TOOL_NOT_GIVEN, .smoothing = PF_SMOOTH_EXP,
                                       .effective = TOOL_NOT_GIVEN, .paired = TOOL_NOT_GIVEN, .smooth_value = NAN, .trials = 10000,
                                       .seed = 12345, .digits = 4, .max_order = 4},
    .run = run,
    .examples = {"permscore -r reference.en baseline.en reordered.en --paired",
                 "permscore --alignment=links.de-en --compat=lader orders.de"},
};

TOOL_MAIN(permscore);
