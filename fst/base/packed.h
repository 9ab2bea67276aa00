/* Tables of whole numbers that take as many bits each as the largest one needs: half the memory, for a few instructions a look.
 *
 * The bits of all numbers stand in one row, the low ones of each number first, in bytes from low to high. So a table is the same
 * bytes on all machines, and can be used where it lies in a file. Zero bytes follow, so that a look never reads past the end. */
#ifndef PF_BASE_PACKED_H
#define PF_BASE_PACKED_H

#include <permfst/base/hash.h>
#include <permfst/base/reader.h>
#include <permfst/base/writer.h>

typedef struct {
    size_t n;
    unsigned bits; /* of each number: 0 to 32 */
    const unsigned char *at;
    unsigned char *own; /* the same bytes, where they belong to the table; NULL: they are part of others */
} pfi_packed;

/* The number of bits that a number needs; 0 needs none. */
static inline unsigned pfi_bits(uint32_t value) { return value ? 32 - (unsigned)__builtin_clz(value) : 0; }

/* Number i < n. */
static inline uint32_t pfi_packed_at(const pfi_packed *table, size_t i) {
    const size_t bit = i * table->bits;
    return (uint32_t)(pf_load64(table->at + bit / 8) >> bit % 8 & ~(UINT64_MAX << table->bits));
}

/* Fetches number i into the cache; i <= n. */
static inline void pfi_packed_fetch(const pfi_packed *table, size_t i) { __builtin_prefetch(table->at + i * table->bits / 8); }

/* The bytes that a table takes: a multiple of 4. */
size_t pfi_packed_size(const pfi_packed *table);

/* A table of n zeros that are to become numbers up to `most`. The caller frees it. PF_ENOMEM, PF_ELIMIT. O(n). */
pf_err pfi_packed_new(size_t n, uint32_t most, pfi_packed *out);

/* Sets number i, once, in a table of pfi_packed_new. */
void pfi_packed_set(pfi_packed *table, size_t i, uint32_t value);

void pfi_packed_free(pfi_packed *table); /* leaves an empty table */

pf_err pfi_packed_write(const pfi_packed *table, pf_writer *writer);

/* Reads a table of n numbers up to `most`. It stays where it is, if the reader has it in bytes that stay: then *in are these, which
 * the caller must keep (pf_bytes_ref); else *in is NULL, and the table grows with what comes. The numbers may be above `most`, as
 * far as their bits allow. Errors as of pf_reader_get; PF_EINPUT also where bytes after the numbers are not zero. */
pf_err pfi_packed_read(pf_reader *reader, size_t n, uint32_t most, const char *what, pf_bytes **in, pfi_packed *out);

#endif
