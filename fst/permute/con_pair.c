/* What the union and the difference of two constraints share: their parts, and room to narrow a set for each. */
#include "permute/con_impl.h"

#include <stdlib.h>

void pfi_pair_free(pf_con *con) {
    pfi_pair *p = con->data;
    if (!p) return;
    for (unsigned i = 0; i < 2; i++) pf_con_free(p->part[i]);
    free(p->left);
    free(p->kept);
    free(p);
}

pf_con *const *pfi_pair_parts(const pf_con *con, size_t *n) {
    *n = 2;
    return ((const pfi_pair *)con->data)->part;
}

pf_err pfi_pair_make(const pf_con_class *cls, pf_con *a, pf_con *b, pf_con **out) {
    pf_con *con = NULL;
    pf_err err = pfi_con_make(cls, a->n, &con);
    pfi_pair *p = err ? NULL : (con->data = calloc(1, sizeof *p));
    if (!p) {
        pf_con_free(con);
        pf_con_free(a);
        pf_con_free(b);
        return pf_nomem();
    }
    p->part[0] = a;
    p->part[1] = b;
    p->left = calloc(con->nw, sizeof *p->left);
    p->kept = calloc(con->nw, sizeof *p->kept);
    con->room = 1 + a->room + b->room;
    *out = con;
    if (p->left && p->kept) return PF_OK;
    pf_con_free(con);
    return pf_nomem();
}
