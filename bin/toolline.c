/* Lines that somebody types. What the libraries call has no pointer to who asked, so there is one editor in a process. */
#include "toolline.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { KEPT_LINES = 2000, LOOK = 100 }; /* of the history; milliseconds between looks for a signal */

#ifndef HAVE_LIBEDIT

/* Ctrl-C also takes away what was typed and not yet read, so a read may wait for it although it was there a moment before. No read
 * waits on this descriptor of the terminal. It is one of our own, because what others opened must stay as they opened it. */
static int terminal = STDIN_FILENO;

static void terminal_open(void) {
    const char *name = ttyname(STDIN_FILENO);
    int fd = name ? open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
    if (fd >= 0) terminal = fd;
}

static void terminal_close(void) {
    if (terminal != STDIN_FILENO) close(terminal);
    terminal = STDIN_FILENO;
}

/* What was typed, as soon as there is something, or none of it by the next look for a signal. Returns the count of bytes, 0 at the
 * end of the input, or less: nothing yet. */
static ssize_t terminal_read(char *bytes, size_t room) {
    struct pollfd waits = {.fd = terminal, .events = POLLIN};
    if (poll(&waits, 1, LOOK) <= 0) return -1;
    ssize_t got = read(terminal, bytes, room);
    return got >= 0 || errno == EINTR || errno == EAGAIN ? got : 0;
}

#endif

#if defined(HAVE_READLINE) || defined(HAVE_LIBEDIT)

#ifdef HAVE_READLINE
#include <readline/history.h>
#include <readline/readline.h>
#else
#include <editline/readline.h>
#endif

static struct {
    tool_completer completer;
    void *self;
    const char *history;
    pf_writer *candidates; /* of the word at hand */
    size_t at;             /* of the next one */
    bool (*interrupted)(void);
    char breaks[3];        /* between words; libedit does not take them as const */
} editor = {.breaks = " \t"};

/* The candidates one after the other, as the library asks for them. */
static char *next_candidate(const char *word, int state) {
    size_t end;
    const char *bytes = (const char *)pf_writer_bytes(editor.candidates, &end);
    (void)word;
    if (!state) editor.at = 0;
    if (editor.at >= end) return NULL;
    const char *at = bytes + editor.at, *lf = memchr(at, '\n', end - editor.at);
    size_t length = lf ? (size_t)(lf - at) : end - editor.at;
    editor.at += length + 1;
    return strndup(at, length);
}

/* A name that wants a value, such as "ibm:", has no blank after it. */
static void choose_end(const char *only) {
    size_t length = only ? strlen(only) : 0;
    rl_completion_append_character = length && only[length - 1] == ':' ? '\0' : ' ';
}

static char **complete(const char *word, int start, int end) {
    size_t begin;
    bool files = false;
    (void)start;
    if (pf_writer_memory(&editor.candidates)) return NULL;
    pf_err err = editor.completer(editor.self, rl_line_buffer, (size_t)end, &begin, &files, editor.candidates);
    char **matches = err ? NULL : rl_completion_matches(word, next_candidate);
    pf_writer_free(editor.candidates);
    rl_attempted_completion_over = !files;
    choose_end(matches ? matches[0] : NULL);
    return matches;
}

#ifdef HAVE_READLINE
/* After Ctrl-C the line is dropped: readline itself would go on with it. The signal may also come while no key is waited for, so it
 * is looked for now and then. */
static int next_key(FILE *stream) {
    (void)stream;
    for (;;) {
        char key;
        rl_check_signals();
        if (editor.interrupted && editor.interrupted()) {
            rl_replace_line("", 0);
            return '\n';
        }
        ssize_t got = terminal_read(&key, 1);
        if (got == 1) return (unsigned char)key;
        if (got == 0) return EOF;
    }
}
#endif

void tool_lines_begin(tool_completer completer, void *self, const char *history) {
    assert(completer);
    editor.completer = completer;
    editor.self = self;
    editor.history = history;
    rl_readline_name = "permsh";
    rl_basic_word_break_characters = editor.breaks;
    rl_completer_word_break_characters = editor.breaks;
    rl_attempted_completion_function = complete;
#ifdef HAVE_READLINE
    rl_getc_function = next_key;
    terminal_open();
#endif
    using_history();
    stifle_history(KEPT_LINES);
    if (history) read_history(history);
}

static void remember(const char *line) {
    if (!*line || (*line == ' ')) return;
    add_history(line);
    if (editor.history) write_history(editor.history);
}

char *tool_lines_next(const char *prompt, bool (*interrupted)(void)) {
    editor.interrupted = interrupted;
    char *line = readline(prompt);
    if (interrupted()) {
        free(line);
        return strdup("");
    }
    if (line) remember(line);
    return line;
}

void tool_lines_end(void) {
    clear_history();
#ifdef HAVE_READLINE
    terminal_close();
#endif
}

#else

void tool_lines_begin(tool_completer completer, void *self, const char *history) {
    (void)completer;
    (void)self;
    (void)history;
    (void)KEPT_LINES;
    terminal_open();
}

/* Up to the end of a line, which a terminal gives whole, or of the input; or until Ctrl-C, which may come before the line is waited
 * for. */
static pf_err take_line(pf_writer *line, bool (*interrupted)(void)) {
    char bytes[4096];
    ssize_t got;
    do {
        got = terminal_read(bytes, sizeof bytes);
        if (got > 0) PF_TRY(pf_writer_put(line, bytes, (size_t)got));
    } while (!interrupted() && got != 0 && !(got > 0 && bytes[got - 1] == '\n'));
    return PF_OK;
}

char *tool_lines_next(const char *prompt, bool (*interrupted)(void)) {
    pf_writer *typed;
    size_t length;
    char *line = NULL;
    fputs(prompt, stdout);
    fflush(stdout);
    if (pf_writer_memory(&typed)) return NULL;
    pf_err err = take_line(typed, interrupted);
    const char *bytes = (const char *)pf_writer_bytes(typed, &length);
    if (interrupted()) {
        fputc('\n', stdout);
        line = strdup("");
    } else if (!err && length) line = strndup(bytes, length - (bytes[length - 1] == '\n'));
    pf_writer_free(typed);
    return line;
}

void tool_lines_end(void) { terminal_close(); }

#endif
