/* Words are interned and counted; the words that are kept are interned again, in the order of their bytes. */
#include <permfst/rules/lexicon.h>

#include <permfst/base/statetab.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct pf_lexicon {
    pf_statetab word;
    PF_VEC(uint64_t) count;
};

pf_err pf_lexicon_new(pf_lexicon **out) {
    if (!(*out = calloc(1, sizeof **out))) return pf_nomem();
    pf_statetab_init(&(*out)->word, 0);
    return PF_OK;
}

void pf_lexicon_free(pf_lexicon *lexicon) {
    if (!lexicon) return;
    pf_statetab_free(&lexicon->word);
    PF_VEC_FREE(&lexicon->count);
    free(lexicon);
}

pf_err pf_lexicon_count(pf_lexicon *lexicon, const pf_words *words) {
    for (size_t at = 0; at < words->n; at++) {
        uint32_t id;
        int fresh;
        PF_TRY(PF_ROOM(&lexicon->count, 1));
        PF_TRY(pf_statetab_intern(&lexicon->word, words->at[at].at, words->at[at].n, &id, &fresh));
        if (fresh) lexicon->count.at[lexicon->count.n++] = 0;
        lexicon->count.at[id]++;
    }
    return PF_OK;
}

/* ---- the most frequent ---- */

typedef struct {
    pf_word word;
    uint64_t count;
} counted;

static int by_bytes(const void *first, const void *second) {
    const pf_word *one = &((const counted *)first)->word, *other = &((const counted *)second)->word;
    int order = memcmp(one->at, other->at, one->n < other->n ? one->n : other->n);
    return order ? order : (one->n > other->n) - (one->n < other->n);
}

static int by_count(const void *first, const void *second) {
    uint64_t value = ((const counted *)first)->count, other = ((const counted *)second)->count;
    return value != other ? (value < other) - (value > other) : by_bytes(first, second);
}

static pf_err intern_all(const counted *list, size_t count, pf_statetab *tab) {
    for (size_t i = 0; i < count; i++)
        PF_TRY(pf_statetab_intern(tab, list[i].word.at, list[i].word.n, &(uint32_t){0}, NULL));
    return PF_OK;
}

pf_err pf_lexicon_keep(pf_lexicon *lexicon, size_t count) {
    size_t all = lexicon->count.n;
    counted *list = calloc(all + 1, sizeof *list);
    pf_statetab kept;
    if (!list) return pf_nomem();
    for (size_t i = 0; i < all; i++) list[i] = (counted){pf_lexicon_at(lexicon, i), lexicon->count.at[i]};
    qsort(list, all, sizeof *list, by_count);
    if (count > all) count = all;
    qsort(list, count, sizeof *list, by_bytes);
    pf_statetab_init(&kept, 0);
    pf_err err = intern_all(list, count, &kept);
    for (size_t i = 0; i < count; i++) lexicon->count.at[i] = list[i].count;
    lexicon->count.n = count;
    free(list);
    pf_statetab_free(&lexicon->word);
    lexicon->word = kept;
    return err;
}

/* ---- reading ---- */

static pf_err count_lines(pf_lexicon *lexicon, pf_reader *reader) {
    pf_words words = {0};
    pf_err err = PF_OK;
    char *line;
    size_t n;
    while (!err && !(err = pf_reader_line(reader, &line, &n)) && line) {
        err = pf_words_split(reader, line, n, &words);
        if (!err) err = pf_lexicon_count(lexicon, &words);
    }
    PF_VEC_FREE(&words);
    return err;
}

pf_err pf_lexicon_read(pf_reader *reader, size_t count, pf_lexicon **out) {
    PF_TRY(pf_lexicon_new(out));
    pf_err err = count_lines(*out, reader);
    if (!err) err = pf_lexicon_keep(*out, count);
    if (err) {
        pf_lexicon_free(*out);
        *out = NULL;
    }
    return err;
}

/* ---- use ---- */

size_t pf_lexicon_size(const pf_lexicon *lexicon) { return lexicon->word.n; }

pf_word pf_lexicon_at(const pf_lexicon *lexicon, size_t i) {
    pf_word word;
    word.at = pf_statetab_key(&lexicon->word, (uint32_t)i, &word.n);
    return word;
}

static bool has(const pf_lexicon *lexicon, const pf_word *word) {
    return pf_statetab_find(&lexicon->word, word->at, word->n) != UINT32_MAX;
}

void pf_lexical_tags_free(pf_lexical_tags *tags) {
    PF_VEC_FREE(&tags->tags);
    PF_VEC_FREE(&tags->text);
}

pf_err pf_lexicon_tags(const pf_lexicon *lexicon, const pf_words *tags, const pf_words *words, pf_lexical_tags *out) {
    size_t bytes = 0;
    assert(tags->n == words->n);
    out->tags.n = out->text.n = 0;
    PF_TRY(PF_ROOM(&out->tags, tags->n));
    for (size_t i = 0; i < tags->n; i++) bytes += tags->at[i].n + 1 + words->at[i].n;
    PF_TRY(PF_ROOM(&out->text, bytes)); /* so that it does not move */
    for (size_t i = 0; i < tags->n; i++) {
        const pf_word *tag = &tags->at[i], *word = &words->at[i];
        out->tags.at[out->tags.n++] = *tag;
        if (!has(lexicon, word)) continue;
        char *at = out->text.at + out->text.n;
        memcpy(at, tag->at, tag->n);
        at[tag->n] = '|';
        memcpy(at + tag->n + 1, word->at, word->n);
        out->tags.at[i] = (pf_word){at, tag->n + 1 + word->n};
        out->text.n += out->tags.at[i].n;
    }
    return PF_OK;
}
