/* permcompile: text to automata. Each input line is a record; or AT&T text, lattices, XML, an ARPA model. */
#include "toolfst.h"
#include "toolgather.h"
#include "toolprogress.h"
#include "toolmap.h"
#include "toolwatch.h"

#define DEFAULT_PASS 10.0

typedef struct {
    tool_common common;
    int kind; /* a pf_text_kind */
    bool markup, at_punctuation, acceptor, keep_numbering, many, no_quotes;
    const char *symbols, *epsilon;
    int arc_type, plf_scores; /* a pf_arc_type, a pf_plf_scores */
    tool_specs scales;
    double pass;
    uint64_t most;
} compile_settings;

#define AT(FIELD) offsetof(compile_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read: sentences, one on each line, or one of these"),
    {0, "att", TOOL_SELECT, AT(kind), .min = PF_TEXT_ATT, .help = "AT&T text, one automaton in each file"},
    {0, "plf", TOOL_SELECT, AT(kind), .min = PF_TEXT_PLF, .help = "lattices in the format of Moses, one on each line"},
    {0, "slf", TOOL_SELECT, AT(kind), .min = PF_TEXT_SLF, .help = "lattices in the standard lattice format of HTK"},
    {0, "xml", TOOL_SELECT, AT(kind), .min = PF_TEXT_XML, .help = "XML, as permprint --xml writes it"},
    {0, "arpa", TOOL_SELECT, AT(kind), .min = PF_TEXT_ARPA, .help = "a language model in ARPA format"},
    {0, "tuples", TOOL_SELECT, AT(kind), .min = PF_TEXT_TUPLES, .help = "an ARPA model of tuples f|e1_e2"},
    {.kind = TOOL_GROUP, .excludes = "att xml arpa tuples", .help = "With sentences, --plf or --slf"},
    {'s', "symbols", TOOL_FILE, AT(symbols), "FILE", .help = "number the words as in FILE, which must have them"},
    {'k', "keep-going", TOOL_FLAG, AT(common.keep_going), .excludes = "slf", .help = "report a line that fails, and go on"},
    {.kind = TOOL_GROUP, .excludes = "att plf slf xml arpa tuples", .help = "With sentences"},
    {0, "markup", TOOL_FLAG, AT(markup), .excludes = "far", .help = "read <zone> and <wall/> as constraints"},
    {0, "monotone-at-punctuation", TOOL_FLAG, AT(at_punctuation), .excludes = "far",
     .help = "put walls around the words , . ! ? : ; \""},
    {.kind = TOOL_GROUP, .needs = "att", .help = "With --att"},
    {0, "acceptor", TOOL_FLAG, AT(acceptor), .help = "each line has one label"},
    {0, "keep-state-numbering", TOOL_FLAG, AT(keep_numbering), .help = "keep the numbers of states"},
    {0, "many", TOOL_FLAG, AT(many), .help = "several automata in a file, with blank lines between"},
    {0, "isymbols", TOOL_FILE, AT(common.isyms), "FILE", .help = "the symbol table of the input labels"},
    {0, "osymbols", TOOL_FILE, AT(common.osyms), "FILE", .help = "the symbol table of the output labels"},
    {.kind = TOOL_GROUP, .needs = "plf slf", .help = "With --plf or --slf"},
    {0, "scale", TOOL_SPECS, AT(scales), "NAME:X", .list = pf_score_scales_list,
     .help = "multiply the scores NAME by X (--scale=list: names)"},
    {0, "epsilon", TOOL_TEXT, AT(epsilon), "WORDS", .help = "read these words, separated by blanks, as epsilons"},
    {0, "plf-scores", TOOL_CHOICE, AT(plf_scores), "KIND", .words = pf_plf_scores_names, .needs = "plf",
     .help = "prob, log or cost (a negated log) [prob]"},
    {0, "no-quotes", TOOL_FLAG, AT(no_quotes), .needs = "slf", .help = "quotes and backslashes are plain text"},
    {.kind = TOOL_GROUP, .needs = "tuples", .help = "With --tuples"},
    {0, "pass", TOOL_REAL, AT(pass), "COST", .help = "the cost of a word that has no tuple of its own [10]"},
    {0, "most", TOOL_NUMBER, AT(most), "N", .min = 1, .max = UINT32_MAX,
     .help = "use only the N most probable tuples of a word [all]"},
    TOOL_GROUP_OF("What is written"),
    TOOL_FIRST_RECORD,
    TOOL_SOME("records"),
    TOOL_OUTPUT,
    {.kind = TOOL_GROUP, .excludes = "arpa tuples", .help = "Without --arpa and --tuples"},
    {0, "arc-type", TOOL_CHOICE, AT(arc_type), "TYPE", .words = tool_arc_types, .excludes = "xml",
     .help = "write standard, log or log64 [standard]"},
    TOOL_FAR(NULL),
    TOOL_NUMBER_KEYS,
    {0},
};

typedef struct {
    tool_call *call;
    const compile_settings *options;
    pf_compiler_options how;
    pf_score_scales scales;
    pf_symtab *words, *isyms, *osyms; /* the words: every one so far, or --symbols */
    toolfst_sink sink;
    uint64_t record;
} compilation;

/* Writes a record and frees it. */
static pf_err put(compilation *task, const pf_reader *reader, pf_expr *expr) {
    bool wanted = tool_in_ranges(&task->options->common.records, task->record);
    tool_write_begin(task->call);
    pf_err err = wanted ? pf_stream_put(task->sink.stream, expr, task->record) : PF_OK;
    if (!err) tool_done(task->call, 1, task->record++, toolfst_position(task->call, reader));
    tool_write_end(task->call);
    pf_expr_free(expr);
    return err;
}

/* With --keep-going the automaton without states stands for a line that failed. */
static pf_err compile_all(compilation *task, pf_reader *reader, pf_compiler *compiler) {
    for (pf_expr *expr;;) {
        pf_err err = pf_compiler_next(compiler, &expr);
        if (err && pf_compiler_goes_on(compiler)) {
            PF_TRY(tool_skip(task->call, err));
            err = pf_compiler_nothing(compiler, &expr);
        }
        if (err || !expr) return err;
        PF_TRY(put(task, reader, expr));
    }
}

static pf_err compile_file(void *self, pf_reader *reader) {
    compilation *task = self;
    pf_compiler *compiler = NULL;
    pf_err err = pf_compiler_new(reader, &task->how, &compiler);
    if (!err) err = compile_all(task, reader, compiler);
    if (!err) toolfst_input_done(task->call, reader);
    pf_compiler_free(compiler);
    return err;
}

static void set_options(compilation *task) {
    const compile_settings *options = task->options;
    pf_arc_type type;
    pf_arc_type_find(tool_arc_types[options->arc_type], &type);
    /* farprintstrings takes the table of an archive's first entry for all. */
    pf_word_labels labels = {.words = task->words, .fixed = options->symbols,
                             .whole = options->symbols && options->common.far != TOOL_NOT_GIVEN};
    task->how = (pf_compiler_options){
        .kind = (pf_text_kind)options->kind,
        .sentence = {.type = type, .labels = labels, .markup = options->markup, .at_punctuation = options->at_punctuation},
        .att = {type, task->isyms, task->osyms, options->acceptor, options->keep_numbering, options->many},
        .lattice = {.type = type, .labels = labels, .epsilon = options->epsilon, .scale = task->scales.at, .scales = task->scales.n,
                    .scores = (pf_plf_scores)options->plf_scores, .plain = options->no_quotes, .warn = tool_warn,
                    .warn_to = task->call},
        .tuples = {options->pass, (uint32_t)options->most},
        .warn = tool_warn, .warn_to = task->call,
    };
    task->how.sentence.labels.name = options->symbols;
}

static pf_err set_up(compilation *task) {
    const compile_settings *options = task->options;
    PF_TRY(pf_score_scales_read(options->scales.at, options->scales.n, "--scale", &task->scales));
    PF_TRY(options->symbols ? toolfst_symbols(task->call, options->symbols, &task->words) : pf_symtab_new("words", &task->words));
    PF_TRY(toolfst_symbols(task->call, options->common.isyms, &task->isyms));
    PF_TRY(toolfst_symbols(task->call, options->common.osyms, &task->osyms));
    set_options(task);
    return toolfst_sink_open(task->call, &task->sink);
}

static int run(tool_call *call) {
    compilation task = {.call = call, .options = tool_options(call), .record = tool_common_of(call)->first_record};
    const char *const *operands;
    int count = tool_operands(call, &operands);
    pf_err err = set_up(&task);
    toolfst_inputs(call, &count, &operands);
    if (!err) tool_gather_begin(call, task.sink.writer);
    for (int i = 0; !err && i < count; i++) err = toolfst_read(call, operands[i], compile_file, &task);
    tool_gather_end(call);
    if (!err) err = tool_text_ended(call, task.record - 1);
    if (!err) err = toolfst_sink_close(&task.sink);
    toolfst_sink_free(&task.sink);
    pf_symtab_free(task.words);
    pf_symtab_free(task.isyms);
    pf_symtab_free(task.osyms);
    pf_score_scales_free(&task.scales);
    return tool_status(call, err, false);
}

const tool permcompile = {
    .name = "permcompile",
    .summary = "Compile text to automata, one record for each line",
    .forms = {"[FILE...]"},
    .options = rows,
    .size = sizeof(compile_settings),
    .defaults = &(const compile_settings){.pass = DEFAULT_PASS},
    .run = run,
    .examples = {"permcompile sentences.de | lazyperm -c ibm:4 | permshortest | permprint",
                 "permcompile --arpa -o en.3gram.bin en.3gram.arpa"},
    .passes_on = true,
};

TOOL_MAIN(permcompile);
