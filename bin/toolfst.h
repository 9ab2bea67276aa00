/* Reading and writing records in programs: operands, -o, --first-record, symbol tables beside the automata. */
#ifndef TOOLFST_H
#define TOOLFST_H

#include "tool.h"

typedef struct {
    const char *output;      /* -o */
    uint64_t first_record;   /* --first-record */
    const char *isyms, *osyms;
    const char *far;         /* --far; NULL: records */
    bool models;             /* set by programs that take a model as a record, ARPA text too */
} toolfst_options;

extern toolfst_options toolfst;
extern const char *const toolfst_far_forms[], *const toolfst_arc_types[]; /* choices, ended by NULL */

/* Rows for a program's table. */
#define TOOLFST_FIRST_RECORD \
    {.name = "first-record", .kind = TOOL_NUMBER, .to = &toolfst.first_record, .metavar = "N", .min = 1, .max = UINT64_MAX / 2, \
     .help = "number of the first record [1]"}
#define TOOLFST_OUTPUT \
    {.letter = 'o', .name = "output", .kind = TOOL_FILE, .to = &toolfst.output, .metavar = "FILE", \
     .help = "write to FILE, which appears whole or not at all"}
#define TOOLFST_FAR \
    {.name = "far", .kind = TOOL_CHOICE, .to = &toolfst.far, .metavar = "FORM", .words = toolfst_far_forms, \
     .optional = "stlist", .help = "write a FAR archive: stlist (the default) or sttable"}
#define TOOLFST_OSYMBOLS \
    {.name = "osymbols", .kind = TOOL_FILE, .to = &toolfst.osyms, .metavar = "FILE", \
     .help = "symbol table for output labels of automata that carry none"}
#define TOOLFST_RECORDS \
    TOOLFST_FIRST_RECORD, \
    {.name = "isymbols", .kind = TOOL_FILE, .to = &toolfst.isyms, .metavar = "FILE", \
     .help = "symbol table for input labels of automata that carry none"}, \
    TOOLFST_OSYMBOLS

/* Opens a writer; "-" is standard output. A program that is ended by a signal leaves no part of its file behind. */
pf_err toolfst_create(const char *path, pf_writer **out);

/* PF_EARG where two of the n outputs are one file or both standard output ("-"). NULL: no output. */
pf_err toolfst_check_outputs(const char *const *paths, size_t n);

/* Opens the writer of -o, or standard output; closes it whole. */
pf_err toolfst_open_output(pf_writer **out);
pf_err toolfst_close_output(pf_writer *writer);

/* Closes all outputs of a program, none of which Ctrl-C leaves without the others; NULL ones are passed over. */
pf_err toolfst_close_outputs(pf_writer *const *writers, size_t n);

/* What to do with a record, of which the input ends at `position`. It may take the expression over by setting *expr to NULL. */
typedef pf_err (*toolfst_each)(void *self, pf_expr **expr, uint64_t record, uint64_t position);

/* All records of the operands (none: standard input), in order. Errors of reading name the record. */
pf_err toolfst_read(int n, char **operands, toolfst_each each, void *self);

/* The operand that is being read; it lives as long as the program. */
const char *toolfst_reading(void);

/* For progress: toolfst_inputs says how large the operands are together, toolfst_position how much of them was read,
 * toolfst_input_done that one is, whose reader is given. */
void toolfst_inputs(int n, char **operands);
uint64_t toolfst_position(const pf_reader *reader);
void toolfst_input_done(const pf_reader *reader);

/* Puts the file and the record before a message that does not have the record; returns err. */
pf_err toolfst_name_record(pf_err err, const char *file, uint64_t record);

/* A reader of one operand; "-" is standard input, which only one operand can be. Before it waits for input it calls what
 * toolfst_before_wait has set last. */
void toolfst_before_wait(void (*tell)(void *self), void *self);
pf_err toolfst_open(const char *path, pf_reader **out);

/* Opens one operand as a stream; a second one from standard input is refused. */
typedef struct {
    pf_reader *reader;
    pf_stream_reader *stream;
    pf_expr *model; /* from ARPA text: the only record */
    uint64_t taken; /* 1 once it was read */
} toolfst_source;
pf_err toolfst_source_open(const char *path, toolfst_source *out);
void toolfst_source_free(toolfst_source *source);

/* The next record with its symbol tables from beside, as pf_stream_next. */
pf_err toolfst_next(toolfst_source *source, pf_expr **out);

/* A symbol table file. */
pf_err toolfst_symbols(const char *path, pf_symtab **out);

/* A model from a file: ARPA text or a compiled one, as a blob. Or an automaton: its first record, and in *more the source from
 * which the others can be read (all zero for a model). */
pf_err toolfst_operand(const char *path, pf_blob **blob, pf_expr **first, toolfst_source *more);

/* Where a program's records go. */
typedef struct {
    pf_writer *writer;
    pf_stream_writer *stream;
} toolfst_sink;
pf_err toolfst_sink_open(toolfst_sink *out); /* -o and --far say where and as what */
pf_err toolfst_put_nothing(toolfst_sink *sink, uint64_t record); /* the automaton without states: for one that failed */
pf_err toolfst_put_no_answer(toolfst_sink *sink, uint64_t record); /* an answer without paths: the same */
pf_err toolfst_sink_close(toolfst_sink *sink); /* ends and closes what was written whole */
void toolfst_sink_free(toolfst_sink *sink);

#endif
