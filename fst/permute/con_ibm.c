/* IBM constraints: one of the first L uncovered positions (Berger et al. 1996; Kanthak et al. 2005, section 4.2).
 * A coverage is a prefix that is covered, and after it fewer than L gaps among covered positions: O(n^L) states. */
#include "permute/con_impl.h"

#include <stdio.h>
#include <stdlib.h>

/* Nothing after the L-th uncovered position is allowed. */
static pf_err narrow(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set) {
    uint64_t remaining = con->param; /* positions that are still allowed */
    (void)extra;
    for (unsigned word = 0; word < con->nw; word++) {
        uint64_t uncovered = ~covered[word];
        unsigned have = pf_bits_count(uncovered);
        if (!remaining) set[word] = 0;
        else if (have <= remaining) remaining -= have;
        else {
            for (; remaining > 1; remaining--) uncovered &= uncovered - 1;
            uint64_t last = uncovered & (~uncovered + 1); /* the L-th */
            set[word] &= last | (last - 1);
            remaining = 0;
        }
    }
    return PF_OK;
}

static uint64_t view_allows(const pf_con *con, const pf_con_view *view) {
    uint64_t uncovered = ~view->bits;
    unsigned more = (unsigned)(con->param < 64 ? con->param : 64);
    for (; more; more--) uncovered &= uncovered - 1;
    return ~uncovered; /* those after the L-th are left in it */
}

static void view_reach(const pf_con *con, pf_con_reach *reach) {
    if (con->param - 1 < reach->gaps) reach->gaps = (unsigned)con->param - 1;
}

/* At each step fewer than L positions before perm[step] are still to come. */
static bool member(const pf_con *con, const unsigned *perm) {
    for (unsigned step = 0; step < con->n; step++) {
        uint64_t skipped = 0;
        for (unsigned later = step + 1; later < con->n; later++) skipped += perm[later] < perm[step];
        if (skipped >= con->param) return false;
    }
    return true;
}

/* Before a position is visited, all but L - 1 of those before it are. */
static void range(const pf_con *con, unsigned t, unsigned *least, unsigned *most) {
    pfi_con_narrow_range(t, con->param - 1, UINT64_MAX, least, most);
}

static void size(const pf_con *con, pf_con_size *size) {
    unsigned length = con->n;
    if (con->param >= length) {
        pfi_con_size_all(length, size);
        return;
    }
    unsigned window = (unsigned)con->param;
    mpz_t term;
    mpz_init(term);
    for (unsigned open = 0; open <= window; open++) {
        mpz_bin_uiui(term, length, open);
        mpz_add(size->states, size->states, term);
        if (open == window) break;
        mpz_bin_uiui(term, length - 1, open);
        mpz_addmul_ui(size->arcs, term, length);
    }
    mpz_fac_ui(size->paths, window); /* Zens & Ney 2003, eq. 4: L^(n-L) L! */
    mpz_ui_pow_ui(term, window, length - window);
    mpz_mul(size->paths, size->paths, term);
    mpz_clear(term);
    size->machine = size->count = true;
}

unsigned pfi_con_most_inverted(const unsigned *perm, unsigned length, unsigned *scratch, bool earlier) {
    unsigned *seen = scratch, most = 0; /* a Fenwick tree: how many smaller positions have been visited */
    memset(seen, 0, (length + 1) * sizeof *seen);
    for (unsigned step = 0; step < length; step++) {
        unsigned below = 0;
        assert(perm[step] < length);
        for (unsigned i = perm[step]; i; i &= i - 1) below += seen[i];
        unsigned inverted = (earlier ? step : perm[step]) - below;
        if (inverted > most) most = inverted;
        for (unsigned i = perm[step] + 1; i <= length; i += i & (~i + 1)) seen[i]++;
    }
    return most;
}

static bool least(const unsigned *perm, unsigned length, unsigned *scratch, uint64_t *param) {
    *param = pfi_con_most_inverted(perm, length, scratch, false) + 1u;
    return true;
}

static void why(const pf_con *con, const pf_cover *covered, const unsigned char *extra, const unsigned *perm, unsigned step,
    unsigned base, char *words, size_t room) {
    (void)covered, (void)extra, (void)perm, (void)step, (void)base;
    if (con->param == 1) snprintf(words, room, "the first uncovered");
    else snprintf(words, room, "the first %u uncovered", (unsigned)con->param);
}

/* How many orders of the rest there are depends only on the step, so a uniform choice at each step is a uniform draw. */
static pf_err draw(const pf_con *con, gmp_randstate_t random, unsigned *perm) {
    if (con->param >= con->n) return pfi_con_none.draw(con, random, perm);
    unsigned most = (unsigned)con->param, *window = malloc(most * sizeof *window);
    if (!window) return pf_nomem();
    for (unsigned i = 0; i < most; i++) window[i] = i;
    for (unsigned step = 0, next = most, have = most; step < con->n; step++) {
        unsigned drawn = (unsigned)gmp_urandomm_ui(random, have);
        perm[step] = window[drawn];
        memmove(window + drawn, window + drawn + 1, (have - drawn - 1) * sizeof *window);
        if (next < con->n) window[have - 1] = next++;
        else have--;
    }
    free(window);
    return PF_OK;
}

const pf_con_class pfi_con_ibm = {
    .name = "ibm",
    .params = ":L",
    .help = "one of the first L uncovered positions",
    .first_gap = true,
    .beside_itg = true,
    .sorts = true,
    .inverse = &pfi_con_inverse_ibm,
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
