/* How far a call is: what it counts, and one line that says it.
 *
 * The threads at work only add to counters; another one (toolwatch.h) reads them, for a line on a terminal about once a second
 * and one wherever SIGUSR1 asks. So a line comes at any time, also from within one long record. */
#ifndef TOOLPROGRESS_H
#define TOOLPROGRESS_H

#include "tool.h"

#include <stdatomic.h>
#include <time.h>

/* What a long piece of work is made of. */
typedef enum {
    TOOL_STATES,
    TOOL_COUNTED_STATES,
    TOOL_DRAWN_PATHS,
    TOOL_COUNTED_PAIRS,
    TOOL_SCORED_SYSTEMS,
    TOOL_STEP_KINDS
} tool_step;

typedef struct {
    double began;                 /* seconds of the monotonic clock */
    const char *_Atomic item;     /* what is counted; NULL: "record" */
    atomic_ullong size, position; /* of the input, in bytes; size 0: not known */
    atomic_ullong done, last;     /* items done; the number of the last one */
    atomic_ullong first_position, first_time; /* when the first item was done; a time in nanoseconds */
    atomic_ullong steps[TOOL_STEP_KINDS];
} tool_progress; /* all zero but `began`: nothing is done */

void tool_progress_begin(tool_progress *progress);

/* Seconds of a clock of the system; and of the monotonic one. */
double tool_seconds(clockid_t clock);
double tool_now(void);

/* What is counted by tool_done ("record"), and how many bytes of input there are in all (0: nobody knows). */
void tool_item(tool_call *call, const char *item);
void tool_input(tool_call *call, uint64_t bytes);

/* `items` more are done, the last of them with this number, and the input up to this byte with them. */
void tool_done(tool_call *call, uint64_t items, uint64_t last, uint64_t position);

/* The same of one item, as a callback of the library; `call` is a tool_call. */
void tool_one_done(void *call, uint64_t number);

/* How many steps this thread has done in its piece of work; a smaller number than before begins anew. tool_steps_begin
 * begins a piece. */
void tool_steps(tool_call *call, tool_step step, uint64_t so_far);
void tool_steps_begin(tool_call *call);

/* The same of TOOL_STATES, as a callback of the library; `call` is a tool_call. */
void tool_states(void *call, uint64_t so_far);

/* The number of the last item done, if there is one; and what the items are called. */
bool tool_last_done(const tool_call *call, uint64_t *last);
const char *tool_item_name(const tool_call *call);

/* The line, without a LF: "name: 12 records done (3.4/s), 0:17 left". */
enum { TOOL_PROGRESS_LINE = 300 };
void tool_progress_line(const tool_call *call, char line[TOOL_PROGRESS_LINE]);

#endif
