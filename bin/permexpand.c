/* permexpand: any record as an ordinary automaton, which every OpenFst tool reads. */
#include "toolmap.h"
#include "toolprogress.h"

#include <string.h>

typedef struct {
    tool_common common;
    uint64_t max_states;
    const char *backoff, *symbols;
    int arc_type; /* a place in tool_arc_types */
} options;

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOL_FIRST_RECORD,
    TOOL_ISYMBOLS,
    TOOL_OSYMBOLS,
    TOOL_GROUP_OF("What is expanded"),
    {.name = "max-states", .kind = TOOL_NUMBER, .at = offsetof(options, max_states), .metavar = "N", .min = 1, .max = UINT64_MAX,
     .help = "fail if an automaton has more than N states"},
    {.name = "backoff", .kind = TOOL_TEXT, .at = offsetof(options, backoff), .metavar = "HOW",
     .help = "what the back-off arcs of a model read: phi:SYMBOL (exact in a composition that knows failure arcs) or "
             "epsilon (approximate)"},
    {.name = "symbols", .kind = TOOL_FILE, .at = offsetof(options, symbols), .metavar = "FILE",
     .help = "number the words as in this symbol table, and write the whole table"},
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOL_GROUP_OF("What is written"),
    {.name = "arc-type", .kind = TOOL_CHOICE, .at = offsetof(options, arc_type), .metavar = "TYPE", .words = tool_arc_types,
     .help = "the arc type to write: standard, log or log64 [that of the input]"},
    TOOL_FAR(NULL),
    TOOL_OUTPUT,
    {0},
};

static pf_err expand_model(tool_call *call, pf_blob *blob, pf_fst **out) {
    const char *backoff = ((const options *)tool_options(call))->backoff;
    const pf_model *model;
    if (!backoff) return pf_fail(PF_EARG, "a model needs --backoff=phi:SYMBOL or --backoff=epsilon");
    PF_TRY(pf_open_model(blob, &model));
    if (strcmp(backoff, "epsilon") == 0) {
        tool_warn(call, "back-off by epsilon arcs is approximate: it is also taken where an n-gram is listed");
        return model->cls->expand(model->self, PF_EPSILON, NULL, out);
    }
    if (strncmp(backoff, "phi:", 4) != 0 || !backoff[4])
        return pf_fail(PF_EARG, "--backoff: expected phi:SYMBOL or epsilon, found '%.60s'", backoff);
    return model->cls->expand(model->self, pf_symtab_largest(model->cls->words(model->self)) + 1, backoff + 4, out);
}

static pf_err expand_expr(toolmap_record *r, pf_fst **out) {
    const options *o = tool_options(r->call);
    const pf_expr *e = r->in;
    pf_fst *lazy;
    if (e->kind == PF_EXPR_MODEL) return expand_model(r->call, e->shared, out);
    if (o->backoff) return pf_fail(PF_EARG, "--backoff needs a model, found a '%s' record", pf_expr_kind_name(e->kind));
    PF_TRY(toolmap_open(r, &lazy));
    PF_TRY(pf_expand(lazy, o->max_states, out));
    tool_steps(r->call, TOOL_STATES, lazy->expanded);
    return PF_OK;
}

static pf_err renumber(pf_fst **fst, pf_symtab *fixed) {
    pf_fst *old = *fst;
    pf_err err = pf_relabel(old, fixed, fst);
    pf_fst_free(old);
    return err;
}

typedef struct {
    toolfst_sink sink;
    pf_symtab *fixed; /* --symbols */
    bool failed;
} expander;

static pf_err expand(void *self, toolmap_record *r) {
    const expander *x = self;
    const options *o = tool_options(r->call);
    pf_fst *fst;
    PF_TRY(expand_expr(r, &fst));
    if (o->arc_type != TOOL_NOT_GIVEN) pf_arc_type_find(tool_arc_types[o->arc_type], &fst->type);
    if (x->fixed) PF_TRY(renumber(&fst, x->fixed));
    return pf_expr_of_fst(fst, &r->out);
}

static pf_err put(void *self, toolmap_record *r) {
    expander *x = self;
    return r->out ? pf_stream_put(x->sink.stream, r->out, r->record) : toolfst_put_nothing(&x->sink, r->record);
}

static int run(tool_call *call) {
    static const toolmap_steps steps = {NULL, expand, put, NULL, false};
    const options *o = tool_options(call);
    char *const *operands;
    int n = tool_operands(call, &operands);
    expander x = {0};
    pf_err err = o->symbols ? toolfst_symbols(call, o->symbols, &x.fixed) : PF_OK;
    if (!err) err = toolfst_sink_open(call, &x.sink);
    if (!err) err = toolmap_read(call, n, operands, &steps, &x, &x.failed);
    if (!err) err = toolfst_sink_close(&x.sink);
    toolfst_sink_free(&x.sink);
    pf_symtab_free(x.fixed);
    return err ? tool_trouble(call) : x.failed ? TOOL_TROUBLE : TOOL_DONE;
}

const tool permexpand = {
    .name = "permexpand",
    .operands = "[FILE...]",
    .summary = "Expand lazy automata and models to ordinary automata",
    .options = rows,
    .size = sizeof(options),
    .defaults = &(const options){.arc_type = TOOL_NOT_GIVEN},
    .max_operands = SIZE_MAX,
    .run = run,
    .examples = {"echo a b c | permcompile | lazyperm -c ibm:2 | permexpand | fstprint",
                 "permexpand --backoff='phi:<phi>' en.3gram.arpa > en.fst"},
    .models = true,
};

TOOL_MAIN(permexpand);
