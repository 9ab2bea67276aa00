/* A session: one command a line, about a sentence, the space of its orders, models and corpora.
 *
 * A session is what the pipe of programs is, in one process: a sentence is compiled, permuted, composed with models and searched by
 * the same verbs, and the command "pipe" writes the pipeline of programs that gives the same answer. A line is a command of the
 * table below, or else a sentence. What is no part of the library comes from the host: programs, the commands of the system's
 * shell, interruptions and the clock. So a session runs anywhere, and reads and writes only the files that its lines name.
 *
 * A line that fails changes nothing and writes nothing. One thread at a time. A line costs what its command does; completing is
 * O(names). */
#ifndef PF_SHELL_SHELL_H
#define PF_SHELL_SHELL_H

#include <permfst/base/reader.h>
#include <permfst/base/writer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call of a program: `in` is its standard input, and what it writes is added to `out`. */
typedef struct {
    const char *name;
    const char *const *arguments;
    size_t n;
    const void *in;
    size_t in_bytes;
    pf_writer *out;
    int status; /* its exit status: 0, or 1 where the answer is no */
} pf_shell_call;

/* What the library leaves to others. Each may be NULL: there is no such thing. Functions may be called by several threads. */
typedef struct {
    void *self;
    const char *(*program_name)(void *self, size_t i, const char **summary);    /* program i; NULL past the last */
    const char *(*program_option)(void *self, const char *program, size_t i);   /* its option i without "--"; NULL past the last */
    pf_err (*run_program)(void *self, pf_shell_call *call);                     /* PF_EARG where the program fails */
    pf_err (*to_command)(void *self, const char *command, const void *bytes, size_t length); /* "... | COMMAND" */
    bool (*interrupted)(void *self);                                           /* a search ends with what it has found */
    double (*clock)(void *self, bool processor);                               /* seconds: of the processor, or that pass */
} pf_shell_host;

/* How answers look: for people, or lines with tabs, which are the bytes that the pipeline of "pipe" prints. */
typedef struct {
    pf_shell_host host;
    pf_writer *out; /* where answers go; borrowed */
    bool people;    /* layout for people; settings are answered too */
    bool colour;    /* escapes of a terminal, for people */
    bool sealed;    /* no command opens a file or runs anything: for lines of people who are not trusted, and for tests */
    uint64_t moves_bytes; /* of tables of moves that searches share, and that no search needs any more (machine/moves.h) */
    uint64_t max_bytes; /* of memory for a search, which ends there with what it has found; 0: there is no limit */
    size_t jobs;    /* pieces of a sweep at the same time; 0 is taken as 1 */
} pf_shell_options;

typedef struct pf_shell pf_shell;

/* *out belongs to the caller; NULL after an error. PF_ENOMEM. */
pf_err pf_shell_new(const pf_shell_options *options, pf_shell **out);
void pf_shell_free(pf_shell *shell); /* NULL is accepted */

/* Does one line, NUL-ended. PF_EARG: no such command, or words that it does not take; the errors of what it does. */
pf_err pf_shell_line(pf_shell *shell, const char *line);

/* Does the lines of a reader up to its end or "exit". Errors name file and line, and end it. */
pf_err pf_shell_script(pf_shell *shell, pf_reader *reader);

/* Was there "exit"? Was the last answer a no: no path, spaces that differ, an order outside? Of a script: was any? */
bool pf_shell_ended(const pf_shell *shell);
bool pf_shell_no(const pf_shell *shell);

/* Writes what the word that ends at `end` can be, a candidate a line, with the word's first bytes: commands, constraints, weights,
 * settings, names of values, words of the sentence. *begin is where the word begins; *files: file names may stand there too.
 * PF_ENOMEM. */
pf_err pf_shell_complete(const pf_shell *shell, const char *line, size_t end, size_t *begin, bool *files, pf_writer *candidates);

/* A command: how it is written, what it does, and an example. `group` begins a group of commands; NULL: as the one before. */
typedef struct {
    const char *name, *usage, *help, *group;
} pf_shell_help;

/* Command i of the table; NULL past the last. */
const pf_shell_help *pf_shell_command_at(size_t i);

#ifdef __cplusplus
}
#endif
#endif
