/* Streams: many records on one pipe, read front to back and written one by one.
 *
 * Each record has its number and a checksum, and a stream has an end record with their count: so a changed bit is noticed before
 * anything is used, and so is a stream whose writer did not finish it. Streams can be joined by cat. An ordinary automaton is an
 * OpenFst file with a seal after it, which OpenFst's programs do not look at; all other records are framed.
 *
 * A reader also takes what others write: OpenFst files, FAR archives and XML documents stand before, between and after streams, and
 * have no checksums. A document, and an automaton whose state count is -1, run to the end of the input and so come last. Shared
 * operands ("define" records) are remembered and are no records of their own; one that comes again is skipped. A record costs
 * O(its bytes), to read, to resume and to write; what is asked of the last one is O(1). */
#ifndef PF_IO_STREAM_H
#define PF_IO_STREAM_H

#include <permfst/io/expr.h>
#include <permfst/io/far.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Do the first bytes of an input (PF_STREAM_LOOK of them, fewer only where it is shorter) begin a record, an archive or a
 * document? An empty input does: it is a stream that was cut. */
enum { PF_STREAM_LOOK = 24 };

/* What else an input is by its first bytes, in words, with the program that makes a record of it: an ARPA model, a lattice or an
 * automaton as text. NULL: it has none of these formats. */
const char *pf_stream_text_kind(const unsigned char *at, size_t n);
#define PF_ARPA_BEGIN "\\data\\"
bool pf_stream_begins(const unsigned char *bytes, size_t length);

typedef struct pf_stream_reader pf_stream_reader;

/* Reads from a reader, which must outlive it; the first record has the number `first` (1 is usual). *out belongs to
 * the caller. PF_ENOMEM. */
pf_err pf_stream_reader_new(pf_reader *reader, uint64_t first, pf_stream_reader **out);
void pf_stream_reader_free(pf_stream_reader *stream);

/* Gives the ordinary automata of the records that follow, also those inside expressions, symbol tables if they carry none: the
 * stream keeps references. NULL: no table. */
void pf_stream_reader_symbols(pf_stream_reader *stream, pf_symtab *isyms, pf_symtab *osyms);

/* The next record; *out = NULL at the end, else the caller's. PF_EINPUT with record and byte: it is damaged, or the stream has no
 * end, or the input is empty. After an error nothing more can be read unless pf_stream_resume says so. */
pf_err pf_stream_next(pf_stream_reader *stream, pf_expr **out);

/* The number of the record last read, and the byte at which it begins; after an error, the byte of what failed. */
uint64_t pf_stream_record(const pf_stream_reader *stream);
uint64_t pf_stream_byte(const pf_stream_reader *stream);

/* Had the record last read a checksum? OpenFst files of others, and entries of archives and documents, have none. */
bool pf_stream_summed(const pf_stream_reader *stream);

/* From now on the stream can go on after damage. Memory grows by the bytes of one record. */
void pf_stream_reader_resumes(pf_stream_reader *stream);

/* What was lost by damage. */
typedef struct {
    bool resumed;      /* what follows can be read */
    uint64_t from, to; /* its bytes, the last one excluded */
    uint64_t records;  /* how many; their numbers are passed over. At most one for each 40 bytes, and one more */
    bool cut;          /* the end of a stream is lost too, and with it how many records it had */
} pf_stream_loss;

/* Goes to the next record that is whole, after pf_stream_next has returned PF_EINPUT. The record is known by its mark, by its
 * number, and by the seal after it. Inside an archive or a document nothing marks a record. PF_EIO, PF_ENOMEM; PF_EINPUT: damaged
 * gzip data. */
pf_err pf_stream_resume(pf_stream_reader *stream, pf_stream_loss *out);

typedef struct pf_stream_writer pf_stream_writer;

typedef enum { PF_AS_RECORDS, PF_AS_FAR, PF_AS_STTABLE } pf_stream_form;

/* Writes to a writer, which must outlive it. The key of an entry of a FAR is the name of its record; where it has none, its number,
 * padded to ten digits. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_stream_writer_new(pf_writer *writer, pf_stream_form form, pf_stream_writer **out);
void pf_stream_writer_free(pf_stream_writer *stream);

/* From now on the keys of a FAR are numbers only. */
void pf_stream_writer_number_keys(pf_stream_writer *stream);

/* Writes one record, defining its shared operands where they are used first, and flushes. A FAR takes ordinary automata
 * only (PF_EARG). PF_EIO, PF_ENOMEM. */
pf_err pf_stream_put(pf_stream_writer *stream, const pf_expr *expr, uint64_t record);

/* Writes what stands for a record that failed: the automaton without states, with the record's name (NULL: none). As
 * pf_stream_put. */
pf_err pf_stream_put_empty(pf_stream_writer *stream, uint64_t record, const char *name);

/* Ends the stream: the end record, or a FAR's end marker or table. Without it a reader fails. Does not close the writer. */
pf_err pf_stream_end(pf_stream_writer *stream);

#ifdef __cplusplus
}
#endif
#endif
