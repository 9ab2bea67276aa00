/* The difference of two constraints: what the first admits and the second does not.
 *
 * The state carries the first's bytes, and the second's as long as the second admits the moves made so far. A permutation
 * may end where the second has dropped out. A state from which it cannot any more is a dead end, so a difference always
 * needs the completion test; it may be empty. Bytes: is the second alive, the first's bytes, the second's if alive. */
#include "permute/con_impl.h"

static pf_err narrow(const pf_con *con, const pf_cover *b, const unsigned char *x, pf_cover *set) {
    const pfi_pair *d = con->data;
    return d->part[0]->cls->narrow(d->part[0], b, x + 1, set);
}

static size_t start(const pf_con *con, unsigned char *x) {
    const pfi_pair *d = con->data;
    *x = true;
    size_t n = 1 + pf_con_start(d->part[0], x + 1);
    return n + pf_con_start(d->part[1], x + n);
}

static size_t advance(const pf_con *con, const pf_cover *b, const unsigned char *x, unsigned j, unsigned char *to) {
    const pfi_pair *d = con->data;
    bool alive = *x++;
    size_t n = 1 + pf_con_advance(d->part[0], b, x, j, to + 1);
    x += pf_con_extent(d->part[0], x);
    pf_cover_clear(d->left, con->nw);
    pf_cover_put(d->left, j);
    *to = alive && !d->part[1]->cls->narrow(d->part[1], b, x, d->left) && pf_cover_has(d->left, j);
    return *to ? n + pf_con_advance(d->part[1], b, x, j, to + n) : n;
}

static size_t extent(const pf_con *con, const unsigned char *x) {
    const pfi_pair *d = con->data;
    size_t n = 1 + pf_con_extent(d->part[0], x + 1);
    return *x ? n + pf_con_extent(d->part[1], x + n) : n;
}

static bool accepts(const pf_con *con, const unsigned char *x) {
    const pfi_pair *d = con->data;
    if (!pf_con_accepts(d->part[0], x + 1)) return false;
    return !*x || !pf_con_accepts(d->part[1], x + 1 + pf_con_extent(d->part[0], x + 1));
}

static bool member(const pf_con *con, const unsigned *p) {
    const pfi_pair *d = con->data;
    return d->part[0]->cls->member(d->part[0], p) && !d->part[1]->cls->member(d->part[1], p);
}

const pf_con_class pfi_con_without = {
    .name = "minus",
    .params = "",
    .help = "the first without the second",
    .dead_ends = true,
    .free = pfi_pair_free,
    .start = start,
    .narrow = narrow,
    .advance = advance,
    .extent = extent,
    .accepts = accepts,
    .member = member,
    .parts = pfi_pair_parts,
};

pf_err pfi_con_minus(pf_con *a, pf_con *b, pf_con **out) {
    PF_TRY(pfi_pair_make(&pfi_con_without, a, b, out));
    (*out)->may_be_empty = true;
    return PF_OK;
}
