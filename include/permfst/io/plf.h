/* PLF, the lattices of Moses: one a line, ((('word',score,...,offset),...,),...,).
 *
 * The outer list has the nodes but the last, which is the end; a node lists its arcs, and an arc leads `offset` nodes on.
 * State i is node i. "*EPS*" and the empty word are epsilon. A blank line, like (), is the lattice of the empty sentence. */
#ifndef PF_IO_PLF_H
#define PF_IO_PLF_H

#include <permfst/base/reader.h>
#include <permfst/base/writer.h>
#include <permfst/io/lattice.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a line that the reader has just given. *out belongs to the caller: an acceptor with a table of its words. All arcs of a
 * line have the same number of scores; a node without arcs, an arc past the end, and a sparse feature (name=value) without a
 * scale are refused. PF_EINPUT with file, line and byte, from 1. O(line). */
pf_err pf_plf_line(const pf_reader *reader, const pf_lattice_options *options, const char *line, size_t length,
                   pf_fst **out);

/* Writes a machine as one line, its output labels as words, through its table or, with `numeric` or without one, as
 * numbers. What is on no path is left out. Nodes are in topological order, by state number where that leaves a choice. If
 * there is no single end without arcs and with cost 0, one is added at the end, to which "*EPS*" arcs with the final costs lead.
 * Probabilities and logarithms have the fewest digits that read back to the same float, or where there are none, 17.
 * PF_EINPUT: no path, a cycle, a word that cannot be written, a cost that has no probability. O(arcs + states log states). */
pf_err pf_plf_write(pf_writer *writer, pf_fst *fst, pf_plf_scores scores, bool numeric);

#ifdef __cplusplus
}
#endif
#endif
