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

bool pf_coverage_least(const pf_coverage *c, const pf_coverage_family *family, unsigned *param) {
    *param = 0;
    return family->least(&c->order, param);
}

pf_err pf_coverage_new(pf_place place, pf_coverage **out) {
    pf_coverage *c = calloc(1, sizeof *c);
    if (!c) return pf_nomem();
    c->place = place;
    *out = c;
    return PF_OK;
}

void pf_coverage_free(pf_coverage *c) {
    if (!c) return;
    PF_VEC_FREE(&c->numbers);
    free(c);
}

/* ---- an alignment ---- */

static pf_err make_room(pf_coverage *c, const pf_alignment *a) {
    pfi_order *o = &c->order;
    size_t n = o->sources = pf_alignment_sources(a), m = o->targets = pf_alignment_targets(a);
    unsigned **part[] = {&o->chain, &o->turn, &o->dense, &o->cluster, &o->first, &o->last, &o->unlinked, &o->scratch};
    enum { PARTS = sizeof part / sizeof *part };
    c->numbers.n = 0;
    PF_TRY(PF_ROOM(&c->numbers, (PARTS + 3) * n + 2 * m + 8));
    for (size_t i = 0; i < PARTS; i++) *part[i] = c->numbers.at + i * n;
    return PF_OK;
}

static void find_targets(pfi_order *o, const pf_alignment *a) {
    memset(o->first, 0xff, o->sources * sizeof *o->first);
    memset(o->last, 0xff, o->sources * sizeof *o->last);
    for (size_t i = 0; i < a->link.n; i++) {
        const pf_link *l = &a->link.at[i];
        assert(l->source < o->sources && l->target < o->targets);
        if (o->first[l->source] == PFI_FREE) o->first[l->source] = l->target;
        o->last[l->source] = l->target;
    }
}

/* Words by target, then by position: a counting sort. */
static void make_chain(pfi_order *o, const unsigned *target) {
    unsigned *begin = o->scratch, *index = o->scratch + o->targets + 1, words = 0;
    memset(begin, 0, (o->targets + 1) * sizeof *begin);
    o->aligned = 0;
    for (unsigned j = 0; j < o->sources; j++) {
        index[j] = o->aligned;
        if (target[j] == PFI_FREE) o->unlinked[words++] = j;
        else begin[target[j] + 1]++, o->aligned++;
    }
    for (unsigned t = 0; t < o->targets; t++) begin[t + 1] += begin[t];
    for (unsigned j = 0; j < o->sources; j++) {
        o->turn[j] = target[j] == PFI_FREE ? PFI_FREE : begin[target[j]]++;
        if (o->turn[j] == PFI_FREE) continue;
        o->chain[o->turn[j]] = j;
        o->dense[o->turn[j]] = index[j];
    }
}

static unsigned root(unsigned *parent, unsigned t) {
    while (parent[t] != t) t = parent[t] = parent[parent[t]];
    return t;
}

/* Union-find over target words that share a source word; the smallest of a cluster stands for it. */
static void make_clusters(pfi_order *o, const pf_alignment *a) {
    unsigned *parent = o->scratch, *rank = o->scratch + o->targets, clusters = 0, i = 0;
    for (unsigned t = 0; t < o->targets; t++) parent[t] = t;
    memset(rank, 0xff, o->targets * sizeof *rank);
    for (size_t l = 0; l < a->link.n; l++) {
        unsigned s = root(parent, o->first[a->link.at[l].source]), t = root(parent, a->link.at[l].target);
        if (s < t) parent[t] = s;
        else parent[s] = t;
    }
    for (size_t l = 0; l < a->link.n; l++) rank[root(parent, a->link.at[l].target)] = 0;
    for (unsigned t = 0; t < o->targets; t++)
        if (rank[t] != PFI_FREE) rank[t] = clusters++;
    for (unsigned j = 0; j < o->sources; j++)
        if (o->first[j] != PFI_FREE) o->cluster[i++] = rank[root(parent, o->first[j])];
}

/* The chain and its inverse agree, the dense chain is an order of the aligned words, and every word is in one of two lists. */
static inline bool sound(const pfi_order *o) {
    unsigned chained = 0;
    for (unsigned i = 0; i < o->aligned; i++) {
        if (o->chain[i] >= o->sources || o->turn[o->chain[i]] != i || o->dense[i] >= o->aligned) return false;
        for (unsigned k = 0; k < i; k++)
            if (o->dense[k] == o->dense[i] || (o->dense[k] < o->dense[i]) != (o->chain[k] < o->chain[i])) return false;
    }
    for (unsigned j = 0; j < o->sources; j++) chained += o->turn[j] != PFI_FREE;
    for (unsigned f = 0; f < o->sources - o->aligned; f++)
        if (o->turn[o->unlinked[f]] != PFI_FREE) return false;
    return chained == o->aligned;
}

pf_err pf_coverage_take(pf_coverage *c, const pf_alignment *a) {
    PFI_CHECK(pfi_alignment_sound(a));
    PF_TRY(make_room(c, a));
    find_targets(&c->order, a);
    make_chain(&c->order, c->place == PF_PLACE_FIRST ? c->order.first : c->order.last);
    make_clusters(&c->order, a);
    PFI_CHECK(sound(&c->order));
    return PF_OK;
}

/* ---- specifications ---- */

/* The family that a specification names, and its parameter; NULL if it names anything else. */
static const pf_coverage_family *family_of(const char *spec, uint64_t *param) {
    size_t n = strcspn(spec, ":");
    *param = 0;
    for (size_t i = 0; i < FAMILIES; i++) {
        const pf_coverage_family *f = &families[i];
        if (strlen(f->name) != n || strncmp(f->name, spec, n) != 0) continue;
        if (!f->numbered) return spec[n] ? NULL : f;
        const char *at = spec[n] ? spec + n + 1 : "";
        return pf_digits(at, strlen(at), param) && *param >= f->lowest ? f : NULL;
    }
    return NULL;
}

pf_err pf_coverage_check(const char *spec) {
    uint64_t param;
    if (family_of(spec, &param)) return PF_OK;
    pf_err err = pf_con_check(spec);
    if (err == PF_EARG && strstr(pf_message(), "unknown"))
        return pf_fail(err, "%s; and, only alone and without a number: no-crossing, unfolding, itg-baseline, itg-extended",
                       pf_message());
    return err;
}

pf_err pf_coverage_reaches(const pf_coverage *c, const char *spec, uint64_t limit, pf_reach *out) {
    uint64_t param;
    unsigned least;
    const pf_coverage_family *family = family_of(spec, &param);
    if (!family) return pfi_coverage_search(&c->order, spec, limit, out);
    *out = pf_coverage_least(c, family, &least) && least <= param ? PF_REACHED : PF_NOT_REACHED;
    return PF_OK;
}
