/* The conjunction of constraints: one narrows what the other leaves; their extra bytes stand one behind the other.
 *
 * Each part leads to live states of its own, but a move that all allow may still be a dead end for all together. Known to
 * be free of that: parts that all allow the first uncovered position everywhere (visiting the gaps in order completes any
 * state), and one itg with any of none, ibm and local (enumerated). Other combinations get the completion test. */
#include "permute/con_impl.h"

#include <stdlib.h>

typedef struct {
    size_t n;
    pf_con **part;
} parts;

static pf_err and_narrow(const pf_con *con, const pf_cover *b, const unsigned char *x, pf_cover *set) {
    const parts *p = con->data;
    for (size_t i = 0; i < p->n; i++) {
        PF_TRY(p->part[i]->cls->narrow(p->part[i], b, x, set));
        x += pf_con_extent(p->part[i], x);
    }
    return PF_OK;
}

static size_t and_start(const pf_con *con, unsigned char *x) {
    const parts *p = con->data;
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) n += pf_con_start(p->part[i], x + n);
    return n;
}

static size_t and_advance(const pf_con *con, const pf_cover *b, const unsigned char *x, unsigned j, unsigned char *to) {
    const parts *p = con->data;
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        n += pf_con_advance(p->part[i], b, x, j, to + n);
        x += pf_con_extent(p->part[i], x);
    }
    return n;
}

static size_t and_extent(const pf_con *con, const unsigned char *x) {
    const parts *p = con->data;
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) n += pf_con_extent(p->part[i], x + n);
    return n;
}

static bool and_member(const pf_con *con, const unsigned *permutation) {
    const parts *p = con->data;
    for (size_t i = 0; i < p->n; i++)
        if (!p->part[i]->cls->member(p->part[i], permutation)) return false;
    return true;
}

static void and_free(pf_con *con) {
    parts *p = con->data;
    for (size_t i = 0; p && i < p->n; i++) pf_con_free(p->part[i]);
    if (p) free(p->part);
    free(p);
}

static const pf_con_class and_class = {
    .name = "and",
    .params = "",
    .help = "all of several",
    .free = and_free,
    .start = and_start,
    .narrow = and_narrow,
    .advance = and_advance,
    .extent = and_extent,
    .member = and_member,
};

/* One itg with any number of these has no dead ends. */
static bool goes_with_itg(const pf_con_class *cls) {
    return cls == &pfi_con_none || cls == &pfi_con_ibm || cls == &pfi_con_local;
}

static bool known_live(pf_con *const *part, size_t n) {
    size_t gap = 0, itg = 0, beside = 0;
    for (size_t i = 0; i < n; i++) {
        gap += part[i]->cls->first_gap;
        itg += part[i]->cls == &pfi_con_itg;
        beside += goes_with_itg(part[i]->cls);
    }
    return gap == n || (itg == 1 && itg + beside == n);
}

/* Moves the parts into a new conjunction; on failure they stay with the caller. */
static pf_err conjoin(pf_con **part, size_t n, unsigned length, pf_con **out) {
    PF_TRY(pfi_con_make(&and_class, length, out));
    parts *p = (*out)->data = calloc(1, sizeof *p);
    if (p) p->part = calloc(n, sizeof(pf_con *));
    if (!p || !p->part) {
        pf_con_free(*out);
        *out = NULL;
        return pf_nomem();
    }
    for (size_t costly = 0; costly < 2; costly++) /* those without a state of their own are cheap: they come first */
        for (size_t i = 0; i < n; i++)
            if ((part[i]->room > 0) == (costly == 1)) {
                p->part[p->n++] = part[i];
                (*out)->room += part[i]->room;
            }
    return PF_OK;
}

pf_err pf_con_and(pf_con **part, size_t n, unsigned length, pf_con **out) {
    if (n == 0) return pf_con_new("none", length, out);
    if (n == 1) {
        *out = part[0];
        return PF_OK;
    }
    bool live = known_live(part, n);
    pf_con *both = NULL;
    pf_err err = conjoin(part, n, length, &both);
    if (err) {
        for (size_t i = 0; i < n; i++) pf_con_free(part[i]);
        return err;
    }
    if (!live) return pfi_con_live(both, out);
    *out = both;
    return PF_OK;
}
