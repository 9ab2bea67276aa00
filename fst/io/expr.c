/* Expressions as values. */
#include <permfst/io/expr.h>

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"vector", "perm", "compose", "model", "best"};

const char *pf_expr_kind_name(pf_expr_kind kind) { return names[kind]; }

pf_err pf_expr_new(pf_expr_kind kind, pf_expr **out) {
    pf_expr *e = calloc(1, sizeof *e);
    if (!e) return pf_nomem();
    e->kind = kind;
    e->scale[0] = e->scale[1] = 1;
    *out = e;
    return PF_OK;
}

pf_err pf_expr_of_fst(pf_fst *fst, pf_expr **out) {
    pf_err err = pf_expr_new(PF_EXPR_FST, out);
    if (err) pf_fst_free(fst);
    else (*out)->fst = fst;
    return err;
}

static void free_weight(pf_weight *w) {
    free((char *)w->spec);
    free((double *)w->cost);
}

void pf_expr_free(pf_expr *e) {
    if (!e) return;
    pf_fst_free(e->fst); /* before what it borrows */
    if (e->made_free) e->made_free(e->made);
    pf_expr_free(e->left);
    pf_expr_free(e->right);
    pf_blob_free(e->shared);
    for (size_t i = 0; i < e->con.n; i++) free(e->con.at[i]);
    for (size_t i = 0; i < e->wm.n; i++) free_weight(&e->wm.at[i]);
    PF_VEC_FREE(&e->con);
    PF_VEC_FREE(&e->wm);
    free(e->phi);
    pf_answer_free(&e->answer);
    free(e);
}

static pf_err copy_spec(const char *spec, size_t present, char **copy) {
    if (present == PF_SPECS_LIMIT) return pf_fail(PF_ELIMIT, "more than %d constraints or weights", PF_SPECS_LIMIT);
    *copy = strdup(spec);
    return *copy ? PF_OK : pf_nomem();
}

pf_err pf_expr_add_con(pf_expr *e, const char *spec) {
    PF_TRY(PF_ROOM(&e->con, 1));
    PF_TRY(copy_spec(spec, e->con.n, &e->con.at[e->con.n]));
    e->con.n++;
    return PF_OK;
}

static pf_err copy_cost(const pf_weight *w, pf_weight *copy) {
    if (!w->n) return PF_OK;
    double *cost = malloc(w->n * sizeof *cost);
    if (!cost) return pf_nomem();
    copy->cost = memcpy(cost, w->cost, w->n * sizeof *cost);
    copy->n = w->n;
    return PF_OK;
}

pf_err pf_expr_add_wm(pf_expr *e, const pf_weight *w) {
    char *spec = NULL;
    PF_TRY(PF_ROOM(&e->wm, 1));
    PF_TRY(copy_spec(w->spec, e->wm.n, &spec));
    pf_weight *copy = &e->wm.at[e->wm.n++];
    *copy = (pf_weight){.spec = spec};
    return copy_cost(w, copy);
}

pf_err pf_expr_set_phi(pf_expr *e, const char *phi) {
    if (phi && (!*phi || strlen(phi) > PF_PHI_LIMIT))
        return pf_fail(PF_EARG, "a failure symbol has from 1 to %d bytes", PF_PHI_LIMIT);
    char *copy = phi ? strdup(phi) : NULL;
    if (phi && !copy) return pf_nomem();
    free(e->phi);
    e->phi = copy;
    return PF_OK;
}
