/* A forest as an automaton (zens-ney-2003, section 3.3). Private to the chart. */
#ifndef PF_CHART_LATTICE_H
#define PF_CHART_LATTICE_H

#include "chart/forest.h"

/* The orders of a forest, in which each order has one tree, as paths of an automaton without symbol tables: a word has an arc of
 * its own, and a node an epsilon arc with its cost. Edges are left out over which every order costs more than the best one by more
 * than `more`. Needs keep_all. *out belongs to the caller. PF_ELIMIT: the options' limits, or more states than there can be.
 * O(states + arcs): a state is an item with what is still to come after it. */
pf_err pfi_forest_lattice(const pfi_forest *forest, const pf_best_options *options, double more, pf_arc_type type, pf_fst **out);

#endif
