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

typedef struct {
    tool_call *call;
    const compose_settings *o;
    pf_operands *operands;
    pf_source **sources; /* of the operands that have a record for each of A */
    size_t n;
} composer;

/* ---- one record ---- */

/* Taken before anything can fail, so that operands stay beside A. */
static pf_err take(void *self, pf_record *r) {
    composer *c = self;
    pf_operand_records *own;
    pf_err err = pf_operands_take(c->operands, &own);
    r->own = own;
    return err;
}

static pf_err compose(void *self, pf_record *r) {
    const composer *c = self;
    return pf_operands_compose(c->operands, r->own, r->in, &r->out);
}

static void drop(void *own) { pf_operand_records_free(own); }

/* ---- operands ---- */

static pf_err next_record(void *source, pf_expr **out) { return pf_source_next(source, out); }

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

static pf_err open_operand(composer *c, size_t i, const char *path) {
    double scale = c->o->scale.n ? c->o->scale.at[i] : 1;
    pf_blob *model;
    pf_expr *first;
    PF_TRY(toolfst_operand(c->call, path, &model, &first, &c->sources[i]));
    pf_err err = model ? pf_operands_add_model(c->operands, scale, model)
                       : pf_operands_add(c->operands, path, scale, first, next_record, c->sources[i]);
    pf_blob_free(model);
    pf_expr_free(first);
    if (err || !c->o->by_name) return err;
    return name_it(pf_operands_shared(c->operands, i), path);
}

static pf_err check_phi(const composer *c) {
    if (!pf_operands_lack_phi(c->operands)) return PF_OK;
    return pf_fail(PF_EARG, "--phi: no automaton after the first has the symbol '%.100s'", c->o->phi);
}

static pf_err open_all(composer *c, size_t n, char *const *operands) {
    const compose_settings *o = c->o;
    pf_operands_options how = {o->scale_first.n ? o->scale_first.at[0] : 1, o->phi, o->no_unk};
    if (o->scale.n && o->scale.n != n)
        return pf_fail(PF_EARG, "--scale has %zu number%s for %zu operand%s after the first: it needs one for each", o->scale.n,
                       o->scale.n == 1 ? "" : "s", n, n == 1 ? "" : "s");
    if (o->phi && !*o->phi) return pf_fail(PF_EARG, "--phi: expected a symbol, found ''");
    if (!(c->sources = calloc(n, sizeof *c->sources))) return pf_nomem();
    c->n = n;
    PF_TRY(pf_operands_new(&how, &c->operands));
    for (size_t i = 0; i < n; i++) PF_TRY(open_operand(c, i, operands[i]));
    return check_phi(c);
}

/* An operand with many records may have had the symbol of --phi in any of them. */
static pf_err end(void *self) {
    const composer *c = self;
    PF_TRY(pf_operands_end(c->operands));
    return check_phi(c);
}

static int run(tool_call *call) {
    static const pf_record_steps steps = {take, compose, NULL, drop, false};
    composer c = {.call = call, .o = tool_options(call)};
    char *const *operands;
    int n = tool_operands(call, &operands);
    pf_err err = open_all(&c, (size_t)n - 1, operands + 1);
    if (!err) err = toolmap_records(call, 1, operands, &steps, &c, end);
    pf_operands_free(c.operands);
    for (size_t i = 0; i < c.n; i++) pf_source_free(c.sources[i]);
    free(c.sources);
    return tool_status(call, err, false);
}

const tool permcompose = {
    .name = "permcompose",
    .summary = "Compose each automaton of A with models and automata B, one after the other, on demand",
    .forms = {"A B..."},
    .options = rows,
    .size = sizeof(compose_settings),
    .run = run,
    .examples = {"permcompose permuted.fst en.3gram.bin | permshortest | permprint",
                 "permcompose --scale=0.6,0.4 permuted.fst tuples.bin en.3gram.bin -o scored.fst"},
    .passes_on = true,
};

TOOL_MAIN(permcompose);
