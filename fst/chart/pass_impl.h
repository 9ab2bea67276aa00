/* What the parts of a pass share: spans (pass.c), lists of their items (lists.c), and nodes (nodes.c). Private to the pass. */
#ifndef PF_CHART_PASS_IMPL_H
#define PF_CHART_PASS_IMPL_H

#include "chart/grid_rows.h"
#include "chart/pass.h"

#include "base/contract.h"
#include "search/limits.h"

#include <string.h>

/* An item in a list: what joins it to another one, so that this needs no look at the item. */
typedef struct {
    double cost; /* of its best order of the list's orientation */
    pfi_piece_sides sides;
    uint32_t item;
    bool run;
} pfi_listed_item;

typedef struct {
    const pfi_listed_item *item;
    pfi_list_costs costs;
} pfi_item_list;

/* The items of a span that may be a son, by orientation. */
typedef struct {
    size_t at[4], n[4]; /* in pass->listed; atoms: where the span crosses a zone */
    uint32_t low[4];    /* as in pfi_list_costs */
} pfi_span_lists;

/* Where an item is found by its sides. */
typedef struct {
    uint32_t span; /* the number of the span that this was written for */
    uint32_t item;
} pfi_item_slot;

/* What tells an item apart from others of the same sides. */
typedef struct {
    bool run, atom;
} pfi_item_form;

/* One node: a grid of pairs. */
typedef struct {
    pfi_item_list first, second;
    unsigned orientation;
    double cost;      /* the least of it */
    double beyond[2]; /* what it costs more: where it makes no run; where it makes one */
} pfi_node_grid;

/* What a list is sorted by: less is moved than if items were. */
typedef struct {
    double key;
    uint32_t item, left;
} pfi_list_key;

typedef struct {
    pfi_forest *forest;
    pfi_pieces *pieces;
    const pfi_shape *shape;
    const pfi_outside *outside;
    const pf_best_options *options;
    const pfi_chart_pass *how;
    double limit;             /* with the slack of the bounds */
    double low;               /* bounds that are less are low: pairs of them are looked at, not dropped */
    double *dropped;
    uint64_t joined, steps, due; /* pairs; at so many steps limits are asked for */
    pfi_span_lists *lists;    /* of each span, by i * (n + 1) + k */
    PF_VEC(pfi_listed_item) listed;
    PF_VEC(double) total, least, more, inner; /* of each of them: pfi_list_costs */
    PF_VEC(uint32_t) row, last;
    pfi_item_slot *slots;
    size_t mask;
    /* The span that is being filled. */
    unsigned begin, end;
    uint32_t number;          /* of it, from 1 */
    size_t first_item;
    bool crossing;            /* it crosses a zone */
    double outer;             /* the least outside cost of it */
    uint32_t columns;
    uint32_t *local;          /* of each kind: the column of an alternative in the span */
    float *rest;              /* (kinds + 1) x kinds: by row and last of an item, for those of the span. Guesses: NAN where not
                                 asked yet */
    float *after;             /* (alternatives + 1) x alternatives: as pieces->after has them by kind */
    float *product;           /* scratch: by alternatives of the span */
    float *beyond;            /* where items are ranked: of each alternative of the span, the last one, and each kind before it:
                                 what all else costs; pfi_pieces_befores() for each */
    PF_VEC(pfi_node_grid) grids;
    PF_VEC(pfi_grid_pair) pairs;
    PF_VEC(uint32_t) near;    /* of each row of a grid that is looked at: how many of its columns are */
    double worth;             /* pairs of no less rank are not looked for */
    PF_VEC(pfi_list_key) keys, merged;
    PF_VEC(double) ranks;
    uint32_t *meets;          /* guesses: of each place, where the items begin in a list that have it before them */
    size_t places;
} pfi_chart_filler;

static inline const pfi_span_lists *pfi_pass_lists(const pfi_chart_filler *pass, unsigned i, unsigned k) {
    return &pass->lists[i * (pass->shape->n + (size_t)1) + k];
}

static inline pfi_item_list pfi_pass_items(const pfi_chart_filler *pass, const pfi_span_lists *lists, unsigned which) {
    const size_t at = lists->at[which];
    return (pfi_item_list){pass->listed.at + at,
                           {pass->total.at + at, pass->least.at + at, pass->more.at + at, pass->inner.at + at, pass->row.at + at,
                            pass->last.at + at, (uint32_t)lists->n[which], lists->low[which]}};
}

enum { PFI_STEPS = 4096 }; /* between questions for the limits */

/* Asks for the limits that are for this pass. */
pf_err pfi_pass_limits(pfi_chart_filler *pass);

/* Some pairs, or places for a leaf, were looked at. */
static inline pf_err pfi_pass_steps(pfi_chart_filler *pass, size_t steps) {
    pass->steps += steps;
    return pass->steps < pass->due ? PF_OK : pfi_pass_limits(pass);
}

static inline pf_err pfi_pass_step(pfi_chart_filler *pass) { return pfi_pass_steps(pass, 1); }

static inline void pfi_pass_drop(pfi_chart_filler *pass, double total) {
    if (total < *pass->dropped) *pass->dropped = total;
}

/* What an order costs at least beyond a piece of the span, of which the kinds are known. */
float pfi_pass_ask_rest(pfi_chart_filler *pass, uint32_t row, uint32_t last);

static inline double pfi_pass_rest(pfi_chart_filler *pass, uint32_t row, uint32_t last) {
    if (!pass->outside->wide) return pass->outer;
    const float known = pass->rest[(size_t)row * pass->pieces->kinds.n + last];
    return (double)(known == known ? known : pfi_pass_ask_rest(pass, row, last));
}

/* A piece of the span that an edge makes, of so much cost. */
pf_err pfi_pass_offer(pfi_chart_filler *pass, const pfi_piece_sides *sides, pfi_item_form form, unsigned orientation,
                      const pfi_tree_edge *edge, double cost);

/* All nodes of the span. */
pf_err pfi_pass_nodes(pfi_chart_filler *pass);

/* Lists the items of the span, which are final. */
pf_err pfi_pass_list(pfi_chart_filler *pass);

/* Makes room for `n` more entries of lists. */
pf_err pfi_pass_list_room(pfi_chart_filler *pass, size_t n);

#endif
