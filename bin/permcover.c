/* permcover: which reordering constraints reach the alignments of a corpus. */
#include "toolalign.h"
#include "toolperm.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    tool_common common;
    int from, links, place, direction; /* places among formats and the words below */
    const char *source, *target, *lattices, *row, *bins, *why, *svg;
    tool_specs con;
    bool only, per_sentence, markup, at_punctuation;
    int format; /* a pf_table_format; TOOL_NOT_GIVEN: for people, or as lines are */
    uint64_t up_to, max_states;
} cover_options;

enum { SURE, ALL };
enum { BOTH, FORWARD, BACKWARD };
static const char *const kinds[] = {"sure", "all", NULL};
static const char *const places[] = {"first", "last", NULL}; /* as pf_place */
static const char *const directions[] = {"both", "forward", "backward", NULL};

#define AT(FIELD) offsetof(cover_options, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOLALIGN_FROM(AT(from)),
    {0, "source", TOOL_FILE, AT(source), "FILE", .help = "the source sentences, for their lengths"},
    {0, "target", TOOL_FILE, AT(target), "FILE", .help = "the target sentences, for their lengths"},
    {0, "links", TOOL_CHOICE, AT(links), "KIND", .words = kinds, .help = "use the sure links, or all links [sure]"},
    {0, "markup", TOOL_FLAG, AT(markup), .needs = "source", .help = "also obey <zone> and <wall/>"},
    {0, "monotone-at-punctuation", TOOL_FLAG, AT(at_punctuation), .needs = "source",
     .help = "obey walls around , . ! ? : ; \""},
    TOOL_FIRST_RECORD,
    TOOL_SOME("pairs"),
    TOOL_GROUP_OF("What is asked"),
    {'c', "constraint", TOOL_SPECS, AT(con), "SPEC", .list = toolperm_list_constraints,
     .help = "add a row for SPEC: itg+ibm:4 (-c list: names)"},
    {0, "lattices", TOOL_FILE, AT(lattices), "FILE", .excludes = "direction=backward",
     .help = "add a row for the automaton of each pair"},
    {0, "row", TOOL_TEXT, AT(row), "NAME", .needs = "lattices", .help = "the name of this row [lattice]"},
    {0, "only", TOOL_FLAG, AT(only), .needs = "constraint lattices", .help = "print only these rows"},
    {'d', "direction", TOOL_CHOICE, AT(direction), "WORD", .words = directions,
     .help = "visit words forward, backward or both [both]"},
    {0, "place", TOOL_CHOICE, AT(place), "WORD", .words = places,
     .help = "count words at the first or the last link [first]"},
    {0, "max-states", TOOL_NUMBER, AT(max_states), "N", .min = 1, .max = UINT32_MAX,
     .help = "leave a pair undecided after N states [1000000]"},
    TOOL_GROUP_OF("What is written"),
    {0, "format", TOOL_CHOICE, AT(format), "WORD", .words = pf_table_formats,
     .help = "write a table, or lines as tsv or json [table; --per-sentence: tsv; --why: tsv without a heading]"},
    {0, "tsv", TOOL_SELECT, AT(format), .min = PF_TABLE_TSV, .excludes = "per-sentence why format",
     .help = "the same as --format=tsv"},
    {'b', "bins", TOOL_TEXT, AT(bins), "LIST", .help = "add tables by source length, in bins such as 10,20,30"},
    {'u', "up-to", TOOL_NUMBER, AT(up_to), "N", .min = 1, .max = PF_MAX_WORDS,
     .help = "list parameters up to N [8; of lines: all]"},
    {0, "svg", TOOL_FILE, AT(svg), "FILE", .help = "also draw the table, to FILE"},
    {'s', "per-sentence", TOOL_FLAG, AT(per_sentence), .excludes = "why svg bins up-to",
     .help = "print only the least parameters of each pair"},
    {'w', "why", TOOL_TEXT, AT(why), "SPEC", .list = toolperm_list_constraints, .excludes = "svg constraint",
     .help = "print only the links that break SPEC (or: lattice)"},
    TOOL_OUTPUT,
    {0},
};

typedef enum { TABLE, CHART, OUTPUTS } cover_output;

typedef struct {
    tool_call *call;
    const cover_options *options;
    pf_coverage_table table;
    pf_coverage_corpus_options how;
    pf_coverage_corpus *corpus;
} coverer;

/* ---- what is asked, of what ---- */

static const char *row_name(const cover_options *options) { return options->row ? options->row : "lattice"; }
static bool explains_lattices(const cover_options *options) {
    return options->lattices && options->why && strcmp(options->why, row_name(options)) == 0;
}

static pf_err make_table(coverer *task) {
    const cover_options *options = task->options;
    const bool families = !options->only && !(options->why && task->how.marked);
    if (task->how.marked && families)
        return pf_fail(PF_EARG, "no closed form covers walls and zones: ask for --only and --constraint, or --why");
    if (task->how.spec) PF_TRY(pf_coverage_check_spec(task->how.spec, task->how.marked));
    return pf_coverage_table_make(&task->table, &(pf_coverage_questions){families, options->con.at, options->con.n,
        options->lattices ? row_name(options) : NULL, options->bins, "--bins", task->how.asked, task->how.marked});
}

static pf_err add_columns(coverer *task, const char *path) {
    const cover_options *options = task->options;
    pf_coverage_corpus_options *corpus = &task->how;
    const pf_compile_options marks = {.markup = options->markup, .at_punctuation = options->at_punctuation};
    PF_TRY(pf_parallel_new(options->common.first_record, &corpus->pairs));
    PF_TRY(toolalign_marked(task->call, corpus->pairs, options->source, corpus->marked ? &marks : NULL, &corpus->source));
    PF_TRY(toolalign_text(task->call, corpus->pairs, options->target, &corpus->target));
    pf_parallel_links how = {toolalign_from(options->from), false, corpus->source, corpus->target};
    return toolalign_links(task->call, corpus->pairs, path, &how, &corpus->links);
}

/* ---- the whole ---- */

static pf_err do_pair(void *self) { return pf_coverage_corpus_pair(((coverer *)self)->corpus); }
static pf_err pass_pair(void *self) { return pf_coverage_corpus_pass(((coverer *)self)->corpus); }

static pf_err put_table(const coverer *task, pf_writer *const *writers) {
    const unsigned up_to = (unsigned)task->options->up_to;
    if (writers[CHART]) PF_TRY(pf_coverage_table_svg(&task->table, up_to, writers[CHART]));
    return pf_coverage_table_write(&task->table, up_to, tool_format(task->options->format, PF_TABLE_PADDED), writers[TABLE]);
}

/* Says on stderr what was left out, and what was undecided. */
static void say(const coverer *task) {
    uint64_t undecided = pf_coverage_corpus_undecided(task->corpus);
    toolalign_say_left_out(task->call, pf_coverage_corpus_left_out(task->corpus), NULL, 0);
    if (undecided) tool_say(task->call, "undecided because of --max-states, and counted as not reached: %" PRIu64, undecided);
}

static pf_err cover_all(void *self, pf_writer *const *writers) {
    coverer *task = self;
    PF_TRY(add_columns(task, tool_input_file(task->call)));
    if (task->options->lattices) PF_TRY(toolfst_source_open(task->call, task->options->lattices, &task->how.lattices));
    task->how.writer = writers[TABLE];
    PF_TRY(pf_coverage_corpus_new(&task->how, &task->corpus));
    PF_TRY(toolalign_each(task->call, task->how.pairs, 0, do_pair, pass_pair, task));
    PF_TRY(pf_coverage_corpus_end(task->corpus));
    return task->how.form == PF_COVERAGE_COUNTED ? put_table(task, writers) : PF_OK;
}

static pf_err run_all(coverer *task) {
    const char *const paths[OUTPUTS] = {toolfst_output(task->call), task->options->svg}, *lattices = task->options->lattices;
    if (lattices && strcmp(lattices, "-") == 0 && strcmp(tool_input_file(task->call), "-") == 0)
        return pf_fail(PF_EARG, "--lattices=- is standard input: expected the alignments in a FILE");
    PF_TRY(make_table(task));
    return toolfst_write_all(task->call, paths, OUTPUTS, cover_all, task);
}

static int run(tool_call *call) {
    const cover_options *options = tool_options(call);
    coverer task = {.call = call, .options = options};
    task.how = (pf_coverage_corpus_options){
        .table = &task.table, .asked = {options->direction != BACKWARD, options->direction != FORWARD},
        .place = (pf_place)options->place, .filter = {.sure_only = options->links == SURE}, .limit = options->max_states,
        .spec = explains_lattices(options) ? NULL : options->why,
        .marked = options->markup || options->at_punctuation, .heading = options->format != TOOL_NOT_GIVEN,
        .format = tool_format(options->format, PF_TABLE_TSV),
        .form = options->why ? PF_COVERAGE_EXPLAINED : options->per_sentence ? PF_COVERAGE_LINES : PF_COVERAGE_COUNTED};
    pf_err err = run_all(&task);
    if (!err) say(&task);
    pf_coverage_corpus_free(task.corpus);
    pf_parallel_free(task.how.pairs);
    pf_source_free(task.how.lattices);
    pf_coverage_table_free(&task.table);
    return tool_status(call, err, false);
}

const tool permcover = {
    .name = "permcover",
    .summary = "Say how many alignments of a corpus each reordering constraint reaches",
    .forms = {"[FILE]"},
    .options = rows,
    .size = sizeof(cover_options),
    .defaults = &(const cover_options){.max_states = 1000000, .format = TOOL_NOT_GIVEN},
    .run = run,
    .examples = {"permcover --source=train.de --target=train.en train.gdfa", "permcover --why=distortion:6 train.gdfa"},
};

TOOL_MAIN(permcover);
