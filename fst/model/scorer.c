/* What all scorers have in common. */
#include <permfst/model/scorer.h>

#include <assert.h>

pf_err pf_scorer_of(const pf_model *model, pf_scorer *out) {
    *out = (pf_scorer){0};
    PF_TRY(model->cls->scorer(model->self, out));
    assert(out->cls && !out->cls->empty == !out->cls->open && !out->cls->empty == !out->cls->reach);
    return PF_OK;
}

void pf_scorer_end(pf_scorer *scorer) {
    if (scorer->cls && scorer->cls->free) scorer->cls->free(scorer->own);
    *scorer = (pf_scorer){0};
}

bool pf_scorer_nonnegative(const pf_scorer *scorer) { return scorer->cls->nonnegative && scorer->cls->nonnegative(scorer); }
