/* A window of raw bytes from a descriptor, unpacked through zlib when they begin like gzip: by a thread that reads ahead, where the
 * file is large. */
#include <permfst/base/reader.h>

#include "base/ahead.h"
#include "base/descriptor.h"

#include <permfst/base/crc.h>
#include <permfst/base/hash.h>
#include <permfst/base/vec.h>

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = PFI_AHEAD_CHUNK, CLAIMED_CHUNK = 1 << 20 };

/* Smaller files are unpacked before a thread pays. */
enum { LEAST_AHEAD = 1 << 20 };

struct pf_reader {
    char *name;
    int fd;                             /* -1: memory, or everything has been read */
    bool own_fd, ended;
    unsigned char *buf;                 /* content: at[begin..end) is not handed out yet */
    bool borrowed;                      /* the window is the caller's, and is never filled */
    pf_bytes *shared;                   /* what it lies in; NULL: in something else */
    size_t begin, end, cap;
    const unsigned char *memory;        /* the rest of a memory reader's bytes */
    size_t memory_n;
    unsigned char *raw;                 /* packed bytes, when unpacking */
    z_stream *gzip;
    bool looked, inside;                /* for gzip; inside a member */
    pfi_ahead *ahead;                   /* has the descriptor and unpacks; NULL: nobody does */
    uint64_t stored;                    /* by the one ahead, up to the end of the window */
    uint64_t taken;                     /* bytes from the system, or of memory */
    void (*tell)(void *self);           /* before it may wait */
    void *self;
    uint64_t offset, line, record;
    bool keeping;                       /* what is handed out stays in the window from `kept` on */
    size_t kept;
    bool summing;                       /* what is handed out from `summed` on is not in the sum yet */
    size_t summed;
    uint32_t sum;
    char *text;                         /* the line handed out */
    size_t text_cap;
};

static pf_err reader_new(const char *name, pf_reader **out) {
    pf_reader *reader = calloc(1, sizeof *reader);
    if (!reader || !(reader->name = strdup(name))) {
        free(reader);
        return pf_nomem();
    }
    reader->fd = -1;
    *out = reader;
    return PF_OK;
}

pf_err pf_reader_open(const char *path, pf_reader **out) {
    bool standard = strcmp(path, "-") == 0;
    PF_TRY(reader_new(standard ? "standard input" : path, out));
    (*out)->own_fd = !standard;
    (*out)->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if ((*out)->fd >= 0) return PF_OK;
    pf_reader_free(*out);
    *out = NULL;
    return pf_fail(PF_EIO, "%s: %s", path, strerror(errno));
}

/* Opened so that a pipe without a writer does not hold us up. */
pf_err pf_reader_open_regular(const char *path, pf_reader **out) {
    struct stat it;
    PF_TRY(reader_new(path, out));
    pf_reader *reader = *out;
    reader->own_fd = true;
    reader->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool known = reader->fd >= 0 && fstat(reader->fd, &it) == 0;
    if (known && S_ISREG(it.st_mode)) return PF_OK;
    pf_err err = known ? pf_fail(PF_EINPUT, "%s: expected a regular file", path)
                       : pf_fail(PF_EIO, "%s: %s", path, strerror(errno));
    pf_reader_free(reader);
    *out = NULL;
    return err;
}

pf_err pf_reader_descriptor(int fd, const char *name, pf_reader **out) {
    PF_TRY(reader_new(name, out));
    (*out)->fd = fd;
    return PF_OK;
}

pf_err pf_reader_memory(const void *bytes, size_t length, const char *name, pf_reader **out) {
    assert(bytes || !length);
    PF_TRY(reader_new(name, out));
    (*out)->memory = bytes;
    (*out)->memory_n = length;
    return PF_OK;
}

pf_err pf_reader_window(const void *bytes, size_t n, const char *name, pf_reader **out) {
    assert(bytes || !n);
    PF_TRY(reader_new(name, out));
    pf_reader *reader = *out;
    memcpy(&reader->buf, &bytes, sizeof bytes); /* it is not written to, as it has ended */
    reader->end = reader->cap = n;
    reader->taken = n;
    reader->borrowed = reader->looked = reader->ended = true;
    return PF_OK;
}

pf_err pf_reader_bytes(pf_bytes *bytes, const char *name, pf_reader **out) {
    size_t n;
    const unsigned char *at = pf_bytes_at(bytes, &n);
    PF_TRY(pf_reader_window(at, n, name, out));
    (*out)->shared = bytes;
    return PF_OK;
}

void pf_reader_free(pf_reader *reader) {
    if (!reader) return;
    pfi_ahead_free(reader->ahead);
    if (reader->own_fd && reader->fd >= 0) close(reader->fd);
    if (reader->gzip) inflateEnd(reader->gzip);
    free(reader->gzip);
    free(reader->raw);
    if (!reader->borrowed) free(reader->buf);
    free(reader->text);
    free(reader->name);
    free(reader);
}

const char *pf_reader_name(const pf_reader *reader) { return reader->name; }
uint64_t pf_reader_offset(const pf_reader *reader) { return reader->offset; }
uint64_t pf_reader_stored(const pf_reader *reader) {
    if (reader->ahead) return reader->stored;
    return reader->taken - (reader->gzip ? reader->gzip->avail_in : reader->end - reader->begin);
}

void pf_reader_before_wait(pf_reader *reader, void (*tell)(void *self), void *self) {
    reader->tell = tell;
    reader->self = self;
}

bool pf_reader_line_waits(const pf_reader *reader) {
    return reader->ended ||
           (reader->end > reader->begin && memchr(reader->buf + reader->begin, '\n', reader->end - reader->begin));
}

uint64_t pf_reader_line_number(const pf_reader *reader) { return reader->line; }
void pf_reader_set_record(pf_reader *reader, uint64_t record) { reader->record = record; }
void pf_reader_set_offset(pf_reader *reader, uint64_t offset) { reader->offset = offset; }

/* Raw bytes, before unpacking; *got = 0 at the end. */
static pf_err raw_some(pf_reader *reader, unsigned char *to, size_t length, size_t *got) {
    if (reader->fd < 0) {
        *got = length < reader->memory_n ? length : reader->memory_n;
        if (*got) memcpy(to, reader->memory, *got);
        reader->memory += *got;
        reader->memory_n -= *got;
        reader->taken += *got;
        return PF_OK;
    }
    if (reader->tell) reader->tell(reader->self);
    for (;;) {
        ssize_t k = read(reader->fd, to, length);
        if (k >= 0) {
            *got = (size_t)k;
            reader->taken += *got;
            return PF_OK;
        }
        if (!pfi_try_again(reader->fd, POLLIN)) return pf_fail(PF_EIO, "%s: %s", reader->name, strerror(errno));
    }
}

static pf_err gzip_start(pf_reader *reader) {
    reader->gzip = calloc(1, sizeof *reader->gzip);
    reader->raw = malloc(CHUNK);
    if (!reader->gzip || !reader->raw || inflateInit2(reader->gzip, 15 + 16) != Z_OK) {
        free(reader->gzip); /* inflateEnd needs a stream that was started */
        reader->gzip = NULL;
        return pf_nomem();
    }
    reader->inside = true;
    return PF_OK;
}

/* Unpacks up to `length` bytes. A gzip file is one member or several. */
static pf_err gzip_some(pf_reader *reader, unsigned char *to, size_t length, size_t *got) {
    z_stream *stream = reader->gzip;
    stream->next_out = to;
    stream->avail_out = (uInt)length;
    while (stream->avail_out == length) {
        if (!stream->avail_in) {
            size_t taken;
            PF_TRY(raw_some(reader, reader->raw, CHUNK, &taken));
            stream->next_in = reader->raw;
            stream->avail_in = (uInt)taken;
            if (!taken && reader->inside) return pf_fail(PF_EINPUT, "%s: the gzip data end too early", reader->name);
            if (!taken) break;
        }
        if (!reader->inside) {
            if (inflateReset(stream) != Z_OK) return pf_nomem();
            reader->inside = true;
        }
        int code = inflate(stream, Z_NO_FLUSH);
        if (code == Z_STREAM_END) reader->inside = false;
        else if (code != Z_OK && code != Z_BUF_ERROR)
            return pf_fail(PF_EINPUT, "%s: damaged gzip data: %s", reader->name, stream->msg ? stream->msg : "no memory");
    }
    *got = length - stream->avail_out;
    return PF_OK;
}

/* From now on a thread unpacks what the descriptor has left, if that is a large part of a file. */
static pf_err go_ahead(pf_reader *reader) {
    struct stat it;
    pf_reader *from = NULL;
    if (reader->fd < 0 || fstat(reader->fd, &it) != 0 || !S_ISREG(it.st_mode)) return PF_OK;
    if (it.st_size < (off_t)(reader->taken + LEAST_AHEAD)) return PF_OK;
    PF_TRY(reader_new(reader->name, &from));
    from->fd = reader->fd;
    from->looked = true;
    from->taken = reader->taken;
    from->gzip = reader->gzip;
    from->inside = reader->inside;
    from->raw = reader->raw;
    reader->ahead = pfi_ahead_start(from);
    pf_reader *without = reader->ahead ? reader : from; /* what unpacks belongs to the other one */
    without->gzip = NULL;
    without->raw = NULL;
    if (!reader->ahead) pf_reader_free(from);
    return PF_OK;
}

static pf_err take_unpacked(pf_reader *reader, unsigned char *to, size_t length, size_t *got) {
    assert(length == PFI_AHEAD_CHUNK);
    if (reader->tell) reader->tell(reader->self);
    return pfi_ahead_take(reader->ahead, to, got, &reader->stored);
}

static void sum_up(pf_reader *reader) {
    if (reader->summing && reader->begin > reader->summed)
        reader->sum = pf_crc32c(reader->sum, reader->buf + reader->summed, reader->begin - reader->summed);
    reader->summed = reader->begin;
}

/* Moves the window down over what was handed out and is not kept. */
static void make_room(pf_reader *reader) {
    sum_up(reader);
    size_t gone = reader->keeping ? reader->kept : reader->begin;
    if (!gone || (gone < reader->end && reader->cap - reader->end >= CHUNK)) return;
    memmove(reader->buf, reader->buf + gone, reader->end - gone);
    reader->begin -= gone;
    reader->end -= gone;
    reader->summed -= gone;
    reader->kept = 0;
}

/* Adds content at the end of the window; `ended` once there is none. */
static pf_err fill(pf_reader *reader) {
    assert(reader->begin <= reader->end && reader->end <= reader->cap && !reader->ended);
    make_room(reader);
    PF_TRY(pf_vec_reserve(&reader->buf, &reader->cap, reader->end + CHUNK, 1));
    size_t got;
    PF_TRY((reader->ahead ? take_unpacked : reader->gzip ? gzip_some : raw_some)(reader, reader->buf + reader->end, CHUNK, &got));
    reader->end += got;
    reader->ended = !got;
    return PF_OK;
}

/* What the first two bytes say: gzip content goes back through inflate. */
static pf_err look(pf_reader *reader) {
    reader->looked = true;
    while (reader->end - reader->begin < 2 && !reader->ended) PF_TRY(fill(reader));
    if (reader->end - reader->begin < 2 || reader->buf[reader->begin] != 0x1f || reader->buf[reader->begin + 1] != 0x8b)
        return PF_OK;
    PF_TRY(gzip_start(reader));
    size_t have = reader->end - reader->begin;
    unsigned char *first = realloc(reader->raw, have > CHUNK ? have : CHUNK);
    if (!first) return pf_nomem();
    reader->raw = first;
    memcpy(reader->raw, reader->buf + reader->begin, have);
    reader->gzip->next_in = reader->raw;
    reader->gzip->avail_in = (uInt)have;
    reader->begin = reader->end = 0;
    reader->ended = false;
    return go_ahead(reader);
}

static pf_err want(pf_reader *reader, size_t length) {
    if (!reader->looked) PF_TRY(look(reader));
    while (reader->end - reader->begin < length && !reader->ended) PF_TRY(fill(reader));
    return PF_OK;
}

void pf_reader_keep(pf_reader *reader, bool keep) {
    reader->keeping = keep;
    reader->kept = reader->begin;
}

void pf_reader_back(pf_reader *reader, uint64_t offset) {
    assert(reader->keeping && offset <= reader->offset && reader->offset - offset <= reader->begin - reader->kept);
    reader->begin -= (size_t)(reader->offset - offset);
    reader->offset = offset;
    reader->summing = false;
}

void pf_reader_sum_begin(pf_reader *reader) {
    reader->summing = true;
    reader->summed = reader->begin;
    reader->sum = 0;
}

uint32_t pf_reader_sum(pf_reader *reader) {
    assert(reader->summing);
    sum_up(reader);
    reader->summing = false;
    return reader->sum;
}

/* Goes on after n bytes of the window. */
static inline void hand_out(pf_reader *reader, size_t n) {
    assert(n <= reader->end - reader->begin);
    reader->begin += n;
    reader->offset += n;
}

pf_err pf_reader_skip(pf_reader *reader, uint64_t n) {
    while (n) {
        PF_TRY(want(reader, 1));
        uint64_t have = reader->end - reader->begin;
        if (!have) return pf_reader_fail(reader, "expected %llu more bytes, found the end of the input", (unsigned long long)n);
        if (have > n) have = n;
        hand_out(reader, (size_t)have);
        n -= have;
    }
    return PF_OK;
}

pf_err pf_reader_peek(pf_reader *reader, size_t n, const unsigned char **at, size_t *have) {
    PF_TRY(want(reader, n));
    *have = reader->end - reader->begin < n ? reader->end - reader->begin : n;
    *at = *have ? reader->buf + reader->begin : (const unsigned char *)"";
    return PF_OK;
}

pf_err pf_reader_some(pf_reader *reader, void *to, size_t length, size_t *got) {
    unsigned char *at = to;
    *got = 0;
    while (*got < length) {
        PF_TRY(want(reader, 1));
        size_t taken = reader->end - reader->begin;
        if (!taken) break;
        if (taken > length - *got) taken = length - *got;
        memcpy(at + *got, reader->buf + reader->begin, taken);
        hand_out(reader, taken);
        *got += taken;
    }
    return PF_OK;
}

pf_err pf_reader_get(pf_reader *reader, void *to, size_t length, const char *what) {
    size_t got;
    if (reader->looked && reader->end - reader->begin >= length) { /* nothing to fill: most calls, which are for a number */
        if (length) memcpy(to, reader->buf + reader->begin, length);
        hand_out(reader, length);
        return PF_OK;
    }
    PF_TRY(pf_reader_some(reader, to, length, &got));
    if (got == length) return PF_OK;
    return pf_reader_fail(reader, "expected %s (%zu bytes), found the end of the input after %zu", what, length, got);
}

pf_err pf_reader_claimed(pf_reader *reader, uint64_t claimed, const char *what, unsigned char **out) {
    size_t length = 0, room = 0;
    *out = NULL;
    do {
        size_t piece = claimed - length < CLAIMED_CHUNK ? (size_t)(claimed - length) : CLAIMED_CHUNK;
        PF_TRY(pf_vec_reserve(out, &room, length + (piece ? piece : 1), 1));
        PF_TRY(pf_reader_get(reader, *out + length, piece, what));
        length += piece;
    } while (length < claimed);
    return PF_OK;
}

/* Goes on n bytes later, of which the window has some. */
static pf_err pass_over(pf_reader *reader, size_t n) {
    const size_t have = reader->end - reader->begin, beyond = n > have ? n - have : 0;
    if (beyond && lseek(reader->fd, (off_t)beyond, SEEK_CUR) < 0)
        return pf_fail(PF_EIO, "%s: %s", reader->name, strerror(errno));
    hand_out(reader, n - beyond);
    reader->taken += beyond;
    reader->offset += beyond;
    return PF_OK;
}

/* The next n bytes, mapped; *out = NULL: they can't be, and nothing is passed over. */
static pf_err map(pf_reader *reader, uint64_t n, pf_bytes **out) {
    const size_t have = reader->end - reader->begin;
    *out = NULL;
    if (reader->fd < 0 || reader->gzip || reader->ahead || !reader->looked || n > SIZE_MAX) return PF_OK;
    const off_t at = lseek(reader->fd, 0, SEEK_CUR);
    if (at < 0 || (uint64_t)at < have) return PF_OK; /* a pipe has no place */
    PF_TRY(pf_bytes_map(reader->fd, (uint64_t)at - have, (size_t)n, out));
    pf_err err = *out ? pass_over(reader, (size_t)n) : PF_OK;
    if (!err) return PF_OK;
    pf_bytes_free(*out);
    *out = NULL;
    return err;
}

pf_err pf_reader_share(pf_reader *reader, uint64_t n, const char *what, pf_bytes **out) {
    unsigned char *bytes;
    assert(n > 0 && !reader->keeping && !reader->summing);
    PF_TRY(map(reader, n, out));
    if (*out) return PF_OK;
    pf_err err = pf_reader_claimed(reader, n, what, &bytes);
    if (!err) return pf_bytes_of(bytes, (size_t)n, out);
    free(bytes);
    return err;
}

const void *pf_reader_in_place(pf_reader *reader, size_t n, size_t aligned, pf_bytes **in) {
    const unsigned char *at = reader->buf + reader->begin;
    if (!reader->shared || reader->end - reader->begin < n || (uintptr_t)at % aligned) return NULL;
    *in = reader->shared;
    hand_out(reader, n);
    return at;
}

pf_err pf_reader_u32(pf_reader *reader, uint32_t *to, const char *what) {
    unsigned char bytes[4];
    PF_TRY(pf_reader_get(reader, bytes, sizeof bytes, what));
    *to = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    return PF_OK;
}

pf_err pf_reader_u64(pf_reader *reader, uint64_t *to, const char *what) {
    unsigned char bytes[8];
    PF_TRY(pf_reader_get(reader, bytes, sizeof bytes, what));
    *to = pf_load64(bytes);
    return PF_OK;
}

pf_err pf_reader_f32(pf_reader *reader, float *to, const char *what) {
    uint32_t bits;
    PF_TRY(pf_reader_u32(reader, &bits, what));
    memcpy(to, &bits, sizeof *to);
    return PF_OK;
}

pf_err pf_reader_f64(pf_reader *reader, double *to, const char *what) {
    uint64_t bits;
    PF_TRY(pf_reader_u64(reader, &bits, what));
    memcpy(to, &bits, sizeof *to);
    return PF_OK;
}

pf_err pf_reader_string(pf_reader *reader, char **to, size_t *length, size_t limit, const char *what) {
    uint32_t n;
    PF_TRY(pf_reader_u32(reader, &n, what));
    if (n > limit) return pf_reader_fail(reader, "expected %s of at most %zu bytes, found a length of %u", what, limit, n);
    const unsigned char *at;
    size_t have;
    PF_TRY(pf_reader_peek(reader, n, &at, &have));
    if (have < n)
        return pf_reader_fail(reader, "expected %s (%u bytes), found the end of the input after %zu", what, n, have);
    if (!length && memchr(at, 0, n)) return pf_reader_fail(reader, "expected %s, found a NUL byte inside it", what);
    char *text = malloc((size_t)n + 1);
    if (!text) return pf_nomem();
    text[n] = 0;
    *to = text;
    if (length) *length = n;
    return pf_reader_get(reader, text, n, what);
}

pf_err pf_reader_skip_mark(pf_reader *reader) {
    static const unsigned char mark[] = {0xef, 0xbb, 0xbf};
    if (reader->offset) return PF_OK;
    for (size_t at = 0; at < sizeof mark; at++) {
        PF_TRY(want(reader, at + 1));
        if (reader->end - reader->begin == at || reader->buf[reader->begin + at] != mark[at]) return PF_OK;
    }
    hand_out(reader, sizeof mark);
    return PF_OK;
}

pf_err pf_reader_line(pf_reader *reader, char **line, size_t *length) {
    size_t bytes = 0;
    const unsigned char *lf = NULL;
    *line = NULL;
    PF_TRY(pf_reader_skip_mark(reader));
    while (!lf) {
        PF_TRY(want(reader, bytes + 1));
        size_t have = reader->end - reader->begin;
        if (have == bytes) break;
        lf = memchr(reader->buf + reader->begin + bytes, '\n', have - bytes);
        bytes = lf ? (size_t)(lf - reader->buf) - reader->begin : have;
        if (bytes > PF_LINE_LIMIT) {
            reader->line++;
            return pf_reader_fail_line(reader, "expected a line of at most %zu bytes, found a longer one", PF_LINE_LIMIT);
        }
    }
    if (!lf && !bytes) return PF_OK;
    PF_TRY(pf_vec_reserve(&reader->text, &reader->text_cap, bytes + 1, 1));
    memcpy(reader->text, reader->buf + reader->begin, bytes);
    hand_out(reader, bytes + (lf != NULL));
    reader->line++;
    if (lf && bytes && reader->text[bytes - 1] == '\r') bytes--;
    reader->text[bytes] = 0;
    *line = reader->text;
    *length = bytes;
    return PF_OK;
}

char *pf_line_field(char **at) {
    char *begin = *at + strspn(*at, " \t");
    if (!*begin) return NULL;
    *at = begin + strcspn(begin, " \t");
    if (**at) *(*at)++ = 0;
    return begin;
}

pf_err pf_reader_fail(const pf_reader *reader, const char *format, ...) {
    char words[700];
    va_list ap;
    va_start(ap, format);
    vsnprintf(words, sizeof words, format, ap);
    va_end(ap);
    if (reader->record)
        return pf_fail(PF_EINPUT, "%s: record %llu, byte %llu: %s", reader->name, (unsigned long long)reader->record,
                       (unsigned long long)reader->offset, words);
    return pf_fail(PF_EINPUT, "%s: byte %llu: %s", reader->name, (unsigned long long)reader->offset, words);
}

pf_err pf_reader_fail_line(const pf_reader *reader, const char *format, ...) {
    char words[700];
    va_list ap;
    va_start(ap, format);
    vsnprintf(words, sizeof words, format, ap);
    va_end(ap);
    return pf_fail(PF_EINPUT, "%s:%llu: %s", reader->name, (unsigned long long)reader->line, words);
}
