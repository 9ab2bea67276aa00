/* permcompose: compositions as descriptions; the second operands are models and automata, taken in turn. */
#include "toolmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    tool_common common;
    tool_reals scale, scale_first;
    const char *phi;
    bool by_name, no_unk;
} compose_settings;

#define AT(FIELD) offsetof(compose_settings, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOL_OF_RECORDS,
    TOOL_GROUP_OF("How it is composed"),
    {'s', "scale", TOOL_REALS, AT(scale), "S,...",
     .help = "multiply the costs of B by these numbers [1]"},
    {0, "scale-first", TOOL_REALS, AT(scale_first), "S", .max = 1, .help = "multiply the costs of A [1]"},
    {0, "phi", TOOL_TEXT, AT(phi), "LABEL",
     .help = "arcs of B that read LABEL are failure arcs"},
    {0, "no-unk", TOOL_FLAG, AT(no_unk), .help = "fail on a word that a model lacks"},
    TOOL_KEEP_GOING("record"),
    TOOL_GROUP_OF("What is written"),
    {0, "by-name", TOOL_FLAG, AT(by_name), .excludes = "isymbols osymbols",
     .help = "write where models are, not their bytes"},
    TOOL_OUTPUT,
    {0},
};

static pf_err name_it(pf_blob *shared, const char *file) {
    struct stat there = {0};
    if (shared && strcmp(file, "-") != 0 && stat(file, &there) != 0) return pf_fail(PF_EIO, "%s: %s", file, strerror(errno));
    if (!shared || !S_ISREG(there.st_mode))
        return pf_fail(PF_EARG, "--by-name needs a model or a single automaton in a regular file; %s is not one", file);
    char *path = realpath(file, NULL);
    if (!path) return pf_fail(PF_EIO, "%s: %s", file, strerror(errno));
    pf_err err = pf_blob_by_name(shared, path);
    free(path);
    return err;
}

static pf_err open_operand(tool_call *call, pf_operands *operands, size_t place, const char *path) {
    const compose_settings *options = tool_options(call);
    double scale = options->scale.n ? options->scale.at[place] : 1;
    pf_blob *model;
    pf_expr *first;
    pf_source *more;
    PF_TRY(toolfst_operand(call, path, &model, &first, &more));
    pf_err err = model ? pf_operands_add_model(operands, scale, model) : pf_operands_add_source(operands, path, scale, first, more);
    pf_blob_free(model);
    pf_expr_free(first);
    if (err || !options->by_name) return err;
    return name_it(pf_operands_shared(operands, place), path);
}

static pf_err check_options(const compose_settings *options, size_t operands) {
    if (options->scale.n && options->scale.n != operands)
        return pf_fail(PF_EARG, "--scale has %zu number%s for %zu operand%s after the first: it needs one for each",
                       options->scale.n, pf_plural(options->scale.n), operands, pf_plural(operands));
    return options->phi && !*options->phi ? pf_fail(PF_EARG, "--phi: expected a symbol, found ''") : PF_OK;
}

static pf_err check_phi(const pf_operands *list) {
    pf_err err = pf_operands_check_phi(list);
    return err ? pf_fail_in(err, "--phi: ") : PF_OK;
}

static pf_err open_all(tool_call *call, pf_operands *list, size_t count, const char *const *operands) {
    for (size_t i = 0; i < count; i++) PF_TRY(open_operand(call, list, i, operands[i]));
    return check_phi(list);
}

/* An operand with many records may have had the symbol of --phi in any of them. */
static pf_err end(void *list) {
    PF_TRY(pf_operands_end(list));
    return check_phi(list);
}

static int run(tool_call *call) {
    const compose_settings *options = tool_options(call);
    const pf_operands_options how = {options->scale_first.n ? options->scale_first.at[0] : 1, options->phi, options->no_unk};
    pf_operands *list = NULL;
    const char *const *operands;
    size_t count = (size_t)tool_operands(call, &operands) - 1;
    pf_err err = check_options(options, count);
    if (!err) err = pf_operands_new(&how, &list);
    if (!err) err = open_all(call, list, count, operands + 1);
    if (!err) err = toolmap_records(call, 1, operands, &pf_operands_steps, list, end);
    pf_operands_free(list);
    return tool_status(call, err, false);
}

const tool permcompose = {
    .name = "permcompose",
    .summary = "Compose each automaton of A with models and automata B, on demand",
    .forms = {"A B..."},
    .options = rows,
    .size = sizeof(compose_settings),
    .run = run,
    .examples = {"permcompose permuted.fst en.3gram.bin | permshortest | permprint",
                 "permcompose --scale=0.6,0.4 permuted.fst tuples.bin en.3gram.bin -o scored.fst"},
    .passes_on = true,
};

TOOL_MAIN(permcompose);
