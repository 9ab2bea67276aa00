/* The union of two constraints: a permutation that one of them admits, or both.
 *
 * The state says which of the two parts still admit the moves made so far, and has the bytes of these. The union has no dead
 * ends if neither part has any. Bytes: a bit for each part that admits the moves (1, 2 or 3), then the first's bytes, then the
 * second's. */
#include "permute/con_impl.h"

static pf_err narrow(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set) {
    const pfi_pair *pair = con->data;
    unsigned admitting = *extra++;
    assert(admitting >= 1 && admitting <= 3);
    pf_cover_clear(pair->kept, con->nw);
    for (unsigned which = 0; which < 2; which++) {
        const pf_con *part = pair->part[which];
        if (!(admitting >> which & 1)) continue;
        memcpy(pair->narrowed, set, con->nw * sizeof *set);
        PF_TRY(part->cls->narrow(part, covered, extra, pair->narrowed));
        for (unsigned k = 0; k < con->nw; k++) pair->kept[k] |= pair->narrowed[k];
        extra += pf_con_extent(part, extra);
    }
    memcpy(set, pair->kept, con->nw * sizeof *set);
    return PF_OK;
}

static size_t start(const pf_con *con, unsigned char *extra) {
    const pfi_pair *pair = con->data;
    size_t length = 1;
    *extra = 3;
    for (unsigned i = 0; i < 2; i++) length += pf_con_start(pair->part[i], extra + length);
    return length;
}

static size_t advance(const pf_con *con, const pf_cover *covered, const unsigned char *extra, unsigned position,
    unsigned char *to) {
    const pfi_pair *pair = con->data;
    unsigned admitting = *extra++;
    size_t length = 1;
    *to = 0;
    for (unsigned which = 0; which < 2; which++) {
        const pf_con *part = pair->part[which];
        if (!(admitting >> which & 1)) continue;
        if (pfi_pair_allows(pair, which, covered, extra, position)) {
            *to |= (unsigned char)(1u << which);
            length += pf_con_advance(part, covered, extra, position, to + length);
        }
        extra += pf_con_extent(part, extra);
    }
    assert(*to && length <= con->room); /* narrow() allows only what a part allows */
    return length;
}

static size_t extent(const pf_con *con, const unsigned char *extra) {
    const pfi_pair *pair = con->data;
    size_t length = 1;
    for (unsigned i = 0; i < 2; i++)
        if (*extra >> i & 1) length += pf_con_extent(pair->part[i], extra + length);
    return length;
}

static bool accepts(const pf_con *con, const unsigned char *extra) {
    const pfi_pair *pair = con->data;
    unsigned admitting = *extra++;
    for (unsigned which = 0; which < 2; which++) {
        if (!(admitting >> which & 1)) continue;
        if (pf_con_accepts(pair->part[which], extra)) return true;
        extra += pf_con_extent(pair->part[which], extra);
    }
    return false;
}

/* From the least of both parts to the most of both. */
static void range(const pf_con *con, unsigned t, unsigned *least, unsigned *most) {
    const pfi_pair *pair = con->data;
    unsigned first[2], last[2];
    for (unsigned i = 0; i < 2; i++) pf_con_range(pair->part[i], t, &first[i], &last[i]);
    pfi_con_meet(first[0] < first[1] ? first[0] : first[1], last[0] > last[1] ? last[0] : last[1], least, most);
}

static bool member(const pf_con *con, const unsigned *perm) {
    const pfi_pair *pair = con->data;
    return pair->part[0]->cls->member(pair->part[0], perm) || pair->part[1]->cls->member(pair->part[1], perm);
}

const pf_con_class pfi_con_one_of = {
    .name = "or",
    .params = "",
    .help = "one of two",
    .sorts = true,
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

pf_err pfi_con_union(pf_con *first, pf_con *second, pf_con **out) {
    PF_TRY(pfi_pair_make(&pfi_con_one_of, first, second, out));
    (*out)->live = first->live && second->live;
    (*out)->first_gap = first->first_gap && second->first_gap;
    (*out)->may_be_empty = first->may_be_empty && second->may_be_empty;
    return PF_OK;
}
