/* The reader fills the ring, workers take the next piece that waits, and one of them at a time finishes. */
#include "toolring.h"

#include "toolprogress.h"
#include "toolwatch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 4 }; /* of each worker in the ring */

typedef struct {
    bool done;
    pf_err err;
    char message[1024];
    pf_writer *said;
} slot;

struct toolring {
    tool_call *call;
    toolring_steps steps;
    void *self;
    slot *slot;
    char *piece;
    size_t size, first, next, end; /* pieces first .. end-1 are there, next .. end-1 wait for a worker; modulo size */
    bool over;      /* no more will come */
    bool finishing; /* somebody is */
    pf_err err;     /* of a finish() */
    char message[1024];
    pthread_mutex_t lock;
    pthread_cond_t waits, room;
    pthread_t *worker;
    size_t workers;
};

pf_err tool_skip(tool_call *call, pf_err err, bool *failed) {
    if (!tool_common_of(call)->keep_going || err == PF_EIO || err == PF_ENOMEM) return err;
    tool_trouble(call);
    *failed = true;
    return PF_OK;
}

static void *piece_of(const toolring *r, size_t i) { return r->piece + i % r->size * r->steps.size; }
static slot *slot_of(const toolring *r, size_t i) { return &r->slot[i % r->size]; }

static void note(slot *s, pf_err err) {
    s->err = err;
    if (err) snprintf(s->message, sizeof s->message, "%s", pf_message());
}

/* What is said is kept for its turn where threads work side by side. */
static void work_on(const toolring *r, size_t i) {
    slot *s = slot_of(r, i);
    tool_work_begin(r->call);
    if (s->err) return;
    if (r->workers && !s->said && pf_writer_memory(&s->said)) s->said = NULL;
    tool_say_into(s->said);
    note(s, r->steps.work(r->self, piece_of(r, i)));
    tool_say_into(NULL);
}

static pf_err finish(const toolring *r, size_t i) {
    slot *s = slot_of(r, i);
    tool_write_begin(r->call);
    if (s->said) tool_said(r->call, s->said);
    if (s->said) pf_writer_clear(s->said);
    if (s->err) pf_fail(s->err, "%s", s->message);
    pf_err err = r->steps.finish(r->self, piece_of(r, i), s->err);
    tool_write_end(r->call);
    return err;
}

static void drop(const toolring *r, size_t i) {
    if (r->steps.drop) r->steps.drop(piece_of(r, i));
}

static void note_end(toolring *r, pf_err err) {
    r->err = err;
    snprintf(r->message, sizeof r->message, "%s", pf_message());
}

static pf_err error_of(const toolring *r) { return r->err ? pf_fail(r->err, "%s", r->message) : PF_OK; }

/* Finishes what is done and has its turn. With the lock, which is given away meanwhile. */
static void finish_in_turn(toolring *r) {
    if (r->finishing) return;
    r->finishing = true;
    while (r->first < r->next && slot_of(r, r->first)->done) {
        bool ended = r->err != PF_OK;
        pthread_mutex_unlock(&r->lock);
        pf_err err = ended ? PF_OK : finish(r, r->first);
        drop(r, r->first);
        pthread_mutex_lock(&r->lock);
        if (err) note_end(r, err);
        r->first++;
        if (r->end - r->first <= r->size / 2) pthread_cond_signal(&r->room);
    }
    r->finishing = false;
}

static void *work(void *self) {
    toolring *r = self;
    pthread_mutex_lock(&r->lock);
    for (;;) {
        while (r->next == r->end && !r->over) pthread_cond_wait(&r->waits, &r->lock);
        if (r->next == r->end) break;
        size_t i = r->next++;
        bool ended = r->err != PF_OK;
        pthread_mutex_unlock(&r->lock);
        if (!ended) work_on(r, i);
        pthread_mutex_lock(&r->lock);
        slot_of(r, i)->done = true;
        finish_in_turn(r);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static pf_err start(toolring *r) {
    uint64_t jobs = tool_common_of(r->call)->jobs;
    r->size = jobs > 1 ? PIECES * jobs : 1;
    r->slot = calloc(r->size, sizeof *r->slot);
    r->piece = calloc(r->size, r->steps.size);
    r->worker = calloc(jobs, sizeof *r->worker);
    if (!r->slot || !r->piece || !r->worker) return pf_nomem();
    if (jobs == 1) return PF_OK;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->waits, NULL);
    pthread_cond_init(&r->room, NULL);
    pthread_mutex_lock(&r->lock); /* nobody looks at `workers` before it is known */
    for (; r->workers < jobs; r->workers++)
        if (pthread_create(&r->worker[r->workers], NULL, work, r) != 0) break;
    pthread_mutex_unlock(&r->lock);
    return r->workers ? PF_OK : pf_fail(PF_EIO, "cannot start a thread");
}

pf_err toolring_new(tool_call *call, const toolring_steps *steps, void *self, toolring **out) {
    toolring *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r) return pf_nomem();
    r->call = call;
    r->steps = *steps;
    r->self = self;
    pf_err err = start(r);
    if (err) toolring_end(r);
    *out = err ? NULL : r;
    return err;
}

static pf_err put_alone(toolring *r, const void *piece, pf_err err) {
    memcpy(r->piece, piece, r->steps.size);
    note(r->slot, err);
    if (!r->err) {
        work_on(r, 0);
        err = finish(r, 0);
        if (err) note_end(r, err);
    }
    drop(r, 0);
    return error_of(r);
}

pf_err toolring_put(toolring *r, const void *piece, pf_err err) {
    if (!r->workers) return put_alone(r, piece, err);
    slot *s;
    pthread_mutex_lock(&r->lock);
    if (r->end - r->first == r->size) pthread_cond_broadcast(&r->waits);
    while (r->end - r->first == r->size) pthread_cond_wait(&r->room, &r->lock);
    s = slot_of(r, r->end);
    memcpy(piece_of(r, r->end), piece, r->steps.size);
    s->done = false;
    note(s, err);
    r->end++;
    if (r->end - r->next >= r->size / 2) pthread_cond_broadcast(&r->waits);
    err = error_of(r);
    pthread_mutex_unlock(&r->lock);
    return err;
}

void toolring_hurry(toolring *r) {
    if (!r->workers) return;
    pthread_mutex_lock(&r->lock);
    if (r->next < r->end) pthread_cond_broadcast(&r->waits);
    pthread_mutex_unlock(&r->lock);
}

static void stop(toolring *r) {
    pthread_mutex_lock(&r->lock);
    r->over = true;
    pthread_cond_broadcast(&r->waits);
    pthread_mutex_unlock(&r->lock);
    for (size_t i = 0; i < r->workers; i++) pthread_join(r->worker[i], NULL);
}

pf_err toolring_end(toolring *r) {
    if (!r) return PF_OK;
    if (r->workers) stop(r);
    pf_err err = error_of(r);
    for (size_t i = 0; r->slot && i < r->size; i++) pf_writer_free(r->slot[i].said);
    free(r->slot);
    free(r->piece);
    free(r->worker);
    free(r);
    return err;
}

pf_err toolring_last(toolring *r, pf_err reading) {
    char message[1024];
    snprintf(message, sizeof message, "%s", pf_message());
    PF_TRY(toolring_end(r));
    return reading ? pf_fail(reading, "%s", message) : PF_OK;
}
