/* Entries in order, their bytes in an arena, and two state tables: by string and by label. */
#include <permfst/machine/symtab.h>

#include <permfst/base/arena.h>
#include <permfst/base/statetab.h>
#include <permfst/base/vec.h>

#include "base/contract.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *text;
    size_t length;
    pf_label label;
} symbol_entry;

struct pf_symtab {
    unsigned refs;
    char *title;
    PF_VEC(symbol_entry) entries;
    pf_arena texts;
    pf_statetab by_text, by_label; /* ids are entry numbers */
    pf_label largest;
};

pf_err pf_symtab_new(const char *name, pf_symtab **out) {
    pf_symtab *t = calloc(1, sizeof *t);
    if (!t || !(t->title = strdup(name))) {
        free(t);
        return pf_nomem();
    }
    t->refs = 1;
    pf_statetab_init(&t->by_text, 0);
    pf_statetab_init(&t->by_label, sizeof(pf_label));
    *out = t;
    return PF_OK;
}

pf_symtab *pf_symtab_ref(pf_symtab *t) {
    if (t) __atomic_add_fetch(&t->refs, 1, __ATOMIC_RELAXED);
    return t;
}

void pf_symtab_free(pf_symtab *t) {
    if (!t || __atomic_sub_fetch(&t->refs, 1, __ATOMIC_ACQ_REL)) return;
    PF_VEC_FREE(&t->entries);
    pf_arena_free(&t->texts);
    pf_statetab_free(&t->by_text);
    pf_statetab_free(&t->by_label);
    free(t->title);
    free(t);
}

const char *pf_symtab_title(const pf_symtab *t) { return t->title; }
size_t pf_symtab_count(const pf_symtab *t) { return t->entries.n; }
pf_label pf_symtab_largest(const pf_symtab *t) { return t->largest; }

const char *pf_symtab_at(const pf_symtab *t, size_t i, size_t *length, pf_label *label) {
    assert(i < t->entries.n);
    const symbol_entry *e = &t->entries.at[i];
    if (length) *length = e->length;
    if (label) *label = e->label;
    return e->text;
}

/* Do the two maps say the same of every entry? */
static bool maps_agree(const pf_symtab *t) {
    for (uint32_t i = 0; i < t->entries.n; i++) {
        const symbol_entry *e = &t->entries.at[i];
        if (pf_statetab_find(&t->by_text, e->text, e->length) != i) return false;
        if (pf_statetab_find(&t->by_label, &e->label, sizeof e->label) != i) return false;
        if (e->label > t->largest || e->label < 0) return false;
    }
    return t->by_text.n == t->entries.n && t->by_label.n == t->entries.n;
}

/* A pair whose string and label are both new. */
static pf_err enter(pf_symtab *t, const char *symbol, size_t length, pf_label label) {
    uint32_t id, same_id;
    assert(label >= 0);
    char *text = pf_arena_get(&t->texts, length + 1);
    if (!text) return pf_nomem();
    memcpy(text, symbol, length);
    text[length] = 0;
    PF_TRY(PF_ROOM(&t->entries, 1));
    PF_TRY(pf_statetab_intern(&t->by_text, symbol, length, &id, NULL));
    PF_TRY(pf_statetab_intern(&t->by_label, &label, sizeof label, &same_id, NULL));
    assert(id == t->entries.n && same_id == t->entries.n);
    t->entries.at[t->entries.n++] = (symbol_entry){text, length, label};
    if (label > t->largest) t->largest = label;
    PFI_CHECK((t->entries.n & (t->entries.n - 1)) || maps_agree(t));
    return PF_OK;
}

pf_err pf_symtab_add(pf_symtab *t, const char *symbol, size_t length, pf_label *label) {
    uint32_t id = pf_statetab_find(&t->by_text, symbol, length);
    if (id != UINT32_MAX) {
        *label = t->entries.at[id].label;
        return PF_OK;
    }
    if (t->largest == INT32_MAX) return pf_fail(PF_ELIMIT, "there is no free label for '%.100s'", symbol);
    *label = t->largest + 1;
    return enter(t, symbol, length, *label);
}

pf_err pf_symtab_put(pf_symtab *t, const char *symbol, size_t length, pf_label label) {
    if (label < 0) return pf_fail(PF_EINPUT, "symbol '%.100s' has the negative label %d", symbol, label);
    uint32_t text = pf_statetab_find(&t->by_text, symbol, length);
    uint32_t number = pf_statetab_find(&t->by_label, &label, sizeof label);
    if (text == UINT32_MAX && number == UINT32_MAX) return enter(t, symbol, length, label);
    if (text == number) return PF_OK;
    if (text != UINT32_MAX)
        return pf_fail(PF_EINPUT, "symbol '%.100s' has two labels: %d and %d", symbol, t->entries.at[text].label, label);
    return pf_fail(PF_EINPUT, "label %d has two symbols: '%.100s' and '%.100s'", label, t->entries.at[number].text,
                   symbol);
}

pf_err pf_symtab_put_epsilon(pf_symtab *t) {
    char name[32] = "<eps>";
    if (pf_symtab_name(t, PF_EPSILON, NULL)) return PF_OK;
    for (unsigned i = 1; pf_symtab_find(t, name, strlen(name)) != PF_NO_LABEL; i++)
        snprintf(name, sizeof name, "<eps%u>", i);
    return pf_symtab_put(t, name, strlen(name), PF_EPSILON);
}

pf_err pf_symtab_with_epsilon(pf_symtab *t, pf_symtab **out) {
    if (pf_symtab_name(t, PF_EPSILON, NULL)) {
        *out = pf_symtab_ref(t);
        return PF_OK;
    }
    pf_symtab *copy;
    PF_TRY(pf_symtab_new(t->title, &copy));
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < t->entries.n; i++)
        err = enter(copy, t->entries.at[i].text, t->entries.at[i].length, t->entries.at[i].label);
    if (!err) err = pf_symtab_put_epsilon(copy);
    if (err) pf_symtab_free(copy);
    else *out = copy;
    return err;
}

pf_label pf_symtab_find(const pf_symtab *t, const char *symbol, size_t length) {
    uint32_t id = pf_statetab_find(&t->by_text, symbol, length);
    return id == UINT32_MAX ? PF_NO_LABEL : t->entries.at[id].label;
}

const char *pf_symtab_name(const pf_symtab *t, pf_label label, size_t *length) {
    uint32_t id = pf_statetab_find(&t->by_label, &label, sizeof label);
    if (id == UINT32_MAX) return NULL;
    if (length) *length = t->entries.at[id].length;
    return t->entries.at[id].text;
}
