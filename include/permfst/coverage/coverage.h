/* Which constraints reach the order that a word alignment asks for (Zens and Ney 2003, section 5; definitions: Alignment
 * coverage).
 *
 * The source words are visited in the order of their target words: by the first target of each (or the last), those of one
 * target from left to right. Words without links may come at any time. A constraint reaches the alignment if it admits some
 * order like that, so the least parameter is the least over all ways to place the words without links. */
#ifndef PF_COVERAGE_COVERAGE_H
#define PF_COVERAGE_COVERAGE_H

#include <permfst/machine/fst.h>
#include <permfst/align/alignment.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { PF_PLACE_FIRST, PF_PLACE_LAST } pf_place; /* the target that a source word with several counts at */

/* The order that one alignment asks for, in room that is kept from one to the next. *out is freed by pf_coverage_free.
 * PF_ENOMEM. */
typedef struct pf_coverage pf_coverage;
pf_err pf_coverage_new(pf_place place, pf_coverage **out);
void pf_coverage_free(pf_coverage *c);

/* Takes an alignment, which all that follows is about; it is not kept. PF_ENOMEM. O(words + links). */
pf_err pf_coverage_take(pf_coverage *c, const pf_alignment *a);

/* The families that are answered without a search. */
struct pfi_order;
typedef struct {
    const char *name;
    bool numbered;   /* has a parameter; else it reaches an alignment or does not */
    unsigned lowest; /* the least parameter that there is */
    const char *help;
    bool (*least)(const struct pfi_order *o, unsigned *param);
} pf_coverage_family;
const pf_coverage_family *pf_coverage_family_at(size_t i); /* NULL past the last */

/* The least parameter that reaches the alignment taken; false if none does. Without a parameter *param is 0.
 * O(n log n) or less, n words. */
bool pf_coverage_least(const pf_coverage *c, const pf_coverage_family *family, unsigned *param);

typedef enum { PF_NOT_REACHED, PF_REACHED, PF_UNDECIDED } pf_reach; /* undecided: the limit of states came first */

/* That `spec` is a family, with its parameter where it has one ("ibm:4", "itg-extended"), or any specification of
 * permute/con.h. PF_EARG. */
pf_err pf_coverage_check(const char *spec);

/* Does `spec` reach the alignment? A family by its least parameter; anything else by a search of the constraint's automaton
 * for an order that the alignment allows, over at most `limit` states: exact, exponential in the worst case.
 * PF_EARG (a position that the sentence does not have), PF_ENOMEM. */
pf_err pf_coverage_reaches(const pf_coverage *c, const char *spec, uint64_t limit, pf_reach *out);

/* Is the order of some path of an automaton, whose input labels are 1 + the position, one that the alignment allows? As
 * above; O(states and arcs) where all paths into a state have visited the same positions. PF_EINPUT: labels that are no
 * positions of the sentence; the errors of the automaton. */
pf_err pf_coverage_lattice(const pf_coverage *c, pf_fst *lattice, uint64_t limit, pf_reach *out);

/* The links that break `spec`, which does not reach `a`: some of its links that it does not reach either, of which none can
 * be left out. `c` is used for it. O(links) answers, fewer where `links` are few. PF_ENOMEM, PF_EARG. */
pf_err pf_coverage_why(pf_coverage *c, const pf_alignment *a, const char *spec, uint64_t limit, pf_alignment *links);

#ifdef __cplusplus
}
#endif
#endif
