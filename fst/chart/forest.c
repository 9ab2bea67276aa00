/* Items, edges, and the order of those with equal costs. */
#include "chart/forest.h"

#include "base/contract.h"

#include <stdlib.h>
#include <string.h>

pf_err pfi_forest_init(pfi_forest *forest, const pfi_pieces *pieces, const pf_units *units) {
    const pf_slots_view *slots = &pieces->slots;
    *forest = (pfi_forest){.pieces = pieces, .shape = pieces->shape, .speech = pfi_speech_of(pieces->rows.parts.fst->osyms, units)};
    if (!(forest->slot = malloc((slots->first[slots->n] + (size_t)1) * sizeof *forest->slot))) return pf_nomem();
    for (unsigned i = 0; i < 2; i++) {
        forest->scratch[i] = malloc((slots->n + (size_t)1) * sizeof *forest->scratch[i]);
        forest->arc[i] = malloc((slots->n + (size_t)1) * sizeof *forest->arc[i]);
        if (!forest->scratch[i] || !forest->arc[i]) return pf_nomem();
    }
    for (unsigned j = 0; j < slots->n; j++)
        for (uint32_t arc = slots->first[j]; arc < slots->first[j + 1]; arc++) forest->slot[arc] = j;
    return PF_OK;
}

void pfi_forest_free(pfi_forest *forest) {
    free(forest->slot);
    for (unsigned i = 0; i < 2; i++) {
        free(forest->scratch[i]);
        free(forest->arc[i]);
    }
    PF_VEC_FREE(&forest->items);
    PF_VEC_FREE(&forest->edges);
    PF_VEC_FREE(&forest->whole);
}

void pfi_forest_clear(pfi_forest *forest) { forest->items.n = forest->edges.n = forest->whole.n = 0; }

/* The sons of a node. */
static void node_sons(const pfi_forest *forest, const pfi_tree_edge *edge, unsigned which[2]) {
    const pfi_item *first = &forest->items.at[edge->first], *second = &forest->items.at[edge->second];
    const bool straight = first->begin < second->begin;
    const pfi_item *left = straight ? first : second, *right = straight ? second : first;
    pfi_shape_sons(forest->shape, straight ? PFI_STRAIGHT : PFI_INVERTED, left->begin, right->begin, right->end, which);
}

uint64_t pfi_forest_bytes(const pfi_forest *forest) {
    return forest->items.cap * sizeof *forest->items.at + forest->edges.cap * sizeof *forest->edges.at +
        forest->whole.cap * sizeof *forest->whole.at;
}

void pfi_edge_sons(const pfi_forest *forest, const pfi_tree_edge *edge, unsigned which[2]) {
    const uint32_t inner = edge->first != PFI_NONE ? edge->first : edge->second;
    assert(edge->leaf == PFI_NONE ? edge->first != PFI_NONE && edge->second != PFI_NONE
                                  : edge->first == PFI_NONE || edge->second == PFI_NONE);
    which[0] = which[1] = PFI_ANY;
    if (edge->leaf == PFI_NONE) node_sons(forest, edge, which);
    else if (inner != PFI_NONE)
        which[0] = which[1] = pfi_shape_inner(forest->shape, forest->items.at[inner].begin, forest->items.at[inner].end);
}

unsigned pfi_forest_edge_order(const pfi_forest *forest, const pfi_tree_edge *edge, uint32_t *to) {
    unsigned which[2], n = 0;
    pfi_edge_sons(forest, edge, which);
    if (edge->first != PFI_NONE) n += pfi_forest_order(forest, edge->first, which[0], to);
    if (edge->leaf != PFI_NONE) n += pfi_forest_leaf(forest, edge->leaf, to + n);
    if (edge->second != PFI_NONE) n += pfi_forest_order(forest, edge->second, which[1], to + n);
    return n;
}

unsigned pfi_forest_leaf(const pfi_forest *forest, uint32_t leaf, uint32_t *to) {
    const pfi_leaves *leaves = forest->pieces->leaves;
    const pfi_leaf *of = &leaves->leaf.at[leaf];
    assert(leaf < leaves->leaf.n);
    memcpy(to, &leaves->read.at[of->at], of->n * sizeof *to);
    return of->n;
}

unsigned pfi_forest_order(const pfi_forest *forest, uint32_t item, unsigned which, uint32_t *to) {
    const pfi_item *of = &forest->items.at[item];
    assert(item < forest->items.n && which <= PFI_ATOM);
    return pfi_forest_edge_order(forest, &forest->edges.at[of->edge[which < PFI_ANY ? which : of->best]], to);
}

/* Where both are alike at their beginning and their end, that does not matter. */
int pfi_forest_compare(const pfi_forest *forest, const uint32_t *one, unsigned n_one, const uint32_t *other, unsigned n_other) {
    const uint32_t *order[2] = {one, other};
    unsigned from = 0, n[2] = {n_one, n_other};
    pf_path path[2];
    while (from < n[0] && from < n[1] && one[from] == other[from]) from++;
    for (; n[0] > from && n[1] > from && one[n[0] - 1] == other[n[1] - 1]; n[0]--) n[1]--;
    for (unsigned i = 0; i < 2; i++) {
        path[i] = (pf_path){.arc = forest->arc[i], .n = n[i] - from};
        for (unsigned t = from; t < n[i]; t++)
            path[i].arc[t - from] = (pf_arc){pfi_forest_in(forest, order[i][t]), forest->pieces->slots.arc[order[i][t]].out, 0,
                                             PF_NO_STATE};
    }
    return pfi_path_order(&forest->speech, &path[0], &path[1]);
}

/* ---- ties ---- */

/* The leaves of an order, one at a time: two orders are looked at only as far as they are alike. */
typedef struct {
    const pfi_forest *forest;
    uint32_t *open; /* nodes whose leaves are still to come, the next one last: 4 times the item, and the orientation */
    unsigned n;
} leaf_walk;

static void open_sons(leaf_walk *walk, const pfi_tree_edge *edge, unsigned orientation) {
    unsigned which[2];
    if (walk->forest->shape->zones.n) node_sons(walk->forest, edge, which);
    else pfi_sons(orientation, walk->forest->shape->free_trees, which);
    walk->open[walk->n++] = 4 * edge->second + which[1];
    walk->open[walk->n++] = 4 * edge->first + which[0];
}

static uint32_t next_leaf(leaf_walk *walk) {
    for (;;) {
        const uint32_t node = walk->open[--walk->n];
        const pfi_item *item = &walk->forest->items.at[node / 4];
        const unsigned orientation = node % 4 < PFI_ANY ? node % 4 : item->best;
        const pfi_tree_edge *edge = &walk->forest->edges.at[item->edge[orientation]];
        if (edge->leaf != PFI_NONE) return edge->leaf;
        open_sons(walk, edge, orientation);
    }
}

/* The order of the first inputs that differ, of two orders of the words of a sentence; 0: none do. */
static int compare_inputs(const pfi_forest *forest, const pfi_tree_edge *const edge[2], const unsigned orientation[2]) {
    const pfi_leaves *leaves = forest->pieces->leaves;
    leaf_walk walk[2];
    for (unsigned i = 0; i < 2; i++) {
        walk[i] = (leaf_walk){forest, forest->scratch[i], 0};
        open_sons(&walk[i], edge[i], orientation[i]);
    }
    while (walk[0].n) {
        if (walk[0].open[walk[0].n - 1] == walk[1].open[walk[1].n - 1]) {
            walk[0].n--;
            walk[1].n--;
            continue;
        }
        pf_label in[2];
        for (unsigned i = 0; i < 2; i++) in[i] = pfi_forest_in(forest, leaves->read.at[leaves->leaf.at[next_leaf(&walk[i])].at]);
        if (in[0] != in[1]) return in[0] < in[1] ? -1 : 1;
    }
    return 0;
}

/* Is the best order over one edge before that over another one? Both cost the same. Orders of words have equally many arcs. */
static bool edge_before(const pfi_forest *forest, const pfi_tree_edge *const edge[2], const unsigned orientation[2]) {
    const bool words = !forest->speech.units && !forest->pieces->leaves->joined;
    const bool nodes = edge[0]->leaf == PFI_NONE && edge[1]->leaf == PFI_NONE;
    int order = words && nodes ? compare_inputs(forest, edge, orientation) : 0;
    if (order) return order < 0;
    const unsigned n_one = pfi_forest_edge_order(forest, edge[0], forest->scratch[0]);
    const unsigned n_other = pfi_forest_edge_order(forest, edge[1], forest->scratch[1]);
    return pfi_forest_compare(forest, forest->scratch[0], n_one, forest->scratch[1], n_other) < 0;
}

/* ---- edges ---- */

static pf_err add_edge(pfi_forest *forest, const pfi_tree_edge *edge, uint32_t *id) {
    if (forest->edges.n == PFI_NONE) return pf_fail(PF_ELIMIT, "the search has met more than %u arcs", PFI_NONE);
    *id = (uint32_t)forest->edges.n;
    return PF_PUSH(&forest->edges, *edge);
}

/* Is the best order over an edge before all that its item has? */
static bool wins(const pfi_forest *forest, const pfi_item *to, unsigned orientation, const pfi_tree_edge *edge, double cost) {
    if (to->edge[orientation] == PFI_NONE || cost != to->cost[orientation]) return cost < to->cost[orientation];
    const pfi_tree_edge *const both[2] = {edge, &forest->edges.at[to->edge[orientation]]};
    return forest->keep_all && edge_before(forest, both, (const unsigned[2]){orientation, orientation});
}

pf_err pfi_forest_offer(pfi_forest *forest, uint32_t item, unsigned orientation, const pfi_tree_edge *edge, double cost) {
    pfi_item *to = &forest->items.at[item];
    const uint32_t first = to->edge[orientation];
    const bool best = wins(forest, to, orientation, edge, cost);
    uint32_t id = PFI_NONE;
    assert(item < forest->items.n && orientation <= PFI_INVERTED && cost < (double)INFINITY);
    if (!best && !forest->keep_all && cost > to->cost[orientation]) return PF_OK;
    if (best) to->cost[orientation] = cost;
    if (best && first != PFI_NONE && !forest->keep_all) {
        forest->edges.at[first] = *edge;
        return PF_OK;
    }
    PF_TRY(add_edge(forest, edge, &id));
    if (best) {
        forest->edges.at[id].next = first;
        to->edge[orientation] = id;
    } else {
        forest->edges.at[id].next = forest->edges.at[first].next;
        forest->edges.at[first].next = id;
    }
    return PF_OK;
}

/* Is the inverted order of an item before the straight one? Both cost the same. */
static bool inverted_before(const pfi_forest *forest, const pfi_item *of) {
    const pfi_tree_edge *edges = forest->edges.at;
    const pfi_tree_edge *const both[2] = {&edges[of->edge[PFI_INVERTED]], &edges[of->edge[PFI_STRAIGHT]]};
    return edge_before(forest, both, (const unsigned[2]){PFI_INVERTED, PFI_STRAIGHT});
}

void pfi_forest_settle(pfi_forest *forest, uint32_t item) {
    pfi_item *of = &forest->items.at[item];
    assert(item < forest->items.n && pfi_item_cost(of, PFI_ANY) < (double)INFINITY);
    of->best = of->cost[PFI_INVERTED] < of->cost[PFI_STRAIGHT] ? PFI_INVERTED : PFI_STRAIGHT;
    if (of->atom || of->cost[PFI_STRAIGHT] != of->cost[PFI_INVERTED]) return;
    if (forest->keep_all && inverted_before(forest, of)) of->best = PFI_INVERTED;
}

static void resolve_edges(pfi_forest *forest, pfi_item *of, unsigned orientation) {
    uint32_t best = PFI_NONE;
    for (uint32_t id = of->edge[orientation]; id != PFI_NONE; id = forest->edges.at[id].next) {
        const pfi_tree_edge *edge = &forest->edges.at[id];
        unsigned which[2];
        pfi_edge_sons(forest, edge, which);
        if (edge->first != PFI_NONE) pfi_forest_resolve(forest, edge->first, which[0]);
        if (edge->second != PFI_NONE) pfi_forest_resolve(forest, edge->second, which[1]);
        const pfi_tree_edge *const both[2] = {edge, best == PFI_NONE ? NULL : &forest->edges.at[best]};
        if (best == PFI_NONE || edge_before(forest, both, (const unsigned[2]){orientation, orientation})) best = id;
    }
    of->edge[orientation] = best;
    if (of->atom) of->edge[!orientation] = best;
}

void pfi_forest_resolve(pfi_forest *forest, uint32_t item, unsigned which) {
    pfi_item *of = &forest->items.at[item];
    assert(item < forest->items.n && which <= PFI_ATOM);
    if (of->atom) which = PFI_STRAIGHT;
    if (forest->keep_all || of->resolved >> which & 1) return;
    of->resolved |= (unsigned char)(1u << which);
    if (which != PFI_ANY) resolve_edges(forest, of, which);
    else if (of->cost[PFI_STRAIGHT] != of->cost[PFI_INVERTED]) pfi_forest_resolve(forest, item, of->best);
    else {
        pfi_forest_resolve(forest, item, PFI_STRAIGHT);
        pfi_forest_resolve(forest, item, PFI_INVERTED);
        of->best = inverted_before(forest, of) ? PFI_INVERTED : PFI_STRAIGHT;
    }
}
