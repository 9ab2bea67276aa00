/* A ring of chunks that one thread fills and another one takes. */
#include "base/ahead.h"
#include "base/failure.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS = 16 };

typedef struct {
    unsigned char bytes[PFI_AHEAD_CHUNK];
    size_t n;
    uint64_t stored;
} ahead_chunk;

struct pfi_ahead {
    pf_reader *from; /* only the thread reads it */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t filled, taken; /* chunks so far; the next ones are at these numbers modulo CHUNKS */
    bool over;            /* no more chunks will come */
    bool unwanted;        /* nobody will take one */
    pfi_failure failed;   /* after the last chunk */
    ahead_chunk chunk[CHUNKS];
};

static bool wait_for_room(pfi_ahead *ahead) {
    pthread_mutex_lock(&ahead->lock);
    while (ahead->filled - ahead->taken == CHUNKS && !ahead->unwanted) pthread_cond_wait(&ahead->changed, &ahead->lock);
    const bool wanted = !ahead->unwanted;
    pthread_mutex_unlock(&ahead->lock);
    return wanted;
}

/* Returns whether another chunk may come. */
static bool read_chunk(pfi_ahead *ahead) {
    ahead_chunk *chunk = &ahead->chunk[ahead->filled % CHUNKS];
    const pf_err err = pf_reader_some(ahead->from, chunk->bytes, sizeof chunk->bytes, &chunk->n);
    chunk->stored = pf_reader_stored(ahead->from);
    pthread_mutex_lock(&ahead->lock);
    pfi_failure_note(&ahead->failed, err);
    ahead->filled += chunk->n > 0;
    ahead->over = err || chunk->n < sizeof chunk->bytes;
    pthread_cond_signal(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    return !ahead->over;
}

static void *read_all(void *self) {
    while (wait_for_room(self) && read_chunk(self)) {}
    return NULL;
}

/* Signals are for the threads of the program. */
static bool start_thread(pfi_ahead *ahead) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&ahead->thread, NULL, read_all, ahead) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void destroy(pfi_ahead *ahead) {
    pthread_mutex_destroy(&ahead->lock);
    pthread_cond_destroy(&ahead->changed);
    free(ahead);
}

pfi_ahead *pfi_ahead_start(pf_reader *from) {
    pfi_ahead *ahead = calloc(1, sizeof *ahead);
    if (!ahead) return NULL;
    ahead->from = from;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    if (start_thread(ahead)) return ahead;
    destroy(ahead);
    return NULL;
}

pf_err pfi_ahead_take(pfi_ahead *ahead, unsigned char *to, size_t *got, uint64_t *stored) {
    pthread_mutex_lock(&ahead->lock);
    while (ahead->filled == ahead->taken && !ahead->over) pthread_cond_wait(&ahead->changed, &ahead->lock);
    const bool has = ahead->filled > ahead->taken;
    pthread_mutex_unlock(&ahead->lock);
    *got = 0;
    if (!has) return pfi_failure_again(&ahead->failed);
    const ahead_chunk *chunk = &ahead->chunk[ahead->taken % CHUNKS];
    memcpy(to, chunk->bytes, chunk->n);
    *got = chunk->n;
    *stored = chunk->stored;
    pthread_mutex_lock(&ahead->lock);
    ahead->taken++;
    pthread_cond_signal(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    return PF_OK;
}

void pfi_ahead_free(pfi_ahead *ahead) {
    if (!ahead) return;
    pthread_mutex_lock(&ahead->lock);
    ahead->unwanted = true;
    pthread_cond_signal(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    pthread_join(ahead->thread, NULL);
    pf_reader_free(ahead->from);
    destroy(ahead);
}
