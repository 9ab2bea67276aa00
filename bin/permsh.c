/* permsh: a session of the library's (permfst/shell/shell.h), on a terminal or of a script. */
#include "toolfst.h"
#include "toolline.h"
#include "toolprogress.h"
#include "toolsearch.h"
#include "toolwatch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern const tool permcompile, lazyperm, permcompose, permshortest, permprint, permexpand, perminfo, permlm, permcount, permequal,
    permrandgen, permcheck, permalign, permscore, permtune, permtuples, permrules, permcover, permtree, permoracle, permlearn;

static const tool *const programs[] = {
    &permcompile, &lazyperm, &permcompose, &permshortest, &permprint, &permexpand, &perminfo, &permlm, &permcount, &permequal,
    &permrandgen, &permcheck, &permalign, &permscore, &permtune, &permtuples, &permrules, &permcover, &permtree, &permoracle,
    &permlearn,
};

typedef struct {
    tool_common common;
    tool_specs lines, models;
    bool no_history;
} session_settings;

#define AT(FIELD) offsetof(session_settings, FIELD)

static pf_err list_commands(pf_writer *to) {
    const pf_shell_help *help;
    for (size_t i = 0; (help = pf_shell_command_at(i)); i++)
        PF_TRY(pf_writer_text(to, "%s%s%s\t%s\n", help->name, *help->usage ? " " : "", help->usage, help->help));
    return PF_OK;
}

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is done"),
    {'e', "execute", TOOL_SPECS, AT(lines), "LINE", .list = list_commands,
     .help = "do LINE, and then no terminal is asked; may be repeated (-e list: commands)"},
    {0, "lm", TOOL_FILES, AT(models), "FILE", .help = "begin with this model; may be repeated"},
    {'j', "jobs", TOOL_NUMBER, AT(common.jobs), "N", .min = 1, .max = 1024, .help = "score and sweep with N threads [1]"},
    {0, "no-history", TOOL_FLAG, AT(no_history), .help = "keep no history of what is typed"},
    TOOL_GROUP_OF("What is written"),
    TOOL_OUTPUT,
    {0},
};

/* ---- what a session asks for ---- */

typedef struct {
    tool_call *call;
    bool people;
} host;

static volatile sig_atomic_t pressed; /* Ctrl-C, since the last line was typed */

static void note_press(int number) {
    (void)number;
    pressed = 1;
}

static bool was_pressed(void) { return pressed; }

static bool interrupted(void *self) {
    const host *h = self;
    return pressed || tool_interrupted(h->call);
}

static double clock_of(void *self, bool processor) {
    struct timespec t;
    (void)self;
    if (!processor) return tool_now();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char *program_name(void *self, size_t i, const char **summary) {
    (void)self;
    if (i >= sizeof programs / sizeof *programs) return NULL;
    *summary = programs[i]->summary;
    return programs[i]->name;
}

/* ---- programs ---- */

static pf_err failed(const char *what) { return pf_fail(PF_EIO, "%s: %s", what, strerror(errno)); }

static pf_err put_input(FILE *file, const pf_shell_call *call) {
    if (call->in_bytes && fwrite(call->in, call->in_bytes, 1, file) != 1) return failed("a temporary file");
    return fflush(file) || fseek(file, 0, SEEK_SET) ? failed("a temporary file") : PF_OK;
}

static pf_err take_output(FILE *file, pf_writer *out) {
    char bytes[1 << 14];
    size_t n;
    if (fseek(file, 0, SEEK_SET)) return failed("a temporary file");
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0) PF_TRY(pf_writer_put(out, bytes, n));
    return ferror(file) ? failed("a temporary file") : PF_OK;
}

/* On a terminal Ctrl-C ends the program, and so it is a process of its own. */
static int run_apart(const tool *program, int n, char *const *arguments, tool_streams streams) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        _exit(tool_run(program, n, arguments, streams));
    }
    if (child < 0) return TOOL_TROUBLE;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : TOOL_TROUBLE;
}

static pf_err run_on(const host *h, const tool *program, pf_shell_call *call, FILE *in, FILE *out) {
    tool_streams streams = {fileno(in), fileno(out), tool_streams_of(h->call)->err};
    char **arguments = calloc(call->n + 1, sizeof *arguments);
    if (!arguments) return pf_nomem();
    for (size_t i = 0; i < call->n; i++) arguments[i] = (char *)(uintptr_t)call->arguments[i];
    call->status = (h->people ? run_apart : tool_run)(program, (int)call->n, arguments, streams);
    free(arguments);
    if (call->status == TOOL_TROUBLE) return pf_fail(PF_EARG, "%s failed", call->name);
    return take_output(out, call->out);
}

static pf_err run_program(void *self, pf_shell_call *call) {
    const tool *program = NULL;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strcmp(programs[i]->name, call->name) == 0) program = programs[i];
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
static pf_err feed(int fd, const char *bytes, size_t n) {
    while (n) {
        ssize_t written = write(fd, bytes, n);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno == EPIPE ? PF_OK : failed("a pipe");
        bytes += written;
        n -= (size_t)written;
    }
    return PF_OK;
}

static void become(const host *h, const int pipe_of[2], const char *command) {
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    dup2(pipe_of[0], STDIN_FILENO);
    dup2(tool_streams_of(h->call)->out, STDOUT_FILENO);
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
    if (!err && WIFEXITED(status) && WEXITSTATUS(status) > 1)
        return pf_fail(PF_EARG, "the command '%.200s' ended with status %d", command, WEXITSTATUS(status));
    return err;
}

/* ---- a terminal ---- */

/* $XDG_STATE_HOME/permfst/history, or ~/.local/state/permfst/history; false: there is no such folder, and none can be made. */
static bool history_path(char *path, size_t room) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int n = state && *state == '/' ? snprintf(path, room, "%s/permfst/history", state)
          : home && *home ? snprintf(path, room, "%s/.local/state/permfst/history", home) : -1;
    if (n < 0 || (size_t)n >= room) return false;
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

/* What fails is said, and the session goes on. */
static pf_err converse(tool_call *call, pf_shell *shell) {
    char path[4096];
    const session_settings *o = tool_options(call);
    struct sigaction press = {.sa_handler = note_press};
    tool_watch_end(call); /* the session answers Ctrl-C itself */
    sigaction(SIGINT, &press, NULL);
    tool_lines_begin(complete, shell, !o->no_history && history_path(path, sizeof path) ? path : NULL);
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

/* ---- the whole ---- */

static pf_err begin(tool_call *call, pf_shell *shell) {
    const session_settings *o = tool_options(call);
    for (size_t i = 0; i < o->models.n; i++) {
        pf_writer *line;
        size_t n;
        PF_TRY(pf_writer_memory(&line));
        pf_err err = pf_writer_text(line, "model \"%s\"", o->models.at[i]);
        if (!err) err = pf_writer_put(line, "", 1);
        if (!err) err = pf_shell_line(shell, (const char *)pf_writer_bytes(line, &n));
        pf_writer_free(line);
        PF_TRY(err);
    }
    return PF_OK;
}

static pf_err run_lines(tool_call *call, pf_shell *shell) {
    const tool_specs *lines = &((const session_settings *)tool_options(call))->lines;
    for (size_t i = 0; i < lines->n && !pf_shell_ended(shell); i++) {
        pf_err err = pf_shell_line(shell, lines->at[i]);
        if (err) return pf_fail_in(err, "-e:%zu: ", i + 1);
    }
    return PF_OK;
}

static pf_err run_script(tool_call *call, pf_shell *shell, const char *path) {
    pf_reader *reader;
    PF_TRY(toolfst_open(call, path, &reader));
    pf_err err = pf_shell_script(shell, reader);
    pf_reader_free(reader);
    return err;
}

static pf_err run_all(tool_call *call, pf_shell *shell, bool people) {
    const session_settings *o = tool_options(call);
    char *const *files;
    int n = tool_operands(call, &files);
    PF_TRY(begin(call, shell));
    PF_TRY(run_lines(call, shell));
    for (int i = 0; i < n && !pf_shell_ended(shell); i++) PF_TRY(run_script(call, shell, files[i]));
    if (n || o->lines.n) return PF_OK;
    return people ? converse(call, shell) : run_script(call, shell, "-");
}

static bool has_colour(const tool_streams *streams) {
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(streams->out) && !(no_colour && *no_colour) && terminal && strcmp(terminal, "dumb") != 0;
}

static int run(tool_call *call) {
    const session_settings *o = tool_options(call);
    const tool_streams *streams = tool_streams_of(call);
    char *const *files;
    host h = {call, !tool_operands(call, &files) && !o->lines.n && !o->common.output && isatty(streams->in)
              && isatty(streams->out)};
    pf_shell_options how = {.host = {&h, program_name, run_program, to_command, interrupted, clock_of}, .people = h.people,
                            .colour = h.people && has_colour(streams), .max_bytes = tool_bytes(0, o->common.jobs),
                            .jobs = (size_t)o->common.jobs};
    pf_shell *shell = NULL;
    pf_err err = toolfst_open_output(call, &how.out);
    if (!err) err = pf_shell_new(&how, &shell);
    if (!err) err = run_all(call, shell, h.people);
    bool no = shell && !h.people && pf_shell_no(shell);
    pf_shell_free(shell);
    if (!err) err = toolfst_close_output(call, how.out);
    pf_writer_free(how.out);
    return tool_status(call, err, no);
}

const tool permsh = {
    .name = "permsh",
    .summary = "Look at orders, spaces, models and corpora in a session, or by a script",
    .forms = {"[FILE...]"},
    .options = rows,
    .size = sizeof(session_settings),
    .run = run,
    .examples = {"permsh --lm en.3gram.arpa", "permsh -e 'where can i my car park ?' -e 'space ibm:3' -e count"},
};

TOOL_MAIN(permsh);
