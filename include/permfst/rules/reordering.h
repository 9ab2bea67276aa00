/* Permutations as lines of numbers, and the minimal reorderings that they are made of (Pecheux et al. 2016, section 3.1).
 *
 * A reordering is a span of more than one position that the permutation maps onto itself; it is minimal if it cannot be cut
 * into two spans that it maps onto themselves. Every permutation is a sequence of fixed points and minimal reorderings, in
 * one way only. There are 1, 3, 13, 71, 461, ... minimal reorderings of 2, 3, 4, 5, 6, ... positions (eq. 2). */
#ifndef PF_RULES_REORDERING_H
#define PF_RULES_REORDERING_H

#include <permfst/align/words.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The positions first .. first + n - 1, n > 1. */
typedef struct {
    unsigned first, n;
} pf_reordering;

/* The next minimal reordering of perm[0..length), a permutation of 0..length-1, that begins at *from or later; *from is
 * moved just past it. False: there is none. Set *from to 0 before the first call; it may be any border between two spans.
 * All of them: O(length). */
bool pf_reordering_next(const unsigned *perm, unsigned length, unsigned *from, pf_reordering *out);

/* A permutation, from 0: the position at each step, and the step of each position. All zero: of no positions. */
typedef struct {
    PF_VEC(unsigned) at, step;
} pf_permutation;
void pf_permutation_free(pf_permutation *permutation);

/* Reads a permutation: the words must be the numbers 1..n in any order, n of them. PF_EINPUT with file and line for anything else;
 * PF_ENOMEM. O(n). */
pf_err pf_permutation_read(const pf_reader *reader, const pf_words *words, pf_permutation *permutation);

#ifdef __cplusplus
}
#endif
#endif
