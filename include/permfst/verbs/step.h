/* Steps: what may come next in an automaton after some words, and what it costs. The verb of permprint --after, and of "step" in
 * permsh. Only the states that are looked at are expanded.
 *
 * Each call is O(arcs) of the states. */
#ifndef PF_VERBS_STEP_H
#define PF_VERBS_STEP_H

#include <permfst/base/writer.h>
#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The word of an output label: borrowed from the table or from `room`. Epsilon is "(nothing)"; labels without a word are
 * numbers. */
enum { PF_STEP_ROOM = 24 };
const char *pf_step_word(const pf_fst *fst, pf_label label, char room[PF_STEP_ROOM]);

/* The cheapest arc from a state that puts out the word, the first of equals. `step` is its number, from 1, for the message.
 * PF_EARG: there is none; the message says which words there are. Errors of the machine. O(arcs). */
pf_err pf_step_take(pf_fst *fst, pf_state from, const char *word, size_t step, pf_arc *out);

/* The arcs from a state, the cheapest first, then by input and output: *out is the caller's (free). PF_ENOMEM; errors of the
 * machine. O(arcs log arcs). */
pf_err pf_step_arcs(pf_fst *fst, pf_state from, pf_arc **out, uint32_t *n);

/* A line for each of these arcs: word, input label, cost; and one for the end, "(end)", if there is one. Errors as before, and of
 * the writer. */
pf_err pf_step_write(pf_fst *fst, pf_state from, pf_writer *writer);

/* The same after the words of a text, with blanks between them, from the start. PF_EARG also: the machine has no state. */
pf_err pf_step_write_after(pf_fst *fst, const char *words, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
