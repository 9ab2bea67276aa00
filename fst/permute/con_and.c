/* The conjunction of constraints: each part narrows what the part before it has left; their extra bytes follow one another.
 *
 * No part has dead ends of its own, but a move that all parts allow may still lead to a dead end of the conjunction. Three
 * kinds are known to be free of dead ends: parts that all allow the first uncovered position everywhere (visiting the gaps in
 * order completes any state); one itg with any parts that go beside it (enumerated); nested zones with walls that split none
 * of them. Other conjunctions get the completion test. A conjunction within a conjunction is taken apart first. */
#include "permute/con_impl.h"

#include <permfst/base/vec.h>

#include <stdlib.h>

typedef struct {
    size_t count;
    pf_con **part;
} con_parts;

static pf_err and_narrow(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set) {
    const con_parts *parts = con->data;
    for (size_t at = 0; at < parts->count; at++) {
        PF_TRY(parts->part[at]->cls->narrow(parts->part[at], covered, extra, set));
        extra += pf_con_extent(parts->part[at], extra);
    }
    return PF_OK;
}

static size_t and_start(const pf_con *con, unsigned char *extra) {
    const con_parts *parts = con->data;
    size_t length = 0;
    for (size_t i = 0; i < parts->count; i++) length += pf_con_start(parts->part[i], extra + length);
    assert(length <= con->room);
    return length;
}

static size_t and_advance(const pf_con *con, const pf_cover *covered, const unsigned char *extra, unsigned position,
    unsigned char *to) {
    const con_parts *parts = con->data;
    size_t length = 0;
    for (size_t at = 0; at < parts->count; at++) {
        length += pf_con_advance(parts->part[at], covered, extra, position, to + length);
        extra += pf_con_extent(parts->part[at], extra);
    }
    assert(length <= con->room);
    return length;
}

static size_t and_extent(const pf_con *con, const unsigned char *extra) {
    const con_parts *parts = con->data;
    size_t length = 0;
    for (size_t i = 0; i < parts->count; i++) length += pf_con_extent(parts->part[i], extra + length);
    return length;
}

static bool and_member(const pf_con *con, const unsigned *order) {
    const con_parts *parts = con->data;
    for (size_t i = 0; i < parts->count; i++)
        if (!parts->part[i]->cls->member(parts->part[i], order)) return false;
    return true;
}

static void and_range(const pf_con *con, unsigned t, unsigned *least, unsigned *most) {
    const con_parts *parts = con->data;
    for (size_t i = 0; i < parts->count; i++)
        if (parts->part[i]->cls->range) parts->part[i]->cls->range(parts->part[i], t, least, most);
}

static bool and_accepts(const pf_con *con, const unsigned char *extra) {
    const con_parts *parts = con->data;
    for (size_t at = 0; at < parts->count; extra += pf_con_extent(parts->part[at++], extra))
        if (!pf_con_accepts(parts->part[at], extra)) return false;
    return true;
}

static void and_free(pf_con *con) {
    con_parts *parts = con->data;
    for (size_t i = 0; parts && i < parts->count; i++) pf_con_free(parts->part[i]);
    if (parts) free(parts->part);
    free(parts);
}

static pf_con *const *and_parts(const pf_con *con, size_t *count) {
    const con_parts *parts = con->data;
    *count = parts->count;
    return parts->part;
}

const pf_con_class pfi_con_all_of = {
    .name = "and",
    .params = "",
    .help = "all of several",
    .sorts = true,
    .free = and_free,
    .start = and_start,
    .narrow = and_narrow,
    .advance = and_advance,
    .extent = and_extent,
    .accepts = and_accepts,
    .range = and_range,
    .member = and_member,
    .parts = and_parts,
};

static bool known_live(pf_con *const *part, size_t count) {
    size_t first_gap = 0, itg = 0, beside = 0;
    for (size_t at = 0; at < count; at++) {
        first_gap += part[at]->first_gap;
        itg += part[at]->cls == &pfi_con_itg;
        beside += part[at]->cls->beside_itg;
    }
    return first_gap == count || (itg == 1 && itg + beside == count) || pfi_con_marks_live(part, count);
}

typedef PF_VEC(pf_con *) con_list;

/* Appends the constraint, or the parts of a conjunction, which is then freed. Where it fails the constraint is freed, too. */
static pf_err flatten(pf_con *con, con_list *out) {
    con_parts *parts = con->data;
    bool nested = con->cls == &pfi_con_all_of;
    size_t moved = nested ? parts->count : 1;
    pf_err err = PF_ROOM(out, moved + 1);
    if (!err) memcpy(out->at + out->n, nested ? parts->part : &con, moved * sizeof con);
    if (!err) out->n += moved;
    if (!err && nested) parts->count = 0;
    if (err || nested) pf_con_free(con);
    return err;
}

/* Moves the parts into con. Those without extra bytes come first, as they are cheap. */
static pf_err fill(pf_con *con, const con_list *list) {
    con_parts *parts = con->data = calloc(1, sizeof *parts);
    if (!parts || !(parts->part = calloc(list->n, sizeof(pf_con *)))) return pf_nomem();
    con->live = known_live(list->at, list->n);
    con->first_gap = true;
    for (size_t costly = 0; costly < 2; costly++)
        for (size_t at = 0; at < list->n; at++)
            if ((list->at[at]->room > 0) == (costly == 1)) parts->part[parts->count++] = list->at[at];
    for (size_t at = 0; at < parts->count; at++) {
        assert(parts->part[at]->n == con->n && !parts->part[at]->looks_ahead); /* one test around the whole */
        con->room += parts->part[at]->room;
        if (con->depth <= parts->part[at]->depth) con->depth = parts->part[at]->depth + 1;
        con->first_gap = con->first_gap && parts->part[at]->first_gap;
        con->may_be_empty = con->may_be_empty || parts->part[at]->may_be_empty;
    }
    return PF_OK;
}

/* Beside other constraints "none" changes nothing. */
static void drop_none(con_list *list) {
    size_t kept = 0;
    for (size_t at = 0; at < list->n; at++)
        if (list->at[at]->cls == &pfi_con_none && (kept || at + 1 < list->n)) pf_con_free(list->at[at]);
        else list->at[kept++] = list->at[at];
    list->n = kept;
}

static pf_err conjoin(con_list *list, unsigned length, pf_con **out) {
    PF_TRY(pfi_con_zones_nest(list->at, list->n));
    if (list->n == 1) {
        list->n = 0;
        *out = list->at[0];
        return PF_OK;
    }
    PF_TRY(pfi_con_make(&pfi_con_all_of, length, out));
    pf_err err = fill(*out, list);
    if (!err) {
        list->n = 0;
        return PF_OK;
    }
    pf_con_free(*out);
    *out = NULL;
    return err;
}

pf_err pfi_con_conjoin(pf_con **part, size_t count, unsigned length, pf_con **out) {
    con_list list = {0};
    pf_err err = PF_OK;
    *out = count == 1 ? part[0] : NULL;
    if (count == 1) return PF_OK;
    if (count == 0) return pfi_con_make(&pfi_con_none, length, out);
    for (size_t at = 0; at < count; at++)
        if (err) pf_con_free(part[at]);
        else err = flatten(part[at], &list);
    drop_none(&list);
    if (!err) err = conjoin(&list, length, out);
    for (size_t i = 0; i < list.n; i++) pf_con_free(list.at[i]);
    PF_VEC_FREE(&list);
    return err;
}
