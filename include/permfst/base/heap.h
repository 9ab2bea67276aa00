/* A binary heap of 32-bit numbers, ordered by a function that the caller gives. */
#ifndef PF_BASE_HEAP_H
#define PF_BASE_HEAP_H

#include <permfst/base/err.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint32_t *at;
    size_t n, cap;
    bool (*before)(const void *self, uint32_t a, uint32_t b); /* a strict weak order */
    const void *self;
} pf_heap; /* set before and self; the rest all zero: empty */

pf_err pf_heap_push(pf_heap *heap, uint32_t item); /* O(log n). PF_ENOMEM */
uint32_t pf_heap_pop(pf_heap *heap);               /* takes the first in order out of a heap that is not empty. O(log n) */
void pf_heap_free(pf_heap *heap); /* its memory; it is empty then */

#ifdef __cplusplus
}
#endif
#endif
