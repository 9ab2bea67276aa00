/* A priority queue of nodes, least cost first; of equal costs the newest first. Private to the searches.
 *
 * A node may be queued more than once: nothing in the queue changes, and whoever takes a node out knows whether that is still
 * of use. 16 bytes for each push; push and pop are O(log pushes). */
#ifndef PF_SEARCH_QUEUE_H
#define PF_SEARCH_QUEUE_H

#include <permfst/base/heap.h>
#include <permfst/base/vec.h>

typedef struct {
    double cost;
    uint32_t node;
} pfi_queued;

typedef struct {
    PF_VEC(pfi_queued) entries; /* all that were ever pushed */
    pf_heap heap;               /* of entries */
} pfi_queue;

/* Makes an empty queue, which must stay where it is in memory. */
void pfi_queue_init(pfi_queue *queue);
void pfi_queue_free(pfi_queue *queue);

pf_err pfi_queue_push(pfi_queue *queue, uint32_t node, double cost); /* cost is not NAN. PF_ELIMIT, PF_ENOMEM */

static inline bool pfi_queue_empty(const pfi_queue *queue) { return !queue->heap.n; }

/* The bytes that the queue takes. */
static inline uint64_t pfi_queue_bytes(const pfi_queue *queue) {
    return queue->entries.n * (sizeof *queue->entries.at + sizeof *queue->heap.at);
}

/* The first in the queue, which must not be empty: its cost, and itself, taken out. */
double pfi_queue_least(const pfi_queue *queue);
pfi_queued pfi_queue_pop(pfi_queue *queue);

#endif
