/* Sift up, sift down. */
#include <permfst/base/heap.h>

#include <permfst/base/vec.h>
#include "base/contract.h"

#include <assert.h>

/* Is no child of i before it? */
static bool is_before_children(const pf_heap *heap, size_t i) {
    for (size_t child = 2 * i + 1; child < heap->n && child <= 2 * i + 2; child++)
        if (heap->before(heap->self, heap->at[child], heap->at[i])) return false;
    return true;
}

/* Are the entries from a place up to the first in order with their children; and all entries, where their number is a power of
 * two? */
static bool is_ordered(const pf_heap *heap, size_t place) {
    bool good = is_before_children(heap, place);
    for (; good && place; place = (place - 1) / 2) good = is_before_children(heap, (place - 1) / 2);
    for (size_t k = heap->n & (heap->n - 1) ? heap->n : 0; good && k < heap->n; k++) good = is_before_children(heap, k);
    return good;
}

pf_err pf_heap_push(pf_heap *heap, uint32_t item) {
    assert(heap->before);
    PFI_CHECK(!heap->before(heap->self, item, item));
    PF_TRY(PF_ROOM(heap, 1));
    size_t place = heap->n++;
    for (; place && heap->before(heap->self, item, heap->at[(place - 1) / 2]); place = (place - 1) / 2)
        heap->at[place] = heap->at[(place - 1) / 2];
    heap->at[place] = item;
    PFI_CHECK(is_ordered(heap, place) && is_ordered(heap, heap->n - 1));
    return PF_OK;
}

uint32_t pf_heap_pop(pf_heap *heap) {
    assert(heap->n > 0);
    uint32_t first = heap->at[0], item = heap->at[--heap->n];
    size_t place = 0, child;
    for (; (child = 2 * place + 1) < heap->n; place = child) {
        if (child + 1 < heap->n && heap->before(heap->self, heap->at[child + 1], heap->at[child])) child++;
        if (!heap->before(heap->self, heap->at[child], item)) break;
        heap->at[place] = heap->at[child];
    }
    if (heap->n) heap->at[place] = item;
    PFI_CHECK(is_ordered(heap, place) && (!heap->n || !heap->before(heap->self, heap->at[0], first)));
    return first;
}

void pf_heap_free(pf_heap *heap) { PF_VEC_FREE(heap); }
