/* The conjunction of constraints: one narrows what the other leaves; their extra bytes stand one behind the other.
 *
 * Each part leads to live states of its own, but a move that all allow may still be a dead end for all together. Known to
 * be free of that: parts that all allow the first uncovered position everywhere (visiting the gaps in order completes any
 * state), one itg with any that go beside it (enumerated), and nested zones with walls that split none of them. Other
 * combinations get the completion test. A conjunction within a conjunction is taken apart first. */
#include "permute/con_impl.h"

#include <permfst/base/vec.h>

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

static bool and_accepts(const pf_con *con, const unsigned char *x) {
    const parts *p = con->data;
    for (size_t i = 0; i < p->n; x += pf_con_extent(p->part[i++], x))
        if (!pf_con_accepts(p->part[i], x)) return false;
    return true;
}

static void and_free(pf_con *con) {
    parts *p = con->data;
    for (size_t i = 0; p && i < p->n; i++) pf_con_free(p->part[i]);
    if (p) free(p->part);
    free(p);
}

static pf_con *const *and_parts(const pf_con *con, size_t *n) {
    const parts *p = con->data;
    *n = p->n;
    return p->part;
}

const pf_con_class pfi_con_all_of = {
    .name = "and",
    .params = "",
    .help = "all of several",
    .free = and_free,
    .start = and_start,
    .narrow = and_narrow,
    .advance = and_advance,
    .extent = and_extent,
    .accepts = and_accepts,
    .member = and_member,
    .parts = and_parts,
};

static bool known_live(pf_con *const *part, size_t n) {
    size_t gap = 0, itg = 0, beside = 0;
    for (size_t i = 0; i < n; i++) {
        gap += part[i]->first_gap;
        itg += part[i]->cls == &pfi_con_itg;
        beside += part[i]->cls->beside_itg;
    }
    return gap == n || (itg == 1 && itg + beside == n) || pfi_con_marks_live(part, n);
}

typedef PF_VEC(pf_con *) con_list;

/* Appends the constraint, or the parts of a conjunction, which is then gone; also where it fails. */
static pf_err flatten(pf_con *con, con_list *out) {
    parts *p = con->data;
    bool nested = con->cls == &pfi_con_all_of;
    size_t n = nested ? p->n : 1;
    pf_err err = PF_ROOM(out, n + 1);
    if (!err) memcpy(out->at + out->n, nested ? p->part : &con, n * sizeof con);
    if (!err) out->n += n;
    if (!err && nested) p->n = 0;
    if (err || nested) pf_con_free(con);
    return err;
}

/* Moves the parts into con; those without a state of their own are cheap: they come first. */
static pf_err fill(pf_con *con, const con_list *list) {
    parts *p = con->data = calloc(1, sizeof *p);
    if (!p || !(p->part = calloc(list->n, sizeof(pf_con *)))) return pf_nomem();
    con->live = known_live(list->at, list->n);
    con->first_gap = true;
    for (size_t costly = 0; costly < 2; costly++)
        for (size_t i = 0; i < list->n; i++)
            if ((list->at[i]->room > 0) == (costly == 1)) p->part[p->n++] = list->at[i];
    for (size_t i = 0; i < p->n; i++) {
        con->room += p->part[i]->room;
        con->first_gap = con->first_gap && p->part[i]->first_gap;
        con->may_be_empty = con->may_be_empty || p->part[i]->may_be_empty;
    }
    return PF_OK;
}

/* "none" changes nothing beside others. */
static void drop_none(con_list *list) {
    size_t kept = 0;
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i]->cls == &pfi_con_none && (kept || i + 1 < list->n)) pf_con_free(list->at[i]);
        else list->at[kept++] = list->at[i];
    list->n = kept;
}

static pf_err conjoin(con_list *list, unsigned n, pf_con **out) {
    PF_TRY(pfi_con_zones_nest(list->at, list->n));
    if (list->n == 1) {
        list->n = 0;
        *out = list->at[0];
        return PF_OK;
    }
    PF_TRY(pfi_con_make(&pfi_con_all_of, n, out));
    pf_err err = fill(*out, list);
    if (!err) list->n = 0;
    else pf_con_free(*out);
    return err;
}

pf_err pfi_con_conjoin(pf_con **part, size_t n, unsigned length, pf_con **out) {
    con_list list = {0};
    pf_err err = PF_OK;
    *out = n == 1 ? part[0] : NULL;
    if (n == 1) return PF_OK;
    if (n == 0) return pfi_con_make(&pfi_con_none, length, out);
    for (size_t i = 0; i < n; i++)
        if (err) pf_con_free(part[i]);
        else err = flatten(part[i], &list);
    drop_none(&list);
    if (!err) err = conjoin(&list, length, out);
    for (size_t i = 0; i < list.n; i++) pf_con_free(list.at[i]);
    PF_VEC_FREE(&list);
    return err;
}
