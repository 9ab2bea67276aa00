/* ITG constraints: the separable permutations (Wu 1997; Zens & Ney 2003, section 2.1), with canonical states.
 *
 * A shift-reduce parser of the positions visited keeps a stack of intervals; intervals on top that touch are merged. Different
 * stacks can have the same continuations. These depend on how the top interval H can grow. L and R are the maximal uncovered
 * ranges to the left and to the right of H. H can be merged with the next lower interval of the stack only when the range
 * between the two is filled, or both ranges. Then the same holds for the merged interval. Such a step is an epoch, and the list
 * of epochs from the top of the stack down is the state:
 *
 *   - an epoch has ranges L and R and the side that it closes, or both sides where their order is free;
 *   - an epoch with only one range closes that range.
 *
 * All positions in the two ranges of the first epoch may be visited, and no others. Visiting j splits a range into A, the part
 * that is nearer to H, and B, the part that is further away. A new epoch (A, B, closing A) is put on top, and B takes the place
 * of the range in all epochs that share it, up to the one that closes it. States with the same continuations have the same
 * list, so the automaton is minimal: 4645 states at 10 positions, where stacks need 14768 (tests/itg_stacks.c keeps the stacks
 * as an oracle).
 *
 * Bytes: the number of epochs; for each epoch the begin and end of L, the begin and end of R, and what it closes, all uint16.
 * A single range is L, with an empty R. Expected O(epochs) a move. */
#include "permute/con_impl.h"

#include <stdio.h>

enum { LEFT = 1, RIGHT = 2, BOTH = 3 };

typedef struct {
    uint16_t begin, end;
} itg_range;

typedef struct {
    itg_range side[2]; /* L, R */
    uint16_t closes;
} itg_epoch;

static unsigned epochs_of(const unsigned char *extra) { return pfi_u16(extra); }

static itg_epoch nth(const unsigned char *extra, unsigned i) {
    itg_epoch epoch;
    memcpy(&epoch, extra + sizeof(uint16_t) + i * sizeof epoch, sizeof epoch);
    return epoch;
}

static bool empty(itg_range range) { return range.begin == range.end; }

/* Appends an epoch in its canonical form to the `count` that are in `extra`; returns how many there are. */
static unsigned append(unsigned char *extra, unsigned count, itg_epoch epoch) {
    if (empty(epoch.side[0])) epoch.side[0] = epoch.side[1];
    else if (!empty(epoch.side[1])) goto whole;
    if (empty(epoch.side[0])) return count;
    epoch.side[1] = (itg_range){0, 0};
    epoch.closes = BOTH;
whole:
    memcpy(extra + sizeof(uint16_t) + count * sizeof epoch, &epoch, sizeof epoch);
    return count + 1;
}

static pf_err narrow(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set) {
    (void)covered;
    itg_epoch top = epochs_of(extra) ? nth(extra, 0) : (itg_epoch){0};
    for (unsigned word = 0; word < con->nw; word++)
        set[word] &= pf_cover_range_word(top.side[0].begin, top.side[0].end, word) |
                     pf_cover_range_word(top.side[1].begin, top.side[1].end, word);
    return PF_OK;
}

/* Appends the epochs from *from on, down to the one that closes the range on `side` of the top epoch, with `rest` in the
 * place of that range; *from is then the first epoch after these. An epoch that would close a filled range is left out. */
static unsigned shrink(const unsigned char *extra, unsigned side, itg_range rest, unsigned char *to, unsigned epochs,
    unsigned *from) {
    const unsigned closing = side ? RIGHT : LEFT, count = epochs_of(extra);
    itg_epoch epoch;
    do {
        assert(*from < count); /* some epoch closes each range */
        epoch = nth(extra, (*from)++);
        epoch.side[side] = rest;
        if (!empty(rest) || epoch.closes != closing) epochs = append(to, epochs, epoch);
    } while (!(epoch.closes & closing));
    return epochs;
}

static size_t advance(const pf_con *con, const pf_cover *covered, const unsigned char *extra, unsigned position,
    unsigned char *to) {
    (void)con, (void)covered;
    unsigned epochs = 0, from = 0, count = epochs_of(extra);
    assert(count);
    itg_epoch top = nth(extra, 0);
    unsigned side = !empty(top.side[1]) && position >= top.side[1].begin;
    itg_range whole = top.side[side];
    assert(whole.begin <= position && position < whole.end);
    itg_range below = {whole.begin, (uint16_t)position}, above = {(uint16_t)(position + 1), whole.end};
    itg_epoch inner = {{below, above}, BOTH};
    if (empty(top.side[1])) {
        epochs = append(to, epochs, inner);
        from = 1;
    } else {
        itg_range near = side ? below : above, far = side ? above : below;
        inner.closes = side ? LEFT : RIGHT; /* where H is */
        if (!empty(near)) epochs = append(to, epochs, inner);
        epochs = shrink(extra, side, far, to, epochs, &from);
    }
    memcpy(to + sizeof(uint16_t) + epochs * sizeof(itg_epoch), extra + sizeof(uint16_t) + from * sizeof(itg_epoch),
           (count - from) * sizeof(itg_epoch));
    epochs += count - from; /* they stay as they are, in their canonical form */
    pfi_put_u16(to, epochs);
    return sizeof(uint16_t) + epochs * sizeof(itg_epoch);
}

static size_t start(const pf_con *con, unsigned char *extra) {
    itg_epoch all = {{{0, (uint16_t)con->n}, {0, 0}}, BOTH};
    unsigned n = append(extra, 0, all);
    pfi_put_u16(extra, n);
    return sizeof(uint16_t) + n * sizeof(itg_epoch);
}

static size_t extent(const pf_con *con, const unsigned char *extra) {
    (void)con;
    return sizeof(uint16_t) + epochs_of(extra) * sizeof(itg_epoch);
}

/* Each epoch closes a range of its own, and ranges have covered positions between them. */
static pf_err init(pf_con *con, const pf_params *params) {
    con->room = sizeof(uint16_t) + (con->n / 2 + 2) * sizeof(itg_epoch);
    PF_TRY(pf_params_expect(params, 0, "itg"));
    return pfi_con_itg_draw_init(con);
}

/* Are four values in the order 2413 or 3142? */
static bool forbidden(unsigned first, unsigned second, unsigned third, unsigned fourth) {
    return (third < first && first < fourth && fourth < second) || (second < fourth && fourth < first && first < third);
}

static bool member(const pf_con *con, const unsigned *perm) {
    for (unsigned i = 0; i < con->n; i++)
        for (unsigned j = i + 1; j < con->n; j++)
            for (unsigned k = j + 1; k < con->n; k++)
                for (unsigned l = k + 1; l < con->n; l++)
                    if (forbidden(perm[i], perm[j], perm[k], perm[l])) return false;
    return true;
}

/* Greedy reduction of touching intervals is complete for separable permutations. */
bool pfi_con_separable(const unsigned *perm, unsigned length, unsigned *scratch) {
    unsigned *first = scratch, *end = scratch + length + 1, top = 0;
    for (unsigned step = 0; step < length; step++) {
        unsigned from = perm[step], to = perm[step] + 1;
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

/* Two earlier steps that make a forbidden order with perm[step] and `later`, which is not visited yet: *early visited a
 * position between perm[step] and `later`, the first such one; *late a position on the other side of `later`, the last such
 * one. False if there are none. */
static bool crossing(const unsigned *perm, unsigned step, unsigned later, unsigned *early, unsigned *late) {
    unsigned now = perm[step], first = step, last = 0;
    bool up = now > later, found = false;
    for (unsigned earlier = 0; earlier < step; earlier++) {
        bool outer = up ? perm[earlier] < later : perm[earlier] > later,
             between = up ? perm[earlier] > later && perm[earlier] < now : perm[earlier] < later && perm[earlier] > now;
        if (between && first == step) first = earlier;
        if (outer && first < earlier) {
            last = earlier;
            found = true;
        }
    }
    *early = first;
    *late = last;
    return found;
}

static void why(const pf_con *con, const pf_cover *covered, const unsigned char *extra, const unsigned *perm, unsigned step,
    unsigned base, char *words, size_t room) {
    unsigned early, late, later = pf_cover_gap(covered, con->nw, 0);
    (void)extra;
    for (; later < con->n; later = pf_cover_gap(covered, con->nw, later + 1))
        if (later != perm[step] && crossing(perm, step, later, &early, &late)) {
            snprintf(words, room, "%u, %u, %u and later %u would be a %s", perm[early] + base, perm[late] + base,
                perm[step] + base, later + base, perm[step] > later ? "3142" : "2413");
            return;
        }
    *words = 0;
}

const pf_con_class pfi_con_itg = {
    .name = "itg",
    .params = "",
    .help = "separable permutations: they contain neither 2413 nor 3142",
    .inverse = &pfi_con_itg,
    .init = init,
    .free = pfi_con_itg_draw_free,
    .start = start,
    .narrow = narrow,
    .advance = advance,
    .extent = extent,
    .inverts = pfi_con_inverts_any,
    .member = member,
    .size = size,
    .why = why,
    .draw = pfi_con_itg_draw,
};
