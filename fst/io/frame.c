/* Frames: what is written around records, and checked before they are read. */
#include "io/frame.h"

#include "io/io_impl.h"

#include <permfst/base/crc.h>
#include <permfst/io/header.h>

#include <inttypes.h>
#include <string.h>

enum { MARK_BYTES = 8, LOOK = 1 << 16 };

static const unsigned char mark[MARK_BYTES] = {0x8f, 'p', 'e', 'r', 'm', 'f', 's', 't'};

static uint32_t load32(const unsigned char *b) {
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static uint64_t load64(const unsigned char *b) { return load32(b) | (uint64_t)load32(b + 4) << 32; }

static void store32(unsigned char *b, uint32_t value) {
    for (unsigned i = 0; i < 4; i++) b[i] = (unsigned char)(value >> 8 * i);
}
static void store64(unsigned char *b, uint64_t value) {
    store32(b, (uint32_t)value);
    store32(b + 4, (uint32_t)(value >> 32));
}

bool pfi_frame_is(const unsigned char *at, size_t n) { return n >= MARK_BYTES && memcmp(at, mark, MARK_BYTES) == 0; }

static bool is_whole(const unsigned char *b) {
    return pfi_frame_is(b, MARK_BYTES) && load32(b + 36) == pf_crc32c(0, b, 36);
}

/* Of a whole header: false if it is not one that this version writes. */
static bool decode(const unsigned char *b, pfi_frame *out) {
    uint32_t kind = load32(b + 12);
    *out = (pfi_frame){(pfi_frame_kind)kind, load64(b + 16), load64(b + 24), load32(b + 32)};
    return load32(b + 8) == PF_FORMAT_VERSION && kind >= PFI_RECORD && kind <= PFI_END;
}

pf_err pfi_frame_read(pf_reader *r, pfi_frame *out) {
    unsigned char b[PFI_FRAME_BYTES];
    PF_TRY(pf_reader_get(r, b, sizeof b, "the frame of a record"));
    if (!is_whole(b)) return pf_reader_fail(r, "the frame of a record is damaged: it does not have the checksum that it states");
    if (decode(b, out)) return PF_OK;
    if (load32(b + 8) != PF_FORMAT_VERSION)
        return pf_reader_fail(r, "a record of format version %u; this program reads version %d", load32(b + 8), PF_FORMAT_VERSION);
    return pf_reader_fail(r, "unknown kind %u of frame", load32(b + 12));
}

static pf_err check_content(const pf_reader *r, const pfi_frame *frame, const unsigned char *bytes) {
    uint32_t sum = pf_crc32c(0, bytes, (size_t)frame->length);
    if (sum == frame->sum) return PF_OK;
    return pf_reader_fail(r, "the record is damaged: its %" PRIu64 " bytes have the checksum %08" PRIx32 ", expected %08" PRIx32,
                          frame->length, sum, frame->sum);
}

pf_err pfi_frame_open(pf_reader *r, const pfi_frame *frame, uint64_t record, bool *read, unsigned char **bytes,
                      pf_reader **content) {
    uint64_t begin = pf_reader_offset(r);
    *content = NULL;
    *read = false;
    PF_TRY(pfi_claimed_bytes(r, frame->length, "the bytes of a record", bytes));
    *read = true;
    PF_TRY(check_content(r, frame, *bytes));
    PF_TRY(pf_reader_window(*bytes, (size_t)frame->length, pf_reader_name(r), content));
    pf_reader_set_record(*content, record);
    pf_reader_set_offset(*content, begin);
    return PF_OK;
}

pf_err pfi_frame_find(pf_reader *r, pfi_frame *out, bool *found) {
    const unsigned char *at;
    size_t n;
    *found = false;
    for (;;) {
        PF_TRY(pf_reader_peek(r, LOOK, &at, &n));
        if (n < PFI_FRAME_BYTES) return pf_reader_skip(r, n);
        const unsigned char *last = at + n - PFI_FRAME_BYTES, *next = at;
        for (; next <= last && (next = memchr(next, mark[0], (size_t)(last - next) + 1)); next++)
            if (is_whole(next) && decode(next, out)) {
                *found = true;
                return pf_reader_skip(r, (uint64_t)(next - at));
            }
        PF_TRY(pf_reader_skip(r, n - PFI_FRAME_BYTES + 1));
    }
}

pf_err pfi_frame_write(pf_writer *writer, const pfi_frame *frame) {
    unsigned char b[PFI_FRAME_BYTES];
    memcpy(b, mark, MARK_BYTES);
    store32(b + 8, PF_FORMAT_VERSION);
    store32(b + 12, frame->kind);
    store64(b + 16, frame->number);
    store64(b + 24, frame->length);
    store32(b + 32, frame->sum);
    store32(b + 36, pf_crc32c(0, b, 36));
    return pf_writer_put(writer, b, sizeof b);
}
