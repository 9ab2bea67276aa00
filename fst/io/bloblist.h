/* Private to io: the shared operands that a stream has defined, by their hashes. */
#ifndef PF_IO_BLOBLIST_H
#define PF_IO_BLOBLIST_H

#include <permfst/base/statetab.h>
#include <permfst/base/vec.h>
#include <permfst/io/blob.h>

typedef struct {
    pf_statetab hashes;
    PF_VEC(pf_blob *) blob;
} pfi_bloblist;

void pfi_bloblist_init(pfi_bloblist *list);
void pfi_bloblist_free(pfi_bloblist *list);

/* A pf_blob_find; `self` is the list. */
pf_blob *pfi_bloblist_find(void *self, const unsigned char *hash);

/* Takes over one reference; a repeat is given back. *fresh (NULL: not asked): it is no repeat. */
pf_err pfi_bloblist_add(pfi_bloblist *list, pf_blob *blob, bool *fresh);

#endif
