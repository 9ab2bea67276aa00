/* permalign: word alignments, pair by pair: converted, inverted, symmetrized, scored, and made (permalign train). */
#include "tooltrain.h"

static const char *method_name(size_t place) { return pf_sym_at(place) ? pf_sym_name(pf_sym_at(place)) : NULL; }
static const char *const compats[] = {"atools", "symal", NULL};
enum { ONE, TWO, TRAIN }; /* forms: alignments, and texts */
#define ON_ALIGNMENTS (TOOL_IN(ONE) | TOOL_IN(TWO))
enum { ALL, SURE };
static const char *const kinds[] = {"all", "sure", NULL};
static const char *const shown[] = {"text", "svg", NULL}; /* as pf_align_shown */

#define AT(FIELD) offsetof(align_options, FIELD)

static const tool_option rows[] = {
    {.kind = TOOL_GROUP, .forms = ON_ALIGNMENTS, .help = "What is read"},
    TOOLALIGN_FROM(AT(from)),
    TOOL_SOME("pairs"),
    {0, "source", TOOL_FILE, AT(source), "FILE", .help = "the source sentences: no link may be past their end"},
    {0, "target", TOOL_FILE, AT(target), "FILE", .help = "the target sentences"},
    {0, "links", TOOL_CHOICE, AT(links), "KIND", .words = kinds, .help = "use all links, or only the sure ones [all]"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(TWO), .help = "With two alignments"},
    {'s', "symmetrize", TOOL_CHOICE, AT(method), "NAME", .word = method_name, .forms = TOOL_IN(TWO) | TOOL_IN(TRAIN),
     .help = "make one alignment of them by this method, such as union or grow-diag [train: grow-diag-final-and]"},
    {0, "compat", TOOL_CHOICE, AT(compat), "PROGRAM", .words = compats, .forms = TOOL_IN(TWO) | TOOL_IN(TRAIN),
     .help = "try links in the order of atools or of symal [atools]"},
    {0, "invert-second", TOOL_FLAG, AT(invert_second), .help = "the links of BACKWARD have their target first"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(TRAIN), .help = "With train"},
    {0, "model1", TOOL_NUMBER, AT(model1), "N", .min = 1, .max = 1000, .help = "begin with N iterations of IBM model 1 [5]"},
    {0, "hmm", TOOL_NUMBER, AT(hmm), "N", .min = 1, .max = 1000, .help = "then do N iterations of the HMM [5]"},
    {0, "empty", TOOL_REAL, AT(empty), "P", .max = 1, .open = true, .help = "the probability of the empty word [0.1]"},
    {0, "alone", TOOL_FLAG, AT(alone), .help = "train the two directions without agreement"},
    {0, "max-words", TOOL_NUMBER, AT(max_words), "N", .min = 1, .max = PF_MAX_WORDS,
     .help = "skip pairs with more than N words on a side [500]"},
    TOOL_JOBS("batches of pairs"),
    {'v', "verbose", TOOL_FLAG, AT(verbose), .help = "report the likelihood before each iteration"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(TRAIN), .excludes = "symmetrize+!output compat+!output",
     .help = "What train also writes (not with -s or --compat, unless with -o)"},
    {'F', "forward", TOOL_FILE, AT(paths[TOOLTRAIN_FORWARD]), "FILE",
     .help = "write the best links, one per target word or none"},
    {'R', "reverse", TOOL_FILE, AT(paths[TOOLTRAIN_REVERSE]), "FILE",
     .help = "write the best links, one per source word or none"},
    {0, "forward-posteriors", TOOL_FILE, AT(paths[TOOLTRAIN_FORWARD_LIKELY]), "FILE",
     .help = "write likely links with posteriors"},
    {0, "reverse-posteriors", TOOL_FILE, AT(paths[TOOLTRAIN_REVERSE_LIKELY]), "FILE",
     .help = "write likely links with posteriors"},
    {.kind = TOOL_GROUP, .forms = ON_ALIGNMENTS, .help = "What is written"},
    {'t', "to", TOOL_CHOICE, AT(to), "FORMAT", .word = toolalign_writable,
     .help = "write pharaoh, lengths, plain, naacl or a3 [pharaoh]"},
    {'i', "invert", TOOL_FLAG, AT(invert), .help = "exchange source and target in the output"},
    {0, "show", TOOL_CHOICE, AT(show), "FORM", .words = shown, .optional = "text", .excludes = "to gold",
     .help = "draw pairs: text (default) or svg"},
    {'g', "gold", TOOL_FILE, AT(gold), "FILE", .excludes = "to",
     .help = "only evaluate, against the links of FILE"},
    {0, "per-line", TOOL_FLAG, AT(per_line), .needs = "gold", .help = "also write a line for each pair"},
    {0, "alpha", TOOL_REAL, AT(alpha), "A", .min = 0, .max = 1, .needs = "gold",
     .help = "the weight of precision in F [0.5]"},
    TOOL_GROUP_OF("In all cases"),
    {0, "min-posterior", TOOL_REAL, AT(min_posterior), "P", .min = 0, .max = 1,
     .help = "omit links with posteriors below P [0; train: 0.001]"},
    TOOL_FIRST_RECORD,
    TOOL_OUTPUT,
    {0},
};

typedef struct {
    tool_call *call;
    pf_align_conversion how;
    pf_align_converter *converter;
} aligner;

/* ---- columns ---- */

static pf_err add_columns(tool_call *call, pf_align_conversion *how) {
    const align_options *options = tool_options(call);
    const char *const *files;
    int count = tool_operands(call, &files);
    PF_TRY(pf_parallel_new(options->common.first_record, &how->pairs));
    PF_TRY(toolalign_text(call, how->pairs, options->source, &how->source));
    PF_TRY(toolalign_text(call, how->pairs, options->target, &how->target));
    for (int i = 0; i < (how->method ? 2 : 1); i++) {
        pf_parallel_links links = {toolalign_from(options->from), options->invert_second && i == 1, how->source, how->target};
        PF_TRY(toolalign_links(call, how->pairs, count > i ? files[i] : "-", &links, &how->operand[i]));
    }
    pf_parallel_links gold = {PF_ALIGN_AUTO, false, options->invert ? how->target : how->source,
                              options->invert ? how->source : how->target};
    return toolalign_links(call, how->pairs, options->gold, &gold, &how->gold);
}

static pf_align_conversion conversion(tool_call *call) {
    const align_options *options = tool_options(call);
    return (pf_align_conversion){
        .filter = {options->links == SURE, tool_given(call, "min-posterior") ? options->min_posterior : 0},
        .method = tool_form(call) == TWO ? pf_sym_at((size_t)options->method) : NULL, .order = (pf_sym_order)options->compat,
        .invert = options->invert,
        .to = toolalign_to(options->to), .shown = options->show == TOOL_NOT_GIVEN ? PF_ALIGN_LINKS
            : (pf_align_shown)(1 + options->show),
        .per_line = options->per_line, .alpha = options->alpha};
}

/* ---- all of it ---- */

static pf_err do_pair(void *self) { return pf_align_converter_pair(((aligner *)self)->converter); }

static pf_err convert_all(void *self, pf_writer *writer) {
    aligner *task = self;
    task->how.writer = writer;
    PF_TRY(add_columns(task->call, &task->how));
    PF_TRY(pf_align_converter_new(&task->how, &task->converter));
    PF_TRY(toolalign_each(task->call, task->how.pairs, task->how.operand[task->how.method ? 1 : 0], do_pair, NULL, task));
    return pf_align_converter_end(task->converter);
}

static void say_left_out(const aligner *task) {
    const pf_align_lost *lost = pf_align_converter_lost(task->converter);
    const tool_left_out more[] = {
        {lost->marks, "marks of possible links, which the output format does not have"},
        {lost->posteriors, "posteriors, which the output format does not have"},
    };
    toolalign_say_left_out(task->call, pf_align_converter_left_out(task->converter), more, sizeof more / sizeof *more);
}

static int convert(tool_call *call) {
    aligner task = {.call = call, .how = conversion(call)};
    pf_err err = toolfst_write(call, convert_all, &task);
    if (!err) say_left_out(&task);
    pf_align_converter_free(task.converter);
    pf_parallel_free(task.how.pairs);
    return tool_status(call, err, false);
}

static int run(tool_call *call) { return tool_form(call) == TRAIN ? tooltrain(call) : convert(call); }

const tool permalign = {
    .name = "permalign",
    .summary = "Make, convert, invert, symmetrize and evaluate word alignments",
    .forms = {"[FILE]", "--symmetrize=NAME FORWARD BACKWARD", "train SOURCE TARGET"},
    .options = rows,
    .size = sizeof(align_options),
    .defaults = &(const align_options){.method = TOOL_NOT_GIVEN, .show = TOOL_NOT_GIVEN, .alpha = 0.5, .min_posterior = 0.001,
                                       .empty = 0.1, .model1 = 5, .hmm = 5, .max_words = 500},
    .run = run,
    .examples = {"permalign train -j 2 -F train.fwd -R train.rev train.de train.en",
                 "permalign -s grow-diag-final-and train.fwd train.rev > train.gdfa"},
};

TOOL_MAIN(permalign);
