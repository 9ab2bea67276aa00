/* Handlers write a byte to a pipe and the thread reads it, so that nothing but what a handler may do is done in one. */
#include "toolwatch.h"

#include "toolcall.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define ECHO 0.2         /* seconds in which a second SIGINT is the first one */
enum { REFRESH = 1000 }; /* milliseconds between two progress lines */
enum { DELAY = 1, LATE = 3 }; /* seconds before the first one; of programs that pass records on */
enum { ENDED = 'e', ASKED = 'u', INTERRUPTED = 'i' };
enum { TEMPORARIES = 8 };

struct tool_watch {
    tool_call *call;
    int bell[2]; /* a pipe */
    pthread_t thread;
    bool watching;                 /* the thread runs */
    bool on_terminal, results_too; /* messages go to a terminal; so do the results */
    atomic_int interrupted, over, temporaries;
    atomic_int creating, ending; /* a temporary is made that is not counted yet; a signal that ends the program, or 0 */
    char temporary[TEMPORARIES][4200]; /* each set before `temporaries` counts it */
    struct timespec first;             /* SIGINT */

    pthread_mutex_t lock; /* of the next three */
    bool early, writing;
    uint64_t in_work; /* records begun and not yet written */

    pthread_mutex_t pen; /* of the terminal */
    int drawn;           /* columns of the progress line on it */
    bool ours;           /* its lock */
};

/* The one watch of the process, which handlers look at. */
static tool_watch the_watch = {.bell = {-1, -1}, .lock = PTHREAD_MUTEX_INITIALIZER, .pen = PTHREAD_MUTEX_INITIALIZER};

/* ---- lines of the third stream ---- */

/* The bytes of the UTF-8 character at `at` that a terminal may get as it is; 0: none. */
static size_t printable(const char *at) {
    const unsigned char *c = (const unsigned char *)at;
    size_t n = *c < 0x80 ? 1 : *c < 0xc2 ? 0 : *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : *c < 0xf5 ? 4 : 0;
    if (n == 1) return *c == '\t' || (*c >= ' ' && *c != 0x7f);
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    return *c == 0xc2 && c[1] < 0xa0 ? 0 : n; /* the control characters beyond ASCII */
}

/* What a message has of the input is anything: it must not steer a terminal. Returns where the text ends. */
static char *make_printable(const char *at, char *to, size_t room) {
    for (size_t n; *at && room > 5; at += n) {
        size_t put = n = printable(at);
        if (n) memcpy(to, at, n);
        else put = (size_t)snprintf(to, room, "\\x%02x", (unsigned char)at[n++]);
        to += put;
        room -= put;
    }
    return to;
}

static void write_all(int fd, const char *at, size_t n) {
    for (ssize_t k; n; at += k, n -= (size_t)k) {
        k = write(fd, at, n);
        if (k < 0 && errno == EAGAIN) poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        else if (k < 0 && errno != EINTR) return; /* there is nowhere to say it */
        if (k < 0) k = 0;
    }
}

static void wipe(tool_watch *w) {
    char blank[500];
    if (!w->drawn) return;
    int n = snprintf(blank, sizeof blank, "\r%*s\r", w->drawn, "");
    write_all(w->call->streams.err, blank, n < (int)sizeof blank ? (size_t)n : sizeof blank - 1);
    w->drawn = 0;
}

/* In one write, so that programs of a pipeline do not cut each other's words. */
void tool_line(tool_call *call, const char *text) {
    char shown[4 * TOOL_LINE], *end = make_printable(text, shown, sizeof shown);
    *end++ = '\n';
    if (call->watch) {
        pthread_mutex_lock(&call->watch->pen);
        wipe(call->watch);
    }
    write_all(call->streams.err, shown, (size_t)(end - shown));
    if (call->watch) pthread_mutex_unlock(&call->watch->pen);
}

static void clear(tool_watch *w) {
    pthread_mutex_lock(&w->pen);
    wipe(w);
    pthread_mutex_unlock(&w->pen);
}

/* The programs of a pipeline share a terminal: the one that has locked it shows its line, until it ends. */
static bool terminal_is_ours(tool_watch *w) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (!w->ours) w->ours = fcntl(w->call->streams.err, F_SETLK, &whole) == 0 || (errno != EACCES && errno != EAGAIN);
    return w->ours && tcgetpgrp(w->call->streams.err) == getpgrp();
}

static int columns(int fd) {
    struct winsize window;
    return ioctl(fd, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 ? window.ws_col : 80;
}

static double seconds_since(double began) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec - began;
}

static void draw_line(tool_watch *w) {
    char line[TOOL_PROGRESS_LINE], shown[2 * TOOL_PROGRESS_LINE];
    int room = columns(w->call->streams.err) - 1; /* a full line would be two */
    if (room > TOOL_PROGRESS_LINE) room = TOOL_PROGRESS_LINE;
    if (seconds_since(w->call->progress.began) < (w->call->program->passes_on ? LATE : DELAY) || !terminal_is_ours(w)) return;
    tool_progress_line(w->call, line);
    pthread_mutex_lock(&w->pen);
    if (w->drawn > room) w->drawn = room;
    int n = snprintf(shown, sizeof shown, "\r%-*.*s\r", w->drawn, room, line);
    write_all(w->call->streams.err, shown, (size_t)n);
    w->drawn = n - 2;
    pthread_mutex_unlock(&w->pen);
}

/* ---- signals ---- */

static void ring(tool_watch *w, char why) {
    int saved = errno;
    while (write(w->bell[1], &why, 1) < 0 && errno == EINTR) {} /* full: somebody has rung already, and is heard */
    errno = saved;
}

/* As if there were no handler, but for the temporaries. */
static void end_at_once(int number) {
    for (int i = 0, n = atomic_load(&the_watch.temporaries); i < n; i++) unlink(the_watch.temporary[i]);
    signal(number, SIG_DFL);
    raise(number);
}

/* timeout(1) and some shells send one SIGINT twice, to a process and to its group. */
static bool is_echo(int number) {
    struct timespec now, *first = &the_watch.first;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (number != SIGINT) return false;
    if (!first->tv_sec) *first = now;
    double passed = (double)(now.tv_sec - first->tv_sec) + 1e-9 * (double)(now.tv_nsec - first->tv_nsec);
    return passed > 0 && passed < ECHO;
}

static void handle(int number) {
    bool echo = is_echo(number);
    if (number == SIGUSR1) ring(&the_watch, ASKED);
    else if (number == SIGINT && !atomic_exchange(&the_watch.interrupted, 1)) ring(&the_watch, INTERRUPTED);
    else if (!echo) {
        /* Either we see that a file is being made, or its maker sees that we end. */
        atomic_store(&the_watch.ending, number);
        if (!atomic_load(&the_watch.creating)) end_at_once(number);
    }
}

static void ignore(int number) { (void)number; }

/* A signal that whoever started the program has it ignore is left alone. */
static void on(int number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(number, &action, NULL);
}

/* The watcher gets them, so that no other thread is called away from what it does. Threads begun later do the same. */
static void leave_to_watcher(int how) {
    static const int numbers[] = {SIGUSR1, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaddset(&set, numbers[i]);
    pthread_sigmask(how, &set, NULL);
}

/* Also where they were ignored. */
void tool_watch_signals(void) {
    struct sigaction action = {.sa_handler = ignore, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    signal(SIGPIPE, SIG_DFL);
}

static void end_if_asked(const tool_watch *w) {
    int number = atomic_load(&w->ending);
    if (!number) return;
    leave_to_watcher(SIG_UNBLOCK);
    end_at_once(number);
}

void tool_temporary_begin(tool_call *call) {
    static const int endings[] = {SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGALRM, SIGXCPU, SIGXFSZ};
    tool_watch *w = call->watch;
    if (!w) return;
    atomic_store(&w->creating, 1);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) on(endings[i], handle);
    if (!w->watching) on(SIGINT, end_at_once);
    end_if_asked(w);
}

void tool_temporary_end(tool_call *call) {
    if (!call->watch) return;
    atomic_store(&call->watch->creating, 0);
    end_if_asked(call->watch);
}

void tool_temporary(tool_call *call, const char *name) {
    tool_watch *w = call->watch;
    if (!w) return;
    int n = atomic_load(&w->temporaries);
    if (!name) atomic_store(&w->temporaries, 0);
    if (!name || n == TEMPORARIES || strlen(name) >= sizeof *w->temporary) return;
    strcpy(w->temporary[n], name);
    atomic_store(&w->temporaries, n + 1);
}

/* ---- the end on SIGINT ---- */

/* With the lock, which is never given back. */
static void end(tool_watch *w) {
    char words[200];
    uint64_t last;
    const char *name = w->call->program->name, *item = tool_item_name(w->call);
    if (tool_last_done(w->call, &last))
        snprintf(words, sizeof words, "%s: interrupted after %s %llu", name, item, (unsigned long long)last);
    else snprintf(words, sizeof words, "%s: interrupted before the first %s was done", name, item);
    tool_line(w->call, words);
    leave_to_watcher(SIG_UNBLOCK);
    end_at_once(SIGINT);
    for (;;) pause();
}

static bool may_end(const tool_watch *w) {
    return atomic_load(&w->interrupted) && !w->writing && !(w->early && w->in_work);
}

bool tool_interrupted(const tool_call *call) { return call->watch && atomic_load(&call->watch->interrupted); }

void tool_answer_early(tool_call *call) {
    tool_watch *w = call->watch;
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->early = true;
    pthread_mutex_unlock(&w->lock);
}

void tool_work_begin(tool_call *call) {
    tool_watch *w = call->watch;
    tool_steps_begin();
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    if (may_end(w)) end(w);
    bool wait = atomic_load(&w->interrupted);
    w->in_work += !wait;
    pthread_mutex_unlock(&w->lock);
    while (wait) pause(); /* another thread ends the program when it has written */
}

void tool_write_begin(tool_call *call) {
    tool_watch *w = call->watch;
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    if (may_end(w)) end(w);
    w->writing = true;
    pthread_mutex_unlock(&w->lock);
    if (w->results_too) clear(w);
}

void tool_write_end(tool_call *call) {
    tool_watch *w = call->watch;
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->writing = false;
    w->in_work -= w->in_work > 0;
    if (may_end(w)) end(w);
    pthread_mutex_unlock(&w->lock);
}

void tool_cut_short(tool_call *call) {
    if (!tool_interrupted(call)) return;
    pthread_mutex_lock(&call->watch->lock);
    end(call->watch);
}

/* ---- the thread ---- */

static void try_to_end(tool_watch *w) {
    pthread_mutex_lock(&w->lock);
    if (may_end(w)) end(w);
    pthread_mutex_unlock(&w->lock);
}

static void draw(tool_watch *w) {
    pthread_mutex_lock(&w->lock);
    if (!w->writing || !w->results_too) draw_line(w);
    pthread_mutex_unlock(&w->lock);
}

static void say_progress(tool_watch *w) {
    char line[TOOL_PROGRESS_LINE];
    tool_progress_line(w->call, line);
    tool_line(w->call, line);
}

static void *watch(void *self) {
    tool_watch *w = self;
    char why = 0;
    while (!atomic_load(&w->over)) {
        struct pollfd waits = {.fd = w->bell[0], .events = POLLIN};
        int n = poll(&waits, 1, w->on_terminal ? REFRESH : -1);
        if (n == 0) draw(w);
        if (n <= 0 || read(w->bell[0], &why, 1) != 1) continue;
        if (why == ASKED) say_progress(w);
        if (why == INTERRUPTED) try_to_end(w);
    }
    return NULL;
}

static bool make_bell(tool_watch *w) {
    if (pipe(w->bell) != 0) return false;
    for (int i = 0; i < 2; i++) fcntl(w->bell[i], F_SETFD, FD_CLOEXEC);
    fcntl(w->bell[1], F_SETFL, O_NONBLOCK);
    return true;
}

/* Without a thread there is no progress, and Ctrl-C ends the program as it ends others. */
void tool_watch_begin(tool_call *call) {
    tool_watch *w = &the_watch;
    assert(!w->call && !call->watch);
    w->call = call;
    call->watch = w;
    w->on_terminal = !tool_common_of(call)->no_progress && isatty(call->streams.err);
    w->results_too = w->on_terminal && isatty(call->streams.out);
    w->watching = make_bell(w) && pthread_create(&w->thread, NULL, watch, w) == 0;
    if (!w->watching) return;
    struct sigaction asks = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &asks, NULL);
    on(SIGINT, handle);
    leave_to_watcher(SIG_BLOCK);
}

void tool_watch_end(tool_call *call) {
    tool_watch *w = call->watch;
    if (!w->watching) return;
    atomic_store(&w->over, 1);
    ring(w, ENDED);
    pthread_join(w->thread, NULL);
    w->watching = false;
    tool_watch_signals();
    on(SIGINT, end_at_once);
    leave_to_watcher(SIG_UNBLOCK);
    clear(w);
}
