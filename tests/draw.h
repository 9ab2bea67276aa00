/* Random numbers of tests, the same everywhere for a seed. */
#ifndef TESTS_DRAW_H
#define TESTS_DRAW_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One of 0 .. n-1; the next call gets another one. n is above 0. */
static inline unsigned draw(uint64_t *seed, unsigned n) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*seed >> 33) % n;
}

/* A line of words of one letter each, of the first `types` letters. The room is for 2 bytes a word. */
static inline void draw_line(uint64_t *seed, char *line, size_t room, unsigned words, unsigned types) {
    size_t used = 0;
    *line = 0;
    for (unsigned i = 0; i < words; i++)
        used += (size_t)snprintf(line + used, room - used, "%s%c", i ? " " : "", 'a' + (int)draw(seed, types));
}

#endif
