/* Whole numbers in text: digits and nothing else, no sign, no blank. A number above 2^64 - 1 is read as 2^64 - 1, so that any
 * limit below that holds. And what follows a number in a sentence.
 *
 * Each call is O(digits). */
#ifndef PF_BASE_DIGITS_H
#define PF_BASE_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline bool pf_is_digit(char c) { return c >= '0' && c <= '9'; }

/* `value` with one more digit at its end. */
static inline uint64_t pf_digits_add(uint64_t value, char digit) {
    unsigned d = (unsigned)(digit - '0');
    return value > (UINT64_MAX - d) / 10 ? UINT64_MAX : 10 * value + d;
}

/* Reads `length` bytes as a number; false where they are not a number. */
static inline bool pf_digits(const char *at, size_t length, uint64_t *out) {
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        if (!pf_is_digit(at[i])) return false;
        value = pf_digits_add(value, at[i]);
    }
    *out = value;
    return length > 0;
}

/* Reads the number that the text begins with and moves *at past it. False where the text begins with no digit; then *at
 * stays. */
static inline bool pf_digits_take(const char **at, uint64_t *out) {
    const char *c = *at;
    uint64_t value = 0;
    for (; pf_is_digit(*c); c++) value = pf_digits_add(value, *c);
    if (c == *at) return false;
    *at = c;
    *out = value;
    return true;
}

enum { PF_DIGITS = 20 }; /* of the largest number */

/* Writes a number, without a NUL, where there is room for PF_DIGITS; returns how many digits it has. As snprintf, in a tenth of
 * the time. */
static inline size_t pf_digits_write(uint64_t value, char *to) {
    char digits[PF_DIGITS];
    size_t first = PF_DIGITS;
    do digits[--first] = (char)('0' + value % 10);
    while (value /= 10);
    memcpy(to, &digits[first], PF_DIGITS - first);
    return PF_DIGITS - first;
}

/* The end of the noun that is counted: 0 pairs, 1 pair, 2 pairs. */
static inline const char *pf_plural(uint64_t count) { return count == 1 ? "" : "s"; }

#ifdef __cplusplus
}
#endif
#endif
