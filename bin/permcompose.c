/* permcompose: compositions as descriptions; the second operands are models and automata, taken in turn. */
#include "toolmap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    tool_common common;
    tool_reals scale, scale_first;
    const char *phi;
    bool by_name, no_unk;
} options;

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOL_FIRST_RECORD,
    TOOL_ISYMBOLS,
    TOOL_OSYMBOLS,
    TOOL_GROUP_OF("How it is composed"),
    {.letter = 's', .name = "scale", .kind = TOOL_REALS, .at = offsetof(options, scale), .metavar = "S,...",
     .help = "multiply the costs of the operands B by these numbers, one for each, in their order [1]"},
    {.name = "scale-first", .kind = TOOL_REALS, .at = offsetof(options, scale_first), .metavar = "S", .max = 1,
     .help = "multiply the costs of A [1]"},
    {.name = "phi", .kind = TOOL_TEXT, .at = offsetof(options, phi), .metavar = "LABEL",
     .help = "arcs that read LABEL, in any B, are failure arcs: they are taken if no other arc reads the word"},
    {.name = "no-unk", .kind = TOOL_FLAG, .at = offsetof(options, no_unk),
     .help = "make a word that a model lacks an error"},
    TOOL_KEEP_GOING("record"),
    TOOL_GROUP_OF("What is written"),
    {.name = "by-name", .kind = TOOL_FLAG, .at = offsetof(options, by_name), .excludes = "isymbols osymbols",
     .help = "write the path and the hash of a model, not its bytes"},
    TOOL_OUTPUT,
    {0},
};

/* One of the second operands. */
typedef struct {
    const char *path;
    double scale;
    pf_blob *shared;       /* when it serves all of A: a model or an ordinary automaton */
    pf_expr *single;       /* or a lazy one, written out each time */
    toolfst_source pairs;  /* else it has a record for each of A */
    pf_expr *queue[2];     /* those read ahead */
    bool fails;            /* shared or single: it has the failure symbol */
} operand;

typedef struct {
    tool_call *call;
    const options *o;
    toolfst_sink sink;
    operand *b;
    size_t n;
    bool phi_met; /* some operand has had the failure symbol */
    bool failed;  /* some record */
} composer;

/* ---- one record ---- */

static pf_err next_pair(operand *b, pf_expr **second) {
    *second = b->queue[0];
    if (!*second)
        return pf_fail(PF_EINPUT, "%s has fewer records than the first operand: it must have one record, or as many", b->path);
    b->queue[0] = b->queue[1];
    b->queue[1] = NULL;
    return b->queue[0] ? toolfst_next(&b->pairs, &b->queue[1]) : PF_OK;
}

/* What a record has of its own: one expression for each of the n operands that have one for each of A, NULL for others. */
typedef struct {
    size_t n;
    pf_expr *second[];
} pairs;

/* Taken before anything can fail, so that operands stay beside A. */
static pf_err take_pairs(composer *c, pairs **out) {
    pairs *own = *out = calloc(1, sizeof *own + c->n * sizeof *own->second);
    if (!own) return pf_nomem();
    own->n = c->n;
    for (size_t i = 0; i < c->n; i++)
        if (!c->b[i].shared && !c->b[i].single) PF_TRY(next_pair(&c->b[i], &own->second[i]));
    return PF_OK;
}

static void drop_pairs(void *self) {
    pairs *own = self;
    for (size_t i = 0; i < own->n; i++) pf_expr_free(own->second[i]);
    free(own);
}

/* Has an automaton the failure symbol? The composer notes whether any has. */
static bool fails(composer *c, const pf_expr *e) {
    bool yes = c->o->phi && pf_expr_reads(e, c->o->phi);
    c->phi_met = c->phi_met || yes;
    return yes;
}

/* *expr becomes its composition with one operand, or with its own record of it (`own`, else NULL). */
static pf_err compose_one(composer *c, operand *b, pf_expr *own, double first_scale, pf_expr **expr) {
    pf_expr *both;
    if (b->shared) PF_TRY(pf_expr_check_words(*expr, b->shared, c->o->no_unk));
    if (own && own->kind == PF_EXPR_MODEL)
        return pf_fail(PF_EINPUT, "expected an automaton in %s, found a model: a model must be alone in its file", b->path);
    pf_composing how = {{first_scale, b->scale}, (own ? fails(c, own) : b->fails) ? c->o->phi : NULL};
    if (b->shared) PF_TRY(pf_expr_compose_shared(*expr, b->shared, &how, &both));
    else PF_TRY(pf_expr_compose(*expr, own ? own : b->single, &how, &both));
    pf_expr_free(*expr);
    *expr = both;
    return PF_OK;
}

static pf_err compose(void *self, toolmap_record *r) {
    composer *c = self;
    pairs *own;
    const tool_reals *first = &c->o->scale_first;
    pf_err err = take_pairs(c, &own);
    r->own = own;
    if (!err && r->in->kind == PF_EXPR_MODEL)
        err = pf_fail(PF_EINPUT, "expected an automaton as the first operand, found a model");
    for (size_t i = 0; !err && i < c->n; i++)
        err = compose_one(c, &c->b[i], own->second[i], !i && first->n ? first->at[0] : 1, &r->in);
    return err;
}

static pf_err put(void *self, toolmap_record *r) {
    composer *c = self;
    if (r->failed) return toolfst_put_nothing(&c->sink, r->record);
    return pf_stream_put(c->sink.stream, r->in, r->record);
}

/* ---- operands ---- */

/* An operand of one record is for all of A. */
static pf_err open_b(composer *c, operand *b) {
    PF_TRY(toolfst_operand(c->call, b->path, &b->shared, &b->queue[0], &b->pairs));
    if (b->shared) return PF_OK;
    PF_TRY(toolfst_next(&b->pairs, &b->queue[1]));
    if (b->queue[1]) return PF_OK;
    b->single = b->queue[0];
    b->queue[0] = NULL;
    b->fails = fails(c, b->single);
    return b->single->kind == PF_EXPR_FST ? pf_blob_of_fst(b->single, &b->shared) : PF_OK;
}

static pf_err name_it(const operand *b) {
    struct stat there;
    if (!b->shared || stat(b->path, &there) != 0 || !S_ISREG(there.st_mode))
        return pf_fail(PF_EARG, "--by-name needs a model or a single automaton in a regular file; %s is not one", b->path);
    char *path = realpath(b->path, NULL);
    if (!path) return pf_nomem();
    pf_err err = pf_blob_by_name(b->shared, path);
    free(path);
    return err;
}

static pf_err check_scales(const options *o, size_t n) {
    const tool_reals *scale = &o->scale, *first = &o->scale_first;
    for (size_t i = 0; i < scale->n; i++)
        if (!pf_scale_fits(scale->at[i])) return pf_scale_too_large(scale->at[i]);
    if (first->n && !pf_scale_fits(first->at[0])) return pf_scale_too_large(first->at[0]);
    if (!scale->n || scale->n == n) return PF_OK;
    return pf_fail(PF_EARG, "--scale has %zu number%s for %zu operand%s after the first: it needs one for each", scale->n,
                   scale->n == 1 ? "" : "s", n, n == 1 ? "" : "s");
}

static pf_err no_phi(const char *phi) {
    return pf_fail(PF_EARG, "--phi: no automaton after the first has the symbol '%.100s'", phi);
}

static pf_err open_all(composer *c, size_t n, char *const *operands) {
    const options *o = c->o;
    bool paired = false;
    PF_TRY(check_scales(o, n));
    if (o->phi && !*o->phi) return pf_fail(PF_EARG, "--phi: expected a symbol, found ''");
    if (!(c->b = calloc(n, sizeof *c->b))) return pf_nomem();
    while (c->n < n) {
        size_t i = c->n++;
        operand *b = &c->b[i];
        b->path = operands[i];
        b->scale = o->scale.n ? o->scale.at[i] : 1;
        PF_TRY(open_b(c, b));
        if (o->by_name) PF_TRY(name_it(b));
        paired = paired || b->queue[0];
    }
    return o->phi && !c->phi_met && !paired ? no_phi(o->phi) : PF_OK;
}

/* What is there once A has ended. */
static pf_err check_end(const composer *c) {
    for (size_t i = 0; i < c->n; i++)
        if (c->b[i].queue[0])
            return pf_fail(PF_EINPUT, "%s has more records than the first operand: it must have one record, or as many",
                           c->b[i].path);
    return c->o->phi && !c->phi_met ? no_phi(c->o->phi) : PF_OK;
}

static void composer_free(composer *c) {
    toolfst_sink_free(&c->sink);
    for (size_t i = 0; i < c->n; i++) {
        operand *b = &c->b[i];
        toolfst_source_free(&b->pairs);
        pf_expr_free(b->single);
        pf_expr_free(b->queue[0]);
        pf_expr_free(b->queue[1]);
        pf_blob_free(b->shared);
    }
    free(c->b);
}

static int run(tool_call *call) {
    static const toolmap_steps steps = {NULL, compose, put, drop_pairs, false};
    composer c = {.call = call, .o = tool_options(call)};
    char *const *operands;
    int n = tool_operands(call, &operands);
    pf_err err = open_all(&c, (size_t)n - 1, operands + 1);
    if (!err) err = toolfst_sink_open(call, &c.sink);
    if (!err) err = toolmap_read(call, 1, operands, &steps, &c, &c.failed);
    if (!err) err = check_end(&c);
    if (!err) err = toolfst_sink_close(&c.sink);
    composer_free(&c);
    return err ? tool_trouble(call) : c.failed ? TOOL_TROUBLE : TOOL_DONE;
}

const tool permcompose = {
    .name = "permcompose",
    .operands = "A B...",
    .summary = "Compose each automaton of A with models and automata B, one after the other, on demand",
    .options = rows,
    .size = sizeof(options),
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .run = run,
    .examples = {"permcompose permuted.fst en.3gram.bin | permshortest | permprint",
                 "permcompose --scale=0.6,0.4 permuted.fst tuples.bin en.3gram.bin -o scored.fst"},
    .passes_on = true,
};

TOOL_MAIN(permcompose);
