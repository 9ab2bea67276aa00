/* The items of a span as lists, in order of cost, or, for a beam, of what orders with them are guessed to cost: all of them, and
 * those of either orientation.
 *
 * Most items have one orientation, or are an atom. So the list of an orientation is nearly a part of the list of all items: only
 * those that have a better order of the other orientation stand at other places. Where left sides are guessed, lists are by the
 * place before an item first. O(n log n). */
#include "chart/pass_impl.h"

#include "base/contract.h"

static inline bool key_before(const pfi_list_key *one, const pfi_list_key *other, bool by_left) {
    if (by_left && one->left != other->left) return one->left < other->left;
    return one->key < other->key || (one->key == other->key && one->item < other->item);
}

enum { RUN = 8 }; /* keys that are sorted by insertion, and then merged */

static void insert_keys(pfi_list_key *keys, size_t n, bool by_left) {
    for (size_t i = 1; i < n; i++) {
        const pfi_list_key key = keys[i];
        size_t at = i;
        for (; at && key_before(&key, &keys[at - 1], by_left); at--) keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

static void merge_keys(const pfi_list_key *one, size_t n_one, const pfi_list_key *other, size_t n_other, pfi_list_key *to,
                       bool by_left) {
    const pfi_list_key *one_end = one + n_one, *other_end = other + n_other;
    while (one < one_end && other < other_end) {
        const bool next = key_before(other, one, by_left);
        *to++ = *(next ? other : one);
        other += next;
        one += !next;
    }
    while (one < one_end) *to++ = *one++;
    while (other < other_end) *to++ = *other++;
}

/* Sorts n keys; `scratch` has room for as many. */
static void sort_keys(pfi_list_key *keys, pfi_list_key *scratch, size_t n, bool by_left) {
    pfi_list_key *from = keys, *to = scratch;
    for (size_t at = 0; at < n; at += RUN) insert_keys(keys + at, n - at < RUN ? n - at : RUN, by_left);
    for (size_t run = RUN; run < n; run *= 2) {
        for (size_t at = 0; at < n; at += 2 * run) {
            const size_t one = n - at < run ? n - at : run, other = n - at - one < run ? n - at - one : run;
            merge_keys(from + at, one, from + at + one, other, to + at, by_left);
        }
        pfi_list_key *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != keys) memcpy(keys, from, n * sizeof *keys);
}

static double inner_of(const pfi_chart_filler *pass, const pfi_item *item, unsigned which) {
    return pfi_item_cost(item, which) + pfi_pieces_ahead(pass->pieces, item->sides.left);
}

/* Do lists tell what is outside of an item? */
static bool by_rank(const pfi_chart_filler *pass) { return pass->how->beam && pass->outside->wide; }

static double key_of(const pfi_chart_filler *pass, const pfi_item *item, unsigned which) {
    if (by_rank(pass)) return pfi_item_cost(item, which) + item->rest + item->more;
    return inner_of(pass, item, which) + pfi_pieces_lead(pass->pieces, item->sides.left);
}

enum { BEYOND = 3 }; /* that a list has numbers for, as they are taken four at a time */

pf_err pfi_pass_list_room(pfi_chart_filler *pass, size_t n) {
    PF_TRY(PF_ROOM(&pass->listed, n));
    PF_TRY(PF_ROOM(&pass->total, n + BEYOND));
    PF_TRY(PF_ROOM(&pass->least, n + BEYOND));
    PF_TRY(PF_ROOM(&pass->more, n + BEYOND));
    PF_TRY(PF_ROOM(&pass->inner, n + BEYOND));
    PF_TRY(PF_ROOM(&pass->row, n + BEYOND));
    return PF_ROOM(&pass->last, n + BEYOND);
}

/* Appends the items whose keys they are. */
static pf_err list_keys(pfi_chart_filler *pass, const pfi_list_key *keys, size_t n, unsigned which, pfi_span_lists *lists) {
    double least = (double)INFINITY;
    const size_t first = lists->at[which] = pass->listed.n;
    lists->n[which] = n;
    lists->low[which] = 0;
    PF_TRY(pfi_pass_list_room(pass, n));
    pass->total.n = pass->least.n = pass->more.n = pass->inner.n = pass->row.n = pass->last.n = pass->listed.n += n;
    for (size_t i = n; i-- > 0;) {
        const pfi_item *item = &pass->forest->items.at[keys[i].item];
        const double cost = pfi_item_cost(item, which), total = by_rank(pass) ? cost + item->rest : keys[i].key;
        least = total < least ? total : least;
        if (least < pass->low && !lists->low[which]) lists->low[which] = (uint32_t)i + 1;
        pass->listed.at[first + i] = (pfi_listed_item){cost, item->sides, keys[i].item, item->run};
        pass->total.at[first + i] = total;
        pass->more.at[first + i] = item->more;
        pass->least.at[first + i] = least;
        pass->inner.at[first + i] = inner_of(pass, item, which);
        pass->row.at[first + i] = item->row;
        pass->last.at[first + i] = item->last;
    }
    for (size_t i = first + n; i < first + n + BEYOND; i++) pass->row.at[i] = pass->last.at[i] = 0; /* any kind */
    return PF_OK;
}

static pf_err list_all(pfi_chart_filler *pass, pfi_span_lists *lists) {
    const size_t first = pass->first_item, all = pass->forest->items.n;
    pass->keys.n = 0;
    for (size_t i = first; i < all; i++) {
        const pfi_item *item = &pass->forest->items.at[i];
        pass->keys.at[pass->keys.n++] = (pfi_list_key){key_of(pass, item, PFI_ANY), (uint32_t)i, item->sides.left};
    }
    sort_keys(pass->keys.at, pass->merged.at, pass->keys.n, pass->pieces->guesses);
    return list_keys(pass, pass->keys.at, pass->keys.n, PFI_ANY, lists);
}

/* pass->keys has all items, in order. */
static pf_err list_orientation(pfi_chart_filler *pass, unsigned which, pfi_span_lists *lists) {
    const bool by_left = pass->pieces->guesses;
    const size_t all = pass->keys.n;
    pfi_list_key *alike = pass->keys.at + all, *moved = alike + all, *merged = pass->merged.at;
    size_t n_alike = 0, n_moved = 0;
    for (size_t i = 0; i < all; i++) {
        const pfi_list_key *key = &pass->keys.at[i];
        const pfi_item *item = &pass->forest->items.at[key->item];
        if (item->cost[which] == (double)INFINITY) continue;
        if (item->cost[which] == pfi_item_cost(item, PFI_ANY)) alike[n_alike++] = *key;
        else moved[n_moved++] = (pfi_list_key){key_of(pass, item, which), key->item, key->left};
    }
    sort_keys(moved, merged, n_moved, by_left);
    merge_keys(alike, n_alike, moved, n_moved, merged, by_left);
    return list_keys(pass, merged, n_alike + n_moved, which, lists);
}

static pf_err list_atoms(pfi_chart_filler *pass, pfi_span_lists *lists) {
    const size_t all = pass->keys.n;
    pfi_list_key *atoms = pass->keys.at + all;
    size_t n = 0;
    for (size_t i = 0; i < all; i++)
        if (pass->forest->items.at[pass->keys.at[i].item].atom) atoms[n++] = pass->keys.at[i];
    return list_keys(pass, atoms, n, PFI_ATOM, lists);
}

pf_err pfi_pass_list(pfi_chart_filler *pass) {
    const size_t n = pass->forest->items.n - pass->first_item;
    pfi_span_lists *lists = &pass->lists[pass->begin * (pass->shape->n + (size_t)1) + pass->end];
    assert(pass->begin < pass->end && pass->end <= pass->shape->n && pass->first_item <= pass->forest->items.n);
    pass->keys.n = 0;
    PF_TRY(PF_ROOM(&pass->keys, 3 * n));
    PF_TRY(PF_ROOM(&pass->merged, n));
    PF_TRY(list_all(pass, lists));
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) PF_TRY(list_orientation(pass, which, lists));
    return pass->crossing ? list_atoms(pass, lists) : PF_OK;
}
