/* permcheck: permutations against constraints: inside or outside, where they break, and the least parameters. */
#include "toolmap.h"
#include "toolperm.h"
#include "toolprogress.h"

enum { LINES = 32 }; /* that a thread takes at a time */

typedef struct {
    tool_common common;
    tool_specs con;
    bool tightest, why, quiet;
    uint64_t base;
    int direction; /* a place in `directions` */
} check_settings;

enum { ORDER, PLACES };
static const char *const directions[] = {"order", "places", NULL};

#define AT(FIELD) offsetof(check_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    {0, "base", TOOL_NUMBER, AT(base), "N", .min = 0, .max = 1, .help = "the number of the first position, 0 or 1 [1]"},
    {0, "direction", TOOL_CHOICE, AT(direction), "WORD", .words = directions,
     .help = "lines are source positions in output order (order), or the places of source positions (places) [order]"},
    TOOL_FIRST_RECORD,
    TOOL_GROUP_OF("What is asked"),
    {'c', "constraint", TOOL_SPECS, AT(con), "SPEC", .list = toolperm_list_constraints,
     .help = "say whether SPEC, such as itg+local:5, allows each line (-c list: names)"},
    {'t', "tightest", TOOL_FLAG, AT(tightest), .help = "print the least parameters (the default without -c)"},
    {0, "why", TOOL_FLAG, AT(why), .help = "say where a line breaks a constraint"},
    TOOL_GROUP_OF("What is written"),
    {'q', "quiet", TOOL_FLAG, AT(quiet), .help = "write nothing: the exit status is the answer"},
    TOOL_JOBS("lines"),
    TOOL_KEEP_GOING("line"),
    TOOL_OUTPUT,
    {0},
};

/* A line at work. */
typedef struct {
    const check_settings *o;
    pf_writer *w;
    uint64_t record;
    const unsigned *p; /* its permutation */
    bool outside;
} line_check;

/* ---- answers: record, specification, inside or outside, and perhaps why ---- */

static pf_err say_spec(const line_check *c, const char *spec) {
    PF_TRY(pf_writer_text(c->w, "%llu\t", (unsigned long long)c->record));
    for (; *spec; spec++) PF_TRY(pf_writer_put(c->w, *spec == '\t' ? " " : spec, 1));
    return PF_OK;
}

static pf_err say(void *self, const char *spec, bool is_inside, pf_check *breaks) {
    const line_check *c = self;
    if (c->o->quiet) return PF_OK;
    PF_TRY(say_spec(c, spec));
    PF_TRY(pf_writer_text(c->w, "\t%s", is_inside ? "inside" : "outside"));
    if (breaks && c->o->why) {
        PF_TRY(pf_writer_text(c->w, "\t"));
        PF_TRY(pf_check_why(breaks, c->p, (unsigned)c->o->base, c->w));
    }
    return pf_writer_text(c->w, "\n");
}

static pf_err say_and_note(void *self, const char *spec, bool is_inside, pf_check *breaks) {
    line_check *c = self;
    c->outside = c->outside || !is_inside;
    return say(c, spec, is_inside, breaks);
}

static pf_err answer(line_check *c, const pf_visit_order *p) {
    const tool_specs *con = &c->o->con;
    c->p = c->o->direction == PLACES ? p->place : p->order;
    for (size_t i = 0; i < con->n; i++) PF_TRY(pf_check_spec(con->at[i], c->p, p->n, say_and_note, c));
    return c->o->tightest || !con->n ? pf_check_tightest(c->p, p->n, say, c) : PF_OK;
}

/* ---- all lines ---- */

typedef struct {
    const check_settings *o;
    bool outside;
} answers;

static pf_err check_line(void *self, pf_line *line) {
    const answers *all = self;
    line_check c = {.o = all->o, .w = line->out, .record = line->record};
    pf_visit_order p;
    pf_err err = pf_visit_order_read(line->text, (unsigned)all->o->base, &p);
    if (!err) err = answer(&c, &p);
    *(bool *)line->result = c.outside;
    pf_visit_order_free(&p);
    return err;
}

static void note_outside(void *self, const void *result) {
    answers *all = self;
    all->outside = all->outside || *(const bool *)result;
}

static int run(tool_call *call) {
    static const pf_line_steps steps = {LINES, sizeof(bool), check_line, note_outside, ""};
    answers all = {.o = tool_options(call)};
    char *const *files;
    int n = tool_operands(call, &files);
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < all.o->con.n; i++) err = pf_con_check(all.o->con.at[i]);
    tool_item(call, "permutation");
    if (!err) err = toolmap_lines(call, n, files, &steps, &all);
    return tool_status(call, err, all.outside);
}

const tool permcheck = {
    .name = "permcheck",
    .summary = "Say which constraints allow a permutation, and the least parameter of each family",
    .forms = {"[FILE...]"},
    .options = rows,
    .size = sizeof(check_settings),
    .defaults = &(const check_settings){.base = 1},
    .run = run,
    .examples = {"echo 2 4 1 3 | permcheck -c itg -c ibm:3", "echo 2 4 1 3 | permcheck --tightest --why"},
};

TOOL_MAIN(permcheck);
