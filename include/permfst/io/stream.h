/* Streams: many records on one pipe, read front to back and written one by one.
 *
 * A reader takes OpenFst binaries, lazy records and FAR archives, one after the other, as their first bytes tell; an XML
 * document, and an automaton whose state count is -1, run to the end of the input and so come last. Shared
 * operands ("define" records) are remembered and are no records of their own; one that comes again is skipped, so streams
 * can be concatenated. */
#ifndef PF_IO_STREAM_H
#define PF_IO_STREAM_H

#include <permfst/io/expr.h>
#include <permfst/io/far.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Do the first bytes of an input (PF_STREAM_LOOK of them, fewer only where it is shorter) begin a record, an archive or a
 * document? An empty input does: it is a stream of none. */
enum { PF_STREAM_LOOK = 24 };
bool pf_stream_begins(const unsigned char *bytes, size_t length);

typedef struct pf_stream_reader pf_stream_reader;

/* Reads from a reader, which must outlive it; the first record has the number `first` (1 is usual). */
pf_err pf_stream_reader_new(pf_reader *reader, uint64_t first, pf_stream_reader **out);
void pf_stream_reader_free(pf_stream_reader *stream);

/* Gives the ordinary automata of the records that follow, also those inside expressions, symbol tables if they carry none: the
 * stream keeps references. NULL: no table. */
void pf_stream_reader_symbols(pf_stream_reader *stream, pf_symtab *isyms, pf_symtab *osyms);

/* The next record; *out = NULL at the end, else the caller's. PF_EINPUT with record and byte. */
pf_err pf_stream_next(pf_stream_reader *stream, pf_expr **out);

/* The number of the record last read. */
uint64_t pf_stream_record(const pf_stream_reader *stream);

typedef struct pf_stream_writer pf_stream_writer;

typedef enum { PF_AS_RECORDS, PF_AS_FAR, PF_AS_STTABLE } pf_stream_form;

/* Writes to a writer, which must outlive it. FAR entries get their record numbers, padded to ten digits, as keys. */
pf_err pf_stream_writer_new(pf_writer *writer, pf_stream_form form, pf_stream_writer **out);
void pf_stream_writer_free(pf_stream_writer *stream);

/* Writes one record, defining its shared operands where they are used first, and flushes. A FAR takes ordinary automata
 * only (PF_EARG). */
pf_err pf_stream_put(pf_stream_writer *stream, const pf_expr *expr, uint64_t record);

/* Writes what stands for a record that failed: the automaton without states, or an answer without paths. As pf_stream_put. */
pf_err pf_stream_put_empty(pf_stream_writer *stream, uint64_t record);
pf_err pf_stream_put_no_answer(pf_stream_writer *stream, uint64_t record);

/* Ends the stream: a FAR's end marker or table. Does not close the writer. */
pf_err pf_stream_end(pf_stream_writer *stream);

#ifdef __cplusplus
}
#endif
#endif
