/* From an alignment to the order that it asks for, and the table of families. O(words + links) an alignment. */
#include "coverage/coverage_impl.h"

#include <permfst/base/digits.h>
#include <permfst/permute/con.h>

#include <stdlib.h>
#include <string.h>

static const pf_coverage_family families[] = {
    {"no-crossing", false, 0, "no two links cross", pfi_coverage_no_crossing},
    {"unfolding", false, 0, "segments that are closed under alignment stand in source order", pfi_coverage_unfolding},
    {"itg-baseline", false, 0, "each unit is one block, and the blocks are separable", pfi_coverage_itg_baseline},
    {"itg-extended", false, 0, "a unit may have two parts around a constituent", pfi_coverage_itg_extended},
    {"itg", false, 0, "the order is separable", pfi_coverage_itg},
    {"ibm", true, 1, "one of the first L uncovered positions", pfi_coverage_ibm},
    {"inverse-ibm", true, 1, "fewer than L-1 positions behind the first uncovered one are covered", pfi_coverage_inverse_ibm},
    {"local", true, 1, "fewer than L behind the first uncovered position", pfi_coverage_local},
    {"mj", true, 0, "blocks of at most K+1 positions", pfi_coverage_mj},
    {"displacement", true, 0, "every position within D steps of its own place", pfi_coverage_displacement},
    {"distortion", true, 0, "jumps of at most D, the first gap in reach", pfi_coverage_distortion},
    {"itg-span", true, 1, "separable, inverted nodes span at most S positions", pfi_coverage_itg_span},
};
enum { FAMILIES = sizeof families / sizeof *families };

const pf_coverage_family *pf_coverage_family_at(size_t i) { return i < FAMILIES ? &families[i] : NULL; }

bool pf_coverage_least(const pf_coverage *c, const pf_coverage_family *family, unsigned *param) {
    *param = 0;
    return family->least(&c->o, param);
}

pf_err pf_coverage_new(pf_place place, pf_coverage **out) {
    pf_coverage *c = calloc(1, sizeof *c);
    if (!c) return pf_nomem();
    c->place = place;
    *out = c;
    return PF_OK;
}

void pf_coverage_free(pf_coverage *c) {
    if (c) PF_VEC_FREE(&c->numbers);
    free(c);
}

/* ---- an alignment ---- */

static pf_err make_room(pf_coverage *c, const pf_alignment *a) {
    pfi_order *o = &c->o;
    size_t n = o->n = pf_alignment_sources(a), m = o->m = pf_alignment_targets(a);
    unsigned **part[] = {&o->chain, &o->turn, &o->dense, &o->unit, &o->first, &o->last, &o->free, &o->room};
    enum { PARTS = sizeof part / sizeof *part };
    c->numbers.n = 0;
    PF_TRY(PF_ROOM(&c->numbers, (PARTS + 3) * n + 2 * m + 8));
    for (size_t i = 0; i < PARTS; i++) *part[i] = c->numbers.at + i * n;
    return PF_OK;
}

static void find_targets(pfi_order *o, const pf_alignment *a) {
    memset(o->first, 0xff, o->n * sizeof *o->first);
    memset(o->last, 0xff, o->n * sizeof *o->last);
    for (size_t i = 0; i < a->link.n; i++) {
        const pf_link *l = &a->link.at[i];
        if (o->first[l->source] == PFI_FREE) o->first[l->source] = l->target;
        o->last[l->source] = l->target;
    }
}

/* Words by target, then by position: a counting sort. */
static void make_chain(pfi_order *o, const unsigned *target) {
    unsigned *begin = o->room, *index = o->room + o->m + 1, words = 0;
    memset(begin, 0, (o->m + 1) * sizeof *begin);
    o->k = 0;
    for (unsigned j = 0; j < o->n; j++) {
        index[j] = o->k;
        if (target[j] == PFI_FREE) o->free[words++] = j;
        else begin[target[j] + 1]++, o->k++;
    }
    for (unsigned t = 0; t < o->m; t++) begin[t + 1] += begin[t];
    for (unsigned j = 0; j < o->n; j++) {
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

/* Target words that share a source word belong together; the smallest of each set stands for it. */
static void make_units(pfi_order *o, const pf_alignment *a) {
    unsigned *parent = o->room, *rank = o->room + o->m, units = 0, i = 0;
    for (unsigned t = 0; t < o->m; t++) parent[t] = t;
    memset(rank, 0xff, o->m * sizeof *rank);
    for (size_t l = 0; l < a->link.n; l++) {
        unsigned s = root(parent, o->first[a->link.at[l].source]), t = root(parent, a->link.at[l].target);
        if (s < t) parent[t] = s;
        else parent[s] = t;
    }
    for (size_t l = 0; l < a->link.n; l++) rank[root(parent, a->link.at[l].target)] = 0;
    for (unsigned t = 0; t < o->m; t++)
        if (rank[t] != PFI_FREE) rank[t] = units++;
    for (unsigned j = 0; j < o->n; j++)
        if (o->first[j] != PFI_FREE) o->unit[i++] = rank[root(parent, o->first[j])];
}

pf_err pf_coverage_take(pf_coverage *c, const pf_alignment *a) {
    PF_TRY(make_room(c, a));
    find_targets(&c->o, a);
    make_chain(&c->o, c->place == PF_PLACE_FIRST ? c->o.first : c->o.last);
    make_units(&c->o, a);
    return PF_OK;
}

/* ---- specifications ---- */

/* The family that a specification names, and its parameter: NULL if it is no family alone. */
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
        return pf_fail(err, "%s; and, alone and without a number, no-crossing, unfolding, itg-baseline, itg-extended",
                       pf_message());
    return err;
}

pf_err pf_coverage_reaches(const pf_coverage *c, const char *spec, uint64_t limit, pf_reach *out) {
    uint64_t param;
    unsigned least;
    const pf_coverage_family *family = family_of(spec, &param);
    if (!family) return pfi_coverage_search(&c->o, spec, limit, out);
    *out = pf_coverage_least(c, family, &least) && least <= param ? PF_REACHED : PF_NOT_REACHED;
    return PF_OK;
}
