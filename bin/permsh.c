/* permsh: a session of the library's (permfst/shell/shell.h), on a terminal or of a script. */
#include "toolhost.h"
#include "toolsearch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
     .help = "do LINE, without a prompt; may be repeated (-e list: commands)"},
    {0, "lm", TOOL_FILES, AT(models), "FILE", .help = "begin with this model; may be repeated"},
    {'j', "jobs", TOOL_NUMBER, AT(common.jobs), "N", .min = 1, .max = 1024, .help = "score and sweep with N threads [1]"},
    {0, "no-history", TOOL_FLAG, AT(no_history), .help = "keep no history of what is typed"},
    TOOL_GROUP_OF("What is written"),
    TOOL_OUTPUT,
    {0},
};

/* ---- the whole ---- */

static pf_err begin(tool_call *call, pf_shell *shell) {
    const session_settings *options = tool_options(call);
    for (size_t i = 0; i < options->models.n; i++) {
        pf_writer *line;
        size_t count;
        PF_TRY(pf_writer_memory(&line));
        pf_err err = pf_writer_text(line, "model \"%s\"", options->models.at[i]);
        if (!err) err = pf_writer_put(line, "", 1);
        if (!err) err = pf_shell_line(shell, (const char *)pf_writer_bytes(line, &count));
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

static pf_err run_script(void *shell, pf_reader *reader) { return pf_shell_script(shell, reader); }

static pf_err run_all(tool_call *call, pf_shell *shell, bool people) {
    const session_settings *options = tool_options(call);
    const char *const *files;
    int count = tool_operands(call, &files);
    PF_TRY(begin(call, shell));
    PF_TRY(run_lines(call, shell));
    for (int i = 0; i < count && !pf_shell_ended(shell); i++) PF_TRY(toolfst_read(call, files[i], run_script, shell));
    if (count || options->lines.n) return PF_OK;
    return people ? tool_converse(call, shell, !options->no_history) : toolfst_read(call, "-", run_script, shell);
}

static bool has_colour(const tool_call *call) {
    const char *terminal = getenv("TERM");
    return tool_colours(call) && terminal && strcmp(terminal, "dumb") != 0;
}

static int run(tool_call *call) {
    const session_settings *options = tool_options(call);
    const tool_streams *streams = tool_streams_of(call);
    const char *const *files;
    tool_host host = {call, !tool_operands(call, &files) && !options->lines.n && !options->common.output && isatty(streams->in)
              && isatty(streams->out)};
    pf_shell_options how = {.host = tool_shell_host(&host), .people = host.people,
                            .colour = host.people && has_colour(call), .moves_bytes = TOOL_MOVES_BYTES,
                            .max_bytes = tool_bytes(0, options->common.jobs),
                            .jobs = (size_t)options->common.jobs};
    pf_shell *shell = NULL;
    pf_err err = toolfst_open_output(call, &how.out);
    if (!err) err = pf_shell_new(&how, &shell);
    if (!err) err = run_all(call, shell, host.people);
    bool no = shell && !host.people && pf_shell_no(shell);
    pf_shell_free(shell);
    if (!err) err = toolfst_close_output(call, how.out);
    pf_writer_free(how.out);
    return tool_status(call, err, no);
}

const tool permsh = {
    .name = "permsh",
    .summary = "Explore orders, spaces, models and corpora in a session or by a script",
    .forms = {"[FILE...]"},
    .options = rows,
    .size = sizeof(session_settings),
    .run = run,
    .examples = {"permsh --lm en.3gram.arpa", "permsh -e 'where can i my car park ?' -e 'space ibm:3' -e count"},
};

TOOL_MAIN(permsh);
