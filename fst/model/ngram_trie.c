/* Makes a trie of the n-grams of a file, by sorting.
 *
 * Files have the n-grams of one length together, most often sorted by first words or by last ones. A section is sorted by stable
 * counting sorts, word by word from the last one, as cards are (Knuth, TAOCP 3, §5.2.5); words by which it is sorted already are
 * passed over. A short section of a model with many words is sorted by comparing. Then two sections are merged to find the
 * histories of the longer n-grams among the shorter ones. So no n-gram is looked up by a hash, and all but the sorting goes
 * through memory from front to back. */
#include "model/ngram_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void pfi_section_free(pfi_section *section) {
    PF_VEC_FREE(&section->word);
    PF_VEC_FREE(&section->gram);
}

void pfi_trie_free(pfi_trie *trie) {
    pf_symtab_free(trie->words);
    PF_VEC_FREE(&trie->node);
    PF_VEC_FREE(&trie->gram);
    PF_VEC_FREE(&trie->count);
}

static int compare(const uint32_t *first, const uint32_t *second, unsigned length) {
    for (unsigned i = 0; i < length; i++)
        if (first[i] != second[i]) return first[i] < second[i] ? -1 : 1;
    return 0;
}

/* ---- sorting ---- */

static bool is_sorted(const pfi_section *section) {
    for (size_t i = 1; i < section->gram.n; i++)
        if (compare(pfi_section_words(section, i - 1), pfi_section_words(section, i), section->length) > 0) return false;
    return true;
}

typedef struct {
    const uint32_t *words;
    unsigned length;
} card;

static int compare_cards(const void *first, const void *second) {
    const card *one = first, *other = second;
    int order = compare(one->words, other->words, one->length);
    return order ? order : (one->words > other->words) - (one->words < other->words); /* what came first */
}

static pf_err sort_few(const pfi_section *section, uint32_t *came) {
    const size_t n = section->gram.n;
    card *cards = malloc(n * sizeof *cards);
    if (!cards) return pf_nomem();
    for (size_t i = 0; i < n; i++) cards[i] = (card){pfi_section_words(section, i), section->length};
    qsort(cards, n, sizeof *cards, compare_cards);
    for (size_t i = 0; i < n; i++) came[i] = (uint32_t)((size_t)(cards[i].words - section->word.at) / section->length);
    free(cards);
    return PF_OK;
}

/* A stable counting sort by one word of each n-gram. False, and `out` is not filled: `in` is sorted by it. */
static bool sort_by(const pfi_section *section, unsigned place, uint32_t labels, const uint32_t *in, uint32_t *out, uint32_t *end) {
    const uint32_t *word = section->word.at + place;
    const size_t n = section->gram.n, length = section->length;
    uint32_t before = 0;
    bool ascends = true;
    memset(end, 0, (labels + (size_t)2) * sizeof *end);
    for (size_t i = 0; i < n; i++) {
        const uint32_t label = word[in[i] * length];
        ascends &= label >= before;
        before = label;
        end[label + 1]++;
    }
    if (ascends) return false;
    for (size_t label = 0; label <= labels; label++) end[label + 1] += end[label];
    for (size_t i = 0; i < n; i++) out[end[word[in[i] * length]]++] = in[i];
    return true;
}

static pf_err sort_many(const pfi_section *section, uint32_t labels, uint32_t *came) {
    const size_t n = section->gram.n;
    uint32_t *room = malloc(n * sizeof *room), *end = malloc((labels + (size_t)2) * sizeof *end), *in = came, *out = room;
    for (unsigned place = section->length; room && end && place--;) {
        if (!sort_by(section, place, labels, in, out, end)) continue;
        uint32_t *sorted = out;
        out = in;
        in = sorted;
    }
    if (room && in == room) memcpy(came, room, n * sizeof *came);
    pf_err err = room && end ? PF_OK : pf_nomem();
    free(room);
    free(end);
    return err;
}

/* Puts the n-grams in the order that was found. */
static pf_err arrange(pfi_section *section, const uint32_t *came) {
    const size_t n = section->gram.n, length = section->length;
    pfi_section sorted = {.length = section->length};
    pf_err err = PF_ROOM(&sorted.word, n * length);
    if (!err) err = PF_ROOM(&sorted.gram, n);
    if (err) {
        pfi_section_free(&sorted);
        return err;
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t *words = pfi_section_words(section, came[i]);
        for (size_t place = 0; place < length; place++) sorted.word.at[i * length + place] = words[place];
        sorted.gram.at[i] = section->gram.at[came[i]];
    }
    sorted.word.n = n * length;
    sorted.gram.n = n;
    pfi_section_free(section);
    *section = sorted;
    return PF_OK;
}

pf_err pfi_section_sort(pfi_section *section, uint32_t labels, uint32_t *came) {
    const size_t n = section->gram.n;
    for (size_t i = 0; i < n; i++) came[i] = (uint32_t)i;
    if (is_sorted(section)) return PF_OK;
    PF_TRY(n < labels ? sort_few(section, came) : sort_many(section, labels, came));
    return arrange(section, came);
}

/* ---- merging ---- */

bool pfi_section_reach(const pfi_section *section, size_t *at, const uint32_t *words) {
    for (; *at < section->gram.n; ++*at) {
        int order = compare(pfi_section_words(section, *at), words, section->length);
        if (order >= 0) return order == 0;
    }
    return false;
}

static pf_err append(pfi_section *to, const uint32_t *words, pfi_gram gram) {
    PF_TRY(PF_ROOM(&to->word, to->length));
    memcpy(to->word.at + to->word.n, words, to->length * sizeof *words);
    to->word.n += to->length;
    return PF_PUSH(&to->gram, gram);
}

/* Has every n-gram its history among the shorter ones? */
static bool has_histories(const pfi_section *shorter, const pfi_section *longer) {
    size_t at = 0;
    for (size_t i = 0; i < longer->gram.n; i++)
        if (!pfi_section_reach(shorter, &at, pfi_section_words(longer, i))) return false;
    return true;
}

/* The shorter n-grams and all histories of the longer ones. */
static pf_err join(const pfi_section *shorter, const pfi_section *longer, pfi_section *joined) {
    size_t at = 0;
    for (size_t i = 0; i < longer->gram.n; i++) {
        const uint32_t *words = pfi_section_words(longer, i);
        size_t from = at;
        bool there = pfi_section_reach(shorter, &at, words);
        for (; from < at; from++) PF_TRY(append(joined, pfi_section_words(shorter, from), shorter->gram.at[from]));
        bool again = joined->gram.n && compare(pfi_section_words(joined, joined->gram.n - 1), words, joined->length) == 0;
        if (!there && !again) PF_TRY(append(joined, words, (pfi_gram){0, 0, 0}));
    }
    for (; at < shorter->gram.n; at++) PF_TRY(append(joined, pfi_section_words(shorter, at), shorter->gram.at[at]));
    return PF_OK;
}

static pf_err add_histories(pfi_section *shorter, const pfi_section *longer) {
    pfi_section joined = {.length = shorter->length};
    if (has_histories(shorter, longer)) return PF_OK;
    pf_err err = join(shorter, longer, &joined);
    if (err) {
        pfi_section_free(&joined);
        return err;
    }
    pfi_section_free(shorter);
    *shorter = joined;
    return PF_OK;
}

/* The nodes of a section; those of the shorter ones begin at `first`. */
static void enter(pfi_trie *trie, const pfi_section *shorter, uint32_t first, const pfi_section *section) {
    size_t at = 0;
    for (size_t i = 0; i < section->gram.n; i++) {
        const uint32_t *words = pfi_section_words(section, i);
        const bool there = !shorter || pfi_section_reach(shorter, &at, words);
        assert(there), (void)there;
        trie->node.at[trie->node.n++] = (pfi_gram_key){shorter ? first + (uint32_t)at : PFI_ROOT, words[section->length - 1]};
    }
    memcpy(trie->gram.at + trie->gram.n, section->gram.at, section->gram.n * sizeof *section->gram.at);
    trie->gram.n += section->gram.n;
}

pf_err pfi_trie_make(pfi_section *sections, size_t count, pfi_trie *trie) {
    uint64_t nodes = 0;
    uint32_t first = 0;
    for (size_t k = count - 1; k; k--) PF_TRY(add_histories(&sections[k - 1], &sections[k]));
    for (size_t k = 0; k < count; k++) nodes += sections[k].gram.n;
    if (nodes >= UINT32_MAX) return pf_fail(PF_ELIMIT, "the model has more than %u n-grams", UINT32_MAX - 1);
    PF_TRY(PF_ROOM(&trie->node, (size_t)nodes));
    PF_TRY(PF_ROOM(&trie->gram, (size_t)nodes));
    for (size_t k = 0; k < count; k++) {
        const uint32_t begin = (uint32_t)trie->node.n;
        if (sections[k].gram.n) enter(trie, k ? &sections[k - 1] : NULL, first, &sections[k]);
        if (k) pfi_section_free(&sections[k - 1]);
        first = begin;
    }
    pfi_section_free(&sections[count - 1]);
    return PF_OK;
}
