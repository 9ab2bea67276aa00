/* Private to io: frames, which tell that a record came whole and unchanged.
 *
 * A frame is a header of 40 bytes, numbers little-endian:
 *
 *   mark       8  8f "permfst"                    from which reading resumes after damage
 *   version    4  PF_FORMAT_VERSION
 *   kind       4  record, seal or end
 *   number     8  of the record in its stream, from 1; of an end, how many records there are
 *   length     8  of the content
 *   sum        4  CRC-32C of the content
 *   own sum    4  CRC-32C of the 36 bytes before it
 *
 * The content of a record follows its header, so that nothing in it is looked at before its sum is known to be right. The content
 * of a seal is the automaton before it: OpenFst's programs must find their own header first. An end has no content. */
#ifndef PF_IO_FRAME_H
#define PF_IO_FRAME_H

#include <permfst/base/reader.h>
#include <permfst/base/writer.h>

typedef enum { PFI_RECORD = 1, PFI_SEAL, PFI_END } pfi_frame_kind;

typedef struct {
    pfi_frame_kind kind;
    uint64_t number, length;
    uint32_t sum;
} pfi_frame;

enum { PFI_FRAME_BYTES = 40 };

/* Do n bytes begin a frame? */
bool pfi_frame_is(const unsigned char *at, size_t n);

/* Reads a header. PF_EINPUT: it is damaged, or of another version (the message names both). */
pf_err pfi_frame_read(pf_reader *reader, pfi_frame *out);

/* Reads the content of a record's frame, checks it, and gives a reader of it, whose messages name record and byte of the stream.
 * *bytes, which the reader borrows, are the caller's. *read: it came whole, right or wrong. */
pf_err pfi_frame_open(pf_reader *reader, const pfi_frame *frame, uint64_t record, bool *read, unsigned char **bytes,
                      pf_reader **content);

/* Goes to the next header that is whole and of this version; *found is false at the end of the input. */
pf_err pfi_frame_find(pf_reader *reader, pfi_frame *out, bool *found);

pf_err pfi_frame_write(pf_writer *writer, const pfi_frame *frame);

/* Ends the content of a frame with zero bytes, up to a multiple of PFI_ALIGNED: so what follows the frame in a file that begins
 * with it can be used where it lies. Reading passes over them, and over fewer, if nothing else follows. */
enum { PFI_ALIGNED = 8 };
pf_err pfi_frame_pad(pf_writer *content);
pf_err pfi_frame_skip_padding(pf_reader *content);

#endif
