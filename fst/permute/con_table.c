/* The table of constraints, and making one from its specification. */
#include "permute/con_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const pf_con_class *const table[] = {
    &pfi_con_none, &pfi_con_ibm, &pfi_con_inverse_ibm, &pfi_con_local, &pfi_con_itg,
};
enum { ENTRIES = sizeof table / sizeof *table };

const pf_con_class *pf_con_at(size_t i) { return i < ENTRIES ? table[i] : NULL; }

pf_err pfi_con_make(const pf_con_class *cls, unsigned n, pf_con **out) {
    pf_con *con = calloc(1, sizeof *con);
    if (!con) return pf_nomem();
    con->cls = cls;
    con->n = n;
    con->nw = pf_cover_words(n);
    *out = con;
    return PF_OK;
}

static const char *entry(size_t i, const char **values) {
    *values = i < ENTRIES ? table[i]->params : "";
    return i < ENTRIES ? table[i]->name : NULL;
}

pf_err pf_con_new(const char *spec, unsigned n, pf_con **out) {
    pf_params params;
    PF_TRY(pf_params_parse(spec, &params));
    const pf_con_class *cls = NULL;
    for (size_t i = 0; i < ENTRIES; i++)
        if (strcmp(table[i]->name, params.name) == 0) cls = table[i];
    if (!cls) return pf_params_unknown("constraint", params.name, entry);
    if (!cls->init) PF_TRY(pf_params_expect(&params, 0, cls->name));
    PF_TRY(pfi_con_make(cls, n, out));
    pf_err err = cls->init ? cls->init(*out, &params) : PF_OK;
    if (!err) return PF_OK;
    pf_con_free(*out);
    *out = NULL;
    return err;
}

void pf_con_free(pf_con *con) {
    if (con && con->cls->free) con->cls->free(con);
    free(con);
}

pf_err pfi_con_window(pf_con *con, const pf_params *params) {
    char usage[40];
    snprintf(usage, sizeof usage, "%s%s", con->cls->name, con->cls->params);
    PF_TRY(pf_params_expect(params, 1, usage));
    PF_TRY(pf_params_number(params, 0, 1, UINT64_MAX, &con->param));
    if (con->param > UINT32_MAX) con->param = UINT32_MAX; /* no limit, either way */
    return PF_OK;
}

double pfi_binomial(double n, double k) {
    double result = 1;
    for (double i = 1; i <= k; i++) result = nearbyint(result * (n - k + i) / i); /* a whole number at each step */
    return result;
}

pf_con_size pfi_con_size_all(unsigned n) {
    pf_con_size size = {1, n / 2.0, 1};
    for (unsigned i = 1; i <= n; i++) {
        size.states *= 2;
        size.arcs *= 2;
        size.paths *= i;
    }
    return size;
}
