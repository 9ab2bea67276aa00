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

pf_table pf_describe_columns(pf_table_format format) {
    static const pf_table_heading_cell columns[] = {{"record", -6}, {"key", 20}, {"value", 0}};
    return PF_TABLE_OF(columns, format);
}

/* Digits, and what JSON allows around them. */
static bool is_number(const char *words) {
    size_t whole = strspn(words += *words == '-', "0123456789");
    if (!whole || (*words == '0' && whole > 1)) return false;
    size_t part = words[whole] == '.' ? strspn(words + whole + 1, "0123456789") : 0;
    return !words[whole + (part ? part + 1 : 0)];
}

static pf_err say_cells(const description *to, const char *key, const char *value, bool number) {
    pf_table_line line = pf_table_begin(to->options->table, to->lines);
    PF_TRY(pf_cell_whole(&line, to->options->record));
    PF_TRY(pf_cell_text(&line, key));
    return number ? pf_cell_digits(&line, value) : pf_cell_text(&line, value);
}

static pf_err say_value(const description *to, const char *key, const char *value, bool number) {
    if (to->options->table) return say_cells(to, key, value, number);
    return pf_writer_text(to->lines, "%s%s\t%s\n", to->options->prefix ? to->options->prefix : "", key, value);
}

static pf_err say_text(const description *to, const char *key, const char *value) { return say_value(to, key, value, false); }

static pf_err say(const description *to, const char *key, const char *format, ...) PF_PRINTF(3, 4);
static pf_err say(const description *to, const char *key, const char *format, ...) {
    char value[4300];
    va_list ap;
    va_start(ap, format);
    vsnprintf(value, sizeof value, format, ap);
    va_end(ap);
    return say_text(to, key, value);
}

static pf_err say_count(const description *to, const char *key, uint64_t number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    return say_value(to, key, digits, true);
}

static pf_err say_number(const description *to, const char *key, const mpz_t number) {
    char *digits = malloc(mpz_sizeinbase(number, 10) + 2);
    pf_err err = digits ? say_value(to, key, mpz_get_str(digits, 10, number), true) : pf_nomem();
    free(digits);
    return err;
}

static pf_err say_counts(const description *to, pf_fst *fst) {
    pf_count count;
    PF_TRY(pf_count_all(fst, to->options->max_states, &count));
    if (to->options->progress) to->options->progress(to->options->self, count.states);
    pf_err err = say_count(to, "states", count.states);
    if (!err) err = say_count(to, "arcs", count.arcs);
    if (!err) err = say_count(to, "final states", count.finals);
    if (!err && count.cyclic) err = say(to, "paths", "infinite (cyclic)");
    else if (!err) err = say_value(to, "paths", count.paths, true);
    pf_count_free(&count);
    return err;
}

static pf_err say_symbols(const description *to, const pf_fst *fst) {
    if (fst->isyms) PF_TRY(say_count(to, "input symbols", pf_symtab_count(fst->isyms)));
    if (fst->osyms) PF_TRY(say_count(to, "output symbols", pf_symtab_count(fst->osyms)));
    return PF_OK;
}

static pf_err say_fst(const description *to, pf_fst *fst) {
    PF_TRY(say(to, "arc type", "%s", pf_arc_type_name(fst->type)));
    PF_TRY(say_symbols(to, fst));
    return say_counts(to, fst);
}

/* The closed forms, before anything is built. */
static pf_err say_expected(const description *to, const pf_con *con) {
    pf_con_size size;
    pf_con_size_init(&size);
    pf_con_size_of(con, &size);
    pf_err err = PF_OK;
    if (size.machine) err = say_number(to, "expected states", size.states);
    if (!err && size.machine) err = say_number(to, "expected arcs", size.arcs);
    if (!err && size.count) err = say_number(to, "expected permutations", size.paths);
    pf_con_size_clear(&size);
    return err;
}

static pf_err say_space(const description *to, const pf_perm_spec *spec, const pf_con *con) {
    if (con) PF_TRY(say_count(to, "words", con->n));
    for (size_t k = 0; k < spec->n_con; k++) PF_TRY(say(to, "constraint", "%s", spec->con[k]));
    if (!spec->n_con) PF_TRY(say(to, "constraint", "none"));
    for (size_t k = 0; k < spec->n_wm; k++) PF_TRY(say(to, "weight", "%s", spec->wm[k].spec));
    if (con && con->looks_ahead) PF_TRY(say(to, "look-ahead", "yes: without it, this combination could have dead ends"));
    return con ? say_expected(to, con) : say_text(to, "input", "a word graph");
}

static pf_err say_perm(const description *to, pf_expr *expr) {
    pf_opened *perm;
    PF_TRY(pf_open(expr, &perm));
    pf_err err = say_space(to, &expr->spec, pf_fst_space(pf_opened_fst(perm)));
    pf_opened_free(perm);
    return err;
}

static pf_err say_blob(const description *to, pf_blob *blob) {
    unsigned char bytes[PF_HASH_BYTES];
    char hash[2 * PF_HASH_BYTES + 1];
    PF_TRY(pf_blob_hash(blob, bytes));
    for (size_t k = 0; k < PF_HASH_BYTES; k++) snprintf(hash + 2 * k, 3, "%02x", bytes[k]);
    PF_TRY(say(to, "model class", "%s", pf_blob_class(blob)));
    if (pf_blob_path(blob)) PF_TRY(say(to, "model file", "%s", pf_blob_path(blob)));
    return say(to, "model hash", "%s", hash);
}

/* Lines "key TAB value" that the library has written, each value a number or a word of its own. */
static pf_err say_lines(const description *to, pf_writer *lines) {
    size_t n;
    PF_TRY(pf_writer_put(lines, "", 1));
    char *text = strdup((const char *)pf_writer_bytes(lines, &n));
    if (!text) return pf_nomem();
    pf_err err = PF_OK;
    for (char *at = text, *lf, *tab; !err && (lf = strchr(at, '\n')) && (tab = memchr(at, '\t', (size_t)(lf - at))); at = lf + 1) {
        *lf = *tab = 0;
        err = say_value(to, at, tab + 1, is_number(tab + 1));
    }
    free(text);
    return err;
}

static pf_err say_model(const description *to, pf_blob *blob) {
    const pf_model *model;
    pf_writer *lines;
    PF_TRY(say_blob(to, blob));
    PF_TRY(pf_open_model(blob, &model));
    PF_TRY(pf_writer_memory(&lines));
    model->cls->describe(model->self, lines);
    pf_err err = say_lines(to, lines);
    pf_writer_free(lines);
    return err;
}

static pf_err say_answer(const description *to, const pf_answer *answer) {
    pf_writer *lines;
    PF_TRY(pf_writer_memory(&lines));
    pf_err err = pf_answer_describe(answer, lines);
    if (!err) err = say_lines(to, lines);
    pf_writer_free(lines);
    return err;
}

static pf_err say_expr(const description *to, pf_expr *expr);

/* In the fewest digits that read back to the same number. */
static pf_err say_scale(const description *to, const char *key, double scale) {
    char digits[40];
    for (int n = 1; n <= 17; n++) {
        snprintf(digits, sizeof digits, "%.*g", n, scale);
        if (strtod(digits, NULL) == scale) break;
    }
    return scale == 1 ? PF_OK : say_value(to, key, digits, is_number(digits));
}

static pf_err say_compose(const description *to, pf_expr *expr) {
    PF_TRY(say(to, "first operand", "%s", pf_expr_kind_name(expr->first->kind)));
    PF_TRY(say_scale(to, "first scale", expr->scale[0]));
    PF_TRY(say_expr(to, expr->first));
    PF_TRY(say(to, "second operand", "%s",
        expr->second ? pf_expr_kind_name(expr->second->kind) : pf_blob_class(expr->shared)));
    PF_TRY(say_scale(to, "second scale", expr->scale[1]));
    if (expr->phi) PF_TRY(say(to, "failure symbol", "%s", expr->phi));
    return expr->second ? say_expr(to, expr->second) : say_blob(to, expr->shared);
}

static pf_err say_expr(const description *to, pf_expr *expr) {
    switch (expr->kind) {
    case PF_EXPR_FST: return say_fst(to, expr->fst);
    case PF_EXPR_PERM: return say_perm(to, expr);
    case PF_EXPR_COMPOSE: return say_compose(to, expr);
    case PF_EXPR_MODEL: return say_model(to, expr->shared);
    case PF_EXPR_BEST: return say_answer(to, expr->answer);
    }
    return PF_OK;
}

/* What looking ahead has cost, after the expansion. */
static pf_err say_probes(const description *to, const pf_fst *fst) {
    const pf_con *con = pf_fst_space(fst);
    if (!con || !con->looks_ahead) return PF_OK;
    return say_count(to, "states looked ahead", pf_con_probes(con));
}

static bool is_lazy(const pf_expr *expr) { return expr->kind == PF_EXPR_PERM || expr->kind == PF_EXPR_COMPOSE; }

static pf_err say_expanded(const description *to, pf_expr *expr) {
    pf_opened *opened;
    PF_TRY(pf_open(expr, &opened));
    pf_fst *fst = pf_opened_fst(opened);
    pf_fst_watch(fst, to->options->progress, to->options->self);
    pf_err err = say_counts(to, fst);
    if (!err) err = say_probes(to, fst);
    pf_opened_free(opened);
    return err;
}

pf_err pf_expr_describe(pf_expr *expr, const pf_describe_options *options, pf_writer *lines) {
    description to = {options, lines};
    PF_TRY(say(&to, "record", "%s", pf_expr_kind_name(expr->kind)));
    if (pf_expr_name(expr)) PF_TRY(say_text(&to, "name", pf_expr_name(expr)));
    if (options->no_checksum) PF_TRY(say(&to, "checksum", "none: a changed bit may pass unnoticed"));
    PF_TRY(say_expr(&to, expr));
    return options->count && is_lazy(expr) ? say_expanded(&to, expr) : PF_OK;
}
