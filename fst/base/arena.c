/* An arena as a list of chunks, each twice the last up to a bound: few mallocs, little waste. */
#include <permfst/base/arena.h>

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

enum { ALIGN = 16, FIRST = 1 << 12, LARGEST = 1 << 18 };

struct pf_chunk {
    struct pf_chunk *next;
    size_t size;
};

static char *bytes_of(struct pf_chunk *chunk) {
    return (char *)chunk + (sizeof *chunk + ALIGN - 1) / ALIGN * ALIGN;
}

/* Moves on to a kept chunk that is large enough, or to a new one after the present one. */
static struct pf_chunk *next_chunk(pf_arena *arena, size_t size) {
    struct pf_chunk **link = arena->now ? &arena->now->next : &arena->first;
    if (*link && (*link)->size >= size) return *link;
    size_t want = arena->now ? 2 * arena->now->size : FIRST;
    if (want > LARGEST) want = LARGEST;
    if (want < size) want = size;
    struct pf_chunk *chunk = malloc((sizeof *chunk + ALIGN - 1) / ALIGN * ALIGN + want);
    if (!chunk) return NULL;
    chunk->size = want;
    chunk->next = *link;
    *link = chunk;
    arena->total += want;
    return chunk;
}

void *pf_arena_get(pf_arena *arena, size_t size) {
    if (size > SIZE_MAX / 2) return NULL;
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (!arena->now || arena->now->size - arena->used < size) {
        struct pf_chunk *chunk = next_chunk(arena, size);
        if (!chunk) return NULL;
        arena->now = chunk;
        arena->used = 0;
    }
    assert(arena->used + size <= arena->now->size);
    void *piece = bytes_of(arena->now) + arena->used;
    arena->used += size;
    return piece;
}

void pf_arena_reset(pf_arena *arena) {
    arena->now = NULL;
    arena->used = 0;
}

void pf_arena_free(pf_arena *arena) {
    for (struct pf_chunk *chunk = arena->first, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *arena = (pf_arena){0};
}
