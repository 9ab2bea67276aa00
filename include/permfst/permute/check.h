/* Is a permutation inside a constraint, where does it leave it, and which parameter is the least that admits it?
 *
 * Membership follows the specification down to its names, each of which has a quick test, so dead ends cost nothing and a
 * difference that is empty at a length is one that nothing is inside. Only the words for people walk automata.
 *
 * Permutations are p[0..n-1], 0-based, in the order in which positions are visited; that they are permutations is for the
 * caller to know. */
#ifndef PF_PERMUTE_CHECK_H
#define PF_PERMUTE_CHECK_H

#include <permfst/base/writer.h>
#include <permfst/permute/con.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_check pf_check;

/* A specification, of which a copy is kept, at n positions. *out is freed by pf_check_free. PF_EARG, PF_ENOMEM. */
pf_err pf_check_new(const char *spec, unsigned n, pf_check **out);
void pf_check_free(pf_check *check);

/* Is p inside? O(n log n) for each name in the specification. */
bool pf_check_inside(pf_check *check, const unsigned *p);

/* Where p, which is not inside, breaks it, in words without a line end. Positions and steps count from `base`:
 *
 *     1 4 ...: position 4 at step 2, ibm:2 allows 2, 3 (the first 2 uncovered)
 *
 * It is the first step that a name in the specification refuses, with one such name; of a union that of either side; of a
 * difference perhaps that p is inside what is left out. Where p has left for a dead end before, that comes first; the
 * search for it may remember 1 MiB of states, and where that is not enough the words say so. O(n/64) for each step of each
 * name, inverse-local O(n); itg's four positions O(n) for each position still to come; what the search costs.
 * PF_ENOMEM, and as the writer. */
pf_err pf_check_why(pf_check *check, const unsigned *p, unsigned base, pf_writer *words);

/* The least parameter of a class with `least` that admits p; false in *inside if none does. PF_ENOMEM. O(n log n). */
pf_err pf_check_least(const pf_con_class *cls, const unsigned *p, unsigned n, bool *inside, uint64_t *param);

#ifdef __cplusplus
}
#endif
#endif
