/* Moses' distortion limit, for single words. A jump from the end of the last word to p passes at most D positions. If p is not
 * the first uncovered position u, p+1-u <= D holds as well, so that the gap at u stays in reach. D = 0 and D = 1 are monotone.
 *
 * The position visited last, q, matters only as far as it limits what comes next: the state adds the largest position that
 * is allowed, uint16. (There is no limit from below, as q+1-u <= D always.) So the automaton is minimal: states with the same
 * coverage and different bytes allow different positions. */
#include "permute/con_impl.h"

#include <stdio.h>

/* The largest position that is allowed where `next` - 1 was visited last, which `covered` may not have yet, and `gap` is the first
 * uncovered position: `gap` itself where nothing after it is allowed. */
static unsigned furthest(const pf_con *con, const pf_cover *covered, unsigned gap, unsigned next) {
    uint64_t jump = next + con->param, look = gap + con->param,
             end = jump + 1 < look ? jump + 1 : look; /* positions below */
    unsigned last = end < con->n ? (unsigned)end : con->n;
    while (last > gap + 1 && (pf_cover_has(covered, last - 1) || last == next)) last--;
    return last > gap ? last - 1 : gap;
}

/* The largest position that is allowed where nothing is covered. */
static unsigned first_extra(const pf_con *con) {
    uint64_t last = con->param ? con->param - 1 : 0;
    return last < con->n ? (unsigned)last : con->n ? con->n - 1 : 0;
}

static size_t start(const pf_con *con, unsigned char *extra) { return pfi_put_u16(extra, first_extra(con)); }

static pf_err narrow(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set) {
    unsigned last = pfi_u16(extra);
    assert(last < con->n || !con->n);
    (void)covered;
    pfi_con_keep_below(con, last + 1, set);
    return PF_OK;
}

static size_t advance(const pf_con *con, const pf_cover *covered, const unsigned char *extra, unsigned position,
    unsigned char *to) {
    unsigned gap = pf_cover_gap(covered, con->nw, 0);
    (void)extra;
    if (gap == position) gap = pf_cover_gap(covered, con->nw, gap + 1);
    return pfi_put_u16(to, gap < con->n ? furthest(con, covered, gap, position + 1) : 0);
}

/* The same from the gap on: the number is that of the largest position, from the gap. */
static uint64_t view_allows(const pf_con *con, const pf_con_view *view) {
    (void)con;
    return pf_bits_below(view->extra + 1);
}

static unsigned view_extra(const pf_con *con, const pf_con_view *view, unsigned move, const pf_con_view *next) {
    unsigned back = next->gap - view->gap, end = (unsigned)con->param; /* positions below, as far as one looks */
    if (back > move + 1) end = end + 1 > back - (move + 1) ? end + 1 - (back - (move + 1)) : 0; /* as far as one jumps */
    if (end > (unsigned)con->param) end = (unsigned)con->param;
    if (end > next->room) end = next->room;
    while (end > 1 && next->bits >> (end - 1) & 1) end--;
    return end ? end - 1 : 0;
}

static void view_reach(const pf_con *con, pf_con_reach *reach) {
    unsigned window = con->param ? (unsigned)con->param : 1;
    if (con->param < UINT16_MAX && window < reach->window) reach->window = window;
}

/* The least D that allows `position` where `next` - 1 was visited last and `gap` is the first uncovered position. */
static unsigned needed(unsigned position, unsigned next, unsigned gap) {
    unsigned jump = position > next ? position - next : next - position, look = position == gap ? 0 : position + 1 - gap;
    return jump > look ? jump : look;
}

static bool member(const pf_con *con, const unsigned *perm) {
    for (unsigned step = 0; step < con->n; step++) {
        unsigned gap = con->n;
        for (unsigned later = step; later < con->n; later++)
            if (perm[later] < gap) gap = perm[later];
        if (needed(perm[step], step ? perm[step - 1] + 1 : 0, gap) > con->param) return false;
    }
    return true;
}

/* The rule of the first uncovered position is that of local:D. */
static void range(const pf_con *con, unsigned t, unsigned *least, unsigned *most) {
    const uint64_t moved = con->param ? con->param - 1 : 0;
    pfi_con_narrow_range(t, moved, moved, least, most);
}

static bool least(const unsigned *perm, unsigned length, unsigned *scratch, uint64_t *param) {
    unsigned gap = 0, most = 0, *seen = scratch;
    memset(seen, 0, (length + 1) * sizeof *seen);
    for (unsigned step = 0; step < length; seen[perm[step++]] = 1) {
        while (seen[gap]) gap++;
        unsigned need = needed(perm[step], step ? perm[step - 1] + 1 : 0, gap);
        if (need > most) most = need;
    }
    *param = most;
    return true;
}

static void why(const pf_con *con, const pf_cover *covered, const unsigned char *extra, const unsigned *perm, unsigned step,
    unsigned base, char *words, size_t room) {
    unsigned gap = pf_cover_gap(covered, con->nw, 0), next = step ? perm[step - 1] + 1 : 0;
    (void)extra;
    snprintf(words, room, "jumps of at most %u from %u, to positions before %llu or to the first uncovered one",
             (unsigned)con->param, next + base, (unsigned long long)(gap + base + con->param));
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
    .view_allows = view_allows,
    .view_start = first_extra,
    .view_extra = view_extra,
    .view_reach = view_reach,
    .range = range,
    .member = member,
    .least = least,
    .why = why,
};
