/* A priority queue of nodes, on a binary heap. */
#include "search/queue.h"

#include "base/contract.h"

#include <math.h>

static bool before(const void *self, uint32_t first, uint32_t second) {
    const pfi_queue *queue = self;
    double one = queue->entries.at[first].cost, other = queue->entries.at[second].cost;
    return one < other || (one == other && first > second);
}

void pfi_queue_init(pfi_queue *queue) { *queue = (pfi_queue){.heap = {.before = before, .self = queue}}; }

void pfi_queue_free(pfi_queue *queue) {
    PF_VEC_FREE(&queue->entries);
    pf_heap_free(&queue->heap);
}

pf_err pfi_queue_push(pfi_queue *queue, uint32_t node, double cost) {
    pfi_queued entry = {cost, node};
    assert(queue->heap.self == queue && !isnan(cost));
    if (queue->entries.n == UINT32_MAX) return pf_fail(PF_ELIMIT, "the search has met more than %u arcs", UINT32_MAX);
    PF_TRY(PF_PUSH(&queue->entries, entry));
    return pf_heap_push(&queue->heap, (uint32_t)queue->entries.n - 1);
}

double pfi_queue_least(const pfi_queue *queue) {
    assert(!pfi_queue_empty(queue));
    return queue->entries.at[queue->heap.at[0]].cost;
}

pfi_queued pfi_queue_pop(pfi_queue *queue) {
    assert(!pfi_queue_empty(queue));
    return queue->entries.at[pf_heap_pop(&queue->heap)];
}
