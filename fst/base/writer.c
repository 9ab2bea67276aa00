/* A buffer before a descriptor; named files go through a temporary beside them. */
#include <permfst/base/writer.h>

#include "base/descriptor.h"

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

enum { BUFFER = 1 << 16 };

struct pf_writer {
    char *path;
    char *target, *temporary; /* the file that a link leads to, and the one that is renamed to it; NULL when written in place */
    int fd;                 /* -1: memory, or closed */
    bool own_fd;            /* closed at the end; else the caller's */
    bool no_sync;
    unsigned char *buf;
    size_t n, cap;
    pf_err err;
};

static pf_err failed(pf_writer *w) {
    return w->err = pf_fail(PF_EIO, "%s: %s", w->path, strerror(errno));
}

static pf_err writer_new(const char *path, pf_writer **out) {
    pf_writer *w = calloc(1, sizeof *w);
    if (!w || !(w->path = strdup(path))) {
        free(w);
        return pf_nomem();
    }
    w->fd = -1;
    *out = w;
    return PF_OK;
}

/* A file that is not there yet, or a regular one, is replaced at the close; a device or a pipe is written to. */
static bool replaceable(const char *path) {
    struct stat there;
    return stat(path, &there) != 0 ? errno == ENOENT : S_ISREG(there.st_mode);
}

/* The new file may be used as the old one. Its owner may be another: then nobody gets that owner's rights by running it. */
static void copy_mode(const pf_writer *w, int fd) {
    struct stat before, now;
    if (stat(w->target, &before) != 0 || fstat(fd, &now) != 0) return;
    bool same = before.st_uid == now.st_uid && before.st_gid == now.st_gid;
    (void)!fchmod(fd, before.st_mode & (same ? 07777 : 0777));
}

static int open_temporary(pf_writer *w) {
    if (!(w->target = realpath(w->path, NULL)) && !(w->target = strdup(w->path))) return -1;
    size_t n = strlen(w->target) + sizeof ".XXXXXX";
    if (!(w->temporary = malloc(n))) return -1;
    int fd = -1;
    for (unsigned i = 0; fd < 0 && i < 1000000; i++) {
        snprintf(w->temporary, n, "%s.%06u", w->target, ((unsigned)getpid() + i) % 1000000);
        fd = open(w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); /* less the umask */
        if (fd < 0 && errno != EEXIST) break;
    }
    if (fd >= 0) copy_mode(w, fd);
    else {
        free(w->temporary);
        w->temporary = NULL;
    }
    return fd;
}

pf_err pf_writer_open(const char *path, pf_writer **out) {
    bool standard = strcmp(path, "-") == 0;
    PF_TRY(writer_new(standard ? "standard output" : path, out));
    pf_writer *w = *out;
    if (standard) w->fd = STDOUT_FILENO;
    else if (replaceable(path)) w->fd = open_temporary(w);
    else w->fd = open(path, O_WRONLY | O_CLOEXEC);
    w->own_fd = !standard;
    if (w->fd >= 0) return PF_OK;
    failed(w);
    pf_writer_free(w);
    *out = NULL;
    return PF_EIO;
}

pf_err pf_writer_descriptor(int fd, const char *name, pf_writer **out) {
    PF_TRY(writer_new(name, out));
    (*out)->fd = fd;
    return PF_OK;
}

pf_err pf_writer_memory(pf_writer **out) { return writer_new("memory", out); }

const unsigned char *pf_writer_bytes(const pf_writer *w, size_t *n) {
    assert(w->fd < 0);
    *n = w->n;
    return w->buf;
}

const char *pf_writer_temporary(const pf_writer *w) { return w->temporary; }

void pf_writer_no_sync(pf_writer *w) { w->no_sync = true; }

void pf_writer_clear(pf_writer *w) {
    assert(w->fd < 0);
    w->n = 0;
}

static pf_err write_all(pf_writer *w, const unsigned char *at, size_t n) {
    while (n) {
        ssize_t k = write(w->fd, at, n);
        if (k < 0 && pfi_try_again(w->fd, POLLOUT)) continue;
        if (k < 0) return failed(w);
        at += k;
        n -= (size_t)k;
    }
    return PF_OK;
}

pf_err pf_writer_flush(pf_writer *w) {
    if (w->err || w->fd < 0) return w->err;
    size_t n = w->n;
    w->n = 0;
    return write_all(w, w->buf, n);
}

pf_err pf_writer_put(pf_writer *w, const void *bytes, size_t n) {
    if (w->err || !n) return w->err;
    assert(bytes);
    if (w->fd >= 0 && w->n + n > BUFFER) {
        PF_TRY(pf_writer_flush(w));
        if (n > BUFFER) return write_all(w, bytes, n);
    }
    if ((w->err = pf_vec_reserve(&w->buf, &w->cap, w->n + n, 1))) return w->err;
    memcpy(w->buf + w->n, bytes, n);
    w->n += n;
    return PF_OK;
}

pf_err pf_writer_u32(pf_writer *w, uint32_t x) {
    unsigned char b[4];
    for (int i = 0; i < 4; i++) b[i] = (unsigned char)(x >> 8 * i);
    return pf_writer_put(w, b, sizeof b);
}

pf_err pf_writer_u64(pf_writer *w, uint64_t x) {
    unsigned char b[8];
    for (int i = 0; i < 8; i++) b[i] = (unsigned char)(x >> 8 * i);
    return pf_writer_put(w, b, sizeof b);
}

pf_err pf_writer_f32(pf_writer *w, float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return pf_writer_u32(w, bits);
}

pf_err pf_writer_f64(pf_writer *w, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return pf_writer_u64(w, bits);
}

pf_err pf_writer_string(pf_writer *w, const char *bytes, size_t n) {
    if (n > INT32_MAX) return w->err = pf_fail(PF_ELIMIT, "%s: a string of %zu bytes is too long", w->path, n);
    PF_TRY(pf_writer_u32(w, (uint32_t)n));
    return pf_writer_put(w, bytes, n);
}

pf_err pf_writer_text(pf_writer *w, const char *format, ...) {
    char few[256];
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = vsnprintf(few, sizeof few, format, ap);
    va_end(ap);
    pf_err err = PF_OK;
    if (n >= 0 && (size_t)n < sizeof few) err = pf_writer_put(w, few, (size_t)n);
    else if (n >= 0) {
        char *many = malloc((size_t)n + 1);
        if (many) vsnprintf(many, (size_t)n + 1, format, again);
        err = many ? pf_writer_put(w, many, (size_t)n) : pf_nomem();
        free(many);
    }
    va_end(again);
    return err;
}

pf_err pf_writer_close(pf_writer *w) {
    PF_TRY(pf_writer_flush(w));
    if (w->fd < 0) return PF_OK;
    int fd = w->fd;
    if (w->temporary && !w->no_sync && fsync(fd) != 0) return failed(w);
    w->fd = -1;
    if (w->own_fd && close(fd) != 0) return failed(w);
    if (!w->temporary) return PF_OK;
    if (rename(w->temporary, w->target) != 0) return failed(w);
    free(w->temporary);
    w->temporary = NULL;
    return PF_OK;
}

void pf_writer_free(pf_writer *w) {
    if (!w) return;
    if (w->own_fd && w->fd >= 0) close(w->fd);
    if (w->temporary) unlink(w->temporary);
    free(w->temporary);
    free(w->target);
    free(w->path);
    free(w->buf);
    free(w);
}
