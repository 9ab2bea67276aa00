/* Whatever can be permuted becomes a permutation without a constraint; specifications are added to it (io/expr.h). */
#include <permfst/ops/permute.h>

#include <permfst/machine/answer.h>
#include <permfst/permute/con_file.h>
#include <permfst/permute/graph.h>
#include <permfst/permute/perm.h>
#include <permfst/permute/wm_file.h>

#include <assert.h>
#include <stdlib.h>

static pf_err of_answer(const pf_expr *answer, pf_expr **out) {
    pf_expr *input;
    pf_fst *fst;
    PF_TRY(pf_answer_fst(answer->answer, &fst)); /* of one path: as linear as a sentence */
    PF_TRY(pf_expr_of_fst(fst, &input));
    pf_err err = pf_expr_permute(input, &(pf_perm_spec){0}, out);
    pf_expr_free(input);
    return err;
}

/* The permutation that an expression is, or is the input of. */
static pf_err to_permutation(pf_expr *expr, pf_expr **out) {
    if (expr->kind == PF_EXPR_FST) return pf_expr_permute(expr, &(pf_perm_spec){0}, out);
    if (expr->kind == PF_EXPR_BEST) return of_answer(expr, out);
    if (expr->kind != PF_EXPR_PERM || expr->first->kind != PF_EXPR_FST)
        return pf_fail(PF_EINPUT, "expected a linear automaton, found a '%s' record", pf_expr_kind_name(expr->kind));
    *out = pf_expr_ref(expr);
    return PF_OK;
}

/* Is there a space of so many positions for the constraints of a permutation? */
static pf_err check_space(const pf_expr *expr, unsigned length) {
    pf_con *all;
    assert(expr->kind == PF_EXPR_PERM);
    PF_TRY(pf_con_all(expr->spec.con, expr->spec.n_con, length, &all));
    pf_con_free(all);
    return PF_OK;
}

/* ---- sequences of records ---- */

/* A weight, and its costs for the record at work. */
typedef struct {
    char *spec;       /* with its scale */
    pf_wm_file *file; /* NULL: it has none */
    double *cost;
    size_t n;
} filed_weight;

struct pf_permuter {
    const char *const *con;   /* as they were given */
    const char **con_now;     /* of the record at work: trees in the place of files */
    pf_con_file **con_file;   /* of each, NULL: it has none */
    size_t n_con, n_wm;
    bool acceptor;
    uint64_t records; /* so far */
    pf_weight *spec;  /* n_wm of them, for one record at a time */
    filed_weight weight[];
};

static pf_err check_specs(const pf_permuter *permuter) {
    for (size_t i = 0; i < permuter->n_wm; i++) permuter->spec[i] = (pf_weight){.spec = permuter->weight[i].spec};
    return pf_perm_check(
        &(pf_perm_spec){.con = permuter->con, .n_con = permuter->n_con, .wm = permuter->spec, .n_wm = permuter->n_wm});
}

static pf_err scale_specs(pf_permuter *permuter, const char *const *wm, const double *scale) {
    for (size_t i = 0; i < permuter->n_wm; i++) {
        double own;
        pf_wm_scale_of(wm[i], &own);
        PF_TRY(pf_wm_rescale(wm[i], scale ? scale[i] : own, &permuter->weight[i].spec));
    }
    return PF_OK;
}

pf_err pf_permuter_new(const char *const *con, size_t n_con, const char *const *wm, size_t n_wm, const double *scale, bool acceptor,
    pf_permuter **out) {
    pf_permuter *permuter = calloc(1, sizeof *permuter + n_wm * sizeof *permuter->weight);
    *out = NULL;
    if (!permuter) return pf_nomem();
    permuter->con = con;
    permuter->n_con = n_con;
    permuter->n_wm = n_wm;
    permuter->acceptor = acceptor;
    permuter->spec = calloc(n_wm + 1, sizeof *permuter->spec);
    permuter->con_now = calloc(n_con + 1, sizeof *permuter->con_now);
    permuter->con_file = calloc(n_con + 1, sizeof *permuter->con_file);
    pf_err err = permuter->spec && permuter->con_now && permuter->con_file ? scale_specs(permuter, wm, scale) : pf_nomem();
    if (!err) err = check_specs(permuter);
    for (size_t i = 0; !err && i < n_con; i++) err = pf_con_file_open(con[i], &permuter->con_file[i]);
    for (size_t i = 0; !err && i < n_wm; i++) err = pf_wm_file_open(wm[i], &permuter->weight[i].file);
    if (err) pf_permuter_free(permuter);
    else *out = permuter;
    return err;
}

void pf_permuter_free(pf_permuter *permuter) {
    if (!permuter) return;
    for (size_t i = 0; i < permuter->n_wm; i++) {
        pf_wm_file_free(permuter->weight[i].file);
        free(permuter->weight[i].spec);
    }
    for (size_t i = 0; permuter->con_file && i < permuter->n_con; i++) pf_con_file_free(permuter->con_file[i]);
    free(permuter->con_file);
    free(permuter->con_now);
    free(permuter->spec);
    free(permuter);
}

/* The constraints of the sentence, with the trees that files have for it. */
static pf_err read_trees(pf_permuter *permuter, const pf_input *in) {
    for (size_t i = 0; i < permuter->n_con; i++) {
        permuter->con_now[i] = permuter->con[i];
        if (permuter->con_file[i]) PF_TRY(pf_con_file_next(permuter->con_file[i], in->n, &permuter->con_now[i]));
    }
    return PF_OK;
}

/* The costs that the weights' files have for the sentence. */
static pf_err read_costs(pf_permuter *permuter, const pf_input *in, const pf_symtab *words) {
    for (size_t i = 0; i < permuter->n_wm; i++) {
        filed_weight *weight = &permuter->weight[i];
        if (weight->file) PF_TRY(pf_wm_file_next(weight->file, in, words, &weight->cost, &weight->n));
    }
    return PF_OK;
}

static void drop_costs(pf_permuter *permuter) {
    for (size_t i = 0; i < permuter->n_wm; i++) {
        free(permuter->weight[i].cost);
        permuter->weight[i].cost = NULL;
        permuter->weight[i].n = 0;
    }
}

static pf_err add_specs(pf_permuter *permuter, pf_expr *perm, const pf_input *in, pf_expr **out) {
    pf_expr *more;
    for (size_t i = 0; i < permuter->n_wm; i++)
        permuter->spec[i] = (pf_weight){permuter->weight[i].spec, permuter->weight[i].cost, permuter->weight[i].n};
    PF_TRY(pf_expr_permute_more(perm,
        &(pf_perm_spec){permuter->con_now, permuter->n_con, permuter->spec, permuter->n_wm, permuter->acceptor}, &more));
    pf_err err = check_space(more, in->n);
    if (err) pf_expr_free(more);
    else *out = more;
    return err;
}

/* A word graph has no constraints and costs in files. */
static pf_err permute_graph(const pf_permuter *permuter, pf_expr *perm, pf_expr **out) {
    const pf_perm_spec spec = {permuter->con, permuter->n_con, permuter->spec, permuter->n_wm, permuter->acceptor};
    pf_input in;
    pf_expr *more;
    for (size_t i = 0; i < permuter->n_wm; i++) permuter->spec[i] = (pf_weight){.spec = permuter->weight[i].spec};
    PF_TRY(pf_expr_permute_more(perm, &spec, &more));
    pf_err err = pf_graph_check(&more->spec);
    if (!err) err = pf_graph_read(perm->first->fst, &in);
    if (err) {
        pf_expr_free(more);
        return err;
    }
    pf_input_free(&in);
    *out = more;
    return PF_OK;
}

static pf_err permute_more(pf_permuter *permuter, pf_expr *perm, pf_expr **out) {
    pf_input in;
    pf_fst *fst = perm->first->fst;
    assert(perm->kind == PF_EXPR_PERM && fst);
    if (pf_graph_wanted(fst, perm->spec.con, perm->spec.n_con) || pf_graph_wanted(fst, permuter->con, permuter->n_con))
        return permute_graph(permuter, perm, out);
    PF_TRY(pf_input_read(perm->first->fst, &in));
    pf_err err = read_trees(permuter, &in);
    if (!err) err = read_costs(permuter, &in, perm->first->fst->osyms);
    if (!err) err = add_specs(permuter, perm, &in, out);
    drop_costs(permuter);
    pf_input_free(&in);
    return err;
}

/* Whatever was left of the trees and costs of a record that failed is skipped before the next one is read. */
static pf_err skip_files(pf_permuter *permuter) {
    for (size_t i = 0; i < permuter->n_con; i++)
        if (permuter->con_file[i]) PF_TRY(pf_con_file_skip(permuter->con_file[i], permuter->records));
    for (size_t i = 0; i < permuter->n_wm; i++)
        if (permuter->weight[i].file) PF_TRY(pf_wm_file_skip(permuter->weight[i].file, permuter->records));
    return PF_OK;
}

pf_err pf_permuter_permute(pf_permuter *permuter, pf_expr *expr, pf_expr **out) {
    pf_expr *perm;
    *out = NULL;
    PF_TRY(skip_files(permuter));
    permuter->records++;
    PF_TRY(to_permutation(expr, &perm));
    pf_err err = permute_more(permuter, perm, out);
    pf_expr_free(perm);
    return err;
}

pf_err pf_permuter_end(pf_permuter *permuter) {
    PF_TRY(skip_files(permuter));
    for (size_t i = 0; i < permuter->n_wm; i++)
        if (permuter->weight[i].file) PF_TRY(pf_wm_file_end(permuter->weight[i].file));
    for (size_t i = 0; i < permuter->n_con; i++)
        if (permuter->con_file[i]) PF_TRY(pf_con_file_end(permuter->con_file[i]));
    return PF_OK;
}
