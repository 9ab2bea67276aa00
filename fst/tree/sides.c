/* On each side of the unit the smaller blocks stand nearer, else an exchange would bring them nearer. So only how many of each
 * size stand on the left is open, and the cost of a size depends on how many words of smaller sizes are on each side: a table over
 * (size, words on the left), from the smallest size on. Blocks that keep their order leave one question: where among them the unit
 * stands. O(classes x words x blocks of a class), and O(fixed x single) where the order is limited. */
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
    for (uint32_t i = 0; !err && i < blocks->n; i++)
        if (is_fixed(blocks, i)) err = PF_PUSH(&sides->fixed, i);
        else if (i != blocks->unit) items[n++] = (sized){blocks->size[i], i};
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

/* The cost of n blocks of a size behind so many words: the k-th is 1 + words + k size away. */
typedef struct {
    uint64_t cost, distance;
    uint32_t size;
} queue;
static void extend(queue *q) {
    q->cost += square(q->distance);
    q->distance += q->size;
}
static void shorten(queue *q) {
    q->distance -= q->size;
    q->cost -= square(q->distance);
}

/* Choices of class c where `words` words of smaller ones are on the left. */
static void relax(pfi_sides *sides, size_t c, uint32_t words) {
    const pfi_class *class = &sides->class.at[c];
    const pfi_sides_cell *from = &sides->cell.at[sides->row.at[c] + words];
    pfi_sides_cell *to = &sides->cell.at[sides->row.at[c + 1]];
    queue left = {0, 1 + words, class->size}, right = {0, 1 + sides->word.at[c] - words, class->size};
    if (from->cost == UINT64_MAX) return;
    for (uint32_t i = 0; i < class->n; i++) extend(&right);
    for (uint32_t i = 0;; i++) {
        pfi_sides_cell cell = {from->cost + left.cost + right.cost, from->jumps + apart(i, class->left)};
        pfi_sides_cell *have = &to[words + i * class->size];
        if (better(&cell, have)) *have = cell;
        if (i == class->n) break;
        extend(&left);
        shorten(&right);
    }
    sides->steps += class->n + 1;
}

static pf_err fill_rows(pfi_sides *sides) {
    static const pfi_sides_cell none = {UINT64_MAX, 0};
    uint32_t words = 0;
    for (size_t c = 0; c <= sides->class.n; c++) {
        PF_TRY(PF_PUSH(&sides->word, words));
        PF_TRY(PF_PUSH(&sides->row, sides->cell.n));
        PF_TRY(PF_ROOM(&sides->cell, words + 1));
        for (uint32_t i = 0; i <= words; i++) sides->cell.at[sides->cell.n++] = none;
        if (c < sides->class.n) words += sides->class.at[c].n * sides->class.at[c].size;
    }
    sides->cell.at[0] = (pfi_sides_cell){0, 0};
    for (size_t c = 0; c < sides->class.n; c++)
        for (uint32_t i = 0; i <= sides->word.at[c]; i++) relax(sides, c, i);
    return PF_OK;
}

/* The choices of class c and the smaller ones that end in the cell of `words` words on the left. */
static pf_err each_below(pfi_sides *sides, size_t c, uint32_t words, pfi_choice *choice,
                         pf_err (*use)(void *self, const pfi_choice *choice), void *self) {
    if (c == 0) return use(self, choice);
    const pfi_class *class = &sides->class.at[c - 1];
    const pfi_sides_cell *to = &sides->cell.at[sides->row.at[c] + words];
    queue left = {0, 0, class->size}, right = {0, 0, class->size};
    for (uint32_t i = 0; i <= class->n && i * class->size <= words; i++) {
        uint32_t before = words - i * class->size;
        if (before > sides->word.at[c - 1]) continue;
        const pfi_sides_cell *from = &sides->cell.at[sides->row.at[c - 1] + before];
        left.cost = right.cost = 0;
        left.distance = 1 + before;
        right.distance = 1 + sides->word.at[c - 1] - before;
        for (uint32_t k = 0; k < i; k++) extend(&left);
        for (uint32_t k = i; k < class->n; k++) extend(&right);
        sides->steps += class->n + 1;
        if (from->cost == UINT64_MAX || from->cost + left.cost + right.cost != to->cost ||
            from->jumps + apart(i, class->left) != to->jumps)
            continue;
        choice->left[c - 1] = i;
        PF_TRY(each_below(sides, c - 1, before, choice, use, self));
    }
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

/* With `single` blocks of one word before them. */
static uint64_t fixed_cost(const fixed_side *side, uint64_t single) {
    uint64_t base = 1 + single;
    return side->blocks * base * base + 2 * base * side->sum + side->squares + single * base * (2 * single + 1) / 6;
}

typedef struct {
    pfi_sides *sides;
    const pfi_blocks *blocks;
    pfi_choice *choice; /* NULL: the least cost is to be found */
    pf_err (*use)(void *self, const pfi_choice *choice);
    void *self;
} limited_search;

static pf_err try_limited(const limited_search *search, uint32_t split, const fixed_side *left, const fixed_side *right) {
    pfi_sides *sides = search->sides;
    const pfi_class *single = sides->class.n ? &sides->class.at[0] : NULL;
    uint32_t n = single ? single->n : 0, at_left = single ? single->left : 0, fixed_left = 0;
    while (fixed_left < sides->fixed.n && sides->fixed.at[fixed_left] < search->blocks->unit) fixed_left++;
    sides->steps += n + 1;
    for (uint32_t i = 0; i <= n; i++) {
        pfi_sides_cell have = {sides->cost, sides->jumps};
        pfi_sides_cell cell = {fixed_cost(left, i) + fixed_cost(right, n - i), apart(i, at_left) + apart(split, fixed_left)};
        if (!search->choice && better(&cell, &have)) {
            sides->cost = cell.cost;
            sides->jumps = cell.jumps;
        }
        if (!search->choice || cell.cost != have.cost || cell.jumps != have.jumps) continue;
        if (single) search->choice->left[0] = i;
        search->choice->fixed_left = split;
        PF_TRY(search->use(search->self, search->choice));
    }
    return PF_OK;
}

/* The unit between any two of the fixed blocks; where it is one of them, in its own place. */
static pf_err try_splits(const limited_search *search) {
    const pfi_sides *sides = search->sides;
    const uint32_t *size = search->blocks->size, *fixed = sides->fixed.at;
    fixed_side left = {0}, right = {0};
    for (size_t i = sides->fixed.n; i-- > 0;)
        if (!sides->pinned || fixed[i] != search->blocks->unit) put_nearest(&right, size[fixed[i]]);
    for (uint32_t split = 0;; split++) {
        bool is_unit = split < sides->fixed.n && fixed[split] == search->blocks->unit;
        if (!sides->pinned || is_unit) PF_TRY(try_limited(search, split, &left, &right));
        if (split == sides->fixed.n || is_unit) return PF_OK;
        take_nearest(&right, size[fixed[split]]);
        put_nearest(&left, size[fixed[split]]);
    }
}

/* ---- both ---- */

pf_err pfi_sides_find(pfi_sides *sides, const pfi_blocks *blocks) {
    sides->class.n = sides->item.n = sides->cell.n = sides->row.n = sides->word.n = sides->fixed.n = 0;
    sides->steps = 0;
    sides->cost = UINT64_MAX;
    sides->jumps = 0;
    sides->pinned = is_fixed(blocks, blocks->unit);
    PF_TRY(make_classes(sides, blocks));
    if (blocks->limited) return try_splits(&(limited_search){.sides = sides, .blocks = blocks});
    PF_TRY(fill_rows(sides));
    for (size_t i = sides->row.at[sides->class.n]; i < sides->cell.n; i++) {
        pfi_sides_cell have = {sides->cost, sides->jumps};
        if (!better(&sides->cell.at[i], &have)) continue;
        sides->cost = sides->cell.at[i].cost;
        sides->jumps = sides->cell.at[i].jumps;
    }
    return PF_OK;
}

pf_err pfi_sides_each(pfi_sides *sides, const pfi_blocks *blocks, pfi_choice *choice,
                      pf_err (*use)(void *self, const pfi_choice *choice), void *self) {
    size_t last = sides->row.n ? sides->row.at[sides->class.n] : 0;
    if (blocks->limited)
        return try_splits(&(limited_search){.sides = sides, .blocks = blocks, .choice = choice, .use = use, .self = self});
    for (size_t i = last; i < sides->cell.n; i++)
        if (sides->cell.at[i].cost == sides->cost && sides->cell.at[i].jumps == sides->jumps)
            PF_TRY(each_below(sides, sides->class.n, (uint32_t)(i - last), choice, use, self));
    return PF_OK;
}
