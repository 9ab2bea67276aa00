/* Writing bytes: to standard output, to a file that appears whole or not at all, or to memory.
 *
 * A write error stays with the writer, and every later call returns it, also in another thread, so a caller may check once, at the
 * close. It is PF_EIO, with the path; PF_ENOMEM where a memory writer has no room.
 * A named regular file is written under a temporary name in its folder, and pf_writer_close renames it. pf_writer_free
 * without a close removes the temporary file. Writing and summing are O(bytes); all else is O(1), but for what the system does. */
#ifndef PF_BASE_WRITER_H
#define PF_BASE_WRITER_H

#include <permfst/base/err.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_writer pf_writer;

/* Opens a file, or standard output for "-". *out belongs to the caller. PF_EIO, PF_ENOMEM. */
pf_err pf_writer_open(const char *path, pf_writer **out);

/* Writes to a descriptor, which stays the caller's; `name` is for messages. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_writer_descriptor(int fd, const char *name, pf_writer **out);

/* Collects what is written; see pf_writer_bytes. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_writer_memory(pf_writer **out);

/* The *length bytes that a memory writer holds; borrowed until the next call. */
const unsigned char *pf_writer_bytes(const pf_writer *writer, size_t *length);

/* Empties a memory writer. */
void pf_writer_clear(pf_writer *writer);

/* Writes bytes, little-endian numbers, an int32 length with its bytes (PF_ELIMIT past 2^31 - 1), or text as printf makes it. */
pf_err pf_writer_put(pf_writer *writer, const void *bytes, size_t length);
pf_err pf_writer_u32(pf_writer *writer, uint32_t value);
pf_err pf_writer_u64(pf_writer *writer, uint64_t value);
pf_err pf_writer_f32(pf_writer *writer, float value);
pf_err pf_writer_f64(pf_writer *writer, double value);
pf_err pf_writer_string(pf_writer *writer, const char *bytes, size_t length);
pf_err pf_writer_text(pf_writer *writer, const char *format, ...) PF_PRINTF(2, 3);

/* Begins and ends a sum: the CRC-32C of the *n bytes that are put between the two. */
void pf_writer_sum_begin(pf_writer *writer);
uint32_t pf_writer_sum(pf_writer *writer, uint64_t *n);

/* The temporary file that the close renames, for programs that a signal ends; NULL: there is none. Borrowed. */
const char *pf_writer_temporary(const pf_writer *writer);

/* From now on the close of a named file does not wait until the file is on the disk: faster, and after a crash of the system it
 * may be empty or short. */
void pf_writer_no_sync(pf_writer *writer);

/* Hands what is buffered to the system. */
pf_err pf_writer_flush(pf_writer *writer);

/* Has it an error, that every later call returns? */
bool pf_writer_failed(const pf_writer *writer);

/* The end of a record, on a pipe: flushes, unless the writer gathers records. */
pf_err pf_writer_end_record(pf_writer *writer);

/* From now on records that are small stay in the buffer when they end, so that many of them take one call of the system. When the
 * first one stays there, left(self) is called: it flushes the writer, or has it flushed soon, while nobody writes. NULL: records
 * stay no longer; those that are there wait for the next flush. */
void pf_writer_gather(pf_writer *writer, void (*left)(void *self), void *self);

/* Flushes, checks, renames. The writer must still be freed. */
pf_err pf_writer_close(pf_writer *writer);

void pf_writer_free(pf_writer *writer); /* NULL is accepted */

#ifdef __cplusplus
}
#endif
#endif
