/* Facts of each kind of record, found without expanding it; expanded where that is asked for. */
#include <permfst/verbs/describe.h>

#include <permfst/io/paths.h>
#include <permfst/ops/count.h>
#include <permfst/ops/open.h>
#include <permfst/permute/con.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const pf_describe_options *options;
    pf_writer *lines;
} description;

static pf_err say_text(const description *d, const char *key, const char *value) {
    return pf_writer_text(d->lines, "%s%s\t%s\n", d->options->prefix ? d->options->prefix : "", key, value);
}

static pf_err say(const description *d, const char *key, const char *format, ...) PF_PRINTF(3, 4);
static pf_err say(const description *d, const char *key, const char *format, ...) {
    char value[4300];
    va_list ap;
    va_start(ap, format);
    vsnprintf(value, sizeof value, format, ap);
    va_end(ap);
    return say_text(d, key, value);
}

static pf_err say_number(const description *d, const char *key, const mpz_t x) {
    char *digits = malloc(mpz_sizeinbase(x, 10) + 2);
    pf_err err = digits ? say_text(d, key, mpz_get_str(digits, 10, x)) : pf_nomem();
    free(digits);
    return err;
}

static pf_err say_counts(const description *d, pf_fst *f) {
    pf_count c;
    PF_TRY(pf_count_all(f, d->options->max_states, &c));
    if (d->options->progress) d->options->progress(d->options->self, c.states);
    pf_err err = say(d, "states", "%llu", (unsigned long long)c.states);
    if (!err) err = say(d, "arcs", "%llu", (unsigned long long)c.arcs);
    if (!err) err = say(d, "final states", "%llu", (unsigned long long)c.finals);
    if (!err && c.cyclic) err = say(d, "paths", "infinite (cyclic)");
    else if (!err) err = say_text(d, "paths", c.paths);
    pf_count_free(&c);
    return err;
}

static pf_err say_symbols(const description *d, const pf_fst *f) {
    if (f->isyms) PF_TRY(say(d, "input symbols", "%zu", pf_symtab_count(f->isyms)));
    if (f->osyms) PF_TRY(say(d, "output symbols", "%zu", pf_symtab_count(f->osyms)));
    return PF_OK;
}

static pf_err say_fst(const description *d, pf_fst *f) {
    PF_TRY(say(d, "arc type", "%s", pf_arc_type_name(f->type)));
    PF_TRY(say_symbols(d, f));
    return say_counts(d, f);
}

/* The closed forms, before anything is built. */
static pf_err say_expected(const description *d, const pf_con *con) {
    pf_con_size size;
    pf_con_size_init(&size);
    pf_con_size_of(con, &size);
    pf_err err = PF_OK;
    if (size.machine) err = say_number(d, "expected states", size.states);
    if (!err && size.machine) err = say_number(d, "expected arcs", size.arcs);
    if (!err && size.count) err = say_number(d, "expected permutations", size.paths);
    pf_con_size_clear(&size);
    return err;
}

static pf_err say_space(const description *d, const pf_perm_spec *spec, const pf_con *con) {
    PF_TRY(say(d, "words", "%u", con->n));
    for (size_t k = 0; k < spec->n_con; k++) PF_TRY(say(d, "constraint", "%s", spec->con[k]));
    if (!spec->n_con) PF_TRY(say(d, "constraint", "none"));
    for (size_t k = 0; k < spec->n_wm; k++) PF_TRY(say(d, "weight", "%s", spec->wm[k].spec));
    if (con->looks_ahead) PF_TRY(say(d, "look-ahead", "yes: without it, this combination could have dead ends"));
    return say_expected(d, con);
}

static pf_err say_perm(const description *d, pf_expr *e) {
    pf_opened *perm;
    PF_TRY(pf_open(e, &perm));
    pf_err err = say_space(d, &e->spec, pf_fst_space(pf_opened_fst(perm)));
    pf_opened_free(perm);
    return err;
}

static pf_err say_blob(const description *d, pf_blob *b) {
    unsigned char bytes[PF_HASH_BYTES];
    char hash[2 * PF_HASH_BYTES + 1];
    PF_TRY(pf_blob_hash(b, bytes));
    for (size_t k = 0; k < PF_HASH_BYTES; k++) snprintf(hash + 2 * k, 3, "%02x", bytes[k]);
    PF_TRY(say(d, "model class", "%s", pf_blob_class(b)));
    if (pf_blob_path(b)) PF_TRY(say(d, "model file", "%s", pf_blob_path(b)));
    return say(d, "model hash", "%s", hash);
}

/* Lines "key TAB value" that the library has written. */
static pf_err say_lines(const description *d, const pf_writer *lines) {
    size_t n;
    const char *at = (const char *)pf_writer_bytes(lines, &n), *end = at + n;
    pf_err err = PF_OK;
    for (const char *lf; !err && at < end && (lf = memchr(at, '\n', (size_t)(end - at))); at = lf + 1)
        err = pf_writer_text(d->lines, "%s%.*s\n", d->options->prefix ? d->options->prefix : "", (int)(lf - at), at);
    return err;
}

static pf_err say_model(const description *d, pf_blob *b) {
    const pf_model *m;
    pf_writer *lines;
    PF_TRY(say_blob(d, b));
    PF_TRY(pf_open_model(b, &m));
    PF_TRY(pf_writer_memory(&lines));
    m->cls->describe(m->self, lines);
    pf_err err = say_lines(d, lines);
    pf_writer_free(lines);
    return err;
}

static pf_err say_answer(const description *d, const pf_answer *a) {
    pf_writer *lines;
    PF_TRY(pf_writer_memory(&lines));
    pf_err err = pf_answer_describe(a, lines);
    if (!err) err = say_lines(d, lines);
    pf_writer_free(lines);
    return err;
}

static pf_err say_expr(const description *d, pf_expr *e);

/* In the fewest digits that read back to the same number. */
static pf_err say_scale(const description *d, const char *key, double scale) {
    char digits[40];
    for (int n = 1; n <= 17; n++) {
        snprintf(digits, sizeof digits, "%.*g", n, scale);
        if (strtod(digits, NULL) == scale) break;
    }
    return scale == 1 ? PF_OK : say(d, key, "%s", digits);
}

static pf_err say_compose(const description *d, pf_expr *e) {
    PF_TRY(say(d, "first operand", "%s", pf_expr_kind_name(e->first->kind)));
    PF_TRY(say_scale(d, "first scale", e->scale[0]));
    PF_TRY(say_expr(d, e->first));
    PF_TRY(say(d, "second operand", "%s", e->second ? pf_expr_kind_name(e->second->kind) : pf_blob_class(e->shared)));
    PF_TRY(say_scale(d, "second scale", e->scale[1]));
    if (e->phi) PF_TRY(say(d, "failure symbol", "%s", e->phi));
    return e->second ? say_expr(d, e->second) : say_blob(d, e->shared);
}

static pf_err say_expr(const description *d, pf_expr *e) {
    switch (e->kind) {
    case PF_EXPR_FST: return say_fst(d, e->fst);
    case PF_EXPR_PERM: return say_perm(d, e);
    case PF_EXPR_COMPOSE: return say_compose(d, e);
    case PF_EXPR_MODEL: return say_model(d, e->shared);
    case PF_EXPR_BEST: return say_answer(d, e->answer);
    }
    return PF_OK;
}

/* What looking ahead has cost, after the expansion. */
static pf_err say_probes(const description *d, const pf_fst *f) {
    const pf_con *con = pf_fst_space(f);
    if (!con || !con->looks_ahead) return PF_OK;
    return say(d, "states looked ahead", "%llu", (unsigned long long)pf_con_probes(con));
}

static bool is_lazy(const pf_expr *e) { return e->kind == PF_EXPR_PERM || e->kind == PF_EXPR_COMPOSE; }

static pf_err say_expanded(const description *d, pf_expr *e) {
    pf_opened *opened;
    PF_TRY(pf_open(e, &opened));
    pf_fst *fst = pf_opened_fst(opened);
    pf_fst_watch(fst, d->options->progress, d->options->self);
    pf_err err = say_counts(d, fst);
    if (!err) err = say_probes(d, fst);
    pf_opened_free(opened);
    return err;
}

pf_err pf_expr_describe(pf_expr *e, const pf_describe_options *options, pf_writer *lines) {
    description d = {options, lines};
    PF_TRY(say(&d, "record", "%s", pf_expr_kind_name(e->kind)));
    PF_TRY(say_expr(&d, e));
    return options->count && is_lazy(e) ? say_expanded(&d, e) : PF_OK;
}
