/* Moses' distortion limit, for single words. A jump from the end of the last word to p passes at most D positions. If p is not
 * the first uncovered position u, p+1-u <= D holds as well, so that the gap at u stays in reach. D = 0 and D = 1 are monotone.
 *
 * The position visited last, q, matters only as far as it limits what comes next: the state adds the largest position that
 * is allowed, uint16. (There is no limit from below, as q+1-u <= D always.) So the automaton is minimal: states with the same
 * coverage and different bytes allow different positions. */
#include "permute/con_impl.h"

#include <stdio.h>

/* The largest position that is allowed where `next` - 1 was visited last, which b may not have yet, and u is the first
 * uncovered position: u itself where nothing after it is allowed. */
static unsigned furthest(const pf_con *con, const pf_cover *b, unsigned u, unsigned next) {
    uint64_t jump = next + con->param, look = u + con->param, end = jump + 1 < look ? jump + 1 : look; /* positions below */
    unsigned last = end < con->n ? (unsigned)end : con->n;
    while (last > u + 1 && (pf_cover_has(b, last - 1) || last == next)) last--;
    return last > u ? last - 1 : u;
}

static size_t start(const pf_con *con, unsigned char *x) {
    uint64_t last = con->param ? con->param - 1 : 0;
    return pfi_put_u16(x, last < con->n ? (unsigned)last : con->n ? con->n - 1 : 0);
}

static pf_err narrow(const pf_con *con, const pf_cover *b, const unsigned char *x, pf_cover *set) {
    unsigned last = pfi_u16(x);
    assert(last < con->n || !con->n);
    (void)b;
    for (unsigned i = 0; i < con->nw; i++) set[i] &= pf_cover_range_word(0, last + 1, i);
    return PF_OK;
}

static size_t advance(const pf_con *con, const pf_cover *b, const unsigned char *x, unsigned j, unsigned char *to) {
    unsigned u = pf_cover_gap(b, con->nw, 0);
    (void)x;
    if (u == j) u = pf_cover_gap(b, con->nw, u + 1);
    return pfi_put_u16(to, u < con->n ? furthest(con, b, u, j + 1) : 0);
}

/* The least D that allows p where `next` - 1 was visited last and u is the first uncovered position. */
static unsigned needed(unsigned p, unsigned next, unsigned u) {
    unsigned jump = p > next ? p - next : next - p, look = p == u ? 0 : p + 1 - u;
    return jump > look ? jump : look;
}

static bool member(const pf_con *con, const unsigned *perm) {
    for (unsigned step = 0; step < con->n; step++) {
        unsigned u = con->n;
        for (unsigned later = step; later < con->n; later++)
            if (perm[later] < u) u = perm[later];
        if (needed(perm[step], step ? perm[step - 1] + 1 : 0, u) > con->param) return false;
    }
    return true;
}

static bool least(const unsigned *perm, unsigned n, unsigned *scratch, uint64_t *param) {
    unsigned u = 0, most = 0, *seen = scratch;
    memset(seen, 0, (n + 1) * sizeof *seen);
    for (unsigned step = 0; step < n; seen[perm[step++]] = 1) {
        while (seen[u]) u++;
        unsigned need = needed(perm[step], step ? perm[step - 1] + 1 : 0, u);
        if (need > most) most = need;
    }
    *param = most;
    return true;
}

static void why(const pf_con *con, const pf_cover *b, const unsigned char *x, const unsigned *perm, unsigned step, unsigned base,
                char *words, size_t room) {
    unsigned u = pf_cover_gap(b, con->nw, 0), next = step ? perm[step - 1] + 1 : 0;
    (void)x;
    snprintf(words, room, "jumps of at most %u from %u, to positions before %llu or to the first uncovered one",
             (unsigned)con->param, next + base, (unsigned long long)(u + base + con->param));
}

const pf_con_class pfi_con_distortion = {
    .name = "distortion",
    .params = ":D",
    .help = "jumps of at most D from the position after the last one, never D or more past the first gap (Moses)",
    .first_gap = true,
    .beside_itg = true,
    .init = pfi_con_distance_u16,
    .start = start,
    .narrow = narrow,
    .advance = advance,
    .member = member,
    .least = least,
    .why = why,
};
