/* What all scorers have in common. */
#include <permfst/model/scorer.h>

#include <assert.h>
#include <stdlib.h>

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

pf_err pf_known_words_init(pf_known_words *words, unsigned count) {
    const size_t room = count + (size_t)1; /* of nothing, malloc may return NULL */
    *words = (pf_known_words){.which = malloc(room * sizeof *words->which), .cost = malloc(room * sizeof *words->cost)};
    words->to = malloc(room * sizeof *words->to);
    if (words->which && words->cost && words->to) return PF_OK;
    pf_known_words_free(words);
    return pf_nomem();
}

void pf_known_words_free(pf_known_words *words) {
    free(words->which);
    free(words->cost);
    free(words->to);
    *words = (pf_known_words){0};
}

bool pf_scorer_nonnegative(const pf_scorer *scorer) { return scorer->cls->nonnegative && scorer->cls->nonnegative(scorer); }
