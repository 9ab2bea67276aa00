/* The union is a sorted list in which every link knows its neighbours, so a round looks at nothing else. See symmetrize.h for the
 * methods and the two orders. The order of symal is that of atools with source and target exchanged, so it works on inverted
 * alignments. Finding the neighbours costs O(links): the links of a source word are merged with those of the word before. */
#include <permfst/align/symmetrize.h>

#include "align/sound.h"
#include "base/contract.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { NO_FINAL, FINAL, FINAL_AND } final_step;

struct pf_sym_method {
    const char *name;
    bool everything;    /* begins with the union */
    unsigned neighbours; /* which of them let a link in: none, those beside it, the diagonal ones too */
    final_step final;
};

static const pf_sym_method methods[] = {
    {"intersect", false, 0, NO_FINAL},
    {"union", true, 0, NO_FINAL},
    {"grow", false, 4, NO_FINAL},
    {"grow-final", false, 4, FINAL},
    {"grow-final-and", false, 4, FINAL_AND},
    {"grow-diag", false, 8, NO_FINAL},
    {"grow-diag-final", false, 8, FINAL},
    {"grow-diag-final-and", false, 8, FINAL_AND},
};

const char *pf_sym_name(const pf_sym_method *method) { return method->name; }
const pf_sym_method *pf_sym_at(size_t i) { return i < sizeof methods / sizeof *methods ? &methods[i] : NULL; }
const pf_sym_method *pf_sym_usual(void) { return &methods[sizeof methods / sizeof *methods - 1]; }

#define NONE UINT32_MAX

/* Neighbours in the order in which symal tries them: (row, column) -1 0, 0 -1, 1 0, 0 1, then -1 -1, -1 1, 1 -1, 1 1. */
enum { ABOVE, BEFORE, BELOW, BEHIND, ABOVE_BEFORE, ABOVE_BEHIND, BELOW_BEFORE, BELOW_BEHIND, NEIGHBOURS };

typedef struct {
    pf_link link;
    uint32_t near[NEIGHBOURS]; /* places in the list, or NONE */
    bool from[2], in;          /* of the first, the second alignment; of the result */
} sym_point;

struct pf_sym {
    pf_alignment inverted[2];
    PF_VEC(sym_point) point;       /* by source, then target */
    PF_VEC(uint32_t) open;         /* points that may still get in */
    PF_VEC(unsigned char) side[2]; /* is the word linked? */
};

pf_err pf_sym_new(pf_sym **out) { return (*out = calloc(1, sizeof **out)) ? PF_OK : pf_nomem(); }

void pf_sym_free(pf_sym *sym) {
    if (!sym) return;
    for (int i = 0; i < 2; i++) {
        pf_alignment_free(&sym->inverted[i]);
        PF_VEC_FREE(&sym->side[i]);
    }
    PF_VEC_FREE(&sym->point);
    PF_VEC_FREE(&sym->open);
    free(sym);
}

/* ---- the union ---- */

static double mean(double first, double second) {
    if (isnan(first)) return second;
    return isnan(second) ? first : (first + second) / 2;
}

/* The union of two sorted lists. */
static pf_err merge(pf_sym *sym, const pf_alignment *first, const pf_alignment *second) {
    sym->point.n = 0;
    PF_TRY(PF_ROOM(&sym->point, first->link.n + second->link.n));
    for (size_t mine = 0, theirs = 0; mine < first->link.n || theirs < second->link.n;) {
        const pf_link *one = mine < first->link.n ? &first->link.at[mine] : NULL,
                      *other = theirs < second->link.n ? &second->link.at[theirs] : NULL;
        sym_point *point = &sym->point.at[sym->point.n++];
        point->from[0] = !other || (one && !pfi_link_before(other, one));
        point->from[1] = !one || (other && !pfi_link_before(one, other));
        point->link = point->from[0] ? *one : *other;
        if (point->from[0] && point->from[1]) {
            point->link.possible = one->possible && other->possible;
            point->link.posterior = mean(one->posterior, other->posterior);
        }
        mine += point->from[0];
        theirs += point->from[1];
    }
    return PF_OK;
}

static void join(pf_sym *sym, uint32_t k, int here, uint32_t other, int there) {
    sym->point.at[k].near[here] = other;
    sym->point.at[other].near[there] = k;
}

/* Joins a point with those from `above` on that touch it; earlier points of its source word have passed `above` already. */
static void join_above(pf_sym *sym, uint32_t point, uint32_t above) {
    const sym_point *at = sym->point.at;
    for (uint32_t other = above; other < point && at[other].link.source + 1 == at[point].link.source; other++) {
        uint32_t there = at[other].link.target, here = at[point].link.target;
        if (there > here + 1) break;
        if (there + 1 == here) join(sym, point, ABOVE_BEFORE, other, BELOW_BEHIND);
        else if (there == here) join(sym, point, ABOVE, other, BELOW);
        else if (there == here + 1) join(sym, point, ABOVE_BEHIND, other, BELOW_BEFORE);
    }
}

/* Does no point from this one on, or right of it, touch a point at `above`? */
static bool passed(const pf_link *above, const pf_link *here) {
    if (above->source + 1 != here->source) return above->source + 1 < here->source;
    return above->target + 1 < here->target;
}

static void find_neighbours(pf_sym *sym) {
    uint32_t next = (uint32_t)sym->point.n, above = 0; /* fewer than 2^32: positions have 16 bits */
    for (uint32_t point = 0; point < next; point++) {
        const pf_link *here = &sym->point.at[point].link, *last = point ? &sym->point.at[point - 1].link : here;
        for (int i = 0; i < NEIGHBOURS; i++) sym->point.at[point].near[i] = NONE;
        while (above < point && passed(&sym->point.at[above].link, here)) above++;
        join_above(sym, point, above);
        if (point && last->source == here->source && last->target + 1 == here->target) join(sym, point, BEFORE, point - 1, BEHIND);
    }
}

/* ---- growing ---- */

static void put(pf_sym *sym, sym_point *point) {
    point->in = true;
    sym->side[0].at[point->link.source] = sym->side[1].at[point->link.target] = 1;
}

/* How many of the two words are linked. */
static unsigned linked(const pf_sym *sym, const sym_point *point) {
    return sym->side[0].at[point->link.source] + (unsigned)sym->side[1].at[point->link.target];
}

static bool touches(const pf_sym *sym, const sym_point *point, unsigned neighbours) {
    for (unsigned i = 0; i < neighbours; i++)
        if (point->near[i] != NONE && sym->point.at[point->near[i]].in) return true;
    return false;
}

/* Rounds over the links that are not in. One both of whose words are linked never gets in. */
static pf_err grow_atools(pf_sym *sym, unsigned neighbours) {
    bool added = true;
    sym->open.n = 0;
    PF_TRY(PF_ROOM(&sym->open, sym->point.n));
    for (uint32_t k = 0; k < sym->point.n; k++)
        if (!sym->point.at[k].in) sym->open.at[sym->open.n++] = k;
    while (added) {
        size_t n = sym->open.n;
        sym->open.n = 0;
        added = false;
        for (size_t at = 0; at < n; at++) {
            sym_point *point = &sym->point.at[sym->open.at[at]];
            if (linked(sym, point) == 2) continue;
            if (touches(sym, point, neighbours)) put(sym, point), added = true;
            else sym->open.at[sym->open.n++] = sym->open.at[at];
        }
    }
    return PF_OK;
}

/* Walks over the links that are in: a link added further on is met in the same walk, one before it in the next. */
static pf_err grow_symal(pf_sym *sym, unsigned neighbours) {
    bool added = true;
    while (added) {
        added = false;
        for (size_t k = 0; k < sym->point.n; k++)
            for (unsigned i = 0; sym->point.at[k].in && i < neighbours; i++) {
                uint32_t other = sym->point.at[k].near[i];
                if (other == NONE || linked(sym, &sym->point.at[other]) == 2) continue;
                put(sym, &sym->point.at[other]);
                added = true;
            }
    }
    return PF_OK;
}

static void finish(pf_sym *sym, int which, final_step step) {
    unsigned most = step == FINAL_AND ? 0 : 1; /* of the two words, that are linked already */
    for (size_t k = 0; k < sym->point.n; k++) {
        sym_point *point = &sym->point.at[k];
        if (point->from[which] && !point->in && linked(sym, point) <= most) put(sym, point);
    }
}

/* ---- the whole ---- */

static pf_err start(pf_sym *sym, const pf_sym_method *method) {
    uint32_t lengths[2] = {0, 0};
    for (size_t k = 0; k < sym->point.n; k++) {
        const pf_link *link = &sym->point.at[k].link;
        if (link->source >= lengths[0]) lengths[0] = link->source + 1;
        if (link->target >= lengths[1]) lengths[1] = link->target + 1;
    }
    for (int side = 0; side < 2; side++) {
        sym->side[side].n = 0;
        PF_TRY(PF_ROOM(&sym->side[side], lengths[side]));
        if (lengths[side]) memset(sym->side[side].at, 0, lengths[side]);
    }
    for (size_t k = 0; k < sym->point.n; k++) {
        sym_point *point = &sym->point.at[k];
        point->in = false;
        if (method->everything || (point->from[0] && point->from[1])) put(sym, point);
    }
    return PF_OK;
}

static pf_err collect(const pf_sym *sym, pf_alignment *out) {
    PF_TRY(PF_ROOM(&out->link, sym->point.n));
    for (size_t k = 0; k < sym->point.n; k++)
        if (sym->point.at[k].in) out->link.at[out->link.n++] = sym->point.at[k].link;
    return PF_OK;
}

static pf_err run(pf_sym *sym, const pf_sym_method *method, pf_sym_order order, const pf_alignment *first,
                  const pf_alignment *second, pf_alignment *out) {
    PF_TRY(merge(sym, first, second));
    PF_TRY(start(sym, method));
    if (method->neighbours) {
        find_neighbours(sym);
        PF_TRY((order == PF_SYM_SYMAL ? grow_symal : grow_atools)(sym, method->neighbours));
    }
    for (int i = 0; method->final && i < 2; i++) finish(sym, i, method->final);
    return collect(sym, out);
}

static pf_err agree(const char *side, uint32_t length, uint32_t other, uint32_t *out) {
    if (length != other && length != PF_UNKNOWN_LENGTH && other != PF_UNKNOWN_LENGTH)
        return pf_fail(PF_EINPUT, "the alignments differ in the length of the %s: %u and %u words", side, length, other);
    *out = length != PF_UNKNOWN_LENGTH ? length : other;
    return PF_OK;
}

/* One alignment may know a length that the other does not. */
static pf_err check_links(const pf_alignment *alignment, uint32_t n_source, uint32_t n_target) {
    for (size_t i = 0; i < alignment->link.n; i++) {
        const pf_link *link = &alignment->link.at[i];
        if (link->source >= n_source || link->target >= n_target)
            return pf_fail(PF_EINPUT, "link %u-%u of one alignment is past the end of the sentences of the other",
                link->source, link->target);
    }
    return PF_OK;
}

pf_err pf_symmetrize(pf_sym *sym, const pf_sym_method *method, pf_sym_order order, const pf_alignment *first,
                     const pf_alignment *second, pf_alignment *out) {
    uint32_t n_source = PF_UNKNOWN_LENGTH, n_target = PF_UNKNOWN_LENGTH;
    bool inverted = order == PF_SYM_SYMAL && method->neighbours;
    assert(out != first && out != second);
    PFI_CHECK(pfi_alignment_sound(first) && pfi_alignment_sound(second));
    pf_alignment_reset(out);
    PF_TRY(agree("source", first->n_source, second->n_source, &n_source));
    PF_TRY(agree("target", first->n_target, second->n_target, &n_target));
    PF_TRY(check_links(first, n_source, n_target));
    PF_TRY(check_links(second, n_source, n_target));
    if (inverted) {
        PF_TRY(pf_alignment_copy(first, &sym->inverted[0]));
        PF_TRY(pf_alignment_copy(second, &sym->inverted[1]));
        pf_alignment_invert(&sym->inverted[0]);
        pf_alignment_invert(&sym->inverted[1]);
        first = &sym->inverted[0];
        second = &sym->inverted[1];
    }
    PF_TRY(run(sym, method, order, first, second, out));
    if (inverted) pf_alignment_invert(out);
    out->n_source = n_source;
    out->n_target = n_target;
    PFI_CHECK(pfi_alignment_sound(out));
    return PF_OK;
}
