/* A wall behind position P, within positions I..J (or all): of these, those up to P are visited before those behind it.
 * What may come is known from the coverage, and the first uncovered position always may. */
#include "permute/con_impl.h"

#include <stdio.h>
#include <stdlib.h>

typedef pfi_span wall; /* begin .. at-1 come before at .. end-1 */

static pf_err init(pf_con *con, const pf_params *params) {
    uint64_t at, begin = 1, end = con->n;
    wall *w = con->data = calloc(1, sizeof *w);
    if (!w) return pf_nomem();
    if (params->n != 1) PF_TRY(pf_params_expect(params, 3, "wall:P or wall:P,I,J"));
    if (params->n == 3) {
        PF_TRY(pf_params_number(params, 1, 1, con->n, &begin));
        PF_TRY(pf_params_number(params, 2, begin, con->n, &end));
    }
    PF_TRY(pf_params_number(params, 0, begin, end, &at));
    *w = (wall){(unsigned)begin - 1, (unsigned)at, (unsigned)end};
    return PF_OK;
}

static void end(pf_con *con) { free(con->data); }

static pf_err narrow(const pf_con *con, const pf_cover *b, const unsigned char *x, pf_cover *set) {
    const wall *w = con->data;
    (void)x;
    if (pf_cover_gap(b, con->nw, w->begin) >= w->at) return PF_OK;
    for (unsigned i = 0; i < con->nw; i++) set[i] &= ~pf_cover_range_word(w->at, w->end, i);
    return PF_OK;
}

static bool member(const pf_con *con, const unsigned *p) {
    const wall *w = con->data;
    bool passed = false;
    for (unsigned t = 0; t < con->n; t++) {
        if (p[t] < w->begin || p[t] >= w->end) continue;
        if (passed && p[t] < w->at) return false;
        passed = passed || p[t] >= w->at;
    }
    return true;
}

static void why(const pf_con *con, const pf_cover *b, const unsigned char *x, const unsigned *p, unsigned t, unsigned base,
                char *words, size_t room) {
    const wall *w = con->data;
    (void)x, (void)p, (void)t;
    snprintf(words, room, "position %u, before the wall, is still to come", pf_cover_gap(b, con->nw, w->begin) + base);
}

const pf_con_class pfi_con_wall = {
    .name = "wall",
    .params = ":P[,I,J]",
    .help = "positions up to P before those behind it; only among I to J",
    .first_gap = true,
    .init = init,
    .free = end,
    .narrow = narrow,
    .member = member,
    .why = why,
};

bool pfi_con_wall_span(const pf_con *con, pfi_span *out) {
    if (con->cls != &pfi_con_wall) return false;
    *out = *(const wall *)con->data;
    return true;
}
