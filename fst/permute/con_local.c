/* Local constraints: an uncovered position within a window of L positions, covered ones counted, that begins at the
 * first uncovered one (Kanthak et al. 2005, section 4.4). 2^(L-1) (n-L+2) states: linear in n. */
#include "permute/con_impl.h"

static pf_err narrow(const pf_con *con, const pf_cover *b, const unsigned char *x, pf_cover *set) {
    uint64_t end = pf_cover_gap(b, con->nw, 0) + con->param; /* uncovered positions begin at the gap */
    (void)x;
    for (unsigned i = 0; i < con->nw; i++) {
        uint64_t begin = UINT64_C(64) * i;
        if (end <= begin) set[i] = 0;
        else if (end < begin + 64) set[i] &= (UINT64_C(1) << (end - begin)) - 1;
    }
    return PF_OK;
}

/* At each step p[t] < L + the smallest position still to come (p[t] itself counts). */
static bool member(const pf_con *con, const unsigned *p) {
    for (unsigned t = 0; t < con->n; t++)
        for (unsigned later = t + 1; later < con->n; later++)
            if (p[t] >= p[later] + con->param) return false;
    return true;
}

static pf_con_size size(const pf_con *con) {
    unsigned n = con->n;
    pf_con_size size = pfi_con_size_all(con->param < n ? (unsigned)con->param : n);
    if (con->param >= n) return size;
    double l = (double)con->param, half = size.states / 2; /* each further position: 2^(L-1) states */
    size.states += (n - l) * half;
    size.arcs += (n - l) * half / 2 * (l + 1);
    size.paths = con->param == 1 ? 1 : -1;
    return size;
}

const pf_con_class pfi_con_local = {
    .name = "local",
    .params = ":L",
    .help = "an uncovered position fewer than L behind the first uncovered one",
    .first_gap = true,
    .init = pfi_con_window,
    .narrow = narrow,
    .member = member,
    .size = size,
};
