/* Bit sets over the positions 0..n-1 of a sentence: an array of pf_cover_words(n) 64-bit words.
 *
 * A set is passed as `const pf_cover *`; how many words it has is known from the sentence (`nw`). Bits past n-1 are
 * always zero, so that equal sets are equal bytes. All operations are O(nw). */
#ifndef PF_BASE_COVER_H
#define PF_BASE_COVER_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t pf_cover;

static inline unsigned pf_cover_words(unsigned length) { return length ? (length + 63) / 64 : 1; }

static inline unsigned pf_bits_count(uint64_t word) { return (unsigned)__builtin_popcountll(word); }
static inline uint64_t pf_bits_below(unsigned n) { return n < 64 ? ~(~UINT64_C(0) << n) : ~UINT64_C(0); } /* the first n */
static inline unsigned pf_bits_first(uint64_t word) { return (unsigned)__builtin_ctzll(word); } /* word != 0 */

static inline bool pf_cover_has(const pf_cover *bits, unsigned position) {
    return bits[position / 64] >> (position % 64) & 1;
}
static inline void pf_cover_put(pf_cover *bits, unsigned position) {
    bits[position / 64] |= UINT64_C(1) << (position % 64);
}
static inline void pf_cover_drop(pf_cover *bits, unsigned position) {
    bits[position / 64] &= ~(UINT64_C(1) << (position % 64));
}
static inline void pf_cover_clear(pf_cover *bits, unsigned nw) { memset(bits, 0, nw * sizeof *bits); }

static inline unsigned pf_cover_count(const pf_cover *bits, unsigned nw) {
    unsigned count = 0;
    for (unsigned i = 0; i < nw; i++) count += pf_bits_count(bits[i]);
    return count;
}

/* The smallest member >= from, or 64 * nw. */
static inline unsigned pf_cover_next(const pf_cover *bits, unsigned nw, unsigned from) {
    if (from >= 64 * nw) return 64 * nw;
    unsigned i = from / 64;
    uint64_t word = bits[i] & (~UINT64_C(0) << (from % 64));
    while (!word)
        if (++i == nw) return 64 * nw;
        else word = bits[i];
    return 64 * i + pf_bits_first(word);
}

/* The smallest position >= from that is not a member; up to 64 * nw. */
static inline unsigned pf_cover_gap(const pf_cover *bits, unsigned nw, unsigned from) {
    if (from >= 64 * nw) return 64 * nw;
    unsigned i = from / 64;
    uint64_t word = ~bits[i] & (~UINT64_C(0) << (from % 64));
    while (!word)
        if (++i == nw) return 64 * nw;
        else word = ~bits[i];
    return 64 * i + pf_bits_first(word);
}

/* One word of the set begin..end-1. */
static inline uint64_t pf_cover_range_word(unsigned begin, unsigned end, unsigned word) {
    uint64_t above = begin <= 64 * word ? ~UINT64_C(0) : begin >= 64 * (word + 1) ? 0 : ~UINT64_C(0) << (begin % 64);
    uint64_t below = end <= 64 * word ? 0 : end >= 64 * (word + 1) ? ~UINT64_C(0) : ~(~UINT64_C(0) << (end % 64));
    return above & below;
}

/* out = the positions begin..end-1. */
static inline void pf_cover_range(pf_cover *out, unsigned nw, unsigned begin, unsigned end) {
    assert(end <= 64 * nw);
    for (unsigned word = 0; word < nw; word++) out[word] = pf_cover_range_word(begin, end, word);
}

/* How many of begin..end-1 are members. */
static inline unsigned pf_cover_count_range(const pf_cover *bits, unsigned nw, unsigned begin, unsigned end) {
    unsigned count = 0;
    for (unsigned word = begin / 64; word < nw && 64 * word < end; word++)
        count += pf_bits_count(bits[word] & pf_cover_range_word(begin, end, word));
    return count;
}

/* out = the positions of 0..length-1 that are not members. */
static inline void pf_cover_uncovered(const pf_cover *bits, unsigned length, pf_cover *out) {
    unsigned nw = pf_cover_words(length);
    for (unsigned word = 0; word < nw; word++) out[word] = ~bits[word];
    if (length < 64 * nw) out[nw - 1] &= length % 64 ? ~(~UINT64_C(0) << (length % 64)) : 0;
}

/* Is it {0..length-1}? Then *length is set. */
static inline bool pf_cover_is_prefix(const pf_cover *bits, unsigned nw, unsigned *length) {
    *length = pf_cover_gap(bits, nw, 0);
    return pf_cover_next(bits, nw, *length) == 64 * nw;
}

#ifdef __cplusplus
}
#endif
#endif
