/* One hash table with open addressing holds the pairs of words with their t and c, so a look-up misses the cache once. The slots
 * where the look-ups of one target word begin are prefetched before the first of them is needed, which saves a third of the
 * time. */
#include <permfst/tuples/ibm1.h>

#include <permfst/base/statetab.h>

#include <stdbool.h>
#include <stdlib.h>

typedef struct {
    uint64_t words;        /* source << 32 | target + 1; 0: empty */
    double given, count;   /* t and c of the header */
} pair_slot;

struct pf_ibm1 {
    pf_statetab source, target; /* words. Source 0 is the empty word */
    pair_slot *slot;            /* mask + 1 of them, a power of two, or none */
    size_t mask, used;          /* at most three of four are used */
    PF_VEC(double) total;       /* of each source word: the sum of its counts */
    PF_VEC(uint32_t) sources, targets; /* word numbers of the pair; sources begin with the empty word */
    PF_VEC(size_t) place;       /* the slots of one target word, by source */
    bool later;                 /* has an iteration ended? */
};

pf_err pf_ibm1_new(pf_ibm1 **out) {
    uint32_t empty;
    pf_ibm1 *model = *out = calloc(1, sizeof *model);
    if (!model) return pf_nomem();
    pf_statetab_init(&model->source, 0);
    pf_statetab_init(&model->target, 0);
    pf_err err = pf_statetab_intern(&model->source, "", 0, &empty, NULL);
    if (!err) return PF_OK;
    pf_ibm1_free(model);
    *out = NULL;
    return err;
}

void pf_ibm1_free(pf_ibm1 *model) {
    if (!model) return;
    pf_statetab_free(&model->source);
    pf_statetab_free(&model->target);
    free(model->slot);
    PF_VEC_FREE(&model->total);
    PF_VEC_FREE(&model->sources);
    PF_VEC_FREE(&model->targets);
    PF_VEC_FREE(&model->place);
    free(model);
}

static pf_err changed(void) {
    return pf_fail(PF_EINPUT, "the corpus has changed between two iterations of IBM model 1");
}

static pf_err word_id(const pf_ibm1 *model, pf_statetab *tab, const pf_word *word, uint32_t *id) {
    if (!model->later) return pf_statetab_intern(tab, word->at, word->n, id, NULL);
    *id = pf_statetab_find(tab, word->at, word->n);
    return *id == UINT32_MAX ? changed() : PF_OK;
}

static pf_err look_up(pf_ibm1 *model, const pf_words *source, const pf_words *target) {
    model->sources.n = model->targets.n = 0;
    PF_TRY(PF_ROOM(&model->sources, source->n + 1));
    PF_TRY(PF_ROOM(&model->place, source->n + 1));
    PF_TRY(PF_ROOM(&model->targets, target->n));
    model->sources.at[model->sources.n++] = 0;
    for (size_t at = 0; at < source->n; at++)
        PF_TRY(word_id(model, &model->source, &source->at[at], &model->sources.at[model->sources.n++]));
    for (size_t at = 0; at < target->n; at++)
        PF_TRY(word_id(model, &model->target, &target->at[at], &model->targets.at[model->targets.n++]));
    while (model->total.n < model->source.n) PF_TRY(PF_PUSH(&model->total, 0));
    return PF_OK;
}

/* ---- the table ---- */

static uint64_t words_of(uint32_t source, uint32_t target) { return (uint64_t)source << 32 | (target + 1); }
static size_t begin_of(const pf_ibm1 *model, uint64_t words) { return pf_hash_word(words, 0) & model->mask; }

/* The slot of two words, or the empty one where they belong. */
static size_t probe(const pf_ibm1 *model, uint64_t words, size_t at) {
    while (model->slot[at].words && model->slot[at].words != words) at = (at + 1) & model->mask;
    return at;
}

static pf_err grow(pf_ibm1 *model, size_t size) {
    pair_slot *old = model->slot;
    size_t old_size = old ? model->mask + 1 : 0;
    if (size > SIZE_MAX / 2 / sizeof *old) return pf_nomem();
    pair_slot *grown = calloc(size, sizeof *grown);
    if (!grown) return pf_nomem();
    model->slot = grown;
    model->mask = size - 1;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].words) model->slot[probe(model, old[i].words, begin_of(model, old[i].words))] = old[i];
    free(old);
    return PF_OK;
}

static pf_err make_room(pf_ibm1 *model, size_t extra) {
    size_t size = model->slot ? model->mask + 1 : 1024;
    while ((model->used + extra) > size / 4 * 3) size *= 2;
    return model->slot && size == model->mask + 1 ? PF_OK : grow(model, size);
}

/* The slots of a target word and all source words. In the first iteration any t serves, as long as it is the same for all. */
static pf_err find_slots(pf_ibm1 *model, uint32_t target) {
    PF_TRY(make_room(model, model->sources.n));
    for (size_t at = 0; at < model->sources.n; at++) {
        model->place.at[at] = begin_of(model, words_of(model->sources.at[at], target));
#if defined(__GNUC__)
        __builtin_prefetch(&model->slot[model->place.at[at]], 1);
#endif
    }
    for (size_t at = 0; at < model->sources.n; at++) {
        uint64_t words = words_of(model->sources.at[at], target);
        pair_slot *slot = &model->slot[model->place.at[at] = probe(model, words, model->place.at[at])];
        if (slot->words) continue;
        if (model->later) return changed();
        *slot = (pair_slot){words, 1, 0};
        model->used++;
    }
    return PF_OK;
}

pf_err pf_ibm1_count(pf_ibm1 *model, const pf_words *source, const pf_words *target) {
    PF_TRY(look_up(model, source, target));
    for (size_t at = 0; at < model->targets.n; at++) {
        double sum = 0;
        PF_TRY(find_slots(model, model->targets.at[at]));
        for (size_t k = 0; k < model->sources.n; k++) sum += model->slot[model->place.at[k]].given;
        if (!(sum > 0)) return changed(); /* a pair that was counted gives some of its words a share */
        for (size_t k = 0; k < model->sources.n; k++) {
            pair_slot *slot = &model->slot[model->place.at[k]];
            double share = slot->given / sum;
            slot->count += share;
            model->total.at[model->sources.at[k]] += share;
        }
    }
    return PF_OK;
}

void pf_ibm1_update(pf_ibm1 *model) {
    for (size_t at = 0; model->slot && at <= model->mask; at++) {
        pair_slot *slot = &model->slot[at];
        if (!slot->words) continue;
        slot->given = slot->count / model->total.at[slot->words >> 32];
        slot->count = 0;
    }
    for (size_t source = 0; source < model->total.n; source++) model->total.at[source] = 0;
    model->later = true;
}

/* ---- training ---- */

static pf_err count_pairs(pf_ibm1 *model, const pf_ibm1_corpus *corpus, pf_parallel *pairs, size_t source, size_t target) {
    for (bool more;;) {
        PF_TRY(pf_parallel_next(pairs, &more));
        if (!more) return PF_OK;
        PF_TRY(pf_ibm1_count(model, pf_parallel_sentence(pairs, source), pf_parallel_sentence(pairs, target)));
        if (corpus->progress) corpus->progress(corpus->self, pf_parallel_number(pairs));
    }
}

pf_err pf_ibm1_train(pf_ibm1 *model, const pf_ibm1_corpus *corpus, uint64_t iterations) {
    for (uint64_t i = 0; i < iterations; i++) {
        pf_parallel *pairs = NULL;
        size_t source, target;
        pf_err err = corpus->open(corpus->self, &pairs, &source, &target);
        if (!err) err = count_pairs(model, corpus, pairs, source, target);
        pf_parallel_free(pairs);
        PF_TRY(err);
        pf_ibm1_update(model);
    }
    return PF_OK;
}

/* ---- use ---- */

double pf_ibm1_given(const pf_ibm1 *model, const pf_word *source, const pf_word *target) {
    uint32_t given = pf_statetab_find(&model->source, source->n ? source->at : "", source->n);
    uint32_t word = pf_statetab_find(&model->target, target->at, target->n);
    if (given == UINT32_MAX || word == UINT32_MAX || !model->slot) return 0;
    uint64_t words = words_of(given, word);
    const pair_slot *slot = &model->slot[probe(model, words, begin_of(model, words))];
    return slot->words ? slot->given : 0;
}

uint32_t pf_ibm1_words(const pf_ibm1 *model, bool target) { return (target ? &model->target : &model->source)->n; }

pf_word pf_ibm1_word(const pf_ibm1 *model, bool target, uint32_t number) {
    pf_word word;
    word.at = pf_statetab_key(target ? &model->target : &model->source, number, &word.n);
    return word;
}

pf_err pf_ibm1_each(const pf_ibm1 *model, pf_err (*visit)(void *self, uint32_t source, uint32_t target, double given), void *self) {
    for (size_t at = 0; model->slot && at <= model->mask; at++) {
        const pair_slot *slot = &model->slot[at];
        if (slot->words) PF_TRY(visit(self, (uint32_t)(slot->words >> 32), (uint32_t)slot->words - 1, slot->given));
    }
    return PF_OK;
}
