/* Draws paths at random: all are equally likely, or each in proportion to its weight. */
#ifndef PF_OPS_RANDGEN_H
#define PF_OPS_RANDGEN_H

#include <permfst/machine/answer.h>

#include <gmp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Draws an order of the positions 0..n-1, as the draw() of a machine's space does (pf_fst_space), which is `con`: all orders that a
 * permutation automaton has are equally likely. */
typedef pf_err (*pf_randgen_order)(const void *con, gmp_randstate_t random, unsigned *permutation);

typedef enum { PF_RANDGEN_EXPANDS, PF_RANDGEN_COUNTS, PF_RANDGEN_DRAWS } pf_randgen_phase; /* states, states, paths */

typedef struct {
    bool by_weight;      /* a path of cost c has a probability in proportion to exp(-c); else all have the same */
    pf_randgen_order order; /* of the machine's space; NULL: not known */
    const void *con;
    uint64_t max_states; /* states counted at most; 0: no bound */
    void (*progress)(void *self, pf_randgen_phase phase, uint64_t done); /* called now and then; NULL: not */
    void *self;
    bool (*expired)(void *self); /* asked now and then: is it to end (PF_ELIMIT)? NULL: nobody is asked */
} pf_randgen_options;

typedef struct pf_randgen pf_randgen;

/* Makes a generator of random numbers, which gmp_randclear ends. A record has numbers of its own, whatever was drawn of the records
 * before it: they follow from the seed and the number of the record. O(1), about 2.5 KB. */
void pf_randgen_seed(gmp_randstate_t random, uint64_t seed, uint64_t record);

/* Prepares to draw from a machine, which it borrows. Its paths are counted: exactly (gmp), or their probabilities summed in
 * doubles. Parallel arcs are different paths; an infinite weight is on none, as in a search.
 *
 * Nothing is counted where `order` is there, the machine is a permutation automaton whose input labels are positions, and all paths
 * are to be equally likely: only the states on the path of an order are expanded.
 *
 * *out is freed by pf_randgen_free. PF_EINPUT: a cycle. PF_ELIMIT: max_states. O(states + arcs) sums, and a number a state. */
pf_err pf_randgen_new(pf_fst *fst, const pf_randgen_options *options, pf_randgen **out);
void pf_randgen_free(pf_randgen *randgen);

/* Draws `count` paths, each by itself, in the order in which they are drawn; none where the machine has none. This is not a
 * search: nothing is proven of the first path. The same state of `random` gives the same paths. *out is freed by pf_answer_free.
 * Errors as above, where a permutation automaton has to be counted after all, as its paths are mostly of infinite weight; after an
 * error, only pf_randgen_free may be called. A path costs one random number (by weight, one a turn), and a subtraction for each arc
 * that its states have. */
pf_err pf_randgen_paths(pf_randgen *randgen, gmp_randstate_t random, size_t count, pf_answer *out);

#ifdef __cplusplus
}
#endif
#endif
