/* A sorted array of links. Files and aligners list links nearly in order, also after source and target are exchanged, so short
 * alignments are sorted by insertion. Long ones are sorted in a heap, which needs no memory either. */
#include <permfst/align/alignment.h>

#include <permfst/permute/input.h>

#include "align/sound.h"
#include "base/contract.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT = 64 }; /* links up to which insertion is quick on any order */

void pf_alignment_reset(pf_alignment *a) {
    a->n_source = a->n_target = PF_UNKNOWN_LENGTH;
    a->link.n = 0;
    a->repeated = a->empty_word = 0;
    a->score = NAN;
}

void pf_alignment_free(pf_alignment *a) { PF_VEC_FREE(&a->link); }

pf_err pf_alignment_add(pf_alignment *a, pf_link link) {
    uint32_t far = link.source > link.target ? link.source : link.target;
    if (far >= PF_MAX_WORDS)
        return pf_fail(PF_ELIMIT, "link %u-%u: a sentence has at most %u words", link.source, link.target, PF_MAX_WORDS);
    return PF_PUSH(&a->link, link);
}

/* ---- order ---- */

static uint64_t key(const pf_link *l) { return (uint64_t)l->source << 32 | l->target; }

static void insertion_sort(pf_link *at, size_t n) {
    for (size_t i = 1; i < n; i++) {
        pf_link x = at[i];
        size_t k = i;
        for (; k && key(&at[k - 1]) > key(&x); k--) at[k] = at[k - 1];
        at[k] = x;
    }
}

/* x sinks from place i of a heap of n with the largest on top. */
static void sink(pf_link *at, size_t i, size_t n, pf_link x) {
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && key(&at[child + 1]) > key(&at[child])) child++;
        if (key(&at[child]) <= key(&x)) break;
        at[i] = at[child];
    }
    at[i] = x;
}

static void heap_sort(pf_link *at, size_t n) {
    for (size_t i = n / 2; i--;) sink(at, i, n, at[i]);
    for (size_t i = n; --i;) {
        pf_link last = at[i];
        at[i] = at[0];
        sink(at, 0, i, last);
    }
}

/* The same pair, listed again. */
static void merge(pf_link *l, const pf_link *again) {
    l->possible = l->possible && again->possible;
    if (isnan(l->posterior) || again->posterior > l->posterior) l->posterior = again->posterior;
}

void pf_alignment_sort(pf_alignment *a) {
    pf_link *at = a->link.at;
    size_t n = a->link.n, i = 1, m = 1;
    while (i < n && key(&at[i - 1]) < key(&at[i])) i++;
    if (i >= n) return;
    if (n <= SHORT) insertion_sort(at, n);
    else heap_sort(at, n);
    for (i = 1; i < n; i++) {
        if (key(&at[i]) == key(&at[m - 1])) merge(&at[m - 1], &at[i]);
        else at[m++] = at[i];
    }
    a->repeated += n - m;
    a->link.n = m;
    PFI_CHECK(pfi_alignment_sound(a));
}

/* ---- the whole ---- */

pf_err pf_alignment_copy(const pf_alignment *a, pf_alignment *to) {
    assert(a != to);
    pf_alignment_reset(to);
    PF_TRY(PF_ROOM(&to->link, a->link.n));
    if (a->link.n) memcpy(to->link.at, a->link.at, a->link.n * sizeof *a->link.at);
    to->link.n = a->link.n;
    to->n_source = a->n_source;
    to->n_target = a->n_target;
    to->repeated = a->repeated;
    to->empty_word = a->empty_word;
    to->score = a->score;
    return PF_OK;
}

void pf_alignment_invert(pf_alignment *a) {
    uint32_t n = a->n_source;
    a->n_source = a->n_target;
    a->n_target = n;
    for (size_t i = 0; i < a->link.n; i++) {
        pf_link *l = &a->link.at[i];
        uint32_t source = l->source;
        l->source = l->target;
        l->target = source;
    }
    pf_alignment_sort(a);
}

const pf_link *pf_alignment_find(const pf_alignment *a, uint32_t source, uint32_t target) {
    uint64_t want = (uint64_t)source << 32 | target;
    size_t low = 0, high = a->link.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (key(&a->link.at[mid]) < want) low = mid + 1;
        else high = mid;
    }
    return low < a->link.n && key(&a->link.at[low]) == want ? &a->link.at[low] : NULL;
}

uint32_t pf_alignment_sources(const pf_alignment *a) {
    if (a->n_source != PF_UNKNOWN_LENGTH) return a->n_source;
    return a->link.n ? a->link.at[a->link.n - 1].source + 1 : 0;
}

uint32_t pf_alignment_targets(const pf_alignment *a) {
    uint32_t n = 0;
    if (a->n_target != PF_UNKNOWN_LENGTH) return a->n_target;
    for (size_t i = 0; i < a->link.n; i++)
        if (a->link.at[i].target >= n) n = a->link.at[i].target + 1;
    return n;
}

size_t pf_alignment_posteriors(const pf_alignment *a) {
    size_t n = 0;
    for (size_t i = 0; i < a->link.n; i++) n += a->link.at[i].posterior >= 0; /* NAN is not */
    return n;
}

/* ---- fewer links ---- */

static size_t keep(pf_alignment *a, bool sure_only, double least_posterior) {
    size_t n = a->link.n, kept = 0;
    for (size_t i = 0; i < n; i++) {
        pf_link l = a->link.at[i];
        if ((sure_only && l.possible) || l.posterior < least_posterior) continue; /* NAN is not below */
        a->link.at[kept++] = l;
    }
    a->link.n = kept;
    return n - kept;
}

void pf_alignment_filter(pf_alignment *a, const pf_align_filter *filter, pf_align_left_out *left_out) {
    PFI_CHECK(pfi_alignment_sound(a));
    left_out->repeated += a->repeated;
    left_out->empty_word += a->empty_word;
    if (!filter) return;
    assert(filter->least_posterior >= 0 && filter->least_posterior <= 1);
    if (filter->sure_only) left_out->possible += keep(a, true, 0);
    if (filter->least_posterior > 0) left_out->unlikely += keep(a, false, filter->least_posterior);
}
