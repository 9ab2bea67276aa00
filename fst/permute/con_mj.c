/* MJ constraints (Kumar & Byrne 2005, MJ-1 and MJ-2; Dreyer et al. 2007, section 2.1): blocks of at most K+1 consecutive
 * positions, each visited as a whole, any order inside.
 *
 * A block begins where the positions visited so far are a prefix, and may reach K positions further. The coverage alone does not
 * tell where the block began, so the state adds the last position that it may reach, or 0 at a prefix: uint16. The automaton
 * is minimal: states with different bytes allow different positions. */
#include "permute/con_impl.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned reach(const pf_con *con, unsigned begin) {
    uint64_t last = begin + con->param;
    return last < con->n ? (unsigned)last : con->n - 1;
}

/* The last position of the block that a state is in, or that begins there. */
static unsigned end_of(const pf_con *con, const pf_cover *covered, const unsigned char *extra) {
    unsigned end = pfi_u16(extra);
    return end ? end : reach(con, pf_cover_gap(covered, con->nw, 0));
}

static size_t start(const pf_con *con, unsigned char *extra) {
    (void)con;
    return pfi_put_u16(extra, 0);
}

static pf_err narrow(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set) {
    unsigned end = end_of(con, covered, extra);
    pfi_con_keep_below(con, end + 1, set);
    return PF_OK;
}

/* The block ends where visiting `position` makes a prefix of all that is covered. */
static size_t advance(const pf_con *con, const pf_cover *covered, const unsigned char *extra, unsigned position,
    unsigned char *to) {
    unsigned gap = pf_cover_gap(covered, con->nw, 0), next_gap = pf_cover_gap(covered, con->nw, position + 1);
    bool prefix = gap == position && pf_cover_next(covered, con->nw, next_gap) == 64 * con->nw;
    return pfi_put_u16(to, prefix ? 0 : end_of(con, covered, extra));
}

/* The same from the gap on: the number is 0 at a prefix, and else the last position of the block, from 1. */
static unsigned view_end(const pf_con *con, const pf_con_view *view) {
    if (view->extra) return view->extra - 1;
    return con->param < view->room ? (unsigned)con->param : view->room - 1;
}

static uint64_t view_allows(const pf_con *con, const pf_con_view *view) { return pf_bits_below(view_end(con, view) + 1); }

static unsigned view_start(const pf_con *con) {
    (void)con;
    return 0;
}

static unsigned view_extra(const pf_con *con, const pf_con_view *view, unsigned move, const pf_con_view *next) {
    (void)move;
    return next->bits ? view_end(con, view) + 1 - (next->gap - view->gap) : 0;
}

static void view_reach(const pf_con *con, pf_con_reach *reach) {
    if (con->param + 1 < reach->window) reach->window = (unsigned)con->param + 1;
}

/* Blocks end where the visited positions are a prefix. */
static uint64_t longest_block(const unsigned *perm, unsigned length) {
    unsigned begin = 0, last = 0;
    uint64_t longest = 0;
    for (unsigned step = 0; step < length; step++) {
        if (perm[step] > last) last = perm[step];
        if (last != step) continue;
        if (step + 1 - begin > longest) longest = step + 1 - begin;
        begin = step + 1;
    }
    return longest;
}

static bool member(const pf_con *con, const unsigned *perm) { return longest_block(perm, con->n) <= con->param + 1; }

static bool least(const unsigned *perm, unsigned length, unsigned *scratch, uint64_t *param) {
    (void)scratch;
    *param = length ? longest_block(perm, length) - 1 : 0;
    return true;
}

/* I(m) orders of m positions are one block: m! - sum of I(i) (m-i)!; then C(n) = sum over the first block of I(m) C(n-m).
 * O(K (n + K)) products. */
static void count_paths(unsigned length, unsigned most, mpz_t *single, mpz_t *paths) {
    mpz_set_ui(paths[0], 1); /* orders, at first */
    for (unsigned m = 1; m <= most; m++) {
        mpz_mul_ui(paths[m], paths[m - 1], m);
        mpz_set(single[m], paths[m]);
        for (unsigned i = 1; i < m; i++) mpz_submul(single[m], single[i], paths[m - i]);
    }
    for (unsigned step = most + 1; step <= length; step++) /* up to `most` positions any order will do */
        for (unsigned m = 1; m <= most; m++) mpz_addmul(paths[step], single[m], paths[step - m]);
}

/* For n > K there are n+1 states that are prefixes, and for each of the n-K windows 2^w - w - 1 others, w = K+1. */
static void size(const pf_con *con, pf_con_size *size) {
    unsigned length = con->n;
    if (con->param + 1 >= length) {
        pfi_con_size_all(length, size);
        return;
    }
    unsigned window = (unsigned)con->param + 1;
    mpz_t *room = calloc(length + window + 2u, sizeof *room), *paths = room + window + 1;
    if (!room) return;
    for (unsigned i = 0; i < length + window + 2u; i++) mpz_init(room[i]);
    count_paths(length, window, room, paths);
    mpz_set(size->paths, paths[length]);
    for (unsigned i = 0; i < length + window + 2u; i++) mpz_clear(room[i]);
    free(room);
    mpz_ui_pow_ui(size->states, 2, window);
    mpz_mul_ui(size->arcs, size->states, window);
    mpz_fdiv_q_2exp(size->arcs, size->arcs, 1);
    mpz_sub_ui(size->arcs, size->arcs, window * (window + 1ul) / 2);
    mpz_mul_ui(size->arcs, size->arcs, length - window + 1);
    mpz_add_ui(size->arcs, size->arcs, (length - window) * (unsigned long)window + window * (window + 1ul) / 2);
    mpz_sub_ui(size->states, size->states, window + 1);
    mpz_mul_ui(size->states, size->states, length - window + 1);
    mpz_add_ui(size->states, size->states, length + 1ul);
    size->machine = size->count = true;
}

static void why(const pf_con *con, const pf_cover *covered, const unsigned char *extra, const unsigned *perm, unsigned step,
    unsigned base, char *words, size_t room) {
    unsigned begin = 0, last = 0;
    for (unsigned earlier = 0; earlier < step; earlier++) {
        if (perm[earlier] > last) last = perm[earlier];
        if (last == earlier) begin = earlier + 1;
    }
    snprintf(words, room, "the block that begins at %u reaches to %u", begin + base, end_of(con, covered, extra) + base);
}

/* A block takes as many steps as it has positions. */
static void range(const pf_con *con, unsigned t, unsigned *least, unsigned *most) {
    pfi_con_narrow_range(t, con->param, con->param, least, most);
}

/* Under itg: a node that inverts is within one block. */
static bool inverts(const pf_con *con, unsigned i, unsigned j, unsigned k) {
    (void)j;
    return k - i <= con->param + 1;
}

const pf_con_class pfi_con_mj = {
    .name = "mj",
    .params = ":K",
    .help = "blocks of at most K+1 consecutive positions, with any order inside",
    .first_gap = true,
    .slack = 1,
    .beside_itg = true,
    .sorts = true,
    .inverse = &pfi_con_mj,
    .init = pfi_con_distance_u16,
    .start = start,
    .narrow = narrow,
    .advance = advance,
    .view_allows = view_allows,
    .view_start = view_start,
    .view_extra = view_extra,
    .view_reach = view_reach,
    .inverts = inverts,
    .range = range,
    .member = member,
    .size = size,
    .least = least,
    .why = why,
};
