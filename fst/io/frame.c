/* Frames: what is written around records, and checked before they are read. */
#include "io/frame.h"

#include "io/io_impl.h"

#include <permfst/base/crc.h>
#include <permfst/io/header.h>

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MARK_BYTES = 8, LOOK = 1 << 16 };

static const unsigned char mark[MARK_BYTES] = {0x8f, 'p', 'e', 'r', 'm', 'f', 's', 't'};

static uint32_t load32(const unsigned char *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}
static uint64_t load64(const unsigned char *bytes) { return load32(bytes) | (uint64_t)load32(bytes + 4) << 32; }

static void store32(unsigned char *bytes, uint32_t value) {
    for (unsigned i = 0; i < 4; i++) bytes[i] = (unsigned char)(value >> 8 * i);
}
static void store64(unsigned char *bytes, uint64_t value) {
    store32(bytes, (uint32_t)value);
    store32(bytes + 4, (uint32_t)(value >> 32));
}

bool pfi_frame_is(const unsigned char *at, size_t n) { return n >= MARK_BYTES && memcmp(at, mark, MARK_BYTES) == 0; }

static bool is_whole(const unsigned char *bytes) {
    return pfi_frame_is(bytes, MARK_BYTES) && load32(bytes + 36) == pf_crc32c(0, bytes, 36);
}

/* Of a whole header: false if it is not one that this version writes. */
static bool decode(const unsigned char *bytes, pfi_frame *out) {
    uint32_t kind = load32(bytes + 12);
    *out = (pfi_frame){(pfi_frame_kind)kind, load64(bytes + 16), load64(bytes + 24), load32(bytes + 32)};
    return load32(bytes + 8) == PF_FORMAT_VERSION && kind >= PFI_RECORD && kind <= PFI_END;
}

pf_err pfi_frame_read(pf_reader *reader, pfi_frame *out) {
    unsigned char bytes[PFI_FRAME_BYTES];
    PF_TRY(pf_reader_get(reader, bytes, sizeof bytes, "the frame of a record"));
    if (!is_whole(bytes)) return pf_reader_fail(reader,
                                                "the frame of a record is damaged: it does not have the checksum that it states");
    if (decode(bytes, out)) return PF_OK;
    if (load32(bytes + 8) != PF_FORMAT_VERSION)
        return pf_reader_fail(reader, "a record of format version %u; this program reads version %d", load32(bytes + 8),
                              PF_FORMAT_VERSION);
    return pf_reader_fail(reader, "unknown kind %u of frame", load32(bytes + 12));
}

static pf_err check_content(const pf_reader *reader, const pfi_frame *frame, const unsigned char *bytes) {
    uint32_t sum = pf_crc32c(0, bytes, (size_t)frame->length);
    if (sum == frame->sum) return PF_OK;
    return pf_reader_fail(reader,
                          "the record is damaged: its %" PRIu64 " bytes have the checksum %08" PRIx32 ", expected %08" PRIx32,
                          frame->length, sum, frame->sum);
}

pf_err pfi_frame_open(pf_reader *reader, const pfi_frame *frame, uint64_t record, bool *read, unsigned char **bytes,
                      pf_reader **content) {
    uint64_t begin = pf_reader_offset(reader);
    assert(frame->kind == PFI_RECORD);
    *content = NULL;
    *read = false;
    PF_TRY(pf_reader_claimed(reader, frame->length, "the bytes of a record", bytes));
    *read = true;
    PF_TRY(check_content(reader, frame, *bytes));
    PF_TRY(pf_reader_window(*bytes, (size_t)frame->length, pf_reader_name(reader), content));
    pf_reader_set_record(*content, record);
    pf_reader_set_offset(*content, begin);
    return PF_OK;
}

pf_err pfi_frame_find(pf_reader *reader, pfi_frame *out, bool *found) {
    const unsigned char *at;
    size_t n;
    *found = false;
    for (;;) {
        PF_TRY(pf_reader_peek(reader, LOOK, &at, &n));
        if (n < PFI_FRAME_BYTES) return pf_reader_skip(reader, n);
        const unsigned char *last = at + n - PFI_FRAME_BYTES, *next = at;
        for (; next <= last && (next = memchr(next, mark[0], (size_t)(last - next) + 1)); next++)
            if (is_whole(next) && decode(next, out)) {
                *found = true;
                return pf_reader_skip(reader, (uint64_t)(next - at));
            }
        PF_TRY(pf_reader_skip(reader, n - PFI_FRAME_BYTES + 1));
    }
}

pf_err pfi_frame_write(pf_writer *writer, const pfi_frame *frame) {
    unsigned char bytes[PFI_FRAME_BYTES];
    assert(frame->kind == PFI_RECORD || frame->kind == PFI_SEAL || (frame->kind == PFI_END && !frame->length));
    memcpy(bytes, mark, MARK_BYTES);
    store32(bytes + 8, PF_FORMAT_VERSION);
    store32(bytes + 12, frame->kind);
    store64(bytes + 16, frame->number);
    store64(bytes + 24, frame->length);
    store32(bytes + 32, frame->sum);
    store32(bytes + 36, pf_crc32c(0, bytes, 36));
    return pf_writer_put(writer, bytes, sizeof bytes);
}

static const unsigned char padding[PFI_ALIGNED];

pf_err pfi_frame_pad(pf_writer *content) {
    size_t n;
    pf_writer_bytes(content, &n);
    return pf_writer_put(content, padding, (PFI_ALIGNED - n % PFI_ALIGNED) % PFI_ALIGNED);
}

pf_err pfi_frame_skip_padding(pf_reader *content) {
    const unsigned char *at;
    size_t have;
    PF_TRY(pf_reader_peek(content, PFI_ALIGNED, &at, &have));
    return have < PFI_ALIGNED && memcmp(at, padding, have) == 0 ? pf_reader_skip(content, have) : PF_OK;
}
