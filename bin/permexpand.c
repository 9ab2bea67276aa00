/* permexpand: any record as an ordinary automaton, which every OpenFst tool reads. */
#include "toolmap.h"

#include <string.h>

static uint64_t max_states;
static const char *backoff, *arc_type, *symbols;

static const tool_option options[] = {
    {.name = "max-states", .kind = TOOL_NUMBER, .to = &max_states, .metavar = "N", .min = 1, .max = UINT64_MAX,
     .help = "stop with an error at more than N states"},
    {.name = "backoff", .kind = TOOL_TEXT, .to = &backoff, .metavar = "HOW",
     .help = "back-off arcs of a model: phi:SYMBOL (exact, for a composition that knows failure arcs) or epsilon (approximate)"},
    {.name = "arc-type", .kind = TOOL_CHOICE, .to = &arc_type, .metavar = "TYPE", .words = toolfst_arc_types,
     .help = "arc type to write: standard, log or log64 [that of the input]"},
    {.name = "symbols", .kind = TOOL_FILE, .to = &symbols, .metavar = "FILE",
     .help = "renumber the words as this symbol table does, and carry it whole"},
    TOOLFST_FAR,
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOLFST_RECORDS,
    TOOLFST_OUTPUT,
    {0},
};

static const tool permexpand = {
    .name = "permexpand",
    .operands = "[FILE...]",
    .summary = "Expand lazy automata and models to ordinary automata",
    .options = options,
    .max_operands = SIZE_MAX,
};

static pf_symtab *fixed; /* --symbols */

static pf_err expand_model(pf_blob *blob, pf_fst **out) {
    const pf_model *model;
    if (!backoff) return pf_fail(PF_EARG, "a model needs --backoff=phi:SYMBOL or --backoff=epsilon");
    PF_TRY(pf_open_model(blob, &model));
    if (strcmp(backoff, "epsilon") == 0) {
        tool_say("warning: back-off arcs that are epsilons are approximate: a listed n-gram does not bar its back-off");
        return model->cls->expand(model->self, PF_EPSILON, NULL, out);
    }
    if (strncmp(backoff, "phi:", 4) != 0 || !backoff[4])
        return pf_fail(PF_EARG, "--backoff: expected phi:SYMBOL or epsilon, found '%.60s'", backoff);
    return model->cls->expand(model->self, pf_symtab_largest(model->cls->words(model->self)) + 1, backoff + 4, out);
}

static pf_err expand_expr(toolmap_record *r, pf_fst **out) {
    const pf_expr *e = r->in;
    pf_fst *lazy;
    if (e->kind == PF_EXPR_MODEL) return expand_model(e->shared, out);
    if (backoff) return pf_fail(PF_EARG, "--backoff goes with models, found a '%s' record", pf_expr_kind_name(e->kind));
    PF_TRY(toolmap_open(r, &lazy));
    PF_TRY(pf_expand(lazy, max_states, out));
    tool_steps(TOOL_STATES, lazy->expanded);
    return PF_OK;
}

static pf_err renumber(pf_fst **fst) {
    pf_fst *old = *fst;
    pf_err err = pf_relabel(old, fixed, fst);
    pf_fst_free(old);
    return err;
}

static pf_err expand(void *self, toolmap_record *r) {
    pf_fst *fst;
    (void)self;
    PF_TRY(expand_expr(r, &fst));
    if (arc_type) pf_arc_type_find(arc_type, &fst->type);
    if (fixed) PF_TRY(renumber(&fst));
    return pf_expr_of_fst(fst, &r->out);
}

static pf_err put(void *self, toolmap_record *r) {
    toolfst_sink *sink = self;
    return r->out ? pf_stream_put(sink->stream, r->out, r->record) : toolfst_put_nothing(sink, r->record);
}

static int run(int n, char **operands) {
    static const toolmap_steps steps = {NULL, expand, put, NULL, false};
    toolfst_sink sink = {0};
    bool failed = false;
    toolfst.models = true;
    pf_err err = symbols ? toolfst_symbols(symbols, &fixed) : PF_OK;
    if (!err) err = toolfst_sink_open(&sink);
    if (!err) err = toolmap_read(n, operands, &steps, &sink, &failed);
    if (!err) err = toolfst_sink_close(&sink);
    toolfst_sink_free(&sink);
    pf_symtab_free(fixed);
    return err ? tool_trouble() : failed ? TOOL_TROUBLE : TOOL_DONE;
}

int main(int argc, char **argv) { return tool_main(&permexpand, argc, argv, run); }
