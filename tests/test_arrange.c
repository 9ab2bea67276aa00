/* The best order of a node's blocks, against all orders; against a search over sets of blocks; against what is near it. */
#include "check.h"

#include "tree/arrange.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 9, SET_MOST = 12, MANY = 50 };

/* The sum of squares, the jumps, the break count and the numbers of an order, in the words of the paper. */
typedef struct {
    unsigned long squares;
    unsigned jumps, breaks;
    uint32_t order[MANY + 1];
} verdict;

static verdict judge(const pfi_blocks *blocks, const uint32_t *order) {
    verdict v = {0};
    unsigned unit = 0;
    memcpy(v.order, order, blocks->n * sizeof *order);
    while (order[unit] != blocks->unit) unit++;
    for (unsigned i = 0; i < blocks->n; i++) {
        unsigned long distance = 1;
        for (unsigned k = i + 1; k < unit; k++) distance += blocks->size[order[k]];
        for (unsigned k = unit + 1; k < i; k++) distance += blocks->size[order[k]];
        if (i != unit) v.squares += distance * distance;
        v.jumps += i != unit && (i < unit) != (order[i] < blocks->unit);
        if (i && order[i - 1] + 1 > order[i]) v.breaks += order[i - 1] - order[i] + 1;
    }
    return v;
}

static bool better(const verdict *one, const verdict *other, unsigned n) {
    if (one->squares != other->squares) return one->squares < other->squares;
    if (one->jumps != other->jumps) return one->jumps < other->jumps;
    if (one->breaks != other->breaks) return one->breaks < other->breaks;
    for (unsigned i = 0; i < n; i++)
        if (one->order[i] != other->order[i]) return one->order[i] < other->order[i];
    return false;
}

/* In limited mode blocks of two words or more keep their order. */
static bool allowed(const pfi_blocks *blocks, const uint32_t *order) {
    uint32_t last = 0;
    for (unsigned i = 0; blocks->limited && i < blocks->n; i++) {
        if (blocks->size[order[i]] < 2) continue;
        if (order[i] < last) return false;
        last = order[i];
    }
    return true;
}

static bool next_order(uint32_t *order, unsigned n) {
    unsigned i = n - 1, k = n - 1;
    while (i > 0 && order[i - 1] >= order[i]) i--;
    if (!i) return false;
    while (order[k] <= order[i - 1]) k--;
    uint32_t swap = order[i - 1];
    order[i - 1] = order[k];
    order[k] = swap;
    for (k = n - 1; i < k; i++, k--) swap = order[i], order[i] = order[k], order[k] = swap;
    return true;
}

static verdict best_of_all(const pfi_blocks *blocks) {
    uint32_t order[MOST];
    for (uint32_t i = 0; i < blocks->n; i++) order[i] = i;
    verdict best = judge(blocks, order);
    while (next_order(order, blocks->n)) {
        verdict v = judge(blocks, order);
        if (allowed(blocks, order) && better(&v, &best, blocks->n)) best = v;
    }
    return best;
}

static void check_node(pfi_arranger *arranger, const pfi_blocks *blocks) {
    uint32_t order[MOST];
    uint64_t cost;
    SUCCEED(pfi_arrange(arranger, blocks, order, &cost));
    verdict best = best_of_all(blocks);
    assert_int_equal(cost, best.squares);
    assert_int_equal(cost, pfi_blocks_cost(blocks, order));
    assert_memory_equal(order, best.order, blocks->n * sizeof *order);
}

/* Random nodes of up to nine blocks; sizes are small, so that many are equal. */
static void random_nodes(void **state) {
    pfi_arranger *arranger;
    uint32_t size[MOST];
    unsigned long random = 20061;
    (void)state;
    SUCCEED(pfi_arranger_new(&arranger));
    for (unsigned i = 0; i < 6000; i++) {
        random = random * 6364136223846793005ul + 1442695040888963407ul;
        unsigned n = 1 + (unsigned)(random >> 33) % (i % 40 ? 7 : MOST), most = 1 + (unsigned)(random >> 45) % 5;
        pfi_blocks blocks = {size, n, (unsigned)(random >> 50) % n, i % 3 == 0};
        for (unsigned k = 0; k < n; k++) {
            random = random * 6364136223846793005ul + 1442695040888963407ul;
            size[k] = 1 + (unsigned)(random >> 40) % most;
        }
        if (i % 4) size[blocks.unit] = 1;
        check_node(arranger, &blocks);
    }
    pfi_arranger_free(arranger);
}

/* The break count does not decide all: six orders of these blocks have squares 10, two jumps and a break count of 5. */
static void ties(void **state) {
    static const uint32_t size[] = {1, 1, 1, 2, 1};
    pfi_blocks blocks = {size, 5, 0, false};
    pfi_arranger *arranger;
    uint32_t order[MOST] = {0, 1, 2, 3, 4};
    unsigned alike = 0;
    uint64_t cost;
    (void)state;
    SUCCEED(pfi_arranger_new(&arranger));
    SUCCEED(pfi_arrange(arranger, &blocks, order, &cost));
    verdict v = judge(&blocks, order);
    assert_int_equal(v.squares, 10);
    assert_int_equal(v.jumps, 2);
    assert_int_equal(v.breaks, 5);
    for (uint32_t i = 0; i < 5; i++) order[i] = i;
    do {
        verdict other = judge(&blocks, order);
        alike += other.squares == 10 && other.jumps == 2 && other.breaks == 5;
    } while (next_order(order, 5));
    assert_int_equal(alike, 6);
    check_node(arranger, &blocks);
    pfi_arranger_free(arranger);
}

/* A node with so many children that no one could look at all orders. */
static void many_children(void **state) {
    enum { CHILDREN = 2000 };
    static uint32_t size[CHILDREN + 1], order[CHILDREN + 1];
    pfi_arranger *arranger;
    uint64_t cost, expected = 0;
    (void)state;
    SUCCEED(pfi_arranger_new(&arranger));
    for (unsigned i = 0; i <= CHILDREN; i++) size[i] = 1;
    for (unsigned i = 1; i <= CHILDREN / 2; i++) expected += 2ul * i * i;
    pfi_blocks blocks = {size, CHILDREN + 1, CHILDREN, false}; /* all are left of the unit */
    SUCCEED(pfi_arrange(arranger, &blocks, order, &cost));
    assert_int_equal(cost, expected);
    for (unsigned i = 0; i < CHILDREN / 2; i++) assert_int_equal(order[i], i);
    assert_int_equal(order[CHILDREN / 2], CHILDREN);
    for (unsigned i = 0; i < CHILDREN / 2; i++) assert_int_equal(order[CHILDREN / 2 + 1 + i], CHILDREN / 2 + i);
    pfi_arranger_free(arranger);
}

/* ---- a second algorithm: sets of blocks ---- */

/* Squares, jumps and break count as one number. */
static uint64_t one_number(uint64_t squares, uint64_t jumps, uint64_t breaks) { return squares << 32 | jumps << 16 | breaks; }

enum { SETS = 1 << SET_MOST };

/* rest[set][last]: the least of all that comes after the set, which ends with block `last`, where the blocks `left` stand left of
 * the unit. The distance of a block on the left is known when it is placed: those of `left` that are not stand nearer. */
static uint64_t rest[SETS][SET_MOST];

static unsigned words_of(const pfi_blocks *blocks, unsigned set) {
    unsigned words = 0;
    for (unsigned i = 0; i < blocks->n; i++)
        if (set >> i & 1) words += blocks->size[i];
    return words;
}

static uint64_t cost_of_next(const pfi_blocks *blocks, unsigned left, unsigned set, unsigned last, unsigned next) {
    unsigned unit = 1u << blocks->unit, bit = 1u << next;
    uint64_t breaks = set && last + 1 > next ? last - next + 1 : 0, distance;
    if (next == blocks->unit) return one_number(0, 0, breaks);
    distance = 1 + (left & bit ? words_of(blocks, left & ~set & ~bit) : words_of(blocks, set & ~left & ~unit));
    return one_number(distance * distance, (left & bit ? 1 : 0) != (next < blocks->unit), breaks);
}

/* Left of the unit come the blocks `left`, then the unit, then all others. */
static bool comes_next(const pfi_blocks *blocks, unsigned left, unsigned set, unsigned next) {
    unsigned placed_left = set & left;
    if (set >> next & 1) return false;
    return next == blocks->unit ? placed_left == left : (left >> next & 1) || (set >> blocks->unit & 1);
}

static bool can_be(const pfi_blocks *blocks, unsigned left, unsigned set) {
    return set >> blocks->unit & 1 ? (set & left) == left : (set & ~left) == 0;
}

static void fill_rest(const pfi_blocks *blocks, unsigned left) {
    unsigned all = (1u << blocks->n) - 1;
    for (unsigned set = all + 1; set-- > 0;)
        for (unsigned last = 0; can_be(blocks, left, set) && last < blocks->n; last++) {
            if (set && !(set >> last & 1)) continue;
            uint64_t least = set == all ? 0 : UINT64_MAX / 2;
            for (unsigned next = 0; next < blocks->n; next++) {
                if (!comes_next(blocks, left, set, next)) continue;
                uint64_t cost = cost_of_next(blocks, left, set, last, next) + rest[set | 1u << next][next];
                least = cost < least ? cost : least;
            }
            rest[set][last] = least;
        }
}

/* The smallest order of the least cost, by the table. */
static void read_order(const pfi_blocks *blocks, unsigned left, uint32_t *order) {
    unsigned set = 0, last = 0;
    for (unsigned i = 0; i < blocks->n; i++) {
        unsigned next = 0;
        while (!comes_next(blocks, left, set, next) ||
               cost_of_next(blocks, left, set, last, next) + rest[set | 1u << next][next] != rest[set][last])
            next++;
        order[i] = last = next;
        set |= 1u << next;
    }
}

static void best_by_sets(const pfi_blocks *blocks, uint32_t *best) {
    uint64_t least = UINT64_MAX;
    for (unsigned left = 0; left < 1u << blocks->n; left++) {
        uint32_t order[SET_MOST];
        if (left >> blocks->unit & 1) continue;
        fill_rest(blocks, left);
        if (rest[0][0] > least) continue;
        read_order(blocks, left, order);
        bool first = rest[0][0] < least;
        for (unsigned i = 0; !first && i < blocks->n; i++) {
            if (order[i] == best[i]) continue;
            first = order[i] < best[i];
            break;
        }
        if (first) memcpy(best, order, blocks->n * sizeof *best);
        least = rest[0][0];
    }
}

static unsigned draw(unsigned long *random, unsigned n) {
    *random = *random * 6364136223846793005ul + 1442695040888963407ul;
    return (unsigned)(*random >> 40) % n;
}

static void against_sets(void **state) {
    pfi_arranger *arranger;
    uint32_t size[SET_MOST], order[SET_MOST], best[SET_MOST];
    unsigned long random = 12;
    uint64_t cost;
    (void)state;
    SUCCEED(pfi_arranger_new(&arranger));
    for (unsigned i = 0; i < 24; i++) {
        unsigned n = i < 22 ? 10 : i < 23 ? 11 : SET_MOST;
        pfi_blocks blocks = {size, n, i % 3 ? draw(&random, n) : i % 2 * (n - 1), false};
        for (unsigned k = 0; k < n; k++) size[k] = 1 + draw(&random, 2 + i % 3);
        SUCCEED(pfi_arrange(arranger, &blocks, order, &cost));
        best_by_sets(&blocks, best);
        assert_memory_equal(order, best, n * sizeof *order);
    }
    pfi_arranger_free(arranger);
}

/* ---- nodes of many children ---- */

static void move_block(uint32_t *order, unsigned from, unsigned to) {
    uint32_t block = order[from];
    if (from < to) memmove(order + from, order + from + 1, (to - from) * sizeof *order);
    else memmove(order + to + 1, order + to, (from - to) * sizeof *order);
    order[to] = block;
}

/* Neither the exchange of two blocks nor a block in another place is better. */
static void nothing_near_is_better(const pfi_blocks *blocks, const uint32_t *order) {
    verdict v = judge(blocks, order);
    uint32_t near[MANY + 1];
    for (unsigned i = 0; i < blocks->n; i++)
        for (unsigned k = 0; k < blocks->n; k++) {
            memcpy(near, order, blocks->n * sizeof *near);
            near[i] = order[k];
            near[k] = order[i];
            verdict exchanged = judge(blocks, near);
            memcpy(near, order, blocks->n * sizeof *near);
            move_block(near, i, k);
            verdict moved = judge(blocks, near);
            assert_false(better(&exchanged, &v, blocks->n));
            assert_false(better(&moved, &v, blocks->n));
        }
}

/* Fifty children of mixed sizes: a search that goes back does not end with some of these. */
static void mixed_sizes(void **state) {
    pfi_arranger *arranger;
    uint32_t size[MANY + 1], order[MANY + 1];
    unsigned long random = 50;
    uint64_t cost;
    (void)state;
    SUCCEED(pfi_arranger_new(&arranger));
    for (unsigned i = 0; i < 12; i++) {
        pfi_blocks blocks = {size, MANY + 1, i % 4 ? draw(&random, MANY + 1) : i % 8 ? MANY : 0, false};
        for (unsigned k = 0; k < blocks.n; k++) size[k] = 1 + draw(&random, 3 + i % 3);
        SUCCEED(pfi_arrange(arranger, &blocks, order, &cost));
        nothing_near_is_better(&blocks, order);
    }
    pfi_arranger_free(arranger);
}

/* Children of 1 2 3 ... 48 words: of each four the first and the last, or the others, may stand left, with equal squares: 8,192
 * choices. */
static void many_choices(void **state) {
    enum { FOURS = 12, N = 4 * FOURS + 1 };
    pfi_arranger *arranger;
    uint32_t size[N], order[N];
    uint64_t cost;
    (void)state;
    SUCCEED(pfi_arranger_new(&arranger));
    for (unsigned k = 0; k < FOURS; k++) { /* the first two are left of the unit, the last two right of it */
        size[2 * k] = 4 * k + 1;
        size[2 * k + 1] = 4 * k + 2;
        size[2 * FOURS + 1 + 2 * k] = 4 * k + 3;
        size[2 * FOURS + 2 + 2 * k] = 4 * k + 4;
    }
    size[2 * FOURS] = 1;
    pfi_blocks blocks = {size, N, 2 * FOURS, false};
    SUCCEED(pfi_arrange(arranger, &blocks, order, &cost));
    nothing_near_is_better(&blocks, order);
    pfi_arranger_free(arranger);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_nodes),
        cmocka_unit_test(ties),
        cmocka_unit_test(many_children),
        cmocka_unit_test(against_sets),
        cmocka_unit_test(mixed_sizes),
        cmocka_unit_test(many_choices),
    };
    return cmocka_run_group_tests_name("arrange", tests, NULL, NULL);
}
