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
    int direction, format; /* a place in `directions`; a pf_table_format; TOOL_NOT_GIVEN: a line for each answer */
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
    TOOL_SOME("lines"),
    TOOL_GROUP_OF("What is asked"),
    {'c', "constraint", TOOL_SPECS, AT(con), "SPEC", .list = toolperm_list_constraints,
     .help = "say whether SPEC, such as itg+local:5, allows each line (-c list: names)"},
    {'t', "tightest", TOOL_FLAG, AT(tightest), .help = "print the least parameters (the default without -c)"},
    {0, "why", TOOL_FLAG, AT(why), .help = "say where a line breaks a constraint"},
    TOOL_GROUP_OF("What is written"),
    TOOL_FORMAT(AT(format),
                .help = "write a line for each permutation: a table, tsv or json [a line for each constraint]"),
    {'q', "quiet", TOOL_FLAG, AT(quiet), .excludes = "format", .help = "write nothing: the exit status is the answer"},
    TOOL_JOBS("lines"),
    TOOL_KEEP_GOING("line"),
    TOOL_OUTPUT,
    {0},
};

typedef struct {
    pf_check_options how;
    pf_con_file *trees[TOOL_MOST_SPECS]; /* of each constraint; NULL: it has none */
    pf_table table;
    bool outside; /* any line */
} answers;

static pf_err read_trees(void *self, const char *line, pf_writer *specs) {
    const answers *all = self;
    return pf_check_read_trees(line, &all->how, all->trees, specs);
}

static pf_err check_line(void *self, pf_line *line) {
    return pf_check_line(line->text, line->record, &((const answers *)self)->how, line->beside, line->out, line->result);
}

static void note_outside(void *self, const void *result) {
    answers *all = self;
    all->outside = all->outside || *(const bool *)result;
}

static pf_err open_trees(answers *all) {
    for (size_t i = 0; i < all->how.n_con; i++) {
        PF_TRY(pf_con_check(all->how.con[i]));
        PF_TRY(pf_con_file_open(all->how.con[i], &all->trees[i]));
    }
    return PF_OK;
}

static pf_err end_trees(const answers *all) {
    for (size_t i = 0; i < all->how.n_con; i++)
        if (all->trees[i]) PF_TRY(pf_con_file_end(all->trees[i]));
    return PF_OK;
}

static pf_err make_table(const check_settings *options, answers *all) {
    if (options->format == TOOL_NOT_GIVEN) return PF_OK;
    all->table.format = (pf_table_format)options->format;
    all->how.table = &all->table;
    return pf_check_columns(&all->how, &all->table);
}

static int run(tool_call *call) {
    static const pf_line_steps steps = {LINES, sizeof(bool), read_trees, check_line, note_outside, ""};
    const check_settings *options = tool_options(call);
    answers all = {.how = {options->con.at, options->con.n, options->tightest, options->why, options->quiet, NULL,
                           options->direction == PLACES, (unsigned)options->base}};
    const char *const *files;
    int count = tool_operands(call, &files);
    pf_err err = open_trees(&all);
    if (!err) err = make_table(options, &all);
    tool_item(call, "permutation");
    if (!err) err = toolmap_lines(call, count, files, &steps, &all, all.how.table);
    if (!err) err = end_trees(&all);
    for (size_t i = 0; i < all.how.n_con; i++) pf_con_file_free(all.trees[i]);
    pf_table_free(&all.table);
    return tool_status(call, err, all.outside);
}

const tool permcheck = {
    .name = "permcheck",
    .summary = "Say which constraints allow a permutation, and the least parameter of each",
    .forms = {"[FILE...]"},
    .options = rows,
    .size = sizeof(check_settings),
    .defaults = &(const check_settings){.base = 1, .format = TOOL_NOT_GIVEN},
    .run = run,
    .examples = {"echo 2 4 1 3 | permcheck -c itg -c ibm:3", "echo 2 4 1 3 | permcheck --tightest --why"},
};

TOOL_MAIN(permcheck);
