/* The reordering lattice of a sentence: the monotone path, and for each match of a rule on positions i..j a path that reads them
 * in the order of the rule (Pecheux et al. 2016, section 4.1; Crego and Marino 2006).
 *
 * Rules that overlap are alternatives, and no rule applies to the output of another: a path takes matches that lie side by side.
 * Rules are minimal reorderings, so every permutation is on at most one path. The lattice is minimal and deterministic: no two
 * states have the same future. With weights, the cost of a rule is on its path, as near to the beginning as the rules that begin
 * alike allow; the monotone path costs 0, and the futures of two states also differ if their costs do. An automaton is O(arcs). */
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

/* A lattice over `length` positions without a path. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_rule_lattice_new(unsigned length, pf_rule_lattice **out);
void pf_rule_lattice_free(pf_rule_lattice *lattice);

/* How many positions it is about. */
unsigned pf_rule_lattice_words(const pf_rule_lattice *lattice);

/* Adds the monotone path and all matches of rules to a lattice without a path; `tags` are n tags. *matches is the number of
 * matches. The rules, which must be finished, are only read, so any number of threads may share them. PF_EARG: another number of
 * tags, or a lattice with paths; PF_ENOMEM. Cost: a hash look-up for each position of each match, and sorting the matches that
 * begin at the same position. */
pf_err pf_rule_lattice_match(pf_rule_lattice *lattice, const pf_rules *rules, const pf_words *tags, bool weighted,
                             uint64_t *matches);

/* Adds one path: perm[0..n) is a permutation, from 0, and its cost is at least 0. A permutation that is already in the lattice
 * keeps its cost, and *fresh is false. O(n) states. PF_ENOMEM. */
pf_err pf_rule_lattice_add(pf_rule_lattice *lattice, const unsigned *perm, float cost, bool *fresh);

/* Is a permutation in it, and at what cost (NULL: not asked)? O(n log arcs). */
bool pf_rule_lattice_has(const pf_rule_lattice *lattice, const unsigned *perm, double *cost);

/* The numbers of states and arcs that are on a path, and the exact number of permutations. The caller has initialised `paths`.
 * O(arcs) additions of large numbers. PF_ENOMEM. */
typedef struct {
    uint64_t states, arcs;
} pf_rule_lattice_size;
pf_err pf_rule_lattice_count(const pf_rule_lattice *lattice, pf_rule_lattice_size *size, mpz_t paths);

/* The lattice of a sentence's words, labelled like a permutation automaton: position, 1..n, on the input side, word on the
 * output side; each alternative of a word has an arc. States are in topological order from 0. PF_EARG: the input does not have
 * n slots; PF_EINPUT: a weight that is too large for an arc; PF_ENOMEM. *out belongs to the caller; it has no symbols. */
pf_err pf_rule_lattice_fst(const pf_rule_lattice *lattice, const pf_input *words, pf_arc_type type, pf_fst **out);

#ifdef __cplusplus
}
#endif
#endif
