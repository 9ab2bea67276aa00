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

    pthread_mutex_t lock; /* of the next six */
    bool early, writing;
    bool flushing;        /* what is written is no record, but those that were gathered */
    pthread_t who;        /* the thread that is writing */
    pf_writer *gathering; /* where records are flushed together; NULL: nowhere */
    uint64_t in_work;     /* records taken and not yet written */
    pthread_cond_t written; /* nobody is writing any more */

    pthread_mutex_t pen; /* of the terminal */
    int drawn;           /* columns of the progress line on it */
    bool ours;           /* its lock */
};

/* The one watch of the process: a handler is given no pointer, so it is static. */
static tool_watch the_watch = {.bell = {-1, -1}, .lock = PTHREAD_MUTEX_INITIALIZER,
                               .written = PTHREAD_COND_INITIALIZER, .pen = PTHREAD_MUTEX_INITIALIZER};

/* ---- lines of the third stream ---- */

/* The bytes of the UTF-8 character at `at` that a terminal may get as it is; 0: none. */
static size_t printable(const char *at) {
    const unsigned char *byte = (const unsigned char *)at;
    size_t length = *byte < 0x80 ? 1 : *byte < 0xc2 ? 0 : *byte < 0xe0 ? 2 : *byte < 0xf0 ? 3 : *byte < 0xf5 ? 4 : 0;
    if (length == 1) return *byte == '\t' || (*byte >= ' ' && *byte != 0x7f);
    for (size_t i = 1; i < length; i++)
        if ((byte[i] & 0xc0) != 0x80) return 0;
    return *byte == 0xc2 && byte[1] < 0xa0 ? 0 : length; /* the control characters beyond ASCII */
}

/* What a message has of the input is anything: it must not steer a terminal. Returns where the text ends. */
static char *make_printable(const char *at, char *to, size_t room) {
    for (size_t length; *at && room > 5; at += length) {
        size_t put = length = printable(at);
        if (length) memcpy(to, at, length);
        else put = (size_t)snprintf(to, room, "\\x%02x", (unsigned char)at[length++]);
        to += put;
        room -= put;
    }
    return to;
}

static void write_all(int fd, const char *at, size_t length) {
    for (ssize_t put; length; at += put, length -= (size_t)put) {
        put = write(fd, at, length);
        if (put < 0 && errno == EAGAIN) poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        else if (put < 0 && errno != EINTR) return; /* there is nowhere to say it */
        if (put < 0) put = 0;
    }
}

static void wipe(tool_watch *watcher) {
    char blank[500];
    if (!watcher->drawn) return;
    int length = snprintf(blank, sizeof blank, "\r%*s\r", watcher->drawn, "");
    write_all(watcher->call->streams.err, blank, length < (int)sizeof blank ? (size_t)length : sizeof blank - 1);
    watcher->drawn = 0;
}

/* In one write, so that programs of a pipeline do not cut each other's words. */
static void put_line(tool_call *call, const char *text) {
    assert(strlen(text) < TOOL_LINE);
    char shown[4 * TOOL_LINE], *end = make_printable(text, shown, sizeof shown);
    *end++ = '\n';
    if (call->watch) {
        pthread_mutex_lock(&call->watch->pen);
        wipe(call->watch);
    }
    write_all(call->streams.err, shown, (size_t)(end - shown));
    if (call->watch) pthread_mutex_unlock(&call->watch->pen);
}

void tool_line(tool_call *call, const char *text) {
    tool_flush(call);
    put_line(call, text);
}

static void clear(tool_watch *watcher) {
    pthread_mutex_lock(&watcher->pen);
    wipe(watcher);
    pthread_mutex_unlock(&watcher->pen);
}

/* The programs of a pipeline share a terminal: the one that has locked it shows its line, until it ends. */
static bool terminal_is_ours(tool_watch *watcher) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (!watcher->ours)
        watcher->ours = fcntl(watcher->call->streams.err, F_SETLK, &whole) == 0 || (errno != EACCES && errno != EAGAIN);
    return watcher->ours && tcgetpgrp(watcher->call->streams.err) == getpgrp();
}

static int columns(int fd) {
    struct winsize window;
    return ioctl(fd, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 ? window.ws_col : 80;
}

static void draw_line(tool_watch *watcher) {
    char line[TOOL_PROGRESS_LINE], shown[2 * TOOL_PROGRESS_LINE];
    int room = columns(watcher->call->streams.err) - 1; /* a full line would be two */
    if (room > TOOL_PROGRESS_LINE) room = TOOL_PROGRESS_LINE;
    if (tool_now() - watcher->call->progress.began < (watcher->call->program->passes_on ? LATE : DELAY)
        || !terminal_is_ours(watcher)) return;
    tool_progress_line(watcher->call, line);
    pthread_mutex_lock(&watcher->pen);
    if (watcher->drawn > room) watcher->drawn = room;
    int length = snprintf(shown, sizeof shown, "\r%-*.*s\r", watcher->drawn, room, line);
    write_all(watcher->call->streams.err, shown, (size_t)length);
    watcher->drawn = length - 2;
    pthread_mutex_unlock(&watcher->pen);
}

/* ---- signals ---- */

static void ring(tool_watch *watcher, char why) {
    int saved = errno;
    while (write(watcher->bell[1], &why, 1) < 0 && errno == EINTR) {} /* full: somebody has rung already, and is heard */
    errno = saved;
}

static void remove_temporaries(void) {
    for (int i = 0, n = atomic_load(&the_watch.temporaries); i < n; i++) unlink(the_watch.temporary[i]);
}

/* As if there were no handler, but for the temporaries. */
static void end_at_once(int number) {
    remove_temporaries();
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

static void end_if_asked(const tool_watch *watcher) {
    int number = atomic_load(&watcher->ending);
    if (!number) return;
    leave_to_watcher(SIG_UNBLOCK);
    end_at_once(number);
}

void tool_temporary_begin(tool_call *call) {
    static const int endings[] = {SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGALRM, SIGXCPU, SIGXFSZ};
    tool_watch *watcher = call->watch;
    if (!watcher) return;
    assert(!atomic_load(&watcher->creating));
    atomic_store(&watcher->creating, 1);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) on(endings[i], handle);
    if (!watcher->watching) on(SIGINT, end_at_once);
    end_if_asked(watcher);
}

void tool_temporary_end(tool_call *call) {
    if (!call->watch) return;
    atomic_store(&call->watch->creating, 0);
    end_if_asked(call->watch);
}

void tool_temporary(tool_call *call, const char *name) {
    tool_watch *watcher = call->watch;
    if (!watcher) return;
    int count = atomic_load(&watcher->temporaries);
    if (!name) atomic_store(&watcher->temporaries, 0);
    if (!name || count == TEMPORARIES || strlen(name) >= sizeof *watcher->temporary) return;
    strcpy(watcher->temporary[count], name);
    atomic_store(&watcher->temporaries, count + 1);
}

/* ---- the end on SIGINT ---- */

/* With the lock, which is never given back. Says which records are written: not where they could not be. */
static void end(tool_watch *watcher) {
    char words[TOOL_LINE];
    uint64_t last;
    const char *name = watcher->call->program->name, *item = tool_item_name(watcher->call);
    if (watcher->gathering && pf_writer_flush(watcher->gathering)) snprintf(words, sizeof words, "%s: %s", name, pf_message());
    else if (tool_last_done(watcher->call, &last))
        snprintf(words, sizeof words, "%s: interrupted after %s %llu", name, item, (unsigned long long)last);
    else snprintf(words, sizeof words, "%s: interrupted before the first %s was done", name, item);
    put_line(watcher->call, words);
    leave_to_watcher(SIG_UNBLOCK);
    end_at_once(SIGINT);
    for (;;) pause();
}

static bool may_end(const tool_watch *watcher) {
    return atomic_load(&watcher->interrupted) && !watcher->writing && !(watcher->early && watcher->in_work);
}

bool tool_interrupted(void *self) {
    const tool_call *call = self;
    return call->watch && atomic_load(&call->watch->interrupted);
}

void tool_answer_early(tool_call *call) {
    tool_watch *watcher = call->watch;
    if (!watcher) return;
    pthread_mutex_lock(&watcher->lock);
    watcher->early = true;
    pthread_mutex_unlock(&watcher->lock);
}

/* A refusal loses nothing: the records in work come before this one, and the last of them to be written ends the program. */
bool tool_take(tool_call *call) {
    tool_watch *watcher = call->watch;
    if (!watcher) return true;
    pthread_mutex_lock(&watcher->lock);
    if (may_end(watcher)) end(watcher);
    const bool taken = !(atomic_load(&watcher->interrupted) && watcher->early && watcher->in_work);
    watcher->in_work += taken;
    pthread_mutex_unlock(&watcher->lock);
    return taken;
}

/* With the lock. Only a flush is waited for: records are written in turn. */
static void begin_to_write(tool_watch *watcher) {
    while (watcher->writing) pthread_cond_wait(&watcher->written, &watcher->lock);
    if (may_end(watcher)) end(watcher);
    watcher->writing = true;
    watcher->who = pthread_self();
}

static void end_to_write(tool_watch *watcher) {
    assert(watcher->writing && pthread_equal(watcher->who, pthread_self()));
    watcher->writing = false;
    pthread_cond_broadcast(&watcher->written);
    if (may_end(watcher)) end(watcher);
}

void tool_write_begin(tool_call *call) {
    tool_watch *watcher = call->watch;
    if (!watcher) return;
    pthread_mutex_lock(&watcher->lock);
    begin_to_write(watcher);
    pthread_mutex_unlock(&watcher->lock);
    if (watcher->results_too) clear(watcher);
}

void tool_write_end(tool_call *call) {
    tool_watch *watcher = call->watch;
    if (!watcher) return;
    pthread_mutex_lock(&watcher->lock);
    watcher->in_work -= watcher->in_work > 0;
    end_to_write(watcher);
    pthread_mutex_unlock(&watcher->lock);
}

/* ---- records that are gathered ---- */

/* In turn with those that write, and without the lock meanwhile, so that SIGUSR1 is answered. True: it failed, and not before. */
static bool flush_in_turn(tool_watch *watcher) {
    begin_to_write(watcher);
    pf_writer *writer = watcher->gathering;
    const bool may_fail = writer && !pf_writer_failed(writer);
    watcher->flushing = true;
    pthread_mutex_unlock(&watcher->lock);
    const bool failed = may_fail && pf_writer_flush(writer);
    pthread_mutex_lock(&watcher->lock);
    watcher->flushing = false;
    end_to_write(watcher);
    return failed;
}

void tool_watch_writer(tool_call *call, pf_writer *writer) {
    tool_watch *watcher = call->watch;
    if (!watcher) return;
    pthread_mutex_lock(&watcher->lock);
    flush_in_turn(watcher); /* an error stays with the writer */
    watcher->gathering = writer;
    pthread_mutex_unlock(&watcher->lock);
}

/* With the lock, which is never given back: nobody else says it, too. */
static void end_with_error(tool_watch *watcher) {
    char words[TOOL_LINE];
    snprintf(words, sizeof words, "%s: %s", watcher->call->program->name, pf_message());
    put_line(watcher->call, words);
    remove_temporaries();
    _exit(TOOL_TROUBLE);
}

/* False: another thread is writing a record. Only the thread that writes it flushes meanwhile. */
static bool flush(tool_watch *watcher, bool or_end) {
    pthread_mutex_lock(&watcher->lock);
    while (watcher->flushing) pthread_cond_wait(&watcher->written, &watcher->lock);
    pf_writer *writer = watcher->gathering;
    const bool writing = watcher->writing, ours = writing && pthread_equal(watcher->who, pthread_self());
    if (!writing && writer && flush_in_turn(watcher) && or_end) end_with_error(watcher);
    pthread_mutex_unlock(&watcher->lock);
    if (ours && writer) pf_writer_flush(writer);
    return !writing || ours;
}

bool tool_flush(tool_call *call) { return !call->watch || flush(call->watch, false); }
bool tool_flush_or_end(tool_call *call) { return !call->watch || flush(call->watch, true); }

void tool_cut_short(tool_call *call) {
    if (!tool_interrupted(call)) return;
    pthread_mutex_lock(&call->watch->lock);
    end(call->watch);
}

/* ---- the thread ---- */

static void try_to_end(tool_watch *watcher) {
    pthread_mutex_lock(&watcher->lock);
    if (may_end(watcher)) end(watcher);
    pthread_mutex_unlock(&watcher->lock);
}

static void draw(tool_watch *watcher) {
    pthread_mutex_lock(&watcher->lock);
    if (!watcher->writing || !watcher->results_too) draw_line(watcher);
    pthread_mutex_unlock(&watcher->lock);
}

/* The watcher flushes nothing first: it must not wait for a reader. */
static void say_progress(tool_watch *watcher) {
    char line[TOOL_PROGRESS_LINE];
    tool_progress_line(watcher->call, line);
    put_line(watcher->call, line);
}

static void *watch(void *self) {
    tool_watch *watcher = self;
    char why = 0;
    while (!atomic_load(&watcher->over)) {
        struct pollfd waits = {.fd = watcher->bell[0], .events = POLLIN};
        int ready = poll(&waits, 1, watcher->on_terminal ? REFRESH : -1);
        if (ready == 0) draw(watcher);
        if (ready <= 0 || read(watcher->bell[0], &why, 1) != 1) continue;
        if (why == ASKED) say_progress(watcher);
        if (why == INTERRUPTED) try_to_end(watcher);
    }
    return NULL;
}

static bool make_bell(tool_watch *watcher) {
    if (pipe(watcher->bell) != 0) return false;
    for (int i = 0; i < 2; i++) fcntl(watcher->bell[i], F_SETFD, FD_CLOEXEC);
    fcntl(watcher->bell[1], F_SETFL, O_NONBLOCK);
    return true;
}

/* Without a thread there is no progress, and Ctrl-C ends the program as it ends others. */
void tool_watch_begin(tool_call *call) {
    tool_watch *watcher = &the_watch;
    assert(!watcher->call && !call->watch);
    watcher->call = call;
    call->watch = watcher;
    watcher->on_terminal = !tool_common_of(call)->no_progress && isatty(call->streams.err);
    watcher->results_too = watcher->on_terminal && isatty(call->streams.out);
    watcher->watching = make_bell(watcher) && pthread_create(&watcher->thread, NULL, watch, watcher) == 0;
    if (!watcher->watching) return;
    struct sigaction asks = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &asks, NULL);
    on(SIGINT, handle);
    leave_to_watcher(SIG_BLOCK);
}

void tool_watch_end(tool_call *call) {
    tool_watch *watcher = call->watch;
    if (!watcher->watching) return;
    atomic_store(&watcher->over, 1);
    ring(watcher, ENDED);
    pthread_join(watcher->thread, NULL);
    watcher->watching = false;
    tool_watch_signals();
    on(SIGINT, end_at_once);
    leave_to_watcher(SIG_UNBLOCK);
    clear(watcher);
}
