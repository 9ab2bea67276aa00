/* perminfo: what each record is, and how large it is or will be. */
#include "toolmap.h"
#include "toolprogress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    tool_common common;
    bool count;
    uint64_t max_states;
} options;

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOL_FIRST_RECORD,
    TOOL_ISYMBOLS,
    TOOL_OSYMBOLS,
    TOOL_GROUP_OF("What is counted"),
    {.letter = 'c', .name = "count", .kind = TOOL_FLAG, .at = offsetof(options, count),
     .help = "expand lazy automata, and count their states, arcs and paths exactly"},
    {.name = "max-states", .kind = TOOL_NUMBER, .at = offsetof(options, max_states), .metavar = "N", .min = 1, .max = UINT64_MAX,
     .help = "--count: fail if an automaton has more than N states"},
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOL_GROUP_OF("What is written"),
    TOOL_OUTPUT,
    {0},
};

typedef struct {
    tool_call *call;
    const options *o;
    pf_writer *w; /* what is to be printed */
    uint64_t record;
} informer;

static pf_err say(informer *i, const char *key, const char *format, ...) PF_PRINTF(3, 4);
static pf_err say(informer *i, const char *key, const char *format, ...) {
    char value[4300];
    va_list ap;
    va_start(ap, format);
    vsnprintf(value, sizeof value, format, ap);
    va_end(ap);
    return pf_writer_text(i->w, "%llu\t%s\t%s\n", (unsigned long long)i->record, key, value);
}

static pf_err say_number(informer *i, const char *key, const mpz_t x) {
    char *digits = malloc(mpz_sizeinbase(x, 10) + 2);
    if (!digits) return pf_nomem();
    pf_err err = pf_writer_text(i->w, "%llu\t%s\t%s\n", (unsigned long long)i->record, key, mpz_get_str(digits, 10, x));
    free(digits);
    return err;
}

static pf_err say_counts(informer *i, pf_fst *f) {
    pf_count c;
    PF_TRY(pf_count_all(f, i->o->max_states, &c));
    tool_steps(i->call, TOOL_STATES, c.states);
    pf_err err = say(i, "states", "%llu", (unsigned long long)c.states);
    if (!err) err = say(i, "arcs", "%llu", (unsigned long long)c.arcs);
    if (!err) err = say(i, "final states", "%llu", (unsigned long long)c.finals);
    if (!err && c.cyclic) err = say(i, "paths", "infinite (cyclic)");
    else if (!err) err = pf_writer_text(i->w, "%llu\tpaths\t%s\n", (unsigned long long)i->record, c.paths);
    pf_count_free(&c);
    return err;
}

static pf_err say_symbols(informer *i, const pf_fst *f) {
    if (f->isyms) PF_TRY(say(i, "input symbols", "%zu", pf_symtab_count(f->isyms)));
    if (f->osyms) PF_TRY(say(i, "output symbols", "%zu", pf_symtab_count(f->osyms)));
    return PF_OK;
}

static pf_err say_fst(informer *i, pf_fst *f) {
    PF_TRY(say(i, "arc type", "%s", pf_arc_type_name(f->type)));
    PF_TRY(say_symbols(i, f));
    return say_counts(i, f);
}

/* The closed forms, before anything is built. */
static pf_err say_expected(informer *i, const pf_con *con) {
    pf_con_size size;
    pf_con_size_init(&size);
    pf_con_size_of(con, &size);
    pf_err err = PF_OK;
    if (size.machine) err = say_number(i, "expected states", size.states);
    if (!err && size.machine) err = say_number(i, "expected arcs", size.arcs);
    if (!err && size.count) err = say_number(i, "expected permutations", size.paths);
    pf_con_size_clear(&size);
    return err;
}

static pf_err say_space(informer *i, const pf_perm_spec *spec, const pf_con *con) {
    PF_TRY(say(i, "words", "%u", con->n));
    for (size_t k = 0; k < spec->n_con; k++) PF_TRY(say(i, "constraint", "%s", spec->con[k]));
    if (!spec->n_con) PF_TRY(say(i, "constraint", "none"));
    for (size_t k = 0; k < spec->n_wm; k++) PF_TRY(say(i, "weight", "%s", spec->wm[k].spec));
    if (con->looks_ahead) PF_TRY(say(i, "look-ahead", "yes: without it, this combination could have dead ends"));
    return say_expected(i, con);
}

static pf_err say_perm(informer *i, pf_expr *e) {
    pf_opened *perm;
    PF_TRY(pf_open(e, &perm));
    pf_err err = say_space(i, &e->spec, pf_fst_space(pf_opened_fst(perm)));
    pf_opened_free(perm);
    return err;
}

static pf_err say_blob(informer *i, pf_blob *b) {
    unsigned char bytes[PF_HASH_BYTES];
    char hash[2 * PF_HASH_BYTES + 1];
    PF_TRY(pf_blob_hash(b, bytes));
    for (size_t k = 0; k < PF_HASH_BYTES; k++) snprintf(hash + 2 * k, 3, "%02x", bytes[k]);
    PF_TRY(say(i, "model class", "%s", pf_blob_class(b)));
    if (pf_blob_path(b)) PF_TRY(say(i, "model file", "%s", pf_blob_path(b)));
    return say(i, "model hash", "%s", hash);
}

/* Lines "key TAB value" that the library has written. */
static pf_err say_lines(informer *i, const pf_writer *lines) {
    size_t n;
    const char *at = (const char *)pf_writer_bytes(lines, &n), *end = at + n;
    pf_err err = PF_OK;
    for (const char *lf; !err && at < end && (lf = memchr(at, '\n', (size_t)(end - at))); at = lf + 1)
        err = pf_writer_text(i->w, "%llu\t%.*s\n", (unsigned long long)i->record, (int)(lf - at), at);
    return err;
}

static pf_err say_model(informer *i, pf_blob *b) {
    const pf_model *m;
    pf_writer *lines;
    PF_TRY(say_blob(i, b));
    PF_TRY(pf_open_model(b, &m));
    PF_TRY(pf_writer_memory(&lines));
    m->cls->describe(m->self, lines);
    pf_err err = say_lines(i, lines);
    pf_writer_free(lines);
    return err;
}

static pf_err say_answer(informer *i, const pf_answer *a) {
    pf_writer *lines;
    PF_TRY(pf_writer_memory(&lines));
    pf_err err = pf_answer_describe(a, lines);
    if (!err) err = say_lines(i, lines);
    pf_writer_free(lines);
    return err;
}

static pf_err say_expr(informer *i, pf_expr *e);

/* In the fewest digits that read back to the same number. */
static pf_err say_scale(informer *i, const char *key, double scale) {
    char digits[40];
    for (int n = 1; n <= 17; n++) {
        snprintf(digits, sizeof digits, "%.*g", n, scale);
        if (strtod(digits, NULL) == scale) break;
    }
    return scale == 1 ? PF_OK : say(i, key, "%s", digits);
}

static pf_err say_compose(informer *i, pf_expr *e) {
    PF_TRY(say(i, "first operand", "%s", pf_expr_kind_name(e->first->kind)));
    PF_TRY(say_scale(i, "first scale", e->scale[0]));
    PF_TRY(say_expr(i, e->first));
    PF_TRY(say(i, "second operand", "%s", e->second ? pf_expr_kind_name(e->second->kind) : pf_blob_class(e->shared)));
    PF_TRY(say_scale(i, "second scale", e->scale[1]));
    if (e->phi) PF_TRY(say(i, "failure symbol", "%s", e->phi));
    return e->second ? say_expr(i, e->second) : say_blob(i, e->shared);
}

static pf_err say_expr(informer *i, pf_expr *e) {
    switch (e->kind) {
    case PF_EXPR_FST: return say_fst(i, e->fst);
    case PF_EXPR_PERM: return say_perm(i, e);
    case PF_EXPR_COMPOSE: return say_compose(i, e);
    case PF_EXPR_MODEL: return say_model(i, e->shared);
    case PF_EXPR_BEST: return say_answer(i, e->answer);
    }
    return PF_OK;
}

/* What looking ahead has cost, after the expansion. */
static pf_err say_probes(informer *i, const pf_fst *f) {
    const pf_con *con = pf_fst_space(f);
    if (!con || !con->looks_ahead) return PF_OK;
    return say(i, "states looked ahead", "%llu", (unsigned long long)pf_con_probes(con));
}

static bool is_lazy(const pf_expr *e) { return e->kind == PF_EXPR_PERM || e->kind == PF_EXPR_COMPOSE; }

static pf_err inform(void *self, toolmap_record *r) {
    informer i = {r->call, tool_options(r->call), r->text, r->record};
    pf_fst *f;
    (void)self;
    PF_TRY(say(&i, "record", "%s", pf_expr_kind_name(r->in->kind)));
    PF_TRY(say_expr(&i, r->in));
    if (!i.o->count || !is_lazy(r->in)) return PF_OK;
    PF_TRY(toolmap_open(r, &f));
    PF_TRY(say_counts(&i, f));
    return say_probes(&i, f);
}

/* Lines have their record, so nothing stands for one that failed. */
static pf_err put(void *self, toolmap_record *r) { return toolmap_put_text(self, r, ""); }

static int run(tool_call *call) {
    static const toolmap_steps steps = {NULL, inform, put, .text = true};
    char *const *operands;
    int n = tool_operands(call, &operands);
    pf_writer *w = NULL;
    bool failed = false;
    pf_err err = toolfst_open_output(call, &w);
    if (!err) err = toolmap_read(call, n, operands, &steps, w, &failed);
    if (!err) err = toolfst_close_output(call, w);
    pf_writer_free(w);
    return err ? tool_trouble(call) : failed ? TOOL_TROUBLE : TOOL_DONE;
}

const tool perminfo = {
    .name = "perminfo",
    .operands = "[FILE...]",
    .summary = "Describe each record in lines of record number, key and value",
    .options = rows,
    .size = sizeof(options),
    .max_operands = SIZE_MAX,
    .run = run,
    .examples = {"echo a b c d | permcompile | lazyperm -c itg | perminfo", "perminfo --count composed.fst"},
    .models = true,
};

TOOL_MAIN(perminfo);
