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
    pf_symtab *table = calloc(1, sizeof *table);
    if (!table || !(table->title = strdup(name))) {
        free(table);
        return pf_nomem();
    }
    table->refs = 1;
    pf_statetab_init(&table->by_text, 0);
    pf_statetab_init(&table->by_label, sizeof(pf_label));
    *out = table;
    return PF_OK;
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

/* Do the two maps say the same of every entry? */
static bool maps_agree(const pf_symtab *table) {
    for (uint32_t i = 0; i < table->entries.n; i++) {
        const symbol_entry *entry = &table->entries.at[i];
        if (pf_statetab_find(&table->by_text, entry->text, entry->length) != i) return false;
        if (pf_statetab_find(&table->by_label, &entry->label, sizeof entry->label) != i) return false;
        if (entry->label > table->largest || entry->label < 0) return false;
    }
    return table->by_text.n == table->entries.n && table->by_label.n == table->entries.n;
}

/* A pair whose string and label are both new. */
static pf_err enter(pf_symtab *table, const char *symbol, size_t length, pf_label label) {
    uint32_t id, same_id;
    assert(label >= 0);
    char *text = pf_arena_get(&table->texts, length + 1);
    if (!text) return pf_nomem();
    memcpy(text, symbol, length);
    text[length] = 0;
    PF_TRY(PF_ROOM(&table->entries, 1));
    PF_TRY(pf_statetab_intern(&table->by_text, symbol, length, &id, NULL));
    PF_TRY(pf_statetab_intern(&table->by_label, &label, sizeof label, &same_id, NULL));
    assert(id == table->entries.n && same_id == table->entries.n);
    table->entries.at[table->entries.n++] = (symbol_entry){text, length, label};
    if (label > table->largest) table->largest = label;
    PFI_CHECK((table->entries.n & (table->entries.n - 1)) || maps_agree(table));
    return PF_OK;
}

pf_err pf_symtab_add(pf_symtab *table, const char *symbol, size_t length, pf_label *label) {
    uint32_t id = pf_statetab_find(&table->by_text, symbol, length);
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
    uint32_t text = pf_statetab_find(&table->by_text, symbol, length);
    uint32_t number = pf_statetab_find(&table->by_label, &label, sizeof label);
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
    uint32_t id = pf_statetab_find(&table->by_text, symbol, length);
    return id == UINT32_MAX ? PF_NO_LABEL : table->entries.at[id].label;
}

const char *pf_symtab_name(const pf_symtab *table, pf_label label, size_t *length) {
    uint32_t id = pf_statetab_find(&table->by_label, &label, sizeof label);
    if (id == UINT32_MAX) return NULL;
    if (length) *length = table->entries.at[id].length;
    return table->entries.at[id].text;
}
