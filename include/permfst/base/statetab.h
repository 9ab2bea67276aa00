/* A state table: byte strings <-> dense ids, in order first seen.
 *
 * The states of a lazy automaton are interned here: equal bytes are the same state. Open addressing; a slot
 * holds 32 bits of the hash and the id, so a probe seldom looks at a key. Keys go to slots in the order of these bits, so a table
 * that grows is copied from its start to its end, and no key is looked at. Expected O(length of the key). */
#ifndef PF_BASE_STATETAB_H
#define PF_BASE_STATETAB_H

#include <permfst/base/err.h>
#include <permfst/base/hash.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t *slot; /* hash << 32 | id + 1; 0 is empty */
    size_t mask;    /* slots - 1 */
    uint32_t n;     /* keys */
} pf_statetab_part;

typedef struct {
    size_t fixed;        /* bytes of every key, or 0: keys of their own lengths */
    unsigned char *key;  /* all keys, one after the other */
    size_t key_n, key_cap;
    size_t *end;         /* without `fixed`: where key i ends */
    size_t end_n, end_cap;
    pf_statetab_part *part;      /* `parts` of them; NULL before the first key */
    unsigned parts;
    uint32_t n;          /* keys */
} pf_statetab;

/* An empty table; `fixed` bytes a key, or 0. Allocates nothing.
 * With `parts` > 1 the keys are kept in that many parts, each with a hash table of its own. Equal keys of different parts are
 * different keys. Keys that are looked up at about the same time, as states of one level are, then lie close together. */
void pf_statetab_init(pf_statetab *tab, size_t fixed);
void pf_statetab_init_parts(pf_statetab *tab, size_t fixed, unsigned parts);
void pf_statetab_free(pf_statetab *tab);

/* Forgets the keys, keeps the memory. */
void pf_statetab_reset(pf_statetab *tab);

/* Room for so many keys in a table of one part, and for PF_STATETAB_BYTES bytes of each where they have no fixed length: as long as
 * there are no more, nothing is moved. PF_ENOMEM, when the table is as it was. */
pf_err pf_statetab_expect(pf_statetab *tab, size_t count);

/* The bytes that the table takes. O(parts). */
size_t pf_statetab_bytes(const pf_statetab *tab);

/* The id of the key, a new one if it was not there; *fresh (may be NULL) says which. `part` is taken modulo the
 * number of parts. A key of a table with a fixed length has that length. PF_ENOMEM; PF_ELIMIT past 2^32 - 2 keys. */
pf_err pf_statetab_intern_part(pf_statetab *tab, unsigned part, const void *key, size_t length, uint32_t *id, int *fresh);
static inline pf_err pf_statetab_intern(pf_statetab *tab, const void *key, size_t length, uint32_t *id, int *fresh) {
    return pf_statetab_intern_part(tab, 0, key, length, id, fresh);
}

/* The same for a table whose keys are words of 8 bytes (fixed = 8): the fast way where most states are. */
static inline pf_err pf_statetab_intern_word(pf_statetab *tab, unsigned part, uint64_t word, uint32_t *id);

/* The id of the key in part 0, or UINT32_MAX. */
uint32_t pf_statetab_find(const pf_statetab *tab, const void *key, size_t length);
static inline uint32_t pf_statetab_find_word(const pf_statetab *tab, unsigned part, uint64_t word);

/* The key of an id and its length; borrowed, until the next intern. */
static inline const void *pf_statetab_key(const pf_statetab *tab, uint32_t id, size_t *length) {
    if (tab->fixed) {
        *length = tab->fixed;
        return tab->key + (size_t)id * tab->fixed;
    }
    size_t begin = id ? tab->end[id - 1] : 0;
    *length = tab->end[id] - begin;
    return tab->key + begin;
}

enum { PF_STATETAB_SEED = 17, PF_STATETAB_BYTES = 16 };

/* The slot where the search for a hash begins. */
static inline size_t pf_statetab_home(const pf_statetab_part *slots, uint64_t hash) {
    return (size_t)((hash >> 32) * ((uint64_t)slots->mask + 1) >> 32);
}

static inline uint32_t pf_statetab_find_word(const pf_statetab *tab, unsigned part, uint64_t word) {
    const pf_statetab_part *slots = tab->part ? &tab->part[part % tab->parts] : NULL;
    if (!slots || !slots->slot) return UINT32_MAX;
    uint64_t hash = pf_hash_word(word, PF_STATETAB_SEED), slot;
    for (size_t at = pf_statetab_home(slots, hash); (slot = slots->slot[at]); at = (at + 1) & slots->mask) {
        uint64_t other;
        if ((slot ^ hash) >> 32) continue;
        memcpy(&other, tab->key + (size_t)((uint32_t)slot - 1) * sizeof other, sizeof other);
        if (other == word) return (uint32_t)slot - 1;
    }
    return UINT32_MAX;
}

static inline pf_err pf_statetab_intern_word(pf_statetab *tab, unsigned part, uint64_t word, uint32_t *id) {
    const uint32_t found = pf_statetab_find_word(tab, part, word);
    if (found == UINT32_MAX) return pf_statetab_intern_part(tab, part, &word, sizeof word, id, NULL);
    *id = found;
    return PF_OK;
}

#ifdef __cplusplus
}
#endif
#endif
