/* IBM constraints: one of the first L uncovered positions (Berger et al. 1996; Kanthak et al. 2005, section 4.2).
 * A coverage is a prefix and at most L-1 later gaps and words behind it, so there are O(n^L) states. */
#include "permute/con_impl.h"

/* Nothing behind the L-th uncovered position. */
static pf_err narrow(const pf_con *con, const pf_cover *b, const unsigned char *x, pf_cover *set) {
    uint64_t left = con->param;
    (void)x;
    for (unsigned i = 0; i < con->nw; i++) {
        uint64_t uncovered = ~b[i];
        unsigned have = pf_bits_count(uncovered);
        if (!left) set[i] = 0;
        else if (have <= left) left -= have;
        else {
            for (; left > 1; left--) uncovered &= uncovered - 1;
            uint64_t last = uncovered & (~uncovered + 1); /* the L-th */
            set[i] &= last | (last - 1);
            left = 0;
        }
    }
    return PF_OK;
}

/* At each step fewer than L positions before p[t] are still to come. */
static bool member(const pf_con *con, const unsigned *p) {
    for (unsigned t = 0; t < con->n; t++) {
        uint64_t skipped = 0;
        for (unsigned later = t + 1; later < con->n; later++) skipped += p[later] < p[t];
        if (skipped >= con->param) return false;
    }
    return true;
}

static pf_con_size size(const pf_con *con) {
    unsigned n = con->n;
    if (con->param >= n) return pfi_con_size_all(n);
    unsigned l = (unsigned)con->param;
    pf_con_size size = {0, 0, 1};
    for (unsigned i = 0; i <= l; i++) size.states += pfi_binomial(n, i);
    for (unsigned i = 0; i < l; i++) size.arcs += n * pfi_binomial(n - 1, i);
    for (unsigned i = 1; i <= n; i++) size.paths *= i < l ? i : l; /* Zens & Ney 2003, eq. 4 */
    return size;
}

const pf_con_class pfi_con_ibm = {
    .name = "ibm",
    .params = ":L",
    .help = "one of the first L uncovered positions",
    .first_gap = true,
    .init = pfi_con_window,
    .narrow = narrow,
    .member = member,
    .size = size,
};
