/* A span closes exactly where the positions visited so far are a prefix: where the largest of them is the last. */
#include <permfst/base/digits.h>

#include "rules/rules_impl.h"

#include <assert.h>
#include <stdlib.h>

bool pfi_is_permutation(const unsigned *perm, unsigned n) {
    bool *seen = calloc(n + 1u, sizeof *seen), holds = seen != NULL;
    for (unsigned step = 0; holds && step < n; step++) {
        holds = perm[step] < n && !seen[perm[step]];
        if (holds) seen[perm[step]] = true;
    }
    free(seen);
    return holds;
}

bool pf_reordering_next(const unsigned *perm, unsigned n, unsigned *from, pf_reordering *out) {
    for (unsigned i = *from; i < n; i++) {
        unsigned last = i, largest = perm[i];
        assert(largest >= i && largest < n); /* a border, and a permutation */
        while (last < largest)
            if (perm[++last] > largest) largest = perm[last];
        if (last == i) continue;
        *out = (pf_reordering){i, last - i + 1};
        *from = last + 1;
        return true;
    }
    *from = n;
    return false;
}

void pf_permutation_free(pf_permutation *permutation) {
    PF_VEC_FREE(&permutation->at);
    PF_VEC_FREE(&permutation->step);
}

/* The number of a word, from 1; 0: it is none of 1..n. */
static unsigned number_of(const pf_word *word, size_t n) {
    uint64_t value;
    if (!pf_digits(word->at, word->n, &value) || *word->at == '0') return 0;
    return value <= n ? (unsigned)value : 0;
}

pf_err pf_permutation_read(const pf_reader *reader, const pf_words *words, pf_permutation *permutation) {
    size_t n = words->n;
    permutation->at.n = permutation->step.n = 0;
    PF_TRY(PF_ROOM(&permutation->at, n));
    PF_TRY(PF_ROOM(&permutation->step, n));
    for (size_t i = 0; i < n; i++) permutation->step.at[i] = (unsigned)n;
    for (size_t i = 0; i < n; i++) {
        const pf_word *word = &words->at[i];
        unsigned value = number_of(word, n);
        if (!value || permutation->step.at[value - 1] != n)
            return pf_reader_fail_line(reader, "expected each number from 1 to %zu once, found '%.*s'%s", n,
                                       (int)(word->n < 40 ? word->n : 40), word->at, value ? " twice" : "");
        permutation->at.at[i] = value - 1;
        permutation->step.at[value - 1] = (unsigned)i;
    }
    permutation->at.n = permutation->step.n = n;
    return PF_OK;
}
