/* Handlers write a byte to a pipe and the thread reads it, so that nothing but what a handler may do is done in one. */
#include "toolwatch.h"

#include "toolprogress.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ECHO 0.2         /* seconds in which a second SIGINT is the first one */
enum { REFRESH = 1000 }; /* milliseconds between two progress lines */
enum { ENDED = 'e', ASKED = 'u', INTERRUPTED = 'i' };

static const char *program = "";
static int bell[2] = {-1, -1}; /* a pipe */
static pthread_t thread;
static bool watching, early;
static bool on_terminal, results_too; /* messages go to a terminal; so do the results */
enum { TEMPORARIES = 8 };
static atomic_int interrupted, over, temporaries;
static char temporary[TEMPORARIES][4200]; /* each set before `temporaries` counts it */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool writing;
static uint64_t in_work; /* records begun and not yet written */

/* ---- signals ---- */

static void ring(char why) {
    int saved = errno;
    (void)!write(bell[1], &why, 1); /* full: somebody has rung already */
    errno = saved;
}

/* As if there were no handler, but for the temporary. */
static void end_at_once(int number) {
    for (int i = 0, n = atomic_load(&temporaries); i < n; i++) unlink(temporary[i]);
    signal(number, SIG_DFL);
    raise(number);
}

/* timeout(1) and some shells send one SIGINT twice, to a process and to its group. */
static bool is_echo(int number) {
    static struct timespec first;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (number != SIGINT) return false;
    if (!first.tv_sec) first = now;
    double passed = (double)(now.tv_sec - first.tv_sec) + 1e-9 * (double)(now.tv_nsec - first.tv_nsec);
    return passed > 0 && passed < ECHO;
}

static void handle(int number) {
    bool echo = is_echo(number);
    if (number == SIGUSR1) ring(ASKED);
    else if (number == SIGINT && !atomic_exchange(&interrupted, 1)) ring(INTERRUPTED);
    else if (!echo) end_at_once(number);
}

static void ignore(int number) { (void)number; }

/* A signal that whoever started the program has it ignore is left alone. */
static void on(int number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(number, &action, NULL);
}

/* The watcher gets them, so that no other thread is called away from what it does. Threads begun later do the same. */
static void leave_to_watcher(int how) {
    static const int numbers[] = {SIGUSR1, SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaddset(&set, numbers[i]);
    pthread_sigmask(how, &set, NULL);
}

/* Also where they were ignored. */
void toolwatch_signals(void) {
    struct sigaction action = {.sa_handler = ignore, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    signal(SIGPIPE, SIG_DFL);
}

void tool_temporary(const char *name) {
    static const int endings[] = {SIGTERM, SIGHUP, SIGPIPE};
    int n = atomic_load(&temporaries);
    if (!name) atomic_store(&temporaries, 0);
    if (!name || n == TEMPORARIES || strlen(name) >= sizeof *temporary) return;
    strcpy(temporary[n], name);
    atomic_store(&temporaries, n + 1);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) on(endings[i], handle);
    if (!watching) on(SIGINT, end_at_once);
}

/* ---- the end on SIGINT ---- */

/* With the lock, which is never given back. */
static void end(void) {
    char words[200];
    uint64_t last;
    if (tool_last_done(&last))
        snprintf(words, sizeof words, "%s: interrupted after %s %llu", program, tool_unit_name(), (unsigned long long)last);
    else snprintf(words, sizeof words, "%s: interrupted before the first %s was done", program, tool_unit_name());
    tool_line(words);
    leave_to_watcher(SIG_UNBLOCK);
    end_at_once(SIGINT);
    for (;;) pause();
}

static bool may_end(void) { return atomic_load(&interrupted) && !writing && !(early && in_work); }

bool tool_interrupted(void) { return atomic_load(&interrupted); }

void tool_answer_early(void) {
    pthread_mutex_lock(&lock);
    early = true;
    pthread_mutex_unlock(&lock);
}

void tool_work_begin(void) {
    tool_steps_begin();
    pthread_mutex_lock(&lock);
    if (may_end()) end();
    bool wait = atomic_load(&interrupted);
    in_work += !wait;
    pthread_mutex_unlock(&lock);
    while (wait) pause(); /* another thread ends the program when it has written */
}

void tool_write_begin(void) {
    pthread_mutex_lock(&lock);
    if (may_end()) end();
    writing = true;
    pthread_mutex_unlock(&lock);
    if (results_too) toolprogress_clear();
}

void tool_write_end(void) {
    pthread_mutex_lock(&lock);
    writing = false;
    in_work -= in_work > 0;
    if (may_end()) end();
    pthread_mutex_unlock(&lock);
}

void tool_cut_short(void) {
    if (!atomic_load(&interrupted)) return;
    pthread_mutex_lock(&lock);
    end();
}

/* ---- the thread ---- */

static void try_to_end(void) {
    pthread_mutex_lock(&lock);
    if (may_end()) end();
    pthread_mutex_unlock(&lock);
}

static void draw(void) {
    pthread_mutex_lock(&lock);
    if (!writing || !results_too) toolprogress_draw();
    pthread_mutex_unlock(&lock);
}

static void *watch(void *unused) {
    char why = 0;
    (void)unused;
    while (!atomic_load(&over)) {
        struct pollfd waits = {.fd = bell[0], .events = POLLIN};
        int n = poll(&waits, 1, on_terminal ? REFRESH : -1);
        if (n == 0) draw();
        if (n <= 0 || read(bell[0], &why, 1) != 1) continue;
        if (why == ASKED) toolprogress_say();
        if (why == INTERRUPTED) try_to_end();
    }
    return NULL;
}

static bool make_bell(void) {
    if (pipe(bell) != 0) return false;
    for (int i = 0; i < 2; i++) fcntl(bell[i], F_SETFD, FD_CLOEXEC);
    fcntl(bell[1], F_SETFL, O_NONBLOCK);
    return true;
}

/* Without a thread there is no progress, and Ctrl-C ends the program as it ends others. */
void toolwatch_begin(const char *name, bool late, bool quiet) {
    program = name;
    on_terminal = !quiet && isatty(STDERR_FILENO);
    results_too = on_terminal && isatty(STDOUT_FILENO);
    toolprogress_begin(name, late);
    watching = make_bell() && pthread_create(&thread, NULL, watch, NULL) == 0;
    if (!watching) return;
    struct sigaction asks = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &asks, NULL);
    on(SIGINT, handle);
    leave_to_watcher(SIG_BLOCK);
}

void toolwatch_end(void) {
    if (!watching) return;
    atomic_store(&over, 1);
    ring(ENDED);
    pthread_join(thread, NULL);
    watching = false;
    toolwatch_signals();
    on(SIGINT, end_at_once);
    leave_to_watcher(SIG_UNBLOCK);
    toolprogress_clear();
}
