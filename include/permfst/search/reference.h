/* The order that somebody gave: what its words cost in an automaton, beside the best path.
 *
 * A comparison is a search of the paths that put out the words of the line: O(arcs) that it meets. */
#ifndef PF_SEARCH_REFERENCE_H
#define PF_SEARCH_REFERENCE_H

#include <permfst/search/best.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The paths of an automaton that put out the words of a line. */
typedef struct pf_reference_order pf_reference_order;

/* The words of a NUL-ended line, separated by blanks, against a machine, which must outlive the reference. Expands nothing.
 * *out belongs to the caller. PF_EINPUT, PF_ENOMEM. */
pf_err pf_reference_order_new(pf_fst *fst, const char *line, pf_reference_order **out);
void pf_reference_order_free(pf_reference_order *reference); /* NULL is accepted */

/* Compares an answer of the same machine with the reference: sets `compared`, and `reference` to the least cost of such a path;
 * INFINITY if the machine has none. `expired` ends the search when it says so (PF_ELIMIT); NULL: nothing does. One thread at a
 * time, that of the machine. */
pf_err pf_answer_compare(pf_answer *answer, const pf_reference_order *reference, bool (*expired)(void *self), void *self);

/* Does the line have other words than the best path of an answer of the machine, or some of them more or less often? Then it is not
 * an order of the same words, and may be a line of another text. *other = false where the answer has no path, or its words have no
 * names. PF_ENOMEM. O(n log n). */
pf_err pf_reference_other_words(const pf_reference_order *reference, const pf_answer *answer, bool *other);

#ifdef __cplusplus
}
#endif
#endif
