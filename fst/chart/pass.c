/* Spans are filled one after another: their nodes join items of shorter spans.
 *
 * Without a beam, all pairs of items are joined that a bound does not rule out: the two costs, the least cost of the join, and the
 * outside cost of the span. Lists are in order of cost, so that most pairs are never looked at. With a beam, the
 * pairs of each node are a grid, of which the best ones are popped until there are enough items (cube pruning; Huang & Chiang 2007).
 * With guessed left sides (pieces.h) only those items meet that fit. */
#include "chart/pass.h"

#include "base/contract.h"
#include "search/limits.h"

#include <permfst/base/hash.h>

#include <stdlib.h>
#include <string.h>

/* An item in a list, and what the bound of a pair needs. */
typedef struct {
    double inner; /* its cost, with the bound of its pending words but the first */
    double key;   /* with that of the first, too: lists are in this order */
    uint32_t item, row, last, left;
} listed_item;

/* The items of a span that may be a son, by orientation. */
typedef struct {
    size_t at[3], n[3]; /* in `listed` */
} span_lists;

/* Where an item is found by its sides. */
typedef struct {
    uint32_t span; /* the number of the span that this was written for */
    uint32_t item;
} item_slot;

/* One node: a grid of pairs. */
typedef struct {
    const listed_item *first, *second;
    uint32_t n[2];
    unsigned orientation;
    double cost;      /* the least of it */
    double beyond[2]; /* what it costs more: where it makes no run; where it makes one */
} node_grid;

/* A pair of a grid, with its bound. They are in a binary heap; of equal bounds the newest one comes first. */
typedef struct {
    double bound;
    uint32_t grid, x, y, number;
} grid_pair;

/* What a list is sorted by: less is moved than if items were. */
typedef struct {
    double key;
    uint32_t item, left;
} list_key;

typedef struct {
    pfi_forest *forest;
    pfi_pieces *pieces;
    const pfi_shape *shape;
    const pfi_outside *outside;
    const pf_best_options *options;
    const pfi_chart_pass *pass;
    double limit;             /* with the slack of the bounds */
    double *dropped;
    uint64_t joined, steps;
    span_lists *lists;        /* of each span, by i * (n + 1) + k */
    PF_VEC(listed_item) listed;
    item_slot *slots;
    size_t mask;
    /* The span that is being filled. */
    unsigned begin, end;
    uint32_t number;          /* of it, from 1 */
    size_t first_item;
    double outer;             /* the least outside cost of it */
    uint32_t columns;
    uint32_t *local;          /* of each kind: the column of an alternative in the span */
    double *rest;             /* (kinds + 1) x columns; NAN where not asked yet */
    PF_VEC(node_grid) grids;
    PF_VEC(grid_pair) pairs;
    uint32_t pushed;          /* pairs of the span */
    PF_VEC(list_key) keys;
    PF_VEC(double) totals;
    uint32_t *meets;          /* guesses: of each place, where the items begin in a list that have it before them */
    size_t places;
} chart_pass;

static double smaller(double one, double other) { return one < other ? one : other; }

static void drop(chart_pass *p, double total) {
    if (total < *p->dropped) *p->dropped = total;
}

/* ---- rest costs ---- */

/* The least that everything else costs, and the first word: over all words that may stand before it. */
static double rest_of_first(const chart_pass *p, uint32_t first, uint32_t column) {
    const pfi_pieces *pieces = p->pieces;
    const uint32_t *arc = p->outside->first;
    const float *outside = pfi_outside_of(p->outside, p->begin, p->end);
    const size_t kinds = pieces->kinds.n;
    float least = pieces->after[kinds * kinds + first] + outside[(size_t)p->outside->arcs * p->columns + column];
    for (uint32_t c = 0; c < p->outside->arcs; c++) {
        if (c == arc[p->begin]) c = arc[p->end]; /* those of the span itself */
        if (c == p->outside->arcs) break;
        float sum = pieces->after[pieces->kind[c] * kinds + first] + outside[(size_t)c * p->columns + column];
        if (sum < least) least = sum;
    }
    return (double)least;
}

/* The same after a guessed place, whose last word is of the kind. */
static double rest_after(const chart_pass *p, uint32_t before, uint32_t column) {
    const pfi_pieces *pieces = p->pieces;
    const uint32_t *arc = p->outside->first;
    const float *outside = pfi_outside_of(p->outside, p->begin, p->end);
    float least = INFINITY;
    if (before == pieces->kinds.n) return (double)outside[(size_t)p->outside->arcs * p->columns + column];
    for (uint32_t c = 0; c < p->outside->arcs; c++) {
        if (c == arc[p->begin]) c = arc[p->end];
        if (c == p->outside->arcs) break;
        if (pieces->kind[c] == before && outside[(size_t)c * p->columns + column] < least)
            least = outside[(size_t)c * p->columns + column];
    }
    return (double)least;
}

/* What an order costs at least beyond a piece of the span, of which the kinds are known. */
static double rest_cost(chart_pass *p, uint32_t row, uint32_t last) {
    if (!p->outside->wide) return p->outer;
    uint32_t column = p->local[last];
    double *rest = &p->rest[(size_t)row * p->columns + column];
    if (isnan(*rest)) *rest = p->pieces->guesses ? rest_after(p, row, column) : rest_of_first(p, row, column);
    return *rest;
}

/* ---- items ---- */

/* What tells an item apart from others of the same sides. */
typedef struct {
    bool run, atom;
} item_form;

static size_t hash_of(const pfi_piece_sides *sides, item_form form) {
    return (size_t)pf_hash_word((uint64_t)sides->left << 32 | sides->place, PF_STATETAB_SEED) + form.run + 2 * (size_t)form.atom;
}

static pf_err grow_slots(chart_pass *p) {
    size_t room = p->mask ? 2 * (p->mask + 1) : 1024;
    item_slot *slots = calloc(room, sizeof *slots);
    if (!slots) return pf_nomem();
    free(p->slots);
    p->slots = slots;
    p->mask = room - 1;
    for (size_t i = p->first_item; i < p->forest->items.n; i++) {
        const pfi_item *item = &p->forest->items.at[i];
        size_t at = hash_of(&item->sides, (item_form){item->run, item->atom}) & p->mask;
        while (slots[at].span == p->number) at = (at + 1) & p->mask;
        slots[at] = (item_slot){p->number, (uint32_t)i};
    }
    return PF_OK;
}

/* The kinds that the rest cost of a piece depends on. */
static void kinds_of(const pfi_pieces *pieces, const pfi_piece_sides *sides, uint32_t *row, uint32_t *last) {
    *last = pfi_pieces_place(pieces, sides->place).last;
    *row = pieces->guesses ? pfi_pieces_place(pieces, sides->left).last : pieces->left.at[sides->left].first;
}

static pf_err add_item(chart_pass *p, const pfi_piece_sides *sides, item_form form, uint32_t *item) {
    pfi_item fresh = {.sides = *sides, .begin = (uint16_t)p->begin, .end = (uint16_t)p->end, .run = form.run, .atom = form.atom,
                      .cost = {(double)INFINITY, (double)INFINITY}, .edge = {PFI_NONE, PFI_NONE}};
    kinds_of(p->pieces, sides, &fresh.row, &fresh.last);
    fresh.rest = pfi_pieces_ahead(p->pieces, sides->left) + rest_cost(p, fresh.row, fresh.last);
    if (!p->outside->wide) fresh.rest += pfi_pieces_lead(p->pieces, sides->left);
    if (p->forest->items.n == PFI_NONE / 4) return pf_fail(PF_ELIMIT, "the search has met more than %u states", PFI_NONE / 4);
    *item = (uint32_t)p->forest->items.n;
    return PF_PUSH(&p->forest->items, fresh);
}

static pf_err find_item(chart_pass *p, const pfi_piece_sides *sides, item_form form, uint32_t *item) {
    if (2 * (p->forest->items.n - p->first_item) >= p->mask) PF_TRY(grow_slots(p));
    for (size_t at = hash_of(sides, form) & p->mask;; at = (at + 1) & p->mask) {
        item_slot *slot = &p->slots[at];
        if (slot->span != p->number) {
            PF_TRY(add_item(p, sides, form, item));
            *slot = (item_slot){p->number, *item};
            return PF_OK;
        }
        *item = slot->item;
        const pfi_item *there = &p->forest->items.at[*item];
        if (there->sides.left == sides->left && there->sides.place == sides->place && there->run == form.run && there->atom == form.atom)
            return PF_OK;
    }
}

/* A piece of the span that an edge makes. */
static pf_err offer(chart_pass *p, const pfi_piece_sides *sides, item_form form, unsigned orientation, const pfi_tree_edge *edge, double cost) {
    uint32_t item = PFI_NONE;
    p->joined++;
    if (cost == (double)INFINITY) return PF_OK;
    PF_TRY(find_item(p, sides, form, &item));
    if (cost + p->forest->items.at[item].rest > p->limit) return PF_OK;
    return pfi_forest_offer(p->forest, item, orientation, edge, cost);
}

/* ---- leaves ---- */

static pf_err put_leaf(chart_pass *p, uint32_t before, const pfi_leaf *leaf) {
    const item_form form = {pfi_makes_run(p->shape, NULL, NULL), true};
    pfi_piece_sides sides;
    double cost;
    PF_TRY(pfi_pieces_leaf(p->pieces, before, leaf, &sides, &cost));
    const pfi_tree_edge edge = {PFI_NONE, PFI_NONE, (uint32_t)(leaf - p->pieces->leaves->leaf.at), PFI_NONE, cost};
    return offer(p, &sides, form, PFI_STRAIGHT, &edge, cost);
}

/* A leaf of two runs with the block between them, which comes after it (`second`) or before it (`first`). The sides are those of both. */
static pf_err offer_around(chart_pass *p, const pfi_leaf *leaf, uint32_t first, uint32_t second, const pfi_piece_sides *sides, double cost) {
    const pfi_item *inner = &p->forest->items.at[first != PFI_NONE ? first : second];
    const pfi_tree_edge edge = {first, second, (uint32_t)(leaf - p->pieces->leaves->leaf.at), PFI_NONE, cost};
    return offer(p, sides, (item_form){false, true}, PFI_STRAIGHT, &edge, pfi_item_cost(inner, PFI_ANY) + cost);
}

static const span_lists *span_of(const chart_pass *p, unsigned i, unsigned k) { return &p->lists[i * (p->shape->n + (size_t)1) + k]; }

/* The leaf, then each block that begins where the leaf has led. */
static pf_err put_before(chart_pass *p, const pfi_leaf *leaf, const listed_item *inner, size_t n) {
    pfi_piece_sides sides;
    double cost;
    for (uint32_t i = (uint32_t)n; i-- > 0;) p->meets[inner[i].left] = i;
    for (uint32_t before = 0; before < p->pieces->reached; before++) {
        PF_TRY(p->pass->unlimited ? PF_OK : pfi_check_time_at(p->steps++, p->options, p->forest->items.n));
        PF_TRY(pfi_pieces_leaf(p->pieces, before, leaf, &sides, &cost));
        const uint32_t place = sides.place;
        if (cost == (double)INFINITY || place >= p->places || p->meets[place] == PFI_NONE) continue;
        for (uint32_t k = p->meets[place]; k < n && inner[k].left == place; k++) {
            sides.place = p->forest->items.at[inner[k].item].sides.place;
            PF_TRY(offer_around(p, leaf, PFI_NONE, inner[k].item, &sides, cost));
        }
    }
    for (size_t i = 0; i < n; i++) p->meets[inner[i].left] = PFI_NONE;
    return PF_OK;
}

static pf_err put_after(chart_pass *p, const pfi_leaf *leaf, const listed_item *inner, size_t n) {
    for (size_t i = 0; i < n; i++) {
        pfi_piece_sides sides;
        double cost;
        PF_TRY(pfi_pieces_leaf(p->pieces, p->forest->items.at[inner[i].item].sides.place, leaf, &sides, &cost));
        sides.left = inner[i].left;
        PF_TRY(offer_around(p, leaf, inner[i].item, PFI_NONE, &sides, cost));
    }
    return PF_OK;
}

/* Both, where left sides are not guessed: the leaf is a piece that is joined to the block. */
static pf_err put_joined(chart_pass *p, const pfi_leaf *leaf, const listed_item *inner, size_t n) {
    pfi_piece_sides own, sides;
    double cost, more;
    PF_TRY(pfi_pieces_leaf(p->pieces, PFI_START_PLACE, leaf, &own, &cost));
    if (cost == (double)INFINITY) return PF_OK;
    for (size_t i = 0; i < n; i++) {
        const pfi_piece_sides block = p->forest->items.at[inner[i].item].sides;
        PF_TRY(p->pass->unlimited ? PF_OK : pfi_check_time_at(p->steps++, p->options, p->forest->items.n));
        PF_TRY(pfi_pieces_join(p->pieces, &own, &block, &sides, &more));
        PF_TRY(offer_around(p, leaf, PFI_NONE, inner[i].item, &sides, cost + more));
        PF_TRY(pfi_pieces_join(p->pieces, &block, &own, &sides, &more));
        PF_TRY(offer_around(p, leaf, inner[i].item, PFI_NONE, &sides, cost + more));
    }
    return PF_OK;
}

static pf_err put_around(chart_pass *p, const pfi_leaf *leaf) {
    const span_lists *lists = span_of(p, leaf->gap_begin, leaf->gap_end);
    const listed_item *inner = p->listed.at + lists->at[PFI_ANY];
    if (!lists->n[PFI_ANY]) return PF_OK;
    if (!p->pieces->guesses) return put_joined(p, leaf, inner, lists->n[PFI_ANY]);
    PF_TRY(put_before(p, leaf, inner, lists->n[PFI_ANY]));
    return put_after(p, leaf, inner, lists->n[PFI_ANY]);
}

static pf_err put_leaves(chart_pass *p) {
    const uint32_t befores = p->pieces->guesses ? p->pieces->reached : 1;
    size_t n;
    const pfi_leaf *leaf = pfi_leaves_of(p->pieces->leaves, p->begin, p->end, &n);
    for (; n > 0; n--, leaf++)
        if (pfi_leaf_has_gap(leaf)) PF_TRY(put_around(p, leaf));
        else
            for (uint32_t before = 0; before < befores; before++) PF_TRY(put_leaf(p, before, leaf));
    for (size_t i = p->first_item; i < p->forest->items.n; i++) { /* an atom may be a son of either kind */
        pfi_item *item = &p->forest->items.at[i];
        item->cost[PFI_INVERTED] = item->cost[PFI_STRAIGHT];
        item->edge[PFI_INVERTED] = item->edge[PFI_STRAIGHT];
    }
    return PF_OK;
}

/* ---- nodes ---- */

/* The two as a run, or as a node of a tree. */
static pf_err offer_node(chart_pass *p, const node_grid *grid, const pfi_tree_edge *joined, const pfi_piece_sides *sides, bool run) {
    const pfi_item *first = &p->forest->items.at[joined->first], *second = &p->forest->items.at[joined->second];
    pfi_tree_edge edge = *joined;
    unsigned which[2];
    edge.cost += grid->cost + grid->beyond[run];
    pfi_edge_sons(p->forest, &edge, which);
    return offer(p, sides, (item_form){run, false}, grid->orientation, &edge, pfi_item_cost(first, which[0]) + pfi_item_cost(second, which[1]) + edge.cost);
}

static pf_err join(chart_pass *p, const node_grid *grid, const listed_item *x, const listed_item *y) {
    const pfi_item *first = &p->forest->items.at[x->item], *second = &p->forest->items.at[y->item];
    const bool run = grid->orientation == PFI_STRAIGHT && pfi_makes_run(p->shape, first, second);
    pfi_tree_edge edge = {x->item, y->item, PFI_NONE, PFI_NONE, 0};
    pfi_piece_sides sides;
    PF_TRY(pfi_pieces_join(p->pieces, &first->sides, &second->sides, &sides, &edge.cost));
    if (run) PF_TRY(offer_node(p, grid, &edge, &sides, true));
    return !run || grid->beyond[false] < grid->beyond[true] ? offer_node(p, grid, &edge, &sides, false) : PF_OK;
}

/* No order with the two, one after the other, costs less. */
static double pair_bound(chart_pass *p, const node_grid *grid, const listed_item *x, const listed_item *y) {
    const pfi_pieces *pieces = p->pieces;
    double sum = x->inner + y->inner + grid->cost;
    if (!p->outside->wide) return x->key + y->key + grid->cost + p->outer;
    if (!pieces->guesses) sum += (double)pieces->after[(size_t)x->last * pieces->kinds.n + y->row];
    return sum + rest_cost(p, x->row, y->last);
}

static pf_err join_all(chart_pass *p, const node_grid *grid) {
    const listed_item *x = grid->first, *y;
    const double beyond = grid->cost + p->outer;
    for (uint32_t i = 0; i < grid->n[0]; i++, x++) {
        if (x->key + grid->second->key + beyond > p->limit) break;
        PF_TRY(p->pass->unlimited ? PF_OK : pfi_check_time_at(p->steps++, p->options, p->forest->items.n));
        const double most = p->limit - beyond - x->key;
        for (y = grid->second; y < grid->second + grid->n[1] && y->key <= most; y++)
            if (pair_bound(p, grid, x, y) <= p->limit) PF_TRY(join(p, grid, x, y));
    }
    return PF_OK;
}

/* The second items are by the place before them, and then in order. */
static pf_err join_meeting(chart_pass *p, const node_grid *grid) {
    for (uint32_t i = grid->n[1]; i-- > 0;) p->meets[grid->second[i].left] = i;
    for (uint32_t i = 0; i < grid->n[0]; i++) {
        const listed_item *x = &grid->first[i];
        const uint32_t place = p->forest->items.at[x->item].sides.place;
        PF_TRY(p->pass->unlimited ? PF_OK : pfi_check_time_at(p->steps++, p->options, p->forest->items.n));
        if (place >= p->places || p->meets[place] == PFI_NONE) continue;
        for (uint32_t k = p->meets[place]; k < grid->n[1] && grid->second[k].left == place; k++)
            if (pair_bound(p, grid, x, &grid->second[k]) <= p->limit) PF_TRY(join(p, grid, x, &grid->second[k]));
    }
    for (uint32_t i = 0; i < grid->n[1]; i++) p->meets[grid->second[i].left] = PFI_NONE;
    return PF_OK;
}

static inline bool pair_before(const grid_pair *one, const grid_pair *other) {
    return one->bound < other->bound || (one->bound == other->bound && one->number > other->number);
}

static pf_err push_pair(chart_pass *p, uint32_t grid, uint32_t x, uint32_t y) {
    const node_grid *of = &p->grids.at[grid];
    if (x >= of->n[0] || y >= of->n[1]) return PF_OK;
    const grid_pair pair = {pair_bound(p, of, &of->first[x], &of->second[y]), grid, x, y, p->pushed++};
    PF_TRY(PF_ROOM(&p->pairs, 1));
    grid_pair *heap = p->pairs.at;
    size_t at = p->pairs.n++;
    for (; at && pair_before(&pair, &heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = pair;
    return PF_OK;
}

static grid_pair pop_pair(chart_pass *p) {
    grid_pair *heap = p->pairs.at;
    const grid_pair best = heap[0], last = heap[--p->pairs.n];
    const size_t n = p->pairs.n;
    size_t at = 0;
    for (size_t son; (son = 2 * at + 1) < n; at = son) {
        if (son + 1 < n && pair_before(&heap[son + 1], &heap[son])) son++;
        if (!pair_before(&heap[son], &last)) break;
        heap[at] = heap[son];
    }
    heap[at] = last;
    return best;
}

/* What is never popped costs at least what the least of it does, in order of the keys. */
static void drop_pairs(chart_pass *p) {
    for (size_t i = 0; i < p->pairs.n; i++) {
        const grid_pair *pair = &p->pairs.at[i];
        const node_grid *grid = &p->grids.at[pair->grid];
        drop(p, grid->first[pair->x].key + grid->second[pair->y].key + grid->cost + p->outer);
    }
}

/* Cube pruning: each pair has one predecessor in its grid, so none is pushed twice. */
static pf_err pop_pairs(chart_pass *p) {
    p->pairs.n = p->pushed = 0;
    for (uint32_t grid = 0; grid < p->grids.n; grid++) PF_TRY(push_pair(p, grid, 0, 0));
    while (p->pairs.n && p->forest->items.n - p->first_item < p->pass->beam) {
        const grid_pair pair = pop_pair(p);
        const node_grid *grid = &p->grids.at[pair.grid];
        PF_TRY(p->pass->unlimited ? PF_OK : pfi_check_time_at(p->steps++, p->options, p->forest->items.n));
        PF_TRY(join(p, grid, &grid->first[pair.x], &grid->second[pair.y]));
        PF_TRY(push_pair(p, pair.grid, pair.x, pair.y + 1));
        if (!pair.y) PF_TRY(push_pair(p, pair.grid, pair.x + 1, 0));
    }
    drop_pairs(p);
    return PF_OK;
}

static pf_err put_node(chart_pass *p, unsigned j, unsigned orientation, double cost, const double beyond[2]) {
    const bool straight = orientation == PFI_STRAIGHT;
    const span_lists *left = span_of(p, p->begin, j), *right = span_of(p, j, p->end);
    const span_lists *first = straight ? left : right, *second = straight ? right : left;
    unsigned which[2];
    pfi_sons(orientation, p->shape->free_trees || pfi_shape_zone(p->shape, j, p->end), which);
    node_grid grid = {p->listed.at + first->at[which[0]], p->listed.at + second->at[which[1]],
                      {(uint32_t)first->n[which[0]], (uint32_t)second->n[which[1]]}, orientation, cost, {beyond[0], beyond[1]}};
    if (!grid.n[0] || !grid.n[1]) return PF_OK;
    if (p->pieces->guesses) return join_meeting(p, &grid);
    if (!p->pass->beam) return join_all(p, &grid);
    if (grid.first->key + grid.second->key + grid.cost + p->outer > p->limit) return PF_OK;
    return PF_PUSH(&p->grids, grid);
}

/* Where positions that are visited in their order may be one leaf: what is added to the least cost of a straight node. */
static void beyond_least(const chart_pass *p, unsigned j, double beyond[2]) {
    double all[2], least[2];
    beyond[false] = beyond[true] = 0;
    if (!p->shape->trees || !p->shape->trees->runs) return;
    pfi_shape_tree_node(p->shape, p->begin, j, p->end, all);
    pfi_shape_least_node(p->shape, p->begin, j, p->end, least);
    beyond[false] = all[PFI_STRAIGHT] - least[PFI_STRAIGHT];
    beyond[true] = -least[PFI_STRAIGHT];
}

static pf_err put_nodes(chart_pass *p) {
    static const double nothing[2] = {0, 0};
    double cost[2], beyond[2];
    p->grids.n = 0;
    for (unsigned j = p->begin + 1; j < p->end; j++) {
        if (!span_of(p, p->begin, j)->n[PFI_ANY] || !span_of(p, j, p->end)->n[PFI_ANY]) continue;
        pfi_shape_node(p->shape, p->begin, j, p->end, cost);
        beyond_least(p, j, beyond);
        if (cost[PFI_STRAIGHT] < (double)INFINITY) PF_TRY(put_node(p, j, PFI_STRAIGHT, cost[PFI_STRAIGHT], beyond));
        if (cost[PFI_INVERTED] < (double)INFINITY) PF_TRY(put_node(p, j, PFI_INVERTED, cost[PFI_INVERTED], nothing));
    }
    return p->grids.n ? pop_pairs(p) : PF_OK;
}

/* ---- pruning ---- */

static int by_value(const void *first, const void *second) {
    double one = *(const double *)first, other = *(const double *)second;
    return (one > other) - (one < other);
}

static double total_of(const pfi_item *item) { return pfi_item_cost(item, PFI_ANY) + item->rest; }

/* The most that an item may cost, its rest cost included. */
static pf_err most_kept(chart_pass *p, double *most) {
    size_t n = p->forest->items.n - p->first_item;
    p->totals.n = 0;
    PF_TRY(PF_ROOM(&p->totals, n + 1));
    for (size_t i = 0; i < n; i++) p->totals.at[p->totals.n++] = total_of(&p->forest->items.at[p->first_item + i]);
    double best = (double)INFINITY;
    for (size_t i = 0; i < n; i++) best = smaller(best, p->totals.at[i]);
    *most = best + p->pass->threshold;
    if (!p->pass->beam || n <= p->pass->beam) return PF_OK;
    qsort(p->totals.at, n, sizeof *p->totals.at, by_value);
    *most = smaller(*most, p->totals.at[p->pass->beam - 1]);
    return PF_OK;
}

/* Takes out the items that are dropped, and those that no edge has made. */
static pf_err prune(chart_pass *p) {
    double most;
    size_t kept = p->first_item, all = p->forest->items.n;
    PF_TRY(most_kept(p, &most));
    for (size_t i = p->first_item; i < all; i++) {
        const pfi_item *item = &p->forest->items.at[i];
        double total = total_of(item);
        if (total == (double)INFINITY) continue;
        if (total > most) drop(p, total);
        else p->forest->items.at[kept++] = *item;
    }
    p->forest->items.n = kept;
    for (size_t i = p->first_item; i < kept; i++) pfi_forest_settle(p->forest, (uint32_t)i);
    return PF_OK;
}

/* ---- lists ---- */

static int by_key(const void *first, const void *second) {
    const list_key *one = first, *other = second;
    if (one->key != other->key) return one->key < other->key ? -1 : 1;
    return (one->item > other->item) - (one->item < other->item);
}

static int by_left(const void *first, const void *second) {
    const list_key *one = first, *other = second;
    if (one->left != other->left) return one->left < other->left ? -1 : 1;
    return by_key(first, second);
}

static double inner_cost(const chart_pass *p, const pfi_item *item, unsigned which) {
    return pfi_item_cost(item, which) + pfi_pieces_ahead(p->pieces, item->sides.left);
}

static pf_err sort_keys(chart_pass *p, unsigned which) {
    p->keys.n = 0;
    PF_TRY(PF_ROOM(&p->keys, p->forest->items.n - p->first_item));
    for (size_t i = p->first_item; i < p->forest->items.n; i++) {
        const pfi_item *item = &p->forest->items.at[i];
        const double inner = inner_cost(p, item, which);
        if (inner == (double)INFINITY) continue;
        p->keys.at[p->keys.n++] = (list_key){inner + pfi_pieces_lead(p->pieces, item->sides.left), (uint32_t)i, item->sides.left};
    }
    if (p->keys.n > 1) qsort(p->keys.at, p->keys.n, sizeof *p->keys.at, p->pieces->guesses ? by_left : by_key);
    return PF_OK;
}

static pf_err list(chart_pass *p, unsigned which, span_lists *lists) {
    lists->at[which] = p->listed.n;
    PF_TRY(sort_keys(p, which));
    PF_TRY(PF_ROOM(&p->listed, p->keys.n));
    for (size_t i = 0; i < p->keys.n; i++) {
        const list_key *key = &p->keys.at[i];
        const pfi_item *item = &p->forest->items.at[key->item];
        const double inner = inner_cost(p, item, which);
        p->listed.at[p->listed.n++] = (listed_item){inner, key->key, key->item, item->row, item->last, key->left};
    }
    lists->n[which] = p->keys.n;
    return PF_OK;
}

static pf_err list_items(chart_pass *p) {
    span_lists *lists = &p->lists[p->begin * (p->shape->n + (size_t)1) + p->end];
    for (unsigned which = 0; which < 3; which++) PF_TRY(list(p, which, lists));
    return PF_OK;
}

/* ---- spans ---- */

static void begin_span(chart_pass *p, unsigned i, unsigned k) {
    p->begin = i;
    p->end = k;
    p->number++;
    p->first_item = p->forest->items.n;
    p->outer = p->outside->outer[i * (p->shape->n + (size_t)1) + k];
    if (!p->outside->wide) return;
    p->columns = pfi_outside_columns(p->outside, i, k);
    const uint32_t *first = p->outside->first;
    for (uint32_t arc = first[i]; arc < first[k]; arc++) p->local[p->pieces->kind[arc]] = arc - first[i];
    for (size_t x = 0; x < (p->pieces->kinds.n + 1) * p->columns; x++) p->rest[x] = (double)NAN;
}

static pf_err fill_span(chart_pass *p, unsigned i, unsigned k) {
    const double least = p->outside->through[i * (p->shape->n + (size_t)1) + k];
    if (!pfi_shape_has(p->shape, i, k) || least == (double)INFINITY || least > p->limit)
        return PF_OK; /* no order within the limit has it */
    begin_span(p, i, k);
    PF_TRY(put_leaves(p));
    PF_TRY(put_nodes(p));
    PF_TRY(prune(p));
    if (p->pass->unlimited) pfi_tell_progress(p->options, p->forest->items.n);
    else PF_TRY(pfi_check_states(p->options, p->forest->items.n));
    return list_items(p);
}

/* The items of the whole sentence, with its begin and its end. */
static pf_err end_orders(chart_pass *p) {
    for (size_t i = p->first_item; i < p->forest->items.n; i++) {
        const pfi_item *item = &p->forest->items.at[i];
        pfi_whole_order whole = {(uint32_t)i, 0};
        PF_TRY(pfi_pieces_whole(p->pieces, &item->sides, &whole.cost));
        if (pfi_item_cost(item, PFI_ANY) + whole.cost <= p->limit && whole.cost < (double)INFINITY)
            PF_TRY(PF_PUSH(&p->forest->whole, whole));
    }
    return PF_OK;
}

static pf_err set_up(chart_pass *p) {
    size_t n = p->shape->n, kinds = p->pieces->kinds.n;
    p->lists = calloc((n + 1) * (n + 1), sizeof *p->lists);
    p->local = calloc(kinds + 1, sizeof *p->local);
    p->rest = malloc((p->outside->wide ? (kinds + 1) * pfi_outside_columns(p->outside, 0, (unsigned)n) : 1) * sizeof *p->rest);
    p->places = p->pieces->places.n;
    p->meets = malloc((p->places + 1) * sizeof *p->meets);
    if (!p->lists || !p->local || !p->rest || !p->meets) return pf_nomem();
    for (size_t i = 0; i < p->places; i++) p->meets[i] = PFI_NONE;
    return grow_slots(p);
}

static pf_err run(chart_pass *p) {
    const unsigned n = p->shape->n;
    PF_TRY(set_up(p));
    for (unsigned length = 1; length <= n; length++)
        for (unsigned i = 0; i + length <= n; i++) PF_TRY(fill_span(p, i, i + length));
    return end_orders(p);
}

pf_err pfi_chart_fill(pfi_forest *forest, pfi_pieces *pieces, const pfi_outside *outside, const pf_best_options *options,
                      const pfi_chart_pass *pass, double *dropped, uint64_t *edges) {
    chart_pass p = {.forest = forest, .pieces = pieces, .shape = pieces->shape, .outside = outside, .options = options, .pass = pass,
                    .limit = pass->limit + outside->slack + pieces->slack, .dropped = dropped};
    assert(!forest->items.n && pieces->shape->n);
    *dropped = (double)INFINITY;
    pf_err err = run(&p);
    *edges += p.joined;
    free(p.lists);
    free(p.slots);
    free(p.local);
    free(p.rest);
    free(p.meets);
    PF_VEC_FREE(&p.listed);
    PF_VEC_FREE(&p.grids);
    PF_VEC_FREE(&p.pairs);
    PF_VEC_FREE(&p.totals);
    PF_VEC_FREE(&p.keys);
    return err;
}
