/* Sift up, sift down. */
#include <permfst/base/heap.h>

#include <permfst/base/vec.h>

pf_err pf_heap_push(pf_heap *h, uint32_t x) {
    PF_TRY(PF_ROOM(h, 1));
    size_t i = h->n++;
    for (; i && h->before(h->self, x, h->at[(i - 1) / 2]); i = (i - 1) / 2) h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = x;
    return PF_OK;
}

uint32_t pf_heap_pop(pf_heap *h) {
    uint32_t first = h->at[0], x = h->at[--h->n];
    size_t i = 0, child;
    for (; (child = 2 * i + 1) < h->n; i = child) {
        if (child + 1 < h->n && h->before(h->self, h->at[child + 1], h->at[child])) child++;
        if (!h->before(h->self, h->at[child], x)) break;
        h->at[i] = h->at[child];
    }
    if (h->n) h->at[i] = x;
    return first;
}

void pf_heap_free(pf_heap *h) { PF_VEC_FREE(h); }
