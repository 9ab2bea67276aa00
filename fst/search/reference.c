/* The line is a linear automaton; composed with it, the machine keeps the paths that have its words. */
#include <permfst/search/reference.h>

#include <permfst/base/word.h>
#include <permfst/io/sentence.h>
#include <permfst/ops/compose.h>

#include <stdlib.h>
#include <string.h>

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

/* ---- words ---- */

typedef PF_VEC(pf_word) word_bag;

static pf_err add_word(word_bag *bag, const pf_symtab *names, pf_label label) {
    pf_word word;
    if (label == PF_EPSILON) return PF_OK;
    word.at = pf_symtab_name(names, label, &word.n);
    return word.at ? PF_PUSH(bag, word) : PF_OK;
}

static int compare_words(const void *a, const void *b) {
    const pf_word *x = a, *y = b;
    int order = memcmp(x->at, y->at, x->n < y->n ? x->n : y->n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

static pf_err words_of_line(pf_fst *line, word_bag *bag) {
    for (pf_state state = line->start; state != PF_NO_STATE;) {
        pf_arcs arcs = pf_fst_arcs(line, state);
        state = arcs.n ? arcs.arc[0].to : PF_NO_STATE;
        if (arcs.n) PF_TRY(add_word(bag, line->osyms, arcs.arc[0].out));
    }
    return PF_OK;
}

static pf_err words_of_path(const pf_answer *answer, word_bag *bag) {
    const pf_path *path = &answer->paths.at[0];
    for (size_t i = 0; i < path->n; i++) PF_TRY(add_word(bag, answer->osyms, path->arc[i].out));
    return PF_OK;
}

static bool same(word_bag *a, word_bag *b) {
    if (a->n != b->n) return false;
    if (a->n) qsort(a->at, a->n, sizeof *a->at, compare_words);
    if (b->n) qsort(b->at, b->n, sizeof *b->at, compare_words);
    for (size_t i = 0; i < a->n; i++)
        if (compare_words(&a->at[i], &b->at[i]) != 0) return false;
    return true;
}

pf_err pf_reference_other_words(const pf_reference_order *reference, const pf_answer *answer, bool *other) {
    word_bag given = {0}, found = {0};
    *other = false;
    if (!answer->paths.n || !answer->osyms) return PF_OK;
    pf_err err = words_of_line(reference->words, &given);
    if (!err) err = words_of_path(answer, &found);
    if (!err) *other = !same(&given, &found);
    PF_VEC_FREE(&given);
    PF_VEC_FREE(&found);
    return err;
}
