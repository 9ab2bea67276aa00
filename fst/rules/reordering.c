/* A span closes exactly where the positions visited so far are a prefix: where the largest of them is the last. */
#include <permfst/base/digits.h>

#include "rules/rules_impl.h"

#include <assert.h>
#include <stdlib.h>

bool pfi_is_permutation(const unsigned *perm, unsigned length) {
    bool *seen = calloc(length + 1u, sizeof *seen), holds = seen != NULL;
    for (unsigned step = 0; holds && step < length; step++) {
        holds = perm[step] < length && !seen[perm[step]];
        if (holds) seen[perm[step]] = true;
    }
    free(seen);
    return holds;
}

bool pf_reordering_next(const unsigned *perm, unsigned length, unsigned *from, pf_reordering *out) {
    for (unsigned at = *from; at < length; at++) {
        unsigned last = at, largest = perm[at];
        assert(largest >= at && largest < length); /* a border, and a permutation */
        while (last < largest)
            if (perm[++last] > largest) largest = perm[last];
        if (last == at) continue;
        *out = (pf_reordering){at, last - at + 1};
        *from = last + 1;
        return true;
    }
    *from = length;
    return false;
}

void pf_permutation_free(pf_permutation *permutation) {
    PF_VEC_FREE(&permutation->at);
    PF_VEC_FREE(&permutation->step);
}

/* The number of a word, from 1; 0: it is none of 1..length. */
static unsigned number_of(const pf_word *word, size_t length) {
    uint64_t value;
    if (!pf_digits(word->at, word->n, &value) || *word->at == '0') return 0;
    return value <= length ? (unsigned)value : 0;
}

pf_err pf_permutation_read(const pf_reader *reader, const pf_words *words, pf_permutation *permutation) {
    size_t length = words->n;
    permutation->at.n = permutation->step.n = 0;
    PF_TRY(PF_ROOM(&permutation->at, length));
    PF_TRY(PF_ROOM(&permutation->step, length));
    for (size_t i = 0; i < length; i++) permutation->step.at[i] = (unsigned)length;
    for (size_t at = 0; at < length; at++) {
        const pf_word *word = &words->at[at];
        unsigned value = number_of(word, length);
        if (!value || permutation->step.at[value - 1] != length)
            return pf_reader_fail_line(reader, "expected each number from 1 to %zu once, found '%.*s'%s", length,
                                       (int)(word->n < 40 ? word->n : 40), word->at, value ? " twice" : "");
        permutation->at.at[at] = value - 1;
        permutation->step.at[value - 1] = (unsigned)at;
    }
    permutation->at.n = permutation->step.n = length;
    return PF_OK;
}
