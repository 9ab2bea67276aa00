/* What a session of the library (permfst/shell/shell.h) asks of the program around it: programs as calls, commands of the system,
 * clocks, Ctrl-C, and lines that are typed. */
#include "toolhost.h"
#include "toolline.h"
#include "toolprogress.h"
#include "toolwatch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern const tool permcompile, lazyperm, permcompose, permshortest, permprint, permexpand, perminfo, permlm, permcount, permequal,
    permrandgen, permcheck, permalign, permscore, permtune, permtuples, permrules, permcover, permtree, permoracle, permlearn;

static const tool *const programs[] = {
    &permcompile, &lazyperm, &permcompose, &permshortest, &permprint, &permexpand, &perminfo, &permlm, &permcount, &permequal,
    &permrandgen, &permcheck, &permalign, &permscore, &permtune, &permtuples, &permrules, &permcover, &permtree, &permoracle,
    &permlearn,
};

/* ---- time, Ctrl-C, names ---- */

/* Ctrl-C, since the last line was typed. A handler is given no pointer, so it is static. */
static volatile sig_atomic_t pressed;

static void note_press(int number) {
    (void)number;
    pressed = 1;
}

static bool was_pressed(void) { return pressed; }

static bool interrupted(void *self) {
    const tool_host *host = self;
    return pressed || tool_interrupted(host->call);
}

static double clock_of(void *self, bool processor) {
    (void)self;
    return processor ? tool_seconds(CLOCK_PROCESS_CPUTIME_ID) : tool_now();
}

static const char *program_name(void *self, size_t place, const char **summary) {
    (void)self;
    if (place >= sizeof programs / sizeof *programs) return NULL;
    *summary = programs[place]->summary;
    return programs[place]->name;
}

static const tool *find_program(const char *name) {
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strcmp(programs[i]->name, name) == 0) return programs[i];
    return NULL;
}

static const char *program_option(void *self, const char *name, size_t place) {
    const tool *program = find_program(name);
    (void)self;
    for (const tool_option *row = program ? program->options : NULL; row && row->kind != TOOL_END; row++)
        if (row->kind != TOOL_GROUP && row->name && place-- == 0) return row->name;
    return NULL;
}

/* ---- programs ---- */

static pf_err failed(const char *what) { return pf_fail(PF_EIO, "%s: %s", what, strerror(errno)); }

static pf_err put_input(FILE *file, const pf_shell_call *call) {
    if (call->in_bytes && fwrite(call->in, call->in_bytes, 1, file) != 1) return failed("a temporary file");
    return fflush(file) || fseek(file, 0, SEEK_SET) ? failed("a temporary file") : PF_OK;
}

static pf_err take_output(FILE *file, pf_writer *out) {
    char bytes[1 << 14];
    size_t length;
    if (fseek(file, 0, SEEK_SET)) return failed("a temporary file");
    while ((length = fread(bytes, 1, sizeof bytes, file)) > 0) PF_TRY(pf_writer_put(out, bytes, length));
    return ferror(file) ? failed("a temporary file") : PF_OK;
}

/* On a terminal Ctrl-C ends the program, and so it is a process of its own. */
static int run_apart(const tool *program, int count, const char *const *arguments, tool_streams streams) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        _exit(tool_run(program, count, arguments, streams));
    }
    if (child < 0) return TOOL_TROUBLE;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : TOOL_TROUBLE;
}

static pf_err run_on(const tool_host *host, const tool *program, pf_shell_call *call, FILE *in, FILE *out) {
    tool_streams streams = {fileno(in), fileno(out), tool_streams_of(host->call)->err};
    call->status = (host->people ? run_apart : tool_run)(program, (int)call->n, call->arguments, streams);
    if (call->status == TOOL_TROUBLE) return pf_fail(PF_EARG, "%s failed", call->name);
    return take_output(out, call->out);
}

static pf_err run_program(void *self, pf_shell_call *call) {
    const tool *program = find_program(call->name);
    if (!program) return pf_fail(PF_EARG, "expected a program of permfst, found '%.100s'", call->name);
    FILE *in = tmpfile(), *out = tmpfile();
    pf_err err = in && out ? put_input(in, call) : failed("a temporary file");
    if (!err) err = run_on(self, program, call, in, out);
    if (in) fclose(in);
    if (out) fclose(out);
    return err;
}

/* ---- commands of the system ---- */

/* A command that has read enough is no trouble. */
static pf_err feed(int fd, const char *bytes, size_t length) {
    while (length) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno == EPIPE ? PF_OK : failed("a pipe");
        bytes += written;
        length -= (size_t)written;
    }
    return PF_OK;
}

static void become(const tool_host *host, const int pipe_of[2], const char *command) {
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    dup2(pipe_of[0], STDIN_FILENO);
    dup2(tool_streams_of(host->call)->out, STDOUT_FILENO);
    close(pipe_of[0]);
    close(pipe_of[1]);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static pf_err to_command(void *self, const char *command, const void *bytes, size_t length) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    int pipe_of[2], status = 0;
    if (pipe(pipe_of) != 0) return failed("a pipe");
    sigaction(SIGPIPE, &ignore, &before);
    pid_t child = fork();
    if (child == 0) become(self, pipe_of, command);
    close(pipe_of[0]);
    pf_err err = child < 0 ? failed("sh") : feed(pipe_of[1], bytes, length);
    close(pipe_of[1]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    sigaction(SIGPIPE, &before, NULL);
    if (!err && WIFSIGNALED(status))
        return pf_fail(PF_EARG, "the command '%.200s' was ended by signal %d", command, WTERMSIG(status));
    if (!err && WIFEXITED(status) && WEXITSTATUS(status) > 1)
        return pf_fail(PF_EARG, "the command '%.200s' ended with status %d", command, WEXITSTATUS(status));
    return err;
}

/* ---- a terminal ---- */

/* $XDG_STATE_HOME/permfst/history, or ~/.local/state/permfst/history; false: there is no such folder, and none can be made. */
static bool history_path(char *path, size_t room) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = state && *state == '/' ? snprintf(path, room, "%s/permfst/history", state)
          : home && *home ? snprintf(path, room, "%s/.local/state/permfst/history", home) : -1;
    if (length < 0 || (size_t)length >= room) return false;
    for (char *at = path + 1; (at = strchr(at, '/')); at++) {
        *at = 0;
        bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *at = '/';
        if (!made) return false;
    }
    return true;
}

static pf_err complete(void *shell, const char *line, size_t end, size_t *begin, bool *files, pf_writer *candidates) {
    return pf_shell_complete(shell, line, end, begin, files, candidates);
}

pf_err tool_converse(tool_call *call, pf_shell *shell, bool history) {
    char path[4096];
    struct sigaction press = {.sa_handler = note_press};
    tool_watch_end(call); /* the session answers Ctrl-C itself */
    sigaction(SIGINT, &press, NULL);
    tool_lines_begin(complete, shell, history && history_path(path, sizeof path) ? path : NULL);
    while (!pf_shell_ended(shell)) {
        pressed = 0;
        char *line = tool_lines_next("perm> ", was_pressed);
        if (!line) break;
        pressed = 0;
        if (pf_shell_line(shell, line)) tool_trouble(call);
        free(line);
    }
    tool_lines_end();
    return PF_OK;
}

/* ---- all of it ---- */

pf_shell_host tool_shell_host(tool_host *host) {
    return (pf_shell_host){host, program_name, program_option, run_program, to_command, interrupted, clock_of};
}
