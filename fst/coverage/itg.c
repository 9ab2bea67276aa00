/* ITG constraints on alignments (Zens and Ney 2003, sections 2.1 and 3.4), by one shift-reduce parser, O(words).
 *
 * Items come in source order. Each is an interval of target clusters; two that touch on top of the stack are one
 * constituent. Reducing greedily loses nothing: in a separable arrangement, blocks that touch on both sides may be joined to one
 * without making it inseparable.
 *
 * Extended: a cluster of two parts leaves a mark where the first part is. Its second part must find exactly one constituent
 * above that mark, next to the cluster on the target side, and joins the three. What is inside a pair of parts is a problem of
 * its own and nothing merges across a mark, so the greedy way is right there too, and no chart is needed. */
#include "coverage/coverage_impl.h"

#include <string.h>

typedef struct {
    unsigned *lo, *hi, spans; /* intervals [lo, hi); hi = 0: a mark of cluster lo */
} itg_stack;

/* The interval on top with those below that it touches. */
static void push(itg_stack *stack, unsigned lo, unsigned hi) {
    while (stack->spans && stack->hi[stack->spans - 1] &&
           (stack->hi[stack->spans - 1] == lo || stack->lo[stack->spans - 1] == hi)) {
        stack->spans--;
        if (stack->lo[stack->spans] < lo) lo = stack->lo[stack->spans];
        else hi = stack->hi[stack->spans];
    }
    stack->lo[stack->spans] = lo;
    stack->hi[stack->spans++] = hi;
}

static void push_mark(itg_stack *stack, unsigned cluster) {
    stack->lo[stack->spans] = cluster;
    stack->hi[stack->spans++] = 0;
}

/* The second part of a cluster. */
static bool wrap(itg_stack *stack, unsigned cluster) {
    if (stack->spans < 2 || stack->hi[stack->spans - 2] || stack->lo[stack->spans - 2] != cluster) return false;
    unsigned lo = stack->lo[stack->spans - 1], hi = stack->hi[stack->spans - 1];
    if (!hi || (cluster != hi && cluster + 1 != lo)) return false;
    stack->spans -= 2;
    push(stack, cluster < lo ? cluster : lo, cluster < lo ? hi : hi + 1);
    return true;
}

/* The parts of each cluster: runs of its words with no other aligned word between. */
static void count_parts(const pfi_order *order, unsigned *parts) {
    memset(parts, 0, order->aligned * sizeof *parts);
    for (unsigned i = 0; i < order->aligned; i++)
        if (!i || order->cluster[i] != order->cluster[i - 1]) parts[order->cluster[i]]++;
}

static bool parse(const pfi_order *order, unsigned most) {
    unsigned *parts = order->scratch, *seen = parts + order->sources;
    itg_stack stack = {seen + order->sources, seen + 2 * (size_t)order->sources, 0};
    count_parts(order, parts);
    memset(seen, 0, order->aligned * sizeof *seen);
    for (unsigned step = 0; step < order->aligned; step++) {
        unsigned cluster = order->cluster[step];
        if (step && cluster == order->cluster[step - 1]) continue;
        if (parts[cluster] > most) return false;
        if (parts[cluster] == 1) push(&stack, cluster, cluster + 1);
        else if (!seen[cluster]++) push_mark(&stack, cluster);
        else if (!wrap(&stack, cluster)) return false;
    }
    return stack.spans <= 1;
}

bool pfi_coverage_itg_baseline(const pfi_order *order, unsigned *param) {
    (void)param;
    return parse(order, 1);
}

bool pfi_coverage_itg_extended(const pfi_order *order, unsigned *param) {
    (void)param;
    return parse(order, 2);
}

/* The order alone: each word is a block. A word without links goes right after a neighbour and changes nothing: a point of
 * a separable permutation may become two that touch. */
bool pfi_coverage_itg(const pfi_order *order, unsigned *param) {
    itg_stack stack = {order->scratch, order->scratch + order->sources, 0};
    (void)param;
    for (unsigned j = 0; j < order->sources; j++)
        if (order->turn[j] != PFI_FREE) push(&stack, order->turn[j], order->turn[j] + 1);
    return stack.spans <= 1;
}
