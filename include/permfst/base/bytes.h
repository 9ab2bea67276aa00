/* Bytes that several hold and nobody changes: in memory, or a part of a file that is mapped into it.
 *
 * What is mapped is read by the system when it is looked at. A file that is replaced stays as it was for those who have mapped it;
 * one that is written to, or cut, changes under them, which nothing here can notice. All calls are O(1), but for what the system
 * does. */
#ifndef PF_BASE_BYTES_H
#define PF_BASE_BYTES_H

#include <permfst/base/err.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_bytes pf_bytes;

/* Bytes of one reference: n bytes that malloc has given, and which belong to them from now on, also when this fails. PF_ENOMEM. */
pf_err pf_bytes_of(unsigned char *at, size_t n, pf_bytes **out);

/* Bytes of one reference: length > 0 bytes of a regular file, from `offset` on. *out = NULL where it has fewer or can't be mapped.
 * PF_ENOMEM. */
pf_err pf_bytes_map(int fd, uint64_t offset, size_t length, pf_bytes **out);

/* References are counted atomically. */
pf_bytes *pf_bytes_ref(pf_bytes *bytes);
void pf_bytes_free(pf_bytes *bytes); /* gives a reference back; NULL is accepted */

const unsigned char *pf_bytes_at(const pf_bytes *bytes, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
