/* SLF, HTK's standard lattice format (The HTK Book, "HTK Standard Lattice Format"; SRILM's reading where HTK has none).
 *
 * Lines of fields NAME=value: a header, then nodes (I=) and links (J=) in any order, words on either. "!NULL" is epsilon. The
 * next header begins the next lattice. Sub-lattices, binary fields and cycles are refused. permcompile(1) says field by
 * field what is read. A lattice is O(bytes + nodes + links). */
#ifndef PF_IO_SLF_H
#define PF_IO_SLF_H

#include <permfst/base/reader.h>
#include <permfst/base/writer.h>
#include <permfst/io/lattice.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PF_SLF_SCORES = 99 }; /* x1 to x99 */

typedef struct pf_slf_reader pf_slf_reader;

/* Reads from a reader, with options; both must outlive it. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_slf_reader_new(pf_reader *reader, const pf_lattice_options *options, pf_slf_reader **out);
void pf_slf_reader_free(pf_slf_reader *slf);

/* The next lattice; *out = NULL at the end, else the caller's: an acceptor with a table of its words. Its states are the
 * nodes in topological order, by number where that leaves a choice. A word of the start node (of the end node, with dir=b),
 * which no link carries, gets an arc and a state of its own. PF_EINPUT with file and line, and byte, from 1, where there is
 * one. O(text + nodes log nodes). */
pf_err pf_slf_next(pf_slf_reader *slf, pf_fst **out);

/* What UTTERANCE= of the lattice read last says; NULL: it has none. Borrowed until the next one is read. */
const char *pf_slf_utterance(const pf_slf_reader *slf);

/* Writes a machine, with words and costs (a=, natural logarithms) on links; labels, nodes and errors as for pf_plf_write.
 * `plain`: without quoting, and a word that needs it is PF_EINPUT. `utterance` is what UTTERANCE= says. */
pf_err pf_slf_write(pf_writer *writer, pf_fst *fst, const char *utterance, bool plain, bool numeric);

#ifdef __cplusplus
}
#endif
#endif
