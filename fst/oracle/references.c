/* The trie is filled reference by reference: for each word the n-grams that end with it, the longest last. */
#include <permfst/oracle/references.h>

#include <assert.h>

enum { NONE = UINT32_MAX };

void pf_oracle_references_init(pf_oracle_references *references) {
    *references = (pf_oracle_references){0};
    pf_statetab_init(&references->words, 0);
    pf_statetab_init(&references->grams, sizeof(uint64_t));
}

void pf_oracle_references_free(pf_oracle_references *references) {
    pf_statetab_free(&references->words);
    pf_statetab_free(&references->grams);
    PF_VEC_FREE(&references->gram);
    PF_VEC_FREE(&references->length);
}

static uint32_t child(const pf_oracle_references *references, uint32_t gram, uint32_t word) {
    uint64_t key = (uint64_t)gram << 32 | word;
    uint32_t id = pf_statetab_find(&references->grams, &key, sizeof key);
    return id == NONE ? 0 : id + 1;
}

/* The n-gram `parent` with one word more, whose end is known. */
static pf_err add_gram(pf_oracle_references *references, uint32_t parent, uint32_t word, uint32_t end, uint32_t *out) {
    uint32_t id;
    PF_TRY(pf_statetab_intern_word(&references->grams, 0, (uint64_t)parent << 32 | word, &id));
    *out = id + 1;
    assert(*out <= references->gram.n && references->gram.at[parent].length < PF_ORACLE_ORDER);
    if (*out == references->gram.n)
        PF_TRY(PF_PUSH(&references->gram, ((pf_oracle_gram){parent, end, word, 0, 0, references->gram.at[parent].length + 1})));
    pf_oracle_gram *gram = &references->gram.at[*out];
    if (++gram->now > gram->most) gram->most = gram->now;
    return PF_OK;
}

pf_err pf_oracle_references_add(pf_oracle_references *references, const char *line, size_t length) {
    const char *end = line + length;
    uint32_t before[PF_ORACLE_ORDER] = {0}, words = 0; /* the n-grams of 0 to 3 words that end with the word before */
    if (!references->gram.n) PF_TRY(PF_PUSH(&references->gram, (pf_oracle_gram){0}));
    for (size_t i = 0; i < references->gram.n; i++) references->gram.at[i].now = 0;
    for (pf_word word; pf_word_next(&line, end, &word); words++) {
        uint32_t id, now[PF_ORACLE_ORDER + 1] = {0};
        PF_TRY(pf_statetab_intern(&references->words, word.at, word.n, &id, NULL));
        for (unsigned k = 0; k < PF_ORACLE_ORDER && k <= words; k++)
            PF_TRY(add_gram(references, before[k], id, now[k], &now[k + 1]));
        for (unsigned k = 1; k < PF_ORACLE_ORDER; k++) before[k] = now[k];
    }
    return PF_PUSH(&references->length, words);
}

uint32_t pf_oracle_word(const pf_oracle_references *references, const char *word, size_t length) {
    return references->words.n ? pf_statetab_find(&references->words, word, length) : NONE;
}

uint32_t pf_oracle_step(const pf_oracle_references *references, uint32_t history, uint32_t word, uint32_t *next) {
    uint32_t gram = 0;
    *next = 0;
    if (word == NONE || !references->gram.n) return 0;
    assert(references->gram.at[history].length < PF_ORACLE_ORDER);
    for (; !(gram = child(references, history, word)) && history; history = references->gram.at[history].end) {}
    *next = references->gram.at[gram].length == PF_ORACLE_ORDER ? references->gram.at[gram].end : gram;
    return gram;
}

uint32_t pf_oracle_closest(const pf_oracle_references *references, uint64_t length) {
    uint32_t best = references->length.n ? references->length.at[0] : 0;
    for (size_t at = 1; at < references->length.n; at++) {
        uint64_t own = references->length.at[at], far = own > length ? own - length : length - own;
        uint64_t best_far = best > length ? best - length : length - best;
        if (far < best_far || (far == best_far && own < best)) best = references->length.at[at];
    }
    return best;
}
