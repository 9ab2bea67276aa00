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

void pf_alignment_reset(pf_alignment *links) {
    links->n_source = links->n_target = PF_UNKNOWN_LENGTH;
    links->link.n = 0;
    links->repeated = links->empty_word = 0;
    links->score = NAN;
}

void pf_alignment_free(pf_alignment *links) { PF_VEC_FREE(&links->link); }

pf_err pf_alignment_add(pf_alignment *links, pf_link link) {
    uint32_t far = link.source > link.target ? link.source : link.target;
    if (far >= PF_MAX_WORDS)
        return pf_fail(PF_ELIMIT, "link %u-%u: a sentence has at most %u words", link.source, link.target, PF_MAX_WORDS);
    return PF_PUSH(&links->link, link);
}

/* ---- order ---- */

static uint64_t key(const pf_link *link) { return (uint64_t)link->source << 32 | link->target; }

static void insertion_sort(pf_link *at, size_t count) {
    for (size_t i = 1; i < count; i++) {
        pf_link one = at[i];
        size_t place = i;
        for (; place && key(&at[place - 1]) > key(&one); place--) at[place] = at[place - 1];
        at[place] = one;
    }
}

/* `one` sinks from a place of a heap of `count` with the largest on top. */
static void sink(pf_link *at, size_t place, size_t count, pf_link one) {
    for (size_t child; (child = 2 * place + 1) < count; place = child) {
        if (child + 1 < count && key(&at[child + 1]) > key(&at[child])) child++;
        if (key(&at[child]) <= key(&one)) break;
        at[place] = at[child];
    }
    at[place] = one;
}

static void heap_sort(pf_link *at, size_t count) {
    for (size_t i = count / 2; i--;) sink(at, i, count, at[i]);
    for (size_t i = count; --i;) {
        pf_link last = at[i];
        at[i] = at[0];
        sink(at, 0, i, last);
    }
}

/* The same pair, listed again. */
static void merge(pf_link *link, const pf_link *again) {
    link->possible = link->possible && again->possible;
    if (isnan(link->posterior) || again->posterior > link->posterior) link->posterior = again->posterior;
}

void pf_alignment_sort(pf_alignment *links) {
    pf_link *at = links->link.at;
    size_t count = links->link.n, i = 1, kept = 1;
    while (i < count && key(&at[i - 1]) < key(&at[i])) i++;
    if (i >= count) return;
    if (count <= SHORT) insertion_sort(at, count);
    else heap_sort(at, count);
    for (i = 1; i < count; i++) {
        if (key(&at[i]) == key(&at[kept - 1])) merge(&at[kept - 1], &at[i]);
        else at[kept++] = at[i];
    }
    links->repeated += count - kept;
    links->link.n = kept;
    PFI_CHECK(pfi_alignment_sound(links));
}

/* ---- the whole ---- */

pf_err pf_alignment_copy(const pf_alignment *links, pf_alignment *to) {
    assert(links != to);
    pf_alignment_reset(to);
    PF_TRY(PF_ROOM(&to->link, links->link.n));
    if (links->link.n) memcpy(to->link.at, links->link.at, links->link.n * sizeof *links->link.at);
    to->link.n = links->link.n;
    to->n_source = links->n_source;
    to->n_target = links->n_target;
    to->repeated = links->repeated;
    to->empty_word = links->empty_word;
    to->score = links->score;
    return PF_OK;
}

void pf_alignment_invert(pf_alignment *links) {
    uint32_t n = links->n_source;
    links->n_source = links->n_target;
    links->n_target = n;
    for (size_t i = 0; i < links->link.n; i++) {
        pf_link *link = &links->link.at[i];
        uint32_t source = link->source;
        link->source = link->target;
        link->target = source;
    }
    pf_alignment_sort(links);
}

const pf_link *pf_alignment_find(const pf_alignment *links, uint32_t source, uint32_t target) {
    uint64_t want = (uint64_t)source << 32 | target;
    size_t low = 0, high = links->link.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (key(&links->link.at[mid]) < want) low = mid + 1;
        else high = mid;
    }
    return low < links->link.n && key(&links->link.at[low]) == want ? &links->link.at[low] : NULL;
}

uint32_t pf_alignment_sources(const pf_alignment *links) {
    if (links->n_source != PF_UNKNOWN_LENGTH) return links->n_source;
    return links->link.n ? links->link.at[links->link.n - 1].source + 1 : 0;
}

uint32_t pf_alignment_targets(const pf_alignment *links) {
    uint32_t n = 0;
    if (links->n_target != PF_UNKNOWN_LENGTH) return links->n_target;
    for (size_t i = 0; i < links->link.n; i++)
        if (links->link.at[i].target >= n) n = links->link.at[i].target + 1;
    return n;
}

size_t pf_alignment_posteriors(const pf_alignment *links) {
    size_t n = 0;
    for (size_t i = 0; i < links->link.n; i++) n += links->link.at[i].posterior >= 0; /* NAN is not */
    return n;
}

/* ---- fewer links ---- */

static size_t keep(pf_alignment *links, bool sure_only, double least_posterior) {
    size_t count = links->link.n, kept = 0;
    for (size_t i = 0; i < count; i++) {
        pf_link link = links->link.at[i];
        if ((sure_only && link.possible) || link.posterior < least_posterior) continue; /* NAN is not below */
        links->link.at[kept++] = link;
    }
    links->link.n = kept;
    return count - kept;
}

void pf_alignment_filter(pf_alignment *links, const pf_align_filter *filter, pf_align_left_out *left_out) {
    PFI_CHECK(pfi_alignment_sound(links));
    left_out->repeated += links->repeated;
    left_out->empty_word += links->empty_word;
    if (!filter) return;
    assert(filter->least_posterior >= 0 && filter->least_posterior <= 1);
    if (filter->sure_only) left_out->possible += keep(links, true, 0);
    if (filter->least_posterior > 0) left_out->unlikely += keep(links, false, filter->least_posterior);
}
