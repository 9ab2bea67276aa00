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
    pf_ibm1 *m = *out = calloc(1, sizeof *m);
    if (!m) return pf_nomem();
    pf_statetab_init(&m->source, 0);
    pf_statetab_init(&m->target, 0);
    pf_err err = pf_statetab_intern(&m->source, "", 0, &empty, NULL);
    if (!err) return PF_OK;
    pf_ibm1_free(m);
    *out = NULL;
    return err;
}

void pf_ibm1_free(pf_ibm1 *m) {
    if (!m) return;
    pf_statetab_free(&m->source);
    pf_statetab_free(&m->target);
    free(m->slot);
    PF_VEC_FREE(&m->total);
    PF_VEC_FREE(&m->sources);
    PF_VEC_FREE(&m->targets);
    PF_VEC_FREE(&m->place);
    free(m);
}

static pf_err changed(void) {
    return pf_fail(PF_EINPUT, "the corpus has changed between two iterations of IBM model 1");
}

static pf_err word_id(const pf_ibm1 *m, pf_statetab *tab, const pf_word *word, uint32_t *id) {
    if (!m->later) return pf_statetab_intern(tab, word->at, word->n, id, NULL);
    *id = pf_statetab_find(tab, word->at, word->n);
    return *id == UINT32_MAX ? changed() : PF_OK;
}

static pf_err look_up(pf_ibm1 *m, const pf_words *source, const pf_words *target) {
    m->sources.n = m->targets.n = 0;
    PF_TRY(PF_ROOM(&m->sources, source->n + 1));
    PF_TRY(PF_ROOM(&m->place, source->n + 1));
    PF_TRY(PF_ROOM(&m->targets, target->n));
    m->sources.at[m->sources.n++] = 0;
    for (size_t j = 0; j < source->n; j++) PF_TRY(word_id(m, &m->source, &source->at[j], &m->sources.at[m->sources.n++]));
    for (size_t i = 0; i < target->n; i++) PF_TRY(word_id(m, &m->target, &target->at[i], &m->targets.at[m->targets.n++]));
    while (m->total.n < m->source.n) PF_TRY(PF_PUSH(&m->total, 0));
    return PF_OK;
}

/* ---- the table ---- */

static uint64_t words_of(uint32_t f, uint32_t e) { return (uint64_t)f << 32 | (e + 1); }
static size_t begin_of(const pf_ibm1 *m, uint64_t words) { return pf_hash_word(words, 0) & m->mask; }

/* The slot of two words, or the empty one where they belong. */
static size_t probe(const pf_ibm1 *m, uint64_t words, size_t at) {
    while (m->slot[at].words && m->slot[at].words != words) at = (at + 1) & m->mask;
    return at;
}

static pf_err grow(pf_ibm1 *m, size_t size) {
    pair_slot *old = m->slot;
    size_t old_size = old ? m->mask + 1 : 0;
    if (size > SIZE_MAX / 2 / sizeof *old) return pf_nomem();
    pair_slot *grown = calloc(size, sizeof *grown);
    if (!grown) return pf_nomem();
    m->slot = grown;
    m->mask = size - 1;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].words) m->slot[probe(m, old[i].words, begin_of(m, old[i].words))] = old[i];
    free(old);
    return PF_OK;
}

static pf_err make_room(pf_ibm1 *m, size_t extra) {
    size_t size = m->slot ? m->mask + 1 : 1024;
    while ((m->used + extra) > size / 4 * 3) size *= 2;
    return m->slot && size == m->mask + 1 ? PF_OK : grow(m, size);
}

/* The slots of a target word and all source words. In the first iteration any t serves, as long as it is the same for all. */
static pf_err find_slots(pf_ibm1 *m, uint32_t e) {
    PF_TRY(make_room(m, m->sources.n));
    for (size_t j = 0; j < m->sources.n; j++) {
        m->place.at[j] = begin_of(m, words_of(m->sources.at[j], e));
#if defined(__GNUC__)
        __builtin_prefetch(&m->slot[m->place.at[j]], 1);
#endif
    }
    for (size_t j = 0; j < m->sources.n; j++) {
        uint64_t words = words_of(m->sources.at[j], e);
        pair_slot *s = &m->slot[m->place.at[j] = probe(m, words, m->place.at[j])];
        if (s->words) continue;
        if (m->later) return changed();
        *s = (pair_slot){words, 1, 0};
        m->used++;
    }
    return PF_OK;
}

pf_err pf_ibm1_count(pf_ibm1 *m, const pf_words *source, const pf_words *target) {
    PF_TRY(look_up(m, source, target));
    for (size_t i = 0; i < m->targets.n; i++) {
        double sum = 0;
        PF_TRY(find_slots(m, m->targets.at[i]));
        for (size_t j = 0; j < m->sources.n; j++) sum += m->slot[m->place.at[j]].given;
        if (!(sum > 0)) return changed(); /* a pair that was counted gives some of its words a share */
        for (size_t j = 0; j < m->sources.n; j++) {
            pair_slot *s = &m->slot[m->place.at[j]];
            double share = s->given / sum;
            s->count += share;
            m->total.at[m->sources.at[j]] += share;
        }
    }
    return PF_OK;
}

void pf_ibm1_update(pf_ibm1 *m) {
    for (size_t i = 0; m->slot && i <= m->mask; i++) {
        pair_slot *s = &m->slot[i];
        if (!s->words) continue;
        s->given = s->count / m->total.at[s->words >> 32];
        s->count = 0;
    }
    for (size_t f = 0; f < m->total.n; f++) m->total.at[f] = 0;
    m->later = true;
}

/* ---- training ---- */

static pf_err count_pairs(pf_ibm1 *m, const pf_ibm1_corpus *corpus, pf_parallel *pairs, size_t source, size_t target) {
    for (bool more;;) {
        PF_TRY(pf_parallel_next(pairs, &more));
        if (!more) return PF_OK;
        PF_TRY(pf_ibm1_count(m, pf_parallel_sentence(pairs, source), pf_parallel_sentence(pairs, target)));
        if (corpus->progress) corpus->progress(corpus->self, pf_parallel_number(pairs));
    }
}

pf_err pf_ibm1_train(pf_ibm1 *m, const pf_ibm1_corpus *corpus, uint64_t iterations) {
    for (uint64_t i = 0; i < iterations; i++) {
        pf_parallel *pairs = NULL;
        size_t source, target;
        pf_err err = corpus->open(corpus->self, &pairs, &source, &target);
        if (!err) err = count_pairs(m, corpus, pairs, source, target);
        pf_parallel_free(pairs);
        PF_TRY(err);
        pf_ibm1_update(m);
    }
    return PF_OK;
}

/* ---- use ---- */

double pf_ibm1_given(const pf_ibm1 *m, const pf_word *source, const pf_word *target) {
    uint32_t f = pf_statetab_find(&m->source, source->n ? source->at : "", source->n);
    uint32_t e = pf_statetab_find(&m->target, target->at, target->n);
    if (f == UINT32_MAX || e == UINT32_MAX || !m->slot) return 0;
    uint64_t words = words_of(f, e);
    const pair_slot *s = &m->slot[probe(m, words, begin_of(m, words))];
    return s->words ? s->given : 0;
}
