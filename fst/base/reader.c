/* A window of raw bytes from a descriptor, unpacked through zlib when they begin like gzip. */
#include <permfst/base/reader.h>

#include "base/descriptor.h"

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

enum { CHUNK = 1 << 16 };

struct pf_reader {
    char *name;
    int fd;                             /* -1: memory, or everything has been read */
    bool own_fd, ended;
    unsigned char *buf;                 /* content: at[begin..end) is not handed out yet */
    size_t begin, end, cap;
    const unsigned char *memory;        /* the rest of a memory reader's bytes */
    size_t memory_n;
    unsigned char *raw;                 /* packed bytes, when unpacking */
    z_stream *gzip;
    bool looked, inside;                /* for gzip; inside a member */
    uint64_t taken;                     /* bytes from the system, or of memory */
    void (*tell)(void *self);           /* before it may wait */
    void *self;
    uint64_t offset, line, record;
    char *text;                         /* the line handed out */
    size_t text_cap;
};

static pf_err reader_new(const char *name, pf_reader **out) {
    pf_reader *r = calloc(1, sizeof *r);
    if (!r || !(r->name = strdup(name))) {
        free(r);
        return pf_nomem();
    }
    r->fd = -1;
    *out = r;
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
    pf_reader *r = *out;
    r->own_fd = true;
    r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (r->fd >= 0 && fstat(r->fd, &it) == 0 && S_ISREG(it.st_mode)) return PF_OK;
    pf_err err = r->fd < 0 ? pf_fail(PF_EIO, "%s: %s", path, strerror(errno))
                           : pf_fail(PF_EINPUT, "%s: expected a regular file", path);
    pf_reader_free(r);
    *out = NULL;
    return err;
}

pf_err pf_reader_descriptor(int fd, const char *name, pf_reader **out) {
    PF_TRY(reader_new(name, out));
    (*out)->fd = fd;
    return PF_OK;
}

pf_err pf_reader_memory(const void *bytes, size_t n, const char *name, pf_reader **out) {
    assert(bytes || !n);
    PF_TRY(reader_new(name, out));
    (*out)->memory = bytes;
    (*out)->memory_n = n;
    return PF_OK;
}

void pf_reader_free(pf_reader *r) {
    if (!r) return;
    if (r->own_fd && r->fd >= 0) close(r->fd);
    if (r->gzip) inflateEnd(r->gzip);
    free(r->gzip);
    free(r->raw);
    free(r->buf);
    free(r->text);
    free(r->name);
    free(r);
}

const char *pf_reader_name(const pf_reader *r) { return r->name; }
uint64_t pf_reader_offset(const pf_reader *r) { return r->offset; }
uint64_t pf_reader_stored(const pf_reader *r) {
    return r->taken - (r->gzip ? r->gzip->avail_in : r->end - r->begin);
}

void pf_reader_before_wait(pf_reader *r, void (*tell)(void *self), void *self) {
    r->tell = tell;
    r->self = self;
}

bool pf_reader_line_waits(const pf_reader *r) {
    return r->ended || (r->end > r->begin && memchr(r->buf + r->begin, '\n', r->end - r->begin));
}

uint64_t pf_reader_line_number(const pf_reader *r) { return r->line; }
void pf_reader_set_record(pf_reader *r, uint64_t record) { r->record = record; }

/* Raw bytes, before unpacking; *got = 0 at the end. */
static pf_err raw_some(pf_reader *r, unsigned char *to, size_t n, size_t *got) {
    if (r->fd < 0) {
        *got = n < r->memory_n ? n : r->memory_n;
        if (*got) memcpy(to, r->memory, *got);
        r->memory += *got;
        r->memory_n -= *got;
        r->taken += *got;
        return PF_OK;
    }
    if (r->tell) r->tell(r->self);
    for (;;) {
        ssize_t k = read(r->fd, to, n);
        if (k >= 0) {
            *got = (size_t)k;
            r->taken += *got;
            return PF_OK;
        }
        if (!pfi_try_again(r->fd, POLLIN)) return pf_fail(PF_EIO, "%s: %s", r->name, strerror(errno));
    }
}

static pf_err gzip_start(pf_reader *r) {
    r->gzip = calloc(1, sizeof *r->gzip);
    r->raw = malloc(CHUNK);
    if (!r->gzip || !r->raw || inflateInit2(r->gzip, 15 + 16) != Z_OK) {
        free(r->gzip); /* inflateEnd needs a stream that was started */
        r->gzip = NULL;
        return pf_nomem();
    }
    r->inside = true;
    return PF_OK;
}

/* Unpacks up to n bytes. A gzip file is one member or several. */
static pf_err gzip_some(pf_reader *r, unsigned char *to, size_t n, size_t *got) {
    z_stream *stream = r->gzip;
    stream->next_out = to;
    stream->avail_out = (uInt)n;
    while (stream->avail_out == n) {
        if (!stream->avail_in) {
            size_t k;
            PF_TRY(raw_some(r, r->raw, CHUNK, &k));
            stream->next_in = r->raw;
            stream->avail_in = (uInt)k;
            if (!k && r->inside) return pf_fail(PF_EINPUT, "%s: the gzip data end too early", r->name);
            if (!k) break;
        }
        if (!r->inside) {
            if (inflateReset(stream) != Z_OK) return pf_nomem();
            r->inside = true;
        }
        int code = inflate(stream, Z_NO_FLUSH);
        if (code == Z_STREAM_END) r->inside = false;
        else if (code != Z_OK && code != Z_BUF_ERROR)
            return pf_fail(PF_EINPUT, "%s: damaged gzip data: %s", r->name, stream->msg ? stream->msg : "no memory");
    }
    *got = n - stream->avail_out;
    return PF_OK;
}

/* Adds content at the end of the window; `ended` once there is none. */
static pf_err fill(pf_reader *r) {
    assert(r->begin <= r->end && r->end <= r->cap && !r->ended);
    if (r->begin == r->end) r->begin = r->end = 0;
    if (r->begin && r->cap - r->end < CHUNK) {
        memmove(r->buf, r->buf + r->begin, r->end - r->begin);
        r->end -= r->begin;
        r->begin = 0;
    }
    PF_TRY(pf_vec_reserve(&r->buf, &r->cap, r->end + CHUNK, 1));
    size_t got;
    PF_TRY((r->gzip ? gzip_some : raw_some)(r, r->buf + r->end, CHUNK, &got));
    r->end += got;
    r->ended = !got;
    return PF_OK;
}

/* What the first two bytes say: gzip content goes back through inflate. */
static pf_err look(pf_reader *r) {
    r->looked = true;
    while (r->end - r->begin < 2 && !r->ended) PF_TRY(fill(r));
    if (r->end - r->begin < 2 || r->buf[r->begin] != 0x1f || r->buf[r->begin + 1] != 0x8b) return PF_OK;
    PF_TRY(gzip_start(r));
    size_t n = r->end - r->begin;
    unsigned char *first = realloc(r->raw, n > CHUNK ? n : CHUNK);
    if (!first) return pf_nomem();
    r->raw = first;
    memcpy(r->raw, r->buf + r->begin, n);
    r->gzip->next_in = r->raw;
    r->gzip->avail_in = (uInt)n;
    r->begin = r->end = 0;
    r->ended = false;
    return PF_OK;
}

static pf_err want(pf_reader *r, size_t n) {
    if (!r->looked) PF_TRY(look(r));
    while (r->end - r->begin < n && !r->ended) PF_TRY(fill(r));
    return PF_OK;
}

pf_err pf_reader_peek(pf_reader *r, size_t n, const unsigned char **at, size_t *have) {
    PF_TRY(want(r, n));
    *have = r->end - r->begin < n ? r->end - r->begin : n;
    *at = *have ? r->buf + r->begin : (const unsigned char *)"";
    return PF_OK;
}

pf_err pf_reader_some(pf_reader *r, void *to, size_t n, size_t *got) {
    unsigned char *at = to;
    *got = 0;
    while (*got < n) {
        PF_TRY(want(r, 1));
        size_t k = r->end - r->begin;
        if (!k) break;
        if (k > n - *got) k = n - *got;
        memcpy(at + *got, r->buf + r->begin, k);
        r->begin += k;
        r->offset += k;
        *got += k;
    }
    return PF_OK;
}

pf_err pf_reader_get(pf_reader *r, void *to, size_t n, const char *what) {
    size_t got;
    PF_TRY(pf_reader_some(r, to, n, &got));
    if (got == n) return PF_OK;
    return pf_reader_fail(r, "expected %s (%zu bytes), found the end of the input after %zu", what, n, got);
}

pf_err pf_reader_u32(pf_reader *r, uint32_t *to, const char *what) {
    unsigned char b[4];
    PF_TRY(pf_reader_get(r, b, sizeof b, what));
    *to = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return PF_OK;
}

pf_err pf_reader_u64(pf_reader *r, uint64_t *to, const char *what) {
    unsigned char b[8];
    PF_TRY(pf_reader_get(r, b, sizeof b, what));
    *to = 0;
    for (int i = 7; i >= 0; i--) *to = *to << 8 | b[i];
    return PF_OK;
}

pf_err pf_reader_f32(pf_reader *r, float *to, const char *what) {
    uint32_t bits;
    PF_TRY(pf_reader_u32(r, &bits, what));
    memcpy(to, &bits, sizeof *to);
    return PF_OK;
}

pf_err pf_reader_f64(pf_reader *r, double *to, const char *what) {
    uint64_t bits;
    PF_TRY(pf_reader_u64(r, &bits, what));
    memcpy(to, &bits, sizeof *to);
    return PF_OK;
}

pf_err pf_reader_string(pf_reader *r, char **to, size_t *length, size_t limit, const char *what) {
    uint32_t n;
    PF_TRY(pf_reader_u32(r, &n, what));
    if (n > limit) return pf_reader_fail(r, "expected %s of at most %zu bytes, found a length of %u", what, limit, n);
    const unsigned char *at;
    size_t have;
    PF_TRY(pf_reader_peek(r, n, &at, &have));
    if (have < n)
        return pf_reader_fail(r, "expected %s (%u bytes), found the end of the input after %zu", what, n, have);
    if (!length && memchr(at, 0, n)) return pf_reader_fail(r, "expected %s, found a NUL byte inside it", what);
    char *text = malloc((size_t)n + 1);
    if (!text) return pf_nomem();
    text[n] = 0;
    *to = text;
    if (length) *length = n;
    return pf_reader_get(r, text, n, what);
}

pf_err pf_reader_skip_mark(pf_reader *r) {
    static const unsigned char mark[] = {0xef, 0xbb, 0xbf};
    if (r->offset) return PF_OK;
    for (size_t n = 0; n < sizeof mark; n++) {
        PF_TRY(want(r, n + 1));
        if (r->end - r->begin == n || r->buf[r->begin + n] != mark[n]) return PF_OK;
    }
    r->begin += sizeof mark;
    r->offset += sizeof mark;
    return PF_OK;
}

pf_err pf_reader_line(pf_reader *reader, char **line, size_t *length) {
    size_t n = 0;
    const unsigned char *lf = NULL;
    *line = NULL;
    PF_TRY(pf_reader_skip_mark(reader));
    while (!lf) {
        PF_TRY(want(reader, n + 1));
        size_t have = reader->end - reader->begin;
        if (have == n) break;
        lf = memchr(reader->buf + reader->begin + n, '\n', have - n);
        n = lf ? (size_t)(lf - reader->buf) - reader->begin : have;
        if (n > PF_LINE_LIMIT) {
            reader->line++;
            return pf_reader_fail_line(reader, "expected a line of at most %zu bytes, found a longer one", PF_LINE_LIMIT);
        }
    }
    if (!lf && !n) return PF_OK;
    PF_TRY(pf_vec_reserve(&reader->text, &reader->text_cap, n + 1, 1));
    memcpy(reader->text, reader->buf + reader->begin, n);
    reader->begin += n + (lf != NULL);
    reader->offset += n + (lf != NULL);
    reader->line++;
    if (lf && n && reader->text[n - 1] == '\r') n--;
    reader->text[n] = 0;
    *line = reader->text;
    *length = n;
    return PF_OK;
}

pf_err pf_reader_fail(const pf_reader *r, const char *format, ...) {
    char words[700];
    va_list ap;
    va_start(ap, format);
    vsnprintf(words, sizeof words, format, ap);
    va_end(ap);
    if (r->record)
        return pf_fail(PF_EINPUT, "%s: record %llu, byte %llu: %s", r->name, (unsigned long long)r->record,
                       (unsigned long long)r->offset, words);
    return pf_fail(PF_EINPUT, "%s: byte %llu: %s", r->name, (unsigned long long)r->offset, words);
}

pf_err pf_reader_fail_line(const pf_reader *r, const char *format, ...) {
    char words[700];
    va_list ap;
    va_start(ap, format);
    vsnprintf(words, sizeof words, format, ap);
    va_end(ap);
    return pf_fail(PF_EINPUT, "%s:%llu: %s", r->name, (unsigned long long)r->line, words);
}
