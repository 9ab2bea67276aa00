/* A model with finite costs only changes no number of paths, so a space is counted in closed form, level by level or by trees where
 * that is possible; else the automaton is expanded. */
#include <permfst/verbs/count.h>

#include <permfst/chart/count.h>
#include <permfst/ops/count.h>
#include <permfst/ops/open.h>
#include <permfst/permute/input.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pf_path_count_free(pf_path_count *count) { pf_tally_free(&count->tally); }

/* ---- spaces ---- */

static pf_err take_number(const char *digits, pf_tally *tally) {
    tally->at = malloc(sizeof *tally->at);
    if (!tally->at) return pf_nomem();
    mpz_init_set_str(tally->at[0], digits, 10);
    tally->n = 1;
    return PF_OK;
}

static pf_err count_trees(const pf_con *con, const pf_tally_options *options, pf_path_count *out) {
    assert(pf_chart_counts(con));
    out->by_trees = true;
    PF_TRY(take_number("0", &out->tally));
    return pf_chart_count(con, options, out->tally.at[0]);
}

/* Orders of itg may have few states at a level, or ever more with the length. So they are counted level by level while a level has
 * no more states than the chart has spans, which takes no longer than the chart; then by trees. */
static pf_err count_space(const pf_con *con, const pf_tally_options *options, pf_path_count *out) {
    const uint64_t spans = (uint64_t)con->n * con->n;
    const bool trees = !options->by && pf_chart_counts(con);
    pf_tally_options narrow = *options;
    *out = (pf_path_count){.of_space = true, .positions = con->n, .looks_ahead = con->looks_ahead};
    if (trees && (!options->max_states || options->max_states > spans)) narrow.max_states = spans;
    pf_err err = pf_tally_run(con, &narrow, &out->tally);
    if (err != PF_ELIMIT || !trees) return err;
    err = count_trees(con, options, out);
    if (err) pf_path_count_free(out);
    return err;
}

static pf_err count_none(unsigned length, pf_path_count *out) {
    *out = (pf_path_count){.of_space = true, .positions = length, .empty = true};
    return take_number("0", &out->tally);
}

pf_err pf_space_count(const char *const *con, size_t n_con, unsigned length, const pf_tally_options *options,
    pf_path_count *out) {
    pf_con *all;
    *out = (pf_path_count){0};
    PF_TRY(pf_con_all_if_any(con, n_con, length, &all));
    pf_err err = all ? count_space(all, options, out) : count_none(length, out);
    pf_con_free(all);
    return err;
}

/* ---- spaces side by side ---- */

pf_err pf_space_columns(const char *const *con, size_t n_con, const char *statistic, pf_table *table) {
    PF_TRY(pf_table_column(table, "length", -6));
    if (statistic) PF_TRY(pf_table_column(table, statistic, -14));
    for (size_t i = 0; i < n_con; i++) PF_TRY(pf_table_column(table, con[i], -20));
    return n_con ? PF_OK : pf_table_column(table, "none", -20);
}

static pf_err put_number(pf_table_line *line, const pf_tally *tally, size_t value) {
    if (value >= tally->n) return pf_cell_digits(line, "0");
    char *digits = malloc(mpz_sizeinbase(tally->at[value], 10) + 2);
    if (!digits) return pf_nomem();
    pf_err err = pf_cell_digits(line, mpz_get_str(digits, 10, tally->at[value]));
    free(digits);
    return err;
}

static size_t most_values(const pf_path_count *count, size_t n) {
    size_t most = 0;
    for (size_t i = 0; i < n; i++)
        if (count[i].tally.n > most) most = count[i].tally.n;
    return most;
}

static pf_err put_lines(const pf_path_count *count, size_t n, unsigned length, bool by_statistic, const pf_table *table,
                        pf_writer *writer) {
    size_t values = most_values(count, n);
    for (size_t value = 0; value < values; value++) {
        pf_table_line line = pf_table_begin(table, writer);
        PF_TRY(pf_cell_whole(&line, length));
        if (by_statistic) PF_TRY(pf_cell_whole(&line, value));
        for (size_t i = 0; i < n; i++) PF_TRY(put_number(&line, &count[i].tally, value));
    }
    return PF_OK;
}

pf_err pf_space_lines(const char *const *con, size_t n_con, unsigned length, const pf_tally_options *options,
                      const pf_space_lines_to *to, pf_writer *writer) {
    size_t n = n_con ? n_con : 1;
    pf_path_count *count = calloc(n, sizeof *count);
    pf_err err = count ? PF_OK : pf_nomem();
    for (size_t i = 0; !err && i < n; i++) {
        err = pf_space_count(con + i, n_con != 0, length, options, &count[i]);
        if (!err && to->told) to->told(to->self, n_con ? con[i] : "none", &count[i]);
    }
    if (!err) err = put_lines(count, n, length, options->by, to->table, writer);
    for (size_t i = 0; count && i < n; i++) pf_path_count_free(&count[i]);
    free(count);
    return err;
}

/* ---- permutation automata ---- */

/* The number of words at `position` that can be taken. */
static unsigned long alternatives(const pf_input *in, unsigned position) {
    unsigned long n = 0;
    for (uint32_t arc = in->first[position]; arc < in->first[position + 1]; arc++) n += in->arc[arc].w != INFINITY;
    return n;
}

/* Every permutation has a path for each choice of alternatives. */
static void multiply(const pf_input *in, pf_tally *tally) {
    mpz_t ways;
    mpz_init_set_ui(ways, in->final == INFINITY ? 0 : 1);
    for (unsigned j = 0; j < in->n; j++) mpz_mul_ui(ways, ways, alternatives(in, j));
    for (size_t k = 0; k < tally->n; k++) mpz_mul(tally->at[k], tally->at[k], ways);
    mpz_clear(ways);
}

static pf_err count_permutations(const pf_expr *perm, const pf_con *con, const pf_tally_options *options, pf_path_count *out) {
    pf_input in;
    PF_TRY(pf_input_read(perm->first->fst, &in));
    pf_err err = count_space(con, options, out);
    if (!err) multiply(&in, &out->tally);
    pf_input_free(&in);
    return err;
}

/* ---- other automata ---- */

static pf_err count_automaton(pf_fst *fst, const pf_tally_options *options, pf_path_count *out) {
    pf_count paths;
    if (options->by) return pf_fail(PF_EARG, "a statistic counts permutations, but this is not a permutation automaton");
    pf_fst_watch(fst, options->progress, options->self);
    pf_fst_expires(fst, options->expired, options->self);
    PF_TRY(pf_count_all(fst, options->max_states, &paths));
    out->states = paths.states;
    out->arcs = paths.arcs;
    pf_err err = paths.cyclic ? pf_fail(PF_EINPUT, "the automaton has a cycle, so it has infinitely many paths")
                              : take_number(paths.paths, &out->tally);
    pf_count_free(&paths);
    return err;
}

/* ---- expressions ---- */

static bool has_model(const pf_expr *expr) {
    return expr->kind == PF_EXPR_COMPOSE && expr->shared && strcmp(pf_blob_class(expr->shared), "fst") != 0;
}

pf_err pf_expr_without_models(pf_expr *expr, pf_expr **out) {
    const pf_model *model;
    for (*out = expr; has_model(*out); *out = (*out)->first) {
        PF_TRY(pf_open_model((*out)->shared, &model));
        if (!model->cls->finite(model->self)) break;
    }
    return PF_OK;
}

static pf_err count_opened(pf_expr *expr, const pf_tally_options *options, pf_path_count *out) {
    pf_opened *opened;
    PF_TRY(pf_open(expr, &opened));
    pf_fst *fst = pf_opened_fst(opened);
    pf_err err = expr->kind == PF_EXPR_PERM && pf_fst_space(fst) ? count_permutations(expr, pf_fst_space(fst), options, out)
                                         : count_automaton(fst, options, out);
    pf_opened_free(opened);
    return err;
}

/* The whole is opened, too: what is wrong with it is an error. */
pf_err pf_expr_count(pf_expr *expr, const pf_tally_options *options, pf_path_count *out) {
    pf_expr *inner;
    pf_opened *whole;
    *out = (pf_path_count){0};
    PF_TRY(pf_open(expr, &whole));
    pf_err err = pf_expr_without_models(expr, &inner);
    if (!err) err = count_opened(inner, options, out);
    if (err) pf_path_count_free(out);
    pf_opened_free(whole);
    return err;
}

const char *pf_path_count_how(const pf_path_count *count, char words[PF_COUNT_HOW_BYTES]) {
    unsigned long long states = count->of_space ? count->tally.states : count->states;
    if (!count->of_space)
        snprintf(words, PF_COUNT_HOW_BYTES, "%llu states and %llu arcs built", states, (unsigned long long)count->arcs);
    else if (count->empty) snprintf(words, PF_COUNT_HOW_BYTES, "%u positions: no permutation is left", count->positions);
    else if (count->tally.closed) snprintf(words, PF_COUNT_HOW_BYTES, "%u positions: closed form", count->positions);
    else if (count->by_trees) snprintf(words, PF_COUNT_HOW_BYTES, "%u positions: by trees of itg", count->positions);
    else
        snprintf(words, PF_COUNT_HOW_BYTES,
            "%u positions: level by level (transfer automaton), %llu states, at most %llu at a level%s", count->positions,
            states, (unsigned long long)count->tally.widest, count->looks_ahead ? ", with a completion test" : "");
    return words;
}
