/* A key is the gap, 16 bits, then either 48 bits of coverage from there on, or 6 of extra bytes and 42 of coverage; or it is a list
 * of four positions of 16 bits each, ascending, in which the length of the sentence fills up what is not there. */
#include "permute/short_key_impl.h"

#include "permute/con_impl.h"

#include <limits.h>

enum { GAP_BIT = PFI_SHORT_MOVES, EXTRA_BIT = 42, LIST = 4, LISTED_BITS = 16 };

static const pf_con *part_at(const pfi_short_keys *keys, size_t i) { return keys->part ? keys->part[i] : keys->con; }

static unsigned room_for_bits(const pfi_short_keys *keys) { return keys->extra ? EXTRA_BIT : GAP_BIT; }

/* ---- which spaces have them ---- */

/* Do all parts tell their moves from a view, and at most one of them needs more than the coverage? */
static bool parts_have_views(pfi_short_keys *keys) {
    for (size_t i = 0; i < keys->parts; i++) {
        const pf_con *part = part_at(keys, i);
        if (!part->cls->view_allows) return false;
        if (!part->cls->view_extra) continue;
        if (keys->extra) return false;
        keys->extra = part;
    }
    return true;
}

/* Is every position that can be covered or visited within the bits of a key? */
static bool is_narrow(const pfi_short_keys *keys) {
    pf_con_reach reach = {keys->con->n, UINT_MAX, UINT_MAX};
    for (size_t i = 0; i < keys->parts; i++)
        if (part_at(keys, i)->cls->view_reach) part_at(keys, i)->cls->view_reach(part_at(keys, i), &reach);
    uint64_t wide = (uint64_t)reach.gaps + reach.ahead, bits = room_for_bits(keys);
    return reach.window <= bits || wide <= bits;
}

bool pfi_short_keys_init(pfi_short_keys *keys, const pf_con *con) {
    *keys = (pfi_short_keys){.con = con, .parts = 1};
    assert(con->n <= UINT16_MAX);
    if (con->cls == &pfi_con_all_of) keys->part = con->cls->parts(con, &keys->parts);
    if (!parts_have_views(keys)) return false;
    if (is_narrow(keys)) return true;
    const pf_con *only = part_at(keys, 0);
    if (keys->parts > 1 || only->cls != &pfi_con_ibm || only->param > LIST) return false;
    keys->listed = (unsigned)only->param;
    return true;
}

/* ---- keys with a window ---- */

static pf_con_view view_of(const pfi_short_keys *keys, uint64_t key) {
    pf_con_view view = {.gap = (unsigned)(key >> GAP_BIT)};
    view.room = keys->con->n - view.gap;
    view.bits = key & pf_bits_below(room_for_bits(keys));
    if (keys->extra) view.extra = (unsigned)(key >> EXTRA_BIT) & 63;
    return view;
}

static uint64_t key_of(const pf_con_view *view) {
    return (uint64_t)view->gap << GAP_BIT | (uint64_t)view->extra << EXTRA_BIT | view->bits;
}

/* The coverage after gap + move was visited. */
static pf_con_view after(const pf_con_view *view, unsigned move) {
    pf_con_view next = *view;
    next.bits |= UINT64_C(1) << move;
    unsigned step = pf_bits_first(~next.bits);
    next.gap += step;
    next.room -= step;
    next.bits >>= step;
    next.extra = 0;
    return next;
}

/* The key after the gap was visited, without extra bytes. */
static uint64_t key_after_gap(const pf_con_view *view) {
    const unsigned step = pf_bits_first(~(view->bits | 1));
    return (uint64_t)(view->gap + step) << GAP_BIT | view->bits >> step;
}

static uint64_t extra_after(const pf_con *con, const pf_con_view *view, unsigned move) {
    const pf_con_view next = after(view, move);
    const unsigned extra = next.room ? con->cls->view_extra(con, view, move, &next) : 0;
    assert(extra < 64 && next.bits <= pf_bits_below(EXTRA_BIT));
    return extra;
}

/* Adds the extra bytes to the keys after the moves of a state. */
static void add_extra(const pf_con *con, const pf_con_view *view, const uint16_t *position, unsigned count, uint64_t *to) {
    for (unsigned i = 0; i < count; i++) to[i] |= extra_after(con, view, position[i] - view->gap) << EXTRA_BIT;
}

static uint64_t allowed_by(const pf_con *part, const pf_con_view *view) { return part->cls->view_allows(part, view); }

static inline unsigned window_moves(const pfi_short_keys *keys, uint64_t key, uint16_t *position, uint64_t *to) {
    const pf_con_view view = view_of(keys, key);
    const uint64_t here = (uint64_t)view.gap << GAP_BIT | view.bits;
    uint64_t allowed = ~view.bits & pf_bits_below(view.room) & allowed_by(part_at(keys, 0), &view);
    unsigned count = 0;
    for (size_t i = 1; i < keys->parts; i++) allowed &= allowed_by(part_at(keys, i), &view);
    assert(allowed <= pf_bits_below(GAP_BIT));
    for (uint64_t others; allowed; allowed = others, count++) {
        others = allowed & (allowed - 1);
        position[count] = (uint16_t)(view.gap + pf_bits_first(allowed));
        to[count] = here | (allowed ^ others);
    }
    if (count && position[0] == view.gap) to[0] = key_after_gap(&view); /* no other move changes the gap */
    if (keys->extra) add_extra(keys->extra, &view, position, count, to);
    return count;
}

/* ---- keys that are lists ---- */

static unsigned listed(uint64_t key, unsigned i) { return (unsigned)(key >> LISTED_BITS * i) & UINT16_MAX; }

static unsigned listed_count(const pfi_short_keys *keys, uint64_t key) {
    unsigned count = 0;
    while (count < keys->listed && listed(key, count) < keys->con->n) count++;
    return count;
}

/* Without its i-th position, and with one more at the end. */
static uint64_t without(const pfi_short_keys *keys, uint64_t key, unsigned i) {
    unsigned last = listed(key, keys->listed - 1), bit = LISTED_BITS * i, end = LISTED_BITS * (keys->listed - 1);
    uint64_t before = key & pf_bits_below(bit), behind = bit < end ? key >> (bit + LISTED_BITS) << bit : 0;
    return before | behind | (uint64_t)(last < keys->con->n ? last + 1 : last) << end;
}

static unsigned listed_moves(const pfi_short_keys *keys, uint64_t key, uint16_t *position, uint64_t *to) {
    unsigned count = listed_count(keys, key);
    for (unsigned i = 0; i < count; i++) {
        position[i] = (uint16_t)listed(key, i);
        to[i] = without(keys, key, i);
    }
    return count;
}

/* ---- both ---- */

uint64_t pfi_short_start(const pfi_short_keys *keys) {
    pf_con_view start = {.room = keys->con->n};
    uint64_t key = 0;
    if (!keys->listed) {
        if (keys->extra && start.room) start.extra = keys->extra->cls->view_start(keys->extra);
        return key_of(&start);
    }
    for (unsigned i = 0; i < keys->listed; i++) key |= (uint64_t)(i < keys->con->n ? i : keys->con->n) << LISTED_BITS * i;
    return key;
}

unsigned pfi_short_covered(const pfi_short_keys *keys, uint64_t key) {
    if (!keys->listed) return (unsigned)(key >> GAP_BIT) + pf_bits_count(key & pf_bits_below(room_for_bits(keys)));
    unsigned count = listed_count(keys, key), last = listed(key, keys->listed - 1);
    return count < keys->listed ? keys->con->n - count : last + 1 - count;
}

unsigned pfi_short_moves(const pfi_short_keys *keys, const uint64_t *key, unsigned states, unsigned *first, uint16_t *position,
                         uint64_t *to) {
    unsigned count = 0;
    for (unsigned i = 0; i < states; i++) {
        first[i] = count;
        count += keys->listed ? listed_moves(keys, key[i], position + count, to + count)
                              : window_moves(keys, key[i], position + count, to + count);
    }
    return count;
}

void pfi_short_cover(const pfi_short_keys *keys, uint64_t key, pf_cover *covered) {
    if (!keys->listed) {
        const pf_con_view view = view_of(keys, key);
        pf_cover_range(covered, keys->con->nw, 0, view.gap);
        for (uint64_t bits = view.bits; bits; bits &= bits - 1) pf_cover_put(covered, view.gap + pf_bits_first(bits));
        return;
    }
    unsigned count = listed_count(keys, key), end = count < keys->listed ? keys->con->n : listed(key, keys->listed - 1);
    pf_cover_range(covered, keys->con->nw, 0, end);
    for (unsigned i = 0; i < count; i++)
        if (listed(key, i) < end) pf_cover_drop(covered, listed(key, i));
}
