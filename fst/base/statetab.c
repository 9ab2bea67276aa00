/* Open addressing with linear probing, at most three quarters full. */
#include <permfst/base/statetab.h>

#include <permfst/base/hash.h>
#include <permfst/base/vec.h>
#include "base/contract.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 256, FIRST_SLOTS_OF_PART = 16 };

void pf_statetab_init_parts(pf_statetab *tab, size_t fixed, unsigned parts) {
    assert(parts > 0);
    *tab = (pf_statetab){.fixed = fixed, .parts = parts};
}

void pf_statetab_init(pf_statetab *tab, size_t fixed) { pf_statetab_init_parts(tab, fixed, 1); }

void pf_statetab_free(pf_statetab *tab) {
    for (unsigned i = 0; tab->part && i < tab->parts; i++) free(tab->part[i].slot);
    free(tab->part);
    free(tab->key);
    free(tab->end);
    *tab = (pf_statetab){.fixed = tab->fixed, .parts = tab->parts};
}

void pf_statetab_reset(pf_statetab *tab) {
    for (unsigned i = 0; tab->part && i < tab->parts; i++) {
        pf_statetab_part *slots = &tab->part[i];
        if (slots->n) memset(slots->slot, 0, (slots->mask + 1) * sizeof *slots->slot);
        slots->n = 0;
    }
    tab->n = 0;
    tab->key_n = tab->end_n = 0;
}

size_t pf_statetab_bytes(const pf_statetab *tab) {
    size_t slots = 0;
    for (unsigned i = 0; tab->part && i < tab->parts; i++) slots += tab->part[i].slot ? tab->part[i].mask + 1 : 0;
    return tab->key_n + tab->end_n * sizeof *tab->end + slots * sizeof *tab->part->slot;
}

static uint64_t hash_of(const void *key, size_t length) {
    uint64_t word;
    if (length != sizeof word) return pf_hash_key(key, length, PF_STATETAB_SEED);
    memcpy(&word, key, sizeof word);
    return pf_hash_word(word, PF_STATETAB_SEED);
}

/* More slots, a power of two. What is in a slot says where it goes. */
static pf_err grow(pf_statetab_part *slots, size_t count) {
    const size_t had = slots->slot ? slots->mask + 1 : 0;
    pf_statetab_part grown = {.mask = count - 1, .n = slots->n};
    assert(count > had);
    if (!(grown.slot = calloc(grown.mask + 1, sizeof *grown.slot))) return pf_nomem();
    for (size_t i = 0; i < had; i++) {
        if (!slots->slot[i]) continue;
        size_t at = pf_statetab_home(&grown, slots->slot[i]);
        while (grown.slot[at]) at = (at + 1) & grown.mask;
        grown.slot[at] = slots->slot[i];
    }
    free(slots->slot);
    *slots = grown;
    return PF_OK;
}

/* How many keys a part has places for before it grows. */
static size_t places_of(const pf_statetab_part *slots) { return slots->slot ? (slots->mask + 1) / 4 * 3 : 0; }

static size_t next_count(const pf_statetab *tab, const pf_statetab_part *slots) {
    return slots->slot ? 2 * (slots->mask + 1) : tab->parts > 1 ? FIRST_SLOTS_OF_PART : FIRST_SLOTS;
}

static pf_err make_parts(pf_statetab *tab) {
    if (!tab->part) tab->part = calloc(tab->parts, sizeof *tab->part);
    return tab->part ? PF_OK : pf_nomem();
}

pf_err pf_statetab_expect(pf_statetab *tab, size_t count) {
    const size_t length = tab->fixed ? tab->fixed : PF_STATETAB_BYTES;
    assert(tab->parts == 1);
    if (count > SIZE_MAX / length - 1) return pf_nomem();
    PF_TRY(make_parts(tab));
    PF_TRY(pf_vec_room(&tab->key, &tab->key_cap, count * length + 1, 1));
    if (!tab->fixed) PF_TRY(pf_vec_room(&tab->end, &tab->end_cap, count, sizeof *tab->end));
    if (count <= places_of(tab->part)) return PF_OK;
    size_t slots = next_count(tab, tab->part);
    while (slots / 4 * 3 < count) slots *= 2;
    return grow(tab->part, slots);
}

static bool same(const unsigned char *first, const unsigned char *second, size_t length) {
    for (; length >= 8; length -= 8, first += 8, second += 8)
        if (pf_load64(first) != pf_load64(second)) return false;
    return memcmp(first, second, length) == 0;
}

/* The slot of the key, or the empty one where it would go. */
static size_t probe(const pf_statetab *tab, const pf_statetab_part *slots, const void *key, size_t length, uint64_t hash) {
    size_t at = pf_statetab_home(slots, hash);
    for (; slots->slot[at]; at = (at + 1) & slots->mask) {
        if (slots->slot[at] >> 32 != hash >> 32) continue;
        size_t there;
        const void *other = pf_statetab_key(tab, (uint32_t)slots->slot[at] - 1, &there);
        if (there == length && same(other, key, length)) break;
    }
    return at;
}

/* Is every key of this part found under its id? */
static bool has_all(const pf_statetab *tab, const pf_statetab_part *slots) {
    uint32_t keys = 0;
    for (size_t at = 0; slots->slot && at <= slots->mask; at++) {
        size_t length;
        if (!slots->slot[at]) continue;
        uint32_t id = (uint32_t)slots->slot[at] - 1;
        if (id >= tab->n) return false;
        const void *key = pf_statetab_key(tab, id, &length);
        if (probe(tab, slots, key, length, hash_of(key, length)) != at) return false;
        keys++;
    }
    return keys == slots->n;
}

static pf_err append(pf_statetab *tab, const void *key, size_t length) {
    PF_TRY(pf_vec_room(&tab->key, &tab->key_cap, tab->key_n + length + 1, 1)); /* never NULL, for the empty key */
    if (!tab->fixed) {
        PF_TRY(pf_vec_room(&tab->end, &tab->end_cap, tab->end_n + 1, sizeof *tab->end));
        tab->end[tab->end_n++] = tab->key_n + length;
    }
    if (length) memcpy(tab->key + tab->key_n, key, length);
    tab->key_n += length;
    return PF_OK;
}

pf_err pf_statetab_intern_part(pf_statetab *tab, unsigned part, const void *key, size_t length, uint32_t *id, int *fresh) {
    assert(!tab->fixed || length == tab->fixed);
    PF_TRY(make_parts(tab));
    pf_statetab_part *slots = &tab->part[part % tab->parts];
    if (slots->n >= places_of(slots)) PF_TRY(grow(slots, next_count(tab, slots)));
    PFI_CHECK((slots->n & (slots->n - 1)) || has_all(tab, slots));
    uint64_t hash = hash_of(key, length);
    size_t at = probe(tab, slots, key, length, hash);
    const bool is_new = !slots->slot[at];
    if (is_new) {
        if (tab->n == UINT32_MAX - 1) return pf_fail(PF_ELIMIT, "the automaton has more than %u states", tab->n);
        PF_TRY(append(tab, key, length));
        slots->slot[at] = (hash >> 32) << 32 | ++tab->n;
        slots->n++;
    }
    *id = (uint32_t)slots->slot[at] - 1;
    if (fresh) *fresh = is_new;
    return PF_OK;
}

uint32_t pf_statetab_find(const pf_statetab *tab, const void *key, size_t length) {
    assert(!tab->fixed || length == tab->fixed);
    if (!tab->part || !tab->part->slot) return UINT32_MAX;
    size_t at = probe(tab, tab->part, key, length, hash_of(key, length));
    return tab->part->slot[at] ? (uint32_t)tab->part->slot[at] - 1 : UINT32_MAX;
}
