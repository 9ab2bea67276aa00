/* Pictures of a machine: its states by levels, from left to right, and its arcs.
 *
 * A level is how many arcs lead to a state at most, without those that lead back. A state of a permutation automaton is named by
 * its coverage: a black circle for each position that was visited, a dot for each other one. With more than 16 positions the name
 * is short: how many positions were visited before the first that was not, and then the signs from there to the last position that
 * was visited, where five or more equal signs are one with their number ("12 ·●·×7●": 12, a gap, one, a gap of 7, one). A machine
 * has coverages if every path to a state has the same set of positions 1..n as input labels, each once, and every path to the end
 * has all of them; other machines have numbers as names. An arc is labelled by its words and its cost; a cost of 0 is left out. */
#ifndef PF_DRAW_AUTOMATON_H
#define PF_DRAW_AUTOMATON_H

#include <permfst/base/writer.h>
#include <permfst/machine/answer.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Larger pictures cannot be read. */
enum { PF_DRAW_STATES = 300 };

/* All zero: a machine, without a best path. */
typedef struct {
    uint64_t record;         /* its number, for the name of the picture */
    bool numeric, acceptor;  /* labels as numbers; one label an arc */
    const pf_answer *best;   /* the first path is drawn bold: the cheapest path of the machine with these labels.
                                NULL, or without a path: none */
    pf_fst *kept;            /* what is on no path of this machine is grey: a lattice of what a search with a beam has kept.
                                NULL: nothing */
} pf_draw_options;

/* A machine, expanded whole, as SVG; or as a digraph in the language of graphviz's dot, with the same names, labels and levels (as
 * ranks). O(states + arcs) for dot; for SVG also the time for 24 rounds of O(arcs) that put the states of a level in order, and for
 * labels that look for room. Errors of expanding and of the writer; PF_ENOMEM. */
pf_err pf_draw_automaton(pf_writer *writer, pf_fst *fst, const pf_draw_options *options);
pf_err pf_draw_dot(pf_writer *writer, pf_fst *fst, const pf_draw_options *options);

#ifdef __cplusplus
}
#endif
#endif
