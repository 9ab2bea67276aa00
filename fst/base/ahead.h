/* Reading ahead: a thread of its own reads, and unpacks, what its owner will take next. Unpacking a large file then takes no time
 * of those who read it. */
#ifndef PF_BASE_AHEAD_H
#define PF_BASE_AHEAD_H

#include <permfst/base/reader.h>

enum { PFI_AHEAD_CHUNK = 1 << 16 };

typedef struct pfi_ahead pfi_ahead;

/* A thread that reads `from`, up to a mebibyte ahead; it owns the reader. NULL where there is no memory for it, or no thread can be
 * started: then the reader stays the caller's. */
pfi_ahead *pfi_ahead_start(pf_reader *from);

/* The next PFI_AHEAD_CHUNK bytes; fewer at the end, and then none. *stored: pf_reader_stored after them. Errors are those of the
 * reader, after all that came before them. */
pf_err pfi_ahead_take(pfi_ahead *ahead, unsigned char *to, size_t *got, uint64_t *stored);

void pfi_ahead_free(pfi_ahead *ahead); /* and the reader; NULL is accepted */

#endif
