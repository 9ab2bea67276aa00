/* Reading bytes and lines, once, front to back: a file, standard input or memory, gzip or plain.
 *
 * Every input may be a pipe, so a reader never goes back in it. It recognises gzip by the first bytes, counts the
 * bytes that it has handed out, and names file and line, or file, record and byte, in its errors. Functions that read fail
 * with PF_EIO where the system refuses, PF_EINPUT where gzip data are damaged, and PF_ENOMEM; what they add is said below.
 * Reading, skipping and summing are O(bytes) that are passed, unpacked ones for gzip; all else is O(1). */
#ifndef PF_BASE_READER_H
#define PF_BASE_READER_H

#include <permfst/base/bytes.h>
#include <permfst/base/err.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_reader pf_reader;

#define PF_LINE_LIMIT ((size_t)1 << 26) /* bytes of the longest line that is read */

/* Opens a file, or standard input for "-". *out belongs to the caller. PF_EIO, PF_ENOMEM. */
pf_err pf_reader_open(const char *path, pf_reader **out);

/* Opens a regular file; a pipe, which might never be written to, or a device is PF_EINPUT. *out belongs to
 * the caller. PF_EIO, PF_ENOMEM. */
pf_err pf_reader_open_regular(const char *path, pf_reader **out);

/* Reads a descriptor, which stays the caller's; `name` is for messages. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_reader_descriptor(int fd, const char *name, pf_reader **out);

/* Reads `length` borrowed bytes, which must outlive the reader; `name` is for messages. *out belongs to the
 * caller. PF_ENOMEM. */
pf_err pf_reader_memory(const void *bytes, size_t length, const char *name, pf_reader **out);

/* The same without a copy of them, and without unpacking: for many small ones. */
pf_err pf_reader_window(const void *bytes, size_t n, const char *name, pf_reader **out);

/* The same of shared bytes, which must outlive the reader. */
pf_err pf_reader_bytes(pf_bytes *bytes, const char *name, pf_reader **out);

void pf_reader_free(pf_reader *reader); /* closes the file that it opened; NULL is accepted */

/* The name for messages: the path, or "standard input". Borrowed. */
const char *pf_reader_name(const pf_reader *reader);

/* Bytes of (unpacked) content handed out so far. */
uint64_t pf_reader_offset(const pf_reader *reader);

/* Bytes of the input as it is stored, packed or not, that the content handed out so far has taken; to be compared with the
 * size of the file. Of gzip data, bytes that are unpacked but not yet handed out count too. */
uint64_t pf_reader_stored(const pf_reader *reader);

/* Is the next line, or the end of the input, there already, so that pf_reader_line will not wait? */
bool pf_reader_line_waits(const pf_reader *reader);

/* From now on `tell` is called before each read from the system, which may have to wait for input; NULL: nothing is
 * called. */
void pf_reader_before_wait(pf_reader *reader, void (*tell)(void *self), void *self);

/* The number of the line last read, 1-based. */
uint64_t pf_reader_line_number(const pf_reader *reader);

/* Sets the record that messages of pf_reader_fail name; 0: they name none. */
void pf_reader_set_record(pf_reader *reader, uint64_t record);

/* Sets the offset that messages name and that counts on: where the bytes of this reader stand in another one. */
void pf_reader_set_offset(pf_reader *reader, uint64_t offset);

/* Keeps what is handed out from here on, for pf_reader_back; or, with false, keeps nothing. Memory grows with what is kept. */
void pf_reader_keep(pf_reader *reader, bool keep);

/* Goes back to an offset from which on everything is kept. Ends a sum. */
void pf_reader_back(pf_reader *reader, uint64_t offset);

/* Begins and ends a sum: the CRC-32C of the content handed out between the two. */
void pf_reader_sum_begin(pf_reader *reader);
uint32_t pf_reader_sum(pf_reader *reader);

/* Passes over n bytes. PF_EINPUT where the content ends before. */
pf_err pf_reader_skip(pf_reader *reader, uint64_t n);

/* A look at the next `want` bytes, fewer only where the content ends: *at is borrowed until the next call. */
pf_err pf_reader_peek(pf_reader *reader, size_t want, const unsigned char **at, size_t *have);

/* Reads exactly `length` bytes. PF_EINPUT where the content ends before: `what` was expected. */
pf_err pf_reader_get(pf_reader *reader, void *to, size_t length, const char *what);

/* Reads n bytes into new memory, which is the caller's, also after an error, and which grows with what comes. PF_EINPUT as of
 * pf_reader_get. */
pf_err pf_reader_claimed(pf_reader *reader, uint64_t n, const char *what, unsigned char **out);

/* Reads n > 0 bytes, which the caller shares with others: they are mapped where the reader reads a regular file that is not packed
 * and has them, else read as by pf_reader_claimed. *out has one reference, the caller's. Nothing may be kept or summed. */
pf_err pf_reader_share(pf_reader *reader, uint64_t n, const char *what, pf_bytes **out);

/* Passes over n bytes, and tells where they lie: in the shared bytes that the reader reads, *in. NULL, and nothing is passed over:
 * there are not so many, or their address is not a multiple of `aligned`, or the reader reads something else. */
const void *pf_reader_in_place(pf_reader *reader, size_t n, size_t aligned, pf_bytes **in);

/* Reads up to `length` bytes; *got < length only at the end. */
pf_err pf_reader_some(pf_reader *reader, void *to, size_t length, size_t *got);

/* Little-endian numbers, as pf_reader_get. */
pf_err pf_reader_u32(pf_reader *reader, uint32_t *to, const char *what);
pf_err pf_reader_u64(pf_reader *reader, uint64_t *to, const char *what);
pf_err pf_reader_f32(pf_reader *reader, float *to, const char *what);
pf_err pf_reader_f64(pf_reader *reader, double *to, const char *what);

/* An int32 length and that many bytes; PF_EINPUT past `limit`. *to is a new NUL-ended string of the caller's, *length
 * (may be NULL, then a NUL byte inside is refused) its bytes. */
pf_err pf_reader_string(pf_reader *reader, char **to, size_t *length, size_t limit, const char *what);

/* Skips a UTF-8 byte order mark (EF BB BF) at the beginning of the input. Waits only for the bytes that decide. */
pf_err pf_reader_skip_mark(pf_reader *reader);

/* The next line without its LF, or CR LF; NUL-ended, borrowed until the next call, may be changed in place. The first one is
 * without a byte order mark, which counts in offsets; an input that has nothing else has no line. *line = NULL at the end. A last
 * line without LF is a line. PF_EINPUT: a line is longer than PF_LINE_LIMIT. */
pf_err pf_reader_line(pf_reader *reader, char **line, size_t *length);

/* The next field of a NUL-ended line, which spaces and tabs separate, ended by a NUL in place; *at goes to what follows. NULL:
 * there is none. O(bytes). */
char *pf_line_field(char **at);

/* PF_EINPUT with "name: record R, byte B: " or, for lines, "name:L: " before the words. */
pf_err pf_reader_fail(const pf_reader *reader, const char *format, ...) PF_PRINTF(2, 3);
pf_err pf_reader_fail_line(const pf_reader *reader, const char *format, ...) PF_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif
#endif
