/* Symbol tables: strings <-> labels, both unique. Label 0 is epsilon whatever it is called.
 *
 * Tables are shared by reference: pf_symtab_ref takes one more, pf_symtab_free gives one back. Symbols are
 * added and never taken out, so that a table may grow while lazy machines of the same thread have it;
 * a table that several threads hold must not grow any more. Any thread may take and give back references. Strings are bytes;
 * UTF-8 passes through. Entering a symbol is O(length); what is asked and referenced is O(1). */
#ifndef PF_MACHINE_SYMTAB_H
#define PF_MACHINE_SYMTAB_H

#include <permfst/base/err.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t pf_label;
#define PF_EPSILON ((pf_label)0)
#define PF_NO_LABEL ((pf_label)-1)

#define PF_SYMBOL_LIMIT ((size_t)1 << 20) /* bytes of the longest symbol that is read */

typedef struct pf_symtab pf_symtab;

/* An empty table of one reference; `name` is what files call it. PF_ENOMEM. */
pf_err pf_symtab_new(const char *name, pf_symtab **out);
pf_symtab *pf_symtab_ref(pf_symtab *table); /* NULL gives NULL */
void pf_symtab_free(pf_symtab *table);

const char *pf_symtab_title(const pf_symtab *table);

/* The number of symbols, and symbol i < count in the order in which they were entered: its string (NUL-ended, borrowed), length
 * and label. */
size_t pf_symtab_count(const pf_symtab *table);
const char *pf_symtab_at(const pf_symtab *table, size_t i, size_t *length, pf_label *label);

/* Room for so many entries: tables that grow are copied. PF_ENOMEM, when the table is as it was. */
pf_err pf_symtab_expect(pf_symtab *table, size_t count);

/* The label of a string, entered with the next free label (largest + 1, at least 1) if it is not there. O(length).
 * PF_ELIMIT: no label is free. PF_ENOMEM. */
pf_err pf_symtab_add(pf_symtab *table, const char *symbol, size_t length, pf_label *label);

/* Enters a pair. It is not an error if the pair is there already. PF_EINPUT: the label is negative, or the string or the label is
 * there with another partner. PF_ENOMEM. */
pf_err pf_symtab_put(pf_symtab *table, const char *symbol, size_t length, pf_label label);

/* Names label 0, unless it has a name: "<eps>", or where that is a word "<eps1>", "<eps2>", ... PF_ENOMEM. */
pf_err pf_symtab_put_epsilon(pf_symtab *table);

/* The table itself, if its label 0 has a name, else a copy in which it has one. *out is a reference of the caller's.
 * O(symbols) for a copy. PF_ENOMEM. */
pf_err pf_symtab_with_epsilon(pf_symtab *table, pf_symtab **out);

/* The label of a string, or PF_NO_LABEL, in O(length). The string of a label, or NULL, in O(1); `length` may be NULL. */
pf_label pf_symtab_find(const pf_symtab *table, const char *symbol, size_t length);
const char *pf_symtab_name(const pf_symtab *table, pf_label label, size_t *length);

/* The largest label, or 0. */
pf_label pf_symtab_largest(const pf_symtab *table);

#ifdef __cplusplus
}
#endif
#endif
