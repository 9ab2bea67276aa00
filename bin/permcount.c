/* permcount: how many permutations, exactly. */
#include "toolmap.h"
#include "toolperm.h"
#include "toolprogress.h"

#include <stdio.h>

typedef struct {
    tool_common common;
    tool_specs con;
    const char *table;
    int by, format; /* a place among the statistics; a pf_table_format; TOOL_NOT_GIVEN: not given */
    bool verbose;
} count_settings;

enum { RECORDS, LENGTH, TABLE }; /* forms */

/* Statistic i: the weight models that count by whole numbers. */
static const char *statistic(size_t place) {
    const pf_wm_class *cls;
    for (size_t k = 0; (cls = pf_wm_at(k)); k++)
        if (cls->whole && !place--) return cls->name;
    return NULL;
}

#define AT(FIELD) offsetof(count_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is counted"),
    {'t', "table", TOOL_TEXT, AT(table), "FROM-TO", .forms = TOOL_IN(TABLE), .help = "print a line for each length"},
    {'b', "by", TOOL_CHOICE, AT(by), "STATISTIC", .word = statistic,
     .help = "print a line for each value of inversions, jumps, distance or early-distance"},
    TOOL_MAX_STATES(NULL, "fail if a level, or an automaton, has more states"),
    TOOL_JOBS("records or lengths"),
    TOOL_KEEP_GOING("record or length"),
    {.kind = TOOL_GROUP, .forms = TOOL_IN(LENGTH) | TOOL_IN(TABLE), .help = "With lengths"},
    {'c', "constraint", TOOL_SPECS, AT(con), "SPEC", .list = toolperm_list_constraints,
     .help = "count what SPEC allows, such as ibm:4 (-c list: names); several are columns"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(RECORDS), .help = "With records"},
    TOOL_SOME("records"),
    TOOL_GROUP_OF("What is written"),
    {'v', "verbose", TOOL_FLAG, AT(verbose), .help = "say how each number was found"},
    TOOL_FORMAT(AT(format), .forms = TOOL_IN(LENGTH) | TOOL_IN(TABLE),
                .help = "write a column for each constraint below a heading: a padded table, tsv or json [several -c: tsv]"),
    TOOL_OUTPUT,
    {0},
};

typedef struct {
    tool_call *call;
    const count_settings *options;
    char by[64]; /* the specification of the statistic; "": none */
    pf_table table;
} counting;

static pf_tally_options tally_options(const counting *out) {
    return (pf_tally_options){*out->by ? out->by : NULL, out->options->common.max_states, tool_states, out->call, NULL};
}

/* ---- lengths ---- */

/* A line of a table has its length, so nothing stands for one that failed. */
static pf_err count_length(void *self, tool_piece *piece) {
    const counting *out = self;
    pf_tally_options how = tally_options(out);
    pf_path_count count;
    char words[PF_COUNT_HOW_BYTES], prefix[40];
    snprintf(prefix, sizeof prefix, "%u\t", (unsigned)piece->first);
    PF_TRY(pf_space_count(out->options->con.at, out->options->con.n, (unsigned)piece->first, &how, &count));
    if (out->options->verbose) tool_say(out->call, "%s", pf_path_count_how(&count, words));
    pf_err err = pf_tally_write(&count.tally, how.by, out->options->table ? prefix : NULL, piece->text);
    pf_path_count_free(&count);
    return err;
}

/* ---- columns ---- */

static void say_column(void *self, const char *con, const pf_path_count *count) {
    char words[PF_COUNT_HOW_BYTES];
    tool_say(((const counting *)self)->call, "%s: %s", con, pf_path_count_how(count, words));
}

static pf_err count_columns(void *self, tool_piece *piece) {
    counting *out = self;
    const pf_tally_options how = tally_options(out);
    const pf_space_lines_to to = {&out->table, out->options->verbose ? say_column : NULL, out};
    return pf_space_lines(out->options->con.at, out->options->con.n, (unsigned)piece->first, &how, &to, piece->text);
}

static pf_err count_lengths(counting *out, const char *text) {
    unsigned from, to;
    bool columns = out->options->con.n > 1 || out->options->format != TOOL_NOT_GIVEN;
    PF_TRY(toolperm_range(text, &from, &to));
    tool_item(out->call, "length");
    if (!columns) return toolmap_numbers(out->call, from, to, 1, count_length, out, NULL);
    out->table.format = tool_format(out->options->format, PF_TABLE_TSV);
    PF_TRY(pf_space_columns(out->options->con.at, out->options->con.n, *out->by ? statistic((size_t)out->options->by) : NULL,
                            &out->table));
    return toolmap_numbers(out->call, from, to, 1, count_columns, out, &out->table);
}

/* ---- records ---- */

static void say_how(tool_call *call, const pf_path_count *count, uint64_t record) {
    char words[PF_COUNT_HOW_BYTES];
    pf_path_count_how(count, words);
    if (count->of_space) tool_say(call, "%s", words);
    else tool_say(call, "record %llu: %s", (unsigned long long)record, words);
}

static pf_err count_record(void *self, pf_record *record) {
    const counting *out = self;
    pf_tally_options how = tally_options(out);
    pf_path_count count;
    PF_TRY(pf_expr_count(record->in, &how, &count));
    if (out->options->verbose) say_how(record->call, &count, record->record);
    pf_err err = pf_tally_write(&count.tally, how.by, NULL, record->text);
    pf_path_count_free(&count);
    return err;
}

static int run(tool_call *call) {
    counting out = {.call = call, .options = tool_options(call)};
    const char *const *operands;
    int count = tool_operands(call, &operands);
    if (out.options->by != TOOL_NOT_GIVEN) snprintf(out.by, sizeof out.by, "%s:1", statistic((size_t)out.options->by));
    pf_err err = tool_form(call) == RECORDS ? toolmap_text(call, &(const pf_record_steps){.work = count_record}, &out, "\n", NULL)
                                            : count_lengths(&out, count ? operands[0] : out.options->table);
    pf_table_free(&out.table);
    return tool_status(call, err, false);
}

const tool permcount = {
    .name = "permcount",
    .summary = "Count permutations under constraints, or paths of automata, exactly",
    .forms = {"[FILE...]", "LENGTH", "--table=FROM-TO"},
    .options = rows,
    .size = sizeof(count_settings),
    .defaults = &(const count_settings){.by = TOOL_NOT_GIVEN, .format = TOOL_NOT_GIVEN},
    .run = run,
    .examples = {"permcount -c itg+ibm:4 --table 1-20", "echo a b c d | permcompile | lazyperm -c ibm:2 | permcount"},
};

TOOL_MAIN(permcount);
