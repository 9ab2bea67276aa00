/* Shared operands: bytes and objects, each made of the other under a lock. */
#include <permfst/io/blob.h>

#include <permfst/base/hash.h>
#include <permfst/base/vec.h>

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BY_VALUE, BY_NAME };
enum { PATH_LIMIT = 4096, CHUNK = 1 << 20, CLASS_BYTES = 32 };

struct pf_blob {
    unsigned refs; /* atomic */
    char cls[CLASS_BYTES];
    char *path;           /* NULL: by value */
    pthread_mutex_t lock; /* of all that follows */
    bool hashed;
    unsigned char hash[PF_HASH_BYTES];
    unsigned char *bytes; /* NULL: the object gives them, or the file */
    size_t n;
    void *object;         /* NULL: not made yet */
    const pf_blob_ops *ops;
};

pf_blob *pf_blob_ref(pf_blob *b) {
    __atomic_add_fetch(&b->refs, 1, __ATOMIC_RELAXED);
    return b;
}

void pf_blob_free(pf_blob *b) {
    if (!b || __atomic_sub_fetch(&b->refs, 1, __ATOMIC_ACQ_REL)) return;
    if (b->object) b->ops->free(b->object);
    pthread_mutex_destroy(&b->lock);
    free(b->path);
    free(b->bytes);
    free(b);
}

void pf_hash_bytes(const void *bytes, size_t n, unsigned char hash[PF_HASH_BYTES]) {
    for (unsigned half = 0; half < 2; half++) {
        uint64_t h = pf_hash(bytes, n, half + 1);
        for (unsigned i = 0; i < 8; i++) hash[8 * half + i] = (unsigned char)(h >> 8 * i);
    }
}

const char *pf_blob_class(const pf_blob *b) { return b->cls; }
const char *pf_blob_path(const pf_blob *b) { return b->path; }

static pf_err blob_make(const char *cls, pf_blob **out) {
    pf_blob *b = calloc(1, sizeof *b);
    if (!b) return pf_nomem();
    if (pthread_mutex_init(&b->lock, NULL)) {
        free(b);
        return pf_nomem();
    }
    b->refs = 1;
    strncpy(b->cls, cls, sizeof b->cls - 1);
    *out = b;
    return PF_OK;
}

static pf_err copy_bytes(pf_blob *b, const void *bytes, size_t n) {
    if (!(b->bytes = malloc(n ? n : 1))) return pf_nomem();
    if (n) memcpy(b->bytes, bytes, n);
    b->n = n;
    return PF_OK;
}

pf_err pf_blob_new(const char *cls, const void *bytes, size_t n, pf_blob **out) {
    PF_TRY(blob_make(cls, out));
    pf_hash_bytes(bytes, n, (*out)->hash);
    (*out)->hashed = true;
    pf_err err = copy_bytes(*out, bytes, n);
    if (!err) return PF_OK;
    pf_blob_free(*out);
    *out = NULL;
    return err;
}

pf_err pf_blob_of_object(const char *cls, const pf_blob_ops *ops, void *object, pf_blob **out) {
    assert(ops->write && object);
    pf_err err = blob_make(cls, out);
    if (err) {
        ops->free(object);
        return err;
    }
    (*out)->object = object;
    (*out)->ops = ops;
    return PF_OK;
}

pf_err pf_blob_by_name(pf_blob *b, const char *path) {
    char *copy = strdup(path);
    if (!copy) return pf_nomem();
    free(b->path);
    b->path = copy;
    return PF_OK;
}

/* ---- one of the other, under the lock ---- */

/* Bytes that the object can give again need no room. */
static void drop_bytes(pf_blob *b) {
    if (!b->object || !b->ops->write) return;
    free(b->bytes);
    b->bytes = NULL;
}

/* A record has named the hash already, so later bytes must have it too. */
static pf_err check_again(const pf_blob *b) {
    unsigned char hash[PF_HASH_BYTES];
    pf_hash_bytes(b->bytes, b->n, hash);
    if (memcmp(hash, b->hash, sizeof hash) == 0) return PF_OK;
    return pf_fail(PF_EINPUT, "the model's bytes were not those that a model of class '%s' is written as", b->cls);
}

static pf_err make_bytes(pf_blob *b) {
    pf_writer *w;
    size_t n;
    if (b->bytes) return PF_OK;
    assert(b->object && b->ops->write);
    PF_TRY(pf_writer_memory(&w));
    pf_err err = b->ops->write(b->object, w);
    const unsigned char *bytes = pf_writer_bytes(w, &n);
    if (!err) err = copy_bytes(b, bytes, n);
    pf_writer_free(w);
    if (!err && b->hashed) return check_again(b);
    if (!err) pf_hash_bytes(b->bytes, b->n, b->hash);
    b->hashed = !err;
    return err;
}

static pf_err make_hash(pf_blob *b) {
    if (b->hashed) return PF_OK;
    PF_TRY(make_bytes(b));
    if (b->path) drop_bytes(b); /* they do not travel */
    return PF_OK;
}

static pf_err make_object(pf_blob *b, pf_blob_make make) {
    pf_blob_source from = {b->cls, b->path, b->bytes, b->n, b->hash};
    if (b->object) return PF_OK;
    PF_TRY(make(&from, &b->ops, &b->object));
    assert(b->object && b->ops->free);
    drop_bytes(b);
    return PF_OK;
}

pf_err pf_blob_hash(pf_blob *b, unsigned char hash[PF_HASH_BYTES]) {
    pthread_mutex_lock(&b->lock);
    pf_err err = make_hash(b);
    if (!err) memcpy(hash, b->hash, PF_HASH_BYTES);
    pthread_mutex_unlock(&b->lock);
    return err;
}

pf_err pf_blob_object(pf_blob *b, pf_blob_make make, void **out) {
    pthread_mutex_lock(&b->lock);
    pf_err err = make_object(b, make);
    *out = err ? NULL : b->object;
    pthread_mutex_unlock(&b->lock);
    return err;
}

pf_err pf_blob_take(pf_blob *b, pf_blob_make make, const pf_blob_ops **ops, void **object) {
    assert(b->refs == 1);
    PF_TRY(pf_blob_object(b, make, object));
    *ops = b->ops;
    b->object = NULL;
    return PF_OK;
}

/* ---- records ---- */

static pf_err write_value(pf_writer *w, pf_blob *b) {
    PF_TRY(make_bytes(b));
    pf_err err = pf_writer_u64(w, b->n);
    if (!err) err = pf_writer_put(w, b->bytes, b->n);
    drop_bytes(b);
    return err;
}

static pf_err write_body(pf_writer *w, pf_blob *b) {
    PF_TRY(make_hash(b));
    PF_TRY(pf_writer_put(w, b->hash, sizeof b->hash));
    PF_TRY(pf_writer_u32(w, b->path ? BY_NAME : BY_VALUE));
    return b->path ? pf_writer_string(w, b->path, strlen(b->path)) : write_value(w, b);
}

pf_err pf_blob_write(pf_writer *w, pf_blob *b) {
    PF_TRY(pf_writer_string(w, b->cls, strlen(b->cls)));
    pthread_mutex_lock(&b->lock);
    pf_err err = write_body(w, b);
    pthread_mutex_unlock(&b->lock);
    return err;
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
    pf_hash_bytes(b->bytes, b->n, hash);
    if (memcmp(hash, b->hash, sizeof hash) == 0) return PF_OK;
    return pf_reader_fail(r, "the model's bytes are damaged: they do not have the hash that the record states");
}

static pf_err read_body(pf_reader *r, pf_blob *b) {
    uint32_t how;
    PF_TRY(pf_reader_get(r, b->hash, sizeof b->hash, "the hash of a model"));
    b->hashed = true;
    PF_TRY(pf_reader_u32(r, &how, "how a model is carried"));
    if (how == BY_NAME) return pf_reader_string(r, &b->path, NULL, PATH_LIMIT, "the path of a model");
    if (how == BY_VALUE) return read_bytes(r, b);
    return pf_reader_fail(r, "expected a model by value (%d) or by name (%d), found %u", BY_VALUE, BY_NAME, how);
}

pf_err pf_blob_read(pf_reader *r, pf_blob **out) {
    char *cls = NULL;
    PF_TRY(pf_reader_string(r, &cls, NULL, CLASS_BYTES - 1, "the class of a model"));
    pf_err err = blob_make(cls, out);
    free(cls);
    if (!err && (err = read_body(r, *out))) {
        pf_blob_free(*out);
        *out = NULL;
    }
    return err;
}
