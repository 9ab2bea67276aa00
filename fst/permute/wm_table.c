/* The table of weight models, and making one from its specification. */
#include "permute/wm_impl.h"

#include <assert.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const pf_wm_class *const table[] = {
    &pfi_wm_monotone,   &pfi_wm_distance, &pfi_wm_early_distance, &pfi_wm_inversions,
    &pfi_wm_jumps, &pfi_wm_pairwise, &pfi_wm_position, &pfi_wm_lexical,
};
enum { ENTRIES = sizeof table / sizeof *table };

const pf_wm_class *pf_wm_at(size_t i) { return i < ENTRIES ? table[i] : NULL; }

pf_err pfi_wm_make(const pf_wm_class *cls, unsigned length, pf_wm **out) {
    pf_wm *wm = calloc(1, sizeof *wm);
    assert(length <= UINT16_MAX); /* extra bytes count positions in 16 bits */
    if (!wm) return pf_nomem();
    wm->cls = cls;
    wm->scale = 1;
    wm->n = length;
    wm->nw = pf_cover_words(length);
    *out = wm;
    return PF_OK;
}

static const char *entry(size_t i, const char **values) {
    *values = i < ENTRIES ? table[i]->params : "";
    return i < ENTRIES ? table[i]->name : NULL;
}

pf_err pf_wm_class_of(const char *spec, const pf_wm_class **out) {
    char name[64];
    size_t length = strcspn(spec, ":*");
    for (size_t at = 0; at < ENTRIES; at++)
        if (strlen(table[at]->name) == length && strncmp(table[at]->name, spec, length) == 0) {
            *out = table[at];
            return PF_OK;
        }
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : (int)sizeof name - 1, spec);
    return pf_params_unknown("weight model", name, entry);
}

/* The value of a model with a table is a file name, which may contain anything. */
static pf_err read_params(pf_wm *wm, const char *spec) {
    const pf_wm_class *cls = wm->cls;
    pf_params params = {0};
    const char *file = strchr(spec, ':');
    if (!cls->columns) PF_TRY(pf_params_parse(spec, &params));
    else if (!file || !file[1]) return pf_fail(PF_EARG, "'%s' is written as %s%s", cls->name, cls->name, cls->params);
    return cls->init ? cls->init(wm, &params) : PF_OK;
}

static pf_err make_plain(const char *spec, unsigned length, pf_wm **out) {
    const pf_wm_class *cls;
    PF_TRY(pf_wm_class_of(spec, &cls));
    PF_TRY(pfi_wm_make(cls, length, out));
    pf_err err = read_params(*out, spec);
    if (!err) return PF_OK;
    pf_wm_free(*out);
    *out = NULL;
    return err;
}

/* Without the scale. */
static pf_err make(const char *spec, unsigned length, double *scale, pf_wm **out) {
    char *plain = strndup(spec, pf_wm_scale_of(spec, scale));
    *out = NULL;
    pf_err err = plain ? make_plain(plain, length, out) : pf_nomem();
    free(plain);
    return err;
}

pf_err pf_wm_new(const pf_weight *weight, unsigned length, pf_wm **out) {
    double scale;
    PF_TRY(make(weight->spec, length, &scale, out));
    pf_wm *wm = *out;
    size_t costs = wm->cls->columns ? (size_t)length * wm->cls->columns(length) : 0;
    wm->cost = weight->cost;
    assert(!weight->n || weight->cost);
    if (weight->n == costs) return scale == 1 ? PF_OK : pfi_wm_scale(wm, scale, out);
    pf_wm_free(wm);
    *out = NULL;
    return pf_fail(PF_EINPUT, "'%s' needs %zu costs for %u positions, found %zu", weight->spec, costs, length, weight->n);
}

pf_err pf_wm_check(const char *spec) {
    pf_wm *wm = NULL;
    double scale;
    PF_TRY(make(spec, 1, &scale, &wm));
    pf_wm_free(wm);
    return PF_OK;
}

void pf_wm_free(pf_wm *wm) {
    if (wm && wm->cls->free) wm->cls->free(wm);
    free(wm);
}

bool pf_wm_nonnegative(const pf_wm *wm) {
    const pf_wm_class *cls = wm->cls;
    size_t costs = cls->columns ? (size_t)wm->n * cls->columns(wm->n) : 0;
    if (cls->nonnegative) return cls->nonnegative(wm);
    for (size_t i = 0; i < costs; i++)
        if (wm->cost[i] < 0) return false;
    return cls->normalised || wm->param >= 0;
}

pf_err pfi_wm_factor(pf_wm *wm, const pf_params *params) {
    char usage[40];
    snprintf(usage, sizeof usage, "%s%s", wm->cls->name, wm->cls->params);
    PF_TRY(pf_params_expect(params, 1, usage));
    return pf_params_real(params, 0, -(double)FLT_MAX, (double)FLT_MAX, &wm->param);
}

pf_err pfi_wm_factor_last(pf_wm *wm, const pf_params *params) {
    wm->room = PFI_WM_LAST_ROOM;
    return pfi_wm_factor(wm, params);
}

void pfi_wm_remember(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra, unsigned position,
    unsigned char *to) {
    (void)covered, (void)extra;
    assert(position < wm->n);
    to[0] = (unsigned char)(position + 1);
    to[1] = (unsigned char)((position + 1) >> 8);
}
