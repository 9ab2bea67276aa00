/* The lattice of a search: what lies on good paths. Private to the searches. */
#ifndef PF_SEARCH_LATTICE_H
#define PF_SEARCH_LATTICE_H

#include "search/graph.h"

/* The states and arcs on paths to `end` that cost at most `more` than the best one, as an automaton without symbol tables, whose
 * states are numbered as they were met. Needs keep_all. *out belongs to the caller. O(edges log edges). */
pf_err pfi_graph_lattice(const pfi_graph *graph, uint32_t end, double more, pf_arc_type type, pf_fst **out);

/* PF_ELIMIT: a limit came before the lattice was complete; says the cost of the best path met, and the bound of all paths. */
pf_err pfi_graph_no_lattice(uint64_t states, double cost, double bound);

/* More than sums of this size differ by when they are added in another order. */
double pfi_graph_slack(double cost);

#endif
