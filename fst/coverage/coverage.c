/* From an alignment to the order that it asks for, and the table of families. O(words + links) an alignment. */
#include "coverage/coverage_impl.h"

#include <permfst/base/digits.h>
#include <permfst/permute/con.h>

#include "align/sound.h"
#include "base/contract.h"

#include <stdlib.h>
#include <string.h>

static const pf_coverage_family families[] = {
    {"no-crossing", false, 0, pfi_coverage_no_crossing},     /* no two links cross */
    {"unfolding", false, 0, pfi_coverage_unfolding},         /* segments that no link leaves stand in source order */
    {"itg-baseline", false, 0, pfi_coverage_itg_baseline},   /* each cluster is one block, and the blocks are separable */
    {"itg-extended", false, 0, pfi_coverage_itg_extended},   /* a cluster may have two parts around a constituent */
    {"itg", false, 0, pfi_coverage_itg},                     /* the order is separable */
    {"ibm", true, 1, pfi_coverage_ibm},                      /* one of the first L uncovered positions */
    {"inverse-ibm", true, 1, pfi_coverage_inverse_ibm},      /* fewer than L-1 covered positions after the first uncovered one */
    {"local", true, 1, pfi_coverage_local},                  /* fewer than L after the first uncovered position */
    {"mj", true, 0, pfi_coverage_mj},                        /* blocks of at most K+1 positions */
    {"displacement", true, 0, pfi_coverage_displacement},    /* every position within D steps of its own place */
    {"distortion", true, 0, pfi_coverage_distortion},        /* jumps of at most D, with the first gap within reach */
    {"itg-span", true, 1, pfi_coverage_itg_span},            /* separable, and inverted nodes span at most S positions */
};
enum { FAMILIES = sizeof families / sizeof *families };

const pf_coverage_family *pf_coverage_family_at(size_t i) { return i < FAMILIES ? &families[i] : NULL; }

bool pf_coverage_least(const pf_coverage *coverage, const pf_coverage_family *family, unsigned *param) {
    *param = 0;
    return family->least(&coverage->order, param);
}

pf_err pf_coverage_new(pf_place place, pf_coverage **out) {
    pf_coverage *coverage = calloc(1, sizeof *coverage);
    if (!coverage) return pf_nomem();
    coverage->place = place;
    *out = coverage;
    return PF_OK;
}

void pf_coverage_free(pf_coverage *coverage) {
    if (!coverage) return;
    PF_VEC_FREE(&coverage->numbers);
    free(coverage);
}

/* ---- an alignment ---- */

static pf_err make_room(pf_coverage *coverage, const pf_alignment *links) {
    pfi_order *order = &coverage->order;
    size_t sources = order->sources = pf_alignment_sources(links), targets = order->targets = pf_alignment_targets(links);
    unsigned **part[] = {&order->chain, &order->turn, &order->dense, &order->cluster, &order->first, &order->last,
                         &order->unlinked, &order->scratch};
    enum { PARTS = sizeof part / sizeof *part };
    coverage->numbers.n = 0;
    PF_TRY(PF_ROOM(&coverage->numbers, (PARTS + 3) * sources + 2 * targets + 8));
    for (size_t i = 0; i < PARTS; i++) *part[i] = coverage->numbers.at + i * sources;
    return PF_OK;
}

static void find_targets(pfi_order *order, const pf_alignment *links) {
    memset(order->first, 0xff, order->sources * sizeof *order->first);
    memset(order->last, 0xff, order->sources * sizeof *order->last);
    for (size_t i = 0; i < links->link.n; i++) {
        const pf_link *link = &links->link.at[i];
        assert(link->source < order->sources && link->target < order->targets);
        if (order->first[link->source] == PFI_FREE) order->first[link->source] = link->target;
        order->last[link->source] = link->target;
    }
}

/* Words by target, then by position: a counting sort. */
static void make_chain(pfi_order *order, const unsigned *target) {
    unsigned *begin = order->scratch, *index = order->scratch + order->targets + 1, words = 0;
    memset(begin, 0, (order->targets + 1) * sizeof *begin);
    order->aligned = 0;
    for (unsigned source = 0; source < order->sources; source++) {
        index[source] = order->aligned;
        if (target[source] == PFI_FREE) order->unlinked[words++] = source;
        else begin[target[source] + 1]++, order->aligned++;
    }
    for (unsigned t = 0; t < order->targets; t++) begin[t + 1] += begin[t];
    for (unsigned source = 0; source < order->sources; source++) {
        order->turn[source] = target[source] == PFI_FREE ? PFI_FREE : begin[target[source]]++;
        if (order->turn[source] == PFI_FREE) continue;
        order->chain[order->turn[source]] = source;
        order->dense[order->turn[source]] = index[source];
    }
}

static unsigned root(unsigned *parent, unsigned target) {
    while (parent[target] != target) target = parent[target] = parent[parent[target]];
    return target;
}

/* Union-find over target words that share a source word; the smallest of a cluster stands for it. */
static void make_clusters(pfi_order *order, const pf_alignment *links) {
    unsigned *parent = order->scratch, *rank = order->scratch + order->targets, clusters = 0, i = 0;
    for (unsigned target = 0; target < order->targets; target++) parent[target] = target;
    memset(rank, 0xff, order->targets * sizeof *rank);
    for (size_t k = 0; k < links->link.n; k++) {
        unsigned source = root(parent, order->first[links->link.at[k].source]), t = root(parent, links->link.at[k].target);
        if (source < t) parent[t] = source;
        else parent[source] = t;
    }
    for (size_t k = 0; k < links->link.n; k++) rank[root(parent, links->link.at[k].target)] = 0;
    for (unsigned t = 0; t < order->targets; t++)
        if (rank[t] != PFI_FREE) rank[t] = clusters++;
    for (unsigned j = 0; j < order->sources; j++)
        if (order->first[j] != PFI_FREE) order->cluster[i++] = rank[root(parent, order->first[j])];
}

/* The chain and its inverse agree, the dense chain is an order of the aligned words, and every word is in one of two lists. */
static inline bool sound(const pfi_order *order) {
    unsigned chained = 0;
    for (unsigned step = 0; step < order->aligned; step++) {
        if (order->chain[step] >= order->sources || order->turn[order->chain[step]] != step || order->dense[step] >= order->aligned)
            return false;
        for (unsigned k = 0; k < step; k++)
            if (order->dense[k] == order->dense[step] ||
                (order->dense[k] < order->dense[step]) != (order->chain[k] < order->chain[step]))
                return false;
    }
    for (unsigned j = 0; j < order->sources; j++) chained += order->turn[j] != PFI_FREE;
    for (unsigned f = 0; f < order->sources - order->aligned; f++)
        if (order->turn[order->unlinked[f]] != PFI_FREE) return false;
    return chained == order->aligned;
}

pf_err pf_coverage_take(pf_coverage *coverage, const pf_alignment *links) {
    PFI_CHECK(pfi_alignment_sound(links));
    PF_TRY(make_room(coverage, links));
    find_targets(&coverage->order, links);
    make_chain(&coverage->order, coverage->place == PF_PLACE_FIRST ? coverage->order.first : coverage->order.last);
    make_clusters(&coverage->order, links);
    PFI_CHECK(sound(&coverage->order));
    return PF_OK;
}

void pf_coverage_mark(pf_coverage *coverage, const pf_marks *marks) { coverage->marks = marks; }

/* ---- specifications ---- */

/* The family that a specification names, and its parameter; NULL if it names anything else. */
static const pf_coverage_family *family_of(const char *spec, uint64_t *param) {
    size_t length = strcspn(spec, ":");
    *param = 0;
    for (size_t i = 0; i < FAMILIES; i++) {
        const pf_coverage_family *family = &families[i];
        if (strlen(family->name) != length || strncmp(family->name, spec, length) != 0) continue;
        if (!family->numbered) return spec[length] ? NULL : family;
        const char *at = spec[length] ? spec + length + 1 : "";
        return pf_digits(at, strlen(at), param) && *param >= family->lowest ? family : NULL;
    }
    return NULL;
}

pf_err pf_coverage_check(const char *spec) {
    uint64_t param;
    if (family_of(spec, &param)) return PF_OK;
    pf_err err = pf_con_check(spec);
    if (err == PF_EARG && strstr(pf_message(), "unknown"))
        return pf_fail(err, "%s; also, not in combinations: no-crossing, unfolding, itg-baseline, itg-extended",
                       pf_message());
    return err;
}

pf_err pf_coverage_reaches(const pf_coverage *coverage, const char *spec, uint64_t limit, pf_reach *out) {
    uint64_t param;
    unsigned least;
    const pf_coverage_family *family = family_of(spec, &param);
    bool marked = coverage->marks && coverage->marks->n;
    *out = PF_NOT_REACHED;
    if (marked && !pfi_coverage_marks(&coverage->order, coverage->marks)) return pf_con_check(spec);
    if (marked && strcmp(spec, "none") == 0) *out = PF_REACHED;
    if (marked && *out == PF_REACHED) return PF_OK;
    if (!family || marked) return pfi_coverage_search(coverage, spec, limit, out);
    *out = pf_coverage_least(coverage, family, &least) && least <= param ? PF_REACHED : PF_NOT_REACHED;
    return PF_OK;
}
