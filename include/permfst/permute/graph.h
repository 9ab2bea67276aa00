/* The itg orders of a word graph: for each of its paths, the separable orders of the path's arcs.
 *
 * The automaton reads the arcs of a path in such an order. The position of an arc is the number of the node that it leaves, from 1,
 * where nodes are in topological order; on a linear graph that is the position of the word. A state is the stack of a shift-reduce
 * parser: intervals of nodes that are covered, of which the top ones are merged where they touch (Wu 1997; Shapiro & Stephens
 * 1991). An arc may be read next if it is on one path with all that was read, and if the top interval can still grow to each lower
 * one in turn. So every state can be completed, and each order of each path is one path of the automaton. The check is
 * O(specifications). */
#ifndef PF_PERMUTE_GRAPH_H
#define PF_PERMUTE_GRAPH_H

#include <permfst/machine/weight.h>
#include <permfst/permute/input.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PF_GRAPH_NODES = 1 << 12 }; /* a word graph may have */

/* Reads a word graph: input->n is its last node, and an arc of slot j leads from node j to the node `to`. Nodes from which the end
 * cannot be reached, and those that cannot be reached, are left out. *out is freed by pf_input_free. PF_EINPUT: there is a cycle,
 * no path, or a final state that is not the only one or has arcs. PF_ELIMIT: more nodes than PF_GRAPH_NODES. O(arcs). */
pf_err pf_graph_read(pf_fst *fst, pf_input *out);

/* Is an automaton not a sentence, and is itg among the constraints? Then it is permuted as a word graph. O(length). */
bool pf_graph_wanted(pf_fst *fst, const char *const *con, size_t n_con);

/* Does a specification permute a word graph? It says itg and nothing else. PF_EARG: it does not; the message says why. */
pf_err pf_graph_check(const pf_perm_spec *spec);

/* The lazy automaton over a word graph, which is copied. *out belongs to the caller; pf_fst_free ends it. Errors of pf_graph_read
 * and pf_graph_check. O(arcs + nodes^2) here; later O(arcs x depth of the stack) for each state expanded. */
pf_err pf_graph_lazy(pf_fst *graph, const pf_perm_spec *spec, pf_fst **out);

#ifdef __cplusplus
}
#endif
#endif
