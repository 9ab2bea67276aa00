/* A buffer before a descriptor; named files go through a temporary beside them. */
#include <permfst/base/writer.h>

#include "base/descriptor.h"

#include <permfst/base/crc.h>
#include <permfst/base/vec.h>

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 16, GATHERED = BUFFER / 2 };

struct pf_writer {
    char *path;
    char *target, *temporary; /* the file that a link leads to, and the one that is renamed to it; NULL when written in place */
    int fd;                 /* -1: memory, or closed */
    bool own_fd;            /* closed at the end; else the caller's */
    bool no_sync;
    unsigned char *buf;
    size_t n, cap;
    bool summing;           /* what is in the buffer from `summed` on is not in the sum yet */
    size_t summed;
    uint32_t sum;
    uint64_t in_sum;        /* bytes */
    void (*left)(void *self); /* where records are gathered, when the first one is left in the buffer; NULL: they are not */
    void *left_self;
    bool are_left;          /* it was called, or is, and nothing was flushed since */
    pf_err err;
    int cause;              /* the system's number of PF_EIO; 0: another error */
};

static pf_err failed(pf_writer *writer) {
    writer->cause = errno;
    return writer->err = pf_fail(PF_EIO, "%s: %s", writer->path, strerror(errno));
}

/* The error that stays, with its words: those of the system may have been said in another thread. */
static pf_err failed_before(const pf_writer *writer) {
    return writer->cause ? pf_fail(writer->err, "%s: %s", writer->path, strerror(writer->cause)) : writer->err;
}

static pf_err writer_new(const char *path, pf_writer **out) {
    pf_writer *writer = calloc(1, sizeof *writer);
    if (!writer || !(writer->path = strdup(path))) {
        free(writer);
        return pf_nomem();
    }
    writer->fd = -1;
    *out = writer;
    return PF_OK;
}

/* The new file may be used as the old one. Its owner may be another: then nobody gets that owner's rights by running it. */
static pf_err copy_mode(pf_writer *writer, const struct stat *before) {
    struct stat now;
    if (fstat(writer->fd, &now) != 0) return failed(writer);
    bool same = before->st_uid == now.st_uid && before->st_gid == now.st_gid;
    (void)!fchmod(writer->fd, before->st_mode & (same ? 07777 : 0777)); /* not every file system has modes */
    return PF_OK;
}

/* The file that a path leads to; it may not be there yet. */
static pf_err find_target(pf_writer *writer) {
    writer->target = realpath(writer->path, NULL);
    if (writer->target) return PF_OK;
    if (errno != ENOENT) return failed(writer);
    writer->target = strdup(writer->path);
    return writer->target ? PF_OK : pf_nomem();
}

static pf_err open_temporary(pf_writer *writer) {
    PF_TRY(find_target(writer));
    size_t n = strlen(writer->target) + sizeof ".XXXXXX";
    char *name = malloc(n);
    if (!name) return pf_nomem();
    errno = EEXIST;
    for (unsigned i = 0; writer->fd < 0 && errno == EEXIST && i < 1000000; i++) {
        snprintf(name, n, "%s.%06u", writer->target, ((unsigned)getpid() + i) % 1000000);
        writer->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); /* less the umask */
    }
    if (writer->fd >= 0) {
        writer->temporary = name;
        return PF_OK;
    }
    pf_err err = failed(writer);
    free(name);
    return err;
}

/* A file that is not there yet, or a regular one, is replaced at the close; a device or a pipe is written to. If the system does
 * not say what is there, nothing is touched. */
static pf_err open_named(pf_writer *writer) {
    struct stat before;
    bool there = stat(writer->path, &before) == 0;
    if (!there && errno != ENOENT) return failed(writer);
    if (!there || S_ISREG(before.st_mode)) {
        PF_TRY(open_temporary(writer));
        return there ? copy_mode(writer, &before) : PF_OK;
    }
    writer->fd = open(writer->path, O_WRONLY | O_CLOEXEC);
    return writer->fd < 0 ? failed(writer) : PF_OK;
}

pf_err pf_writer_open(const char *path, pf_writer **out) {
    bool standard = strcmp(path, "-") == 0;
    PF_TRY(writer_new(standard ? "standard output" : path, out));
    pf_writer *writer = *out;
    writer->own_fd = !standard;
    if (standard) writer->fd = STDOUT_FILENO;
    pf_err err = standard ? PF_OK : open_named(writer);
    if (!err) return PF_OK;
    pf_writer_free(writer);
    *out = NULL;
    return err;
}

pf_err pf_writer_descriptor(int fd, const char *name, pf_writer **out) {
    PF_TRY(writer_new(name, out));
    (*out)->fd = fd;
    return PF_OK;
}

pf_err pf_writer_memory(pf_writer **out) { return writer_new("memory", out); }

const unsigned char *pf_writer_bytes(const pf_writer *writer, size_t *length) {
    assert(writer->fd < 0);
    *length = writer->n;
    return writer->buf;
}

const char *pf_writer_temporary(const pf_writer *writer) { return writer->temporary; }

void pf_writer_no_sync(pf_writer *writer) { writer->no_sync = true; }

void pf_writer_clear(pf_writer *writer) {
    assert(writer->fd < 0);
    writer->n = writer->summed = 0;
}

static pf_err write_all(pf_writer *writer, const unsigned char *at, size_t length) {
    while (length) {
        ssize_t written = write(writer->fd, at, length);
        if (written < 0 && pfi_try_again(writer->fd, POLLOUT)) continue;
        if (written < 0) return failed(writer);
        at += written;
        length -= (size_t)written;
    }
    return PF_OK;
}

/* Up to the end of the buffer, and then n bytes that pass it by. */
static void sum_up(pf_writer *writer, const void *bytes, size_t n) {
    if (writer->summing) {
        if (writer->n > writer->summed)
            writer->sum = pf_crc32c(writer->sum, writer->buf + writer->summed, writer->n - writer->summed);
        writer->sum = pf_crc32c(writer->sum, bytes, n);
        writer->in_sum += writer->n - writer->summed + n;
    }
    writer->summed = writer->n;
}

void pf_writer_sum_begin(pf_writer *writer) {
    writer->summing = true;
    writer->summed = writer->n;
    writer->sum = 0;
    writer->in_sum = 0;
}

uint32_t pf_writer_sum(pf_writer *writer, uint64_t *n) {
    assert(writer->summing);
    sum_up(writer, "", 0);
    writer->summing = false;
    *n = writer->in_sum;
    return writer->sum;
}

pf_err pf_writer_flush(pf_writer *writer) {
    if (writer->err) return failed_before(writer);
    if (writer->fd < 0) return PF_OK;
    sum_up(writer, "", 0);
    size_t n = writer->n;
    writer->n = writer->summed = 0;
    writer->are_left = false;
    return write_all(writer, writer->buf, n);
}

bool pf_writer_failed(const pf_writer *writer) { return writer->err != PF_OK; }

pf_err pf_writer_end_record(pf_writer *writer) {
    if (!writer->left || writer->n >= GATHERED) return pf_writer_flush(writer);
    if (writer->err) return failed_before(writer);
    if (writer->are_left) return PF_OK;
    writer->are_left = true;
    writer->left(writer->left_self);
    return PF_OK;
}

void pf_writer_gather(pf_writer *writer, void (*left)(void *self), void *self) {
    writer->left = left;
    writer->left_self = self;
}

pf_err pf_writer_put(pf_writer *writer, const void *bytes, size_t length) {
    if (writer->err) return failed_before(writer);
    if (!length) return PF_OK;
    assert(bytes);
    if (writer->fd >= 0 && writer->n + length > BUFFER) {
        PF_TRY(pf_writer_flush(writer));
        if (length > BUFFER) {
            sum_up(writer, bytes, length);
            return write_all(writer, bytes, length);
        }
    }
    if ((writer->err = pf_vec_reserve(&writer->buf, &writer->cap, writer->n + length, 1))) return writer->err;
    memcpy(writer->buf + writer->n, bytes, length);
    writer->n += length;
    return PF_OK;
}

pf_err pf_writer_u32(pf_writer *writer, uint32_t value) {
    unsigned char bytes[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(value >> 8 * i);
    return pf_writer_put(writer, bytes, sizeof bytes);
}

pf_err pf_writer_u64(pf_writer *writer, uint64_t value) {
    unsigned char bytes[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(value >> 8 * i);
    return pf_writer_put(writer, bytes, sizeof bytes);
}

pf_err pf_writer_f32(pf_writer *writer, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return pf_writer_u32(writer, bits);
}

pf_err pf_writer_f64(pf_writer *writer, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return pf_writer_u64(writer, bits);
}

pf_err pf_writer_string(pf_writer *writer, const char *bytes, size_t length) {
    if (length > INT32_MAX)
        return writer->err = pf_fail(PF_ELIMIT, "%s: a string of %zu bytes is too long", writer->path, length);
    PF_TRY(pf_writer_u32(writer, (uint32_t)length));
    return pf_writer_put(writer, bytes, length);
}

pf_err pf_writer_text(pf_writer *writer, const char *format, ...) {
    char few[256];
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int length = vsnprintf(few, sizeof few, format, ap);
    va_end(ap);
    pf_err err = PF_OK;
    if (length >= 0 && (size_t)length < sizeof few) err = pf_writer_put(writer, few, (size_t)length);
    else if (length >= 0) {
        char *many = malloc((size_t)length + 1);
        if (many) vsnprintf(many, (size_t)length + 1, format, again);
        err = many ? pf_writer_put(writer, many, (size_t)length) : pf_nomem();
        free(many);
    }
    va_end(again);
    return err;
}

pf_err pf_writer_close(pf_writer *writer) {
    PF_TRY(pf_writer_flush(writer));
    if (writer->fd < 0) return PF_OK;
    int fd = writer->fd;
    if (writer->temporary && !writer->no_sync && fsync(fd) != 0) return failed(writer);
    writer->fd = -1;
    if (writer->own_fd && close(fd) != 0) return failed(writer);
    if (!writer->temporary) return PF_OK;
    if (rename(writer->temporary, writer->target) != 0) return failed(writer);
    free(writer->temporary);
    writer->temporary = NULL;
    return PF_OK;
}

void pf_writer_free(pf_writer *writer) {
    if (!writer) return;
    if (writer->own_fd && writer->fd >= 0) close(writer->fd);
    if (writer->temporary) unlink(writer->temporary);
    free(writer->temporary);
    free(writer->target);
    free(writer->path);
    free(writer->buf);
    free(writer);
}
