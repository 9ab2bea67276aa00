/* Growing arrays, with every size checked: small ones begin with some room and grow to three times their size, so that they are
 * seldom moved; large ones grow by a half, so that little room is left over. */
#include <permfst/base/vec.h>

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 256, FIRST = 8, SMALL_BYTES = 8192 };

/* `at` is the address of a T *, for any T; memcpy reads and writes it without breaking aliasing rules. */
pf_err pf_vec_reserve(void *at, size_t *cap, size_t need, size_t size) {
    if (need <= *cap) return PF_OK;
    assert(size > 0);
    const size_t more = *cap < SMALL_BYTES / size ? 2 * *cap : *cap / 2;
    size_t grown = *cap ? *cap + more : FIRST_BYTES / size + FIRST;
    if (grown < need) grown = need;
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
