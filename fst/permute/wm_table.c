/* The table of weight models, and making one from its specification. */
#include "permute/wm_impl.h"

#include <stdlib.h>
#include <string.h>

static const pf_wm_class *const table[] = {&pfi_wm_monotone};
enum { ENTRIES = sizeof table / sizeof *table };

const pf_wm_class *pf_wm_at(size_t i) { return i < ENTRIES ? table[i] : NULL; }

pf_err pfi_wm_make(const pf_wm_class *cls, unsigned n, pf_wm **out) {
    pf_wm *wm = calloc(1, sizeof *wm);
    if (!wm) return pf_nomem();
    wm->cls = cls;
    wm->n = n;
    wm->nw = pf_cover_words(n);
    *out = wm;
    return PF_OK;
}

static const char *entry(size_t i, const char **values) {
    *values = i < ENTRIES ? table[i]->params : "";
    return i < ENTRIES ? table[i]->name : NULL;
}

pf_err pf_wm_new(const char *spec, unsigned n, pf_wm **out) {
    pf_params params;
    PF_TRY(pf_params_parse(spec, &params));
    const pf_wm_class *cls = NULL;
    for (size_t i = 0; i < ENTRIES; i++)
        if (strcmp(table[i]->name, params.name) == 0) cls = table[i];
    if (!cls) return pf_params_unknown("weight model", params.name, entry);
    PF_TRY(pfi_wm_make(cls, n, out));
    pf_err err = cls->init(*out, &params);
    if (!err) return PF_OK;
    pf_wm_free(*out);
    *out = NULL;
    return err;
}

void pf_wm_free(pf_wm *wm) {
    if (wm && wm->cls->free) wm->cls->free(wm);
    free(wm);
}
