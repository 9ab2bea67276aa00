/* Reading and writing records in programs: operands, -o, --first-record, symbol tables from beside the automata. */
#ifndef TOOLFST_H
#define TOOLFST_H

#include "tool.h"

/* Opens a writer; "-" is standard output. A program that is ended by a signal leaves no part of its file. */
pf_err toolfst_create(tool_call *call, const char *path, pf_writer **out);

/* Opens all outputs, has them written by a function, closes them whole, none of which Ctrl-C leaves without the others. NULL: there
 * is no such output, and no writer. PF_EARG where two of them are one file or both standard output. */
enum { TOOLFST_OUTPUTS = 8 };
typedef pf_err toolfst_writing(void *self, pf_writer *const *writers);
pf_err toolfst_write_all(tool_call *call, const char *const *paths, size_t count, toolfst_writing *write, void *self);

/* Where -o says that results go; "-": standard output. */
const char *toolfst_output(const tool_call *call);

/* Opens the writer of -o, or standard output; closes it whole. */
pf_err toolfst_open_output(tool_call *call, pf_writer **out);
pf_err toolfst_close_output(tool_call *call, pf_writer *writer);

/* Writes -o, or standard output: opened, written by a function, closed whole. And the same of standard output, whatever -o says. */
pf_err toolfst_write(tool_call *call, pf_err (*write)(void *self, pf_writer *writer), void *self);
pf_err toolfst_print(tool_call *call, pf_err (*write)(void *self, pf_writer *writer), void *self);

/* Begins to read the operands: without any they are standard input. For progress it notes how large they are together;
 * toolfst_position is how much of them was read, toolfst_input_done says that one is, whose reader is given. */
void toolfst_inputs(tool_call *call, int *count, const char *const **operands);
uint64_t toolfst_position(const tool_call *call, const pf_reader *reader);
void toolfst_input_done(tool_call *call, const pf_reader *reader);

/* An operand's name for messages: the path, or "standard input". */
const char *toolfst_name(const char *path);

/* A reader of one operand; "-" is standard input, which only one operand can be. A path that is NULL has none: *out is NULL. Before
 * the reader waits for input it calls what toolfst_before_wait has set last. */
void toolfst_before_wait(tool_call *call, void (*tell)(void *self), void *self);
pf_err toolfst_open(tool_call *call, const char *path, pf_reader **out);

/* Opens a file, has it read by a function, and closes it. */
pf_err toolfst_read(tool_call *call, const char *path, pf_err (*read)(void *self, pf_reader *reader), void *self);

/* Opens one operand as records, with the tables of --isymbols and --osymbols for automata that carry none; a model in ARPA text is
 * a record for programs that take models. The first record has the number `first`. `resumes` as in pf_source_options. */
pf_err toolfst_source_from(tool_call *call, const char *path, uint64_t first, bool resumes, pf_source **out);

/* The same from the record of --first-record on. *out is the caller's; NULL after an error. */
pf_err toolfst_source_open(tool_call *call, const char *path, pf_source **out);

/* PF_EARG, with the name of a file and `why`, where one of them can be read only once, as standard input or a pipe. NULL and a file
 * that is missing are no such files. */
pf_err toolfst_check_files(const char *const *paths, size_t count, const char *why);

/* A symbol table file; NULL where the path is NULL. */
pf_err toolfst_symbols(tool_call *call, const char *path, pf_symtab **out);

/* A model from a file: ARPA text or a compiled one, as a blob. Or an automaton: its first record, and in *more the source from
 * which the others can be read (NULL for a model). */
pf_err toolfst_operand(tool_call *call, const char *path, pf_blob **blob, pf_expr **first, pf_source **more);

/* Where a program's records go. */
typedef struct {
    tool_call *call;
    pf_writer *writer;
    pf_stream_writer *stream;
} toolfst_sink;
pf_err toolfst_sink_open(tool_call *call, toolfst_sink *out); /* -o and --far say where and as what */
/* Ends and closes what was written whole. It gets no end where --keep-going has read an input that had none. */
pf_err toolfst_sink_close(toolfst_sink *sink);
void toolfst_sink_free(toolfst_sink *sink);

#endif
