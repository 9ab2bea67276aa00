/* A 64-bit hash of bytes: multiply to 128 bits and fold, which mixes every input bit into every output bit.
 *
 * Each hash is O(bytes). */
#ifndef PF_BASE_HASH_H
#define PF_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline uint64_t pf_mix(uint64_t first, uint64_t second) {
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 pf_wide;
    pf_wide product = (pf_wide)first * second;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t low = (first & 0xffffffffu) * (second & 0xffffffffu), cross = (first >> 32) * (second & 0xffffffffu) + (low >> 32);
    uint64_t other = (first & 0xffffffffu) * (second >> 32) + (cross & 0xffffffffu);
    return (other << 32 | (low & 0xffffffffu)) ^ ((first >> 32) * (second >> 32) + (cross >> 32) + (other >> 32));
#endif
}

/* The hash of one word; the seed tells tables apart. */
static inline uint64_t pf_hash_word(uint64_t word, uint64_t seed) {
    return pf_mix(word ^ UINT64_C(0x9e3779b97f4a7c15) ^ seed, UINT64_C(0xa3b195354a39b70d) ^ (word << 32 | word >> 32));
}

/* Eight bytes as a little-endian number. */
static inline uint64_t pf_load64(const void *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* A hash after eight more bytes, as a number. */
static inline uint64_t pf_hash_step(uint64_t hash, uint64_t word) {
    return pf_mix(hash ^ word ^ UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xa3b195354a39b70d));
}

/* A hash after the last bytes, fewer than eight. */
static inline uint64_t pf_hash_end(uint64_t hash, const void *bytes, size_t length) {
    unsigned char rest[8] = {0};
    memcpy(rest, bytes, length);
    return pf_mix(hash ^ pf_load64(rest) ^ UINT64_C(0x2545f4914f6cdd1d), UINT64_C(0xd6e8feb86659fd93));
}

/* The hash of `length` bytes; O(length). The same on every machine: records carry it. */
static inline uint64_t pf_hash(const void *bytes, size_t length, uint64_t seed) {
    const unsigned char *at = (const unsigned char *)bytes;
    uint64_t hash = pf_hash_word(length, seed);
    for (; length >= 8; length -= 8, at += 8) hash = pf_hash_step(hash, pf_load64(at));
    return pf_hash_end(hash, at, length);
}

/* pf_hash by two seeds, in the time of one: neither waits for the other. */
static inline void pf_hash_two(const void *bytes, size_t length, uint64_t seed, uint64_t other_seed, uint64_t out[2]) {
    const unsigned char *at = (const unsigned char *)bytes;
    uint64_t hash = pf_hash_word(length, seed), other = pf_hash_word(length, other_seed);
    for (; length >= 8; length -= 8, at += 8) {
        const uint64_t word = pf_load64(at);
        hash = pf_hash_step(hash, word);
        other = pf_hash_step(other, word);
    }
    out[0] = pf_hash_end(hash, at, length);
    out[1] = pf_hash_end(other, at, length);
}

/* The hash of a key in memory, not the one that files have: it takes sixteen bytes a step. */
static inline uint64_t pf_hash_key(const void *bytes, size_t length, uint64_t seed) {
    const unsigned char *at = (const unsigned char *)bytes;
    uint64_t hash = seed ^ length * UINT64_C(0x9e3779b97f4a7c15);
    unsigned char rest[16] = {0};
    for (; length >= 16; length -= 16, at += 16)
        hash = pf_mix(pf_load64(at) ^ hash ^ UINT64_C(0xa3b195354a39b70d), pf_load64(at + 8) ^ UINT64_C(0xd6e8feb86659fd93));
    if (length) {
        memcpy(rest, at, length);
        hash = pf_mix(pf_load64(rest) ^ hash ^ UINT64_C(0xa3b195354a39b70d), pf_load64(rest + 8) ^ UINT64_C(0xd6e8feb86659fd93));
    }
    return pf_mix(hash ^ UINT64_C(0x2545f4914f6cdd1d), UINT64_C(0x9e3779b97f4a7c15));
}

#ifdef __cplusplus
}
#endif
#endif
