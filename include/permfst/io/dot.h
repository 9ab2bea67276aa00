/* A machine as a drawing: the language of graphviz's dot. */
#ifndef PF_IO_DOT_H
#define PF_IO_DOT_H

#include <permfst/base/writer.h>
#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a machine, expanded whole, as a digraph of that name (an identifier of dot). The start state is bold, final states
 * have two circles and their costs, arcs have their labels and costs; a cost of 0 is left out. Labels are words of the
 * machine's tables, or numbers with `numeric` and where the tables lack them; an `acceptor` has one label an arc.
 * O(states + arcs). Errors of expanding and of the writer. */
pf_err pf_dot_write(pf_writer *writer, pf_fst *fst, const char *name, bool acceptor, bool numeric);

#ifdef __cplusplus
}
#endif
#endif
