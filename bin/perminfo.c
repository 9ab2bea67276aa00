/* perminfo: what each record is, and how large it is or will be; or whether all of them are intact. */
#include "toolmap.h"
#include "toolprogress.h"

#include <stdio.h>

typedef struct {
    tool_common common;
    bool count, check, verbose;
    int format; /* a pf_table_format; TOOL_NOT_GIVEN: lines without a heading */
} info_settings;

#define AT(FIELD) offsetof(info_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOL_OF_RECORDS,
    TOOL_GROUP_OF("What is checked"),
    {0, "check", TOOL_FLAG, AT(check), .excludes = "count keep-going output",
     .help = "describe nothing; check that all records are whole and unchanged, and that what they claim is true"},
    {'v', "verbose", TOOL_FLAG, AT(verbose), .needs = "check", .help = "report what was checked"},
    TOOL_GROUP_OF("What is counted"),
    {'c', "count", TOOL_FLAG, AT(count),
     .help = "count states, arcs and paths exactly"},
    TOOL_MAX_STATES("count", "fail if an automaton has more than N states"),
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOL_GROUP_OF("What is written"),
    TOOL_FORMAT(AT(format), .excludes = "check",
                .help = "write the same below a heading: a padded table, tsv, or json with an object for each line"),
    TOOL_OUTPUT,
    {0},
};

/* ---- to describe ---- */

static pf_err inform(void *table, pf_record *record) {
    const info_settings *options = tool_options(record->call);
    char prefix[40];
    snprintf(prefix, sizeof prefix, "%llu\t", (unsigned long long)record->record);
    bool no_checksum = !record->summed && record->in->kind != PF_EXPR_MODEL;
    pf_describe_options how = {prefix, table, record->record, no_checksum, options->count, options->common.max_states, tool_states,
                               record->call};
    return pf_expr_describe(record->in, &how, record->text);
}

/* ---- the whole ---- */

/* Damage is a no, not a failure of the check. */
static int check_all(tool_call *call, int count, const char *const *operands) {
    const info_settings *options = tool_options(call);
    char words[PF_INTACT_BYTES];
    pf_intact_stream stream = {0};
    bool damaged = false;
    tool_go_on(call, &damaged);
    pf_err err = toolmap_read(call, count, operands, &pf_intact_steps, &stream);
    if (!err && options->verbose) tool_say(call, "%s", pf_intact_words(&stream, words));
    return tool_status(call, err, damaged);
}

/* Lines have their record, so nothing stands for one that failed. */
static pf_err inform_all(tool_call *call) {
    static const pf_record_steps steps = {.work = inform};
    const info_settings *options = tool_options(call);
    bool plain = options->format == TOOL_NOT_GIVEN;
    pf_table table = pf_describe_columns(tool_format(options->format, PF_TABLE_TSV)), *below = plain ? NULL : &table;
    return toolmap_text(call, &steps, below, "", below);
}

static int run(tool_call *call) {
    const info_settings *options = tool_options(call);
    const char *const *operands;
    int count = tool_operands(call, &operands);
    return options->check ? check_all(call, count, operands) : tool_status(call, inform_all(call), false);
}

const tool perminfo = {
    .name = "perminfo",
    .summary = "Describe each record in lines of keys and values, or check that all are intact",
    .forms = {"[FILE...]"},
    .options = rows,
    .size = sizeof(info_settings),
    .defaults = &(const info_settings){.format = TOOL_NOT_GIVEN},
    .run = run,
    .examples = {"echo a b c d | permcompile | lazyperm -c itg | perminfo --count", "perminfo --check composed.fst"},
    .models = true,
};

TOOL_MAIN(perminfo);
