/* What every program shares: one table of options, from which parsing, --help, the OPTIONS of the man page and the
 * completion of the shell all come; messages; exit status. */
#ifndef TOOL_H
#define TOOL_H

#include <permfst/permfst.h>
#include "toolprogress.h"
#include "toolwatch.h"

enum { TOOL_DONE = 0, TOOL_NO = 1, TOOL_TROUBLE = 2 }; /* exit status */

typedef enum {
    TOOL_END,    /* the row that ends a table */
    TOOL_FLAG,   /* bool: present or not */
    TOOL_NUMBER, /* uint64_t within [min, max] */
    TOOL_REAL,   /* double, finite, of at least min */
    TOOL_TEXT,   /* const char * */
    TOOL_FILE,   /* const char *, completed as a file name */
    TOOL_CHOICE, /* const char *, one of `words` */
    TOOL_REALS,  /* tool_reals: finite numbers with commas between, at most max of them (0: as many as fit); may be given
                    several times */
    TOOL_SPECS,  /* tool_specs: may be given several times; the word "list" prints `list` */
    TOOL_FILES   /* tool_specs: the same of file names */
} tool_kind;

typedef struct {
    const char *at[64];
    size_t n;
} tool_specs;

typedef struct {
    double at[64];
    size_t n;
} tool_reals;

typedef struct {
    char letter; /* 0: no short form */
    const char *name;
    tool_kind kind;
    void *to;
    const char *metavar, *help;
    uint64_t min, max;
    const char *const *words; /* NULL-ended: the choices. With `optional` the option may stand without its value */
    const char *optional;     /* the value of a choice given without one; NULL: it must have one */
    void (*list)(void);       /* prints what a specification can be, for "list" and completion */
} tool_option;

typedef struct {
    const char *name, *operands, *summary;
    const tool_option *options; /* ended by a TOOL_END row */
    size_t min_operands, max_operands;
    bool passes_on;     /* it mostly passes records on, and leaves the terminal to the program of a pipeline that works */
} tool;

/* Parses, runs, checks standard output, and returns the exit status. `run` gets the operands. */
int tool_main(const tool *t, int argc, char **argv, int (*run)(int n, char **operands));

/* "name: words" on stderr. tool_trouble says the library's message and returns TOOL_TROUBLE. */
void tool_say(const char *format, ...) PF_PRINTF(1, 2);
int tool_trouble(void);

/* What a program leaves out of its input it says in one line, if there is anything to say: never without a word. */
typedef struct {
    uint64_t n;
    const char *what;
} tool_left_out;
void tool_say_left_out(const tool_left_out *all, size_t n);

/* Has what this thread says collected in a memory writer, lines with their LF, until NULL; tool_said says it. */
void tool_say_into(pf_writer *writer);
void tool_said(const pf_writer *writer);

/* The next word of a line, *n bytes at *at, behind any spaces and tabs; false at the end. Set *n to 0 before the first. */
bool tool_word(const char **at, size_t *n);

/* That a line is text: PF_EINPUT for a NUL byte, without its place, and with it. */
pf_err tool_check_text(const char *line, size_t length);
pf_err tool_text(const pf_reader *reader, const char *line, size_t length);

/* A pf_warn that says "name: warning: words". */
void tool_warn(void *to, const char *words);

#endif
