/* Shared operands as bytes. */
#include <permfst/io/blob.h>

#include <permfst/base/hash.h>
#include <permfst/base/vec.h>

#include <stdlib.h>
#include <string.h>

enum { BY_VALUE, BY_NAME };
enum { PATH_LIMIT = 4096, CHUNK = 1 << 20 };

pf_blob *pf_blob_ref(pf_blob *b) {
    __atomic_add_fetch(&b->refs, 1, __ATOMIC_RELAXED);
    return b;
}

void pf_blob_free(pf_blob *b) {
    if (!b || __atomic_sub_fetch(&b->refs, 1, __ATOMIC_ACQ_REL)) return;
    if (b->object_free) b->object_free(b->object);
    free(b->path);
    free(b->bytes);
    free(b);
}

void pf_blob_drop_bytes(pf_blob *b) {
    if (!b->bytes) return; /* by another record, whose thread may be at work with it */
    free(b->bytes);
    b->bytes = NULL;
}

void pf_blob_hash(const void *bytes, size_t n, unsigned char hash[PF_HASH_BYTES]) {
    for (unsigned half = 0; half < 2; half++) {
        uint64_t h = pf_hash(bytes, n, half + 1);
        for (unsigned i = 0; i < 8; i++) hash[8 * half + i] = (unsigned char)(h >> 8 * i);
    }
}

static pf_err blob_make(const char *cls, pf_blob **out) {
    pf_blob *b = calloc(1, sizeof *b);
    if (!b) return pf_nomem();
    b->refs = 1;
    strncpy(b->cls, cls, sizeof b->cls - 1);
    *out = b;
    return PF_OK;
}

pf_err pf_blob_new(const char *cls, const void *bytes, size_t n, pf_blob **out) {
    PF_TRY(blob_make(cls, out));
    pf_blob *b = *out;
    if (!(b->bytes = malloc(n ? n : 1))) {
        pf_blob_free(b);
        return pf_nomem();
    }
    if (n) memcpy(b->bytes, bytes, n);
    b->n = n;
    pf_blob_hash(bytes, n, b->hash);
    return PF_OK;
}

pf_err pf_blob_write(pf_writer *w, const pf_blob *b) {
    PF_TRY(pf_writer_string(w, b->cls, strlen(b->cls)));
    PF_TRY(pf_writer_put(w, b->hash, sizeof b->hash));
    PF_TRY(pf_writer_u32(w, b->path ? BY_NAME : BY_VALUE));
    if (b->path) return pf_writer_string(w, b->path, strlen(b->path));
    PF_TRY(pf_writer_u64(w, b->n));
    return pf_writer_put(w, b->bytes, b->n);
}

/* The size is a claim: memory grows with what comes. */
static pf_err read_bytes(pf_reader *r, pf_blob *b) {
    uint64_t claimed;
    size_t cap = 0;
    PF_TRY(pf_reader_u64(r, &claimed, "the size of a model"));
    if (!claimed) return pf_reader_fail(r, "expected the bytes of a model, found a size of 0");
    while (b->n < claimed) {
        size_t piece = claimed - b->n < CHUNK ? (size_t)(claimed - b->n) : CHUNK;
        PF_TRY(pf_vec_reserve(&b->bytes, &cap, b->n + piece, 1));
        PF_TRY(pf_reader_get(r, b->bytes + b->n, piece, "the bytes of a model"));
        b->n += piece;
    }
    unsigned char hash[PF_HASH_BYTES];
    pf_blob_hash(b->bytes, b->n, hash);
    if (memcmp(hash, b->hash, sizeof hash) == 0) return PF_OK;
    return pf_reader_fail(r, "the model's bytes are damaged: they do not have the hash that the record states");
}

static pf_err read_body(pf_reader *r, pf_blob *b) {
    uint32_t how;
    PF_TRY(pf_reader_get(r, b->hash, sizeof b->hash, "the hash of a model"));
    PF_TRY(pf_reader_u32(r, &how, "how a model is carried"));
    if (how == BY_NAME) return pf_reader_string(r, &b->path, NULL, PATH_LIMIT, "the path of a model");
    if (how == BY_VALUE) return read_bytes(r, b);
    return pf_reader_fail(r, "expected a model by value (%d) or by name (%d), found %u", BY_VALUE, BY_NAME, how);
}

pf_err pf_blob_read(pf_reader *r, pf_blob **out) {
    char *cls = NULL;
    PF_TRY(pf_reader_string(r, &cls, NULL, sizeof ((pf_blob *)NULL)->cls - 1, "the class of a model"));
    pf_err err = blob_make(cls, out);
    free(cls);
    if (!err && (err = read_body(r, *out))) {
        pf_blob_free(*out);
        *out = NULL;
    }
    return err;
}
