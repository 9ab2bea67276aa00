/* lazyperm: linear automata to permutation automata, as descriptions that are expanded on demand. */
#include "toolmap.h"
#include "toolperm.h"

typedef struct {
    tool_common common;
    tool_specs con, wm;
    bool acceptor;
} permute_settings;

#define AT(FIELD) offsetof(permute_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOL_FIRST_RECORD,
    TOOL_OSYMBOLS,
    TOOL_GROUP_OF("How it is permuted"),
    TOOLPERM_CONSTRAINT(AT(con)),
    {'w', "weight", TOOL_SPECS, AT(wm), "SPEC", .list = toolperm_list_weights,
     .help = "add the costs of SPEC, such as monotone:0.7 (-w list: names)"},
    {0, "acceptor", TOOL_FLAG, AT(acceptor), .help = "read words, not their positions"},
    TOOL_KEEP_GOING("record"),
    TOOL_GROUP_OF("What is written"),
    TOOL_OUTPUT,
    {0},
};

typedef struct {
    toolfst_sink sink;
    pf_permuter *permuter;
    bool failed;
} permuting;

static pf_err permute(void *self, pf_record *r) { return pf_permuter_permute(((permuting *)self)->permuter, r->in, &r->out); }

static pf_err put(void *self, pf_record *r) {
    permuting *p = self;
    return r->failed ? toolfst_put_nothing(&p->sink, r->record) : pf_stream_put(p->sink.stream, r->out, r->record);
}

static int run(tool_call *call) {
    static const pf_record_steps steps = {NULL, permute, put, NULL, false};
    const permute_settings *o = tool_options(call);
    permuting p = {0};
    char *const *operands;
    int n = tool_operands(call, &operands);
    pf_err err = pf_permuter_new(o->con.at, o->con.n, o->wm.at, o->wm.n, o->acceptor, &p.permuter);
    if (!err) err = toolfst_sink_open(call, &p.sink);
    if (!err) err = toolmap_read(call, n, operands, &steps, &p, &p.failed);
    if (!err) err = pf_permuter_end(p.permuter);
    if (!err) err = toolfst_sink_close(&p.sink);
    toolfst_sink_free(&p.sink);
    pf_permuter_free(p.permuter);
    return tool_status(call, err, p.failed, false);
}

const tool lazyperm = {
    .name = "lazyperm",
    .summary = "Permute sentences and other linear automata on demand, under constraints and weights",
    .forms = {"[FILE...]"},
    .options = rows,
    .size = sizeof(permute_settings),
    .run = run,
    .examples = {"permcompile sentences.de | lazyperm -c ibm:4 -w monotone:0.7 > permuted.fst",
                 "lazyperm -c list"},
    .passes_on = true,
};

TOOL_MAIN(lazyperm);
