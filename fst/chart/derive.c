/* The n best orders, lazily (Huang & Chiang 2005, algorithm 3).
 *
 * A node is an item with an orientation, or with any. It has a list of its best derivations, in order; a derivation is an
 * edge with the rank of a derivation in the list of each of its sons. The list grows when one more is asked for: the
 * successors of its last derivation, with the next rank of one son, join the candidates, and the best candidate is the next
 * derivation. The first of each list is known from the forest.
 *
 * Where trees of one order cost different sums, a list has each order once, by its best tree: another tree of it is passed over
 * when its turn comes, but has successors. So no list is longer than there are orders, and few trees of one order meet in
 * a node. */
#include "chart/derive.h"

#include <permfst/base/heap.h>
#include <permfst/base/statetab.h>

#include <assert.h>
#include <stdlib.h>

/* A way to make a node: of two sons, of one (a node of any orientation; the root; a block with a leaf around it), or of a leaf. */
typedef struct {
    double cost, own;   /* of the whole derivation; of its edge */
    uint32_t son[2];    /* nodes; PFI_NONE */
    uint32_t rank[2];   /* of the sons' derivations */
    uint32_t leaf;      /* PFI_NONE: none */
    bool leaf_last;     /* it is visited after its son */
} order_derivation;

typedef struct {
    const pfi_derivations *all;
    PF_VEC(order_derivation) list, candidates;
    pf_heap heap;
    order_derivation last; /* that was taken from the candidates, also one that was passed over */
    bool grown;            /* its successors are among the candidates */
    pf_statetab *orders;   /* of the list, where an order may come again; NULL */
} order_node;

struct pfi_derivations {
    const pfi_forest *forest;
    order_node **node;  /* 3 of each item, then the root; NULL: not met yet */
    uint32_t *order[2]; /* scratch: alternatives */
    size_t made;        /* derivations in lists, and candidates */
};

static uint32_t node_of(const pfi_forest *forest, uint32_t item, unsigned which) {
    assert(item < forest->items.n && (forest->items.at[item].atom || which <= PFI_ANY));
    return 3 * item + (forest->items.at[item].atom ? PFI_STRAIGHT : which);
}

static double cost_of(const pfi_derivations *all, uint32_t node, uint32_t rank) {
    if (!rank) return pfi_item_cost(&all->forest->items.at[node / 3], node % 3);
    assert(rank < all->node[node]->list.n);
    return all->node[node]->list.at[rank].cost;
}

static unsigned write_order(const pfi_derivations *all, uint32_t node, uint32_t rank, uint32_t *to);

static unsigned write_derivation(const pfi_derivations *all, const order_derivation *one, uint32_t *to) {
    unsigned n = 0;
    if (one->leaf != PFI_NONE && !one->leaf_last) n += pfi_forest_leaf(all->forest, one->leaf, to);
    for (unsigned son = 0; son < 2 && one->son[son] != PFI_NONE; son++)
        n += write_order(all, one->son[son], one->rank[son], to + n);
    if (one->leaf != PFI_NONE && one->leaf_last) n += pfi_forest_leaf(all->forest, one->leaf, to + n);
    return n;
}

static unsigned write_order(const pfi_derivations *all, uint32_t node, uint32_t rank, uint32_t *to) {
    if (!rank) return pfi_forest_order(all->forest, node / 3, node % 3, to);
    assert(rank < all->node[node]->list.n);
    return write_derivation(all, &all->node[node]->list.at[rank], to);
}

static bool candidate_before(const void *self, uint32_t first, uint32_t second) {
    const order_node *node = self;
    const order_derivation *one = &node->candidates.at[first], *other = &node->candidates.at[second];
    if (one->cost != other->cost) return one->cost < other->cost;
    const pfi_derivations *all = node->all;
    const unsigned n_one = write_derivation(all, one, all->order[0]), n_other = write_derivation(all, other, all->order[1]);
    return pfi_forest_compare(all->forest, all->order[0], n_one, all->order[1], n_other) < 0;
}

/* Its cost, as the pass has added it up. */
static pf_err add_candidate(const pfi_derivations *all, order_node *to, order_derivation one) {
    one.cost = one.son[0] == PFI_NONE ? 0 : cost_of(all, one.son[0], one.rank[0]);
    if (one.son[1] != PFI_NONE) one.cost += cost_of(all, one.son[1], one.rank[1]);
    one.cost += one.own;
    PF_TRY(PF_PUSH(&to->candidates, one));
    return pf_heap_push(&to->heap, (uint32_t)to->candidates.n - 1);
}

static pf_err add_edges(const pfi_derivations *all, order_node *to, uint32_t first) {
    const pfi_forest *forest = all->forest;
    for (uint32_t id = first; id != PFI_NONE; id = forest->edges.at[id].next) {
        const pfi_tree_edge *edge = &forest->edges.at[id];
        order_derivation one = {.own = edge->cost, .son = {PFI_NONE, PFI_NONE}, .leaf = edge->leaf,
                                .leaf_last = edge->first != PFI_NONE};
        unsigned which[2], sons = 0;
        pfi_edge_sons(forest, edge, which);
        if (edge->first != PFI_NONE) one.son[sons++] = node_of(forest, edge->first, which[0]);
        if (edge->second != PFI_NONE) one.son[sons++] = node_of(forest, edge->second, which[1]);
        PF_TRY(add_candidate(all, to, one));
    }
    return PF_OK;
}

static pf_err add_orientations(const pfi_derivations *all, order_node *to, uint32_t item) {
    for (unsigned which = PFI_STRAIGHT; which <= PFI_INVERTED; which++) {
        order_derivation one = {.son = {3 * item + which, PFI_NONE}, .leaf = PFI_NONE};
        if (all->forest->items.at[item].edge[which] != PFI_NONE) PF_TRY(add_candidate(all, to, one));
    }
    return PF_OK;
}

/* The node with its first candidates. */
static pf_err meet(pfi_derivations *all, uint32_t node) {
    const pfi_forest *forest = all->forest;
    const uint32_t root = 3 * (uint32_t)forest->items.n;
    order_node *fresh = all->node[node] = calloc(1, sizeof *fresh);
    if (!fresh) return pf_nomem();
    fresh->all = all;
    fresh->heap.before = candidate_before;
    fresh->heap.self = fresh;
    fresh->grown = true;
    if (forest->shape->free_trees) {
        if (!(fresh->orders = malloc(sizeof *fresh->orders))) return pf_nomem();
        pf_statetab_init(fresh->orders, 0);
    }
    if (node < root && node % 3 == PFI_ANY) return add_orientations(all, fresh, node / 3);
    if (node < root) return add_edges(all, fresh, forest->items.at[node / 3].edge[node % 3]);
    for (size_t i = 0; i < forest->whole.n; i++) {
        const pfi_whole_order *whole = &forest->whole.at[i];
        order_derivation one = {.own = whole->cost, .son = {node_of(forest, whole->item, PFI_ANY), PFI_NONE}, .leaf = PFI_NONE};
        PF_TRY(add_candidate(all, fresh, one));
    }
    return PF_OK;
}

static pf_err ask(pfi_derivations *all, uint32_t node, size_t want);

/* The successors of the list's last: each derivation has one predecessor. */
static pf_err grow(pfi_derivations *all, order_node *node) {
    const order_derivation last = node->last;
    for (unsigned son = 0; son < 2 && last.son[son] != PFI_NONE; son++) {
        order_derivation next = last;
        if (son == 0 && last.son[1] != PFI_NONE && last.rank[1]) continue;
        next.rank[son]++;
        PF_TRY(ask(all, next.son[son], next.rank[son] + (size_t)1));
        if (all->node[next.son[son]]->list.n > next.rank[son]) PF_TRY(add_candidate(all, node, next));
    }
    node->grown = true;
    return PF_OK;
}

/* Is the order of the last derivation not in the list yet? */
static pf_err is_fresh(const pfi_derivations *all, order_node *node, bool *fresh) {
    uint32_t id;
    int added;
    *fresh = true;
    if (!node->orders) return PF_OK;
    unsigned n = write_derivation(all, &node->last, all->order[0]);
    PF_TRY(pf_statetab_intern(node->orders, all->order[0], n * sizeof *all->order[0], &id, &added));
    *fresh = added;
    return PF_OK;
}

/* Lets a list have `want` derivations, if there are as many. The depth of calls is that of the tree. */
static pf_err ask(pfi_derivations *all, uint32_t id, size_t want) {
    if (!all->node[id]) {
        PF_TRY(meet(all, id));
        all->made += all->node[id]->candidates.n;
    }
    order_node *node = all->node[id];
    bool fresh;
    while (node->list.n < want) {
        if (!node->grown) PF_TRY(grow(all, node));
        if (!node->heap.n) return PF_OK;
        node->last = node->candidates.at[pf_heap_pop(&node->heap)];
        node->grown = false;
        PF_TRY(is_fresh(all, node, &fresh));
        if (fresh) PF_TRY(PF_PUSH(&node->list, node->last));
        all->made += 1 + 2; /* and two successors */
    }
    return PF_OK;
}

/* ---- all of them ---- */

pf_err pfi_derivations_new(const pfi_forest *forest, pfi_derivations **out) {
    const size_t n = forest->shape->n + (size_t)1;
    assert(forest->keep_all);
    pfi_derivations *all = *out = calloc(1, sizeof *all);
    if (!all) return pf_nomem();
    all->forest = forest;
    all->node = calloc(3 * forest->items.n + 1, sizeof *all->node);
    all->order[0] = malloc(n * sizeof *all->order[0]);
    all->order[1] = malloc(n * sizeof *all->order[1]);
    if (all->node && all->order[0] && all->order[1]) return PF_OK;
    pfi_derivations_free(all);
    *out = NULL;
    return pf_nomem();
}

void pfi_derivations_free(pfi_derivations *all) {
    if (!all) return;
    for (size_t i = 0; all->node && i <= 3 * all->forest->items.n; i++) {
        if (!all->node[i]) continue;
        PF_VEC_FREE(&all->node[i]->list);
        PF_VEC_FREE(&all->node[i]->candidates);
        pf_heap_free(&all->node[i]->heap);
        if (all->node[i]->orders) pf_statetab_free(all->node[i]->orders);
        free(all->node[i]->orders);
        free(all->node[i]);
    }
    free(all->node);
    free(all->order[0]);
    free(all->order[1]);
    free(all);
}

uint64_t pfi_derivations_bytes(const pfi_derivations *all) {
    return 3 * all->forest->items.n * sizeof *all->node + all->made * (sizeof(order_derivation) + sizeof(uint32_t));
}

pf_err pfi_derivations_at(pfi_derivations *all, size_t k, uint32_t *order, unsigned *n, double *cost, bool *there) {
    const uint32_t root = 3 * (uint32_t)all->forest->items.n;
    PF_TRY(ask(all, root, k + 1));
    *there = all->node[root]->list.n > k;
    if (!*there) return PF_OK;
    const order_derivation *one = &all->node[root]->list.at[k];
    *cost = one->cost;
    *n = write_derivation(all, one, order);
    return PF_OK;
}
