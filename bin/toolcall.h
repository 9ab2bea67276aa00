/* One run of a program, for the files that make and watch it; programs see it through tool.h and the headers of its parts. */
#ifndef TOOLCALL_H
#define TOOLCALL_H

#include "tool.h"
#include "toolgather.h"
#include "toolprogress.h"
#include "toolwatch.h"

#include <pthread.h>

/* What is read, and how far. */
typedef struct {
    bool stdin_taken;         /* standard input can be read for only one operand */
    uint64_t stored;          /* bytes of the operands that are done, as they are stored */
    void (*tell)(void *self); /* before a wait for input */
    void *told;
    pf_symtab *isyms, *osyms; /* of --isymbols and --osymbols, once they are read */
    bool *skipped;            /* what fails is reported and noted here, and no trouble; NULL: as --keep-going says */
    bool sentences;           /* what begins no stream are sentences, a line each */
    bool cut;                 /* one of them had no end, and reading went on */
} tool_input_state;

/* What one thread says and counts in its piece of a call's work. */
typedef struct {
    pf_writer *collector; /* of its messages; NULL: they are said at once */
    uint64_t steps[TOOL_STEP_KINDS]; /* so far */
} tool_thread;

enum { TOOL_MOST_OPTIONS = 64 };

struct tool_call {
    const tool *program;
    void *options;  /* of program->size bytes, beginning with a tool_common */
    uint64_t given; /* a bit for each row of the program's table */
    int n;
    const char **operands; /* an array of its own, the command first if there is one */
    const char *form; /* the one of the program's forms; NULL: not known yet */
    bool failed;      /* something, and it was passed over */
    tool_streams streams;
    tool_progress progress;
    tool_watch *watch; /* NULL: nobody watches */
    tool_gather gather;
    tool_input_state input;
    pthread_key_t threads; /* each thread's tool_thread, where it has one */
    bool begun;            /* there is such a key */
};

/* That of the thread which asks, made at its first use; NULL: there is no memory for it. */
tool_thread *tool_this_thread(tool_call *call);

/* Parses the arguments. 0; or -1 after a message; or 1 where what was asked for is printed (--help, --version, list). */
int tool_parse(tool_call *call, int count, const char *const *arguments);

/* "name: words", then "Try 'name --help'". Returns -1. */
int tool_usage(tool_call *call, const char *format, ...) PF_PRINTF(2, 3);

/* Finds the form of a call; then checks what its options say about the form and about one another. 0; or -1 after a message. */
int tool_relations_check(tool_call *call);

/* --help (of what goes with these forms), --version, and the table for the man page and the completion: a line
 * with name, summary and the forms; then the options, a line each: letter, name, kind, metavar, choices, help, needs, excludes,
 * forms, bounds; separated by tabs. */
pf_err tool_print_help(const tool *program, unsigned forms, pf_writer *to);
pf_err tool_print_version(const tool *program, pf_writer *to);
pf_err tool_print_table(const tool *program, pf_writer *to);

/* ---- rows ---- */

/* The rows of every program, and the choice at a place of a row (NULL after the last). */
extern const tool_option tool_standard[];
const char *tool_choice(const tool_option *option, size_t place);
bool tool_takes_value(const tool_option *option);

/* The row of this long name among rows; NULL: there is none. And the bit of a program's own row; 0 of a standard one. */
const tool_option *tool_find(const tool_option *rows, const char *name, size_t length);
uint64_t tool_bit_of(const tool *program, const tool_option *row);

/* The group of a row; a row of zeros where there is none. What a row needs and the forms it goes with, or else what its group says.
 * It excludes what both say. */
const tool_option *tool_group_of(const tool *program, const tool_option *row);
const char *tool_needs(const tool *program, const tool_option *row);
unsigned tool_forms_of(const tool *program, const tool_option *row);

/* The length of the command that a form begins with; 0: it has none. The first form that has this word as its command; -1: none.
 * The forms that have the same command as one, or, as it, none. */
size_t tool_command_length(const char *form);
int tool_command(const tool *program, const char *word);
unsigned tool_forms_like(const tool *program, int form);

/* The forms as words: a command, where all its forms are meant, or else the forms in quotes. */
void tool_list_forms(tool_list *list, const tool *program, unsigned forms);

/* The bounds of a real as words, "above 0 and below 1". Are they other than `min` and `max`, so that its help says them? */
enum { TOOL_BOUNDS = 80 };
void tool_bounds(const tool_option *row, char words[TOOL_BOUNDS]);
bool tool_has_own_bounds(const tool_option *row);

/* The next of the terms, which are separated by blanks; *terms moves past it. Its length; 0: there are no more. */
size_t tool_next_term(const char **terms, const char **term);

/* A term as words, "--a=b without --c", "several --a". In the help of a row --a is -a, where it has a letter, and the row itself is
 * not named; NULL: in no help. */
void tool_list_term(tool_list *list, const tool *program, const tool_option *row, const char *term, size_t length);

#endif
