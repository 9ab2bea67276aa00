/* A command for all combinations of values: the last value changes fastest. Each combination is worked on in a session of its own,
 * by workers, and its rows come out in order, with the values before them. Rows that a file has already are not made again. */
#include "shell/shell_impl.h"

#include <permfst/base/workers.h>

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_VARIABLES = 16, MOST_COMBINATIONS = 1 << 20 };

typedef struct {
    char *name;
    pfi_texts values;
} sweep_variable;

typedef struct {
    pf_shell *shell;
    sweep_variable variable[MOST_VARIABLES];
    size_t variables, combinations, jobs;
    char *line;             /* the command */
    const char *heading;    /* of its columns; "": it writes one itself; NULL: it has none */
    bool headed;            /* the heading is written */
    const char *path;       /* of ">> FILE"; NULL: rows go to the answer */
    pfi_texts done;         /* keys of the rows that the file has */
    bool torn;              /* the file ends in a part of a row: */
    uint64_t kept;          /* so many of its bytes stay */
} sweep;

typedef struct {
    size_t number;
    pf_shell *branch;
} combination;

/* ---- what is swept ---- */

/* "NAME=VALUE,VALUE"; values with commas are separated by blanks. */
static pf_err add_variable(sweep *all, const char *word) {
    sweep_variable *variable = &all->variable[all->variables];
    const char *equals = strchr(word, '=');
    assert(equals);
    const char *separators = strchr(equals, ' ') ? " " : ",";
    if (all->variables == MOST_VARIABLES) return pf_fail(PF_EARG, "sweep: expected at most %d names with values", MOST_VARIABLES);
    if (!(variable->name = strndup(word, (size_t)(equals - word)))) return pf_nomem();
    all->variables++;
    for (const char *at = equals + 1; *at; at += strspn(at, separators)) {
        size_t n = strcspn(at, separators);
        char *value = strndup(at, n);
        pf_err err = !value ? pf_nomem() : !n ? PF_OK
            : strchr(value, '\t') ? pf_fail(PF_EARG, "sweep: a value has a tab: '%.100s'", value)
            : pfi_texts_add(&variable->values, value);
        free(value);
        PF_TRY(err);
        at += n;
    }
    if (!variable->values.n)
        return pf_fail(PF_EARG, "sweep: expected values after %s=, such as %s=A,B", variable->name, variable->name);
    all->combinations *= variable->values.n;
    return all->combinations <= MOST_COMBINATIONS ? PF_OK : pf_fail(PF_EARG, "sweep: more than %d combinations", MOST_COMBINATIONS);
}

/* NAME of "NAME=..." is of letters, digits, - and _. */
static bool is_variable(const char *word) {
    size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return n && word[n] == '=';
}

static pf_err put_word(pf_writer *to, const char *word) {
    if (*word && !strpbrk(word, " \t'\"\\|>")) return pf_writer_text(to, "%s", word);
    PF_TRY(pf_writer_put(to, "\"", 1));
    for (; *word; word++) PF_TRY(pf_writer_text(to, *word == '"' || *word == '\\' ? "\\%c" : "%c", *word));
    return pf_writer_put(to, "\"", 1);
}

static pf_err join(const char *const *word, size_t n, char **out) {
    pf_writer *to;
    size_t length;
    PF_TRY(pf_writer_memory(&to));
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < n; i++) {
        if (i) err = pf_writer_put(to, " ", 1);
        if (!err) err = put_word(to, word[i]);
    }
    if (!err) err = pf_writer_put(to, "", 1);
    if (!err && !(*out = strdup((const char *)pf_writer_bytes(to, &length)))) err = pf_nomem();
    pf_writer_free(to);
    return err;
}

static pf_err read_words(sweep *all, const pfi_command *command) {
    size_t i = 1;
    uint64_t jobs;
    all->jobs = all->shell->options.jobs ? all->shell->options.jobs : 1;
    all->combinations = 1;
    if (strcmp(command->word[i], "-j") == 0 && command->n > 2) {
        PF_TRY(pfi_command_number(command->word[i + 1], "sweep: a number of jobs", 1, 1024, &jobs));
        all->jobs = (size_t)jobs;
        i += 2;
    }
    for (; i < command->n && is_variable(command->word[i]); i++) PF_TRY(add_variable(all, command->word[i]));
    if (!all->variables || i == command->n)
        return pf_fail(PF_EARG, "sweep: expected NAME=VALUE,VALUE ... COMMAND, found '%.100s'", command->rest);
    const pfi_shell_command *how = pfi_shell_find(command->word[i], strlen(command->word[i]));
    if (!how) return pf_fail(PF_EARG, "sweep: expected a command after the values, found '%.100s'", command->word[i]);
    all->heading = how->heading;
    return join(command->word + i, command->n - i, &all->line);
}

static const char *value_of(const sweep *all, size_t number, size_t at) {
    assert(number < all->combinations && at < all->variables);
    for (size_t i = all->variables; i-- > at + 1;) number /= all->variable[i].values.n;
    return all->variable[at].values.at[number % all->variable[at].values.n];
}

/* The values of a combination, with a tab after each. */
static pf_err put_key(const sweep *all, size_t number, pf_writer *to) {
    for (size_t i = 0; i < all->variables; i++) PF_TRY(pf_writer_text(to, "%s\t", value_of(all, number, i)));
    return PF_OK;
}

/* The same for messages: with blanks between the values, and a NUL after them. */
static pf_err put_values(const sweep *all, size_t number, pf_writer *to) {
    for (size_t i = 0; i < all->variables; i++) PF_TRY(pf_writer_text(to, "%s%s", i ? " " : "", value_of(all, number, i)));
    return pf_writer_put(to, "", 1);
}

static pf_err put_heading(const sweep *all, const char *columns, size_t n, pf_writer *to) {
    for (size_t i = 0; i < all->variables; i++) PF_TRY(pf_writer_text(to, "%s\t", all->variable[i].name));
    return pf_writer_text(to, "%.*s\n", (int)n, columns);
}

/* ---- the file ---- */

static const char *after_key(const sweep *all, const char *line) {
    for (size_t i = 0; i < all->variables && line; i++) line = (line = strchr(line, '\t')) ? line + 1 : NULL;
    return line;
}

static pf_err read_heading(const sweep *all, const pf_reader *reader, const char *line) {
    const char *at = line;
    for (size_t i = 0; i < all->variables; i++) {
        size_t n = strlen(all->variable[i].name);
        if (strncmp(at, all->variable[i].name, n) != 0 || at[n] != '\t')
            return pf_reader_fail_line(reader, "expected the heading of this sweep, with '%s' as column %zu, found '%.100s'",
                                       all->variable[i].name, i + 1, line);
        at += n + 1;
    }
    return PF_OK;
}

/* A last line without its end is a part of a row, which a full disk or the end of the machine has left. It goes, and with it the
 * rows before it, from `run` on, that may be of the same combination: it is done again. */
static void drop_part(sweep *all, const char *line, size_t length, uint64_t start, uint64_t run) {
    const char *key = all->done.n ? all->done.at[all->done.n - 1] : NULL;
    const size_t n = key && strlen(key) < length ? strlen(key) : length;
    const bool same = key && strncmp(key, line, n) == 0;
    assert(run <= start);
    all->torn = true;
    all->kept = same ? run : start;
    if (same) free(all->done.at[--all->done.n]);
}

/* Keys stay in order and come in runs. */
static pf_err read_rows(sweep *all, pf_reader *reader) {
    char *line;
    size_t length;
    uint64_t run = 0;
    for (;;) {
        const uint64_t start = pf_reader_offset(reader);
        PF_TRY(pf_reader_line(reader, &line, &length));
        if (!line) return PF_OK;
        const bool torn = pf_reader_offset(reader) - start == length;
        if (!all->headed) PF_TRY(read_heading(all, reader, line));
        if (torn) {
            drop_part(all, line, length, start, run);
            return PF_OK;
        }
        if (!all->headed) {
            all->headed = true;
            continue;
        }
        const char *rest = after_key(all, line);
        if (!rest) return pf_reader_fail_line(reader, "expected %zu values and an answer, found '%.100s'", all->variables, line);
        line[rest - line] = 0;
        if (all->done.n && strcmp(all->done.at[all->done.n - 1], line) == 0) continue;
        PF_TRY(pfi_texts_add(&all->done, line));
        run = start;
    }
}

/* What is no file, such as a pipe, has no rows. */
static pf_err read_file(sweep *all) {
    pf_reader *reader;
    struct stat there;
    if (!all->path || stat(all->path, &there) != 0 || !S_ISREG(there.st_mode)) return PF_OK;
    PF_TRY(pfi_shell_open(all->shell, all->path, &reader));
    pf_err err = read_rows(all, reader);
    if (!err && all->torn && pf_reader_offset(reader) != (uint64_t)there.st_size)
        err = pf_fail(PF_EINPUT, "%s: expected a whole last line, or a file that is not packed", all->path);
    pf_reader_free(reader);
    if (!err && all->torn && truncate(all->path, (off_t)all->kept))
        err = pf_fail(PF_EIO, "%s: %s", all->path, strerror(errno));
    return err;
}

static pf_err is_done(const sweep *all, size_t number, bool *done) {
    pf_writer *key;
    size_t n;
    *done = false;
    if (!all->done.n) return PF_OK;
    PF_TRY(pf_writer_memory(&key));
    pf_err err = put_key(all, number, key);
    const unsigned char *bytes = pf_writer_bytes(key, &n);
    for (size_t i = 0; !err && !*done && i < all->done.n; i++)
        *done = strlen(all->done.at[i]) == n && memcmp(all->done.at[i], bytes, n) == 0;
    pf_writer_free(key);
    return err;
}

/* ---- one combination ---- */

static pf_err set_and_run(const sweep *all, const combination *one) {
    char line[PF_SPEC_BYTES + 100];
    for (size_t i = 0; i < all->variables; i++) {
        const char *name = all->variable[i].name, *value = value_of(all, one->number, i);
        bool command = pfi_shell_find(name, strlen(name)) != NULL;
        if ((size_t)snprintf(line, sizeof line, "%s %s%s", name, command ? "" : "= ", value) >= sizeof line)
            return pf_fail(PF_EARG, "sweep: a value is too long");
        pf_writer_clear(one->branch->text);
        PF_TRY(pfi_shell_do(one->branch, line));
    }
    pf_writer_clear(one->branch->text);
    return pfi_shell_do(one->branch, all->line);
}

static pf_err work(void *self, void *piece) {
    const sweep *all = self;
    const combination *one = piece;
    pf_writer *key;
    size_t n;
    pf_err err = set_and_run(all, one);
    if (!err && pfi_shell_expired(all->shell)) err = pf_fail(PF_ELIMIT, "interrupted");
    if (!err) return PF_OK;
    if (pf_writer_memory(&key)) return pf_nomem();
    if (!put_values(all, one->number, key)) err = pf_fail_in(err, "sweep at %s: ", (const char *)pf_writer_bytes(key, &n));
    pf_writer_free(key);
    return err;
}

static pf_err put_rows(sweep *all, const combination *one, pf_writer *to) {
    size_t n;
    const char *at = (const char *)pf_writer_bytes(one->branch->text, &n), *end = at + n;
    bool own = all->heading && !*all->heading;
    if (own && n) {
        const char *lf = memchr(at, '\n', n);
        if (!all->headed) PF_TRY(put_heading(all, at, lf ? (size_t)(lf - at) : n, to));
        at = lf ? lf + 1 : end;
    } else if (!all->headed) {
        const char *columns = all->heading ? all->heading : "answer";
        PF_TRY(put_heading(all, columns, strlen(columns), to));
    }
    all->headed = true;
    while (at < end) {
        const char *lf = memchr(at, '\n', (size_t)(end - at)), *after = lf ? lf : end;
        PF_TRY(put_key(all, one->number, to));
        PF_TRY(pf_writer_put(to, at, (size_t)(after - at)));
        PF_TRY(pf_writer_put(to, "\n", 1));
        at = after + 1;
    }
    return PF_OK;
}

/* Rows of a combination go to the file at once, so that a sweep that is ended has whole combinations. */
static pf_err finish(void *self, void *piece, pf_err err) {
    sweep *all = self;
    const combination *one = piece;
    pf_writer *rows;
    size_t n;
    PF_TRY(err);
    if (!all->path) return put_rows(all, one, all->shell->text);
    PF_TRY(pf_writer_memory(&rows));
    err = put_rows(all, one, rows);
    const void *bytes = pf_writer_bytes(rows, &n);
    if (!err && n) err = pfi_append_file(all->path, bytes, n);
    pf_writer_free(rows);
    return err;
}

static void drop(void *piece) { pf_shell_free(((combination *)piece)->branch); }

static pf_err put_combination(sweep *all, pf_workers *workers, size_t number) {
    combination one = {number, NULL};
    bool done;
    PF_TRY(is_done(all, number, &done));
    if (done) return PF_OK;
    PF_TRY(pfi_shell_branch(all->shell, &one.branch));
    return pf_workers_put(workers, &one, PF_OK);
}

static pf_err run_all(sweep *all) {
    static const pf_workers_steps steps = {sizeof(combination), work, finish, drop, NULL};
    pf_workers *workers;
    PF_TRY(pf_workers_new(all->jobs, &steps, all, NULL, &workers));
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < all->combinations; i++) err = put_combination(all, workers, i);
    return pf_workers_end(workers, err);
}

pf_err pfi_do_sweep(pfi_command *command) {
    sweep all = {.shell = command->shell, .path = command->grows};
    pf_err err = read_words(&all, command);
    if (!err) err = read_file(&all);
    if (!err) err = run_all(&all);
    for (size_t i = 0; i < all.variables; i++) {
        free(all.variable[i].name);
        pfi_texts_free(&all.variable[i].values);
    }
    pfi_texts_free(&all.done);
    free(all.line);
    return err ? err : pfi_pipe_itself(command->shell, command);
}
