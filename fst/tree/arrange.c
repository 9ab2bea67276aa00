/* The order of a node's blocks with the least sum of squares, then the fewest jumps, then the least break count, then the smallest
 * numbers.
 *
 * sides.c finds how many blocks of each size, of each class, stand left of the unit; there may be several choices. A choice makes a
 * chain of groups: on the left from the largest size to the smallest, the unit, on the right from the smallest to the largest.
 * Within a group all orders cost the same squares, so the rest is to find the break count, the sum of max(0, a - b + 1) over
 * neighbours a b. Where blocks of a class jump, they do so to one side only, and which of them jump is open too.
 *
 * The least break count is a recursion over classes, from the smallest on: a table has it for all that is inside a class, for each
 * block that may stand before this and each that may stand behind it, and split.c puts the two groups of the next class around it.
 * The nodes of the graph of choices have a table each. The table of all classes has the least break count of all orders.
 *
 * The order is then written from the left, and each place gets the smallest block with which the least break count can still be
 * reached. What is left of a class that was begun is a class again, so the same tables tell; on the right of the larger classes is
 * what is not on their left. So nothing that is written is ever taken back.
 *
 * O(b^3 s) for a table and O(n b^3 s) for writing, for classes of b blocks, s = (those that may jump) x (those that do) and n blocks
 * in all. */
#include "tree/arrange.h"
#include "tree/sides.h"
#include "tree/split.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = -1 };

typedef PF_VEC(uint32_t) numbers;
typedef PF_VEC(int32_t) costs;

/* What may come first behind a class on the right, and the least break count from it on. */
typedef struct {
    int32_t block, cost;
} beginning;
typedef PF_VEC(beginning) beginnings;

struct pfi_arranger {
    pfi_sides sides;
    const pfi_blocks *blocks;
    int32_t n;                 /* blocks */
    int32_t before, after;     /* limited: the fixed blocks on the left end with one, those on the right begin with one; or -1, n */
    numbers place;             /* of each block: see pfi_inside */
    costs table;
    PF_VEC(size_t) table_at;   /* of each node of the graph of choices, in table */
    PF_VEC(char) jumps;        /* of each block: its class loses some of this side, in one of the choices */
    numbers class_used;        /* of each class: how many stand on the left */
    size_t classes;            /* those that may still have blocks on the left: the smallest ones */
    PF_VEC(char) used;         /* of each block: it is placed */
    numbers order, best;       /* blocks */
    int32_t limit, cost;       /* the least break count; that of the blocks placed */
    numbers reached, next_reached; /* nodes of the graph that the left groups so far allow */
    beginnings behind, next_behind;
    costs group;               /* scratch */
    pfi_class_rest rest;
    pfi_splitter splitter;
};

pf_err pfi_arranger_new(pfi_arranger **out) {
    *out = calloc(1, sizeof **out);
    return *out ? PF_OK : pf_nomem();
}

void pfi_arranger_free(pfi_arranger *a) {
    if (!a) return;
    pfi_sides_free(&a->sides);
    pfi_splitter_free(&a->splitter);
    PF_VEC_FREE(&a->place);
    PF_VEC_FREE(&a->table);
    PF_VEC_FREE(&a->table_at);
    PF_VEC_FREE(&a->jumps);
    PF_VEC_FREE(&a->class_used);
    PF_VEC_FREE(&a->used);
    PF_VEC_FREE(&a->order);
    PF_VEC_FREE(&a->best);
    PF_VEC_FREE(&a->reached);
    PF_VEC_FREE(&a->next_reached);
    PF_VEC_FREE(&a->behind);
    PF_VEC_FREE(&a->next_behind);
    PF_VEC_FREE(&a->group);
    PF_VEC_FREE(&a->rest.block);
    PF_VEC_FREE(&a->rest.side);
    free(a);
}

uint64_t pfi_blocks_cost(const pfi_blocks *blocks, const uint32_t *order) {
    uint64_t sum = 0, distance = 1;
    uint32_t at = 0;
    while (order[at] != blocks->unit) at++;
    for (uint32_t i = at; i-- > 0; distance += blocks->size[order[i]]) sum += distance * distance;
    distance = 1;
    for (uint32_t i = at + 1; i < blocks->n; distance += blocks->size[order[i++]]) sum += distance * distance;
    return sum;
}

static int32_t least_of(int32_t one, int32_t other) { return one < other ? one : other; }

static pf_err check_steps(const pfi_arranger *a) {
    if (a->splitter.steps <= PFI_ARRANGE_LIMIT) return PF_OK;
    return pf_fail(PF_ELIMIT, "a node with %d blocks takes more than %llu steps", a->n, (unsigned long long)PFI_ARRANGE_LIMIT);
}

/* ---- tables ---- */

/* The rows and columns of the table of a node. */
static pfi_inside shape_of(const pfi_arranger *a, uint32_t node) {
    const pfi_sides *sides = &a->sides;
    uint32_t classes = sides->node.at[node].classes, items = (uint32_t)sides->item.n;
    uint32_t offset = classes < sides->class.n ? sides->class.at[classes].item : items;
    return (pfi_inside){.width = items - offset + 1,
                        .place = a->place.at,
                        .offset = offset,
                        .n = (uint32_t)a->n,
                        .unit = (int32_t)a->blocks->unit};
}

/* With its costs, which were filled. */
static pfi_inside inside_of(const pfi_arranger *a, uint32_t node) {
    pfi_inside inside = shape_of(a, node);
    if (a->sides.node.at[node].classes) inside.cost = a->table.at + a->table_at.at[node];
    return inside;
}

/* Of a class of which `left` blocks stand on the left: what is not placed, and where it may stand. Only blocks of the side that loses
 * some may jump. false: this cannot be, with what is placed. */
static pf_err class_rest(pfi_arranger *a, const pfi_class *class, uint32_t left, uint32_t gone, bool *possible) {
    uint32_t forced = 0;
    pfi_class_rest *rest = &a->rest;
    rest->block.n = rest->side.n = 0;
    *possible = false;
    for (uint32_t i = 0; i < class->n; i++) {
        uint32_t block = a->sides.item.at[class->item + i];
        bool was_left = i < class->left, may_jump = was_left ? left < class->left : left > class->left;
        if (a->used.at[block]) {
            if (!was_left && !may_jump) return PF_OK;
            continue;
        }
        forced += was_left && !may_jump;
        PF_TRY(PF_PUSH(&rest->block, (int32_t)block));
        PF_TRY(PF_PUSH(&rest->side, may_jump ? PFI_EITHER : was_left ? PFI_LEFT : PFI_RIGHT));
    }
    if (left < gone + forced) return PF_OK;
    rest->left = left - gone;
    *possible = true;
    return PF_OK;
}

/* The block of a row (left) or column of the table of a node, if it may stand on that side. */
static bool block_of(const pfi_arranger *a, const pfi_inside *inside, size_t row, bool left, int32_t *block) {
    *block = left ? a->before : a->after;
    if (!row) return true;
    *block = (int32_t)a->sides.item.at[inside->offset + row - 1];
    return a->jumps.at[*block] || (*block < inside->unit) == left;
}

static pf_err fill_edge(pfi_arranger *a, uint32_t node, const pfi_sides_edge *edge, int32_t *table) {
    const pfi_sides *sides = &a->sides;
    pfi_inside outer = shape_of(a, node), inner = inside_of(a, edge->to);
    int32_t before, after;
    bool possible;
    PF_TRY(class_rest(a, &sides->class.at[sides->node.at[node].classes - 1], edge->left, 0, &possible));
    assert(possible);
    for (size_t row = 0; row < outer.width; row++)
        for (size_t column = 0; column < outer.width; column++) {
            int32_t *cell = &table[row * outer.width + column];
            if (!block_of(a, &outer, row, true, &before) || !block_of(a, &outer, column, false, &after) || before == after) continue;
            PF_TRY(pfi_split(&a->splitter, &a->rest, &inner, before, after, *cell, cell));
            PF_TRY(check_steps(a));
        }
    return PF_OK;
}

static pf_err fill_table(pfi_arranger *a, uint32_t node) {
    const pfi_sides_node *of = &a->sides.node.at[node];
    size_t width = shape_of(a, node).width, cells = width * width;
    a->table_at.at[node] = a->table.n;
    if (!of->classes) return PF_OK;
    a->splitter.steps += cells;
    PF_TRY(check_steps(a));
    PF_TRY(PF_ROOM(&a->table, cells));
    for (size_t i = 0; i < cells; i++) a->table.at[a->table.n++] = PFI_UNREACHED;
    for (uint32_t i = 0; i < of->edges; i++)
        PF_TRY(fill_edge(a, node, &a->sides.edge.at[of->edge + i], a->table.at + a->table_at.at[node]));
    return PF_OK;
}

/* Edges lead to later nodes. */
static pf_err fill_tables(pfi_arranger *a) {
    size_t nodes = a->sides.node.n;
    a->table.n = 0;
    memset(a->used.at, 0, (size_t)a->n);
    PF_TRY(pf_vec_reserve(&a->table_at.at, &a->table_at.cap, nodes, sizeof *a->table_at.at));
    for (size_t node = nodes; node-- > 0;) PF_TRY(fill_table(a, (uint32_t)node));
    return PF_OK;
}

/* ---- what comes on the right ---- */

/* The least break count of a group and what is behind it, which begins with one of a->behind. */
static int32_t before_behind(const pfi_arranger *a, const int32_t *block, size_t n, int32_t before) {
    int32_t least = PFI_UNREACHED;
    for (size_t i = 0; i < a->behind.n; i++)
        least = least_of(least, pfi_group_cost(block, n, before, a->behind.at[i].block) + a->behind.at[i].cost);
    return least;
}

/* The blocks of a class that are not placed, to a->group. */
static pf_err unplaced(pfi_arranger *a, const pfi_class *class) {
    a->group.n = 0;
    for (uint32_t i = 0; i < class->n; i++) {
        uint32_t block = a->sides.item.at[class->item + i];
        if (!a->used.at[block]) PF_TRY(PF_PUSH(&a->group, (int32_t)block));
    }
    return PF_OK;
}

/* The group of a class comes before what is behind. With first block f it is ascending if f is its least; else it ends with an l below
 * f. */
static pf_err put_before(pfi_arranger *a, const pfi_class *class) {
    PF_TRY(unplaced(a, class));
    const int32_t *block = a->group.at;
    size_t n = a->group.n;
    if (!n) return PF_OK;
    a->next_behind.n = 0;
    int32_t turned = block[n - 1] - block[0] + 1;
    PF_TRY(PF_PUSH(&a->next_behind, ((beginning){block[0], before_behind(a, NULL, 0, block[n - 1])})));
    for (size_t f = 1; f < n; f++) {
        int32_t least = PFI_UNREACHED;
        for (size_t l = 0; l < f; l++)
            least = least_of(least, turned + (int32_t)(f - l - 1) + before_behind(a, NULL, 0, block[l]));
        PF_TRY(PF_PUSH(&a->next_behind, ((beginning){block[f], least})));
    }
    a->splitter.steps += n * n * a->behind.n;
    beginnings swap = a->behind;
    a->behind = a->next_behind;
    a->next_behind = swap;
    return check_steps(a);
}

/* What may come behind the right groups of the classes up to one: all blocks of larger classes that are not placed. */
static pf_err set_behind(pfi_arranger *a, size_t classes) {
    a->behind.n = 0;
    PF_TRY(PF_PUSH(&a->behind, ((beginning){a->after, 0})));
    for (size_t c = a->sides.class.n; c-- > classes;) PF_TRY(put_before(a, &a->sides.class.at[c]));
    return PF_OK;
}

/* ---- writing ---- */

static int32_t last_placed(const pfi_arranger *a) { return a->order.n ? (int32_t)a->order.at[a->order.n - 1] : NOWHERE; }

static pf_err put(pfi_arranger *a, uint32_t block) {
    a->cost += pfi_drop(last_placed(a), (int32_t)block);
    a->used.at[block] = true;
    return PF_PUSH(&a->order, block);
}

/* Can the limit be reached if `block` comes next, on the left, from a class of which `gone` blocks are on the left with it? What is
 * behind this class is in a->behind. */
static pf_err fits_left(pfi_arranger *a, size_t c, uint32_t block, uint32_t gone, bool *fits) {
    int32_t cost = a->cost + pfi_drop(last_placed(a), (int32_t)block);
    *fits = false;
    for (size_t k = 0; k < a->reached.n; k++) {
        const pfi_sides_node *node = &a->sides.node.at[a->reached.at[k]];
        for (uint32_t i = 0; i < node->edges; i++) {
            const pfi_sides_edge *edge = &a->sides.edge.at[node->edge + i];
            pfi_inside inside = inside_of(a, edge->to);
            bool possible;
            PF_TRY(class_rest(a, &a->sides.class.at[c], edge->left, gone, &possible));
            for (size_t b = 0; possible && b < a->behind.n; b++) {
                int32_t most = a->limit - cost - a->behind.at[b].cost, least;
                if (most < 0) continue;
                PF_TRY(pfi_split(&a->splitter, &a->rest, &inside, (int32_t)block, a->behind.at[b].block, most + 1, &least));
                PF_TRY(check_steps(a));
                *fits = least <= most;
                if (*fits) return PF_OK;
            }
        }
    }
    return PF_OK;
}

/* The smallest block of class c that can come next and is smaller than *best. */
static pf_err next_of_class(pfi_arranger *a, size_t c, uint32_t *best, size_t *best_class) {
    const pfi_class *class = &a->sides.class.at[c];
    for (uint32_t i = 0; i < class->n; i++) {
        uint32_t block = a->sides.item.at[class->item + i];
        bool fits;
        if (block >= *best) return PF_OK;
        if (a->used.at[block]) continue;
        a->used.at[block] = true;
        pf_err err = fits_left(a, c, block, a->class_used.at[c] + 1, &fits);
        a->used.at[block] = false;
        if (err) return err;
        if (!fits) continue;
        *best = block;
        *best_class = c;
    }
    return PF_OK;
}

/* Follows the edges of class c for as many blocks as stand on the left. */
static pf_err descend(pfi_arranger *a, size_t c) {
    a->next_reached.n = 0;
    for (size_t k = 0; k < a->reached.n; k++) {
        const pfi_sides_node *node = &a->sides.node.at[a->reached.at[k]];
        for (uint32_t i = 0; i < node->edges; i++) {
            const pfi_sides_edge *edge = &a->sides.edge.at[node->edge + i];
            if (edge->left == a->class_used.at[c]) PF_TRY(PF_PUSH(&a->next_reached, edge->to));
        }
    }
    numbers swap = a->reached;
    a->reached = a->next_reached;
    a->next_reached = swap;
    return PF_OK;
}

/* Writes the next block on the left, or the unit. A block of a smaller class, or the unit, ends the left groups before it. */
static pf_err write_left(pfi_arranger *a, const pfi_sides_top *top, size_t tops) {
    uint32_t best = UINT32_MAX, unit = a->blocks->unit;
    size_t best_class = 0;
    a->reached.n = 0;
    for (size_t i = 0; i < tops; i++) PF_TRY(PF_PUSH(&a->reached, top[i].node));
    for (size_t c = a->sides.class.n; c-- > 0 && a->reached.n;) {
        if (c < a->classes) {
            PF_TRY(set_behind(a, c + 1));
            PF_TRY(next_of_class(a, c, &best, &best_class));
        }
        PF_TRY(descend(a, c));
    }
    PF_TRY(set_behind(a, 0));
    int32_t unit_cost = a->cost + pfi_drop(last_placed(a), (int32_t)unit) + before_behind(a, NULL, 0, (int32_t)unit);
    if (a->reached.n && unit < best && unit_cost <= a->limit) return put(a, unit);
    assert(best != UINT32_MAX);
    a->class_used.at[best_class]++;
    a->classes = best_class + 1;
    return put(a, best);
}

/* Writes the right group of a class. */
static pf_err write_right(pfi_arranger *a, const pfi_class *class) {
    PF_TRY(set_behind(a, (size_t)(class - a->sides.class.at) + 1));
    PF_TRY(unplaced(a, class));
    while (a->group.n) {
        int32_t block = NOWHERE;
        for (size_t i = 0; block == NOWHERE; i++) {
            assert(i < a->group.n);
            int32_t out = a->group.at[i];
            int32_t cost = a->cost + pfi_drop(last_placed(a), out);
            memmove(a->group.at + i, a->group.at + i + 1, (a->group.n - i - 1) * sizeof *a->group.at);
            if (cost + before_behind(a, a->group.at, a->group.n - 1, out) <= a->limit) block = out;
            else {
                memmove(a->group.at + i + 1, a->group.at + i, (a->group.n - i - 1) * sizeof *a->group.at);
                a->group.at[i] = out;
            }
            a->splitter.steps += a->group.n * a->behind.n;
        }
        a->group.n--;
        PF_TRY(put(a, (uint32_t)block));
        PF_TRY(check_steps(a));
    }
    return PF_OK;
}

/* In limited mode: the fixed blocks from..to-1 but the unit. */
static pf_err write_fixed(pfi_arranger *a, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (a->sides.fixed.at[i] != a->blocks->unit) PF_TRY(put(a, a->sides.fixed.at[i]));
    return PF_OK;
}

/* Writes the smallest order with the limit, of the choices of these tops, to a->order. */
static pf_err write_order(pfi_arranger *a, const pfi_sides_top *top, size_t tops) {
    const pfi_sides *sides = &a->sides;
    a->order.n = 0;
    a->cost = 0;
    a->classes = sides->class.n;
    memset(a->used.at, 0, (size_t)a->n);
    memset(a->class_used.at, 0, sides->class.n * sizeof *a->class_used.at);
    PF_TRY(write_fixed(a, 0, top->fixed_left));
    while (!a->used.at[a->blocks->unit]) PF_TRY(write_left(a, top, tops));
    for (size_t c = 0; c < sides->class.n; c++) PF_TRY(write_right(a, &sides->class.at[c]));
    PF_TRY(write_fixed(a, top->fixed_left, sides->fixed.n));
    assert(a->order.n == (size_t)a->n && a->cost == a->limit);
    return PF_OK;
}

/* ---- a node ---- */

/* The fixed blocks that the others stand between. */
static void set_ends(pfi_arranger *a, uint32_t fixed_left) {
    const pfi_sides *sides = &a->sides;
    size_t next = fixed_left;
    if (next < sides->fixed.n && sides->fixed.at[next] == a->blocks->unit) next++;
    a->before = fixed_left ? (int32_t)sides->fixed.at[fixed_left - 1] : NOWHERE;
    a->after = next < sides->fixed.n ? (int32_t)sides->fixed.at[next] : a->n;
}

static bool smaller(const pfi_arranger *a) {
    for (int32_t i = 0; i < a->n; i++)
        if (a->order.at[i] != a->best.at[i]) return a->order.at[i] < a->best.at[i];
    return false;
}

/* The tops with the same fixed blocks on the left: their best order, if it is better than that of others. */
static pf_err arrange_tops(pfi_arranger *a, const pfi_sides_top *top, size_t tops, int32_t *least) {
    int32_t limit = PFI_UNREACHED;
    set_ends(a, top->fixed_left);
    PF_TRY(fill_tables(a));
    for (size_t i = 0; i < tops; i++) {
        pfi_inside inside = inside_of(a, top[i].node);
        limit = least_of(limit, pfi_inside_cost(&inside, a->before, a->after));
    }
    if (limit > *least) return PF_OK;
    a->limit = limit;
    PF_TRY(write_order(a, top, tops));
    if (limit < *least || smaller(a)) {
        numbers swap = a->best;
        a->best = a->order;
        a->order = swap;
    }
    *least = limit;
    return PF_OK;
}

static pf_err arrange_all_tops(pfi_arranger *a) {
    const pfi_sides_top *top = a->sides.top.at;
    int32_t least = PFI_UNREACHED;
    for (size_t i = 0, k; i < a->sides.top.n; i = k) {
        for (k = i + 1; k < a->sides.top.n && top[k].fixed_left == top[i].fixed_left; k++) continue;
        PF_TRY(arrange_tops(a, top + i, k - i, &least));
    }
    return PF_OK;
}

/* Blocks of one size: those that jump are the nearest to the unit in number, since only their distance to it counts, and both sides
 * ascend. So a head with thousands of words takes no search. */
static pf_err arrange_one_class(pfi_arranger *a) {
    const pfi_sides *sides = &a->sides;
    uint32_t at_left = sides->edge.at[sides->node.at[sides->top.at[0].node].edge].left;
    assert(sides->top.n == 1);
    a->best.n = 0;
    for (uint32_t i = 0; i < at_left; i++) PF_TRY(PF_PUSH(&a->best, sides->item.at[i]));
    PF_TRY(PF_PUSH(&a->best, a->blocks->unit));
    for (uint32_t i = at_left; i < sides->item.n; i++) PF_TRY(PF_PUSH(&a->best, sides->item.at[i]));
    return PF_OK;
}

static void find_jumps(pfi_arranger *a) {
    const pfi_sides *sides = &a->sides;
    memset(a->jumps.at, 0, (size_t)a->n);
    for (size_t k = 0; k < sides->node.n; k++)
        for (uint32_t i = 0; i < sides->node.at[k].edges; i++) {
            const pfi_class *class = &sides->class.at[sides->node.at[k].classes - 1];
            uint32_t left = sides->edge.at[sides->node.at[k].edge + i].left;
            uint32_t from = left < class->left ? 0 : class->left, to = left < class->left ? class->left : class->n;
            if (left != class->left)
                for (uint32_t item = from; item < to; item++) a->jumps.at[sides->item.at[class->item + item]] = true;
        }
}

static pf_err make_room(pfi_arranger *a) {
    size_t n = (size_t)a->n + 1;
    PF_TRY(pf_vec_reserve(&a->used.at, &a->used.cap, n, sizeof *a->used.at));
    PF_TRY(pf_vec_reserve(&a->jumps.at, &a->jumps.cap, n, sizeof *a->jumps.at));
    PF_TRY(pf_vec_reserve(&a->class_used.at, &a->class_used.cap, n, sizeof *a->class_used.at));
    PF_TRY(pf_vec_reserve(&a->place.at, &a->place.cap, n, sizeof *a->place.at));
    memset(a->place.at, 0, n * sizeof *a->place.at);
    for (uint32_t i = 0; i < a->sides.item.n; i++) a->place.at[a->sides.item.at[i]] = i + 1;
    return PF_OK;
}

pf_err pfi_arrange(pfi_arranger *a, const pfi_blocks *blocks, uint32_t *order, uint64_t *cost) {
    a->n = (int32_t)blocks->n;
    a->blocks = blocks;
    a->splitter.steps = 0;
    for (uint32_t i = 0; i < blocks->n; i++) order[i] = i;
    *cost = pfi_blocks_cost(blocks, order);
    if (a->n < 2) return PF_OK;
    PF_TRY(pfi_sides_find(&a->sides, blocks));
    assert(a->sides.cost <= *cost);
    if (a->sides.cost == *cost) return PF_OK; /* no jump, no break */
    PF_TRY(make_room(a));
    find_jumps(a);
    PF_TRY(a->sides.class.n == 1 && !a->sides.fixed.n ? arrange_one_class(a) : arrange_all_tops(a));
    memcpy(order, a->best.at, blocks->n * sizeof *order);
    *cost = a->sides.cost;
    return PF_OK;
}
