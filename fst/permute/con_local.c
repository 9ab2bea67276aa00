/* Local constraints: an uncovered position within a window of L positions, covered or not, that begins at the first
 * uncovered one (Kanthak et al. 2005, section 4.4). 2^(L-1) (n-L+2) states: linear in n. */
#include "permute/con_impl.h"

#include <stdio.h>

static pf_err narrow(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set) {
    uint64_t end = pf_cover_gap(covered, con->nw, 0) + con->param; /* uncovered positions begin at the gap */
    (void)extra;
    pfi_con_keep_below(con, end < con->n ? (unsigned)end : con->n, set);
    return PF_OK;
}

static uint64_t view_allows(const pf_con *con, const pf_con_view *view) {
    (void)view;
    return pf_bits_below((unsigned)(con->param < 64 ? con->param : 64));
}

static void view_reach(const pf_con *con, pf_con_reach *reach) {
    if (con->param < reach->window) reach->window = (unsigned)con->param;
}

/* At each step perm[step] < L + the smallest position that is not visited yet, which may be perm[step] itself. */
static bool member(const pf_con *con, const unsigned *perm) {
    for (unsigned step = 0; step < con->n; step++)
        for (unsigned later = step + 1; later < con->n; later++)
            if (perm[step] >= perm[later] + con->param) return false;
    return true;
}

static void size(const pf_con *con, pf_con_size *size) {
    unsigned length = con->n;
    pfi_con_size_all(con->param < length ? (unsigned)con->param : length, size);
    if (con->param >= length) return;
    unsigned window = (unsigned)con->param; /* each further position: 2^(L-1) states, 2^(L-2) (L+1) arcs */
    mpz_t half, arcs;
    mpz_inits(half, arcs, (mpz_ptr)NULL);
    mpz_fdiv_q_2exp(half, size->states, 1);
    mpz_addmul_ui(size->states, half, length - window);
    mpz_mul_ui(arcs, half, window + 1);
    mpz_mul_ui(arcs, arcs, length - window);
    mpz_fdiv_q_2exp(arcs, arcs, 1);
    mpz_add(size->arcs, size->arcs, arcs);
    mpz_clears(half, arcs, (mpz_ptr)NULL);
    size->count = window <= 2;
    if (window == 1) mpz_set_ui(size->paths, 1);
    if (window == 2) mpz_fib_ui(size->paths, length + 1u);
}

static bool least(const unsigned *perm, unsigned length, unsigned *scratch, uint64_t *param) {
    unsigned gap = 0, most = 0, *seen = scratch;
    memset(seen, 0, (length + 1) * sizeof *seen);
    for (unsigned step = 0; step < length; step++) {
        while (seen[gap]) gap++;
        if (perm[step] - gap > most) most = perm[step] - gap;
        seen[perm[step]] = 1;
    }
    *param = most + 1u;
    return true;
}

static void why(const pf_con *con, const pf_cover *covered, const unsigned char *extra, const unsigned *perm, unsigned step,
    unsigned base, char *words, size_t room) {
    unsigned gap = pf_cover_gap(covered, con->nw, 0), end = gap + (unsigned)con->param - 1;
    (void)extra, (void)perm, (void)step;
    if (end == gap) snprintf(words, room, "the first uncovered");
    else snprintf(words, room, "uncovered, from %u to %u", gap + base, end + base);
}

const pf_con_class pfi_con_local = {
    .name = "local",
    .params = ":L",
    .help = "an uncovered position fewer than L after the first uncovered one",
    .first_gap = true,
    .beside_itg = true,
    .sorts = true,
    .inverse = &pfi_con_inverse_local,
    .init = pfi_con_window,
    .narrow = narrow,
    .inverts = pfi_con_inverts_short,
    .view_allows = view_allows,
    .view_reach = view_reach,
    .range = pfi_con_range_window,
    .member = member,
    .size = size,
    .least = least,
    .why = why,
};
