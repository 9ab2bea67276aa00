/* permtree: orders of sentences from their dependency trees. */
#include "toolmap.h"
#include "toolprogress.h"

enum { READ_OFF, FULL, LIMITED, COLLINS, STATS, DRAW };
#define ORDERS (TOOL_IN(READ_OFF) | TOOL_IN(FULL) | TOOL_IN(LIMITED) | TOOL_IN(COLLINS))

static const char *const forms[] = {"permutations", "words", "conllu", "records", NULL}; /* as pf_tree_form has them */
static const char *const punctuations[] = {"skip", "tree", NULL}; /* as pf_tree_punctuation has them */

static const char *const models[] = {"read-off", "full", "limited", "collins", NULL}; /* as pf_tree_model has them */

typedef struct {
    tool_common common;
    int punctuation, to, by;
    double ratio;
    bool why, svg;
} tree_options;

#define AT(FIELD) offsetof(tree_options, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    {'p', "punctuation", TOOL_CHOICE, AT(punctuation), "HOW", .words = punctuations,
     .help = "skip punctuation, or keep it in the tree [skip]"},
    TOOL_FIRST_RECORD,
    TOOL_SOME("sentences"),
    TOOL_GROUP_OF("How it is reordered"),
    {'r', "ratio", TOOL_REAL, AT(ratio), "R", .min = 0, .max = 1, .forms = TOOL_IN(LIMITED) | TOOL_IN(STATS) | TOOL_IN(DRAW),
     .help = "reorder a node only if its SHD2 falls by this share [0.9]"},
    {0, "by", TOOL_CHOICE, AT(by), "MODEL", .words = models, .forms = TOOL_IN(DRAW),
     .help = "read-off, full, limited or collins [full]"},
    TOOL_JOBS("sentences"),
    TOOL_KEEP_GOING("sentence"),
    TOOL_GROUP_OF("What is written"),
    {'t', "to", TOOL_CHOICE, AT(to), "FORM", .words = forms, .forms = ORDERS,
     .help = "permutations, words, conllu or records [permutations]"},
    {'w', "why", TOOL_FLAG, AT(why), .excludes = "to", .forms = ORDERS,
     .help = "write the nodes that are reordered, not the orders"},
    {0, "svg", TOOL_FLAG, AT(svg), .forms = TOOL_IN(DRAW), .needs = "records",
     .help = "draw one sentence as SVG, not as text"},
    TOOL_OUTPUT,
    {0},
};

typedef struct {
    tool_call *call;
    const tree_options *options;
    pf_tree_task task;
    pf_tree_output to;
    toolfst_sink sink;
    pf_workers *workers;
    uint64_t number; /* of the next sentence */
} reordering;

/* ---- a sentence ---- */

static pf_err work(void *self, void *piece) { return pf_tree_sentence_work(&((const reordering *)self)->task, piece); }

static pf_err finish(void *self, void *piece, pf_err err) {
    reordering *reorder = self;
    const pf_tree_sentence *sentence = piece;
    tool_done(reorder->call, 1, sentence->number, sentence->stored);
    if (err) PF_TRY(tool_skip(reorder->call, err));
    return pf_tree_sentence_put(&reorder->task, &reorder->to, sentence, err != PF_OK);
}

/* ---- all sentences ---- */

static pf_err read_file(void *self, pf_reader *reader) {
    reordering *reorder = self;
    pf_tree_file file = {.punctuation = (pf_tree_punctuation)reorder->options->punctuation, .reader = reader,
                         .stored_before = toolfst_position(reorder->call, reader)};
    PF_TRY(pf_workers_keep(reorder->workers, pf_reader_name(reader), &file.name));
    PF_TRY(pf_tree_sentences_put(&reorder->task, &file, reorder->workers, &reorder->number));
    toolfst_input_done(reorder->call, reader);
    return PF_OK;
}

static pf_err read_all(reordering *reorder) {
    static const pf_workers_steps steps = {sizeof(pf_tree_sentence), work, finish, pf_tree_sentence_drop, NULL};
    const char *const *files;
    int count = tool_operands(reorder->call, &files);
    toolfst_inputs(reorder->call, &count, &files);
    PF_TRY(tool_workers(reorder->call, &steps, reorder, &reorder->workers));
    toolfst_before_wait(reorder->call, pf_workers_hurry, reorder->workers);
    pf_err err = PF_OK;
    for (int i = 0; !err && i < count; i++) err = toolfst_read(reorder->call, files[i], read_file, reorder);
    toolfst_before_wait(reorder->call, NULL, NULL);
    return pf_workers_end(reorder->workers, err);
}

static pf_err reorder_all(reordering *reorder) {
    bool records = reorder->task.form == PF_TREE_RECORD;
    tool_item(reorder->call, "sentence");
    PF_TRY(records ? toolfst_sink_open(reorder->call, &reorder->sink) : toolfst_open_output(reorder->call, &reorder->to.writer));
    reorder->to.stream = reorder->sink.stream;
    if (reorder->task.form == PF_TREE_TOTALS) PF_TRY(pf_tree_totals_new(&reorder->to.totals));
    PF_TRY(read_all(reorder));
    PF_TRY(tool_text_ended(reorder->call, reorder->number - 1));
    if (reorder->to.totals) PF_TRY(pf_tree_totals_write(reorder->to.totals, reorder->to.writer));
    return records ? toolfst_sink_close(&reorder->sink) : toolfst_close_output(reorder->call, reorder->to.writer);
}

static pf_tree_form form_of(const tree_options *options, int form) {
    if (form == STATS) return PF_TREE_TOTALS;
    if (form == DRAW) return options->svg ? PF_TREE_SVG : PF_TREE_TEXT;
    return options->why ? PF_TREE_WHY : (pf_tree_form)options->to;
}

static pf_err check_picture(const tree_options *options) {
    const tool_ranges *records = &options->common.records;
    if (!options->svg || (records->n == 1 && records->at[0].first == records->at[0].last)) return PF_OK;
    return pf_fail(PF_EARG, "--svg: expected the number of one sentence in --records, found more");
}

static int run(tool_call *call) {
    const tree_options *options = tool_options(call);
    int form = tool_form(call);
    reordering reorder = {.call = call, .options = options, .number = options->common.first_record};
    pf_tree_model model = (pf_tree_model)(form == DRAW ? options->by : form == STATS ? FULL : form);
    reorder.task = (pf_tree_task){{model, options->ratio}, form_of(options, form), tool_is_wanted, call};
    pf_err err = check_picture(options);
    if (!err) err = reorder_all(&reorder);
    toolfst_sink_free(&reorder.sink);
    pf_writer_free(reorder.to.writer);
    pf_tree_totals_free(reorder.to.totals);
    return tool_status(call, err, false);
}

const tool permtree = {
    .name = "permtree",
    .summary = "Reorder sentences by their dependency trees",
    .forms = {"read-off [FILE...]", "full [FILE...]", "limited [FILE...]", "collins [FILE...]", "stats [FILE...]",
              "draw [FILE...]"},
    .options = rows,
    .size = sizeof(tree_options),
    .defaults = &(const tree_options){.ratio = PF_TREE_RATIO, .by = FULL},
    .run = run,
    .examples = {"permtree full --to=words dev.conllu > dev.reordered",
                 "tar xOf cdb.tar.gz | permtree stats"},
};

TOOL_MAIN(permtree);
