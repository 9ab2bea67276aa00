/* Several weight models at once: costs add up, their extra bytes follow one another. */
#include "permute/wm_impl.h"

#include <assert.h>
#include <stdlib.h>

typedef struct {
    size_t count;
    pf_wm **part;
} wm_parts;

static void sum_start(const pf_wm *wm, unsigned char *extra) {
    const wm_parts *parts = wm->data;
    for (size_t i = 0; i < parts->count; extra += parts->part[i++]->room)
        pf_wm_start(parts->part[i], extra);
}

static void sum_weigh(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra, const pf_cover *allowed,
    unsigned moves, double *costs) {
    const wm_parts *parts = wm->data;
    for (size_t i = 0; i < parts->count; extra += parts->part[i++]->room)
        parts->part[i]->cls->weigh(parts->part[i], covered, extra, allowed, moves, costs);
}

static void sum_advance(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra, unsigned position,
    unsigned char *to) {
    const wm_parts *parts = wm->data;
    for (size_t at = 0; at < parts->count; at++) {
        size_t room = parts->part[at]->room;
        if (parts->part[at]->cls->advance) parts->part[at]->cls->advance(parts->part[at], covered, extra, position, to);
        extra += room;
        to += room;
    }
}

static bool sum_nonnegative(const pf_wm *wm) {
    const wm_parts *parts = wm->data;
    for (size_t i = 0; i < parts->count; i++)
        if (!pf_wm_nonnegative(parts->part[i])) return false;
    return true;
}

static void sum_free(pf_wm *wm) {
    wm_parts *parts = wm->data;
    if (!parts) return;
    for (size_t i = 0; i < parts->count; i++) pf_wm_free(parts->part[i]);
    free(parts->part);
    free(parts);
}

static pf_wm *const *sum_parts(const pf_wm *wm, size_t *n) {
    const wm_parts *parts = wm->data;
    *n = parts->count;
    return parts->part;
}

static const pf_wm_class sum_class = {
    .name = "sum",
    .params = "",
    .help = "several added up",
    .free = sum_free,
    .start = sum_start,
    .weigh = sum_weigh,
    .advance = sum_advance,
    .parts = sum_parts,
    .nonnegative = sum_nonnegative,
};

static pf_err add_up(pf_wm **part, size_t count, unsigned length, pf_wm **out) {
    PF_TRY(pfi_wm_make(&sum_class, length, out));
    wm_parts *parts = (*out)->data = calloc(1, sizeof *parts);
    if (!parts || !(parts->part = calloc(count + 1, sizeof(pf_wm *)))) {
        pf_wm_free(*out);
        *out = NULL;
        return pf_nomem();
    }
    for (; parts->count < count; parts->count++) {
        assert(part[parts->count]->n == length);
        parts->part[parts->count] = part[parts->count];
        (*out)->room += part[parts->count]->room;
    }
    return PF_OK;
}

pf_err pf_wm_sum(pf_wm **part, size_t count, unsigned length, pf_wm **out) {
    if (count == 1) {
        *out = part[0];
        return PF_OK;
    }
    pf_err err = add_up(part, count, length, out);
    for (size_t i = 0; err && i < count; i++) pf_wm_free(part[i]);
    return err;
}
