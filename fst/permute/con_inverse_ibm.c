/* Inverse IBM constraints: any uncovered position while fewer than L-1 positions after the first uncovered one are covered;
 * then only the first uncovered one (Kanthak et al. 2005, section 4.3). The inverses of the permutations of ibm:L. */
#include "permute/con_impl.h"

#include <stdio.h>
#include <stdlib.h>

static pf_err narrow(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set) {
    unsigned gap = pf_cover_gap(covered, con->nw, 0);
    (void)extra;
    if (gap >= con->n || pf_cover_count(covered, con->nw) - gap < con->param - 1) return PF_OK;
    bool had = pf_cover_has(set, gap);
    pf_cover_clear(set, con->nw);
    if (had) pf_cover_put(set, gap);
    return PF_OK;
}

static uint64_t view_allows(const pf_con *con, const pf_con_view *view) {
    return pf_bits_count(view->bits) < con->param - 1 ? ~UINT64_C(0) : 1;
}

static void view_reach(const pf_con *con, pf_con_reach *reach) {
    if (con->param - 1 < reach->ahead) reach->ahead = (unsigned)con->param - 1;
}

/* Fewer than L positions that are larger than perm[step] were visited before it. */
static bool member(const pf_con *con, const unsigned *perm) {
    for (unsigned step = 0; step < con->n; step++) {
        uint64_t ahead = 0;
        for (unsigned before = 0; before < step; before++) ahead += perm[before] > perm[step];
        if (ahead >= con->param) return false;
    }
    return true;
}

/* Before a position is visited, at most L - 1 of those after it are. */
static void range(const pf_con *con, unsigned t, unsigned *least, unsigned *most) {
    pfi_con_narrow_range(t, UINT64_MAX, con->param - 1, least, most);
}

static void size(const pf_con *con, pf_con_size *size) { pfi_con_ibm.size(con, size); }

static bool least(const unsigned *perm, unsigned length, unsigned *scratch, uint64_t *param) {
    *param = pfi_con_most_inverted(perm, length, scratch, true) + 1u;
    return true;
}

static void why(const pf_con *con, const pf_cover *covered, const unsigned char *extra, const unsigned *perm, unsigned step,
    unsigned base, char *words, size_t room) {
    unsigned ahead = step - pf_cover_gap(covered, con->nw, 0);
    (void)extra, (void)perm, (void)base;
    if (!ahead) snprintf(words, room, "the first uncovered");
    else snprintf(words, room, "the first uncovered, since %u after it %s covered", ahead, ahead == 1 ? "is" : "are");
}

static pf_err draw(const pf_con *con, gmp_randstate_t random, unsigned *perm) {
    unsigned *inverse = malloc((con->n + 1u) * sizeof *inverse);
    if (!inverse) return pf_nomem();
    pf_err err = pfi_con_ibm.draw(con, random, inverse);
    for (unsigned step = 0; !err && step < con->n; step++) perm[inverse[step]] = step;
    free(inverse);
    return err;
}

const pf_con_class pfi_con_inverse_ibm = {
    .name = "inverse-ibm",
    .params = ":L",
    .help = "any uncovered position while fewer than L-1 after the first uncovered one are covered, then that one",
    .first_gap = true,
    .sorts = true,
    .inverse = &pfi_con_ibm,
    .init = pfi_con_window,
    .narrow = narrow,
    .view_allows = view_allows,
    .view_reach = view_reach,
    .range = range,
    .member = member,
    .size = size,
    .least = least,
    .why = why,
    .draw = draw,
};
