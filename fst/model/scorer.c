/* What all scorers have in common. */
#include <permfst/model/scorer.h>

#include <assert.h>

pf_err pf_scorer_of(const pf_model *model, pf_scorer *out) {
    *out = (pf_scorer){0};
    PF_TRY(model->cls->scorer(model->self, out));
    assert(out->cls && !out->cls->empty == !out->cls->open && !out->cls->empty == !out->cls->reach);
    return PF_OK;
}

void pf_scorer_end(pf_scorer *s) {
    if (s->cls && s->cls->free) s->cls->free(s->own);
    *s = (pf_scorer){0};
}

pf_state pf_scorer_after(pf_scorer *s, bool begins, const pf_label *history, size_t n) {
    assert(begins || s->cls->empty);
    pf_state at = begins ? s->cls->start(s) : s->cls->empty(s);
    for (size_t i = 0; i < n; i++) s->cls->step(s, at, history[i], &at);
    return at;
}

bool pf_scorer_nonnegative(const pf_scorer *s) { return s->cls->nonnegative && s->cls->nonnegative(s); }
