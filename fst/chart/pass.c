/* Spans are filled one after another: their nodes join items of shorter spans (nodes.c). */
#include "chart/pass_impl.h"

#include <permfst/base/hash.h>

#include <stdlib.h>

static double smaller(double one, double other) { return one < other ? one : other; }

/* ---- limits ---- */

/* What the pass takes, with all that it is made of. */
static uint64_t bytes(const pfi_chart_filler *pass) {
    const size_t n = pass->shape->n + (size_t)1, kinds = pass->pieces->kinds.n, arcs = pass->outside->arcs;
    const size_t rests = pass->outside->wide ? (kinds + 1) * kinds + (3 * arcs + 1) * arcs : 0;
    return pfi_pieces_bytes(pass->pieces) + pfi_outside_bytes(pass->outside) + pfi_forest_bytes(pass->forest) +
        n * n * sizeof *pass->lists + (pass->mask + 1) * sizeof *pass->slots + pass->listed.cap * sizeof *pass->listed.at +
        4 * pass->total.cap * sizeof *pass->total.at + 2 * pass->row.cap * sizeof *pass->row.at + rests * sizeof *pass->rest +
        pass->grids.cap * sizeof *pass->grids.at + pass->pairs.cap * sizeof *pass->pairs.at +
            pass->ranks.cap * sizeof *pass->ranks.at +
        (pass->keys.cap + pass->merged.cap) * sizeof *pass->keys.at;
}

/* There are more pairs than items where spans have many of both, and the items of a pass alone would not bound its time. */
static pf_err check_pairs(const pfi_chart_filler *pass) {
    const uint64_t states = pass->options->max_states, most = pass->how->most_pairs;
    if (pass->how->given_up) *pass->how->given_up = most && pass->steps > most;
    if (most && pass->steps > most) return pf_fail(PF_ELIMIT, "a pass has looked at %llu pairs", (unsigned long long)most);
    if (!states || pass->steps / PFI_PASS_PAIRS / pass->shape->n <= states) return PF_OK;
    return pf_fail(PF_ELIMIT, "the limit of %llu states is reached, in pairs of them", (unsigned long long)states);
}

pf_err pfi_pass_limits(pfi_chart_filler *pass) {
    const pf_best_options *options = pass->options;
    const uint64_t states = pass->forest->items.n;
    pass->due = pass->steps + PFI_STEPS;
    if (!pass->how->unlimited) {
        PF_TRY(pfi_check_states(options, states));
        PF_TRY(check_pairs(pass));
        PF_TRY(pfi_check_bytes(options, bytes(pass)));
    }
    if (!pass->how->patient) return pfi_check_time(options, states);
    pfi_tell_progress(options, states);
    return PF_OK;
}

/* ---- rest costs ---- */

/* Of pieces of the span that begin with one alternative and end with another: the least that everything else costs, and the first
 * word, over all words that may stand before it. It is a product of matrices, as those of the coarse chart are. */
static void fill_rests(const pfi_chart_filler *pass) {
    const pfi_outside *outside = pass->outside;
    const uint32_t *kind = pass->pieces->kind, *first = outside->first, arcs = outside->arcs;
    const size_t from = first[pass->begin], n = first[pass->end] - from;
    const size_t kinds = pass->pieces->kinds.n, columns = pass->columns;
    pfi_fill_infinity(pass->product, n * columns);
    pfi_min_product_take(&(pfi_min_product){
        pass->after + from, pfi_outside_of(outside, pass->begin, pass->end), pass->product, 1, arcs, columns, columns,
        {n, n, 0}, {arcs + (size_t)1 - n, from, n}, n, 0});
    for (size_t a = 0; a < n; a++)
        for (size_t e = 0; e < n; e++) pass->rest[kind[from + a] * kinds + kind[from + e]] = pass->product[a * columns + e];
}

/* The same after a guessed place, whose last word is of the kind. */
static float rest_after(const pfi_chart_filler *pass, uint32_t before, uint32_t column) {
    const pfi_pieces *pieces = pass->pieces;
    const uint32_t *arc = pass->outside->first;
    const float *outside = pfi_outside_of(pass->outside, pass->begin, pass->end);
    float least = INFINITY;
    if (before == pieces->kinds.n) return outside[(size_t)pass->outside->arcs * pass->columns + column];
    for (uint32_t c = 0; c < pass->outside->arcs; c++) {
        if (c == arc[pass->begin]) c = arc[pass->end];
        if (c == pass->outside->arcs) break;
        if (pieces->kind[c] == before && outside[(size_t)c * pass->columns + column] < least)
            least = outside[(size_t)c * pass->columns + column];
    }
    return least;
}

float pfi_pass_ask_rest(pfi_chart_filler *pass, uint32_t row, uint32_t last) {
    assert(pass->pieces->guesses);
    return pass->rest[row * pass->pieces->kinds.n + last] = rest_after(pass, row, pass->local[last]);
}

/* Of each last word of the span and each kind before it: the least that everything else costs. */
static void fill_beyond(const pfi_chart_filler *pass) {
    const pfi_outside *outside = pass->outside;
    const uint32_t *first = outside->first, n = first[pass->end] - first[pass->begin];
    const size_t befores = pfi_pieces_befores(pass->pieces);
    pfi_fill_infinity(pass->beyond, n * befores);
    for (uint32_t c = 0; c <= outside->arcs; c++) {
        if (c == first[pass->begin]) c = first[pass->end]; /* those of the span itself */
        const float *costs = pfi_outside_of(outside, pass->begin, pass->end) + (size_t)c * pass->columns;
        float *to = pass->beyond + (c < outside->arcs ? pass->pieces->kind[c] : pass->pieces->kinds.n);
        for (uint32_t last = 0; last < n; last++, to += befores) *to = costs[last] < *to ? costs[last] : *to;
    }
}

/* What an order is guessed to cost beyond a piece whose bound is known. The least cost of a word in any history knows nothing of
 * the words before the one before it; after a unit that says nothing, that is all. So pieces that begin with such units have bounds
 * that are far too low, and would fill a beam. Here the pending words are scored after each word that may stand before them. */
static pf_err guess_rest(const pfi_chart_filler *pass, const pfi_item *item, double *guess) {
    const size_t befores = pfi_pieces_befores(pass->pieces);
    return pfi_pieces_guess(pass->pieces, item->sides.left, pass->beyond + pass->local[item->last] * befores, guess);
}

/* ---- items ---- */

static size_t hash_of(const pfi_piece_sides *sides, pfi_item_form form) {
    return (size_t)pf_hash_word((uint64_t)sides->left << 32 | sides->place, PF_STATETAB_SEED) + form.run + 2 * (size_t)form.atom;
}

static pf_err grow_slots(pfi_chart_filler *pass) {
    size_t room = pass->mask ? 2 * (pass->mask + 1) : 1024;
    pfi_item_slot *slots = calloc(room, sizeof *slots);
    if (!slots) return pf_nomem();
    free(pass->slots);
    pass->slots = slots;
    pass->mask = room - 1;
    for (size_t i = pass->first_item; i < pass->forest->items.n; i++) {
        const pfi_item *item = &pass->forest->items.at[i];
        size_t at = hash_of(&item->sides, (pfi_item_form){item->run, item->atom}) & pass->mask;
        while (slots[at].span == pass->number) at = (at + 1) & pass->mask;
        slots[at] = (pfi_item_slot){pass->number, (uint32_t)i};
    }
    return PF_OK;
}

/* A new item without an edge, which is not among the items yet. */
static pfi_item make_item(pfi_chart_filler *pass, const pfi_piece_sides *sides, pfi_item_form form) {
    const pfi_pieces *pieces = pass->pieces;
    const uint32_t row = pieces->guesses ? pfi_pieces_place(pieces, sides->left).last : pieces->left.at[sides->left].first;
    const uint32_t last = pfi_pieces_place(pieces, sides->place).last;
    double rest = pfi_pieces_ahead(pieces, sides->left) + pfi_pass_rest(pass, row, last);
    if (!pass->outside->wide) rest += pfi_pieces_lead(pieces, sides->left);
    return (pfi_item){.sides = *sides, .row = row, .last = last, .begin = (uint16_t)pass->begin, .end = (uint16_t)pass->end,
                      .run = form.run, .atom = form.atom, .rest = rest,
                      .cost = {(double)INFINITY, (double)INFINITY}, .edge = {PFI_NONE, PFI_NONE}};
}

/* Where a beam prunes, items are in the order of what orders are guessed to cost. */
static bool ranks(const pfi_chart_filler *pass) { return pass->how->beam && pass->outside->wide && !pass->pieces->guesses; }

static pf_err make_rank(const pfi_chart_filler *pass, pfi_item *item) {
    double guess;
    if (!ranks(pass)) return PF_OK;
    PF_TRY(guess_rest(pass, item, &guess));
    item->more = guess < (double)INFINITY && guess > item->rest ? guess - item->rest : 0;
    return PF_OK;
}

/* The slot of the item, or the one where it belongs. */
static pf_err find_slot(pfi_chart_filler *pass, const pfi_piece_sides *sides, pfi_item_form form, pfi_item_slot **slot) {
    if (2 * (pass->forest->items.n - pass->first_item) >= pass->mask) PF_TRY(grow_slots(pass));
    for (size_t at = hash_of(sides, form) & pass->mask;; at = (at + 1) & pass->mask) {
        *slot = &pass->slots[at];
        if ((*slot)->span != pass->number) return PF_OK;
        const pfi_item *there = &pass->forest->items.at[(*slot)->item];
        const bool alike = there->sides.left == sides->left && there->sides.place == sides->place;
        if (alike && there->run == form.run && there->atom == form.atom) return PF_OK;
    }
}

static pf_err add_item(pfi_chart_filler *pass, const pfi_item *item, pfi_item_slot *slot) {
    if (pass->forest->items.n == PFI_NONE / 4) return pf_fail(PF_ELIMIT, "the search has met more than %u states", PFI_NONE / 4);
    PF_TRY(PF_PUSH(&pass->forest->items, *item));
    *slot = (pfi_item_slot){pass->number, (uint32_t)pass->forest->items.n - 1};
    return PF_OK;
}

pf_err pfi_pass_offer(pfi_chart_filler *pass, const pfi_piece_sides *sides, pfi_item_form form, unsigned orientation,
                      const pfi_tree_edge *edge, double cost) {
    pfi_item_slot *slot = NULL;
    pass->joined++;
    if (cost == (double)INFINITY) return PF_OK;
    PF_TRY(find_slot(pass, sides, form, &slot));
    const bool known = slot->span == pass->number;
    pfi_item fresh;
    if (!known) fresh = make_item(pass, sides, form);
    if (cost + (known ? pass->forest->items.at[slot->item].rest : fresh.rest) > pass->limit) return PF_OK;
    if (!known) PF_TRY(make_rank(pass, &fresh));
    if (!known) PF_TRY(add_item(pass, &fresh, slot));
    return pfi_forest_offer(pass->forest, slot->item, orientation, edge, cost);
}

/* ---- leaves ---- */

/* `pairs`: what those of its words cost. */
static pf_err put_leaf(pfi_chart_filler *pass, uint32_t before, const pfi_leaf *leaf, double pairs) {
    const pfi_item_form form = {pfi_makes_run(pass->shape, NULL, NULL), true};
    pfi_piece_sides sides;
    double cost;
    PF_TRY(pfi_pass_step(pass));
    PF_TRY(pfi_pieces_leaf(pass->pieces, before, leaf, &sides, &cost));
    cost += pairs;
    const pfi_tree_edge edge = {PFI_NONE, PFI_NONE, (uint32_t)(leaf - pass->pieces->leaves->leaf.at), PFI_NONE, cost};
    return pfi_pass_offer(pass, &sides, form, PFI_STRAIGHT, &edge, cost);
}

/* A leaf of two runs with the block between them, which comes after it (`second`) or before it (`first`). The sides are those of
 * both. */
static pf_err offer_around(pfi_chart_filler *pass, const pfi_leaf *leaf, uint32_t first, uint32_t second,
    const pfi_piece_sides *sides,
                           double cost) {
    const pfi_item *inner = &pass->forest->items.at[first != PFI_NONE ? first : second];
    const unsigned which = pfi_shape_inner(pass->shape, inner->begin, inner->end);
    const pfi_tree_edge edge = {first, second, (uint32_t)(leaf - pass->pieces->leaves->leaf.at), PFI_NONE, cost};
    return pfi_pass_offer(pass, sides, (pfi_item_form){false, true}, PFI_STRAIGHT, &edge, pfi_item_cost(inner, which) + cost);
}

/* The leaf, then each block that begins where the leaf has led. `pairs`: what those of the leaf's words cost, with one another and
 * with those of the block; INFINITY: a constraint forbids that order. */
static pf_err put_before(pfi_chart_filler *pass, const pfi_leaf *leaf, const pfi_listed_item *inner, size_t n, double pairs) {
    pfi_piece_sides sides;
    double cost;
    if (pairs == (double)INFINITY) return PF_OK;
    for (uint32_t i = (uint32_t)n; i-- > 0;) pass->meets[inner[i].sides.left] = i;
    for (uint32_t before = 0; before < pass->pieces->reached; before++) {
        PF_TRY(pfi_pass_step(pass));
        PF_TRY(pfi_pieces_leaf(pass->pieces, before, leaf, &sides, &cost));
        const uint32_t place = sides.place;
        if (cost == (double)INFINITY || place >= pass->places || pass->meets[place] == PFI_NONE) continue;
        for (uint32_t k = pass->meets[place]; k < n && inner[k].sides.left == place; k++) {
            sides.place = inner[k].sides.place;
            PF_TRY(offer_around(pass, leaf, PFI_NONE, inner[k].item, &sides, cost + pairs));
        }
    }
    for (size_t i = 0; i < n; i++) pass->meets[inner[i].sides.left] = PFI_NONE;
    return PF_OK;
}

static pf_err put_after(pfi_chart_filler *pass, const pfi_leaf *leaf, const pfi_listed_item *inner, size_t n, double pairs) {
    for (size_t i = 0; i < n && pairs < (double)INFINITY; i++) {
        pfi_piece_sides sides;
        double cost;
        PF_TRY(pfi_pass_step(pass));
        PF_TRY(pfi_pieces_leaf(pass->pieces, inner[i].sides.place, leaf, &sides, &cost));
        sides.left = inner[i].sides.left;
        PF_TRY(offer_around(pass, leaf, inner[i].item, PFI_NONE, &sides, cost + pairs));
    }
    return PF_OK;
}

/* Both, where left sides are not guessed: the leaf is a piece that is joined to the block. */
static pf_err put_joined(pfi_chart_filler *pass, const pfi_leaf *leaf, const pfi_listed_item *inner, size_t n,
    const double pairs[2]) {
    pfi_piece_sides own, sides;
    double cost, more;
    PF_TRY(pfi_pieces_leaf(pass->pieces, PFI_START_PLACE, leaf, &own, &cost));
    if (cost == (double)INFINITY) return PF_OK;
    for (size_t i = 0; i < n; i++) {
        const pfi_piece_sides block = inner[i].sides;
        PF_TRY(pfi_pass_step(pass));
        PF_TRY(pfi_pieces_join(pass->pieces, &own, &block, &sides, &more));
        PF_TRY(offer_around(pass, leaf, PFI_NONE, inner[i].item, &sides, cost + more + pairs[PFI_STRAIGHT]));
        PF_TRY(pfi_pieces_join(pass->pieces, &block, &own, &sides, &more));
        PF_TRY(offer_around(pass, leaf, inner[i].item, PFI_NONE, &sides, cost + more + pairs[PFI_INVERTED]));
    }
    return PF_OK;
}

static pf_err put_around(pfi_chart_filler *pass, const pfi_leaf *leaf) {
    const pfi_span_lists *lists = pfi_pass_lists(pass, leaf->gap_begin, leaf->gap_end);
    const unsigned which = pfi_shape_inner(pass->shape, leaf->gap_begin, leaf->gap_end);
    const pfi_listed_item *inner = pass->listed.at + lists->at[which];
    const size_t n = lists->n[which];
    double pairs[2];
    if (!n) return PF_OK;
    pfi_shape_around(pass->shape, &(pfi_two_runs){leaf->begin, leaf->gap_begin, leaf->gap_end, leaf->end}, pairs);
    if (!pass->pieces->guesses) return put_joined(pass, leaf, inner, n, pairs);
    PF_TRY(put_before(pass, leaf, inner, n, pairs[PFI_STRAIGHT]));
    return put_after(pass, leaf, inner, n, pairs[PFI_INVERTED]);
}

static pf_err put_leaves(pfi_chart_filler *pass) {
    const uint32_t befores = pass->pieces->guesses ? pass->pieces->reached : 1;
    size_t n;
    const pfi_leaf *leaf = pfi_leaves_of(pass->pieces->leaves, pass->begin, pass->end, &n);
    for (; n > 0; n--, leaf++)
        if (pfi_leaf_has_gap(leaf)) PF_TRY(put_around(pass, leaf));
        else {
            const double pairs = pfi_shape_run(pass->shape, leaf->begin, leaf->end);
            for (uint32_t before = 0; before < befores; before++) PF_TRY(put_leaf(pass, before, leaf, pairs));
        }
    if (pass->crossing) return PF_OK;
    for (size_t i = pass->first_item; i < pass->forest->items.n; i++) { /* an atom may be a son of either kind */
        pfi_item *item = &pass->forest->items.at[i];
        item->cost[PFI_INVERTED] = item->cost[PFI_STRAIGHT];
        item->edge[PFI_INVERTED] = item->edge[PFI_STRAIGHT];
    }
    return PF_OK;
}

/* ---- pruning ---- */

static int by_value(const void *first, const void *second) {
    double one = *(const double *)first, other = *(const double *)second;
    return (one > other) - (one < other);
}

static double total_of(const pfi_item *item) { return pfi_item_cost(item, PFI_ANY) + item->rest; }
static double rank_of(const pfi_item *item) { return total_of(item) + item->more; }

/* The most that an item may cost, its rest cost included. */
static double most_kept(const pfi_chart_filler *pass) {
    double best = (double)INFINITY;
    for (size_t i = pass->first_item; i < pass->forest->items.n; i++) best = smaller(best, total_of(&pass->forest->items.at[i]));
    return best + pass->how->threshold;
}

/* The last rank that the beam keeps. */
static pf_err last_rank(pfi_chart_filler *pass, double *last) {
    const size_t n = pass->forest->items.n - pass->first_item;
    *last = (double)INFINITY;
    if (!pass->how->beam || n <= pass->how->beam) return PF_OK;
    pass->ranks.n = 0;
    PF_TRY(PF_ROOM(&pass->ranks, n));
    for (size_t i = 0; i < n; i++) pass->ranks.at[pass->ranks.n++] = rank_of(&pass->forest->items.at[pass->first_item + i]);
    qsort(pass->ranks.at, n, sizeof *pass->ranks.at, by_value);
    *last = pass->ranks.at[pass->how->beam - 1];
    return PF_OK;
}

/* Takes out the items that are dropped, and those that no edge has made. */
static pf_err prune(pfi_chart_filler *pass) {
    const double most = most_kept(pass);
    double last;
    size_t kept = pass->first_item, all = pass->forest->items.n;
    PF_TRY(last_rank(pass, &last));
    for (size_t i = pass->first_item; i < all; i++) {
        const pfi_item *item = &pass->forest->items.at[i];
        double total = total_of(item);
        if (total == (double)INFINITY) continue;
        if (total > most || rank_of(item) > last) pfi_pass_drop(pass, total);
        else pass->forest->items.at[kept++] = *item;
    }
    pass->forest->items.n = kept;
    for (size_t i = pass->first_item; i < kept; i++) pfi_forest_settle(pass->forest, (uint32_t)i);
    return PF_OK;
}

/* ---- spans ---- */

static void forget_rests(const pfi_chart_filler *pass) {
    const uint32_t *kind = pass->pieces->kind, *first = pass->outside->first;
    const size_t kinds = pass->pieces->kinds.n;
    for (size_t row = 0; row <= kinds; row++)
        for (uint32_t arc = first[pass->begin]; arc < first[pass->end]; arc++) pass->rest[row * kinds + kind[arc]] = NAN;
}

static void begin_span(pfi_chart_filler *pass, unsigned i, unsigned k) {
    pass->begin = i;
    pass->end = k;
    pass->number++;
    pass->first_item = pass->forest->items.n;
    pass->crossing = pfi_shape_crosses(pass->shape, i, k);
    pass->outer = pass->outside->outer[i * (pass->shape->n + (size_t)1) + k];
    if (!pass->outside->wide) return;
    pass->columns = pfi_outside_columns(pass->outside, i, k);
    const uint32_t *first = pass->outside->first;
    for (uint32_t arc = first[i]; arc < first[k]; arc++) pass->local[pass->pieces->kind[arc]] = arc - first[i];
    if (pass->pieces->guesses) forget_rests(pass);
    else fill_rests(pass);
    if (ranks(pass)) fill_beyond(pass);
}

static pf_err fill_span(pfi_chart_filler *pass, unsigned i, unsigned k) {
    const double least = pass->outside->through[i * (pass->shape->n + (size_t)1) + k];
    if (!pfi_shape_has(pass->shape, i, k) || least == (double)INFINITY || least > pass->limit)
        return PF_OK; /* no order within the limit has it */
    begin_span(pass, i, k);
    PF_TRY(put_leaves(pass));
    PF_TRY(pfi_pass_nodes(pass));
    PF_TRY(prune(pass));
    PF_TRY(pfi_pass_limits(pass));
    return pfi_pass_list(pass);
}

static double whole_cost(const pfi_forest *forest, const pfi_whole_order *whole) {
    return pfi_item_cost(&forest->items.at[whole->item], PFI_ANY) + whole->cost;
}

/* A rest cost that is too high loses orders without a word. Does no item in the tree of an order, of which `item` is the root, say
 * that it costs more than `most`? */
static bool rests_hold(const pfi_forest *forest, uint32_t item, unsigned which, double most) {
    const pfi_item *of = &forest->items.at[item];
    if (pfi_item_cost(of, which) + of->rest > most) return false;
    const pfi_tree_edge *edge = &forest->edges.at[of->edge[which < PFI_ANY ? which : of->best]];
    unsigned sons[2];
    pfi_edge_sons(forest, edge, sons);
    return (edge->first == PFI_NONE || rests_hold(forest, edge->first, sons[0], most)) &&
        (edge->second == PFI_NONE || rests_hold(forest, edge->second, sons[1], most));
}

static bool whole_rests_hold(const pfi_chart_filler *pass, const pfi_whole_order *whole) {
    const double cost = whole_cost(pass->forest, whole);
    return rests_hold(pass->forest, whole->item, PFI_ANY, cost + pass->outside->slack + pass->pieces->slack);
}

/* The items of the whole sentence, with its begin and its end. */
static pf_err end_orders(pfi_chart_filler *pass) {
    pfi_forest *forest = pass->forest;
    double least = (double)INFINITY;
    for (size_t i = pass->first_item; i < forest->items.n; i++) {
        pfi_whole_order whole = {(uint32_t)i, 0};
        PF_TRY(pfi_pieces_whole(pass->pieces, &forest->items.at[i].sides, &whole.cost));
        const double cost = whole_cost(forest, &whole);
        if (cost > pass->limit || whole.cost == (double)INFINITY) continue;
        PFI_CHECK(whole_rests_hold(pass, &whole));
        least = smaller(least, cost);
        PF_TRY(PF_PUSH(&forest->whole, whole));
    }
    for (size_t i = 0; i < forest->whole.n; i++)
        if (whole_cost(forest, &forest->whole.at[i]) == least) pfi_forest_resolve(forest, forest->whole.at[i].item, PFI_ANY);
    return PF_OK;
}

/* What rest costs are kept in, and made of. */
static pf_err set_up_rests(pfi_chart_filler *pass) {
    const pfi_pieces *pieces = pass->pieces;
    const size_t kinds = pieces->kinds.n, arcs = pass->outside->arcs;
    pass->rest = calloc((kinds + 1) * kinds + 1, sizeof *pass->rest);
    pass->after = malloc(((arcs + 1) * arcs + 1) * sizeof *pass->after);
    pass->product = malloc((arcs * pfi_outside_columns(pass->outside, 0, pass->shape->n) + 1) * sizeof *pass->product);
    pass->beyond = malloc((arcs * pfi_pieces_befores(pieces) + 1) * sizeof *pass->beyond);
    if (!pass->rest || !pass->after || !pass->product || !pass->beyond) return pf_nomem();
    for (size_t before = 0; before <= arcs; before++) {
        const float *after = pieces->after + (before < arcs ? pieces->kind[before] : kinds) * kinds;
        for (size_t a = 0; a < arcs; a++) pass->after[before * arcs + a] = after[pieces->kind[a]];
    }
    return PF_OK;
}

enum { FORESEEN = 1 << 16, FORESEEN_PART = 8 }; /* the most items; their part of the limit of memory */

/* Makes room for so many items as a beam makes as a rule: arrays that grow little by little are copied again and again. */
static pf_err foresee(pfi_chart_filler *pass) {
    const size_t n = pass->shape->n, spans = n * (n + 1) / 2, beam = pass->how->beam;
    const uint64_t bytes = pass->options->max_bytes;
    size_t items = beam < FORESEEN ? spans * beam / 2 : FORESEEN;
    if (items > FORESEEN) items = FORESEEN;
    if (bytes && bytes / PFI_ITEM_BYTES / FORESEEN_PART < items) items = (size_t)(bytes / PFI_ITEM_BYTES / FORESEEN_PART);
    pfi_forest *forest = pass->forest; /* nothing that an earlier pass has left there is worth a copy */
    if (forest->items.cap < items) PF_VEC_FREE(&forest->items);
    if (forest->edges.cap < 2 * items) PF_VEC_FREE(&forest->edges);
    PF_TRY(PF_ROOM(&forest->items, items));
    PF_TRY(PF_ROOM(&forest->edges, 2 * items));
    return pfi_pass_list_room(pass, 2 * items);
}

static pf_err set_up(pfi_chart_filler *pass) {
    size_t n = pass->shape->n, kinds = pass->pieces->kinds.n;
    pass->lists = calloc((n + 1) * (n + 1), sizeof *pass->lists);
    pass->local = calloc(kinds + 1, sizeof *pass->local);
    pass->places = pass->pieces->places.n;
    pass->meets = malloc((pass->places + 1) * sizeof *pass->meets);
    if (!pass->lists || !pass->local || !pass->meets) return pf_nomem();
    if (pass->outside->wide) PF_TRY(set_up_rests(pass));
    for (size_t i = 0; i < pass->places; i++) pass->meets[i] = PFI_NONE;
    if (pass->how->beam) PF_TRY(foresee(pass));
    return grow_slots(pass);
}

enum { LOW = 4 }; /* bounds are low within this part of the way from what any order costs to what is looked for */

static double low_bound(const pfi_chart_filler *pass) {
    if (!pass->outside->wide || pass->limit == (double)INFINITY) return -(double)INFINITY;
    return pass->outside->best + (pass->limit - pass->outside->best) / LOW;
}

static pf_err run(pfi_chart_filler *pass) {
    const unsigned n = pass->shape->n;
    pass->low = low_bound(pass);
    PF_TRY(set_up(pass));
    for (unsigned k = 1; k <= n; k++) /* one span after another looks at the same lists of those that end at k */
        for (unsigned i = k; i-- > 0;) PF_TRY(fill_span(pass, i, k));
    return end_orders(pass);
}

pf_err pfi_chart_fill(pfi_forest *forest, pfi_pieces *pieces, const pfi_outside *outside, const pf_best_options *options,
                      const pfi_chart_pass *how, double *dropped, uint64_t *edges) {
    pfi_chart_filler pass = {.forest = forest, .pieces = pieces, .shape = pieces->shape, .outside = outside, .options = options,
                             .how = how, .limit = how->limit + outside->slack + pieces->slack, .dropped = dropped};
    assert(!forest->items.n && pieces->shape->n);
    *dropped = (double)INFINITY;
    pf_err err = run(&pass);
    *edges += pass.joined;
    free(pass.lists);
    free(pass.slots);
    free(pass.local);
    free(pass.rest);
    free(pass.after);
    free(pass.product);
    free(pass.beyond);
    free(pass.meets);
    PF_VEC_FREE(&pass.listed);
    PF_VEC_FREE(&pass.total);
    PF_VEC_FREE(&pass.least);
    PF_VEC_FREE(&pass.more);
    PF_VEC_FREE(&pass.inner);
    PF_VEC_FREE(&pass.row);
    PF_VEC_FREE(&pass.last);
    PF_VEC_FREE(&pass.grids);
    PF_VEC_FREE(&pass.pairs);
    PF_VEC_FREE(&pass.near);
    PF_VEC_FREE(&pass.ranks);
    PF_VEC_FREE(&pass.keys);
    PF_VEC_FREE(&pass.merged);
    return err;
}
