/* permprint: records as text for people and for other programs. */
#include "toolmap.h"
#include "toolprogress.h"

typedef struct {
    tool_common common;
    int form; /* a pf_print_form */
    bool all, positions, numeric, acceptor, no_quotes;
    int plf_scores; /* a pf_plf_scores */
} print_settings;

#define AT(FIELD) offsetof(print_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOL_OF_RECORDS,
    TOOL_MAX_STATES(NULL, "fail if an automaton has more than N states [1000000]"),
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOL_GROUP_OF("What is written, in one form"),
    {0, "paths", TOOL_SELECT, AT(form), .min = PF_PRINT_PATHS,
     .help = "print record, rank, cost, permutation and words of every path (the default for answers)"},
    {0, "att", TOOL_SELECT, AT(form), .min = PF_PRINT_ATT, .help = "print AT&T text (the default for automata)"},
    {'s', "strings", TOOL_SELECT, AT(form), .min = PF_PRINT_STRINGS, .help = "print the words of the best path"},
    {'p', "permutations", TOOL_SELECT, AT(form), .min = PF_PRINT_PERMUTATIONS, .help = "print the source positions of the best path, from 1"},
    {0, "trees", TOOL_SELECT, AT(form), .min = PF_PRINT_TREES, .help = "print the tree of the best path, which is an order of itg"},
    {0, "plf", TOOL_SELECT, AT(form), .min = PF_PRINT_PLF, .help = "print a lattice in the format of Moses"},
    {0, "slf", TOOL_SELECT, AT(form), .min = PF_PRINT_SLF, .help = "print a lattice in the standard lattice format of HTK"},
    {0, "xml", TOOL_SELECT, AT(form), .min = PF_PRINT_XML, .help = "print one XML document"},
    {0, "dot", TOOL_SELECT, AT(form), .min = PF_PRINT_DOT, .help = "print a drawing for graphviz"},
    TOOL_GROUP_OF("How it is written"),
    {'a', "all", TOOL_FLAG, AT(all), .needs = "strings permutations trees", .help = "print every path, not only the best"},
    {0, "positions", TOOL_FLAG, AT(positions), .needs = "trees", .help = "print positions in trees, not words"},
    {0, "plf-scores", TOOL_CHOICE, AT(plf_scores), "KIND", .words = pf_plf_scores_names, .needs = "plf",
     .help = "prob, log or cost (a negated log) [prob]"},
    {0, "no-quotes", TOOL_FLAG, AT(no_quotes), .needs = "slf", .help = "do not quote words"},
    {0, "acceptor", TOOL_FLAG, AT(acceptor), .help = "print one label for each arc"},
    {0, "numeric", TOOL_FLAG, AT(numeric), .help = "print labels as numbers"},
    TOOL_OUTPUT,
    {0},
};

typedef struct {
    tool_call *call;
    const print_settings *o;
    pf_writer *w;
    bool no_path;
    bool first_done; /* a blank line goes between two automata */
} printing;

static pf_err print(void *self, pf_record *r) {
    const print_settings *o = tool_options(r->call);
    bool no_path;
    pf_print_options how = {.form = (pf_print_form)o->form, .record = r->record, .all = o->all, .positions = o->positions, .numeric = o->numeric,
                            .acceptor = o->acceptor, .plain = o->no_quotes, .plf_scores = (pf_plf_scores)o->plf_scores,
                            .max_states = o->common.max_states, .progress = tool_states, .self = r->call};
    (void)self;
    PF_TRY(pf_expr_print(r->in, &how, r->text, &no_path));
    if (no_path) tool_say(r->call, "record %llu has no path", (unsigned long long)r->record);
    r->own = no_path ? r : NULL; /* a mark */
    return PF_OK;
}

static bool blank_lines(pf_print_form form) { return form != PF_PRINT_DOT && form != PF_PRINT_PLF && form != PF_PRINT_XML; }

static pf_err put_record(void *self, pf_record *r) {
    printing *p = self;
    pf_print_form form = (pf_print_form)p->o->form;
    if (r->own) p->no_path = true;
    if (pf_print_as_automaton(form, r->in) && blank_lines(form)) {
        if (p->first_done) PF_TRY(pf_writer_put(p->w, "\n", 1));
        p->first_done = true;
    }
    if (r->failed) PF_TRY(pf_print_nothing(form, r->in, p->w));
    return pf_record_put_text(r, "", p->w);
}

static pf_err print_all(void *self, pf_writer *w) {
    static const pf_record_steps steps = {NULL, print, put_record, .text = true};
    printing *p = self;
    char *const *operands;
    int n = tool_operands(p->call, &operands);
    p->w = w;
    if (p->o->form == PF_PRINT_XML) PF_TRY(pf_xml_begin(w));
    PF_TRY(toolmap_read(p->call, n, operands, &steps, p));
    return p->o->form == PF_PRINT_XML ? pf_xml_end(w) : PF_OK;
}

static int run(tool_call *call) {
    printing p = {.call = call, .o = tool_options(call)};
    pf_err err = toolfst_write(call, print_all, &p);
    return tool_status(call, err, p.no_path);
}

const tool permprint = {
    .name = "permprint",
    .summary = "Print answers as strings, permutations or paths, and automata as AT&T text, lattices, XML or dot",
    .forms = {"[FILE...]"},
    .options = rows,
    .size = sizeof(print_settings),
    .defaults = &(const print_settings){.common = {.max_states = 1000000}},
    .run = run,
    .examples = {"permshortest -n 10 composed.fst | permprint",
                 "lazyperm -c ibm:2 words.fst | permprint --dot | dot -Tpdf > space.pdf"},
    .passes_on = true,
};

TOOL_MAIN(permprint);
