/* The reordering lattice of a sentence: the monotone path, and for each match of a rule on positions i..j a path that reads
 * them in the rule's order (Pecheux et al. 2016, section 4.1; Crego and Marino 2006).
 *
 * Rules that overlap are alternatives, and no rule works on what another has done: a path takes matches that lie side by side.
 * As rules are minimal reorderings, every permutation is on one path at most. The lattice is the minimal deterministic one: of
 * two states that cover the same positions and have the same future there is one. With weights, the cost of a rule is on its
 * path, as near to its beginning as the rules that begin alike allow, the monotone path costs 0, and states are one where
 * their futures have the same costs too. */
#ifndef PF_RULES_LATTICE_H
#define PF_RULES_LATTICE_H

#include <permfst/machine/fst.h>
#include <permfst/permute/input.h>
#include <permfst/rules/rules.h>

#include <gmp.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_rule_lattice pf_rule_lattice;

/* A lattice over n positions without any path. PF_ENOMEM. *out belongs to the caller. */
pf_err pf_rule_lattice_new(unsigned n, pf_rule_lattice **out);
void pf_rule_lattice_free(pf_rule_lattice *lattice);

/* Puts the monotone path and all matches of rules into a lattice that has no path yet; `tags` has n of them. *matches is how
 * many there were. The rules are only read: any number of threads may share them. PF_ENOMEM.
 * Cost: a hash look-up for each position of each match, and sorting the matches that begin at the same position. */
pf_err pf_rule_lattice_match(pf_rule_lattice *lattice, const pf_rules *rules, const pf_words *tags, bool weighted,
                             uint64_t *matches);

/* Adds one path: perm[0..n) is a permutation, from 0, and cost at least 0. A permutation that is in the lattice keeps its cost;
 * *fresh says whether it was not. O(n) states. PF_ENOMEM. */
pf_err pf_rule_lattice_add(pf_rule_lattice *lattice, const unsigned *perm, float cost, bool *fresh);

/* Is a permutation in it, and at what cost (NULL: no matter)? O(n log arcs). */
bool pf_rule_lattice_has(const pf_rule_lattice *lattice, const unsigned *perm, double *cost);

/* States and arcs that are on a path, and how many permutations there are, exactly. `paths` was set up by the caller.
 * O(arcs) additions. PF_ENOMEM. */
typedef struct {
    uint64_t states, arcs;
} pf_rule_lattice_size;
pf_err pf_rule_lattice_count(const pf_rule_lattice *lattice, pf_rule_lattice_size *size, mpz_t paths);

/* The lattice of a sentence's words, labelled like a permutation automaton: position, 1..n, on the input side, word on the
 * output side; each alternative of a word has an arc. States are in topological order from 0. PF_EARG where the input has not n
 * slots, PF_EINPUT where a weight is none that an arc can hold, PF_ENOMEM. *out belongs to the caller; it has no symbols. */
pf_err pf_rule_lattice_fst(const pf_rule_lattice *lattice, const pf_input *words, pf_arc_type type, pf_fst **out);

#ifdef __cplusplus
}
#endif
#endif
