/* Features are numbered as they are met; rare ones go at the end, and the others get the numbers of a model file. */
#include <permfst/learn/examples.h>

#include "base/contract.h"
#include "learn/learn_impl.h"

#include <stdlib.h>
#include <string.h>

const char *pf_gold_name(size_t gold) {
    static const char *const names[] = {"links", "unfold", "ranks"};
    return gold < PF_GOLDS ? names[gold] : NULL;
}

/* ---- which word comes first ---- */

void pf_gold_finder_free(pf_gold_finder *finder) {
    pf_unfolder_free(finder->unfolder);
    pf_tuples_free(&finder->unfolded);
    pf_order_room_free(&finder->room);
    PF_VEC_FREE(&finder->first);
    PF_VEC_FREE(&finder->last);
    PF_VEC_FREE(&finder->pair);
}

static void by_links(pf_gold_finder *finder, const pf_alignment *links) {
    for (size_t k = 0; k < links->link.n; k++) {
        const pf_link *link = &links->link.at[k];
        uint32_t *first = &finder->first.at[link->source], *last = &finder->last.at[link->source];
        if (*first == UINT32_MAX) *first = link->target; /* links are sorted */
        *last = link->target;
    }
}

static pf_err by_unfolding(pf_gold_finder *finder, const pf_alignment *links) {
    const pf_unfold_options how = {.unaligned = PF_UNALIGNED_LEFT};
    if (!finder->unfolder) PF_TRY(pf_unfolder_new(&finder->unfolder));
    PF_TRY(pf_unfold(finder->unfolder, links, &how, &finder->unfolded));
    for (size_t k = 0; k < finder->unfolded.order.n; k++)
        finder->first.at[finder->unfolded.order.at[k]] = finder->last.at[finder->unfolded.order.at[k]] = (uint32_t)k;
    return PF_OK;
}

static pf_err by_ranks(pf_gold_finder *finder, const pf_alignment *links, unsigned words) {
    finder->pair.n = 0;
    for (size_t k = 0; k < links->link.n; k++) {
        PF_TRY(PF_PUSH(&finder->pair, links->link.at[k].source));
        PF_TRY(PF_PUSH(&finder->pair, links->link.at[k].target));
    }
    PF_TRY(pf_order_lader_ranks(&finder->room, words, (pf_segment){finder->pair.at, finder->pair.n}, finder->first.at));
    if (words) memcpy(finder->last.at, finder->first.at, words * sizeof *finder->last.at);
    return PF_OK;
}

pf_err pf_gold_find(pf_gold_finder *finder, const pf_alignment *links, unsigned words) {
    finder->first.n = finder->last.n = 0;
    PF_TRY(PF_ROOM(&finder->first, (size_t)words + 1));
    PF_TRY(PF_ROOM(&finder->last, (size_t)words + 1));
    for (unsigned k = 0; k < words; k++) finder->first.at[k] = finder->last.at[k] = UINT32_MAX;
    finder->first.n = finder->last.n = words;
    if (finder->gold == PF_GOLD_UNFOLD) return by_unfolding(finder, links);
    if (finder->gold == PF_GOLD_RANKS) return by_ranks(finder, links, words);
    by_links(finder, links);
    return PF_OK;
}

/* ---- sentences ---- */

pf_err pf_examples_new(const pf_example_options *options, pf_order_model *model, pf_examples **out) {
    pf_examples *examples = *out = calloc(1, sizeof *examples);
    if (!examples) return pf_nomem();
    examples->options = *options;
    examples->model = model;
    examples->fixed = model->feature.n > 0;
    examples->finder.gold = options->gold;
    return PF_OK;
}

void pf_examples_free(pf_examples *examples) {
    if (!examples) return;
    PF_VEC_FREE(&examples->sentence);
    PF_VEC_FREE(&examples->gold);
    PF_VEC_FREE(&examples->end);
    PF_VEC_FREE(&examples->feature);
    PF_VEC_FREE(&examples->rank);
    PF_VEC_FREE(&examples->count);
    pf_gold_finder_free(&examples->finder);
    pf_numbered_free(&examples->numbered);
    free(examples);
}

static pf_err count_feature(void *self, const uint32_t *key) {
    pf_examples *examples = self;
    pf_order_model *model = examples->model;
    uint32_t feature;
    int fresh;
    PF_TRY(PF_ROOM(&examples->count, 1));
    PF_TRY(pf_statetab_intern(&model->feature, key, model->stride * sizeof *key, &feature, &fresh));
    if (fresh) examples->count.at[examples->count.n++] = 0;
    examples->count.at[feature]++;
    return PF_PUSH(&examples->feature, feature);
}

static pf_err find_feature(void *self, const uint32_t *key) {
    pf_examples *examples = self;
    const pf_order_model *model = examples->model;
    uint32_t feature = pf_statetab_find(&model->feature, key, model->stride * sizeof *key);
    return feature == UINT32_MAX ? PF_OK : PF_PUSH(&examples->feature, feature);
}

static pf_err add_pair(pf_examples *examples, unsigned first, unsigned second) {
    const int gold = pf_gold_of(&examples->finder, first, second);
    if (!gold && !examples->options.all_pairs) return PF_OK;
    examples->with_gold += gold != 0;
    examples->in_order += gold > 0;
    PF_TRY(PF_PUSH(&examples->gold, (signed char)gold));
    PF_TRY(pf_order_model_features(examples->model, &examples->numbered, first, second,
                                   examples->fixed ? find_feature : count_feature, examples));
    return PF_PUSH(&examples->end, examples->feature.n);
}

static pf_err add_pairs(pf_examples *examples, unsigned length) {
    const pf_gold_finder *finder = &examples->finder;
    const uint64_t line = examples->sentence.n + examples->too_long + 1;
    PF_TRY(PF_PUSH(&examples->sentence, ((pf_example_sentence){examples->gold.n, length, examples->rank.n, line})));
    for (unsigned i = 0; finder->gold == PF_GOLD_RANKS && i < length; i++) PF_TRY(PF_PUSH(&examples->rank, finder->first.at[i]));
    for (unsigned i = 0; i < length; i++)
        for (unsigned j = i + 1; j < length; j++) PF_TRY(add_pair(examples, i, j));
    return PF_OK;
}

pf_err pf_examples_add(pf_examples *examples, const pf_factored *sentence) {
    const size_t n = sentence->column[PF_COLUMN_WORDS]->n;
    assert(sentence->links);
    if (n > examples->options.max_length) {
        examples->too_long++;
        return PF_OK;
    }
    sentence->links->n_source = (uint32_t)n;
    PF_TRY(pf_gold_find(&examples->finder, sentence->links, (unsigned)n));
    PF_TRY(examples->fixed ? pf_order_model_find(examples->model, sentence, &examples->numbered)
                           : pf_order_model_number(examples->model, sentence, &examples->numbered));
    return add_pairs(examples, (unsigned)n);
}

/* ---- the end ---- */

/* The features that stay, in the order of their lines: a model of them, and the new number of each old one. */
static pf_err renumber(pf_examples *examples, const uint32_t *sorted, size_t count, uint32_t *now) {
    pf_order_model *model = examples->model;
    pf_statetab kept;
    pf_err err = PF_OK;
    pf_statetab_init(&kept, model->stride * sizeof(uint32_t));
    for (uint32_t old = 0; old < model->feature.n; old++) now[old] = UINT32_MAX;
    for (size_t k = 0; !err && k < count; k++) {
        size_t n;
        const void *key = pf_statetab_key(&model->feature, sorted[k], &n);
        err = pf_statetab_intern(&kept, key, n, &now[sorted[k]], NULL);
    }
    if (err) {
        pf_statetab_free(&kept);
        return err;
    }
    pf_statetab_free(&model->feature);
    model->feature = kept;
    return PF_OK;
}

static void relist(pf_examples *examples, const uint32_t *now) {
    size_t to = 0, from = 0;
    for (size_t pair = 0; pair < examples->end.n; pair++) {
        for (; from < examples->end.at[pair]; from++) {
            uint32_t feature = now[examples->feature.at[from]];
            if (feature != UINT32_MAX) examples->feature.at[to++] = feature;
        }
        examples->end.at[pair] = to;
    }
    examples->feature.n = to;
}

/* Sorting looks at features whose weight is not 0: those that stay. */
static pf_err mark_kept(pf_examples *examples) {
    pf_order_model *model = examples->model;
    model->weight.n = 0;
    for (size_t k = 0; k < model->feature.n; k++)
        PF_TRY(PF_PUSH(&model->weight, !examples->fixed && examples->count.at[k] < examples->options.min_count ? 0 : 1));
    return PF_OK;
}

static pf_err sort_features(pf_examples *examples, uint32_t **sorted, size_t *count) {
    PF_TRY(mark_kept(examples));
    return pfi_order_sorted(examples->model, sorted, count);
}

static pf_err sort_and_relist(pf_examples *examples, const uint32_t *sorted, size_t count) {
    uint32_t *now = malloc((examples->model->feature.n + (size_t)1) * sizeof *now);
    if (!now) return pf_nomem();
    pf_err err = renumber(examples, sorted, count, now);
    if (!err) relist(examples, now);
    free(now);
    return err;
}

pf_err pf_examples_finish(pf_examples *examples) {
    pf_order_model *model = examples->model;
    uint32_t *sorted = NULL;
    size_t count;
    examples->all_features = model->feature.n;
    pf_err err = sort_features(examples, &sorted, &count);
    if (!err) err = sort_and_relist(examples, sorted, count);
    free(sorted);
    PF_TRY(err);
    PF_VEC_FREE(&examples->count);
    model->weight.n = 0;
    for (size_t k = 0; k < model->feature.n; k++) PF_TRY(PF_PUSH(&model->weight, 0));
    return PF_OK;
}

pf_err pf_examples_read(pf_examples *examples, pf_factor_reader *reader) {
    for (;;) {
        pf_factored sentence;
        bool more;
        PF_TRY(pf_factor_next(reader, &sentence, &more));
        if (!more) return pf_examples_finish(examples);
        pf_err err = pf_examples_add(examples, &sentence);
        if (err) return pf_factor_blame(reader, err);
    }
}
