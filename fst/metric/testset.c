/* The first reference gives the order of the segments; segments that only later references have follow them. O(bytes). */
#include <permfst/metric/testset.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pf_testset_init(pf_testset *t, const pf_tokeniser *tokeniser) {
    *t = (pf_testset){.tokeniser = tokeniser};
    pf_statetab_init(&t->vocabulary, 0);
    pf_statetab_init(&t->key, 0);
}

void pf_testset_free(pf_testset *t) {
    for (size_t i = 0; i < t->reference.n; i++) {
        free(t->reference.at[i].file);
        pf_tokens_free(&t->reference.at[i].words);
        PF_VEC_FREE(&t->reference.at[i].place);
    }
    PF_VEC_FREE(&t->reference);
    PF_VEC_FREE(&t->one);
    pf_statetab_free(&t->vocabulary);
    pf_statetab_free(&t->key);
    *t = (pf_testset){0};
}

/* ---- names and complaints ---- */

static const char *where(const pf_statetab *key, size_t i, char *to, size_t room) {
    size_t n, doc;
    if (i >= key->n) {
        snprintf(to, room, "line %zu", i + 1);
        return to;
    }
    const char *text = pf_statetab_key(key, (uint32_t)i, &n);
    doc = (size_t)((const char *)memchr(text, 0, n) - text);
    snprintf(to, room, "segment %.*s of document '%.*s'", (int)(n - doc - 1 < 60 ? n - doc - 1 : 60), text + doc + 1,
             (int)(doc < 100 ? doc : 100), text);
    return to;
}

const char *pf_docset_where(const pf_docset *set, size_t i, char *to, size_t room) { return where(&set->key, i, to, room); }

static bool has(const pf_reference *r, size_t i) { return i < r->place.n && r->place.at[i] != UINT32_MAX; }

/* References with keys may have all segments only together. */
static pf_err different_lengths(const pf_testset *t, const pf_docset *set, const char *file) {
    bool together = t->key.n && t->reference.n > 1;
    size_t n = set->end.n, here = n < t->n ? n : t->n;
    const char *references = together ? "the references" : t->reference.at[0].file;
    return pf_fail(PF_EINPUT, "%s %s %zu %s%s and %s has %zu: %s %zu is missing in %s", references, together ? "have" : "has",
                   t->n, t->key.n ? "segment" : "line", t->n == 1 ? "" : "s", file, n,
                   set->key.n || t->key.n ? "segment" : "line", here + 1, n < t->n ? file : references);
}

static pf_err missing(const pf_testset *t, size_t i, const char *file) {
    char name[200];
    const pf_reference *r = t->reference.at;
    while (!has(r, i)) r++; /* some reference has each segment */
    return pf_fail(PF_EINPUT, "%s has %s, which is missing in %s", r->file, where(&t->key, i, name, sizeof name), file);
}

/* ---- references ---- */

static bool by_key(const pf_testset *t, const pf_docset *set) { return t->key.n && set->key.n; }

static pf_err add_words(pf_testset *t, pf_tokens *words, const pf_docset *set, size_t i) {
    size_t n;
    const char *text = pf_docset_text(set, i, &n);
    return pf_tokens_add(words, t->tokeniser, &t->vocabulary, text, n);
}

/* The segment of the test set that is segment i of the set; one more where it has none yet. */
static pf_err find_or_add(pf_testset *t, const pf_docset *set, size_t i, size_t *out) {
    size_t n;
    uint32_t id;
    int fresh = 0;
    *out = i;
    if (!set->key.n) return PF_OK;
    const void *key = pf_statetab_key(&set->key, (uint32_t)i, &n);
    PF_TRY(pf_statetab_intern(&t->key, key, n, &id, &fresh));
    *out = id;
    return PF_OK;
}

static pf_err set_place(pf_reference *r, size_t segment, size_t place) {
    if (segment >= r->place.n) PF_TRY(PF_ROOM(&r->place, segment + 1 - r->place.n));
    while (r->place.n <= segment) r->place.at[r->place.n++] = UINT32_MAX;
    r->place.at[segment] = (uint32_t)place;
    return PF_OK;
}

static pf_err read_reference(pf_testset *t, const pf_docset *set, pf_reference *r, bool keys) {
    for (size_t i = 0; i < set->end.n; i++) {
        size_t segment = i;
        if (keys) PF_TRY(find_or_add(t, set, i, &segment));
        PF_TRY(add_words(t, &r->words, set, i));
        PF_TRY(set_place(r, segment, i));
        if (segment >= t->n) t->n = segment + 1;
    }
    return PF_OK;
}

pf_err pf_testset_reference(pf_testset *t, const pf_docset *set, const char *file) {
    bool first = !t->reference.n;
    if (set->end.n >= UINT32_MAX) return pf_fail(PF_ELIMIT, "%s has more than %u segments", file, UINT32_MAX - 1);
    if (!first && !by_key(t, set) && set->end.n != t->n) return different_lengths(t, set, file);
    PF_TRY(PF_PUSH(&t->reference, (pf_reference){0}));
    if (!(t->reference.at[t->reference.n - 1].file = strdup(file))) return pf_nomem();
    return read_reference(t, set, &t->reference.at[t->reference.n - 1], first || by_key(t, set));
}

/* ---- systems ---- */

static pf_err in_order(pf_testset *t, const pf_docset *set, const char *file, pf_tokens *out) {
    if (set->end.n != t->n) return different_lengths(t, set, file);
    for (size_t i = 0; i < t->n; i++) PF_TRY(add_words(t, out, set, i));
    return PF_OK;
}

/* Has the set a segment without a reference? The first of them. */
static void find_extra(const pf_testset *t, const pf_docset *set, size_t *extra, size_t *first) {
    for (size_t i = 0; i < set->end.n; i++) {
        size_t n;
        const void *key = pf_statetab_key(&set->key, (uint32_t)i, &n);
        if (pf_statetab_find(&t->key, key, n) != UINT32_MAX) continue;
        if (!(*extra)++) *first = i;
    }
}

pf_err pf_testset_system(pf_testset *t, const pf_docset *set, const char *file, pf_tokens *out, size_t *extra,
                         size_t *first) {
    *extra = *first = 0;
    if (!by_key(t, set)) return in_order(t, set, file, out);
    for (size_t i = 0; i < t->n; i++) {
        size_t n;
        const void *key = pf_statetab_key(&t->key, (uint32_t)i, &n);
        uint32_t place = pf_statetab_find(&set->key, key, n);
        if (place == UINT32_MAX) return missing(t, i, file);
        PF_TRY(add_words(t, out, set, place));
    }
    find_extra(t, set, extra, first);
    return PF_OK;
}

pf_err pf_testset_references(pf_testset *t, size_t i, const pf_segment **out, size_t *n) {
    assert(i < t->n);
    t->one.n = 0;
    PF_TRY(PF_ROOM(&t->one, t->reference.n + 1));
    for (size_t k = 0; k < t->reference.n; k++) {
        const pf_reference *r = &t->reference.at[k];
        if (!has(r, i)) continue;
        pf_segment s = pf_tokens_at(&r->words, r->place.at[i]);
        if (s.n) t->one.at[t->one.n++] = s;
    }
    if (!t->one.n) t->one.at[t->one.n++] = (pf_segment){0};
    *out = t->one.at;
    *n = t->one.n;
    return PF_OK;
}
