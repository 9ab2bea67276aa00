/* Ordinary automata in OpenFst's binary format: `vector` read and written, `const` (both alignments) read.
 *
 * Each call is O(bytes). */
#ifndef PF_IO_BIN_H
#define PF_IO_BIN_H

#include <permfst/io/header.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Is it a record of an ordinary automaton? */
bool pf_bin_is(const pf_header *header);

/* Reads what follows the header. `begin` is the offset of the header (alignment counts from there). A vector with state
 * count -1 runs to the end of the input. Counts, ids and weights are checked;
 * property bits are not believed. *out belongs to the caller. PF_EINPUT with record and byte. */
pf_err pf_bin_read(pf_reader *reader, const pf_header *header, uint64_t begin, pf_fst **out);

/* Writes a machine as `vector`, header included, with its symbol tables. A lazy machine is expanded whole, its states in
 * the order of their ids; an error of the expansion is returned before a byte is written. PF_ELIMIT: it
 * has more than 2^31 - 1 states. Errors of the writer. */
pf_err pf_bin_write(pf_writer *writer, pf_fst *fst);

#ifdef __cplusplus
}
#endif
#endif
