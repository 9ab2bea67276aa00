/* Is a permutation inside a constraint? At which step does it leave it? Which parameter is the least that admits it?
 *
 * Membership is decided name by name, and each name has a quick test of a whole permutation. So dead ends cost nothing, and a
 * difference that is empty at a length has no members but is not an error. Only explanations walk automata.
 *
 * Permutations are p[0..n-1], 0-based, in the order in which positions are visited. The caller guarantees that they are
 * permutations; this is asserted. What states no cost is O(length log length) for each name in the specification. */
#ifndef PF_PERMUTE_CHECK_H
#define PF_PERMUTE_CHECK_H

#include <permfst/base/writer.h>
#include <permfst/permute/con.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_check pf_check;

/* Prepares for a specification at `length` positions; the text is copied. *out is freed by pf_check_free. PF_EARG, PF_ENOMEM. */
pf_err pf_check_new(const char *spec, unsigned length, pf_check **out);
void pf_check_free(pf_check *check);

/* Is perm inside? O(length log length) for each name in the specification. */
bool pf_check_inside(pf_check *check, const unsigned *perm);

/* Writes where perm leaves the constraint, in words without a line end; nothing if perm is inside. Positions and steps count from
 * `base`:
 *
 *     1 4 ...: position 4 at step 2, ibm:2 allows 2, 3 (the first 2 uncovered)
 *
 * This is the first step that a name in the specification refuses, with one such name. For a union both sides are explained.
 * For a difference the words may say that p is inside what is left out. If p entered a dead end before that step, the dead
 * end is told first. The search for it may remember 1 MiB of states; where that is not enough, the words say so.
 * O(n/64) for each step of each name (inverse-local: O(n)), and that search; the four positions that itg names take O(n) for
 * each position still to come. PF_ENOMEM, and the errors of the writer. */
pf_err pf_check_why(pf_check *check, const unsigned *perm, unsigned base, pf_writer *words);

/* The least parameter of the class that admits perm; *inside = false if none does. The class has a `least` (con.h).
 * PF_ENOMEM. O(length log length). */
pf_err pf_check_least(const pf_con_class *cls, const unsigned *perm, unsigned length, bool *inside, uint64_t *param);

/* What is found out of a permutation: is it inside `spec`? `breaks` is what explains why it is not, or why a smaller parameter
 * would not do (pf_check_why); NULL: there is nothing to explain. All are borrowed for the call. */
typedef pf_err (*pf_check_each)(void *self, const char *spec, bool inside, pf_check *breaks);

/* Calls `each` with one specification. PF_EARG, PF_ENOMEM, and the errors of `each`. */
pf_err pf_check_spec(const char *spec, const unsigned *permutation, unsigned length, pf_check_each each, void *self);

/* Calls `each` with the tightest member of each family that has a parameter ("ibm:3"; the name alone if none admits it), and with
 * each constraint without a parameter that can refuse something ("itg"). The order is that of the table (con.h). Errors as
 * above. */
pf_err pf_check_tightest(const unsigned *permutation, unsigned length, pf_check_each each, void *self);

#ifdef __cplusplus
}
#endif
#endif
