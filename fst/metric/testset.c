/* The first reference gives the order of the segments; segments that only later references have follow them. O(bytes). */
#include <permfst/metric/testset.h>

#include <permfst/base/digits.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pf_testset_init(pf_testset *set, const pf_tokeniser *tokeniser) {
    *set = (pf_testset){.tokeniser = tokeniser};
    pf_statetab_init(&set->vocabulary, 0);
    pf_statetab_init(&set->key, 0);
}

void pf_testset_free(pf_testset *set) {
    for (size_t at = 0; at < set->reference.n; at++) {
        free(set->reference.at[at].file);
        pf_tokens_free(&set->reference.at[at].words);
        PF_VEC_FREE(&set->reference.at[at].place);
    }
    PF_VEC_FREE(&set->reference);
    PF_VEC_FREE(&set->one);
    PF_VEC_FREE(&set->chosen);
    pf_statetab_free(&set->vocabulary);
    pf_statetab_free(&set->key);
    *set = (pf_testset){0};
}

/* ---- names and complaints ---- */

static const char *where(const pf_statetab *key, size_t segment, char *to, size_t room) {
    size_t length, doc;
    if (segment >= key->n) {
        snprintf(to, room, "line %zu", segment + 1);
        return to;
    }
    const char *text = pf_statetab_key(key, (uint32_t)segment, &length);
    doc = (size_t)((const char *)memchr(text, 0, length) - text);
    snprintf(to, room, "segment %.*s of document '%.*s'", (int)(length - doc - 1 < 60 ? length - doc - 1 : 60), text + doc + 1,
             (int)(doc < 100 ? doc : 100), text);
    return to;
}

const char *pf_docset_where(const pf_docset *set, size_t segment, char *to, size_t room) {
    return where(&set->key, segment, to, room);
}

static bool has(const pf_reference *reference, size_t segment) {
    return segment < reference->place.n && reference->place.at[segment] != UINT32_MAX;
}

/* References with keys may have all segments only together. */
static pf_err different_lengths(const pf_testset *testset, size_t segments, bool keys, const char *file) {
    bool together = testset->key.n && testset->reference.n > 1;
    size_t here = segments < testset->n ? segments : testset->n;
    const char *references = together ? "the references" : testset->reference.at[0].file;
    return pf_fail(PF_EINPUT, "%s %s %zu %s%s and %s has %zu: %s %zu is missing from %s", references, together ? "have" : "has",
                   testset->n, testset->key.n ? "segment" : "line", pf_plural(testset->n), file, segments,
                   keys || testset->key.n ? "segment" : "line", here + 1, segments < testset->n ? file : references);
}

static pf_err missing(const pf_testset *set, size_t segment, const char *file) {
    char name[200];
    const pf_reference *reference = set->reference.at;
    while (!has(reference, segment)) reference++; /* some reference has each segment */
    return pf_fail(PF_EINPUT, "%s has %s, which is missing from %s", reference->file, where(&set->key, segment, name, sizeof name),
                   file);
}

/* ---- references ---- */

static bool by_key(const pf_testset *testset, const pf_docset *set) { return testset->key.n && set->key.n; }

static pf_err add_words(pf_testset *testset, pf_tokens *words, const pf_docset *set, size_t segment) {
    size_t length;
    const char *text = pf_docset_text(set, segment, &length);
    return pf_tokens_add(words, testset->tokeniser, &testset->vocabulary, text, length);
}

/* The segment of the test set that is this segment of the set; one more where it has none yet. */
static pf_err find_or_add(pf_testset *testset, const pf_docset *set, size_t segment, size_t *out) {
    size_t length;
    uint32_t id;
    int fresh = 0;
    *out = segment;
    if (!set->key.n) return PF_OK;
    const void *key = pf_statetab_key(&set->key, (uint32_t)segment, &length);
    PF_TRY(pf_statetab_intern(&testset->key, key, length, &id, &fresh));
    *out = id;
    return PF_OK;
}

static pf_err set_place(pf_reference *reference, size_t segment, size_t place) {
    if (segment >= reference->place.n) PF_TRY(PF_ROOM(&reference->place, segment + 1 - reference->place.n));
    while (reference->place.n <= segment) reference->place.at[reference->place.n++] = UINT32_MAX;
    reference->place.at[segment] = (uint32_t)place;
    return PF_OK;
}

static pf_err read_reference(pf_testset *testset, const pf_docset *set, pf_reference *reference, bool keys) {
    for (size_t i = 0; i < set->end.n; i++) {
        size_t segment = i;
        if (keys) PF_TRY(find_or_add(testset, set, i, &segment));
        PF_TRY(add_words(testset, &reference->words, set, i));
        PF_TRY(set_place(reference, segment, i));
        if (segment >= testset->n) testset->n = segment + 1;
    }
    return PF_OK;
}

/* Begins one more reference. */
static pf_err add_reference(pf_testset *testset, size_t segments, bool keys, const char *file, pf_reference **out) {
    if (segments >= UINT32_MAX) return pf_fail(PF_ELIMIT, "%s has more than %u segments", file, UINT32_MAX - 1);
    if (testset->reference.n && !(testset->key.n && keys) && segments != testset->n)
        return different_lengths(testset, segments, keys, file);
    PF_TRY(PF_PUSH(&testset->reference, (pf_reference){0}));
    *out = &testset->reference.at[testset->reference.n - 1];
    return ((*out)->file = strdup(file)) ? PF_OK : pf_nomem();
}

pf_err pf_testset_reference(pf_testset *testset, const pf_docset *set, const char *file) {
    pf_reference *reference;
    bool first = !testset->reference.n;
    PF_TRY(add_reference(testset, set->end.n, set->key.n, file, &reference));
    return read_reference(testset, set, reference, first || by_key(testset, set));
}

pf_err pf_testset_numbers(pf_testset *testset, pf_tokens *words, const char *file) {
    pf_reference *reference;
    PF_TRY(add_reference(testset, words->end.n, false, file, &reference));
    reference->words = *words;
    *words = (pf_tokens){0};
    for (size_t i = 0; i < reference->words.end.n; i++) PF_TRY(set_place(reference, i, i));
    testset->n = reference->words.end.n;
    return PF_OK;
}

/* ---- systems ---- */

pf_err pf_testset_check(const pf_testset *testset, size_t segments, const char *file) {
    return segments == testset->n ? PF_OK : different_lengths(testset, segments, false, file);
}

static pf_err in_order(pf_testset *testset, const pf_docset *set, const char *file, pf_tokens *out) {
    PF_TRY(pf_testset_check(testset, set->end.n, file));
    for (size_t i = 0; i < testset->n; i++) PF_TRY(add_words(testset, out, set, i));
    return PF_OK;
}

/* Has the set a segment without a reference? The first of them. */
static void find_extra(const pf_testset *testset, const pf_docset *set, size_t *extra, size_t *first) {
    for (size_t segment = 0; segment < set->end.n; segment++) {
        size_t length;
        const void *key = pf_statetab_key(&set->key, (uint32_t)segment, &length);
        if (pf_statetab_find(&testset->key, key, length) != UINT32_MAX) continue;
        if (!(*extra)++) *first = segment;
    }
}

pf_err pf_testset_system(pf_testset *testset, const pf_docset *set, const char *file, pf_tokens *out, size_t *extra,
                         size_t *first) {
    *extra = *first = 0;
    if (!by_key(testset, set)) return in_order(testset, set, file, out);
    for (size_t segment = 0; segment < testset->n; segment++) {
        size_t length;
        const void *key = pf_statetab_key(&testset->key, (uint32_t)segment, &length);
        uint32_t place = pf_statetab_find(&set->key, key, length);
        if (place == UINT32_MAX) return missing(testset, segment, file);
        PF_TRY(add_words(testset, out, set, place));
    }
    find_extra(testset, set, extra, first);
    return PF_OK;
}

pf_err pf_testset_references(pf_testset *set, size_t place, pf_references *out) {
    assert(place < set->n);
    set->one.n = 0;
    *out = (pf_references){0};
    PF_TRY(PF_ROOM(&set->one, set->reference.n + 1));
    for (size_t k = 0; k < set->reference.n; k++) {
        const pf_reference *reference = &set->reference.at[k];
        if (!has(reference, place)) continue;
        pf_segment segment = pf_tokens_at(&reference->words, reference->place.at[place]);
        if (segment.n) set->one.at[set->one.n++] = segment;
        else out->empty++;
    }
    if (!set->one.n) set->one.at[set->one.n++] = (pf_segment){0};
    out->at = set->one.at;
    out->n = set->one.n;
    return PF_OK;
}

/* ---- some of the segments ---- */

uint64_t pf_testset_number(const pf_testset *set, size_t place) {
    assert(place < set->n);
    return (set->chosen.n ? set->chosen.at[place] : place) + 1;
}

static void choose_places(const pf_testset *set, pf_reference *reference) {
    size_t kept = 0;
    for (; kept < set->chosen.n && set->chosen.at[kept] < reference->place.n; kept++)
        reference->place.at[kept] = reference->place.at[set->chosen.at[kept]];
    reference->place.n = kept;
}

pf_err pf_testset_choose(pf_testset *set, bool (*wanted)(void *self, uint64_t number), void *self) {
    assert(!set->chosen.n);
    for (size_t i = 0; i < set->n; i++)
        if (wanted(self, i + 1)) PF_TRY(PF_PUSH(&set->chosen, i));
    for (size_t k = 0; k < set->reference.n; k++) choose_places(set, &set->reference.at[k]);
    set->n = set->chosen.n;
    return PF_OK;
}
