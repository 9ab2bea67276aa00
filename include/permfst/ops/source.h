/* Where records come from: a reader as a stream of expressions, also of a model in ARPA text, or of sentences.
 *
 * What the stream of io/stream.h cannot know: that an input which does not begin a stream may be a language model, or a text; and
 * which symbol tables belong to automata that carry none. A record costs O(its bytes), to read and to resume; what is asked of
 * the last one is O(1). */
#ifndef PF_OPS_SOURCE_H
#define PF_OPS_SOURCE_H

#include <permfst/base/reader.h>
#include <permfst/io/stream.h>
#include <permfst/model/ngram.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t first;            /* the number of the first record */
    bool models;               /* an input that does not begin a stream is a model in ARPA text: the only record */
    bool sentences;            /* ... or, where models are none, sentences: each line is a record, as pf_compile_line makes it */
    bool resumes;              /* pf_source_resume will be called */
    pf_symtab *isyms, *osyms;  /* for automata that carry none; NULL: none. The source keeps references */
    pf_warn warn;              /* about ARPA text; NULL: no warnings */
    void *warn_to;
} pf_source_options;

/* One thread at a time; its expressions may be used by any thread. */
typedef struct pf_source pf_source;

/* The reader belongs to the source from now on, also when this fails. Nothing is read yet. *out belongs to the caller; NULL after
 * an error. PF_ENOMEM. */
pf_err pf_source_new(pf_reader *reader, const pf_source_options *options, pf_source **out);
void pf_source_free(pf_source *source); /* NULL is accepted */

/* The next record; *out = NULL at the end, else the caller's. PF_EINPUT with record and byte, or with the line of a text. */
pf_err pf_source_next(pf_source *source, pf_expr **out);

/* Goes on after the damage that PF_EINPUT has told of, if that can be (pf_stream_resume). The source's options say `resumes`. */
pf_err pf_source_resume(pf_source *source, pf_stream_loss *out);

/* The byte at which the record last read begins, and whether it had a checksum. */
uint64_t pf_source_byte(const pf_source *source);
bool pf_source_summed(const pf_source *source);

/* The number of the record last read; the one before the first, if none was. */
uint64_t pf_source_record(const pf_source *source);

/* The reader's name; how many bytes were read, as pf_reader_stored. */
const char *pf_source_name(const pf_source *source);
uint64_t pf_source_stored(const pf_source *source);

/* Reads an operand that serves many records: a model, as a blob; or else an automaton, the first record, after which others may
 * follow. One of *model and *first is NULL; the other one belongs to the caller. PF_EINPUT: the input is empty, or has another
 * record after a model. Nothing has been read from the source before, and its options say `models`. */
pf_err pf_source_operand(pf_source *source, pf_blob **model, pf_expr **first);

/* Reads a model, which is all that the reader has: as ARPA text, or as permcompile writes one. The reader belongs to the call. The
 * object of a compiled model is made when it is used first (pf_open_model). `warn` gets warnings about ARPA text; NULL: none. *out
 * has one reference, the caller's; NULL after an error. PF_EINPUT: errors of pf_source_operand; the reader has an automaton.
 * PF_ENOMEM. O(bytes). */
pf_err pf_source_model(pf_reader *reader, pf_warn warn, void *warn_to, pf_blob **out);

/* Puts the input and the record before a message that does not name the record; errors of the system have none. Returns err. */
pf_err pf_fail_in_record(pf_err err, const char *name, uint64_t record);

#ifdef __cplusplus
}
#endif
#endif
