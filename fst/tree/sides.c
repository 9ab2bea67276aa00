/* On each side of the unit the smaller blocks stand nearer, else an exchange would bring them nearer. So only how many of each
 * size stand on the left is open, and the cost of a size depends on how many words of smaller sizes are on each side: a table over
 * (size, words on the left), from the smallest size on. Blocks that keep their order leave one question: where among them the unit
 * stands. Choices that are equally good may be as many as 2^(blocks / 4) (sizes 1 2 3 4 5 ...), so they are kept as a graph.
 * O(classes x words x blocks of a class), and O(fixed x single) where the order is limited. */
#include "tree/sides.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void pfi_sides_free(pfi_sides *sides) {
    PF_VEC_FREE(&sides->class);
    PF_VEC_FREE(&sides->item);
    PF_VEC_FREE(&sides->cell);
    PF_VEC_FREE(&sides->row);
    PF_VEC_FREE(&sides->word);
    PF_VEC_FREE(&sides->fixed);
    PF_VEC_FREE(&sides->node);
    PF_VEC_FREE(&sides->edge);
    PF_VEC_FREE(&sides->top);
    PF_VEC_FREE(&sides->node_of);
}

/* ---- classes ---- */

typedef struct {
    uint32_t size, block;
} sized;

static int by_size(const void *first, const void *second) {
    const sized *one = first, *other = second;
    if (one->size != other->size) return one->size < other->size ? -1 : 1;
    return (one->block > other->block) - (one->block < other->block);
}

static bool is_fixed(const pfi_blocks *blocks, uint32_t i) { return blocks->limited && blocks->size[i] > 1; }

static pf_err add_item(pfi_sides *sides, const sized *item, uint32_t unit) {
    pfi_class *last = sides->class.n ? &sides->class.at[sides->class.n - 1] : NULL;
    if (!last || last->size != item->size) {
        pfi_class class = {.size = item->size, .item = (uint32_t)sides->item.n};
        PF_TRY(PF_PUSH(&sides->class, class));
        last = &sides->class.at[sides->class.n - 1];
    }
    last->n++;
    last->left += item->block < unit;
    return PF_PUSH(&sides->item, item->block);
}

static pf_err make_classes(pfi_sides *sides, const pfi_blocks *blocks) {
    sized *items = malloc((blocks->n + 1) * sizeof *items);
    size_t n = 0;
    pf_err err = items ? PF_OK : pf_nomem();
    for (uint32_t at = 0; !err && at < blocks->n; at++)
        if (is_fixed(blocks, at)) err = PF_PUSH(&sides->fixed, at);
        else if (at != blocks->unit) items[n++] = (sized){blocks->size[at], at};
    if (!err) qsort(items, n, sizeof *items, by_size);
    for (size_t k = 0; !err && k < n; k++) err = add_item(sides, &items[k], blocks->unit);
    free(items);
    return err;
}

static uint32_t apart(uint32_t one, uint32_t other) { return one < other ? other - one : one - other; }
static uint64_t square(uint64_t distance) { return distance * distance; }

/* ---- all blocks are free ---- */

static bool better(const pfi_sides_cell *one, const pfi_sides_cell *other) {
    return one->cost < other->cost || (one->cost == other->cost && one->jumps < other->jumps);
}

/* The cost of n blocks of a size after so many words: the k-th is 1 + words + k size away. */
typedef struct {
    uint64_t cost, distance;
    uint32_t size;
} queue;
static void extend(queue *own) {
    own->cost += square(own->distance);
    own->distance += own->size;
}
static void shorten(queue *own) {
    own->distance -= own->size;
    own->cost -= square(own->distance);
}

/* Choices of a class where `words` words of smaller ones are on the left. */
static void relax(pfi_sides *sides, size_t number, uint32_t words) {
    assert(number < sides->class.n && words <= sides->word.at[number]);
    const pfi_class *class = &sides->class.at[number];
    const pfi_sides_cell *from = &sides->cell.at[sides->row.at[number] + words];
    pfi_sides_cell *to = &sides->cell.at[sides->row.at[number + 1]];
    queue left = {0, 1 + words, class->size}, right = {0, 1 + sides->word.at[number] - words, class->size};
    if (from->cost == UINT64_MAX) return;
    for (uint32_t i = 0; i < class->n; i++) extend(&right);
    for (uint32_t at = 0;; at++) {
        pfi_sides_cell cell = {from->cost + left.cost + right.cost, from->jumps + apart(at, class->left)};
        pfi_sides_cell *have = &to[words + at * class->size];
        if (better(&cell, have)) *have = cell;
        if (at == class->n) break;
        extend(&left);
        shorten(&right);
    }
}

static pf_err fill_rows(pfi_sides *sides) {
    static const pfi_sides_cell none = {UINT64_MAX, 0};
    uint32_t words = 0;
    for (size_t number = 0; number <= sides->class.n; number++) {
        PF_TRY(PF_PUSH(&sides->word, words));
        PF_TRY(PF_PUSH(&sides->row, sides->cell.n));
        PF_TRY(PF_ROOM(&sides->cell, words + 1));
        for (uint32_t i = 0; i <= words; i++) sides->cell.at[sides->cell.n++] = none;
        if (number < sides->class.n) words += sides->class.at[number].n * sides->class.at[number].size;
    }
    sides->cell.at[0] = (pfi_sides_cell){0, 0};
    for (size_t number = 0; number < sides->class.n; number++)
        for (uint32_t i = 0; i <= sides->word.at[number]; i++) relax(sides, number, i);
    return PF_OK;
}

/* The node of a cell. */
static pf_err node_of(pfi_sides *sides, size_t classes, uint32_t words, uint32_t *out) {
    uint32_t *id = &sides->node_of.at[sides->row.at[classes] + words];
    if (*id == UINT32_MAX) {
        *id = (uint32_t)sides->node.n;
        PF_TRY(PF_PUSH(&sides->node, ((pfi_sides_node){.classes = (uint32_t)classes, .words = words})));
    }
    *out = *id;
    return PF_OK;
}

/* The cost of i blocks of a class on the left and all others on the right, after so many words. */
static uint64_t cost_of(const pfi_class *class, uint32_t i, uint32_t words_left, uint32_t words_right) {
    queue left = {0, 1 + words_left, class->size}, right = {0, 1 + words_right, class->size};
    for (uint32_t k = 0; k < i; k++) extend(&left);
    for (uint32_t k = i; k < class->n; k++) extend(&right);
    return left.cost + right.cost;
}

/* The edges of a node: all ways in which its cell gets its cost and its jumps. */
static pf_err add_edges(pfi_sides *sides, uint32_t node) {
    size_t number = sides->node.at[node].classes - 1;
    uint32_t words = sides->node.at[node].words;
    const pfi_class *class = &sides->class.at[number];
    const pfi_sides_cell *to = &sides->cell.at[sides->row.at[number + 1] + words];
    sides->node.at[node].edge = (uint32_t)sides->edge.n;
    for (uint32_t taken = 0; taken <= class->n && taken * class->size <= words; taken++) {
        uint32_t before = words - taken * class->size, child;
        if (before > sides->word.at[number]) continue;
        const pfi_sides_cell *from = &sides->cell.at[sides->row.at[number] + before];
        if (from->cost == UINT64_MAX || from->jumps + apart(taken, class->left) != to->jumps ||
            from->cost + cost_of(class, taken, before, sides->word.at[number] - before) != to->cost)
            continue;
        PF_TRY(node_of(sides, number, before, &child));
        PF_TRY(PF_PUSH(&sides->edge, ((pfi_sides_edge){taken, child})));
    }
    sides->node.at[node].edges = (uint32_t)sides->edge.n - sides->node.at[node].edge;
    return PF_OK;
}

static pf_err make_graph(pfi_sides *sides) {
    size_t last = sides->row.at[sides->class.n];
    PF_TRY(pf_vec_reserve(&sides->node_of.at, &sides->node_of.cap, sides->cell.n, sizeof *sides->node_of.at));
    memset(sides->node_of.at, 0xff, sides->cell.n * sizeof *sides->node_of.at);
    for (size_t cell = last; cell < sides->cell.n; cell++) {
        pfi_sides_top top = {0};
        if (sides->cell.at[cell].cost != sides->cost || sides->cell.at[cell].jumps != sides->jumps) continue;
        PF_TRY(node_of(sides, sides->class.n, (uint32_t)(cell - last), &top.node));
        PF_TRY(PF_PUSH(&sides->top, top));
    }
    for (uint32_t k = 0; k < sides->node.n; k++)
        if (sides->node.at[k].classes) PF_TRY(add_edges(sides, k));
    return PF_OK;
}

/* ---- some keep their order ---- */

/* The sums over the fixed blocks of one side: of the words between each and those of one word, and of the squares of these. */
typedef struct {
    uint64_t blocks, words, sum, squares;
} fixed_side;

/* A block that is nearer than all others. */
static void put_nearest(fixed_side *side, uint64_t size) {
    side->squares += 2 * size * side->sum + side->blocks * size * size;
    side->sum += side->blocks * size;
    side->blocks++;
    side->words += size;
}

static void take_nearest(fixed_side *side, uint64_t size) {
    side->blocks--;
    side->words -= size;
    side->sum -= side->blocks * size;
    side->squares -= 2 * size * side->sum + side->blocks * size * size;
}

/* The cost of fixed blocks that have `single` blocks of one word before them. */
static uint64_t fixed_cost(const fixed_side *side, uint64_t single) {
    uint64_t base = 1 + single;
    return side->blocks * base * base + 2 * base * side->sum + side->squares + single * base * (2 * single + 1) / 6;
}

/* A top of its own, with one edge if there are single words; or no classes. */
static pf_err add_top(pfi_sides *sides, uint32_t split, uint32_t single_left) {
    pfi_sides_node node = {.classes = (uint32_t)sides->class.n, .edge = (uint32_t)sides->edge.n, .edges = sides->class.n ? 1 : 0};
    PF_TRY(PF_PUSH(&sides->top, ((pfi_sides_top){(uint32_t)sides->node.n, split})));
    PF_TRY(PF_PUSH(&sides->node, node));
    if (!sides->class.n) return PF_OK;
    PF_TRY(PF_PUSH(&sides->edge, ((pfi_sides_edge){single_left, (uint32_t)sides->node.n})));
    return PF_PUSH(&sides->node, ((pfi_sides_node){0}));
}

/* All places of the single words where so many fixed blocks stand on the left. The tops are those of the best met so far. */
static pf_err try_limited(pfi_sides *sides, const pfi_blocks *blocks, uint32_t split, const fixed_side *left,
                          const fixed_side *right) {
    const pfi_class *single = sides->class.n ? &sides->class.at[0] : NULL;
    uint32_t n = single ? single->n : 0, at_left = single ? single->left : 0, fixed_left = 0;
    while (fixed_left < sides->fixed.n && sides->fixed.at[fixed_left] < blocks->unit) fixed_left++;
    for (uint32_t taken = 0; taken <= n; taken++) {
        pfi_sides_cell have = {sides->cost, sides->jumps};
        pfi_sides_cell cell = {fixed_cost(left, taken) + fixed_cost(right, n - taken),
                               apart(taken, at_left) + apart(split, fixed_left)};
        if (better(&cell, &have)) {
            sides->cost = cell.cost;
            sides->jumps = cell.jumps;
            sides->top.n = sides->node.n = sides->edge.n = 0;
        } else if (better(&have, &cell)) continue;
        PF_TRY(add_top(sides, split, taken));
    }
    return PF_OK;
}

/* The unit between any two of the fixed blocks; where it is one of them, in its own place. */
static pf_err try_splits(pfi_sides *sides, const pfi_blocks *blocks) {
    const uint32_t *size = blocks->size, *fixed = sides->fixed.at;
    fixed_side left = {0}, right = {0};
    for (size_t i = sides->fixed.n; i-- > 0;)
        if (!sides->pinned || fixed[i] != blocks->unit) put_nearest(&right, size[fixed[i]]);
    for (uint32_t split = 0;; split++) {
        bool is_unit = split < sides->fixed.n && fixed[split] == blocks->unit;
        if (!sides->pinned || is_unit) PF_TRY(try_limited(sides, blocks, split, &left, &right));
        if (split == sides->fixed.n || is_unit) return PF_OK;
        take_nearest(&right, size[fixed[split]]);
        put_nearest(&left, size[fixed[split]]);
    }
}

/* ---- both ---- */

pf_err pfi_sides_find(pfi_sides *sides, const pfi_blocks *blocks) {
    sides->class.n = sides->item.n = sides->cell.n = sides->row.n = sides->word.n = sides->fixed.n = 0;
    sides->node.n = sides->edge.n = sides->top.n = 0;
    sides->cost = UINT64_MAX;
    sides->jumps = 0;
    sides->pinned = is_fixed(blocks, blocks->unit);
    PF_TRY(make_classes(sides, blocks));
    if (blocks->limited) return try_splits(sides, blocks);
    PF_TRY(fill_rows(sides));
    for (size_t cell = sides->row.at[sides->class.n]; cell < sides->cell.n; cell++) {
        pfi_sides_cell have = {sides->cost, sides->jumps};
        if (!better(&sides->cell.at[cell], &have)) continue;
        sides->cost = sides->cell.at[cell].cost;
        sides->jumps = sides->cell.at[cell].jumps;
    }
    return make_graph(sides);
}
