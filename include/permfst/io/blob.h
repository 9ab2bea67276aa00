/* A shared operand: a model, or an automaton that many compositions use.
 *
 * A stream carries its bytes once, before the first use; records name it by a hash of the bytes. It has its bytes, or the
 * object that they describe, or both, and makes the one of the other when it is asked: a model that was made in this process
 * is used as it is, and becomes bytes only if somebody writes it; what was read becomes an object only if somebody uses it.
 * Bytes that the object can give again are not kept beside it.
 *
 * Several threads may use one at the same time: each makes nothing twice, the others wait for it. References, names and classes
 * are O(1); reading, writing and hashing are O(bytes), once for each blob. */
#ifndef PF_IO_BLOB_H
#define PF_IO_BLOB_H

#include <permfst/base/reader.h>
#include <permfst/base/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PF_HASH_BYTES = 16 };

typedef struct pf_blob pf_blob;

/* What can be done with the objects of a class. */
typedef struct {
    pf_err (*write)(const void *object, pf_writer *writer); /* the same bytes each time, those it was made of if it was; NULL: the
                                                               object was made of bytes, which must stay */
    void (*free)(void *object);
} pf_blob_ops;

/* Makes a blob of an object, which belongs to the blob from now on, also when this fails. `ops` has write(). O(1). PF_ENOMEM. */
pf_err pf_blob_of_object(const char *cls, const pf_blob_ops *ops, void *object, pf_blob **out);

/* From now on the blob travels by name: as the path of a file that holds it, and its hash. To be called before other threads
 * know the blob. The path is copied. PF_ENOMEM. */
pf_err pf_blob_by_name(pf_blob *blob, const char *path);

/* References are counted atomically. */
pf_blob *pf_blob_ref(pf_blob *blob);
void pf_blob_free(pf_blob *blob); /* gives a reference back; NULL is accepted */

const char *pf_blob_class(const pf_blob *blob); /* "ngram", "tuples", or "fst" */
const char *pf_blob_path(const pf_blob *blob);  /* NULL: by value */

/* The hash of its bytes; they are made first where there are none yet, O(size). Errors of writing. */
pf_err pf_blob_hash(pf_blob *blob, unsigned char hash[PF_HASH_BYTES]);
void pf_hash_bytes(const void *bytes, size_t length, unsigned char hash[PF_HASH_BYTES]);

/* What an object is made of: bytes, which it may keep a reference of, or, where they are NULL, the file at `path`, whose content
 * must have the hash. */
typedef struct {
    const char *cls, *path;
    pf_bytes *bytes;
    const unsigned char *hash;
} pf_blob_source;
typedef pf_err (*pf_blob_make)(const pf_blob_source *from, const pf_blob_ops **ops, void **object);

/* The object, made by `make` when first asked for; borrowed, it lives as long as the blob. Where making fails the next call
 * tries again. Errors of `make`. */
pf_err pf_blob_object(pf_blob *blob, pf_blob_make make, void **out);

/* The same, and the object leaves the blob, which nobody else may have and which can only be freed then. *object belongs to the
 * caller, who frees it with *ops. Errors of `make`. */
pf_err pf_blob_take(pf_blob *blob, pf_blob_make make, const pf_blob_ops **ops, void **object);

/* A model or define record has a head (class, hash, then path or size), and after it the bytes, unless it has a path. Both may be
 * written any number of times. PF_ENOMEM, PF_EIO. */
pf_err pf_blob_write_head(pf_writer *writer, pf_blob *blob);
pf_err pf_blob_write_bytes(pf_writer *writer, pf_blob *blob);

/* Reads a head from one reader and the bytes, whose hash is checked, from the same or another one. PF_EINPUT. */
pf_err pf_blob_read(pf_reader *head, pf_reader *bytes, pf_blob **out);

#ifdef __cplusplus
}
#endif
#endif
