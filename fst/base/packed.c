/* Packed numbers: made, written and read. */
#include "base/packed.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

/* A look takes eight bytes, from that of the first bit on. */
enum { SLACK = sizeof(uint64_t) - 1, ALIGNED = 4 };

size_t pfi_packed_size(const pfi_packed *table) {
    return ((table->n * table->bits + 7) / 8 + SLACK + ALIGNED - 1) / ALIGNED * ALIGNED;
}

/* A table of which nothing is there but its size. */
static pf_err begin(size_t n, uint32_t most, pfi_packed *out) {
    if (n > (SIZE_MAX - 8 * (SLACK + ALIGNED)) / 32) return pf_fail(PF_ELIMIT, "no memory has room for a table of %zu numbers", n);
    *out = (pfi_packed){.n = n, .bits = pfi_bits(most)};
    return PF_OK;
}

pf_err pfi_packed_new(size_t n, uint32_t most, pfi_packed *out) {
    PF_TRY(begin(n, most, out));
    if (!(out->own = calloc(pfi_packed_size(out), 1))) return pf_nomem();
    out->at = out->own;
    return PF_OK;
}

void pfi_packed_set(pfi_packed *table, size_t i, uint32_t value) {
    const size_t bit = i * table->bits;
    unsigned char *at = table->own + bit / 8;
    assert(i < table->n && pfi_bits(value) <= table->bits && !pfi_packed_at(table, i));
    for (uint64_t rest = (uint64_t)value << bit % 8; rest; rest >>= 8) *at++ |= (unsigned char)(rest & 0xff);
}

void pfi_packed_free(pfi_packed *table) {
    free(table->own);
    *table = (pfi_packed){0};
}

/* Of the last byte that has bits of a number, the others; and all bytes after it. */
static bool ends_in_zeros(const pfi_packed *table) {
    const size_t bits = table->n * table->bits, end = pfi_packed_size(table);
    size_t at = bits / 8;
    if (table->at[at] >> bits % 8) return false;
    while (++at < end && !table->at[at]) {}
    return at == end;
}

pf_err pfi_packed_write(const pfi_packed *table, pf_writer *writer) {
    return pf_writer_put(writer, table->at, pfi_packed_size(table));
}

pf_err pfi_packed_read(pf_reader *reader, size_t n, uint32_t most, const char *what, pf_bytes **in, pfi_packed *out) {
    *in = NULL;
    PF_TRY(begin(n, most, out));
    out->at = pf_reader_in_place(reader, pfi_packed_size(out), 1, in);
    if (!out->at) {
        PF_TRY(pf_reader_claimed(reader, pfi_packed_size(out), what, &out->own));
        out->at = out->own;
    }
    return ends_in_zeros(out) ? PF_OK : pf_reader_fail(reader, "expected zeros after %s", what);
}
