/* A session: its lines, its values, and where answers go. A line is O(1) beside what its command does. */
#include "shell/shell_impl.h"

#include <permfst/base/digits.h>
#include <permfst/io/stream.h>

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_DEPTH = 8 }; /* of commands within commands */

/* ---- a session ---- */

pf_err pf_shell_new(const pf_shell_options *options, pf_shell **out) {
    pf_shell *shell = *out = calloc(1, sizeof *shell);
    if (!shell) return pf_nomem();
    shell->options = *options;
    shell->deadline = -1;
    pfi_settings_init(&shell->settings);
    pf_err err = pf_writer_memory(&shell->text);
    if (!err) err = pf_moves_store_new(options->moves_bytes, &shell->moves);
    if (!err) return PF_OK;
    pf_shell_free(shell);
    *out = NULL;
    return err;
}

void pfi_walk_end(pf_shell *shell) {
    PF_VEC_FREE(&shell->walk.place);
    pf_opened_free(shell->walk.opened);
    shell->walk.opened = NULL;
}

static void free_values(pf_shell *shell) {
    for (size_t i = 0; i < shell->value.n; i++) {
        free(shell->value.at[i].name);
        free(shell->value.at[i].text);
        free(shell->value.at[i].source);
        pf_expr_free(shell->value.at[i].record);
    }
    PF_VEC_FREE(&shell->value);
}

/* What was asked and made. */
static void forget(pf_shell *shell) {
    pf_expr_free(shell->answer);
    pf_expr_free(shell->record);
    free(shell->source);
    free(shell->answer_source);
    free(shell->pipeline);
    shell->answer = shell->record = NULL;
    shell->source = shell->answer_source = shell->pipeline = NULL;
}

void pf_shell_free(pf_shell *shell) {
    if (!shell) return;
    pfi_walk_end(shell);
    free_values(shell);
    pfi_settings_free(&shell->settings);
    pf_writer_free(shell->text);
    if (!shell->branch) pf_moves_store_free(shell->moves);
    forget(shell);
    free(shell);
}

bool pf_shell_ended(const pf_shell *shell) { return shell->ended; }
bool pf_shell_no(const pf_shell *shell) { return shell->any_no; }

void pfi_shell_settle(pf_shell *shell, pfi_settings *changed) {
    pfi_settings_free(&shell->settings);
    shell->settings = *changed;
    *changed = (pfi_settings){0};
    pfi_walk_end(shell);
    forget(shell);
}

void pfi_shell_made(pf_shell *shell, pf_expr *record) {
    pf_expr *kept = record ? pf_expr_ref(record) : NULL;
    pf_expr_free(shell->record);
    free(shell->source);
    shell->record = kept;
    shell->source = NULL;
    if (!record || record->kind != PF_EXPR_BEST) return;
    pf_expr_free(shell->answer);
    free(shell->answer_source);
    shell->answer = pf_expr_ref(record);
    shell->answer_source = NULL;
}

static char *text_of(const pf_writer *writer) {
    size_t n;
    const unsigned char *at = pf_writer_bytes(writer, &n);
    char *text = calloc(n + 1, 1);
    if (text && n) memcpy(text, at, n);
    return text;
}

pf_err pfi_shell_pipeline(pf_shell *shell, const pf_writer *words) {
    char *text = text_of(words);
    if (!text) return pf_nomem();
    free(shell->pipeline);
    shell->pipeline = text;
    shell->piped = true;
    return PF_OK;
}

bool pfi_shell_expired(void *self) {
    const pf_shell *shell = self;
    const pf_shell_host *host = &shell->options.host;
    if (host->interrupted && host->interrupted(host->self)) return true;
    return shell->deadline >= 0 && host->clock && host->clock(host->self, false) > shell->deadline;
}

pf_best_options pfi_shell_search(pf_shell *shell, size_t n) {
    pf_best_options how = pfi_settings_search(&shell->settings, n);
    how.max_bytes = shell->options.max_bytes;
    how.moves = shell->moves;
    how.expired = pfi_shell_expired;
    how.self = shell;
    return how;
}

/* ---- values ---- */

pfi_shell_value *pfi_shell_value_of(pf_shell *shell, const char *name, size_t length) {
    for (size_t i = 0; i < shell->value.n; i++)
        if (strlen(shell->value.at[i].name) == length && memcmp(shell->value.at[i].name, name, length) == 0)
            return &shell->value.at[i];
    return NULL;
}

static const char *value_text(void *shell, const char *name, size_t length) {
    const pfi_shell_value *value = pfi_shell_value_of(shell, name, length);
    return value ? value->text : NULL;
}

/* Text, record and source belong to the value from now on, also when this fails. */
static pf_err set_value(pf_shell *shell, const char *name, size_t length, char *text, pf_expr *record, char *source) {
    pfi_shell_value *value = pfi_shell_value_of(shell, name, length);
    char *copy = value ? value->name : strndup(name, length);
    assert(length && text);
    if (!copy || (!value && PF_ROOM(&shell->value, 1))) {
        if (!value) free(copy);
        free(text);
        free(source);
        pf_expr_free(record);
        return pf_nomem();
    }
    if (value) {
        free(value->text);
        free(value->source);
        pf_expr_free(value->record);
    } else value = &shell->value.at[shell->value.n++];
    *value = (pfi_shell_value){copy, text, record, source};
    return PF_OK;
}

/* ---- where answers go ---- */

pf_err pfi_append_file(const char *path, const void *bytes, size_t n) {
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
    struct stat before;
    pf_writer *writer;
    if (fd < 0) return pf_fail(PF_EIO, "%s: %s", path, strerror(errno));
    const bool keeps = fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
    pf_err err = pf_writer_descriptor(fd, path, &writer);
    if (!err) err = pf_writer_put(writer, bytes, n);
    if (!err) err = pf_writer_close(writer);
    pf_writer_free(writer);
    if (err && keeps && ftruncate(fd, before.st_size)) err = pf_fail_in(err, "%s (has a part of an answer): ", path);
    if (close(fd) && !err) err = pf_fail(PF_EIO, "%s: %s", path, strerror(errno));
    return err;
}

static pf_err write_file(const char *path, const unsigned char *bytes, size_t n) {
    pf_writer *writer;
    PF_TRY(pf_writer_open(path, &writer));
    pf_err err = pf_writer_put(writer, bytes, n);
    if (!err) err = pf_writer_close(writer);
    pf_writer_free(writer);
    return err;
}

static pf_err deliver(pf_shell *shell, const pfi_command_line *line, const pf_writer *text) {
    const pf_shell_host *host = &shell->options.host;
    size_t n;
    const unsigned char *bytes = pf_writer_bytes(text, &n);
    assert(line->target == PFI_TO_ANSWERS || line->target_name);
    switch (line->target) {
    case PFI_TO_FILE: return write_file(line->target_name, bytes, n);
    case PFI_TO_FILE_END: return n ? pfi_append_file(line->target_name, bytes, n) : PF_OK;
    case PFI_TO_COMMAND:
        if (!host->to_command) return pf_fail(PF_EARG, "commands of the system cannot be run here");
        return host->to_command(host->self, line->target_name, bytes, n);
    case PFI_TO_ANSWERS: break;
    }
    return PF_OK;
}

/* ---- commands ---- */

const pfi_shell_command *pfi_shell_find(const char *name, size_t length) {
    for (const pfi_shell_command *command = pfi_shell_commands; command->help.name; command++)
        if (strlen(command->help.name) == length && memcmp(command->help.name, name, length) == 0) return command;
    return NULL;
}

bool pfi_shell_is_program(const pf_shell *shell, const char *name, size_t length) {
    const pf_shell_host *host = &shell->options.host;
    const char *program, *summary;
    for (size_t i = 0; host->program_name && (program = host->program_name(host->self, i, &summary)); i++)
        if (strlen(program) == length && memcmp(program, name, length) == 0) return true;
    return false;
}

static const pfi_shell_command *find(const pf_shell *shell, const char *name, size_t length) {
    const pfi_shell_command *command = pfi_shell_find(name, length);
    return command || !pfi_shell_is_program(shell, name, length) ? command : pfi_shell_find("run", 3);
}

static pf_err check_count(const pfi_shell_command *how, size_t n) {
    if (n >= how->least && n <= how->most) return PF_OK;
    return pf_fail(PF_EARG, "%s: expected %s%s%s, found %zu word%s after the name", how->help.name, how->help.name,
                   *how->help.usage ? " " : "", how->help.usage, n, pf_plural(n));
}

/* A file that the line names is opened by nobody in a sealed session. */
static pf_err check_sealed(const pf_shell *shell, const pfi_command_line *line) {
    if (!shell->options.sealed || line->target == PFI_TO_ANSWERS) return PF_OK;
    return pf_fail(PF_EARG, "this session opens no files and runs nothing");
}

/* A pipeline ends where the answer went. */
static pf_err pipe_target(pf_shell *shell, const pfi_command_line *line) {
    static const char *const signs[] = {NULL, " > ", " >> ", " | "}; /* as pfi_answer_target */
    pf_writer *words;
    assert(shell->pipeline && line->target != PFI_TO_ANSWERS);
    if (!*shell->pipeline) return PF_OK;
    PF_TRY(pf_writer_memory(&words));
    pf_err err = pf_writer_text(words, "%s%s", shell->pipeline, signs[line->target]);
    if (!err && line->target == PFI_TO_COMMAND) err = pf_writer_text(words, "%s", line->target_name);
    else if (!err) err = pfi_quote(words, line->target_name);
    if (!err) err = pfi_shell_pipeline(shell, words);
    pf_writer_free(words);
    return err;
}

static pf_err run_to(pf_shell *shell, const pfi_shell_command *how, pfi_command *command, const pfi_command_line *line) {
    pf_writer *before = shell->text;
    bool people = shell->options.people;
    if (line->target == PFI_TO_ANSWERS) return how->run(command);
    PF_TRY(pf_writer_memory(&shell->text));
    if (line->target != PFI_TO_COMMAND) shell->options.people = false;
    shell->piped = false;
    pf_err err = how->run(command);
    if (!err) err = deliver(shell, line, shell->text);
    if (!err && shell->piped) err = pipe_target(shell, line);
    pf_writer_free(shell->text);
    shell->text = before;
    shell->options.people = people;
    return err;
}

/* A name that is not that of its function is a program's, which run takes as its first word. */
static pf_err run_words(pf_shell *shell, const pfi_shell_command *how, const char *text) {
    bool sweeps = how->run == pfi_do_sweep || how->run == pfi_do_time;
    pfi_command_line line;
    pf_err err = pfi_command_line_split(text, sweeps ? NULL : value_text, shell, &line);
    assert(err || line.word.n);
    bool program = !err && strcmp(line.word.at[0], how->help.name) != 0;
    pfi_command command = {shell, line.word.at - program, line.word.n + program, line.rest,
                           line.target == PFI_TO_FILE_END ? line.target_name : NULL};
    if (!err) err = check_count(how, command.n - 1);
    if (!err) err = check_sealed(shell, &line);
    if (!err) err = run_to(shell, how, &command, &line);
    pfi_command_line_free(&line);
    return err;
}

static size_t word_length(const char *at) { return strcspn(at, " \t"); }

static const char *skip_blanks(const char *at) { return at + strspn(at, " \t"); }

/* "$NAME" alone stands for the text of a value also where a line is taken as it is. */
static pf_err run_raw(pf_shell *shell, const pfi_shell_command *how, const char *rest) {
    const pfi_shell_value *value = *rest == '$' ? pfi_shell_value_of(shell, rest + 1, strlen(rest + 1)) : NULL;
    char *text = value ? strdup(value->text) : NULL;
    if (value && !text) return pf_nomem();
    if (text) text[strcspn(text, "\n")] = 0;
    assert(how->raw);
    pfi_command command = {shell, &how->help.name, 1, text ? text : rest, NULL};
    pf_err err = how->run(&command);
    free(text);
    return err;
}

/* Is one name the other with one letter more, less, or another, or with two letters exchanged? */
static bool nearly(const char *name, const char *given, size_t n) {
    size_t length = strlen(name), same = 0, end = 0;
    while (same < n && same < length && name[same] == given[same]) same++;
    while (end < n - same && end < length - same && name[length - 1 - end] == given[n - 1 - end]) end++;
    size_t left = length - same - end, found = n - same - end;
    return (left <= 1 && found <= 1) || (left == 2 && found == 2 && name[same] == given[same + 1] && name[same + 1] == given[same]);
}

/* A short line that looks like a command with a slip is not taken as a sentence. */
static pf_err check_slip(const char *text) {
    size_t n = word_length(text), words = 1;
    for (const char *at = skip_blanks(text + n); *at; at = skip_blanks(at + word_length(at))) words++;
    for (const pfi_shell_command *command = pfi_shell_commands; n > 3 && words < 4 && command->help.name; command++)
        if (nearly(command->help.name, text, n))
            return pf_fail(PF_EARG, "there is no command '%.*s': did you mean '%s'? A sentence that begins so: sentence %.*s ...",
                           (int)n,
                           text, command->help.name, (int)n, text);
    return PF_OK;
}

static pf_err run_sentence(pf_shell *shell, const char *text) {
    PF_TRY(check_slip(text));
    return run_raw(shell, pfi_shell_find("sentence", 8), text);
}

/* ---- NAME = ... ---- */

/* What the command answers, as lines with tabs, and what it makes, are the value. */
static pf_err capture(pf_shell *shell, const char *name, size_t length, const char *rest) {
    pf_writer *before = shell->text;
    bool people = shell->options.people;
    PF_TRY(pf_writer_memory(&shell->text));
    pfi_shell_made(shell, NULL);
    shell->options.people = false;
    pf_err err = pfi_shell_do(shell, rest);
    shell->options.people = people;
    char *text = text_of(shell->text);
    pf_writer_free(shell->text);
    shell->text = before;
    if (!err && !text) err = pf_nomem();
    if (err) {
        free(text);
        return err;
    }
    char *source = shell->source ? strdup(shell->source) : NULL;
    if (shell->source && !source) {
        free(text);
        return pf_nomem();
    }
    return set_value(shell, name, length, text, shell->record ? pf_expr_ref(shell->record) : NULL, source);
}

static pf_err assign_text(pf_shell *shell, const char *name, size_t length, const char *rest) {
    pfi_command_line line;
    pf_writer *text;
    PF_TRY(pf_writer_memory(&text));
    pf_err err = pfi_command_line_split(rest, value_text, shell, &line);
    for (size_t i = 0; !err && i < line.word.n; i++) err = pf_writer_text(text, "%s%s", i ? " " : "", line.word.at[i]);
    if (!err && line.target != PFI_TO_ANSWERS) err = pf_fail(PF_EARG, "a value is a command or a text: put '' around > and |");
    char *copy = err ? NULL : text_of(text);
    if (!err) err = copy ? set_value(shell, name, length, copy, NULL, NULL) : pf_nomem();
    pf_writer_free(text);
    pfi_command_line_free(&line);
    return err;
}

static pf_err do_line(pf_shell *shell, const char *line) {
    const char *at = skip_blanks(line), *rest;
    size_t name;
    if (!*at || *at == '#') return PF_OK;
    if (pfi_command_line_assigns(at, &name, &rest))
        return (find(shell, rest, word_length(rest)) ? capture : assign_text)(shell, at, name, rest);
    const pfi_shell_command *how = find(shell, at, word_length(at));
    if (!how) return run_sentence(shell, at);
    return how->raw ? run_raw(shell, how, skip_blanks(at + word_length(at))) : run_words(shell, how, at);
}

pf_err pfi_shell_do(pf_shell *shell, const char *line) {
    if (shell->depth == MOST_DEPTH) return pf_fail(PF_EARG, "commands are nested too deeply");
    shell->depth++;
    pf_err err = do_line(shell, line);
    shell->depth--;
    return err;
}

pf_err pf_shell_line(pf_shell *shell, const char *line) {
    size_t n;
    assert(!shell->depth && shell->options.out);
    pf_writer_clear(shell->text);
    shell->no = false;
    pf_err err = pfi_shell_do(shell, line);
    if (err) return err;
    shell->any_no = shell->any_no || shell->no;
    const unsigned char *bytes = pf_writer_bytes(shell->text, &n);
    PF_TRY(pf_writer_put(shell->options.out, bytes, n));
    return pf_writer_flush(shell->options.out);
}

pf_err pf_shell_script(pf_shell *shell, pf_reader *reader) {
    char *line;
    size_t length;
    while (!shell->ended) {
        PF_TRY(pf_reader_line(reader, &line, &length));
        if (!line) return PF_OK;
        if (strlen(line) != length) return pf_reader_fail_line(reader, "expected text, found a NUL byte");
        pf_err err = pf_shell_line(shell, line);
        if (err)
            return pf_fail_in(err, "%s:%llu: ", pf_reader_name(reader), (unsigned long long)pf_reader_line_number(reader));
    }
    return PF_OK;
}

/* ---- for commands ---- */

static pf_err copy_values(const pf_shell *shell, pf_shell *to) {
    for (size_t i = 0; i < shell->value.n; i++) {
        const pfi_shell_value *value = &shell->value.at[i];
        char *text = strdup(value->text), *source = value->source ? strdup(value->source) : NULL;
        if (!text || (value->source && !source)) {
            free(text);
            free(source);
            return pf_nomem();
        }
        PF_TRY(set_value(to, value->name, strlen(value->name), text, value->record ? pf_expr_ref(value->record) : NULL, source));
    }
    return PF_OK;
}

pf_err pfi_shell_branch(const pf_shell *shell, pf_shell **out) {
    pf_shell *branch;
    PF_TRY(pf_shell_new(&shell->options, &branch));
    pf_moves_store_free(branch->moves);
    branch->moves = shell->moves;
    branch->branch = true;
    branch->options.people = false;
    branch->depth = shell->depth;
    pfi_settings_free(&branch->settings);
    pf_err err = pfi_settings_copy(&shell->settings, &branch->settings);
    if (!err) err = copy_values(shell, branch);
    *out = err ? NULL : branch;
    if (err) pf_shell_free(branch);
    return err;
}

pf_err pfi_record_bytes(pf_expr *record, pf_writer *to) {
    pf_stream_writer *stream;
    PF_TRY(pf_stream_writer_new(to, PF_AS_RECORDS, &stream));
    pf_err err = pf_stream_put(stream, record, 1);
    if (!err) err = pf_stream_end(stream);
    pf_stream_writer_free(stream);
    return err;
}

pf_err pfi_shell_program_on(pf_shell *shell, const char *name, const char *const *arguments, size_t n, const pf_writer *in,
                            pf_writer *to) {
    const pf_shell_host *host = &shell->options.host;
    pf_shell_call call = {.name = name, .arguments = arguments, .n = n, .out = to};
    if (!host->run_program || shell->options.sealed) return pf_fail(PF_EARG, "the program %s cannot be run here", name);
    call.in = pf_writer_bytes(in, &call.in_bytes);
    PF_TRY(host->run_program(host->self, &call));
    if (call.status) shell->no = true;
    return PF_OK;
}

pf_err pfi_shell_program(pf_shell *shell, const char *name, const char *const *arguments, size_t n, pf_expr *in, pf_writer *to) {
    pf_writer *bytes;
    PF_TRY(pf_writer_memory(&bytes));
    pf_err err = in ? pfi_record_bytes(in, bytes) : PF_OK;
    if (!err) err = pfi_shell_program_on(shell, name, arguments, n, bytes, to);
    pf_writer_free(bytes);
    return err;
}

pf_err pfi_shell_open(const pf_shell *shell, const char *path, pf_reader **out) {
    *out = NULL;
    if (shell->options.sealed) return pf_fail(PF_EARG, "%s: this session opens no files", path);
    if (strcmp(path, "-") == 0) return pf_fail(PF_EARG, "expected a file, found '-'");
    return pf_reader_open(path, out);
}
