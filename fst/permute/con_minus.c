/* The difference of two constraints: what the first admits and the second does not.
 *
 * The state carries the first's bytes, and the second's as long as the second admits the moves made so far. A permutation
 * may end where the second has dropped out. A state from which it cannot any more is a dead end, so a difference always
 * needs the completion test; it may be empty. Bytes: is the second alive, the first's bytes, the second's if alive. */
#include "permute/con_impl.h"

#include <stdlib.h>

typedef struct {
    pf_con *part[2];
    pf_cover *left; /* scratch */
} both;

/* The second is asked too, so that asking it again in advance() does not fail. */
static pf_err narrow(const pf_con *con, const pf_cover *b, const unsigned char *x, pf_cover *set) {
    const both *d = con->data;
    bool alive = *x++;
    PF_TRY(d->part[0]->cls->narrow(d->part[0], b, x, set));
    if (!alive) return PF_OK;
    memcpy(d->left, set, con->nw * sizeof *set);
    return d->part[1]->cls->narrow(d->part[1], b, x + pf_con_extent(d->part[0], x), d->left);
}

static size_t start(const pf_con *con, unsigned char *x) {
    const both *d = con->data;
    *x = true;
    size_t n = 1 + pf_con_start(d->part[0], x + 1);
    return n + pf_con_start(d->part[1], x + n);
}

static size_t advance(const pf_con *con, const pf_cover *b, const unsigned char *x, unsigned j, unsigned char *to) {
    const both *d = con->data;
    bool alive = *x++;
    size_t n = 1 + pf_con_advance(d->part[0], b, x, j, to + 1);
    x += pf_con_extent(d->part[0], x);
    pf_cover_clear(d->left, con->nw);
    pf_cover_put(d->left, j);
    *to = alive && !d->part[1]->cls->narrow(d->part[1], b, x, d->left) && pf_cover_has(d->left, j);
    return *to ? n + pf_con_advance(d->part[1], b, x, j, to + n) : n;
}

static size_t extent(const pf_con *con, const unsigned char *x) {
    const both *d = con->data;
    size_t n = 1 + pf_con_extent(d->part[0], x + 1);
    return *x ? n + pf_con_extent(d->part[1], x + n) : n;
}

static bool accepts(const pf_con *con, const unsigned char *x) {
    const both *d = con->data;
    if (!pf_con_accepts(d->part[0], x + 1)) return false;
    return !*x || !pf_con_accepts(d->part[1], x + 1 + pf_con_extent(d->part[0], x + 1));
}

static bool member(const pf_con *con, const unsigned *p) {
    const both *d = con->data;
    return d->part[0]->cls->member(d->part[0], p) && !d->part[1]->cls->member(d->part[1], p);
}

static uint64_t probes(const pf_con *con) {
    const both *d = con->data;
    return pf_con_probes(d->part[0]) + pf_con_probes(d->part[1]);
}

static void end(pf_con *con) {
    both *d = con->data;
    if (!d) return;
    for (unsigned i = 0; i < 2; i++) pf_con_free(d->part[i]);
    free(d->left);
    free(d);
}

static pf_con *const *parts(const pf_con *con, size_t *n) {
    const both *d = con->data;
    *n = 2;
    return d->part;
}

const pf_con_class pfi_con_without = {
    .name = "minus",
    .params = "",
    .help = "the first without the second",
    .dead_ends = true,
    .free = end,
    .start = start,
    .narrow = narrow,
    .advance = advance,
    .extent = extent,
    .accepts = accepts,
    .member = member,
    .probes = probes,
    .parts = parts,
};

pf_err pfi_con_minus(pf_con *a, pf_con *b, pf_con **out) {
    pf_con *con = NULL;
    pf_err err = pfi_con_make(&pfi_con_without, a->n, &con);
    both *d = err ? NULL : (con->data = calloc(1, sizeof *d));
    if (!d) {
        pf_con_free(con);
        pf_con_free(a);
        pf_con_free(b);
        return pf_nomem();
    }
    d->part[0] = a;
    d->part[1] = b;
    d->left = calloc(con->nw, sizeof *d->left);
    con->room = 1 + a->room + b->room;
    con->may_be_empty = true;
    *out = con;
    if (d->left) return PF_OK;
    pf_con_free(con);
    return pf_nomem();
}
