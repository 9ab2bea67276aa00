/* The difference of two constraints: what the first admits and the second does not.
 *
 * The state has the first's bytes, and the second's as long as the second admits the moves made so far. A permutation may end
 * where the second no longer admits it. A state that leads to no such end is a dead end, so a difference always needs the
 * completion test. It may be empty. Bytes: does the second admit the moves (0 or 1), the first's bytes, and the second's if it
 * does. */
#include "permute/con_impl.h"

static pf_err narrow(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set) {
    const pfi_pair *pair = con->data;
    return pair->part[0]->cls->narrow(pair->part[0], covered, extra + 1, set);
}

static size_t start(const pf_con *con, unsigned char *extra) {
    const pfi_pair *pair = con->data;
    *extra = true;
    size_t n = 1 + pf_con_start(pair->part[0], extra + 1);
    return n + pf_con_start(pair->part[1], extra + n);
}

static size_t advance(const pf_con *con, const pf_cover *covered, const unsigned char *extra, unsigned position,
    unsigned char *to) {
    const pfi_pair *pair = con->data;
    assert(*extra <= 1);
    bool admitting = *extra++;
    size_t length = 1 + pf_con_advance(pair->part[0], covered, extra, position, to + 1);
    extra += pf_con_extent(pair->part[0], extra);
    *to = admitting && pfi_pair_allows(pair, 1, covered, extra, position);
    if (*to) length += pf_con_advance(pair->part[1], covered, extra, position, to + length);
    assert(length <= con->room);
    return length;
}

static size_t extent(const pf_con *con, const unsigned char *extra) {
    const pfi_pair *pair = con->data;
    size_t n = 1 + pf_con_extent(pair->part[0], extra + 1);
    return *extra ? n + pf_con_extent(pair->part[1], extra + n) : n;
}

static bool accepts(const pf_con *con, const unsigned char *extra) {
    const pfi_pair *pair = con->data;
    if (!pf_con_accepts(pair->part[0], extra + 1)) return false;
    return !*extra || !pf_con_accepts(pair->part[1], extra + 1 + pf_con_extent(pair->part[0], extra + 1));
}

static void range(const pf_con *con, unsigned t, unsigned *least, unsigned *most) {
    const pf_con *first = ((const pfi_pair *)con->data)->part[0];
    if (first->cls->range) first->cls->range(first, t, least, most);
}

static bool member(const pf_con *con, const unsigned *perm) {
    const pfi_pair *pair = con->data;
    return pair->part[0]->cls->member(pair->part[0], perm) && !pair->part[1]->cls->member(pair->part[1], perm);
}

const pf_con_class pfi_con_without = {
    .name = "minus",
    .params = "",
    .help = "the first without the second",
    .dead_ends = true,
    .free = pfi_pair_free,
    .start = start,
    .narrow = narrow,
    .advance = advance,
    .extent = extent,
    .accepts = accepts,
    .range = range,
    .member = member,
    .parts = pfi_pair_parts,
};

pf_err pfi_con_minus(pf_con *first, pf_con *second, pf_con **out) {
    PF_TRY(pfi_pair_make(&pfi_con_without, first, second, out));
    (*out)->may_be_empty = true;
    return PF_OK;
}
