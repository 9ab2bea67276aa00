/* One run of a program, for the files that make and watch it; programs see it through tool.h and the headers of its parts. */
#ifndef TOOLCALL_H
#define TOOLCALL_H

#include "tool.h"
#include "toolprogress.h"
#include "toolwatch.h"

/* What is read, and how far. */
typedef struct {
    bool stdin_taken;         /* standard input can be read for only one operand */
    uint64_t stored;          /* bytes of the operands that are done, as they are stored */
    void (*tell)(void *self); /* before a wait for input */
    void *told;
    pf_symtab *isyms, *osyms; /* of --isymbols and --osymbols, once they are read */
} tool_input_state;

enum { TOOL_MOST_OPTIONS = 64 };

struct tool_call {
    const tool *program;
    void *options;  /* of program->size bytes, beginning with a tool_common */
    uint64_t given; /* a bit for each row of the program's table */
    int command, n;
    char **operands; /* an array of its own, the command first if there is one */
    tool_streams streams;
    tool_progress progress;
    tool_watch *watch; /* NULL: nobody watches */
    tool_input_state input;
};

/* Parses the arguments. 0; or -1 after a message; or 1 where what was asked for is printed (--help, --version, list). */
int tool_parse(tool_call *call, int n, char *const *arguments);

/* --help, --version, and the table for the man page and the completion: letter, name, kind, metavar, choices, help, needs,
 * excludes, separated by tabs. */
pf_err tool_print_help(const tool *program, pf_writer *to);
pf_err tool_print_version(const tool *program, pf_writer *to);
pf_err tool_print_table(const tool *program, pf_writer *to);

/* The rows of every program, and choice i of a row (NULL after the last). */
extern const tool_option tool_standard[];

/* The commands that a row of the program goes with, as bits; 0: all. */
unsigned tool_commands_of(const tool *program, const tool_option *row);
const char *tool_choice(const tool_option *option, size_t i);

#endif
