/* A ring of records in work: the reader fills it, workers take the next one that waits, and the oldest is finished first. */
#include "toolmap.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t toolmap_jobs = 1;
bool toolmap_keep_going;

typedef enum { WAITS, DONE } job_state;

typedef struct {
    toolmap_record r;
    const char *file;
    job_state state;
    pf_err err;
    char message[600];
} job;

typedef struct {
    const toolmap_steps *steps;
    void *self;
    bool failed;
    job *ring;
    size_t size, first, next, end; /* jobs first .. end-1 are there, next .. end-1 wait for a worker; modulo size */
    bool over;  /* no more will come */
    bool ended; /* by an error of a record */
    pthread_mutex_t lock;
    pthread_cond_t waits, done;
    pthread_t *worker;
    size_t workers;
} map;

static void work_on(const map *m, job *j) {
    j->err = m->steps->work(m->self, &j->r);
    if (j->err) snprintf(j->message, sizeof j->message, "%s", pf_message());
}

static void *work(void *self) {
    map *m = self;
    pthread_mutex_lock(&m->lock);
    for (;;) {
        while (m->next == m->end && !m->over) pthread_cond_wait(&m->waits, &m->lock);
        if (m->next == m->end) break;
        job *j = &m->ring[m->next++ % m->size];
        pthread_mutex_unlock(&m->lock);
        if (!j->err) work_on(m, j);
        pthread_mutex_lock(&m->lock);
        j->state = DONE;
        pthread_cond_signal(&m->done);
    }
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

/* An error of one record: the end, or a report. */
static pf_err fail(map *m, const job *j) {
    pf_fail(j->err, "%s", j->message);
    toolfst_name_record(j->err, j->file, j->r.record);
    if (!toolmap_keep_going || j->err == PF_EIO || j->err == PF_ENOMEM) return j->err;
    tool_trouble();
    m->failed = true;
    return PF_OK;
}

static void drop(const map *m, job *j) {
    if (j->r.own && m->steps->drop) m->steps->drop(j->r.own);
    pf_expr_free(j->r.out);
    pf_expr_free(j->r.in);
}

/* Finishes the oldest job, which is done. */
static pf_err finish(map *m, job *j) {
    pf_err err = j->err ? fail(m, j) : PF_OK;
    if (j->err) {
        pf_expr_free(j->r.out);
        j->r.out = NULL;
    }
    if (!err) err = m->steps->finish(m->self, &j->r);
    if (err && !j->err) toolfst_name_record(err, j->file, j->r.record);
    drop(m, j);
    return err;
}

static pf_err finish_oldest(map *m) {
    job *j = &m->ring[m->first % m->size];
    pthread_mutex_lock(&m->lock);
    while (j->state != DONE) pthread_cond_wait(&m->done, &m->lock);
    pthread_mutex_unlock(&m->lock);
    m->first++;
    pf_err err = finish(m, j);
    m->ended = err != PF_OK;
    return err;
}

static void take_up(const map *m, job *j, pf_expr **expr, uint64_t record) {
    *j = (job){.r = {.in = *expr, .record = record}, .file = toolfst_reading()};
    *expr = NULL;
    if (m->steps->prepare) j->err = m->steps->prepare(m->self, &j->r);
    if (j->err) snprintf(j->message, sizeof j->message, "%s", pf_message());
}

static pf_err each(void *self, pf_expr **expr, uint64_t record) {
    map *m = self;
    if (m->end - m->first == m->size) PF_TRY(finish_oldest(m));
    take_up(m, &m->ring[m->end % m->size], expr, record);
    pthread_mutex_lock(&m->lock);
    m->end++;
    pthread_cond_signal(&m->waits);
    pthread_mutex_unlock(&m->lock);
    return PF_OK;
}

static pf_err each_alone(void *self, pf_expr **expr, uint64_t record) {
    map *m = self;
    job j;
    take_up(m, &j, expr, record);
    if (!j.err) work_on(m, &j);
    return finish(m, &j);
}

static pf_err start(map *m) {
    m->size = 4 * toolmap_jobs;
    m->ring = calloc(m->size, sizeof *m->ring);
    m->worker = calloc(toolmap_jobs, sizeof *m->worker);
    if (!m->ring || !m->worker) return pf_nomem();
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->waits, NULL);
    pthread_cond_init(&m->done, NULL);
    for (; m->workers < toolmap_jobs; m->workers++)
        if (pthread_create(&m->worker[m->workers], NULL, work, m) != 0) break;
    return m->workers ? PF_OK : pf_fail(PF_EIO, "cannot start a thread");
}

/* Jobs that nobody has begun are dropped; those in work are waited for. */
static void stop(map *m) {
    pthread_mutex_lock(&m->lock);
    for (size_t i = m->next; i < m->end; i++) m->ring[i % m->size].state = DONE;
    m->next = m->end;
    m->over = true;
    pthread_cond_broadcast(&m->waits);
    pthread_mutex_unlock(&m->lock);
    for (size_t i = 0; i < m->workers; i++) pthread_join(m->worker[i], NULL);
    for (; m->first < m->end; m->first++) drop(m, &m->ring[m->first % m->size]);
}

/* Finishes what was read; an error of the reading comes after those of the records before it. */
static pf_err finish_all(map *m, pf_err reading) {
    char message[600];
    snprintf(message, sizeof message, "%s", pf_message());
    while (!m->ended && m->first < m->end) PF_TRY(finish_oldest(m));
    return reading ? pf_fail(reading, "%s", message) : PF_OK;
}

static pf_err run_threads(map *m, int n, char **operands) {
    pf_err err = start(m);
    if (!err) err = finish_all(m, toolfst_read(n, operands, each, m));
    if (m->worker && m->ring) stop(m);
    free(m->ring);
    free(m->worker);
    return err;
}

pf_err toolmap_read(int n, char **operands, const toolmap_steps *steps, void *self, bool *failed) {
    map m = {.steps = steps, .self = self};
    pf_err err = toolmap_jobs > 1 ? run_threads(&m, n, operands) : toolfst_read(n, operands, each_alone, &m);
    *failed = m.failed;
    return err;
}
