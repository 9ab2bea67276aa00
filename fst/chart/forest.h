/* The packed forest that a pass over a chart makes: items, and the edges that make them of smaller ones. Private to the chart.
 *
 * An item is a span with the two sides of a piece (pieces.h): all orders of the span that can only go on alike. An edge is a node
 * of the tree of an order: two items, the first of which is visited first; or a leaf, alone or around an item. Each order has one
 * tree, as the right son of a node, if it is a node, has the other orientation (zens-ney-2003, section 2.1; Wu 1997). So an item
 * has its edges apart by orientation. */
#ifndef PF_CHART_FOREST_H
#define PF_CHART_FOREST_H

#include "chart/pieces.h"
#include "search/graph.h"

typedef struct {
    uint32_t first, second; /* items, in the order in which they are visited; of a leaf PFI_NONE both, of a leaf around a block
                               one */
    uint32_t leaf;          /* that is visited before `second` or after `first`, or alone; of a node PFI_NONE */
    uint32_t next;          /* another edge of the same item and orientation; PFI_NONE */
    double cost;            /* of the node and the join, or of the leaf */
} pfi_tree_edge;

typedef struct {
    pfi_piece_sides sides;
    uint32_t row, last;     /* kinds that its rest cost depends on: the first, or the one before it; the last */
    uint16_t begin, end;    /* its span */
    unsigned char best;     /* the orientation of its best order */
    unsigned char resolved; /* a bit for each orientation and for any: is the best order settled among those that cost the same? */
    bool run;               /* a leaf: words that are visited in their order (shape->trees->runs) */
    bool atom;              /* a leaf, alone or around a block: it has no orientation, and may be a son of either kind of node */
    double rest;            /* the cost of an order is at least that of its piece and this */
    double more;            /* by how much more it is guessed to cost; no less than 0 */
    double cost[2];         /* by orientation; of an atom: twice the same; INFINITY: there is none */
    uint32_t edge[2];       /* the first of each is the best one; if not all are kept, the others cost the same */
} pfi_item;

/* A whole order: an item and what it costs beyond it. */
typedef struct {
    uint32_t item;
    double cost;
} pfi_whole_order;

typedef struct {
    const pfi_pieces *pieces;
    const pfi_shape *shape;
    pfi_speech speech;        /* for the order of ties */
    uint32_t *slot;           /* of each alternative */
    PF_VEC(pfi_item) items;
    PF_VEC(pfi_tree_edge) edges;
    PF_VEC(pfi_whole_order) whole;
    bool keep_all;            /* edges that are not the best of their item; else those that cost more are not kept */
    uint32_t *scratch[2];     /* of n alternatives each */
    pf_arc *arc[2];           /* scratch: two orders that are compared */
} pfi_forest;

/* Borrows the words and the units, which may be NULL. pfi_forest_free is to be called after an error, too. PF_ENOMEM. */
pf_err pfi_forest_init(pfi_forest *forest, const pfi_pieces *pieces, const pf_units *units);
void pfi_forest_free(pfi_forest *forest);
void pfi_forest_clear(pfi_forest *forest);

/* The bytes that its items and edges take. */
uint64_t pfi_forest_bytes(const pfi_forest *forest);

/* The cost of an item's best order of an orientation, or of any. */
static inline double pfi_item_cost(const pfi_item *item, unsigned which) {
    return which < PFI_ANY ? item->cost[which] : item->cost[0] <= item->cost[1] ? item->cost[0] : item->cost[1];
}

/* Is a straight node of the two a leaf, read in order? A word is one (NULL). */
static inline bool pfi_makes_run(const pfi_shape *shape, const pfi_item *first, const pfi_item *second) {
    if (!shape->trees || !shape->trees->runs) return false;
    return !first || (first->run && second->run);
}

/* Which orientation the sons of an edge may have. */
void pfi_edge_sons(const pfi_forest *forest, const pfi_tree_edge *edge, unsigned which[2]);

/* Offers an edge to an item: it is kept if no other one costs less, or all are kept. PF_ENOMEM, PF_ELIMIT. */
pf_err pfi_forest_offer(pfi_forest *forest, uint32_t item, unsigned orientation, const pfi_tree_edge *edge, double cost);

/* Settles which orientation of an item is the best. To be called before it is a son. If not all edges are kept, orders that cost
 * the same are left to pfi_forest_resolve, which settles them for the best order of an item and for all its parts, before that
 * order is asked for. */
void pfi_forest_settle(pfi_forest *forest, uint32_t item);
void pfi_forest_resolve(pfi_forest *forest, uint32_t item, unsigned which);

/* Writes the alternatives of the best order over an edge; of the best order of an item. Return how many. */
unsigned pfi_forest_edge_order(const pfi_forest *forest, const pfi_tree_edge *edge, uint32_t *to);
unsigned pfi_forest_order(const pfi_forest *forest, uint32_t item, unsigned which, uint32_t *to);
unsigned pfi_forest_leaf(const pfi_forest *forest, uint32_t leaf, uint32_t *to);

/* Compares orders of one span that cost the same as paths are compared (search/ties.h): arcs, inputs, outputs. O(n). */
int pfi_forest_compare(const pfi_forest *forest, const uint32_t *one, unsigned n_one, const uint32_t *other, unsigned n_other);

/* The labels of an alternative's arc. */
static inline pf_label pfi_forest_in(const pfi_forest *forest, uint32_t arc) {
    const pf_slots_view *slots = &forest->pieces->slots;
    return slots->positions ? (pf_label)(forest->slot[arc] + 1) : slots->arc[arc].in;
}

#endif
