/* Lines that somebody types. What the libraries call has no pointer to who asked, so there is one editor in a process. */
#include "toolline.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { KEPT_LINES = 2000, LOOK = 100 }; /* of the history; milliseconds between looks for a signal */

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
    struct pollfd waits = {.fd = fileno(stream), .events = POLLIN};
    for (;;) {
        unsigned char key;
        rl_check_signals();
        if (editor.interrupted && editor.interrupted()) {
            rl_replace_line("", 0);
            return '\n';
        }
        if (poll(&waits, 1, LOOK) <= 0) continue;
        ssize_t got = read(waits.fd, &key, 1);
        if (got == 1) return key;
        if (got == 0 || errno != EINTR) return EOF;
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

void tool_lines_end(void) { clear_history(); }

#else

void tool_lines_begin(tool_completer completer, void *self, const char *history) {
    (void)completer;
    (void)self;
    (void)history;
    (void)KEPT_LINES;
}

/* Ctrl-C may come before the line is waited for, and so it is looked for now and then. A terminal is readable by whole lines. */
static void wait_for_line(bool (*interrupted)(void)) {
    struct pollfd waits = {.fd = fileno(stdin), .events = POLLIN};
    while (!interrupted() && poll(&waits, 1, LOOK) <= 0) {}
}

char *tool_lines_next(const char *prompt, bool (*interrupted)(void)) {
    char *line = NULL;
    size_t room = 0;
    fputs(prompt, stdout);
    fflush(stdout);
    wait_for_line(interrupted);
    ssize_t n = interrupted() ? 0 : getline(&line, &room, stdin);
    if (interrupted()) {
        clearerr(stdin);
        if (line) *line = 0;
        fputc('\n', stdout);
        return line ? line : strdup("");
    }
    if (n < 0) {
        free(line);
        return NULL;
    }
    if (n && line[n - 1] == '\n') line[n - 1] = 0;
    return line;
}

void tool_lines_end(void) {}

#endif
