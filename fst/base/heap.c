/* Sift up, sift down. */
#include <permfst/base/heap.h>

#include <permfst/base/vec.h>
#include "base/contract.h"

#include <assert.h>

/* Is no child of i before it? */
static bool is_before_children(const pf_heap *h, size_t i) {
    for (size_t child = 2 * i + 1; child < h->n && child <= 2 * i + 2; child++)
        if (h->before(h->self, h->at[child], h->at[i])) return false;
    return true;
}

/* Are the entries from i up to the first in order with their children; and all entries, where their number is a power of two? */
static bool is_ordered(const pf_heap *h, size_t i) {
    bool good = is_before_children(h, i);
    for (; good && i; i = (i - 1) / 2) good = is_before_children(h, (i - 1) / 2);
    for (size_t k = h->n & (h->n - 1) ? h->n : 0; good && k < h->n; k++) good = is_before_children(h, k);
    return good;
}

pf_err pf_heap_push(pf_heap *h, uint32_t x) {
    assert(h->before);
    PFI_CHECK(!h->before(h->self, x, x));
    PF_TRY(PF_ROOM(h, 1));
    size_t i = h->n++;
    for (; i && h->before(h->self, x, h->at[(i - 1) / 2]); i = (i - 1) / 2) h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = x;
    PFI_CHECK(is_ordered(h, i) && is_ordered(h, h->n - 1));
    return PF_OK;
}

uint32_t pf_heap_pop(pf_heap *h) {
    assert(h->n > 0);
    uint32_t first = h->at[0], x = h->at[--h->n];
    size_t i = 0, child;
    for (; (child = 2 * i + 1) < h->n; i = child) {
        if (child + 1 < h->n && h->before(h->self, h->at[child + 1], h->at[child])) child++;
        if (!h->before(h->self, h->at[child], x)) break;
        h->at[i] = h->at[child];
    }
    if (h->n) h->at[i] = x;
    PFI_CHECK(is_ordered(h, i) && (!h->n || !h->before(h->self, h->at[0], first)));
    return first;
}

void pf_heap_free(pf_heap *h) { PF_VEC_FREE(h); }
