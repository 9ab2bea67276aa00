/* Records that a program writes are flushed together, where they are small and many: a call of the system for each of them would
 * take longer than the record.
 *
 * The first record is flushed at once. Those after it are flushed when they are many; when the first of them has waited for some
 * milliseconds, by a thread that is begun for it; before the program waits for input; before a line of the third stream; and at the
 * end. So whoever reads them waits no longer than that for a record, whatever the next one takes. On a terminal, and in a call that
 * nobody watches, each record is flushed. */
#ifndef TOOLGATHER_H
#define TOOLGATHER_H

#include "tool.h"

#include <pthread.h>

typedef struct {
    pf_writer *writer; /* NULL: nothing is gathered */
    bool begun;        /* a record was left and flushed */
    bool flushing;     /* the thread runs */
    pthread_t thread;
    pthread_mutex_t lock; /* of the next two */
    bool left, over;
    pthread_cond_t news;
} tool_gather;

/* From now on a writer of the call gathers records, each of which is written between tool_write_begin and tool_write_end; nothing
 * else is written to it until tool_gather_end, which flushes those that were gathered. One writer at a time. */
void tool_gather_begin(tool_call *call, pf_writer *writer);
void tool_gather_end(tool_call *call);

#endif
