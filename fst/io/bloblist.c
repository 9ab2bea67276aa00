/* Blobs by hash. */
#include "io/bloblist.h"

#include <assert.h>

void pfi_bloblist_init(pfi_bloblist *list) { pf_statetab_init(&list->hashes, PF_HASH_BYTES); }

void pfi_bloblist_free(pfi_bloblist *list) {
    for (size_t i = 0; i < list->blob.n; i++) pf_blob_free(list->blob.at[i]);
    PF_VEC_FREE(&list->blob);
    pf_statetab_free(&list->hashes);
}

pf_blob *pfi_bloblist_find(void *self, const unsigned char *hash) {
    pfi_bloblist *list = self;
    uint32_t id = pf_statetab_find(&list->hashes, hash, PF_HASH_BYTES);
    assert(id == UINT32_MAX || id < list->blob.n);
    return id == UINT32_MAX ? NULL : list->blob.at[id];
}

pf_err pfi_bloblist_add(pfi_bloblist *list, pf_blob *blob, bool *fresh) {
    uint32_t id;
    unsigned char hash[PF_HASH_BYTES];
    int is_new = 0;
    pf_err err = PF_ROOM(&list->blob, 1);
    if (!err) err = pf_blob_hash(blob, hash);
    if (!err) err = pf_statetab_intern(&list->hashes, hash, PF_HASH_BYTES, &id, &is_new);
    if (fresh) *fresh = is_new;
    assert(!is_new || id == list->blob.n);
    if (is_new) list->blob.at[list->blob.n++] = blob;
    else pf_blob_free(blob);
    return err;
}
