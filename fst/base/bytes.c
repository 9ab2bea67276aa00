/* Shared bytes: where they lie, and how they are given back. */
#include <permfst/base/bytes.h>

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct pf_bytes {
    unsigned refs; /* atomic */
    unsigned char *begin; /* of what malloc or the system has given */
    size_t before, n;     /* the bytes are at begin + before */
    bool mapped;
};

static pf_err bytes_new(pf_bytes value, pf_bytes **out) {
    pf_bytes *bytes = malloc(sizeof *bytes);
    if (!bytes) return pf_nomem();
    *bytes = value;
    *out = bytes;
    return PF_OK;
}

pf_err pf_bytes_of(unsigned char *at, size_t n, pf_bytes **out) {
    assert(at);
    *out = NULL;
    pf_err err = bytes_new((pf_bytes){1, at, 0, n, false}, out);
    if (err) free(at);
    return err;
}

/* A map begins at a page. */
pf_err pf_bytes_map(int fd, uint64_t offset, size_t length, pf_bytes **out) {
    const size_t before = (size_t)(offset % (uint64_t)sysconf(_SC_PAGESIZE));
    struct stat it;
    assert(length > 0);
    *out = NULL;
    if (fstat(fd, &it) != 0 || !S_ISREG(it.st_mode)) return PF_OK;
    if ((uint64_t)it.st_size < offset || (uint64_t)it.st_size - offset < length || length > SIZE_MAX - before) return PF_OK;
    void *begin = mmap(NULL, before + length, PROT_READ, MAP_PRIVATE, fd, (off_t)(offset - before));
    if (begin == MAP_FAILED) return PF_OK;
    pf_err err = bytes_new((pf_bytes){1, begin, before, length, true}, out);
    if (err) munmap(begin, before + length);
    return err;
}

pf_bytes *pf_bytes_ref(pf_bytes *bytes) {
    __atomic_add_fetch(&bytes->refs, 1, __ATOMIC_RELAXED);
    return bytes;
}

void pf_bytes_free(pf_bytes *bytes) {
    if (!bytes || __atomic_sub_fetch(&bytes->refs, 1, __ATOMIC_ACQ_REL)) return;
    if (bytes->mapped) munmap(bytes->begin, bytes->before + bytes->n);
    else free(bytes->begin);
    free(bytes);
}

const unsigned char *pf_bytes_at(const pf_bytes *bytes, size_t *n) {
    *n = bytes->n;
    return bytes->begin + bytes->before;
}
