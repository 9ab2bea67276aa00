/* The plain jump limit: abs(p - (q+1)) <= D, where q was visited last, without the look-ahead of distortion:D. Gaps can get out
 * of reach, so it needs the completion test. Many dead ends are seen at once, because no jump passes more than D covered
 * positions in a row. Every second position can wait for a way back from the end, so there are exponentially many live
 * states; a conjunction with a window (ibm, local, mj) keeps them few. The state adds q+1: uint16. */
#include "permute/con_impl.h"

#include <stdio.h>

static unsigned distance(unsigned position, unsigned next) { return position > next ? position - next : next - position; }

static size_t start(const pf_con *con, unsigned char *extra) {
    (void)con;
    return pfi_put_u16(extra, 0);
}

/* Would visiting `position` leave more than D covered positions in a row, *from .. *to - 1, between uncovered ones? Of a
 * longer run, some D + 1 positions. */
static bool separates(const pf_con *con, const pf_cover *covered, unsigned position, unsigned *from, unsigned *to) {
    unsigned gap = pf_cover_gap(covered, con->nw, 0), begin = position, end = position + 1;
    if (gap >= position) return false;
    while (end - begin <= con->param && pf_cover_has(covered, begin - 1)) begin--;
    while (end - begin <= con->param && end < con->n && pf_cover_has(covered, end)) end++;
    *from = begin;
    *to = end;
    return end - begin > con->param && pf_cover_gap(covered, con->nw, end) < con->n;
}

static pf_err narrow(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set) {
    uint64_t next = pfi_u16(extra), from = next > con->param ? next - con->param : 0, end = next + con->param + 1;
    for (unsigned i = 0; i < con->nw; i++)
        set[i] &= pf_cover_range_word((unsigned)from, end < con->n ? (unsigned)end : con->n, i);
    unsigned begin, end_of_run;
    for (unsigned j = pf_cover_next(set, con->nw, 0); j < con->n; j = pf_cover_next(set, con->nw, j + 1))
        if (separates(con, covered, j, &begin, &end_of_run)) pf_cover_drop(set, j);
    return PF_OK;
}

static size_t advance(const pf_con *con, const pf_cover *covered, const unsigned char *extra, unsigned position,
    unsigned char *to) {
    (void)con, (void)covered, (void)extra;
    return pfi_put_u16(to, position + 1);
}

static bool least(const unsigned *perm, unsigned length, unsigned *scratch, uint64_t *param) {
    (void)scratch;
    *param = 0;
    for (unsigned step = 0; step < length; step++) {
        unsigned jump = distance(perm[step], step ? perm[step - 1] + 1 : 0);
        if (jump > *param) *param = jump;
    }
    return true;
}

static bool member(const pf_con *con, const unsigned *perm) {
    uint64_t needed;
    least(perm, con->n, NULL, &needed);
    return needed <= con->param;
}

static void why(const pf_con *con, const pf_cover *covered, const unsigned char *extra, const unsigned *perm, unsigned step,
    unsigned base, char *words, size_t room) {
    unsigned next = pfi_u16(extra), begin = 0, end = 0;
    if (distance(perm[step], next) > con->param || !separates(con, covered, perm[step], &begin, &end))
        snprintf(words, room, "jumps of at most %u from %u", (unsigned)con->param, next + base);
    else
        snprintf(words, room, "with %u no jump of at most %u passes %u to %u, and positions before and after these are to come",
                 perm[step] + base, (unsigned)con->param, begin + base, end - 1 + base);
}

const pf_con_class pfi_con_jump = {
    .name = "jump",
    .params = ":D",
    .help = "jumps of at most D from the position after the last one, without regard to gaps",
    .dead_ends = true,
    .init = pfi_con_distance_u16,
    .start = start,
    .narrow = narrow,
    .advance = advance,
    .member = member,
    .least = least,
    .why = why,
};
