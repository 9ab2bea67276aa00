/* The best order of a node's blocks, against all orders. */
#include "check.h"

#include "tree/arrange.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 9 };

/* The sum of squares, the jumps, the break count and the numbers of an order, in the words of the paper. */
typedef struct {
    unsigned long squares;
    unsigned jumps, breaks;
    uint32_t order[MOST];
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

static void check_node(pfi_arranger *a, const pfi_blocks *blocks) {
    uint32_t order[MOST];
    uint64_t cost;
    SUCCEED(pfi_arrange(a, blocks, order, &cost));
    verdict best = best_of_all(blocks);
    assert_int_equal(cost, best.squares);
    assert_int_equal(cost, pfi_blocks_cost(blocks, order));
    assert_memory_equal(order, best.order, blocks->n * sizeof *order);
}

/* Random nodes of up to nine blocks; sizes are small, so that many are equal. */
static void random_nodes(void **state) {
    pfi_arranger *a;
    uint32_t size[MOST];
    unsigned long random = 20061;
    (void)state;
    SUCCEED(pfi_arranger_new(&a));
    for (unsigned i = 0; i < 6000; i++) {
        random = random * 6364136223846793005ul + 1442695040888963407ul;
        unsigned n = 1 + (unsigned)(random >> 33) % (i % 40 ? 7 : MOST), most = 1 + (unsigned)(random >> 45) % 5;
        pfi_blocks blocks = {size, n, (unsigned)(random >> 50) % n, i % 3 == 0};
        for (unsigned k = 0; k < n; k++) {
            random = random * 6364136223846793005ul + 1442695040888963407ul;
            size[k] = 1 + (unsigned)(random >> 40) % most;
        }
        if (i % 4) size[blocks.unit] = 1;
        check_node(a, &blocks);
    }
    pfi_arranger_free(a);
}

/* The break count does not decide all: six orders of these blocks have squares 10, two jumps and a break count of 5. */
static void ties(void **state) {
    static const uint32_t size[] = {1, 1, 1, 2, 1};
    pfi_blocks blocks = {size, 5, 0, false};
    pfi_arranger *a;
    uint32_t order[MOST] = {0, 1, 2, 3, 4};
    unsigned alike = 0;
    uint64_t cost;
    (void)state;
    SUCCEED(pfi_arranger_new(&a));
    SUCCEED(pfi_arrange(a, &blocks, order, &cost));
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
    check_node(a, &blocks);
    pfi_arranger_free(a);
}

/* A node with so many children that no one could look at all orders. */
static void many_children(void **state) {
    enum { CHILDREN = 2000 };
    static uint32_t size[CHILDREN + 1], order[CHILDREN + 1];
    pfi_arranger *a;
    uint64_t cost, expected = 0;
    (void)state;
    SUCCEED(pfi_arranger_new(&a));
    for (unsigned i = 0; i <= CHILDREN; i++) size[i] = 1;
    for (unsigned i = 1; i <= CHILDREN / 2; i++) expected += 2ul * i * i;
    pfi_blocks blocks = {size, CHILDREN + 1, CHILDREN, false}; /* all are left of the unit */
    SUCCEED(pfi_arrange(a, &blocks, order, &cost));
    assert_int_equal(cost, expected);
    for (unsigned i = 0; i < CHILDREN / 2; i++) assert_int_equal(order[i], i);
    assert_int_equal(order[CHILDREN / 2], CHILDREN);
    for (unsigned i = 0; i < CHILDREN / 2; i++) assert_int_equal(order[CHILDREN / 2 + 1 + i], CHILDREN / 2 + i);
    pfi_arranger_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_nodes),
        cmocka_unit_test(ties),
        cmocka_unit_test(many_children),
    };
    return cmocka_run_group_tests_name("arrange", tests, NULL, NULL);
}
