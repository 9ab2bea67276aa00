/* An arena as a list of chunks, each twice the last up to a bound: few mallocs, little waste. */
#include <permfst/base/arena.h>

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

enum { ALIGN = 16, FIRST = 1 << 12, LARGEST = 1 << 18 };

struct pf_chunk {
    struct pf_chunk *next; /* the one before it in time */
    size_t size;
};

enum { HEAD = (sizeof(struct pf_chunk) + ALIGN - 1) / ALIGN * ALIGN };

/* A chunk of at least `size` bytes becomes the one that is filled. */
static struct pf_chunk *add_chunk(pf_arena *arena, size_t size) {
    size_t want = arena->now ? 2 * arena->now->size : FIRST;
    if (want > LARGEST) want = LARGEST;
    if (want < size) want = size;
    struct pf_chunk *chunk = malloc(HEAD + want);
    if (!chunk) return NULL;
    *chunk = (struct pf_chunk){arena->now, want};
    arena->now = chunk;
    arena->used = 0;
    arena->total += want;
    return chunk;
}

void *pf_arena_get(pf_arena *arena, size_t size) {
    if (size > SIZE_MAX / 2) return NULL;
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if ((!arena->now || arena->now->size - arena->used < size) && !add_chunk(arena, size)) return NULL;
    assert(arena->used + size <= arena->now->size);
    void *piece = (char *)arena->now + HEAD + arena->used;
    arena->used += size;
    return piece;
}

void pf_arena_free(pf_arena *arena) {
    for (struct pf_chunk *chunk = arena->now, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *arena = (pf_arena){0};
}
