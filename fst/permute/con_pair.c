/* What the union and the difference of two constraints share: their parts, and scratch sets to narrow for each. */
#include "permute/con_impl.h"

#include <stdlib.h>

void pfi_pair_free(pf_con *con) {
    pfi_pair *pair = con->data;
    if (!pair) return;
    for (unsigned i = 0; i < 2; i++) pf_con_free(pair->part[i]);
    free(pair->narrowed);
    free(pair->kept);
    free(pair);
}

pf_con *const *pfi_pair_parts(const pf_con *con, size_t *count) {
    *count = 2;
    return ((const pfi_pair *)con->data)->part;
}

bool pfi_pair_allows(const pfi_pair *pair, unsigned part, const pf_cover *covered, const unsigned char *extra,
    unsigned position) {
    const pf_con *con = pair->part[part];
    assert(!con->looks_ahead);
    pf_cover_clear(pair->narrowed, con->nw);
    pf_cover_put(pair->narrowed, position);
    pf_err err = con->cls->narrow(con, covered, extra, pair->narrowed);
    assert(!err);
    return !err && pf_cover_has(pair->narrowed, position);
}

pf_err pfi_pair_make(const pf_con_class *cls, pf_con *first, pf_con *second, pf_con **out) {
    pf_con *con = NULL;
    assert(first->n == second->n);
    pf_err err = pfi_con_make(cls, first->n, &con);
    pfi_pair *pair = err ? NULL : (con->data = calloc(1, sizeof *pair));
    if (!pair) {
        pf_con_free(con);
        pf_con_free(first);
        pf_con_free(second);
        return pf_nomem();
    }
    pair->part[0] = first;
    pair->part[1] = second;
    pair->narrowed = calloc(con->nw, sizeof *pair->narrowed);
    pair->kept = calloc(con->nw, sizeof *pair->kept);
    con->room = 1 + first->room + second->room;
    con->depth = 1 + (first->depth > second->depth ? first->depth : second->depth);
    if (pair->narrowed && pair->kept) {
        *out = con;
        return PF_OK;
    }
    pf_con_free(con);
    return pf_nomem();
}
