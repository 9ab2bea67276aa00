/* What every program shares: what a program is, one run of it, and its table of options.
 *
 * A program is a value: its name, its table, and a function that does its work for one call. A call has its options, its
 * operands and its three streams; two calls share nothing, so any program can run twice, or two at once, in one process.
 * From the one table come parsing, the refusal of options that do not go together, --help, the OPTIONS of the man page and
 * the completion of the shell. */
#ifndef TOOL_H
#define TOOL_H

#include <permfst/permfst.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

enum { TOOL_DONE = 0, TOOL_NO = 1, TOOL_TROUBLE = 2 }; /* exit status */

typedef enum {
    TOOL_END,    /* the row that ends a table */
    TOOL_GROUP,  /* `help` heads the rows that follow in --help; its `needs` and `forms` are those of rows without their own,
                    and all of them exclude what it excludes */
    TOOL_FLAG,   /* bool: present or not */
    TOOL_SELECT, /* int: set to `min`, as if one of several flags were a choice; rows with the same `at` exclude one another */
    TOOL_NUMBER, /* uint64_t within [min, max] */
    TOOL_REAL,   /* double, finite, of at least min, or `least`, and at most max unless max is 0; `open`: neither of them itself */
    TOOL_TEXT,   /* const char * */
    TOOL_FILE,   /* const char *, completed as a file name */
    TOOL_CHOICE, /* int: the place among `words`, or among what `word` gives */
    TOOL_CHOICES, /* tool_choices: such choices separated by commas, each once */
    TOOL_REALS,  /* tool_reals: finite numbers separated by commas, at most max of them (0: as many as fit); may be given
                    several times */
    TOOL_RANGES, /* tool_ranges: whole numbers, and ranges FROM-TO and FROM-, separated by commas; may be given several times */
    TOOL_SPECS,  /* tool_specs: may be given several times, at most max (0: as many as fit); the word "list" prints `list` */
    TOOL_FILES   /* tool_specs: the same of file names */
} tool_kind;

enum { TOOL_MOST_SPECS = 64 };
typedef struct {
    const char *at[TOOL_MOST_SPECS];
    size_t n;
} tool_specs;

typedef struct {
    int at[32];
    size_t n;
} tool_choices;

typedef struct {
    double at[64];
    size_t n;
} tool_reals;

typedef struct {
    struct {
        uint64_t first, last;
    } at[64];
    size_t n; /* 0: all numbers */
} tool_ranges;
bool tool_in_ranges(const tool_ranges *ranges, uint64_t number);

typedef struct {
    char letter; /* 0: no short form */
    const char *name;
    tool_kind kind;
    size_t at;           /* where its value is in the program's options: offsetof */
    const char *metavar, *help;
    uint64_t min, max;
    double least; /* above 0 */
    bool open;
    const char *const *words;      /* NULL-ended: the choices */
    const char *(*word)(size_t i); /* or choice i, NULL after the last one */
    const char *optional;          /* the value of a choice given without one; NULL: it must have one */
    pf_err (*list)(pf_writer *to); /* prints what a specification can be, for "list" and completion */
    /* Terms, separated by blanks. At least one of `needs` must hold where this option is given, and none of `excludes` may. What
     * one row says about another need not be said twice. A term is parts, joined by +, which all hold:
     *     NAME        the option is given
     *     NAME=WORD   it has this choice, perhaps by default, or a text that is WORD up to its first colon; NAME=WORD|WORD: one of
     *                 these. A list that is empty has what the program chooses: it may be any word
     *     NAME>N      it is given more than N times; REF>N: there are more than N operands (in capitals)
     *     !NAME       the option is not given (not the first part)
     *     learn       this command is called */
    const char *needs, *excludes;
    unsigned forms; /* bits of the forms that it goes with (TOOL_IN); 0: those of its group, or all */
} tool_option;

#define TOOL_IN(FORM) (1u << (FORM))

/* The row of --format, an int: a pf_table_format. Options of a program follow. And its value, or the usual one. */
#define TOOL_FORMAT(AT, ...) \
    {.letter = 'f', .name = "format", .kind = TOOL_CHOICE, .at = AT, .metavar = "WORD", .words = pf_table_formats, __VA_ARGS__}

static inline pf_table_format tool_format(int given, pf_table_format usual) { return given < 0 ? usual : (pf_table_format)given; }

/* What several programs have: the options of each program begin with one of these. Rows for it are below. */
typedef struct {
    const char *output;          /* -o; NULL: standard output */
    uint64_t first_record, jobs; /* at least 1 */
    uint64_t max_states;         /* 0: no limit */
    bool keep_going, no_progress, no_sync;
    const char *isyms, *osyms;   /* files; NULL: none */
    int far;                     /* a place in tool_far_forms; NOT_GIVEN: records */
    bool number_keys;            /* of the archive */
    tool_ranges records;         /* those to work on */
} tool_common;

#define TOOL_NOT_GIVEN (-1) /* of a choice or a real that has no default */

typedef struct tool_call tool_call;

/* The ways to call a program are its forms: what the usage line shows is what a call must have. A form is words,
 * separated by blanks:
 *     learn            the first operand is this word (a command, in lower case)
 *     --table=FROM-TO  the option is given; --by=monotone: with this choice; --tags=FILE|--one-tag: at least one of them is
 *     FILE, FILE...    an operand, or more; in brackets there may be none
 *     LENGTH           the first operand has only digits; that of the program's other forms has others
 * A call is of the last form that it fits: the general ones come first. */
enum { TOOL_MOST_FORMS = 12 };

typedef struct {
    const char *name, *summary;
    const char *forms[TOOL_MOST_FORMS]; /* up to the first NULL */
    const tool_option *options;         /* ended by a TOOL_END row */
    size_t size;                        /* of its options; 0: a tool_common */
    const void *defaults;               /* of `size` bytes, copied before parsing; NULL: zeros */
    int (*run)(tool_call *call);        /* returns the exit status */
    const char *examples[2];            /* command lines for --help */
    bool passes_on; /* it mostly passes records on, and leaves the terminal to the program of a pipeline that works */
    bool models;    /* a model can be a record of its input, also as ARPA text */
} tool;

/* Descriptors; the call borrows them. */
typedef struct {
    int in, out, err;
} tool_streams;

/* Runs a program with its arguments (argv[0] is not among them) on streams of the caller's, without signals and progress.
 * Any thread, any number of times. Returns the exit status. */
int tool_run(const tool *program, int count, const char *const *arguments, tool_streams streams);

/* Runs a program as the whole process: also answers signals and shows progress (toolwatch.h). */
int tool_main(const tool *program, int argc, char **argv);

/* The end of a program's file. Tests that run programs as functions leave main out. */
#ifdef TOOL_NO_MAIN
#define TOOL_MAIN(program) extern const tool program
#else
#define TOOL_MAIN(program) \
    int main(int argc, char **argv) { return tool_main(&program, argc, argv); } \
    extern const tool program
#endif

/* ---- the parts of a call ---- */

const void *tool_options(const tool_call *call); /* the program's own struct */
const tool_common *tool_common_of(const tool_call *call);

/* What --records says, for loops of the library, so the call is a void *. Is this record wanted? And after the last record: PF_EARG
 * if a range begins after it. */
bool tool_is_wanted(void *call, uint64_t record);
pf_err tool_records_met(void *call, uint64_t last);

/* The same at the end of text. If there was not a single item (tool_item), a warning says so: most often a command before it has
 * failed. A stream of records needs none, as it says that it is empty. */
pf_err tool_text_ended(tool_call *call, uint64_t last);

int tool_operands(const tool_call *call, const char *const **operands); /* their number; a command is none of them */
const tool_streams *tool_streams_of(const tool_call *call);
const char *tool_input_file(const tool_call *call); /* the first operand; without operands "-", standard input */
int tool_form(const tool_call *call); /* a place among the program's forms */

/* Was the option of this long name given? The program's table must have it. */
bool tool_given(const tool_call *call, const char *name);

/* ---- messages ---- */

/* "name: words" on the call's third stream, in one write. tool_trouble says the library's message and returns TOOL_TROUBLE. */
void tool_say(tool_call *call, const char *format, ...) PF_PRINTF(2, 3);
int tool_trouble(tool_call *call);

/* The exit status of a call: TOOL_TROUBLE, whose words are said, after an error; TOOL_TROUBLE after tool_failed: something failed
 * and was passed over; TOOL_NO where the answer is no; else TOOL_DONE. */
int tool_status(tool_call *call, pf_err err, bool no);
void tool_failed(tool_call *call);

/* A pf_warn that says "name: warning: words", and the like that says the words; `call` is a tool_call. */
void tool_warn(void *call, const char *words);
void tool_say_words(void *call, const char *words);

/* What a program leaves out of its input it says in one line, if there is anything to say: never without a word. */
typedef struct {
    uint64_t n;
    const char *what;
} tool_left_out;
void tool_say_left_out(tool_call *call, const tool_left_out *all, size_t count);

/* May what goes to standard output have colours? It is a terminal, no -o sends it elsewhere, and NO_COLOR (no-color.org) is not
 * set. */
bool tool_colours(const tool_call *call);

/* "a, b or c": the items, and their text, which the list keeps. What does not fit is left out. */
typedef struct {
    char text[600];
    size_t used, last; /* where the last separator is; 0: there is none */
} tool_list;
void tool_list_add(tool_list *list, const char *format, ...) PF_PRINTF(2, 3);
const char *tool_list_text(tool_list *list); /* no more is added then */

/* Has what this thread says in this call collected in a memory writer, lines with their LF, until NULL; tool_said says it. */
void tool_say_into(tool_call *call, pf_writer *writer);
void tool_said(tool_call *call, const pf_writer *writer);

/* ---- rows that several programs have ---- */

extern const char *const tool_far_forms[], *const tool_arc_types[]; /* choices, ended by NULL */

#define TOOL_GROUP_OF(HEADING) {.kind = TOOL_GROUP, .help = HEADING}
#define TOOL_FIRST_RECORD \
    {.name = "first-record", .kind = TOOL_NUMBER, .at = offsetof(tool_common, first_record), .metavar = "N", .min = 1, \
     .max = UINT64_MAX / 2, .help = "count records from N [1]"}
/* PIECES is the word of its help for them. */
#define TOOL_SOME(PIECES) \
    {.name = "records", .kind = TOOL_RANGES, .at = offsetof(tool_common, records), .metavar = "LIST", \
     .help = "take only these " PIECES ": 17,20-30,40-"}
#define TOOL_ISYMBOLS \
    {.name = "isymbols", .kind = TOOL_FILE, .at = offsetof(tool_common, isyms), .metavar = "FILE", \
     .help = "the input symbols of automata that carry none"}
#define TOOL_OSYMBOLS \
    {.name = "osymbols", .kind = TOOL_FILE, .at = offsetof(tool_common, osyms), .metavar = "FILE", \
     .help = "the output symbols of automata that carry none"}
#define TOOL_OF_RECORDS TOOL_FIRST_RECORD, TOOL_SOME("records"), TOOL_ISYMBOLS, TOOL_OSYMBOLS
#define TOOL_MAX_STATES(NEEDS, HELP) \
    {.name = "max-states", .kind = TOOL_NUMBER, .at = offsetof(tool_common, max_states), .metavar = "N", .min = 1, \
     .max = UINT64_MAX, .needs = NEEDS, .help = HELP}
#define TOOL_OUTPUT \
    {.letter = 'o', .name = "output", .kind = TOOL_FILE, .at = offsetof(tool_common, output), .metavar = "FILE", \
     .help = "write to FILE, as a whole or not at all"}
#define TOOL_FAR(EXCLUDES) \
    {.name = "far", .kind = TOOL_CHOICE, .at = offsetof(tool_common, far), .metavar = "FORM", .words = tool_far_forms, \
     .optional = "stlist", .excludes = EXCLUDES, .help = "write a FAR archive: stlist (default) or sttable"}
#define TOOL_NUMBER_KEYS \
    {.name = "number-keys", .kind = TOOL_FLAG, .at = offsetof(tool_common, number_keys), .needs = "far", \
     .help = "give the entries of the archive numbers, not names"}
/* PIECES and PIECE are words of their help. */
#define TOOL_JOBS(PIECES) \
    {.letter = 'j', .name = "jobs", .kind = TOOL_NUMBER, .at = offsetof(tool_common, jobs), .metavar = "N", .min = 1, \
     .max = 1024, .help = "work on N " PIECES " at the same time [1]"}
#define TOOL_KEEP_GOING(PIECE) \
    {.letter = 'k', .name = "keep-going", .kind = TOOL_FLAG, .at = offsetof(tool_common, keep_going), \
     .help = "report a " PIECE " that fails, and go on"}

#endif
