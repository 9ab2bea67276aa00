/* The line is a linear automaton; composed with it, the machine keeps the paths that have its words. */
#include <permfst/search/reference.h>

#include <permfst/io/sentence.h>
#include <permfst/ops/compose.h>

#include <stdlib.h>

struct pf_reference_order {
    pf_fst *words, *paths;
};

pf_err pf_reference_order_new(pf_fst *fst, const char *line, pf_reference_order **out) {
    pf_reference_order *reference = *out = calloc(1, sizeof *reference);
    if (!reference) return pf_nomem();
    pf_err err = pf_fst_of_line(fst->type, line, &reference->words);
    if (!err) err = pf_compose_lazy(fst, reference->words, &reference->paths);
    if (!err) return PF_OK;
    pf_reference_order_free(reference);
    *out = NULL;
    return err;
}

void pf_reference_order_free(pf_reference_order *reference) {
    if (!reference) return;
    pf_fst_free(reference->paths);
    pf_fst_free(reference->words);
    free(reference);
}

pf_err pf_reference_order_cost(const pf_reference_order *reference, bool (*expired)(void *self), void *self, double *cost) {
    pf_answer answer;
    PF_TRY(pf_best(reference->paths, &(pf_best_options){.n = 1, .expired = expired, .self = self}, &answer));
    *cost = answer.paths.n ? answer.paths.at[0].cost : (double)INFINITY;
    pf_answer_free(&answer);
    return PF_OK;
}
