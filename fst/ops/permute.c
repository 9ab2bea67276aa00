/* Whatever can be permuted becomes a permutation without a constraint; specifications are added to it (io/expr.h). */
#include <permfst/ops/permute.h>

#include <permfst/machine/answer.h>
#include <permfst/permute/con.h>

#include <assert.h>

static pf_err of_answer(const pf_expr *answer, pf_expr **out) {
    pf_expr *input;
    pf_fst *fst;
    PF_TRY(pf_answer_fst(answer->answer, &fst)); /* of one path: as linear as a sentence */
    PF_TRY(pf_expr_of_fst(fst, &input));
    pf_err err = pf_expr_permute(input, &(pf_perm_spec){0}, out);
    pf_expr_free(input);
    return err;
}

pf_err pf_expr_permutation(pf_expr *e, pf_expr **out) {
    if (e->kind == PF_EXPR_FST) return pf_expr_permute(e, &(pf_perm_spec){0}, out);
    if (e->kind == PF_EXPR_BEST) return of_answer(e, out);
    if (e->kind != PF_EXPR_PERM || e->first->kind != PF_EXPR_FST)
        return pf_fail(PF_EINPUT, "expected a linear automaton, found a '%s' record", pf_expr_kind_name(e->kind));
    *out = pf_expr_ref(e);
    return PF_OK;
}

pf_err pf_expr_check_space(const pf_expr *e, unsigned n) {
    pf_con *all;
    assert(e->kind == PF_EXPR_PERM);
    PF_TRY(pf_con_all(e->spec.con, e->spec.n_con, n, &all));
    pf_con_free(all);
    return PF_OK;
}
