/* The order of a node's blocks with the least sum of squares, then the fewest jumps, then the least break count, then the smallest
 * numbers.
 *
 * sides.c finds how many blocks of each size, of each class, stand left of the unit; there may be several choices. A choice makes a
 * chain of groups: on the left from the largest size to the smallest, the unit, on the right from the smallest to the largest.
 * Within a group all orders cost the same squares, so the rest is to find the break count, the sum of max(0, a - b + 1) over
 * neighbours a b. Where blocks of a class jump, they do so to one side only, and which of them jump is open too.
 *
 * The least break count is a recursion over classes, from the smallest on: a table has it for all that is inside a class, for each
 * block that may stand before this and each that may stand after it, and split.c puts the two groups of the next class around it.
 * The nodes of the graph of choices have a table each. The table of all classes has the least break count of all orders.
 *
 * The order is then written from the left, and each place gets the smallest block with which the least break count can still be
 * reached. What is left of a class that was begun is a class again, so the same tables tell; on the right of the larger classes is
 * what is not on their left. So nothing that is written is ever taken back.
 *
 * O(b^3 s) for a table and O(n b^3 s) for writing, for classes of b blocks, s = (those that may jump) x (those that do) and n
 * blocks in all. */
#include "tree/arrange.h"
#include "tree/sides.h"
#include "tree/split.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = -1 };

typedef PF_VEC(uint32_t) numbers;
typedef PF_VEC(int32_t) costs;

/* What may come first after a class on the right, and the least break count from it on. */
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

void pfi_arranger_free(pfi_arranger *arranger) {
    if (!arranger) return;
    pfi_sides_free(&arranger->sides);
    pfi_splitter_free(&arranger->splitter);
    PF_VEC_FREE(&arranger->place);
    PF_VEC_FREE(&arranger->table);
    PF_VEC_FREE(&arranger->table_at);
    PF_VEC_FREE(&arranger->jumps);
    PF_VEC_FREE(&arranger->class_used);
    PF_VEC_FREE(&arranger->used);
    PF_VEC_FREE(&arranger->order);
    PF_VEC_FREE(&arranger->best);
    PF_VEC_FREE(&arranger->reached);
    PF_VEC_FREE(&arranger->next_reached);
    PF_VEC_FREE(&arranger->behind);
    PF_VEC_FREE(&arranger->next_behind);
    PF_VEC_FREE(&arranger->group);
    PF_VEC_FREE(&arranger->rest.block);
    PF_VEC_FREE(&arranger->rest.side);
    free(arranger);
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

static pf_err check_steps(const pfi_arranger *arranger) {
    if (arranger->splitter.steps <= PFI_ARRANGE_LIMIT) return PF_OK;
    return pf_fail(PF_ELIMIT, "a node with %d blocks takes more than %llu steps", arranger->n,
                   (unsigned long long)PFI_ARRANGE_LIMIT);
}

/* ---- tables ---- */

/* The rows and columns of the table of a node. */
static pfi_inside shape_of(const pfi_arranger *arranger, uint32_t node) {
    const pfi_sides *sides = &arranger->sides;
    uint32_t classes = sides->node.at[node].classes, items = (uint32_t)sides->item.n;
    uint32_t offset = classes < sides->class.n ? sides->class.at[classes].item : items;
    return (pfi_inside){.width = items - offset + 1,
                        .place = arranger->place.at,
                        .offset = offset,
                        .n = (uint32_t)arranger->n,
                        .unit = (int32_t)arranger->blocks->unit};
}

/* The inside of a node with its costs, which were filled. */
static pfi_inside inside_of(const pfi_arranger *arranger, uint32_t node) {
    pfi_inside inside = shape_of(arranger, node);
    if (arranger->sides.node.at[node].classes) inside.cost = arranger->table.at + arranger->table_at.at[node];
    return inside;
}

/* Of a class of which `left` blocks stand on the left: what is not placed, and where it may stand. Only blocks of the side that
 * loses some may jump. false: this cannot be, with what is placed. */
static pf_err class_rest(pfi_arranger *arranger, const pfi_class *class, uint32_t left, uint32_t gone, bool *possible) {
    uint32_t forced = 0;
    pfi_class_rest *rest = &arranger->rest;
    rest->block.n = rest->side.n = 0;
    *possible = false;
    for (uint32_t i = 0; i < class->n; i++) {
        uint32_t block = arranger->sides.item.at[class->item + i];
        bool was_left = i < class->left, may_jump = was_left ? left < class->left : left > class->left;
        if (arranger->used.at[block]) {
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
static bool block_of(const pfi_arranger *arranger, const pfi_inside *inside, size_t row, bool left, int32_t *block) {
    *block = left ? arranger->before : arranger->after;
    if (!row) return true;
    *block = (int32_t)arranger->sides.item.at[inside->offset + row - 1];
    return arranger->jumps.at[*block] || (*block < inside->unit) == left;
}

static pf_err fill_edge(pfi_arranger *arranger, uint32_t node, const pfi_sides_edge *edge, int32_t *table) {
    const pfi_sides *sides = &arranger->sides;
    pfi_inside outer = shape_of(arranger, node), inner = inside_of(arranger, edge->to);
    int32_t before, after;
    bool possible;
    PF_TRY(class_rest(arranger, &sides->class.at[sides->node.at[node].classes - 1], edge->left, 0, &possible));
    assert(possible);
    for (size_t row = 0; row < outer.width; row++)
        for (size_t column = 0; column < outer.width; column++) {
            int32_t *cell = &table[row * outer.width + column];
            if (!block_of(arranger, &outer, row, true, &before) || !block_of(arranger, &outer, column, false, &after) ||
                before == after)
                continue;
            PF_TRY(pfi_split(&arranger->splitter, &arranger->rest, &inner, before, after, *cell, cell));
            PF_TRY(check_steps(arranger));
        }
    return PF_OK;
}

static pf_err fill_table(pfi_arranger *arranger, uint32_t node) {
    const pfi_sides_node *of = &arranger->sides.node.at[node];
    size_t width = shape_of(arranger, node).width, cells = width * width;
    arranger->table_at.at[node] = arranger->table.n;
    if (!of->classes) return PF_OK;
    arranger->splitter.steps += cells;
    PF_TRY(check_steps(arranger));
    PF_TRY(PF_ROOM(&arranger->table, cells));
    for (size_t i = 0; i < cells; i++) arranger->table.at[arranger->table.n++] = PFI_UNREACHED;
    for (uint32_t i = 0; i < of->edges; i++)
        PF_TRY(fill_edge(arranger, node, &arranger->sides.edge.at[of->edge + i], arranger->table.at + arranger->table_at.at[node]));
    return PF_OK;
}

/* Edges lead to later nodes. */
static pf_err fill_tables(pfi_arranger *arranger) {
    size_t nodes = arranger->sides.node.n;
    arranger->table.n = 0;
    memset(arranger->used.at, 0, (size_t)arranger->n);
    PF_TRY(pf_vec_reserve(&arranger->table_at.at, &arranger->table_at.cap, nodes, sizeof *arranger->table_at.at));
    for (size_t node = nodes; node-- > 0;) PF_TRY(fill_table(arranger, (uint32_t)node));
    return PF_OK;
}

/* ---- what comes on the right ---- */

/* The least break count of a group and what follows it, which begins with one of arranger->behind. */
static int32_t before_behind(const pfi_arranger *arranger, const int32_t *block, size_t n, int32_t before) {
    int32_t least = PFI_UNREACHED;
    for (size_t i = 0; i < arranger->behind.n; i++)
        least = least_of(least, pfi_group_cost(block, n, before, arranger->behind.at[i].block) + arranger->behind.at[i].cost);
    return least;
}

/* The blocks of a class that are not placed, to a->group. */
static pf_err unplaced(pfi_arranger *arranger, const pfi_class *class) {
    arranger->group.n = 0;
    for (uint32_t i = 0; i < class->n; i++) {
        uint32_t block = arranger->sides.item.at[class->item + i];
        if (!arranger->used.at[block]) PF_TRY(PF_PUSH(&arranger->group, (int32_t)block));
    }
    return PF_OK;
}

/* The group of a class comes before what follows it. With first block f it is ascending if f is its least; else it ends with an l
 * below f. */
static pf_err put_before(pfi_arranger *arranger, const pfi_class *class) {
    PF_TRY(unplaced(arranger, class));
    const int32_t *block = arranger->group.at;
    size_t blocks = arranger->group.n;
    if (!blocks) return PF_OK;
    arranger->next_behind.n = 0;
    int32_t turned = block[blocks - 1] - block[0] + 1;
    PF_TRY(PF_PUSH(&arranger->next_behind, ((beginning){block[0], before_behind(arranger, NULL, 0, block[blocks - 1])})));
    for (size_t f = 1; f < blocks; f++) {
        int32_t least = PFI_UNREACHED;
        for (size_t l = 0; l < f; l++)
            least = least_of(least, turned + (int32_t)(f - l - 1) + before_behind(arranger, NULL, 0, block[l]));
        PF_TRY(PF_PUSH(&arranger->next_behind, ((beginning){block[f], least})));
    }
    arranger->splitter.steps += blocks * blocks * arranger->behind.n;
    beginnings swap = arranger->behind;
    arranger->behind = arranger->next_behind;
    arranger->next_behind = swap;
    return check_steps(arranger);
}

/* What may come after the right groups of the classes up to one: all blocks of larger classes that are not placed. */
static pf_err set_behind(pfi_arranger *arranger, size_t classes) {
    arranger->behind.n = 0;
    PF_TRY(PF_PUSH(&arranger->behind, ((beginning){arranger->after, 0})));
    for (size_t c = arranger->sides.class.n; c-- > classes;) PF_TRY(put_before(arranger, &arranger->sides.class.at[c]));
    return PF_OK;
}

/* ---- writing ---- */

static int32_t last_placed(const pfi_arranger *arranger) {
    return arranger->order.n ? (int32_t)arranger->order.at[arranger->order.n - 1] : NOWHERE;
}

static pf_err put(pfi_arranger *arranger, uint32_t block) {
    arranger->cost += pfi_drop(last_placed(arranger), (int32_t)block);
    arranger->used.at[block] = true;
    return PF_PUSH(&arranger->order, block);
}

/* Can the limit be reached if `block` comes next, on the left, from a class of which `gone` blocks are on the left with it? What is
 * after this class is in arranger->behind. */
static pf_err fits_left(pfi_arranger *arranger, size_t c, uint32_t block, uint32_t gone, bool *fits) {
    int32_t cost = arranger->cost + pfi_drop(last_placed(arranger), (int32_t)block);
    *fits = false;
    for (size_t k = 0; k < arranger->reached.n; k++) {
        const pfi_sides_node *node = &arranger->sides.node.at[arranger->reached.at[k]];
        for (uint32_t i = 0; i < node->edges; i++) {
            const pfi_sides_edge *edge = &arranger->sides.edge.at[node->edge + i];
            pfi_inside inside = inside_of(arranger, edge->to);
            bool possible;
            PF_TRY(class_rest(arranger, &arranger->sides.class.at[c], edge->left, gone, &possible));
            for (size_t at = 0; possible && at < arranger->behind.n; at++) {
                int32_t most = arranger->limit - cost - arranger->behind.at[at].cost, least;
                if (most < 0) continue;
                PF_TRY(pfi_split(&arranger->splitter, &arranger->rest, &inside, (int32_t)block, arranger->behind.at[at].block,
                                 most + 1, &least));
                PF_TRY(check_steps(arranger));
                *fits = least <= most;
                if (*fits) return PF_OK;
            }
        }
    }
    return PF_OK;
}

/* The smallest block of a class that can come next and is smaller than *best. */
static pf_err next_of_class(pfi_arranger *arranger, size_t number, uint32_t *best, size_t *best_class) {
    const pfi_class *class = &arranger->sides.class.at[number];
    for (uint32_t i = 0; i < class->n; i++) {
        uint32_t block = arranger->sides.item.at[class->item + i];
        bool fits;
        if (block >= *best) return PF_OK;
        if (arranger->used.at[block]) continue;
        arranger->used.at[block] = true;
        pf_err err = fits_left(arranger, number, block, arranger->class_used.at[number] + 1, &fits);
        arranger->used.at[block] = false;
        if (err) return err;
        if (!fits) continue;
        *best = block;
        *best_class = number;
    }
    return PF_OK;
}

/* Follows the edges of a class for as many blocks as stand on the left. */
static pf_err descend(pfi_arranger *arranger, size_t c) {
    arranger->next_reached.n = 0;
    for (size_t k = 0; k < arranger->reached.n; k++) {
        const pfi_sides_node *node = &arranger->sides.node.at[arranger->reached.at[k]];
        for (uint32_t i = 0; i < node->edges; i++) {
            const pfi_sides_edge *edge = &arranger->sides.edge.at[node->edge + i];
            if (edge->left == arranger->class_used.at[c]) PF_TRY(PF_PUSH(&arranger->next_reached, edge->to));
        }
    }
    numbers swap = arranger->reached;
    arranger->reached = arranger->next_reached;
    arranger->next_reached = swap;
    return PF_OK;
}

/* Writes the next block on the left, or the unit. A block of a smaller class, or the unit, ends the left groups before it. */
static pf_err write_left(pfi_arranger *arranger, const pfi_sides_top *top, size_t tops) {
    uint32_t best = UINT32_MAX, unit = arranger->blocks->unit;
    size_t best_class = 0;
    arranger->reached.n = 0;
    for (size_t i = 0; i < tops; i++) PF_TRY(PF_PUSH(&arranger->reached, top[i].node));
    for (size_t number = arranger->sides.class.n; number-- > 0 && arranger->reached.n;) {
        if (number < arranger->classes) {
            PF_TRY(set_behind(arranger, number + 1));
            PF_TRY(next_of_class(arranger, number, &best, &best_class));
        }
        PF_TRY(descend(arranger, number));
    }
    PF_TRY(set_behind(arranger, 0));
    int32_t unit_cost = arranger->cost + pfi_drop(last_placed(arranger), (int32_t)unit) +
                        before_behind(arranger, NULL, 0, (int32_t)unit);
    if (arranger->reached.n && unit < best && unit_cost <= arranger->limit) return put(arranger, unit);
    assert(best != UINT32_MAX);
    arranger->class_used.at[best_class]++;
    arranger->classes = best_class + 1;
    return put(arranger, best);
}

/* Writes the right group of a class. */
static pf_err write_right(pfi_arranger *arranger, const pfi_class *class) {
    PF_TRY(set_behind(arranger, (size_t)(class - arranger->sides.class.at) + 1));
    PF_TRY(unplaced(arranger, class));
    while (arranger->group.n) {
        int32_t block = NOWHERE;
        for (size_t at = 0; block == NOWHERE; at++) {
            assert(at < arranger->group.n);
            int32_t out = arranger->group.at[at];
            int32_t cost = arranger->cost + pfi_drop(last_placed(arranger), out);
            memmove(arranger->group.at + at, arranger->group.at + at + 1,
                    (arranger->group.n - at - 1) * sizeof *arranger->group.at);
            if (cost + before_behind(arranger, arranger->group.at, arranger->group.n - 1, out) <= arranger->limit) block = out;
            else {
                memmove(arranger->group.at + at + 1, arranger->group.at + at,
                        (arranger->group.n - at - 1) * sizeof *arranger->group.at);
                arranger->group.at[at] = out;
            }
            arranger->splitter.steps += arranger->group.n * arranger->behind.n;
        }
        arranger->group.n--;
        PF_TRY(put(arranger, (uint32_t)block));
        PF_TRY(check_steps(arranger));
    }
    return PF_OK;
}

/* In limited mode: the fixed blocks from..to-1 but the unit. */
static pf_err write_fixed(pfi_arranger *arranger, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (arranger->sides.fixed.at[i] != arranger->blocks->unit) PF_TRY(put(arranger, arranger->sides.fixed.at[i]));
    return PF_OK;
}

/* Writes the smallest order with the limit, of the choices of these tops, to a->order. */
static pf_err write_order(pfi_arranger *arranger, const pfi_sides_top *top, size_t tops) {
    const pfi_sides *sides = &arranger->sides;
    arranger->order.n = 0;
    arranger->cost = 0;
    arranger->classes = sides->class.n;
    memset(arranger->used.at, 0, (size_t)arranger->n);
    memset(arranger->class_used.at, 0, sides->class.n * sizeof *arranger->class_used.at);
    PF_TRY(write_fixed(arranger, 0, top->fixed_left));
    while (!arranger->used.at[arranger->blocks->unit]) PF_TRY(write_left(arranger, top, tops));
    for (size_t c = 0; c < sides->class.n; c++) PF_TRY(write_right(arranger, &sides->class.at[c]));
    PF_TRY(write_fixed(arranger, top->fixed_left, sides->fixed.n));
    assert(arranger->order.n == (size_t)arranger->n && arranger->cost == arranger->limit);
    return PF_OK;
}

/* ---- a node ---- */

/* The fixed blocks that the others stand between. */
static void set_ends(pfi_arranger *arranger, uint32_t fixed_left) {
    const pfi_sides *sides = &arranger->sides;
    size_t next = fixed_left;
    if (next < sides->fixed.n && sides->fixed.at[next] == arranger->blocks->unit) next++;
    arranger->before = fixed_left ? (int32_t)sides->fixed.at[fixed_left - 1] : NOWHERE;
    arranger->after = next < sides->fixed.n ? (int32_t)sides->fixed.at[next] : arranger->n;
}

static bool smaller(const pfi_arranger *arranger) {
    for (int32_t i = 0; i < arranger->n; i++)
        if (arranger->order.at[i] != arranger->best.at[i]) return arranger->order.at[i] < arranger->best.at[i];
    return false;
}

/* The tops with the same fixed blocks on the left: their best order, if it is better than that of others. */
static pf_err arrange_tops(pfi_arranger *arranger, const pfi_sides_top *top, size_t tops, int32_t *least) {
    int32_t limit = PFI_UNREACHED;
    set_ends(arranger, top->fixed_left);
    PF_TRY(fill_tables(arranger));
    for (size_t i = 0; i < tops; i++) {
        pfi_inside inside = inside_of(arranger, top[i].node);
        limit = least_of(limit, pfi_inside_cost(&inside, arranger->before, arranger->after));
    }
    if (limit > *least) return PF_OK;
    arranger->limit = limit;
    PF_TRY(write_order(arranger, top, tops));
    if (limit < *least || smaller(arranger)) {
        numbers swap = arranger->best;
        arranger->best = arranger->order;
        arranger->order = swap;
    }
    *least = limit;
    return PF_OK;
}

static pf_err arrange_all_tops(pfi_arranger *arranger) {
    const pfi_sides_top *top = arranger->sides.top.at;
    int32_t least = PFI_UNREACHED;
    for (size_t first = 0, end; first < arranger->sides.top.n; first = end) {
        for (end = first + 1; end < arranger->sides.top.n && top[end].fixed_left == top[first].fixed_left; end++) continue;
        PF_TRY(arrange_tops(arranger, top + first, end - first, &least));
    }
    return PF_OK;
}

/* Blocks of one size: those that jump are the nearest to the unit in number, since only their distance to it counts, and both sides
 * ascend. So a head with thousands of words takes no search. */
static pf_err arrange_one_class(pfi_arranger *arranger) {
    const pfi_sides *sides = &arranger->sides;
    uint32_t at_left = sides->edge.at[sides->node.at[sides->top.at[0].node].edge].left;
    assert(sides->top.n == 1);
    arranger->best.n = 0;
    for (uint32_t i = 0; i < at_left; i++) PF_TRY(PF_PUSH(&arranger->best, sides->item.at[i]));
    PF_TRY(PF_PUSH(&arranger->best, arranger->blocks->unit));
    for (uint32_t i = at_left; i < sides->item.n; i++) PF_TRY(PF_PUSH(&arranger->best, sides->item.at[i]));
    return PF_OK;
}

static void find_jumps(pfi_arranger *arranger) {
    const pfi_sides *sides = &arranger->sides;
    memset(arranger->jumps.at, 0, (size_t)arranger->n);
    for (size_t at = 0; at < sides->node.n; at++)
        for (uint32_t i = 0; i < sides->node.at[at].edges; i++) {
            const pfi_class *class = &sides->class.at[sides->node.at[at].classes - 1];
            uint32_t left = sides->edge.at[sides->node.at[at].edge + i].left;
            uint32_t from = left < class->left ? 0 : class->left, to = left < class->left ? class->left : class->n;
            if (left != class->left)
                for (uint32_t item = from; item < to; item++) arranger->jumps.at[sides->item.at[class->item + item]] = true;
        }
}

static pf_err make_room(pfi_arranger *arranger) {
    size_t room = (size_t)arranger->n + 1;
    PF_TRY(pf_vec_reserve(&arranger->used.at, &arranger->used.cap, room, sizeof *arranger->used.at));
    PF_TRY(pf_vec_reserve(&arranger->jumps.at, &arranger->jumps.cap, room, sizeof *arranger->jumps.at));
    PF_TRY(pf_vec_reserve(&arranger->class_used.at, &arranger->class_used.cap, room, sizeof *arranger->class_used.at));
    PF_TRY(pf_vec_reserve(&arranger->place.at, &arranger->place.cap, room, sizeof *arranger->place.at));
    memset(arranger->place.at, 0, room * sizeof *arranger->place.at);
    for (uint32_t i = 0; i < arranger->sides.item.n; i++) arranger->place.at[arranger->sides.item.at[i]] = i + 1;
    return PF_OK;
}

pf_err pfi_arrange(pfi_arranger *arranger, const pfi_blocks *blocks, uint32_t *order, uint64_t *cost) {
    arranger->n = (int32_t)blocks->n;
    arranger->blocks = blocks;
    arranger->splitter.steps = 0;
    for (uint32_t i = 0; i < blocks->n; i++) order[i] = i;
    *cost = pfi_blocks_cost(blocks, order);
    if (arranger->n < 2) return PF_OK;
    PF_TRY(pfi_sides_find(&arranger->sides, blocks));
    assert(arranger->sides.cost <= *cost);
    if (arranger->sides.cost == *cost) return PF_OK; /* no jump, no break */
    PF_TRY(make_room(arranger));
    find_jumps(arranger);
    PF_TRY(arranger->sides.class.n == 1 && !arranger->sides.fixed.n ? arrange_one_class(arranger) : arrange_all_tops(arranger));
    memcpy(order, arranger->best.at, blocks->n * sizeof *order);
    *cost = arranger->sides.cost;
    return PF_OK;
}
