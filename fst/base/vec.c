/* Growing arrays: doubling, with every size checked. */
#include <permfst/base/vec.h>

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* `at` is the address of a T *, for any T; memcpy reads and writes it without breaking aliasing rules. */
pf_err pf_vec_reserve(void *at, size_t *cap, size_t need, size_t size) {
    if (need <= *cap) return PF_OK;
    size_t grown = *cap + *cap / 2 + 8;
    if (grown < need) grown = need;
    assert(size > 0); /* here, because most calls return above */
    if (grown > SIZE_MAX / size) return pf_nomem();
    void *old, *moved;
    memcpy(&old, at, sizeof old);
    moved = realloc(old, grown * size);
    if (!moved) return pf_nomem();
    memcpy(at, &moved, sizeof moved);
    *cap = grown;
    return PF_OK;
}

void pf_vec_free(void *at, size_t *count, size_t *cap) {
    void *old;
    memcpy(&old, at, sizeof old);
    free(old);
    memset(at, 0, sizeof old);
    *count = *cap = 0;
}
