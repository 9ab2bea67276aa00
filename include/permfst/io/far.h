/* FAR archives (sttable, stlist) read front to back, stlist written: OpenFst's format for many automata in one file.
 *
 * An sttable needs its position table only for access by key; its entries are read in order. stlist is written entry by
 * entry; sttable needs the positions at its end, which the writer counts, so both can go to a pipe. An entry is O(its bytes);
 * the position table is O(entries). */
#ifndef PF_IO_FAR_H
#define PF_IO_FAR_H

#include <permfst/io/bin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PF_STLIST, PF_STTABLE } pf_far_type;

/* Do these first bytes begin a FAR? */
bool pf_far_is(const unsigned char *bytes, size_t length);

typedef struct pf_far_reader pf_far_reader;

/* Reads an archive from a reader that stands at its magic number and must outlive it. *out belongs to the caller. PF_EINPUT,
 * PF_ENOMEM. */
pf_err pf_far_reader_new(pf_reader *reader, pf_far_reader **out);
void pf_far_reader_free(pf_far_reader *far);

/* The next entry: its key (borrowed until the next call) and machine (the caller's); *fst = NULL at the end marker.
 * PF_EINPUT: an entry is damaged, or the input ends without a marker, so that the archive is truncated. PF_ENOMEM. */
pf_err pf_far_next(pf_far_reader *far, const char **key, pf_fst **fst);

/* The header of that machine; borrowed until the next call. */
const pf_header *pf_far_header(const pf_far_reader *far);

typedef struct pf_far_writer pf_far_writer;

/* Writes an archive to a writer, which must outlive it. *out belongs to the caller. PF_ENOMEM; errors of the writer. */
pf_err pf_far_writer_new(pf_writer *writer, pf_far_type type, pf_far_writer **out);

/* Writes an entry. Keys must not be empty and must not fall (bytewise), and all entries have one arc type: PF_EINPUT, as is a
 * machine that cannot be written; of an stlist the entry's key is then written already. */
pf_err pf_far_put(pf_far_writer *far, const char *key, pf_fst *fst);

/* Writes the end marker, or the position table. Errors of the writer. */
pf_err pf_far_end(pf_far_writer *far);
void pf_far_writer_free(pf_far_writer *far);

#ifdef __cplusplus
}
#endif
#endif
