/* lazyperm: linear automata to permutation automata, as descriptions that are expanded on demand. */
#include "toolmap.h"
#include "toolperm.h"

typedef struct {
    tool_common common;
    tool_specs con, wm;
    tool_reals scales; /* of the weights */
    bool acceptor;
} permute_settings;

#define AT(FIELD) offsetof(permute_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOL_FIRST_RECORD,
    TOOL_SOME("records"),
    TOOL_OSYMBOLS,
    TOOL_GROUP_OF("How it is permuted"),
    TOOLPERM_CONSTRAINT(AT(con)),
    {'w', "weight", TOOL_SPECS, AT(wm), "SPEC", .list = toolperm_list_weights,
     .help = "add the costs of SPEC, such as monotone:0.7 (-w list: names)"},
    {0, "weight-scales", TOOL_REALS, AT(scales), "S,...", .needs = "weight",
     .help = "multiply the costs of each --weight, in their order, by these numbers"},
    {0, "acceptor", TOOL_FLAG, AT(acceptor), .help = "read words, not their positions"},
    TOOL_KEEP_GOING("record"),
    TOOL_GROUP_OF("What is written"),
    TOOL_OUTPUT,
    {0},
};

/* In the order of the records, as files of trees and costs are read beside them: also for those that --records leaves out. */
static pf_err permute(void *permuter, pf_record *record) { return pf_permuter_permute(permuter, record->in, &record->out); }
static pf_err nothing_more(void *permuter, pf_record *record) {
    (void)permuter;
    (void)record;
    return PF_OK;
}
static pf_err end(void *permuter) { return pf_permuter_end(permuter); }

static int run(tool_call *call) {
    static const pf_record_steps steps = {.prepare = permute, .work = nothing_more};
    const permute_settings *options = tool_options(call);
    pf_permuter *permuter = NULL;
    const char *const *operands;
    int count = tool_operands(call, &operands);
    pf_err err = options->scales.n && options->scales.n != options->wm.n
        ? pf_fail(PF_EARG, "--weight-scales has %zu numbers for %zu weights (--weight)", options->scales.n, options->wm.n)
        : pf_permuter_new(options->con.at, options->con.n, options->wm.at, options->wm.n,
                          options->scales.n ? options->scales.at : NULL, options->acceptor, &permuter);
    if (!err) err = toolmap_records(call, count, operands, &steps, permuter, end);
    pf_permuter_free(permuter);
    return tool_status(call, err, false);
}

const tool lazyperm = {
    .name = "lazyperm",
    .summary = "Permute linear automata on demand, under constraints and weights",
    .forms = {"[FILE...]"},
    .options = rows,
    .size = sizeof(permute_settings),
    .run = run,
    .examples = {"permcompile sentences.de | lazyperm -c ibm:4 -w monotone:0.7 > permuted.fst",
                 "lazyperm -c list"},
    .passes_on = true,
};

TOOL_MAIN(lazyperm);
