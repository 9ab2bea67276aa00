/* Counters, and the line that is made of them. */
#include "toolcall.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const step_names[TOOL_STEP_KINDS] = {"states", "states counted", "paths drawn", "pairs counted",
                                                        "scores of systems"};

double tool_seconds(clockid_t clock) {
    struct timespec now;
    return clock_gettime(clock, &now) ? 0 : (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double tool_now(void) { return tool_seconds(CLOCK_MONOTONIC); }

void tool_progress_begin(tool_progress *progress) { progress->began = tool_now(); }

void tool_item(tool_call *call, const char *item) { atomic_store(&call->progress.item, item); }
void tool_input(tool_call *call, uint64_t bytes) { atomic_store(&call->progress.size, bytes); }

const char *tool_item_name(const tool_call *call) {
    const char *item = atomic_load(&call->progress.item);
    return item ? item : "record";
}

void tool_done(tool_call *call, uint64_t items, uint64_t number, uint64_t at) {
    tool_progress *progress = &call->progress;
    assert(items > 0);
    atomic_store(&progress->last, number);
    atomic_store(&progress->position, at);
    if (!atomic_fetch_add(&progress->done, items)) {
        atomic_store(&progress->first_position, at);
        atomic_store(&progress->first_time, (unsigned long long)(1e9 * tool_now()));
    }
}

void tool_one_done(void *call, uint64_t number) { tool_done(call, 1, number, 0); }

bool tool_last_done(const tool_call *call, uint64_t *number) {
    *number = atomic_load(&call->progress.last);
    return atomic_load(&call->progress.done) > 0;
}

/* Where there is no memory, steps are not shown. */
void tool_steps(tool_call *call, tool_step step, uint64_t count) {
    tool_thread *thread = tool_this_thread(call);
    assert(step < TOOL_STEP_KINDS);
    if (!thread) return;
    uint64_t before = thread->steps[step], more = count >= before ? count - before : count;
    atomic_fetch_add_explicit(&call->progress.steps[step], more, memory_order_relaxed);
    thread->steps[step] = count;
}

void tool_states(void *call, uint64_t count) { tool_steps(call, TOOL_STATES, count); }

void tool_steps_begin(tool_call *call) {
    tool_thread *thread = tool_this_thread(call);
    if (thread) memset(thread->steps, 0, sizeof thread->steps);
}

/* ---- the line ---- */

typedef struct {
    char *text;
    size_t used;
} words;

static void add(words *to, const char *format, ...) PF_PRINTF(2, 3);
static void add(words *to, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    if (to->used < TOOL_PROGRESS_LINE)
        to->used += (size_t)vsnprintf(to->text + to->used, TOOL_PROGRESS_LINE - to->used, format, ap);
    va_end(ap);
}

static void add_rate(words *to, double count, double seconds) {
    double rate = count / seconds;
    if (count > 0 && seconds > 0.05) add(to, " (%.*f/s)", rate < 10 ? 1 : 0, rate);
}

/* The bytes up to the first item's end may have been those of a model, so they say nothing of how long the others take. */
static void add_time_left(words *to, const tool_progress *progress, double at) {
    double from = (double)atomic_load(&progress->first_position), bytes = (double)atomic_load(&progress->position) - from;
    double passed = at - 1e-9 * (double)atomic_load(&progress->first_time);
    double all = (double)atomic_load(&progress->size);
    if (!(all > 0) || !(bytes > 0) || !(passed > 0)) return;
    double left = (all - from - bytes) / bytes * passed;
    if (left < 0) left = 0;
    unsigned long seconds = left < 1e9 ? (unsigned long)(left + 0.5) : 1000000000;
    if (seconds < 3600) add(to, ", %lu:%02lu left", seconds / 60, seconds % 60);
    else add(to, ", %lu:%02lu:%02lu left", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

void tool_progress_line(const tool_call *call, char line[TOOL_PROGRESS_LINE]) {
    const tool_progress *progress = &call->progress;
    double at = tool_now(), items = (double)atomic_load(&progress->done);
    words to = {.text = line};
    add(&to, "%s: %.0f %s%s done", call->program->name, items, tool_item_name(call), items == 1 ? "" : "s");
    add_rate(&to, items, at - progress->began);
    for (int i = 0; i < TOOL_STEP_KINDS; i++) {
        double steps = (double)atomic_load_explicit(&progress->steps[i], memory_order_relaxed);
        if (!(steps > 0)) continue;
        add(&to, ", %.0f %s", steps, step_names[i]);
        add_rate(&to, steps, at - progress->began);
    }
    add_time_left(&to, progress, at);
}
