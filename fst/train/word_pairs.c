/* One hash table with open addressing has both directions, so a look-up of two words misses the cache once. */
#include "train/word_pairs_impl.h"

#include <assert.h>
#include <stdlib.h>

enum { SOURCE, TARGET };

void pfi_word_pairs_init(pfi_word_pairs *table) {
    *table = (pfi_word_pairs){0};
    pf_statetab_init(&table->word[SOURCE], 0);
    pf_statetab_init(&table->word[TARGET], 0);
}

void pfi_word_pairs_free(pfi_word_pairs *table) {
    for (int side = 0; side < 2; side++) {
        pf_statetab_free(&table->word[side]);
        PF_VEC_FREE(&table->sums[side].empty);
        PF_VEC_FREE(&table->sums[side].empty_count);
        PF_VEC_FREE(&table->sums[side].total);
    }
    free(table->slot);
}

/* ---- the table ---- */

static uint64_t words_of(uint32_t source, uint32_t target) { return (uint64_t)source << 32 | (target + 1); }
static size_t begin_of(const pfi_word_pairs *table, uint64_t words) { return pf_hash_word(words, 0) & table->mask; }

static size_t probe(const pfi_word_pairs *table, uint64_t words, size_t at) {
    while (table->slot[at].words && table->slot[at].words != words) at = (at + 1) & table->mask;
    return at;
}

static pf_err grow(pfi_word_pairs *table) {
    size_t old = table->slot ? table->mask + 1 : 0, size = old ? 2 * old : 1024;
    if (size > SIZE_MAX / sizeof *table->slot) return pf_nomem();
    pfi_word_pairs grown = {.slot = calloc(size, sizeof *table->slot), .mask = size - 1};
    if (!grown.slot) return pf_nomem();
    for (size_t at = 0; at < old; at++)
        if (table->slot[at].words) {
            uint64_t words = table->slot[at].words;
            grown.slot[probe(&grown, words, begin_of(&grown, words))] = table->slot[at];
        }
    free(table->slot);
    table->slot = grown.slot;
    table->mask = grown.mask;
    return PF_OK;
}

static pf_err add(pfi_word_pairs *table, pf_hmm_direction direction, uint32_t source, uint32_t target, double given) {
    if (!table->slot || table->used >= table->mask / 4 * 3) PF_TRY(grow(table));
    uint64_t words = words_of(source, target);
    pfi_word_pair *slot = &table->slot[probe(table, words, begin_of(table, words))];
    table->used += !slot->words;
    slot->words = words;
    slot->given[direction] = given;
    return PF_OK;
}

void pfi_word_pairs_find(const pfi_word_pairs *table, const uint32_t *source, size_t n, uint32_t target, size_t *place) {
    assert(table->slot || !n);
    for (size_t at = 0; at < n; at++) {
        place[at] = begin_of(table, words_of(source[at], target));
#if defined(__GNUC__)
        __builtin_prefetch(&table->slot[place[at]]);
#endif
    }
    for (size_t at = 0; at < n; at++) {
        place[at] = probe(table, words_of(source[at], target), place[at]);
        if (!table->slot[place[at]].words) place[at] = SIZE_MAX;
    }
}

/* ---- from model 1 ---- */

typedef PF_VEC(uint32_t) renumbering; /* the model's numbers of words -> the table's */

typedef struct {
    pfi_word_pairs *table;
    pf_hmm_direction direction;
    renumbering from, to; /* the words that are linked with; the linked words */
} taker;

/* The empty word, source word 0, has no number in the table. */
static pf_err renumber(const pf_ibm1 *from, bool target, pf_statetab *words, renumbering *out) {
    size_t n = pf_ibm1_words(from, target);
    PF_TRY(PF_ROOM(out, n));
    if (!target) out->at[out->n++] = 0;
    for (size_t at = out->n; at < n; at++) {
        pf_word word = pf_ibm1_word(from, target, (uint32_t)at);
        PF_TRY(pf_statetab_intern(words, word.at, word.n, &out->at[at], NULL));
        out->n++;
    }
    return PF_OK;
}

static pf_err take_pair(void *self, uint32_t from, uint32_t to, double given) {
    taker *taking = self;
    uint32_t linked = taking->to.at[to];
    if (!from) {
        taking->table->sums[taking->direction].empty.at[linked] = given;
        return PF_OK;
    }
    uint32_t other = taking->from.at[from];
    return taking->direction == PF_HMM_FORWARD ? add(taking->table, taking->direction, other, linked, given)
                                          : add(taking->table, taking->direction, linked, other, given);
}

/* The sums have a place for each word. */
static pf_err make_sums(pfi_word_pairs *table) {
    for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++) {
        pfi_word_sums *sums = &table->sums[direction];
        while (sums->empty.n < table->word[!direction].n) PF_TRY(PF_PUSH(&sums->empty, 0));
        while (sums->empty_count.n < table->word[!direction].n) PF_TRY(PF_PUSH(&sums->empty_count, 0));
        while (sums->total.n < table->word[direction].n) PF_TRY(PF_PUSH(&sums->total, 0));
    }
    return PF_OK;
}

pf_err pfi_word_pairs_take(pfi_word_pairs *table, pf_hmm_direction direction, const pf_ibm1 *from) {
    taker taking = {.table = table, .direction = direction};
    pf_err err = renumber(from, false, &table->word[direction], &taking.from);
    if (!err) err = renumber(from, true, &table->word[!direction], &taking.to);
    if (!err) err = make_sums(table);
    if (!err) err = pf_ibm1_each(from, take_pair, &taking);
    PF_VEC_FREE(&taking.from);
    PF_VEC_FREE(&taking.to);
    return err;
}

/* ---- the end of an iteration ---- */

static double divide(double count, double total) { return total > 0 ? count / total : 0; }

void pfi_word_pairs_update(pfi_word_pairs *table) {
    for (size_t at = 0; table->slot && at <= table->mask; at++) {
        pfi_word_pair *slot = &table->slot[at];
        if (!slot->words) continue;
        uint32_t word[PF_HMM_DIRECTIONS] = {(uint32_t)(slot->words >> 32), (uint32_t)slot->words - 1};
        for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++) {
            slot->given[direction] = divide(slot->count[direction], table->sums[direction].total.at[word[direction]]);
            slot->count[direction] = 0;
        }
    }
    for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++) {
        pfi_word_sums *sums = &table->sums[direction];
        for (size_t at = 0; at < sums->empty.n; at++) {
            sums->empty.at[at] = divide(sums->empty_count.at[at], sums->empty_total);
            sums->empty_count.at[at] = 0;
        }
        for (size_t i = 0; i < sums->total.n; i++) sums->total.at[i] = 0;
        sums->empty_total = 0;
    }
}
