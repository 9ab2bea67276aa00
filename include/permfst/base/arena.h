/* An arena: memory that is handed out in pieces, never moves, and is freed all at once.
 *
 * A piece is O(1), but for what the system does for a new block; freeing is O(blocks). */
#ifndef PF_BASE_ARENA_H
#define PF_BASE_ARENA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pf_chunk;
typedef struct {
    struct pf_chunk *now; /* the chunk that is being filled, and after it the others */
    size_t used;          /* bytes of `now` handed out */
    size_t total;         /* bytes of all chunks */
} pf_arena; /* all zero: empty */

/* `size` bytes aligned for any scalar, or NULL when memory is out. */
void *pf_arena_get(pf_arena *arena, size_t size);

void pf_arena_free(pf_arena *arena); /* all that it gave; it is empty then */

#ifdef __cplusplus
}
#endif
#endif
