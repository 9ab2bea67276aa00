/* Counters, and the line that is made of them. */
#include "toolprogress.h"

#include <permfst/permfst.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { DELAY = 1, LATE = 3 }; /* seconds before the first line on a terminal */
enum { LINE = 300 };

static const char *const step_names[TOOL_STEP_KINDS] = {"states", "states counted", "paths drawn", "pairs counted",
                                                        "scores of systems"};

static const char *name = "";
static double began, delay;
static const char *_Atomic unit = "record";
static atomic_ullong size; /* of the input; 0: not known */
static atomic_ullong done, last, position, steps[TOOL_STEP_KINDS];
static atomic_ullong first_position, first_time; /* when the first unit was done; a time in nanoseconds */
static _Thread_local uint64_t so_far[TOOL_STEP_KINDS];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void tool_unit(const char *word) { atomic_store(&unit, word); }
const char *tool_unit_name(void) { return atomic_load(&unit); }
void tool_input(uint64_t bytes) { atomic_store(&size, bytes); }

void tool_done(uint64_t n, uint64_t number, uint64_t at) {
    atomic_store(&last, number);
    atomic_store(&position, at);
    if (!atomic_fetch_add(&done, n)) {
        atomic_store(&first_position, at);
        atomic_store(&first_time, (unsigned long long)(1e9 * now()));
    }
}

bool tool_last_done(uint64_t *number) {
    *number = atomic_load(&last);
    return atomic_load(&done) > 0;
}

void tool_steps(tool_step step, uint64_t n) {
    atomic_fetch_add_explicit(&steps[step], n >= so_far[step] ? n - so_far[step] : n, memory_order_relaxed);
    so_far[step] = n;
}

void tool_states(void *nothing, uint64_t n) {
    (void)nothing;
    tool_steps(TOOL_STATES, n);
}

void tool_steps_begin(void) { memset(so_far, 0, sizeof so_far); }

/* ---- the words ---- */

typedef struct {
    char text[LINE];
    size_t n;
} words;

static void add(words *w, const char *format, ...) PF_PRINTF(2, 3);
static void add(words *w, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    if (w->n < sizeof w->text) w->n += (size_t)vsnprintf(w->text + w->n, sizeof w->text - w->n, format, ap);
    va_end(ap);
}

static void add_rate(words *w, double n, double seconds) {
    double rate = n / seconds;
    if (n > 0 && seconds > 0.05) add(w, " (%.*f/s)", rate < 10 ? 1 : 0, rate);
}

/* The bytes up to the first unit's end may have been those of a model, so they say nothing of how long the others take. */
static void add_time_left(words *w, double at) {
    double from = (double)atomic_load(&first_position), bytes = (double)atomic_load(&position) - from;
    double passed = at - 1e-9 * (double)atomic_load(&first_time);
    double all = (double)atomic_load(&size);
    if (!(all > 0) || !(bytes > 0) || !(passed > 0)) return;
    double left = (all - from - bytes) / bytes * passed;
    if (left < 0) left = 0;
    unsigned long seconds = left < 1e9 ? (unsigned long)(left + 0.5) : 1000000000;
    if (seconds < 3600) add(w, ", %lu:%02lu left", seconds / 60, seconds % 60);
    else add(w, ", %lu:%02lu:%02lu left", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

static void describe(words *w) {
    double at = now(), units = (double)atomic_load(&done);
    *w = (words){0};
    add(w, "%s: %.0f %s%s done", name, units, tool_unit_name(), units == 1 ? "" : "s");
    add_rate(w, units, at - began);
    for (int i = 0; i < TOOL_STEP_KINDS; i++) {
        double n = (double)atomic_load_explicit(&steps[i], memory_order_relaxed);
        if (!(n > 0)) continue;
        add(w, ", %.0f %s", n, step_names[i]);
        add_rate(w, n, at - began);
    }
    add_time_left(w, at);
}

/* ---- stderr ---- */

static pthread_mutex_t pen = PTHREAD_MUTEX_INITIALIZER;
static int drawn; /* columns of the line on the terminal */

static void wipe(void) {
    if (drawn) fprintf(stderr, "\r%*s\r", drawn, "");
    drawn = 0;
}

/* ---- messages ---- */

/* The bytes of the UTF-8 letter at `at` that a terminal may get as it is; 0: none. */
static size_t printable(const char *at) {
    const unsigned char *c = (const unsigned char *)at;
    size_t n = *c < 0x80 ? 1 : *c < 0xc2 ? 0 : *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : *c < 0xf5 ? 4 : 0;
    if (n == 1) return *c == '\t' || (*c >= ' ' && *c != 0x7f);
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    return *c == 0xc2 && c[1] < 0xa0 ? 0 : n; /* the control letters beyond ASCII */
}

/* What a message has of the input is anything: it must not steer a terminal. */
static void make_printable(const char *at, char *to, size_t room) {
    for (size_t n; *at && room > 4; at += n) {
        size_t put = n = printable(at);
        if (n) memcpy(to, at, n);
        else put = (size_t)snprintf(to, room, "\\x%02x", (unsigned char)at[n++]);
        to += put;
        room -= put;
    }
    *to = 0;
}

/* In one write, so that programs of a pipeline do not cut each other's words. */
void tool_line(const char *text) {
    char shown[4 * TOOL_LINE];
    make_printable(text, shown, sizeof shown);
    pthread_mutex_lock(&pen);
    wipe();
    fprintf(stderr, "%s\n", shown);
    pthread_mutex_unlock(&pen);
}

/* ---- progress ---- */

void toolprogress_clear(void) {
    pthread_mutex_lock(&pen);
    wipe();
    fflush(stderr);
    pthread_mutex_unlock(&pen);
}

void toolprogress_begin(const char *program, bool late) {
    name = program;
    delay = late ? LATE : DELAY;
    began = now();
}

void toolprogress_say(void) {
    words w;
    describe(&w);
    tool_line(w.text);
}

/* The programs of a pipeline share a terminal: the one that has locked it shows its line, until it ends. */
static bool terminal_is_ours(void) {
    static bool ours;
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (!ours) ours = fcntl(STDERR_FILENO, F_SETLK, &whole) == 0 || (errno != EACCES && errno != EAGAIN);
    return ours && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

static int columns(void) {
    struct winsize window;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 ? window.ws_col : 80;
}

void toolprogress_draw(void) {
    words w;
    int room = columns() - 1; /* a full line would be two */
    if (now() - began < delay || !terminal_is_ours()) return;
    describe(&w);
    pthread_mutex_lock(&pen);
    if (drawn > room) drawn = room;
    drawn = fprintf(stderr, "\r%-*.*s\r", drawn, room, w.text) - 2;
    fflush(stderr);
    pthread_mutex_unlock(&pen);
}
