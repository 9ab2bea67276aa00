/* Growing arrays: PF_VEC(T) is a struct of {at, n, cap}; an all-zero one is empty, and PF_VEC_FREE frees it.
 *
 * A push is O(1), amortised. */
#ifndef PF_BASE_VEC_H
#define PF_BASE_VEC_H

#include <permfst/base/err.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PF_VEC(T) struct { T *at; size_t n, cap; }

/* Makes room for `need` elements of `size` bytes where the pointer stored at `at` leads; amortised O(1) an element.
 * PF_ENOMEM. */
pf_err pf_vec_reserve(void *at, size_t *cap, size_t need, size_t size);

/* The same, without a call where there is room. */
static inline pf_err pf_vec_room(void *at, size_t *cap, size_t need, size_t size) {
    return need <= *cap ? PF_OK : pf_vec_reserve(at, cap, need, size);
}

/* Frees the pointer stored at `at`. */
void pf_vec_free(void *at, size_t *count, size_t *cap);

#define PF_ROOM(v, extra) pf_vec_room(&(v)->at, &(v)->cap, (v)->n + (extra), sizeof *(v)->at)
#define PF_PUSH(v, x) ((pf_err)(PF_ROOM(v, 1) ? PF_ENOMEM : ((v)->at[(v)->n++] = (x), PF_OK)))
#define PF_VEC_FREE(v) pf_vec_free(&(v)->at, &(v)->n, &(v)->cap)

#ifdef __cplusplus
}
#endif
#endif
