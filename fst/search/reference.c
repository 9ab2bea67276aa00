/* The line is a linear automaton; composed with it, the machine keeps the paths that have its words. */
#include <permfst/search/reference.h>

#include <permfst/io/sentence.h>
#include <permfst/ops/compose.h>

#include <stdlib.h>

struct pf_reference_order {
    pf_fst *words, *paths;
};

pf_err pf_reference_order_new(pf_fst *fst, const char *line, pf_reference_order **out) {
    pf_reference_order *order = *out = calloc(1, sizeof *order);
    if (!order) return pf_nomem();
    pf_err err = pf_fst_of_line(fst->type, line, &order->words);
    if (!err) err = pf_compose_lazy(fst, order->words, &order->paths);
    if (!err) return PF_OK;
    pf_reference_order_free(order);
    *out = NULL;
    return err;
}

void pf_reference_order_free(pf_reference_order *order) {
    if (!order) return;
    pf_fst_free(order->paths);
    pf_fst_free(order->words);
    free(order);
}

pf_err pf_answer_compare(pf_answer *answer, const pf_reference_order *order, bool (*expired)(void *self), void *self) {
    pf_answer a;
    PF_TRY(pf_best(order->paths, &(pf_best_options){.n = 1, .expired = expired, .self = self}, &a));
    answer->reference = a.paths.n ? a.paths.at[0].cost : (double)INFINITY;
    answer->compared = true;
    pf_answer_free(&a);
    return PF_OK;
}
