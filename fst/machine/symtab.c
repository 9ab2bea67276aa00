/* Entries in order, their bytes in an arena, and two state tables: by string and by label. Where there are few entries, as in the
 * table of a sentence, they are looked through instead, and there are no state tables. Nor is there one by label where labels
 * follow one another as the entries do, as in most tables. */
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

enum { FEW = 32 };

typedef struct {
    const char *text;
    size_t length;
    pf_label label;
    uint32_t begin; /* the first bytes of the text, up to four: most strings differ there */
} symbol_entry;

struct pf_symtab {
    unsigned refs;
    char *title;
    PF_VEC(symbol_entry) entries;
    pf_arena texts;
    pf_statetab by_text, by_label; /* ids are entry numbers; empty as long as there are at most FEW; and by_label, as long as: */
    bool in_order;                 /* each entry has the label after that of the entry before it */
    pf_label largest;
};

pf_err pf_symtab_new(const char *name, pf_symtab **out) {
    pf_symtab *table = calloc(1, sizeof *table);
    if (!table || !(table->title = strdup(name))) {
        free(table);
        return pf_nomem();
    }
    table->refs = 1;
    table->in_order = true;
    pf_statetab_init(&table->by_text, 0);
    pf_statetab_init(&table->by_label, sizeof(pf_label));
    *out = table;
    return PF_OK;
}

pf_err pf_symtab_expect(pf_symtab *table, size_t count) {
    if (count <= table->entries.n) return PF_OK;
    PF_TRY(PF_ROOM(&table->entries, count - table->entries.n));
    return count > FEW ? pf_statetab_expect(&table->by_text, count) : PF_OK;
}

pf_symtab *pf_symtab_ref(pf_symtab *table) {
    if (table) __atomic_add_fetch(&table->refs, 1, __ATOMIC_RELAXED);
    return table;
}

void pf_symtab_free(pf_symtab *table) {
    if (!table || __atomic_sub_fetch(&table->refs, 1, __ATOMIC_ACQ_REL)) return;
    PF_VEC_FREE(&table->entries);
    pf_arena_free(&table->texts);
    pf_statetab_free(&table->by_text);
    pf_statetab_free(&table->by_label);
    free(table->title);
    free(table);
}

const char *pf_symtab_title(const pf_symtab *table) { return table->title; }
size_t pf_symtab_count(const pf_symtab *table) { return table->entries.n; }
pf_label pf_symtab_largest(const pf_symtab *table) { return table->largest; }

const char *pf_symtab_at(const pf_symtab *table, size_t i, size_t *length, pf_label *label) {
    assert(i < table->entries.n);
    const symbol_entry *entry = &table->entries.at[i];
    if (length) *length = entry->length;
    if (label) *label = entry->label;
    return entry->text;
}

static uint32_t begin_of(const char *text, size_t length) {
    uint32_t begin = 0;
    if (length >= sizeof begin) memcpy(&begin, text, sizeof begin);
    else
        for (size_t i = 0; i < length; i++) begin |= (uint32_t)(unsigned char)text[i] << 8 * i;
    return begin;
}

/* The entry of a string, or of a label; UINT32_MAX: there is none. */
static uint32_t find_text(const pf_symtab *table, const char *symbol, size_t length) {
    if (table->entries.n > FEW) return pf_statetab_find(&table->by_text, symbol, length);
    const uint32_t begin = begin_of(symbol, length);
    for (uint32_t i = 0; i < table->entries.n; i++) {
        const symbol_entry *entry = &table->entries.at[i];
        if (entry->begin == begin && entry->length == length && memcmp(entry->text, symbol, length) == 0) return i;
    }
    return UINT32_MAX;
}

static uint32_t find_label(const pf_symtab *table, pf_label label) {
    if (table->in_order) {
        const int64_t i = table->entries.n ? (int64_t)label - table->entries.at[0].label : -1;
        return i >= 0 && i < (int64_t)table->entries.n ? (uint32_t)i : UINT32_MAX;
    }
    if (table->entries.n > FEW) return pf_statetab_find(&table->by_label, &label, sizeof label);
    for (uint32_t i = 0; i < table->entries.n; i++)
        if (table->entries.at[i].label == label) return i;
    return UINT32_MAX;
}

/* Do the two maps say the same of every entry? */
static bool maps_agree(const pf_symtab *table) {
    for (uint32_t i = 0; i < table->entries.n; i++) {
        const symbol_entry *entry = &table->entries.at[i];
        if (find_text(table, entry->text, entry->length) != i || find_label(table, entry->label) != i) return false;
        if (entry->label > table->largest || entry->label < 0) return false;
    }
    const size_t mapped = table->entries.n > FEW ? table->entries.n : 0;
    return table->by_text.n == mapped && (table->in_order || table->by_label.n == mapped);
}

/* Entry `last`, which may be beyond the last one, into one of the maps, after those before it that are not there yet; or some of
 * them are there already, after this has failed for a later one. */
static pf_err put_into(pf_symtab *table, pf_statetab *map, uint32_t last) {
    const bool texts = map == &table->by_text;
    uint32_t id;
    for (uint32_t i = map->n < last ? 0 : last; last >= FEW && i <= last; i++) {
        const symbol_entry *entry = &table->entries.at[i];
        const void *key = texts ? (const void *)entry->text : &entry->label;
        PF_TRY(pf_statetab_intern(map, key, texts ? entry->length : sizeof entry->label, &id, NULL));
        assert(id == i);
    }
    return PF_OK;
}

/* Does the label of an entry follow that of the entry before it? */
static bool goes_on(const pf_symtab *table, uint32_t i) {
    return !i || table->entries.at[i].label - 1 == table->entries.at[i - 1].label;
}

/* A pair whose string and label are both new. */
static pf_err enter(pf_symtab *table, const char *symbol, size_t length, pf_label label) {
    const uint32_t last = (uint32_t)table->entries.n;
    assert(label >= 0);
    char *text = pf_arena_get(&table->texts, length + 1);
    if (!text) return pf_nomem();
    memcpy(text, symbol, length);
    text[length] = 0;
    PF_TRY(PF_ROOM(&table->entries, 1));
    table->entries.at[last] = (symbol_entry){text, length, label, begin_of(text, length)};
    const bool in_order = table->in_order && goes_on(table, last);
    PF_TRY(put_into(table, &table->by_text, last));
    if (!in_order) PF_TRY(put_into(table, &table->by_label, last));
    table->in_order = in_order;
    table->entries.n++;
    if (label > table->largest) table->largest = label;
    PFI_CHECK((table->entries.n & (table->entries.n - 1)) || maps_agree(table));
    return PF_OK;
}

pf_err pf_symtab_add(pf_symtab *table, const char *symbol, size_t length, pf_label *label) {
    uint32_t id = find_text(table, symbol, length);
    if (id != UINT32_MAX) {
        *label = table->entries.at[id].label;
        return PF_OK;
    }
    if (table->largest == INT32_MAX) return pf_fail(PF_ELIMIT, "there is no free label for '%.100s'", symbol);
    *label = table->largest + 1;
    return enter(table, symbol, length, *label);
}

pf_err pf_symtab_put(pf_symtab *table, const char *symbol, size_t length, pf_label label) {
    if (label < 0) return pf_fail(PF_EINPUT, "symbol '%.100s' has the negative label %d", symbol, label);
    uint32_t text = find_text(table, symbol, length), number = find_label(table, label);
    if (text == UINT32_MAX && number == UINT32_MAX) return enter(table, symbol, length, label);
    if (text == number) return PF_OK;
    if (text != UINT32_MAX)
        return pf_fail(PF_EINPUT, "symbol '%.100s' has two labels: %d and %d", symbol, table->entries.at[text].label, label);
    return pf_fail(PF_EINPUT, "label %d has two symbols: '%.100s' and '%.100s'", label, table->entries.at[number].text,
                   symbol);
}

pf_err pf_symtab_put_epsilon(pf_symtab *table) {
    char name[32] = "<eps>";
    if (pf_symtab_name(table, PF_EPSILON, NULL)) return PF_OK;
    for (unsigned i = 1; pf_symtab_find(table, name, strlen(name)) != PF_NO_LABEL; i++)
        snprintf(name, sizeof name, "<eps%u>", i);
    return pf_symtab_put(table, name, strlen(name), PF_EPSILON);
}

pf_err pf_symtab_with_epsilon(pf_symtab *table, pf_symtab **out) {
    if (pf_symtab_name(table, PF_EPSILON, NULL)) {
        *out = pf_symtab_ref(table);
        return PF_OK;
    }
    pf_symtab *copy;
    PF_TRY(pf_symtab_new(table->title, &copy));
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < table->entries.n; i++)
        err = enter(copy, table->entries.at[i].text, table->entries.at[i].length, table->entries.at[i].label);
    if (!err) err = pf_symtab_put_epsilon(copy);
    if (err) pf_symtab_free(copy);
    else *out = copy;
    return err;
}

pf_label pf_symtab_find(const pf_symtab *table, const char *symbol, size_t length) {
    uint32_t id = find_text(table, symbol, length);
    return id == UINT32_MAX ? PF_NO_LABEL : table->entries.at[id].label;
}

const char *pf_symtab_name(const pf_symtab *table, pf_label label, size_t *length) {
    uint32_t id = find_label(table, label);
    if (id == UINT32_MAX) return NULL;
    if (length) *length = table->entries.at[id].length;
    return table->entries.at[id].text;
}
