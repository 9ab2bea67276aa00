/* A span closes exactly where the positions visited so far are a prefix: where the largest of them is the last. */
#include <permfst/base/digits.h>

#include "rules/rules_impl.h"

#include <assert.h>
#include <stdlib.h>

bool pfi_is_permutation(const unsigned *perm, unsigned n) {
    bool *seen = calloc(n + 1u, sizeof *seen), holds = seen != NULL;
    for (unsigned t = 0; holds && t < n; t++) {
        holds = perm[t] < n && !seen[perm[t]];
        if (holds) seen[perm[t]] = true;
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

void pf_permutation_free(pf_permutation *p) {
    PF_VEC_FREE(&p->at);
    PF_VEC_FREE(&p->step);
}

/* The number of a word, from 1; 0: it is none of 1..n. */
static unsigned number_of(const pf_word *w, size_t n) {
    uint64_t x;
    if (!pf_digits(w->at, w->n, &x) || *w->at == '0') return 0;
    return x <= n ? (unsigned)x : 0;
}

pf_err pf_permutation_read(const pf_reader *reader, const pf_words *words, pf_permutation *p) {
    size_t n = words->n;
    p->at.n = p->step.n = 0;
    PF_TRY(PF_ROOM(&p->at, n));
    PF_TRY(PF_ROOM(&p->step, n));
    for (size_t i = 0; i < n; i++) p->step.at[i] = (unsigned)n;
    for (size_t i = 0; i < n; i++) {
        const pf_word *w = &words->at[i];
        unsigned x = number_of(w, n);
        if (!x || p->step.at[x - 1] != n)
            return pf_reader_fail_line(reader, "expected each number from 1 to %zu once, found '%.*s'%s", n,
                                       (int)(w->n < 40 ? w->n : 40), w->at, x ? " twice" : "");
        p->at.at[i] = x - 1;
        p->step.at[x - 1] = (unsigned)i;
    }
    p->at.n = p->step.n = n;
    return PF_OK;
}
