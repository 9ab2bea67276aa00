/* IBM constraints: one of the first L uncovered positions (Berger et al. 1996; Kanthak et al. 2005, section 4.2).
 * A coverage is a prefix and at most L-1 later gaps and words behind it, so there are O(n^L) states. */
#include "permute/con_impl.h"

#include <stdio.h>
#include <stdlib.h>

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

static void size(const pf_con *con, pf_con_size *size) {
    unsigned n = con->n;
    if (con->param >= n) {
        pfi_con_size_all(n, size);
        return;
    }
    unsigned l = (unsigned)con->param;
    mpz_t term;
    mpz_init(term);
    for (unsigned i = 0; i <= l; i++) {
        mpz_bin_uiui(term, n, i);
        mpz_add(size->states, size->states, term);
        if (i == l) break;
        mpz_bin_uiui(term, n - 1, i);
        mpz_addmul_ui(size->arcs, term, n);
    }
    mpz_fac_ui(size->paths, l); /* Zens & Ney 2003, eq. 4: l^(n-l) l! */
    mpz_ui_pow_ui(term, l, n - l);
    mpz_mul(size->paths, size->paths, term);
    mpz_clear(term);
    size->machine = size->count = true;
}

unsigned pfi_con_most_inverted(const unsigned *p, unsigned n, unsigned *room, bool earlier) {
    unsigned *seen = room, most = 0; /* a Fenwick tree: how many of the positions below have been visited */
    memset(seen, 0, (n + 1) * sizeof *seen);
    for (unsigned t = 0; t < n; t++) {
        unsigned below = 0;
        for (unsigned i = p[t]; i; i &= i - 1) below += seen[i];
        unsigned inverted = (earlier ? t : p[t]) - below;
        if (inverted > most) most = inverted;
        for (unsigned i = p[t] + 1; i <= n; i += i & (~i + 1)) seen[i]++;
    }
    return most;
}

static bool least(const unsigned *p, unsigned n, unsigned *room, uint64_t *param) {
    *param = pfi_con_most_inverted(p, n, room, false) + 1u;
    return true;
}

static void why(const pf_con *con, const pf_cover *b, const unsigned char *x, const unsigned *p, unsigned t, unsigned base,
                char *words, size_t room) {
    (void)b, (void)x, (void)p, (void)t, (void)base;
    if (con->param == 1) snprintf(words, room, "the first uncovered");
    else snprintf(words, room, "the first %u uncovered", (unsigned)con->param);
}

/* Each step has the same number of continuations whatever came before, so each choice is uniform. */
static pf_err draw(const pf_con *con, gmp_randstate_t random, unsigned *p) {
    if (con->param >= con->n) return pfi_con_none.draw(con, random, p);
    unsigned l = (unsigned)con->param, *window = malloc(l * sizeof *window);
    if (!window) return pf_nomem();
    for (unsigned i = 0; i < l; i++) window[i] = i;
    for (unsigned t = 0, next = l, have = l; t < con->n; t++) {
        unsigned r = (unsigned)gmp_urandomm_ui(random, have);
        p[t] = window[r];
        memmove(window + r, window + r + 1, (have - r - 1) * sizeof *window);
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
    .inverse = &pfi_con_inverse_ibm,
    .init = pfi_con_window,
    .narrow = narrow,
    .member = member,
    .size = size,
    .least = least,
    .why = why,
    .draw = draw,
};
