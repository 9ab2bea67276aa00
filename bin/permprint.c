/* permprint: records as text for people and for other programs. */
#include "toolgather.h"
#include "toolmap.h"
#include "toolprogress.h"
#include "toolsearch.h"

typedef struct {
    tool_common common;
    int form; /* a pf_print_form */
    int format; /* a pf_table_format; TOOL_NOT_GIVEN: none */
    bool all, positions, numeric, acceptor, no_quotes, names;
    int plf_scores; /* a pf_plf_scores */
    int picture;    /* a place in `pictures`, if it is drawn */
    int tree_form;  /* a pf_itg_tree_form */
    const char *after;
    uint64_t beam;
} print_settings;

static const char *const pictures[] = {"auto", "automaton", "order", "tree", NULL}; /* as pf_picture has them */

static const char *const tree_forms[] = {"canonical", "binary", NULL}; /* as pf_itg_tree_form */

#define AT(FIELD) offsetof(print_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOL_OF_RECORDS,
    TOOL_MAX_STATES(NULL, "fail above N states [1000000; drawn: 300]"),
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOL_GROUP_OF("What is written, in one form"),
    {0, "paths", TOOL_SELECT, AT(form), .min = PF_PRINT_PATHS,
     .help = "print a line for every path (the default for answers)"},
    TOOL_FORMAT(AT(format), .excludes = "paths att strings permutations trees plf slf xml dot diff svg",
                .help = "print such lines as table, tsv or json"),
    {0, "att", TOOL_SELECT, AT(form), .min = PF_PRINT_ATT, .help = "print AT&T text (the default for automata)"},
    {'s', "strings", TOOL_SELECT, AT(form), .min = PF_PRINT_STRINGS, .help = "print the words of the best path"},
    {'p', "permutations", TOOL_SELECT, AT(form), .min = PF_PRINT_PERMUTATIONS,
     .help = "print the source positions of the best path, from 1"},
    {0, "trees", TOOL_CHOICE, AT(tree_form), "FORM", .words = tree_forms, .optional = "canonical",
     .excludes = "paths att strings permutations plf slf xml dot diff",
     .help = "print the tree of the best path (an order of itg): canonical (default) or binary"},
    {0, "plf", TOOL_SELECT, AT(form), .min = PF_PRINT_PLF, .help = "print a lattice in the format of Moses"},
    {0, "slf", TOOL_SELECT, AT(form), .min = PF_PRINT_SLF, .help = "print a lattice in the standard lattice format of HTK"},
    {0, "xml", TOOL_SELECT, AT(form), .min = PF_PRINT_XML, .help = "print one XML document"},
    {0, "dot", TOOL_SELECT, AT(form), .min = PF_PRINT_DOT, .help = "print a drawing for graphviz"},
    {0, "diff", TOOL_SELECT, AT(form), .min = PF_PRINT_DIFF, .help = "print the words of the best path and what moved"},
    {0, "svg", TOOL_CHOICE, AT(picture), "WHAT", .words = pictures, .optional = "auto",
     .excludes = "paths att strings permutations trees plf slf xml dot diff",
     .help = "print a picture: auto, automaton, order or tree"},
    {0, "after", TOOL_TEXT, AT(after), "WORDS", .excludes = "paths att strings permutations trees plf slf xml dot diff svg format",
     .help = "print what may follow WORDS in an automaton, and at what cost"},
    TOOL_GROUP_OF("How it is written"),
    {'a', "all", TOOL_FLAG, AT(all), .needs = "strings permutations trees diff", .help = "print every path"},
    {0, "names", TOOL_FLAG, AT(names), .excludes = "att plf slf xml dot svg after",
     .help = "print the names of records: utterances of SLF, keys of FAR"},
    {0, "positions", TOOL_FLAG, AT(positions), .needs = "trees svg=tree", .help = "print positions in trees"},
    {0, "plf-scores", TOOL_CHOICE, AT(plf_scores), "KIND", .words = pf_plf_scores_names, .needs = "plf",
     .help = "prob, log or cost (a negated log) [prob]"},
    {0, "no-quotes", TOOL_FLAG, AT(no_quotes), .needs = "slf", .help = "do not quote words"},
    {'b', "beam", TOOL_NUMBER, AT(beam), "N", .min = 1, .max = 1000000000, .needs = "svg dot",
     .help = "show what a beam of N drops"},
    {0, "acceptor", TOOL_FLAG, AT(acceptor), .help = "print one label for each arc"},
    {0, "numeric", TOOL_FLAG, AT(numeric), .help = "print labels as numbers"},
    TOOL_OUTPUT,
    {0},
};

static bool is_drawn(int form) { return form == PF_PRINT_DOT || form == PF_PRINT_SVG; }

static pf_print_options options_of(tool_call *call) {
    const print_settings *options = tool_options(call);
    bool svg = tool_given(call, "svg"), lines = options->format != TOOL_NOT_GIVEN, trees = tool_given(call, "trees");
    pf_print_options how = {.form = svg ? PF_PRINT_SVG : lines ? PF_PRINT_LINES : trees ? PF_PRINT_TREES
                                    : (pf_print_form)options->form,
                            .tree_form = (pf_itg_tree_form)options->tree_form,
                            .format = tool_format(options->format, PF_TABLE_TSV),
                            .picture = (pf_picture)options->picture, .beam = (size_t)options->beam,
                            .all = options->all, .positions = options->positions, .numeric = options->numeric,
                            .acceptor = options->acceptor, .plain = options->no_quotes, .names = options->names,
                            .plf_scores = (pf_plf_scores)options->plf_scores, .max_states = options->common.max_states,
                            .progress = tool_states};
    if (options->after) how.form = PF_PRINT_STEPS;
    how.after = options->after;
    how.colours = how.form == PF_PRINT_DIFF && tool_colours(call);
    if (is_drawn(how.form) && !tool_given(call, "max-states")) how.max_states = PF_DRAW_STATES;
    return how;
}

typedef struct {
    tool_call *call;
    pf_printer printer;
} printing;

static pf_err print_all(void *self, pf_writer *writer) {
    printing *task = self;
    const char *const *operands;
    int count = tool_operands(task->call, &operands);
    task->printer.writer = writer;
    PF_TRY(pf_printer_begin(&task->printer));
    tool_gather_begin(task->call, writer);
    pf_err err = toolmap_read(task->call, count, operands, &pf_printer_steps, &task->printer);
    tool_gather_end(task->call);
    if (err) return err;
    return pf_printer_end(&task->printer);
}

static int run(tool_call *call) {
    printing task = {.call = call, .printer = {.how = options_of(call), .say = tool_say_words}};
    pf_err err = pf_moves_store_new(TOOL_MOVES_BYTES, &task.printer.how.moves);
    if (!err) err = toolfst_write(call, print_all, &task);
    pf_moves_store_free(task.printer.how.moves);
    return tool_status(call, err, task.printer.no_path);
}

const tool permprint = {
    .name = "permprint",
    .summary = "Print answers as strings, orders or paths, and automata as text or pictures",
    .forms = {"[FILE...]"},
    .options = rows,
    .size = sizeof(print_settings),
    .defaults = &(const print_settings){.common = {.max_states = 1000000}, .format = TOOL_NOT_GIVEN},
    .run = run,
    .examples = {"permshortest -n 10 composed.fst | permprint",
                 "lazyperm -c ibm:2 words.fst | permprint --svg > space.svg"},
    .passes_on = true,
};

TOOL_MAIN(permprint);
