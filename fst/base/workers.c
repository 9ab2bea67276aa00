/* A ring of pieces: the caller fills them, workers take the next piece that waits, and one of them at a time finishes. */
#include <permfst/base/workers.h>

#include <permfst/base/vec.h>

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pf_err err;
    char message[1024];
} failure;

typedef struct {
    bool done;
    failure failed;
    pf_writer *said;
} piece_state;

struct pf_workers {
    pf_workers_steps steps;
    void *self;
    pf_workers_hooks hooks;
    piece_state *state;
    char *piece;
    size_t size, first, next, end; /* pieces first .. end-1 are there, next .. end-1 wait for a worker; modulo size */
    bool over;      /* no more will come */
    bool finishing; /* somebody is */
    failure failed; /* of a finish() */
    pthread_mutex_t lock;
    pthread_cond_t waits, room;
    pthread_t *thread;
    size_t threads;
    PF_VEC(char *) kept; /* of the thread that puts */
};

static void *piece_of(const pf_workers *w, size_t i) { return w->piece + i % w->size * w->steps.size; }
static piece_state *state_of(const pf_workers *w, size_t i) { return &w->state[i % w->size]; }

static void note(failure *f, pf_err err) {
    f->err = err;
    if (err) snprintf(f->message, sizeof f->message, "%s", pf_message());
}

static pf_err fail_again(const failure *f) { return f->err ? pf_fail(f->err, "%s", f->message) : PF_OK; }

/* ---- one piece ---- */

/* What is said is kept for its turn where threads work side by side. */
static void work_on(const pf_workers *w, size_t i) {
    piece_state *s = state_of(w, i);
    if (s->failed.err) return;
    if (w->threads && w->hooks.work_begins && !s->said && pf_writer_memory(&s->said)) s->said = NULL;
    if (w->hooks.work_begins) w->hooks.work_begins(w->hooks.self, s->said);
    note(&s->failed, w->steps.work(w->self, piece_of(w, i)));
    if (w->hooks.work_ends) w->hooks.work_ends(w->hooks.self);
}

static pf_err finish(const pf_workers *w, size_t i) {
    piece_state *s = state_of(w, i);
    if (w->hooks.finish_begins) w->hooks.finish_begins(w->hooks.self, s->said);
    if (s->said) pf_writer_clear(s->said);
    fail_again(&s->failed);
    pf_err err = w->steps.finish(w->self, piece_of(w, i), s->failed.err);
    if (w->hooks.finish_ends) w->hooks.finish_ends(w->hooks.self);
    return err;
}

static void drop(const pf_workers *w, size_t i) {
    if (w->steps.drop) w->steps.drop(piece_of(w, i));
}

/* ---- threads ---- */

/* Finishes what is done and has its turn. With the lock, which is given away meanwhile. */
static void finish_in_turn(pf_workers *w) {
    if (w->finishing) return;
    w->finishing = true;
    while (w->first < w->next && state_of(w, w->first)->done) {
        bool ended = w->failed.err != PF_OK;
        pthread_mutex_unlock(&w->lock);
        pf_err err = ended ? PF_OK : finish(w, w->first);
        drop(w, w->first);
        pthread_mutex_lock(&w->lock);
        if (err) note(&w->failed, err);
        w->first++;
        if (w->end - w->first <= w->size / 2) pthread_cond_signal(&w->room);
    }
    w->finishing = false;
}

static void *work(void *self) {
    pf_workers *w = self;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (w->next == w->end && !w->over) pthread_cond_wait(&w->waits, &w->lock);
        if (w->next == w->end) break;
        size_t i = w->next++;
        bool ended = w->failed.err != PF_OK;
        pthread_mutex_unlock(&w->lock);
        if (!ended) work_on(w, i);
        pthread_mutex_lock(&w->lock);
        state_of(w, i)->done = true;
        finish_in_turn(w);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static pf_err start(pf_workers *w, size_t threads) {
    w->size = threads > 1 ? PF_PIECES_OF_WORKER * threads : 1;
    w->state = calloc(w->size, sizeof *w->state);
    w->piece = calloc(w->size, w->steps.size);
    w->thread = calloc(threads, sizeof *w->thread);
    if (!w->state || !w->piece || !w->thread) return pf_nomem();
    if (threads == 1) return PF_OK;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->waits, NULL);
    pthread_cond_init(&w->room, NULL);
    pthread_mutex_lock(&w->lock); /* nobody looks at `threads` before it is known */
    for (; w->threads < threads; w->threads++)
        if (pthread_create(&w->thread[w->threads], NULL, work, w) != 0) break;
    pthread_mutex_unlock(&w->lock);
    return w->threads ? PF_OK : pf_fail(PF_EIO, "cannot start a thread");
}

static void stop(pf_workers *w) {
    pthread_mutex_lock(&w->lock);
    w->over = true;
    pthread_cond_broadcast(&w->waits);
    pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; i < w->threads; i++) pthread_join(w->thread[i], NULL);
    pthread_cond_destroy(&w->waits);
    pthread_cond_destroy(&w->room);
    pthread_mutex_destroy(&w->lock);
}

/* ---- the thread that puts ---- */

pf_err pf_workers_new(size_t threads, const pf_workers_steps *steps, void *self, const pf_workers_hooks *hooks, pf_workers **out) {
    assert(threads && steps->size && steps->work && steps->finish);
    pf_workers *w = *out = calloc(1, sizeof *w);
    if (!w) return pf_nomem();
    w->steps = *steps;
    w->self = self;
    if (hooks) w->hooks = *hooks;
    pf_err err = start(w, threads);
    if (!err) return PF_OK;
    *out = NULL;
    return pf_workers_end(w, err);
}

static pf_err put_alone(pf_workers *w, const void *piece, pf_err err) {
    memcpy(w->piece, piece, w->steps.size);
    note(&w->state->failed, err);
    if (!w->failed.err) {
        work_on(w, 0);
        note(&w->failed, finish(w, 0));
    }
    drop(w, 0);
    return fail_again(&w->failed);
}

pf_err pf_workers_put(pf_workers *w, const void *piece, pf_err err) {
    if (!w->threads) return put_alone(w, piece, err);
    pthread_mutex_lock(&w->lock);
    if (w->end - w->first == w->size) pthread_cond_broadcast(&w->waits);
    while (w->end - w->first == w->size) pthread_cond_wait(&w->room, &w->lock);
    piece_state *s = state_of(w, w->end);
    memcpy(piece_of(w, w->end), piece, w->steps.size);
    s->done = false;
    note(&s->failed, err);
    w->end++;
    assert(w->first <= w->next && w->next < w->end);
    if (w->end - w->next >= w->size / 2) pthread_cond_broadcast(&w->waits);
    err = fail_again(&w->failed);
    pthread_mutex_unlock(&w->lock);
    return err;
}

void pf_workers_hurry(void *workers) {
    pf_workers *w = workers;
    if (!w->threads) return;
    pthread_mutex_lock(&w->lock);
    if (w->next < w->end) pthread_cond_broadcast(&w->waits);
    pthread_mutex_unlock(&w->lock);
}

pf_err pf_workers_keep(pf_workers *w, const char *text, const char **kept) {
    PF_TRY(PF_ROOM(&w->kept, 1));
    char *copy = strdup(text);
    if (!copy) return pf_nomem();
    *kept = w->kept.at[w->kept.n++] = copy;
    return PF_OK;
}

pf_err pf_workers_end(pf_workers *w, pf_err reading) {
    failure last;
    if (!w) return reading;
    note(&last, reading);
    if (w->threads) stop(w);
    if (w->failed.err) last = w->failed;
    for (size_t i = 0; w->state && i < w->size; i++) pf_writer_free(w->state[i].said);
    free(w->state);
    free(w->piece);
    free(w->thread);
    for (size_t i = 0; i < w->kept.n; i++) free(w->kept.at[i]);
    PF_VEC_FREE(&w->kept);
    free(w);
    return fail_again(&last);
}
