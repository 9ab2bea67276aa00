/* A layered drawing (Sugiyama, Tagawa & Toda 1981): levels are given; the nodes of a level are put in an order with few crossings
 * by barycentres; then each node goes as near to the middle of its neighbours as the order lets it, which is least squares with an
 * order (pool adjacent violators). Integers only, so that every machine draws the same. ROUNDS rounds of O(edges), with sorting. */
#include "draw/layout_impl.h"

#include <assert.h>
#include <stdlib.h>

enum { ROUNDS = 24, SETTLING = 12 };

/* ---- edges ---- */

typedef struct {
    pf_state to;
    uint32_t arc;
} arc_by_target;

static int by_target(const void *first, const void *second) {
    const arc_by_target *one = first, *other = second;
    if (one->to != other->to) return one->to < other->to ? -1 : 1;
    return (one->arc > other->arc) - (one->arc < other->arc);
}

/* Adds an arc to the edge before it, if it goes to the same state. */
static pf_err add_arc(pfi_layout *layout, pf_state from, pf_state to, size_t first_edge, size_t arc) {
    const pfi_shown_machine *shown = layout->shown;
    bool grey = pfi_arc_is_grey(shown, arc);
    if (layout->edges.n == first_edge || layout->edges.at[layout->edges.n - 1].to != to)
        PF_TRY(PF_PUSH(&layout->edges,
                       ((pfi_edge_placed){.from = from, .to = to, .first_arc = layout->arc_order.n, .grey = true})));
    pfi_edge_placed *edge = &layout->edges.at[layout->edges.n - 1];
    edge->arcs++;
    edge->bits |= shown->bits[arc];
    edge->grey = edge->grey && grey;
    return PF_PUSH(&layout->arc_order, arc);
}

static pf_err add_edges(pfi_layout *layout, pf_state from) {
    pf_arcs arcs = pf_fst_arcs(layout->shown->fst, from);
    arc_by_target *sorted = calloc((size_t)arcs.n + 1, sizeof *sorted);
    size_t first_edge = layout->edges.n;
    pf_err err = sorted ? PF_OK : pf_nomem();
    for (uint32_t i = 0; !err && i < arcs.n; i++) sorted[i] = (arc_by_target){arcs.arc[i].to, i};
    if (!err) qsort(sorted, arcs.n, sizeof *sorted, by_target);
    for (uint32_t arc = 0; !err && arc < arcs.n; arc++)
        err = add_arc(layout, from, sorted[arc].to, first_edge, layout->shown->first[from] + sorted[arc].arc);
    free(sorted);
    return err;
}

/* A bend on each level between the ends. */
static pf_err add_way(pfi_layout *layout, pfi_edge_placed *edge) {
    const unsigned *level = layout->shown->level;
    bool back = level[edge->from] > level[edge->to];
    pf_state low = back ? edge->to : edge->from, high = back ? edge->from : edge->to;
    edge->first_node = layout->way.n;
    if (edge->from == edge->to) return PF_OK;
    assert(level[low] < level[high]);
    PF_TRY(PF_PUSH(&layout->way, low));
    for (unsigned at = level[low] + 1; at < level[high]; at++) {
        PF_TRY(PF_PUSH(&layout->way, (uint32_t)layout->nodes.n));
        PF_TRY(PF_PUSH(&layout->nodes, ((pfi_node_placed){.level = at, .state = PF_NO_STATE})));
    }
    PF_TRY(PF_PUSH(&layout->way, high));
    edge->nodes = layout->way.n - edge->first_node;
    return PF_OK;
}

/* ---- columns ---- */

typedef struct {
    const pf_cover *cover; /* NULL: a bend, or there are no coverages */
    unsigned nw;
    uint32_t node;
} placed_by_cover;

/* States of a level begin in the order of their coverages, those with early positions first; then by number, bends last. */
static int by_cover(const void *first, const void *second) {
    const placed_by_cover *one = first, *other = second;
    for (unsigned word = 0; one->cover && other->cover && word < one->nw; word++) {
        uint64_t differ = one->cover[word] ^ other->cover[word];
        if (differ) return one->cover[word] & (differ & -differ) ? -1 : 1;
    }
    return (one->node > other->node) - (one->node < other->node);
}

static pf_err fill_column(pfi_layout *layout, unsigned level, placed_by_cover *sorted) {
    const pfi_shown_machine *shown = layout->shown;
    unsigned nw = pf_cover_words(shown->positions);
    uint32_t count = 0;
    for (uint32_t node = 0; node < layout->nodes.n; node++) {
        if (layout->nodes.at[node].level != level) continue;
        sorted[count++] = (placed_by_cover){shown->cover && node < shown->states ? pfi_shown_cover(shown, node) : NULL, nw, node};
    }
    qsort(sorted, count, sizeof *sorted, by_cover);
    layout->column[level] = calloc((size_t)count + 1, sizeof **layout->column);
    if (!layout->column[level]) return pf_nomem();
    layout->columns[level] = count;
    for (uint32_t place = 0; place < count; place++) {
        layout->column[level][place] = sorted[place].node;
        layout->nodes.at[sorted[place].node].place = place;
    }
    return PF_OK;
}

static pf_err fill_columns(pfi_layout *layout) {
    placed_by_cover *sorted = calloc(layout->nodes.n + 1, sizeof *sorted);
    layout->column = calloc((size_t)layout->shown->levels + 1, sizeof *layout->column);
    layout->columns = calloc((size_t)layout->shown->levels + 1, sizeof *layout->columns);
    pf_err err = sorted && layout->column && layout->columns ? PF_OK : pf_nomem();
    for (unsigned level = 0; !err && level < layout->shown->levels; level++) err = fill_column(layout, level, sorted);
    free(sorted);
    return err;
}

/* ---- neighbours ---- */

/* The neighbours of a node are at[begin[node]] .. at[begin[node+1]-1], those of both sides together. */
typedef struct {
    size_t *begin;
    uint32_t *at;
    int *pull; /* how much the edge wants to be level */
} neighbours;

enum { PULL = 1, PULL_BEST = 4, PULL_BEND = 8 };

static int pull_of(const pfi_layout *layout, const pfi_edge_placed *edge, uint32_t one, uint32_t other) {
    if (layout->nodes.at[one].state == PF_NO_STATE && layout->nodes.at[other].state == PF_NO_STATE) return PULL_BEND;
    return edge->bits & PFI_ARC_BEST ? PULL_BEST : PULL;
}

/* Counts where there are no lists yet, else fills them. */
static void note_neighbours(const pfi_layout *layout, neighbours *near, size_t *filled) {
    for (size_t number = 0; number < layout->edges.n; number++) {
        const pfi_edge_placed *edge = &layout->edges.at[number];
        for (size_t place = 0; place + 1 < edge->nodes; place++) {
            uint32_t end[2] = {layout->way.at[edge->first_node + place], layout->way.at[edge->first_node + place + 1]};
            for (int side = 0; side < 2; side++) {
                if (!filled) {
                    near->begin[end[side] + 1]++;
                    continue;
                }
                near->pull[filled[end[side]]] = pull_of(layout, edge, end[0], end[1]);
                near->at[filled[end[side]]++] = end[!side];
            }
        }
    }
}

static pf_err find_neighbours(const pfi_layout *layout, neighbours *near) {
    size_t nodes = layout->nodes.n;
    near->begin = calloc(nodes + 2, sizeof *near->begin);
    if (!near->begin) return pf_nomem();
    note_neighbours(layout, near, NULL);
    for (size_t i = 0; i < nodes; i++) near->begin[i + 1] += near->begin[i];
    near->at = calloc(near->begin[nodes] + 1, sizeof *near->at);
    near->pull = calloc(near->begin[nodes] + 1, sizeof *near->pull);
    size_t *filled = calloc(nodes + 1, sizeof *filled);
    pf_err err = near->at && near->pull && filled ? PF_OK : pf_nomem();
    for (size_t i = 0; !err && i < nodes; i++) filled[i] = near->begin[i];
    if (!err) note_neighbours(layout, near, filled);
    free(filled);
    return err;
}

static void neighbours_free(neighbours *near) {
    free(near->begin);
    free(near->at);
    free(near->pull);
}

/* ---- the order in a column ---- */

typedef struct {
    int64_t key;
    uint32_t place, node;
} placed_by_key;

static int by_key(const void *first, const void *second) {
    const placed_by_key *one = first, *other = second;
    if (one->key != other->key) return one->key < other->key ? -1 : 1;
    return (one->place > other->place) - (one->place < other->place);
}

/* The mean place of the neighbours on one level, in thousandths; its own place where there are none. */
static int64_t barycentre(const pfi_layout *layout, const neighbours *near, uint32_t node, unsigned level) {
    int64_t sum = 0, count = 0;
    for (size_t at = near->begin[node]; at < near->begin[node + 1]; at++) {
        const pfi_node_placed *other = &layout->nodes.at[near->at[at]];
        if (other->level != level) continue;
        sum += other->place;
        count++;
    }
    return count ? 1000 * sum / count : 1000 * (int64_t)layout->nodes.at[node].place;
}

static void sort_column(pfi_layout *layout, const neighbours *near, unsigned level, unsigned fixed, placed_by_key *sorted) {
    uint32_t count = layout->columns[level];
    for (uint32_t place = 0; place < count; place++) {
        uint32_t node = layout->column[level][place];
        sorted[place] = (placed_by_key){barycentre(layout, near, node, fixed), place, node};
    }
    qsort(sorted, count, sizeof *sorted, by_key);
    for (uint32_t place = 0; place < count; place++) {
        layout->column[level][place] = sorted[place].node;
        layout->nodes.at[sorted[place].node].place = place;
    }
}

/* From the left to the right, and back. */
static pf_err sort_columns(pfi_layout *layout, const neighbours *near) {
    placed_by_key *sorted = calloc(layout->nodes.n + 1, sizeof *sorted);
    unsigned levels = layout->shown->levels;
    if (!sorted) return pf_nomem();
    for (int round = 0; round < ROUNDS; round++) {
        for (unsigned level = 1; round % 2 == 0 && level < levels; level++) sort_column(layout, near, level, level - 1, sorted);
        for (unsigned level = levels; round % 2 && level-- > 1;) sort_column(layout, near, level - 1, level, sorted);
    }
    free(sorted);
    return PF_OK;
}

/* ---- heights ---- */

/* Neighbours in a column that want to be nearer than they may be: they stand side by side, at the mean of what they want. */
typedef struct {
    int64_t sum, weight;
    uint32_t nodes;
} pool;

static int64_t mean_of(const pool *block) {
    assert(block->weight > 0);
    return (block->sum >= 0 ? block->sum : block->sum - block->weight + 1) / block->weight;
}

static pool wish(const pfi_layout *layout, const neighbours *near, uint32_t node, int64_t offset) {
    pool block = {0, 0, 1};
    for (size_t at = near->begin[node]; at < near->begin[node + 1]; at++) {
        block.sum += near->pull[at] * (layout->nodes.at[near->at[at]].y - offset);
        block.weight += near->pull[at];
    }
    if (!block.weight) block = (pool){layout->nodes.at[node].y - offset, 1, 1};
    return block;
}

static void settle_column(pfi_layout *layout, const neighbours *near, unsigned level, int apart, pool *pools) {
    uint32_t count = 0, place = 0;
    for (uint32_t row = 0; row < layout->columns[level]; row++) {
        pools[count++] = wish(layout, near, layout->column[level][row], (int64_t)row * apart);
        for (; count > 1 && mean_of(&pools[count - 2]) >= mean_of(&pools[count - 1]); count--) {
            pools[count - 2].sum += pools[count - 1].sum;
            pools[count - 2].weight += pools[count - 1].weight;
            pools[count - 2].nodes += pools[count - 1].nodes;
        }
    }
    for (uint32_t block = 0; block < count; block++)
        for (uint32_t end = place + pools[block].nodes; place < end; place++)
            layout->nodes.at[layout->column[level][place]].y = (int)(mean_of(&pools[block]) + (int64_t)place * apart);
}

static void shift_to_zero(pfi_layout *layout) {
    int least = 0, most = 0;
    for (size_t node = 0; node < layout->nodes.n; node++) {
        int y = layout->nodes.at[node].y;
        if (!node || y < least) least = y;
        if (!node || y > most) most = y;
    }
    for (size_t i = 0; i < layout->nodes.n; i++) layout->nodes.at[i].y -= least;
    layout->height = most - least;
}

/* Each column begins in the middle. */
static pf_err settle(pfi_layout *layout, const neighbours *near, int apart) {
    unsigned levels = layout->shown->levels;
    pool *pools = calloc(layout->nodes.n + 1, sizeof *pools);
    if (!pools) return pf_nomem();
    for (size_t number = 0; number < layout->nodes.n; number++) {
        pfi_node_placed *node = &layout->nodes.at[number];
        node->y = (2 * (int)node->place - (int)layout->columns[node->level]) * apart / 2;
    }
    for (int round = 0; round < SETTLING; round++) {
        for (unsigned level = 0; level < levels; level++) settle_column(layout, near, level, apart, pools);
        for (unsigned level = levels; level-- > 0;) settle_column(layout, near, level, apart, pools);
    }
    free(pools);
    shift_to_zero(layout);
    return PF_OK;
}

/* ---- the whole ---- */

pf_err pfi_layout_make(const pfi_shown_machine *shown, int apart, pfi_layout *out) {
    neighbours near = {0};
    assert(apart > 0);
    *out = (pfi_layout){.shown = shown};
    for (pf_state state = 0; state < shown->states; state++)
        PF_TRY(PF_PUSH(&out->nodes, ((pfi_node_placed){.level = shown->level[state], .state = state})));
    for (pf_state state = 0; state < shown->states; state++) PF_TRY(add_edges(out, state));
    for (size_t e = 0; e < out->edges.n; e++) PF_TRY(add_way(out, &out->edges.at[e]));
    PF_TRY(fill_columns(out));
    pf_err err = find_neighbours(out, &near);
    if (!err) err = sort_columns(out, &near);
    if (!err) err = settle(out, &near, apart);
    neighbours_free(&near);
    return err;
}

void pfi_layout_free(pfi_layout *layout) {
    for (unsigned level = 0; layout->column && level < layout->shown->levels; level++) free(layout->column[level]);
    free(layout->column);
    free(layout->columns);
    PF_VEC_FREE(&layout->nodes);
    PF_VEC_FREE(&layout->edges);
    PF_VEC_FREE(&layout->way);
    PF_VEC_FREE(&layout->arc_order);
    *layout = (pfi_layout){0};
}
