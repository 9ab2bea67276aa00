/* The union of two constraints: a permutation that one of them admits, or both.
 *
 * The state says which of the two still admit the moves made so far, and carries the bytes of those. It is live where both
 * parts are. Bytes: which are alive (1, 2 or 3), then the first's bytes, then the second's. */
#include "permute/con_impl.h"

static pf_err narrow(const pf_con *con, const pf_cover *b, const unsigned char *x, pf_cover *set) {
    const pfi_pair *e = con->data;
    unsigned alive = *x++;
    pf_cover_clear(e->kept, con->nw);
    for (unsigned i = 0; i < 2; i++) {
        const pf_con *part = e->part[i];
        if (!(alive >> i & 1)) continue;
        memcpy(e->left, set, con->nw * sizeof *set);
        PF_TRY(part->cls->narrow(part, b, x, e->left));
        for (unsigned k = 0; k < con->nw; k++) e->kept[k] |= e->left[k];
        x += pf_con_extent(part, x);
    }
    memcpy(set, e->kept, con->nw * sizeof *set);
    return PF_OK;
}

static size_t start(const pf_con *con, unsigned char *x) {
    const pfi_pair *e = con->data;
    size_t n = 1;
    *x = 3;
    for (unsigned i = 0; i < 2; i++) n += pf_con_start(e->part[i], x + n);
    return n;
}

/* Parts have no completion test of their own, so asking them about j does not fail. */
static size_t advance(const pf_con *con, const pf_cover *b, const unsigned char *x, unsigned j, unsigned char *to) {
    const pfi_pair *e = con->data;
    unsigned alive = *x++;
    size_t n = 1;
    *to = 0;
    for (unsigned i = 0; i < 2; i++) {
        const pf_con *part = e->part[i];
        if (!(alive >> i & 1)) continue;
        pf_cover_clear(e->left, con->nw);
        pf_cover_put(e->left, j);
        if (!part->cls->narrow(part, b, x, e->left) && pf_cover_has(e->left, j)) {
            *to |= (unsigned char)(1u << i);
            n += pf_con_advance(part, b, x, j, to + n);
        }
        x += pf_con_extent(part, x);
    }
    return n;
}

static size_t extent(const pf_con *con, const unsigned char *x) {
    const pfi_pair *e = con->data;
    size_t n = 1;
    for (unsigned i = 0; i < 2; i++)
        if (*x >> i & 1) n += pf_con_extent(e->part[i], x + n);
    return n;
}

static bool accepts(const pf_con *con, const unsigned char *x) {
    const pfi_pair *e = con->data;
    unsigned alive = *x++;
    for (unsigned i = 0; i < 2; i++) {
        if (!(alive >> i & 1)) continue;
        if (pf_con_accepts(e->part[i], x)) return true;
        x += pf_con_extent(e->part[i], x);
    }
    return false;
}

static bool member(const pf_con *con, const unsigned *p) {
    const pfi_pair *e = con->data;
    return e->part[0]->cls->member(e->part[0], p) || e->part[1]->cls->member(e->part[1], p);
}

const pf_con_class pfi_con_one_of = {
    .name = "or",
    .params = "",
    .help = "one of two",
    .free = pfi_pair_free,
    .start = start,
    .narrow = narrow,
    .advance = advance,
    .extent = extent,
    .accepts = accepts,
    .member = member,
    .parts = pfi_pair_parts,
};

pf_err pfi_con_union(pf_con *a, pf_con *b, pf_con **out) {
    PF_TRY(pfi_pair_make(&pfi_con_one_of, a, b, out));
    (*out)->live = a->live && b->live;
    (*out)->first_gap = a->first_gap && b->first_gap;
    (*out)->may_be_empty = a->may_be_empty && b->may_be_empty;
    return PF_OK;
}
