/* A ring of pieces: the caller fills them, workers take the next piece that waits, and one of them at a time finishes. */
#include <permfst/base/workers.h>

#include "base/failure.h"

#include <permfst/base/vec.h>

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    bool done;
    bool begun; /* taken, and not refused */
    pfi_failure failed;
    pf_writer *said;
    uint64_t bytes;
} piece_state;

struct pf_workers {
    pf_workers_steps steps;
    void *self;
    pf_workers_hooks hooks;
    piece_state *state;
    char *piece;
    size_t size, first, next, end; /* pieces first .. end-1 are there, next .. end-1 wait for a worker; modulo size */
    size_t few;     /* so many pieces may be there whatever they hold */
    uint64_t bytes; /* of all that are there */
    bool over;      /* no more will come */
    bool finishing; /* somebody is */
    pfi_failure failed; /* of a finish() */
    pthread_mutex_t lock;
    pthread_cond_t waits, room;
    pthread_t *thread;
    size_t threads;
    PF_VEC(char *) kept; /* of the thread that puts */
};

static void *piece_of(const pf_workers *workers, size_t i) {
    return workers->piece + i % workers->size * workers->steps.size;
}
static piece_state *state_of(const pf_workers *workers, size_t i) { return &workers->state[i % workers->size]; }

/* ---- one piece ---- */

/* In the order of the pieces: with the lock. */
static void take(const pf_workers *workers, size_t i) {
    state_of(workers, i)->begun = !workers->hooks.takes || workers->hooks.takes(workers->hooks.self);
}

/* What is said is kept for its turn where threads work side by side. */
static void work_on(const pf_workers *workers, size_t i) {
    piece_state *state = state_of(workers, i);
    if (state->failed.err || !state->begun) return;
    if (workers->threads && workers->hooks.work_begins && !state->said && pf_writer_memory(&state->said))
        state->said = NULL;
    if (workers->hooks.work_begins) workers->hooks.work_begins(workers->hooks.self, state->said);
    pfi_failure_note(&state->failed, workers->steps.work(workers->self, piece_of(workers, i)));
    if (workers->hooks.work_ends) workers->hooks.work_ends(workers->hooks.self);
}

/* A piece that was begun has its turn, also where nothing is finished any more (`ended`). */
static pf_err finish(const pf_workers *workers, size_t i, bool ended) {
    piece_state *state = state_of(workers, i);
    pf_err err = PF_OK;
    if (!state->begun) return PF_OK;
    if (workers->hooks.finish_begins) workers->hooks.finish_begins(workers->hooks.self, ended ? NULL : state->said);
    if (state->said) pf_writer_clear(state->said);
    if (!ended) {
        pfi_failure_again(&state->failed);
        err = workers->steps.finish(workers->self, piece_of(workers, i), state->failed.err);
    }
    if (workers->hooks.finish_ends) workers->hooks.finish_ends(workers->hooks.self);
    return err;
}

static void drop(const pf_workers *workers, size_t i) {
    if (workers->steps.drop) workers->steps.drop(piece_of(workers, i));
}

/* ---- how many pieces there are: with the lock ---- */

static uint64_t bytes_of(const pf_workers *workers, size_t i) {
    return workers->steps.bytes ? workers->steps.bytes(piece_of(workers, i)) : 0;
}

/* Pieces that may be there now. */
static size_t most_pieces(const pf_workers *workers) {
    return workers->bytes < (uint64_t)PF_BYTES_OF_WORKER * workers->threads ? workers->size : workers->few;
}

/* A piece that waits is not begun where those before it hold too much. */
static bool may_begin(const pf_workers *workers) {
    return workers->next < workers->end && workers->next - workers->first < most_pieces(workers);
}

/* A piece holds so much from now on; or it is the oldest one, and gone. Threads that were held up sleep: they are woken where a
 * piece may begin again. */
static void holds(pf_workers *workers, size_t i, uint64_t bytes, bool gone) {
    piece_state *state = state_of(workers, i);
    const bool held_up = workers->next < workers->end && !may_begin(workers);
    assert(!gone || (i == workers->first && !bytes));
    workers->bytes += bytes - state->bytes;
    state->bytes = bytes;
    if (gone) workers->first++; /* else not written: the thread that finishes reads it without the lock */
    if (held_up && may_begin(workers)) pthread_cond_broadcast(&workers->waits);
}

static bool is_full(const pf_workers *workers) { return workers->end - workers->first >= most_pieces(workers); }

/* ---- threads ---- */

/* Finishes what is done and has its turn. With the lock, which is given away meanwhile. */
static void finish_in_turn(pf_workers *workers) {
    if (workers->finishing) return;
    workers->finishing = true;
    while (workers->first < workers->next && state_of(workers, workers->first)->done) {
        bool ended = workers->failed.err != PF_OK;
        pthread_mutex_unlock(&workers->lock);
        pf_err err = finish(workers, workers->first, ended);
        drop(workers, workers->first);
        pthread_mutex_lock(&workers->lock);
        if (err) pfi_failure_note(&workers->failed, err);
        holds(workers, workers->first, 0, true);
        if (workers->end - workers->first <= most_pieces(workers) / 2) pthread_cond_signal(&workers->room);
    }
    workers->finishing = false;
}

static void *work(void *self) {
    pf_workers *workers = self;
    pthread_mutex_lock(&workers->lock);
    for (;;) {
        while (!may_begin(workers) && !(workers->over && workers->next == workers->end))
            pthread_cond_wait(&workers->waits, &workers->lock);
        if (!may_begin(workers)) break;
        size_t i = workers->next++;
        bool ended = workers->failed.err != PF_OK;
        if (!ended) take(workers, i);
        pthread_mutex_unlock(&workers->lock);
        if (!ended) work_on(workers, i);
        uint64_t bytes = bytes_of(workers, i);
        pthread_mutex_lock(&workers->lock);
        holds(workers, i, bytes, false);
        state_of(workers, i)->done = true;
        finish_in_turn(workers);
    }
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

static pf_err start(pf_workers *workers, size_t threads) {
    const size_t pieces_of_worker = workers->steps.bytes ? PF_SMALL_PIECES_OF_WORKER : PF_PIECES_OF_WORKER;
    workers->size = threads > 1 ? pieces_of_worker * threads : 1;
    workers->few = threads > 1 ? PF_PIECES_OF_WORKER * threads : 1;
    workers->state = calloc(workers->size, sizeof *workers->state);
    workers->piece = calloc(workers->size, workers->steps.size);
    workers->thread = calloc(threads, sizeof *workers->thread);
    if (!workers->state || !workers->piece || !workers->thread) return pf_nomem();
    if (threads == 1) return PF_OK;
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->waits, NULL);
    pthread_cond_init(&workers->room, NULL);
    pthread_mutex_lock(&workers->lock); /* nobody looks at `threads` before it is known */
    for (; workers->threads < threads; workers->threads++)
        if (pthread_create(&workers->thread[workers->threads], NULL, work, workers) != 0) break;
    pthread_mutex_unlock(&workers->lock);
    return workers->threads ? PF_OK : pf_fail(PF_EIO, "cannot start a thread");
}

static void stop(pf_workers *workers) {
    pthread_mutex_lock(&workers->lock);
    workers->over = true;
    pthread_cond_broadcast(&workers->waits);
    pthread_mutex_unlock(&workers->lock);
    for (size_t i = 0; i < workers->threads; i++) pthread_join(workers->thread[i], NULL);
    pthread_cond_destroy(&workers->waits);
    pthread_cond_destroy(&workers->room);
    pthread_mutex_destroy(&workers->lock);
}

/* ---- the thread that puts ---- */

pf_err pf_workers_new(size_t threads, const pf_workers_steps *steps, void *self, const pf_workers_hooks *hooks, pf_workers **out) {
    assert(threads && steps->size && steps->work && steps->finish);
    pf_workers *workers = *out = calloc(1, sizeof *workers);
    if (!workers) return pf_nomem();
    workers->steps = *steps;
    workers->self = self;
    if (hooks) workers->hooks = *hooks;
    pf_err err = start(workers, threads);
    if (!err) return PF_OK;
    *out = NULL;
    return pf_workers_end(workers, err);
}

static pf_err put_alone(pf_workers *workers, const void *piece, pf_err err) {
    memcpy(workers->piece, piece, workers->steps.size);
    pfi_failure_note(&workers->state->failed, err);
    if (!workers->failed.err) {
        take(workers, 0);
        work_on(workers, 0);
        pfi_failure_note(&workers->failed, finish(workers, 0, false));
    }
    drop(workers, 0);
    return pfi_failure_again(&workers->failed);
}

pf_err pf_workers_put(pf_workers *workers, const void *piece, pf_err err) {
    if (!workers->threads) return put_alone(workers, piece, err);
    pthread_mutex_lock(&workers->lock);
    if (is_full(workers)) pthread_cond_broadcast(&workers->waits);
    while (is_full(workers)) pthread_cond_wait(&workers->room, &workers->lock);
    piece_state *state = state_of(workers, workers->end);
    memcpy(piece_of(workers, workers->end), piece, workers->steps.size);
    state->done = state->begun = false;
    pfi_failure_note(&state->failed, err);
    holds(workers, workers->end, bytes_of(workers, workers->end), false);
    workers->end++;
    assert(workers->first <= workers->next && workers->next < workers->end);
    if (workers->end - workers->next >= workers->few / 2) pthread_cond_broadcast(&workers->waits);
    err = pfi_failure_again(&workers->failed);
    pthread_mutex_unlock(&workers->lock);
    return err;
}

void pf_workers_hurry(void *workers) {
    pf_workers *own = workers;
    if (!own->threads) return;
    pthread_mutex_lock(&own->lock);
    if (own->next < own->end) pthread_cond_broadcast(&own->waits);
    pthread_mutex_unlock(&own->lock);
}

pf_err pf_workers_keep(pf_workers *workers, const char *text, const char **kept) {
    PF_TRY(PF_ROOM(&workers->kept, 1));
    char *copy = strdup(text);
    if (!copy) return pf_nomem();
    *kept = workers->kept.at[workers->kept.n++] = copy;
    return PF_OK;
}

pf_err pf_workers_end(pf_workers *workers, pf_err reading) {
    pfi_failure last;
    if (!workers) return reading;
    pfi_failure_note(&last, reading);
    if (workers->threads) stop(workers);
    if (workers->failed.err) last = workers->failed;
    for (size_t i = 0; workers->state && i < workers->size; i++) pf_writer_free(workers->state[i].said);
    free(workers->state);
    free(workers->piece);
    free(workers->thread);
    for (size_t i = 0; i < workers->kept.n; i++) free(workers->kept.at[i]);
    PF_VEC_FREE(&workers->kept);
    free(workers);
    return pfi_failure_again(&last);
}
