/* Replays seeds through the fuzzer's target without a fuzzer: each seed as it is, cut at a sample of places, and with some bytes
 * changed. The same seeds give the same inputs on every machine, because the sample is drawn from a hash of the seed.
 *
 *   fuzz_replay INPUT SEED...     INPUT is a file that holds the input at work: after a crash, the one that caused it
 *   fuzz_replay --once INPUT...   inputs as they are
 *
 * Cost: 1 + CUTS + CHANGES runs of the target for each seed. */
#include "fuzz.h"

#include <permfst/base/hash.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

enum { CUTS = 128, CHANGES = 512, MOST_CHANGED = 4, LIMIT = 1 << 16 };

static int at_work = -1; /* the file INPUT */

static void die(const char *what) {
    perror(what);
    exit(2);
}

static void replay(const unsigned char *bytes, size_t n) {
    /* A copy of its own, so that the address sanitizer sees the end of the input. */
    unsigned char *copy = malloc(n ? n : 1);
    if (!copy) die("memory");
    memcpy(copy, bytes, n);
    if (at_work >= 0 && (pwrite(at_work, copy, n, 0) != (ssize_t)n || ftruncate(at_work, (off_t)n) != 0)) die("INPUT");
    LLVMFuzzerTestOneInput(copy, n);
    free(copy);
}

/* The next number of a sequence (splitmix64), below `limit`. */
static size_t below(uint64_t *state, size_t limit) {
    uint64_t x = *state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return (size_t)((x ^ (x >> 31)) % limit);
}

/* The first byte names the reader and stays. */
static void replay_cuts(const unsigned char *seed, size_t n, uint64_t *random) {
    size_t body = n - 1;
    for (size_t i = 0; i < CUTS && i < body; i++) replay(seed, 1 + (body <= CUTS ? i : below(random, body)));
}

/* A bit flipped; a byte of the seed from elsewhere, which is mostly a digit or a mark of the format; or any byte. */
static void change(unsigned char *bytes, const unsigned char *seed, size_t n, uint64_t *random) {
    size_t at = 1 + below(random, n - 1);
    switch (below(random, 3)) {
    case 0: bytes[at] ^= (unsigned char)(1u << below(random, 8)); break;
    case 1: bytes[at] = seed[1 + below(random, n - 1)]; break;
    default: bytes[at] = (unsigned char)below(random, 256);
    }
}

static void replay_changes(const unsigned char *seed, size_t n, uint64_t *random) {
    unsigned char bytes[LIMIT];
    for (unsigned i = 0; n > 1 && i < CHANGES; i++) {
        memcpy(bytes, seed, n);
        for (size_t left = 1 + below(random, MOST_CHANGED); left; left--) change(bytes, seed, n, random);
        replay(bytes, n);
    }
}

static size_t read_seed(const char *path, unsigned char bytes[LIMIT]) {
    FILE *file = fopen(path, "rb");
    if (!file) die(path);
    size_t n = fread(bytes, 1, LIMIT, file);
    if (ferror(file) || !feof(file)) die(path);
    fclose(file);
    return n;
}

int main(int n, char **argument) {
    static unsigned char seed[LIMIT];
    if (n < 3) {
        fprintf(stderr, "usage: %s INPUT SEED... | --once INPUT...\n", argument[0]);
        return 2;
    }
    bool once = strcmp(argument[1], "--once") == 0;
    fuzz_remembers = true;
    if (!once && (at_work = open(argument[1], O_WRONLY | O_CREAT | O_TRUNC, 0600)) < 0) die(argument[1]);
    for (int i = 2; i < n; i++) {
        size_t length = read_seed(argument[i], seed);
        uint64_t random = pf_hash(seed, length, 0);
        replay(seed, length);
        if (once || !length) continue;
        replay_cuts(seed, length, &random);
        replay_changes(seed, length, &random);
    }
    printf("%d seeds\n", n - 2);
    return 0;
}
