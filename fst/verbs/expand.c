/* A model expands itself; everything else is opened, and what lies on its paths is copied. */
#include <permfst/verbs/expand.h>

#include <permfst/ops/expand.h>
#include <permfst/ops/open.h>
#include <permfst/ops/relabel.h>

#include <assert.h>

static pf_err expand_model(pf_blob *blob, const pf_expand_options *options, pf_fst **out) {
    const pf_model *model;
    if (options->backoff == PF_BACKOFF_NOT_GIVEN)
        return pf_fail(PF_EARG, "a model needs a back-off: a failure symbol, or epsilon");
    PF_TRY(pf_open_model(blob, &model));
    if (options->backoff == PF_BACKOFF_EPSILON) return model->cls->expand(model->self, PF_EPSILON, NULL, out);
    assert(options->phi && *options->phi);
    return model->cls->expand(model->self, pf_symtab_largest(model->cls->words(model->self)) + 1, options->phi, out);
}

static pf_err expand_automaton(pf_expr *expr, const pf_expand_options *options, pf_fst **out) {
    pf_opened *opened;
    if (options->backoff != PF_BACKOFF_NOT_GIVEN)
        return pf_fail(PF_EARG, "a back-off needs a model, found a '%s' record", pf_expr_kind_name(expr->kind));
    PF_TRY(pf_open(expr, &opened));
    pf_fst *lazy = pf_opened_fst(opened);
    pf_fst_watch(lazy, options->progress, options->self);
    pf_err err = pf_expand_shared(lazy, options->max_states, options->moves, out);
    pf_opened_free(opened);
    return err;
}

static pf_err renumber(pf_fst **fst, pf_symtab *table) {
    pf_fst *old = *fst;
    pf_err err = pf_relabel(old, table, fst);
    pf_fst_free(old);
    return err;
}

pf_err pf_expr_expand(pf_expr *expr, const pf_expand_options *options, pf_expr **out) {
    pf_fst *fst;
    *out = NULL;
    PF_TRY(expr->kind == PF_EXPR_MODEL ? expand_model(expr->shared, options, &fst) : expand_automaton(expr, options, &fst));
    if (options->retype) fst->type = options->type;
    if (options->table) PF_TRY(renumber(&fst, options->table));
    return pf_expr_of_fst(fst, out);
}
