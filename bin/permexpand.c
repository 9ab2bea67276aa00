/* permexpand: any record as an ordinary automaton, which every OpenFst tool reads. */
#include "toolmap.h"
#include "toolprogress.h"
#include "toolsearch.h"

#include <string.h>

typedef struct {
    tool_common common;
    const char *backoff, *symbols;
    int arc_type; /* a place in tool_arc_types */
} expand_settings;

#define AT(FIELD) offsetof(expand_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOL_OF_RECORDS,
    TOOL_GROUP_OF("What is expanded"),
    TOOL_MAX_STATES(NULL, "fail if an automaton has more than N states"),
    {0, "backoff", TOOL_TEXT, AT(backoff), "HOW",
     .help = "what back-off arcs read: phi:SYMBOL, or epsilon (which is approximate)"},
    {0, "symbols", TOOL_FILE, AT(symbols), "FILE",
     .help = "number the words as in FILE, and write all of it"},
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOL_GROUP_OF("What is written"),
    {0, "arc-type", TOOL_CHOICE, AT(arc_type), "TYPE", .words = tool_arc_types,
     .help = "write standard, log or log64 weights [that of the input]"},
    TOOL_FAR(NULL),
    TOOL_NUMBER_KEYS,
    TOOL_OUTPUT,
    {0},
};

/* --backoff, which a model needs and no other record has. */
static pf_err read_backoff(tool_call *call, const pf_expr *expr, pf_expand_options *to) {
    const char *backoff = ((const expand_settings *)tool_options(call))->backoff;
    if (expr->kind != PF_EXPR_MODEL)
        return backoff ? pf_fail(PF_EARG, "--backoff needs a model, found a '%s' record", pf_expr_kind_name(expr->kind)) : PF_OK;
    if (!backoff) return pf_fail(PF_EARG, "a model needs --backoff=phi:SYMBOL or --backoff=epsilon");
    to->backoff = strcmp(backoff, "epsilon") == 0 ? PF_BACKOFF_EPSILON : PF_BACKOFF_PHI;
    to->phi = backoff + 4;
    if (to->backoff == PF_BACKOFF_EPSILON)
        tool_warn(call, "back-off by epsilon arcs is approximate: it is also taken where an n-gram is listed");
    else if (strncmp(backoff, "phi:", 4) != 0 || !backoff[4])
        return pf_fail(PF_EARG, "--backoff: expected phi:SYMBOL or epsilon, found '%.60s'", backoff);
    return PF_OK;
}

/* What the records share. */
typedef struct {
    pf_symtab *table; /* NULL: each has its own */
    pf_moves_store *moves;
} expanding;

static pf_err expand(void *self, pf_record *record) {
    const expanding *task = self;
    const expand_settings *options = tool_options(record->call);
    pf_expand_options how = {.max_states = options->common.max_states, .table = task->table, .progress = tool_states,
                             .self = record->call, .moves = task->moves};
    PF_TRY(read_backoff(record->call, record->in, &how));
    how.retype = options->arc_type != TOOL_NOT_GIVEN;
    if (how.retype) pf_arc_type_find(tool_arc_types[options->arc_type], &how.type);
    return pf_expr_expand(record->in, &how, &record->out);
}

static int run(tool_call *call) {
    static const pf_record_steps steps = {.work = expand};
    const expand_settings *options = tool_options(call);
    expanding task = {0};
    const char *const *operands;
    int count = tool_operands(call, &operands);
    pf_err err = pf_moves_store_new(TOOL_MOVES_BYTES, &task.moves);
    if (!err) err = toolfst_symbols(call, options->symbols, &task.table);
    if (!err) err = toolmap_records(call, count, operands, &steps, &task, NULL);
    pf_symtab_free(task.table);
    pf_moves_store_free(task.moves);
    return tool_status(call, err, false);
}

const tool permexpand = {
    .name = "permexpand",
    .summary = "Expand lazy automata and models to ordinary automata",
    .forms = {"[FILE...]"},
    .options = rows,
    .size = sizeof(expand_settings),
    .defaults = &(const expand_settings){.arc_type = TOOL_NOT_GIVEN},
    .run = run,
    .examples = {"echo a b c | permcompile | lazyperm -c ibm:2 | permexpand | fstprint",
                 "permexpand --backoff='phi:<phi>' en.3gram.arpa > en.fst"},
    .models = true,
};

TOOL_MAIN(permexpand);
