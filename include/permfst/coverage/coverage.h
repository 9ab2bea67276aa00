/* Which constraints reach the order that a word alignment asks for (Zens and Ney 2003, section 5; definitions: Alignment
 * coverage).
 *
 * The source words are visited in the order of their target words: by the first target of each word (or the last), words of the
 * same target from left to right. Words without links may come at any time. A constraint reaches the alignment if it admits at
 * least one such order, so the least parameter is the least over all ways to place the words without links. A call that states
 * no cost is O(1), or O(length of the specification). */
#ifndef PF_COVERAGE_COVERAGE_H
#define PF_COVERAGE_COVERAGE_H

#include <permfst/machine/fst.h>
#include <permfst/align/alignment.h>
#include <permfst/io/sentence.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PF_PLACE_FIRST, PF_PLACE_LAST } pf_place; /* by which of its targets a source word is placed */

/* The order that one alignment asks for, with memory that is kept from one alignment to the next. For one thread at a time. *out
 * belongs to the caller. PF_ENOMEM. */
typedef struct pf_coverage pf_coverage;
pf_err pf_coverage_new(pf_place place, pf_coverage **out);
void pf_coverage_free(pf_coverage *coverage);

/* Takes the alignment that the following calls are about; it is not kept. PF_ENOMEM. O(words + links). */
pf_err pf_coverage_take(pf_coverage *coverage, const pf_alignment *links);

/* From now on pf_coverage_reaches and pf_coverage_why ask for orders that these marks of the sentence allow, too. Borrowed until
 * the next call; NULL, as at first: there are no marks. */
void pf_coverage_mark(pf_coverage *coverage, const pf_marks *marks);

/* The families that are answered without a search. */
struct pfi_order;
typedef struct {
    const char *name;
    bool numbered;   /* has a parameter; else it either reaches an alignment or not */
    unsigned lowest; /* the least parameter that exists */
    bool (*least)(const struct pfi_order *order, unsigned *param);
} pf_coverage_family;
const pf_coverage_family *pf_coverage_family_at(size_t i); /* NULL past the last */

/* The least parameter that reaches the alignment taken; false if none does. A family without a parameter sets *param to 0.
 * O(n log n) or less for n words. */
bool pf_coverage_least(const pf_coverage *coverage, const pf_coverage_family *family, unsigned *param);

typedef enum { PF_NOT_REACHED, PF_REACHED, PF_UNDECIDED } pf_reach; /* undecided: the search met its limit of states */

/* Checks that `spec` is a family, with its parameter if it has one ("ibm:4", "itg-extended"), or any specification of
 * permute/con.h. PF_EARG if not. */
pf_err pf_coverage_check(const char *spec);

/* Does `spec` reach the alignment? A family answers by its least parameter where there are no marks. Anything else is a search of
 * the constraint's automaton for an order that the alignment allows, over at most `limit` states: exact, exponential in the worst
 * case. PF_EARG (also for a position that the sentence does not have), PF_ENOMEM. */
pf_err pf_coverage_reaches(const pf_coverage *coverage, const char *spec, uint64_t limit, pf_reach *out);

/* Does the alignment allow the order of some path of an automaton, whose input labels are 1 + the position? `limit` as above.
 * O(states and arcs) if all paths into a state have visited the same positions. PF_EINPUT: labels that are not positions of the
 * sentence; the errors of the automaton. */
pf_err pf_coverage_lattice(const pf_coverage *coverage, pf_fst *lattice, uint64_t limit, pf_reach *out);

/* How many positions a path of such an automaton reads, seen on one path, because all read as many; PF_UNKNOWN_LENGTH if that path
 * does not end. The errors of the automaton. O(length). */
pf_err pf_coverage_lattice_length(pf_fst *lattice, uint32_t *length);

/* The links that break `spec` (NULL: the lattice), which does not reach `alignment`: a part of its links that it does not reach
 * either, none of which can be left out. `coverage` takes other alignments meanwhile. O(links) answers, fewer if `links` end up
 * few. PF_ENOMEM, PF_EARG. */
pf_err pf_coverage_why(pf_coverage *coverage, const pf_alignment *alignment, const char *spec, pf_fst *lattice, uint64_t limit,
                       pf_alignment *links);

/* The marks that break `spec` with the alignment that `coverage` has taken, where both together do not reach it, though `spec`
 * alone may. *marks gets a part of those of pf_coverage_mark, none of which can be left out; `coverage` then has these marks.
 * O(marks) answers. Errors as pf_coverage_reaches. */
pf_err pf_coverage_why_marks(pf_coverage *coverage, const char *spec, uint64_t limit, pf_marks *marks);

#ifdef __cplusplus
}
#endif
#endif
