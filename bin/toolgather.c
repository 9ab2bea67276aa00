/* The thread sleeps while nothing is left to flush. */
#include "toolgather.h"

#include "toolcall.h"

#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_WAIT = 10 }; /* milliseconds */

static struct timespec deadline(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += LONGEST_WAIT * 1000000L;
    at.tv_sec += at.tv_nsec / 1000000000L;
    at.tv_nsec %= 1000000000L;
    return at;
}

/* With the lock: until the records that are left have waited long enough, or nothing more is gathered. */
static void wait_for_others(tool_gather *gather) {
    const struct timespec until = deadline();
    while (!gather->over && pthread_cond_timedwait(&gather->news, &gather->lock, &until) == 0) {}
}

static void *flush_late(void *self) {
    tool_call *call = self;
    tool_gather *gather = &call->gather;
    pthread_mutex_lock(&gather->lock);
    for (;;) {
        while (!gather->left && !gather->over) pthread_cond_wait(&gather->news, &gather->lock);
        wait_for_others(gather);
        if (gather->over) break;
        gather->left = false;
        pthread_mutex_unlock(&gather->lock);
        const bool flushed = tool_flush_or_end(call);
        pthread_mutex_lock(&gather->lock);
        gather->left = gather->left || !flushed;
    }
    pthread_mutex_unlock(&gather->lock);
    return NULL;
}

/* By the thread that has written the record. Without another thread to flush them, no record is left. */
static void leave(void *self) {
    tool_call *call = self;
    tool_gather *gather = &call->gather;
    if (gather->begun && !gather->flushing)
        gather->flushing = pthread_create(&gather->thread, NULL, flush_late, call) == 0;
    gather->begun = true;
    if (!gather->flushing) {
        pf_writer_flush(gather->writer);
        return;
    }
    pthread_mutex_lock(&gather->lock);
    gather->left = true;
    pthread_cond_signal(&gather->news);
    pthread_mutex_unlock(&gather->lock);
}

void tool_gather_begin(tool_call *call, pf_writer *writer) {
    assert(!call->gather.writer && writer);
    if (!call->watch || isatty(call->streams.out)) return;
    call->gather = (tool_gather){.writer = writer};
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&call->gather.lock, NULL);
    pthread_cond_init(&call->gather.news, &clock);
    pthread_condattr_destroy(&clock);
    tool_watch_writer(call, writer);
    pf_writer_gather(writer, leave, call);
}

static void stop(tool_gather *gather) {
    pthread_mutex_lock(&gather->lock);
    gather->over = true;
    pthread_cond_signal(&gather->news);
    pthread_mutex_unlock(&gather->lock);
    if (gather->flushing) pthread_join(gather->thread, NULL);
    pthread_cond_destroy(&gather->news);
    pthread_mutex_destroy(&gather->lock);
}

void tool_gather_end(tool_call *call) {
    tool_gather *gather = &call->gather;
    if (!gather->writer) return;
    stop(gather);
    tool_watch_writer(call, NULL);
    pf_writer_gather(gather->writer, NULL, NULL);
    gather->writer = NULL;
}
