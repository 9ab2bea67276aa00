/* Shared operands: bytes and objects, each made of the other under a lock. */
#include <permfst/io/blob.h>

#include "io/io_impl.h"

#include <permfst/base/hash.h>

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BY_VALUE, BY_NAME };
enum { PATH_LIMIT = 4096, CLASS_BYTES = 32 };

struct pf_blob {
    unsigned refs; /* atomic */
    char cls[CLASS_BYTES];
    char *path;           /* NULL: by value */
    pthread_mutex_t lock; /* of all that follows */
    bool hashed;
    unsigned char hash[PF_HASH_BYTES];
    pf_bytes *bytes;      /* NULL: the object gives them, or the file */
    void *object;         /* NULL: not made yet */
    const pf_blob_ops *ops;
};

pf_blob *pf_blob_ref(pf_blob *blob) {
    __atomic_add_fetch(&blob->refs, 1, __ATOMIC_RELAXED);
    return blob;
}

void pf_blob_free(pf_blob *blob) {
    if (!blob || __atomic_sub_fetch(&blob->refs, 1, __ATOMIC_ACQ_REL)) return;
    if (blob->object) blob->ops->free(blob->object);
    pthread_mutex_destroy(&blob->lock);
    free(blob->path);
    pf_bytes_free(blob->bytes);
    free(blob);
}

void pf_hash_bytes(const void *bytes, size_t n, unsigned char hash[PF_HASH_BYTES]) {
    uint64_t half[2];
    pf_hash_two(bytes, n, 1, 2, half);
    for (unsigned i = 0; i < PF_HASH_BYTES; i++) hash[i] = (unsigned char)(half[i / 8] >> 8 * (i % 8));
}

static void hash_of(pf_bytes *bytes, unsigned char hash[PF_HASH_BYTES]) {
    size_t n;
    const unsigned char *at = pf_bytes_at(bytes, &n);
    pf_hash_bytes(at, n, hash);
}

const char *pf_blob_class(const pf_blob *blob) { return blob->cls; }
const char *pf_blob_path(const pf_blob *blob) { return blob->path; }

static pf_err blob_make(const char *cls, pf_blob **out) {
    pf_blob *blob = calloc(1, sizeof *blob);
    if (!blob) return pf_nomem();
    if (pthread_mutex_init(&blob->lock, NULL)) {
        free(blob);
        return pf_nomem();
    }
    blob->refs = 1;
    assert(strlen(cls) < sizeof blob->cls);
    strncpy(blob->cls, cls, sizeof blob->cls - 1);
    *out = blob;
    return PF_OK;
}

static pf_err copy_bytes(pf_blob *blob, const void *bytes, size_t n) {
    unsigned char *copy = malloc(n ? n : 1);
    if (!copy) return pf_nomem();
    if (n) memcpy(copy, bytes, n);
    return pf_bytes_of(copy, n, &blob->bytes);
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

pf_err pf_blob_by_name(pf_blob *blob, const char *path) {
    char *copy = strdup(path);
    if (!copy) return pf_nomem();
    free(blob->path);
    blob->path = copy;
    return PF_OK;
}

/* ---- one of the other, under the lock ---- */

/* Bytes that the object can give again need no room. */
static void drop_bytes(pf_blob *blob) {
    if (!blob->object || !blob->ops->write) return;
    pf_bytes_free(blob->bytes);
    blob->bytes = NULL;
}

/* A record has named the hash already, so later bytes must have it too. */
static pf_err check_again(const pf_blob *blob) {
    unsigned char hash[PF_HASH_BYTES];
    hash_of(blob->bytes, hash);
    if (memcmp(hash, blob->hash, sizeof hash) == 0) return PF_OK;
    return pf_fail(PF_EINPUT, "the model's bytes are not what a model of class '%s' writes", blob->cls);
}

static pf_err make_bytes(pf_blob *blob) {
    pf_writer *writer;
    size_t n;
    if (blob->bytes) return PF_OK;
    assert(blob->object && blob->ops->write);
    PF_TRY(pf_writer_memory(&writer));
    pf_err err = blob->ops->write(blob->object, writer);
    const unsigned char *bytes = pf_writer_bytes(writer, &n);
    if (!err) err = copy_bytes(blob, bytes, n);
    pf_writer_free(writer);
    if (!err && blob->hashed) return check_again(blob);
    if (!err) hash_of(blob->bytes, blob->hash);
    blob->hashed = !err;
    return err;
}

static pf_err make_hash(pf_blob *blob) {
    if (blob->hashed) return PF_OK;
    PF_TRY(make_bytes(blob));
    if (blob->path) drop_bytes(blob); /* they do not travel */
    return PF_OK;
}

static pf_err make_object(pf_blob *blob, pf_blob_make make) {
    pf_blob_source from = {blob->cls, blob->path, blob->bytes, blob->hash};
    if (blob->object) return PF_OK;
    PF_TRY(make(&from, &blob->ops, &blob->object));
    assert(blob->object && blob->ops->free);
    drop_bytes(blob);
    return PF_OK;
}

pf_err pf_blob_hash(pf_blob *blob, unsigned char hash[PF_HASH_BYTES]) {
    pthread_mutex_lock(&blob->lock);
    pf_err err = make_hash(blob);
    if (!err) memcpy(hash, blob->hash, PF_HASH_BYTES);
    pthread_mutex_unlock(&blob->lock);
    return err;
}

pf_err pf_blob_object(pf_blob *blob, pf_blob_make make, void **out) {
    pthread_mutex_lock(&blob->lock);
    pf_err err = make_object(blob, make);
    *out = err ? NULL : blob->object;
    pthread_mutex_unlock(&blob->lock);
    return err;
}

pf_err pf_blob_take(pf_blob *blob, pf_blob_make make, const pf_blob_ops **ops, void **object) {
    assert(blob->refs == 1);
    PF_TRY(pf_blob_object(blob, make, object));
    *ops = blob->ops;
    blob->object = NULL;
    return PF_OK;
}

/* ---- records ---- */

/* Their size is in the head, so they are made there, and stay until they are written. */
static pf_err write_head(pf_writer *writer, pf_blob *blob) {
    size_t n;
    PF_TRY(blob->path ? make_hash(blob) : make_bytes(blob));
    PF_TRY(pf_writer_put(writer, blob->hash, sizeof blob->hash));
    PF_TRY(pf_writer_u32(writer, blob->path ? BY_NAME : BY_VALUE));
    if (blob->path) return pf_writer_string(writer, blob->path, strlen(blob->path));
    pf_bytes_at(blob->bytes, &n);
    return pf_writer_u64(writer, n);
}

static pf_err write_value(pf_writer *writer, pf_blob *blob) {
    size_t n;
    PF_TRY(make_bytes(blob));
    const unsigned char *at = pf_bytes_at(blob->bytes, &n);
    pf_err err = pf_writer_put(writer, at, n);
    drop_bytes(blob);
    return err;
}

pf_err pf_blob_write_head(pf_writer *writer, pf_blob *blob) {
    PF_TRY(pf_writer_string(writer, blob->cls, strlen(blob->cls)));
    pthread_mutex_lock(&blob->lock);
    pf_err err = write_head(writer, blob);
    pthread_mutex_unlock(&blob->lock);
    return err;
}

pf_err pf_blob_write_bytes(pf_writer *writer, pf_blob *blob) {
    if (blob->path) return PF_OK;
    pthread_mutex_lock(&blob->lock);
    pf_err err = write_value(writer, blob);
    pthread_mutex_unlock(&blob->lock);
    return err;
}

static pf_err read_bytes(pf_reader *reader, uint64_t claimed, pf_blob *blob) {
    unsigned char hash[PF_HASH_BYTES];
    PF_TRY(pf_reader_share(reader, claimed, "the bytes of a model", &blob->bytes));
    hash_of(blob->bytes, hash);
    if (memcmp(hash, blob->hash, sizeof hash) == 0) return PF_OK;
    return pf_reader_fail(reader, "the model's bytes are damaged: they do not have the hash that the record states");
}

static pf_err read_body(pf_reader *head, pf_reader *bytes, pf_blob *blob) {
    uint32_t how;
    uint64_t claimed;
    PF_TRY(pf_reader_get(head, blob->hash, sizeof blob->hash, "the hash of a model"));
    blob->hashed = true;
    PF_TRY(pf_reader_u32(head, &how, "how a model is carried"));
    if (how == BY_NAME) return pf_reader_string(head, &blob->path, NULL, PATH_LIMIT, "the path of a model");
    if (how != BY_VALUE)
        return pf_reader_fail(head, "expected a model by value (%d) or by name (%d), found %u", BY_VALUE, BY_NAME, how);
    PF_TRY(pf_reader_u64(head, &claimed, "the size of a model"));
    if (!claimed) return pf_reader_fail(head, "expected the bytes of a model, found a size of 0");
    return read_bytes(bytes, claimed, blob);
}

pf_err pf_blob_read(pf_reader *head, pf_reader *bytes, pf_blob **out) {
    char *cls = NULL;
    *out = NULL;
    PF_TRY(pf_reader_string(head, &cls, NULL, CLASS_BYTES - 1, "the class of a model"));
    pf_err err = blob_make(cls, out);
    free(cls);
    if (!err && (err = read_body(head, bytes, *out))) {
        pf_blob_free(*out);
        *out = NULL;
    }
    return err;
}
