/* A shared operand: a model, or an automaton that many compositions use, as the bytes that travel in a stream.
 *
 * A stream carries it once, before its first use; records name it by a hash of its bytes. Whoever needs the object behind
 * the bytes makes it once and leaves it here (see ops/open.h); whoever only passes it on never looks inside. */
#ifndef PF_IO_BLOB_H
#define PF_IO_BLOB_H

#include <permfst/base/reader.h>
#include <permfst/base/writer.h>
#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PF_HASH_BYTES = 16 };

typedef struct {
    unsigned refs;
    char cls[32];                      /* "ngram", "tuples", or "fst" */
    unsigned char hash[PF_HASH_BYTES]; /* of the bytes */
    char *path;                        /* by name: a file that holds it; NULL: by value */
    unsigned char *bytes;              /* NULL: by name, or dropped once the object was made */
    size_t n;
    void *object;                      /* what the bytes describe, once made */
    void (*object_free)(void *object);
} pf_blob;

/* A blob of n bytes, which are copied. *out has one reference. PF_ENOMEM. */
pf_err pf_blob_new(const char *cls, const void *bytes, size_t n, pf_blob **out);

/* References are counted atomically. */
pf_blob *pf_blob_ref(pf_blob *blob);
void pf_blob_free(pf_blob *blob); /* gives a reference back */

/* Gives back the bytes; from then on the blob can be used, not written. A second time changes nothing. */
void pf_blob_drop_bytes(pf_blob *blob);

void pf_blob_hash(const void *bytes, size_t n, unsigned char hash[PF_HASH_BYTES]);

/* The body of a model or define record: class, hash, then path, or size and bytes, whose hash is checked. */
pf_err pf_blob_write(pf_writer *writer, const pf_blob *blob);
pf_err pf_blob_read(pf_reader *reader, pf_blob **out);

#ifdef __cplusplus
}
#endif
#endif
