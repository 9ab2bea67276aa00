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

const char *pf_sym_name(const pf_sym_method *m) { return m->name; }
const pf_sym_method *pf_sym_at(size_t i) { return i < sizeof methods / sizeof *methods ? &methods[i] : NULL; }

const pf_sym_method *pf_sym_find(const char *name) {
    for (size_t i = 0; pf_sym_at(i); i++)
        if (strcmp(methods[i].name, name) == 0) return &methods[i];
    return NULL;
}

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

void pf_sym_free(pf_sym *s) {
    if (!s) return;
    for (int i = 0; i < 2; i++) {
        pf_alignment_free(&s->inverted[i]);
        PF_VEC_FREE(&s->side[i]);
    }
    PF_VEC_FREE(&s->point);
    PF_VEC_FREE(&s->open);
    free(s);
}

/* ---- the union ---- */

static double mean(double p, double q) {
    if (isnan(p)) return q;
    return isnan(q) ? p : (p + q) / 2;
}

/* The union of two sorted lists. */
static pf_err merge(pf_sym *s, const pf_alignment *a, const pf_alignment *b) {
    s->point.n = 0;
    PF_TRY(PF_ROOM(&s->point, a->link.n + b->link.n));
    for (size_t i = 0, k = 0; i < a->link.n || k < b->link.n;) {
        const pf_link *x = i < a->link.n ? &a->link.at[i] : NULL, *y = k < b->link.n ? &b->link.at[k] : NULL;
        sym_point *p = &s->point.at[s->point.n++];
        p->from[0] = !y || (x && !pfi_link_before(y, x));
        p->from[1] = !x || (y && !pfi_link_before(x, y));
        p->link = p->from[0] ? *x : *y;
        if (p->from[0] && p->from[1]) {
            p->link.possible = x->possible && y->possible;
            p->link.posterior = mean(x->posterior, y->posterior);
        }
        i += p->from[0];
        k += p->from[1];
    }
    return PF_OK;
}

static void join(pf_sym *s, uint32_t k, int here, uint32_t q, int there) {
    s->point.at[k].near[here] = q;
    s->point.at[q].near[there] = k;
}

/* Joins k with the points from `above` on that touch it; earlier points of its source word have passed `above` already. */
static void join_above(pf_sym *s, uint32_t k, uint32_t above) {
    const sym_point *at = s->point.at;
    for (uint32_t q = above; q < k && at[q].link.source + 1 == at[k].link.source; q++) {
        uint32_t there = at[q].link.target, here = at[k].link.target;
        if (there > here + 1) break;
        if (there + 1 == here) join(s, k, ABOVE_BEFORE, q, BELOW_BEHIND);
        else if (there == here) join(s, k, ABOVE, q, BELOW);
        else if (there == here + 1) join(s, k, ABOVE_BEHIND, q, BELOW_BEFORE);
    }
}

/* Does no point from this one on, or right of it, touch a point at `above`? */
static bool passed(const pf_link *above, const pf_link *here) {
    if (above->source + 1 != here->source) return above->source + 1 < here->source;
    return above->target + 1 < here->target;
}

static void find_neighbours(pf_sym *s) {
    uint32_t n = (uint32_t)s->point.n, above = 0; /* fewer than 2^32: positions have 16 bits */
    for (uint32_t k = 0; k < n; k++) {
        const pf_link *here = &s->point.at[k].link, *last = k ? &s->point.at[k - 1].link : here;
        for (int i = 0; i < NEIGHBOURS; i++) s->point.at[k].near[i] = NONE;
        while (above < k && passed(&s->point.at[above].link, here)) above++;
        join_above(s, k, above);
        if (k && last->source == here->source && last->target + 1 == here->target) join(s, k, BEFORE, k - 1, BEHIND);
    }
}

/* ---- growing ---- */

static void put(pf_sym *s, sym_point *p) {
    p->in = true;
    s->side[0].at[p->link.source] = s->side[1].at[p->link.target] = 1;
}

/* How many of the two words are linked. */
static unsigned linked(const pf_sym *s, const sym_point *p) {
    return s->side[0].at[p->link.source] + (unsigned)s->side[1].at[p->link.target];
}

static bool touches(const pf_sym *s, const sym_point *p, unsigned neighbours) {
    for (unsigned i = 0; i < neighbours; i++)
        if (p->near[i] != NONE && s->point.at[p->near[i]].in) return true;
    return false;
}

/* Rounds over the links that are not in. One both of whose words are linked never gets in. */
static pf_err grow_atools(pf_sym *s, unsigned neighbours) {
    bool added = true;
    s->open.n = 0;
    PF_TRY(PF_ROOM(&s->open, s->point.n));
    for (uint32_t k = 0; k < s->point.n; k++)
        if (!s->point.at[k].in) s->open.at[s->open.n++] = k;
    while (added) {
        size_t n = s->open.n;
        s->open.n = 0;
        added = false;
        for (size_t i = 0; i < n; i++) {
            sym_point *p = &s->point.at[s->open.at[i]];
            if (linked(s, p) == 2) continue;
            if (touches(s, p, neighbours)) put(s, p), added = true;
            else s->open.at[s->open.n++] = s->open.at[i];
        }
    }
    return PF_OK;
}

/* Walks over the links that are in: a link added further on is met in the same walk, one before it in the next. */
static pf_err grow_symal(pf_sym *s, unsigned neighbours) {
    bool added = true;
    while (added) {
        added = false;
        for (size_t k = 0; k < s->point.n; k++)
            for (unsigned i = 0; s->point.at[k].in && i < neighbours; i++) {
                uint32_t q = s->point.at[k].near[i];
                if (q == NONE || linked(s, &s->point.at[q]) == 2) continue;
                put(s, &s->point.at[q]);
                added = true;
            }
    }
    return PF_OK;
}

static void finish(pf_sym *s, int which, final_step step) {
    unsigned most = step == FINAL_AND ? 0 : 1; /* of the two words, that are linked already */
    for (size_t k = 0; k < s->point.n; k++) {
        sym_point *p = &s->point.at[k];
        if (p->from[which] && !p->in && linked(s, p) <= most) put(s, p);
    }
}

/* ---- the whole ---- */

static pf_err start(pf_sym *s, const pf_sym_method *m) {
    uint32_t n[2] = {0, 0};
    for (size_t k = 0; k < s->point.n; k++) {
        const pf_link *l = &s->point.at[k].link;
        if (l->source >= n[0]) n[0] = l->source + 1;
        if (l->target >= n[1]) n[1] = l->target + 1;
    }
    for (int i = 0; i < 2; i++) {
        s->side[i].n = 0;
        PF_TRY(PF_ROOM(&s->side[i], n[i]));
        if (n[i]) memset(s->side[i].at, 0, n[i]);
    }
    for (size_t k = 0; k < s->point.n; k++) {
        sym_point *p = &s->point.at[k];
        p->in = false;
        if (m->everything || (p->from[0] && p->from[1])) put(s, p);
    }
    return PF_OK;
}

static pf_err collect(const pf_sym *s, pf_alignment *out) {
    PF_TRY(PF_ROOM(&out->link, s->point.n));
    for (size_t k = 0; k < s->point.n; k++)
        if (s->point.at[k].in) out->link.at[out->link.n++] = s->point.at[k].link;
    return PF_OK;
}

static pf_err run(pf_sym *s, const pf_sym_method *m, pf_sym_order order, const pf_alignment *a, const pf_alignment *b,
                  pf_alignment *out) {
    PF_TRY(merge(s, a, b));
    PF_TRY(start(s, m));
    if (m->neighbours) {
        find_neighbours(s);
        PF_TRY((order == PF_SYM_SYMAL ? grow_symal : grow_atools)(s, m->neighbours));
    }
    for (int i = 0; m->final && i < 2; i++) finish(s, i, m->final);
    return collect(s, out);
}

static pf_err agree(const char *side, uint32_t n, uint32_t m, uint32_t *out) {
    if (n != m && n != PF_UNKNOWN_LENGTH && m != PF_UNKNOWN_LENGTH)
        return pf_fail(PF_EINPUT, "the alignments differ in the length of the %s: %u and %u words", side, n, m);
    *out = n != PF_UNKNOWN_LENGTH ? n : m;
    return PF_OK;
}

/* One alignment may know a length that the other does not. */
static pf_err check_links(const pf_alignment *a, uint32_t n_source, uint32_t n_target) {
    for (size_t i = 0; i < a->link.n; i++) {
        const pf_link *l = &a->link.at[i];
        if (l->source >= n_source || l->target >= n_target)
            return pf_fail(PF_EINPUT, "link %u-%u of one alignment is past the end of the sentences of the other", l->source,
                           l->target);
    }
    return PF_OK;
}

pf_err pf_symmetrize(pf_sym *s, const pf_sym_method *m, pf_sym_order order, const pf_alignment *first,
                     const pf_alignment *second, pf_alignment *out) {
    uint32_t n_source = PF_UNKNOWN_LENGTH, n_target = PF_UNKNOWN_LENGTH;
    bool inverted = order == PF_SYM_SYMAL && m->neighbours;
    assert(out != first && out != second);
    PFI_CHECK(pfi_alignment_sound(first) && pfi_alignment_sound(second));
    pf_alignment_reset(out);
    PF_TRY(agree("source", first->n_source, second->n_source, &n_source));
    PF_TRY(agree("target", first->n_target, second->n_target, &n_target));
    PF_TRY(check_links(first, n_source, n_target));
    PF_TRY(check_links(second, n_source, n_target));
    if (inverted) {
        PF_TRY(pf_alignment_copy(first, &s->inverted[0]));
        PF_TRY(pf_alignment_copy(second, &s->inverted[1]));
        pf_alignment_invert(&s->inverted[0]);
        pf_alignment_invert(&s->inverted[1]);
        first = &s->inverted[0];
        second = &s->inverted[1];
    }
    PF_TRY(run(s, m, order, first, second, out));
    if (inverted) pf_alignment_invert(out);
    out->n_source = n_source;
    out->n_target = n_target;
    PFI_CHECK(pfi_alignment_sound(out));
    return PF_OK;
}
