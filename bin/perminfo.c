/* perminfo: what each record is, and how large it is or will be. */
#include "toolmap.h"
#include "toolprogress.h"

#include <stdio.h>

typedef struct {
    tool_common common;
    bool count;
} info_settings;

#define AT(FIELD) offsetof(info_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOL_OF_RECORDS,
    TOOL_GROUP_OF("What is counted"),
    {'c', "count", TOOL_FLAG, AT(count),
     .help = "count states, arcs and paths exactly"},
    TOOL_MAX_STATES("count", "fail if an automaton has more than N states"),
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOL_GROUP_OF("What is written"),
    TOOL_OUTPUT,
    {0},
};

static pf_err inform(void *call, pf_record *r) {
    const info_settings *o = tool_options(call);
    char prefix[40];
    snprintf(prefix, sizeof prefix, "%llu\t", (unsigned long long)r->record);
    return pf_expr_describe(r->in, &(pf_describe_options){prefix, o->count, o->common.max_states, tool_states, call}, r->text);
}

/* Lines have their record, so nothing stands for one that failed. */
static int run(tool_call *call) { return tool_status(call, toolmap_text(call, &(const pf_record_steps){.work = inform}, call, ""), false); }

const tool perminfo = {
    .name = "perminfo",
    .summary = "Describe each record in lines of record number, key and value",
    .forms = {"[FILE...]"},
    .options = rows,
    .size = sizeof(info_settings),
    .run = run,
    .examples = {"echo a b c d | permcompile | lazyperm -c itg | perminfo", "perminfo --count composed.fst"},
    .models = true,
};

TOOL_MAIN(perminfo);
