/* ITG constraints: the separable permutations (Wu 1997; Zens & Ney 2003, section 2.1), with canonical states.
 *
 * A shift-reduce parser of what has been visited keeps a stack of intervals, which touching ones on top merge. Different
 * stacks can have the same future. What the future depends on is how the top interval H can grow: the maximal uncovered
 * ranges L and R that touch it must be filled, on the side of the next lower interval of the stack or on both, before H
 * can swallow that; then the same goes for the larger hull. Such a step is an epoch, and the list of epochs from the top
 * of the stack down is the state:
 *
 *   - an epoch has ranges L and R and the side that it closes, or both where their order is free;
 *   - where only one range is left it closes that.
 *
 * Only the two ranges of the first epoch may be visited, and all of them. Visiting j in one of them, of which A remains
 * nearer to H and B further, puts an epoch (A, B, closing A) on top, and B takes the place of the range in all epochs that
 * share it, up to the one that closes it. States with the same future have the same list and the automaton is minimal:
 * 4645 states at 10 positions, where stacks need 14768 (the stacks are kept as an oracle in tests/itg_stacks.c).
 *
 * Bytes: the number of epochs, and of each L's begin and end, R's begin and end, and what it closes, all uint16. A single
 * range is L, with an empty R. Expected O(epochs) a move. */
#include "permute/con_impl.h"

#include <stdio.h>

enum { LEFT = 1, RIGHT = 2, BOTH = 3 };

typedef struct {
    uint16_t begin, end;
} range;

typedef struct {
    range side[2]; /* L, R */
    uint16_t closes;
} epoch;

static unsigned length(const unsigned char *x) { return pfi_u16(x); }

static epoch nth(const unsigned char *x, unsigned i) {
    epoch e;
    memcpy(&e, x + sizeof(uint16_t) + i * sizeof e, sizeof e);
    return e;
}

static bool empty(range r) { return r.begin == r.end; }

/* Appends an epoch in its canonical form to the n that are in x; returns how many there are. */
static unsigned append(unsigned char *x, unsigned n, epoch e) {
    if (empty(e.side[0])) e.side[0] = e.side[1];
    else if (!empty(e.side[1])) goto whole;
    if (empty(e.side[0])) return n;
    e.side[1] = (range){0, 0};
    e.closes = BOTH;
whole:
    memcpy(x + sizeof(uint16_t) + n * sizeof e, &e, sizeof e);
    return n + 1;
}

static pf_err narrow(const pf_con *con, const pf_cover *b, const unsigned char *x, pf_cover *set) {
    (void)b;
    epoch top = length(x) ? nth(x, 0) : (epoch){0};
    for (unsigned i = 0; i < con->nw; i++)
        set[i] &= pf_cover_range_word(top.side[0].begin, top.side[0].end, i) |
                  pf_cover_range_word(top.side[1].begin, top.side[1].end, i);
    return PF_OK;
}

/* Puts what is left of side s of the top epoch in its place, down to the epoch that closes it; *from is the first behind.
 * An epoch whose range is filled has nothing more to wait for on that side. */
static unsigned shrink(const unsigned char *x, unsigned s, range left, unsigned char *to, unsigned n, unsigned *from) {
    const unsigned closing = s ? RIGHT : LEFT;
    epoch e;
    do {
        e = nth(x, (*from)++);
        e.side[s] = left;
        if (!empty(left) || e.closes != closing) n = append(to, n, e);
    } while (!(e.closes & closing));
    return n;
}

static size_t advance(const pf_con *con, const pf_cover *b, const unsigned char *x, unsigned j, unsigned char *to) {
    (void)con, (void)b;
    epoch top = nth(x, 0);
    unsigned s = !empty(top.side[1]) && j >= top.side[1].begin, n = 0, from = 0, count = length(x);
    range whole = top.side[s], below = {whole.begin, (uint16_t)j}, above = {(uint16_t)(j + 1), whole.end};
    epoch inner = {{below, above}, BOTH};
    if (empty(top.side[1])) {
        n = append(to, n, inner);
        from = 1;
    } else {
        range near = s ? below : above, far = s ? above : below;
        inner.closes = s ? LEFT : RIGHT; /* where H is */
        if (!empty(near)) n = append(to, n, inner);
        n = shrink(x, s, far, to, n, &from);
    }
    for (; from < count; from++) n = append(to, n, nth(x, from));
    pfi_put_u16(to, n);
    return sizeof(uint16_t) + n * sizeof(epoch);
}

static size_t start(const pf_con *con, unsigned char *x) {
    epoch all = {{{0, (uint16_t)con->n}, {0, 0}}, BOTH};
    unsigned n = append(x, 0, all);
    pfi_put_u16(x, n);
    return sizeof(uint16_t) + n * sizeof(epoch);
}

static size_t extent(const pf_con *con, const unsigned char *x) {
    (void)con;
    return sizeof(uint16_t) + length(x) * sizeof(epoch);
}

/* Each epoch closes a range of its own, and ranges have covered positions between them. */
static pf_err init(pf_con *con, const pf_params *params) {
    con->room = sizeof(uint16_t) + (con->n / 2 + 2) * sizeof(epoch);
    PF_TRY(pf_params_expect(params, 0, "itg"));
    return pfi_con_itg_draw_init(con);
}

/* Four values in the order 2413 or 3142: inner pair outside the outer pair's range, crosswise. */
static bool forbidden(unsigned a, unsigned b, unsigned c, unsigned d) {
    return (c < a && a < d && d < b) || (b < d && d < a && a < c);
}

static bool member(const pf_con *con, const unsigned *p) {
    for (unsigned i = 0; i < con->n; i++)
        for (unsigned j = i + 1; j < con->n; j++)
            for (unsigned k = j + 1; k < con->n; k++)
                for (unsigned l = k + 1; l < con->n; l++)
                    if (forbidden(p[i], p[j], p[k], p[l])) return false;
    return true;
}

/* Greedy reduction of touching intervals is complete for separable permutations. */
bool pfi_con_separable(const unsigned *p, unsigned n, unsigned *room) {
    unsigned *first = room, *end = room + n + 1, top = 0;
    for (unsigned t = 0; t < n; t++) {
        unsigned from = p[t], to = p[t] + 1;
        while (top && (end[top - 1] == from || first[top - 1] == to)) {
            top--;
            if (first[top] < from) from = first[top];
            else to = end[top];
        }
        first[top] = from;
        end[top++] = to;
    }
    return top <= 1;
}

/* Paths: the large Schroeder number S(n-1), (m+1) S(m) = 3(2m-1) S(m-1) - (m-2) S(m-2). */
static void size(const pf_con *con, pf_con_size *size) {
    mpz_t before, next;
    mpz_init_set_ui(before, 1);
    mpz_init(next);
    mpz_set_ui(size->paths, con->n > 1 ? 2 : 1);
    for (unsigned long m = 2; m < con->n; m++) {
        mpz_mul_ui(next, size->paths, 3 * (2 * m - 1));
        mpz_submul_ui(next, before, m - 2);
        mpz_divexact_ui(next, next, m + 1);
        mpz_swap(before, size->paths);
        mpz_swap(size->paths, next);
    }
    mpz_clears(before, next, (mpz_ptr)NULL);
    size->count = true;
}

/* Visited before position u, which is still to come: of those up to `from` the last, of those behind it to `to` the first. */
static bool crossing(const unsigned *p, unsigned t, unsigned u, unsigned *early, unsigned *late) {
    unsigned step = p[t], first = t, last = 0;
    bool up = step > u, found = false;
    for (unsigned i = 0; i < t; i++) {
        bool outer = up ? p[i] < u : p[i] > u, between = up ? p[i] > u && p[i] < step : p[i] < u && p[i] > step;
        if (between && first == t) first = i;
        if (outer && first < i) {
            last = i;
            found = true;
        }
    }
    *early = first;
    *late = last;
    return found;
}

static void why(const pf_con *con, const pf_cover *b, const unsigned char *x, const unsigned *p, unsigned t, unsigned base,
                char *words, size_t room) {
    unsigned early, late;
    (void)x;
    for (unsigned u = pf_cover_gap(b, con->nw, 0); u < con->n; u = pf_cover_gap(b, con->nw, u + 1))
        if (u != p[t] && crossing(p, t, u, &early, &late)) {
            snprintf(words, room, "%u, %u, %u and later %u would be a %s", p[early] + base, p[late] + base, p[t] + base,
                     u + base, p[t] > u ? "3142" : "2413");
            return;
        }
    *words = 0;
}

const pf_con_class pfi_con_itg = {
    .name = "itg",
    .params = "",
    .help = "separable permutations: neither 2413 nor 3142 inside",
    .inverse = &pfi_con_itg,
    .init = init,
    .free = pfi_con_itg_draw_free,
    .start = start,
    .narrow = narrow,
    .advance = advance,
    .extent = extent,
    .member = member,
    .size = size,
    .why = why,
    .draw = pfi_con_itg_draw,
};
