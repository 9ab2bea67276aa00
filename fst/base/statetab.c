/* Open addressing with linear probing, at most three quarters full. */
#include "base/statetab.h"

#include "base/hash.h"
#include "base/vec.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 256 };

void pf_statetab_init(pf_statetab *tab, size_t fixed) { *tab = (pf_statetab){.fixed = fixed}; }

void pf_statetab_free(pf_statetab *tab) {
    free(tab->key);
    free(tab->end);
    free(tab->slot);
    *tab = (pf_statetab){.fixed = tab->fixed};
}

void pf_statetab_reset(pf_statetab *tab) {
    if (tab->slot) memset(tab->slot, 0, (tab->mask + 1) * sizeof *tab->slot);
    tab->n = 0;
    tab->key_n = tab->end_n = 0;
}

static uint64_t hash_of(const void *key, size_t length) {
    uint64_t word;
    if (length != sizeof word) return pf_hash(key, length, PF_STATETAB_SEED);
    memcpy(&word, key, sizeof word);
    return pf_hash_word(word, PF_STATETAB_SEED);
}

static pf_err grow_slots(pf_statetab *tab) {
    size_t slots = tab->slot ? 2 * (tab->mask + 1) : FIRST_SLOTS;
    uint64_t *slot = calloc(slots, sizeof *slot);
    if (!slot) return pf_nomem();
    free(tab->slot);
    tab->slot = slot;
    tab->mask = slots - 1;
    for (uint32_t id = 0; id < tab->n; id++) {
        size_t length;
        const void *key = pf_statetab_key(tab, id, &length);
        uint64_t h = hash_of(key, length);
        size_t at = h & tab->mask;
        while (slot[at]) at = (at + 1) & tab->mask;
        slot[at] = (h >> 32) << 32 | (id + UINT32_C(1));
    }
    return PF_OK;
}

/* The slot of the key, or the empty one where it would go. */
static size_t probe(const pf_statetab *tab, const void *key, size_t length, uint64_t h) {
    size_t at = h & tab->mask;
    for (; tab->slot[at]; at = (at + 1) & tab->mask) {
        if (tab->slot[at] >> 32 != h >> 32) continue;
        size_t there;
        const void *other = pf_statetab_key(tab, (uint32_t)tab->slot[at] - 1, &there);
        if (there == length && memcmp(other, key, length) == 0) break;
    }
    return at;
}

static pf_err append(pf_statetab *tab, const void *key, size_t length) {
    PF_TRY(pf_vec_reserve(&tab->key, &tab->key_cap, tab->key_n + length + 1, 1)); /* never NULL, for the empty key */
    if (!tab->fixed) {
        PF_TRY(pf_vec_reserve(&tab->end, &tab->end_cap, tab->end_n + 1, sizeof *tab->end));
        tab->end[tab->end_n++] = tab->key_n + length;
    }
    if (length) memcpy(tab->key + tab->key_n, key, length);
    tab->key_n += length;
    return PF_OK;
}

pf_err pf_statetab_intern(pf_statetab *tab, const void *key, size_t length, uint32_t *id, int *fresh) {
    if (!tab->slot || tab->n >= (tab->mask + 1) / 4 * 3) PF_TRY(grow_slots(tab));
    uint64_t h = hash_of(key, length);
    size_t at = probe(tab, key, length, h);
    if (fresh) *fresh = !tab->slot[at];
    if (!tab->slot[at]) {
        if (tab->n == UINT32_MAX - 1) return pf_fail(PF_ELIMIT, "more than %u states", tab->n);
        PF_TRY(append(tab, key, length));
        tab->slot[at] = (h >> 32) << 32 | ++tab->n;
    }
    *id = (uint32_t)tab->slot[at] - 1;
    return PF_OK;
}

uint32_t pf_statetab_find(const pf_statetab *tab, const void *key, size_t length) {
    if (!tab->slot) return UINT32_MAX;
    size_t at = probe(tab, key, length, hash_of(key, length));
    return tab->slot[at] ? (uint32_t)tab->slot[at] - 1 : UINT32_MAX;
}

size_t pf_statetab_bytes(const pf_statetab *tab) {
    return tab->key_cap + tab->end_cap * sizeof *tab->end + (tab->slot ? (tab->mask + 1) * sizeof *tab->slot : 0);
}
