/* Drawing at random: paths of a record, or permutations of a space at a length. The verb of permrandgen. Random numbers come from
 * the caller's generator (pf_randgen_seed). */
#ifndef PF_VERBS_DRAW_H
#define PF_VERBS_DRAW_H

#include <permfst/io/expr.h>
#include <permfst/ops/randgen.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `count` paths of a machine as pf_randgen_paths draws them, with random numbers that follow from a seed and the number
 * of the record. The options `order` and `con` are those of the machine's own space (pf_fst_space). Ownership and errors as
 * pf_randgen_paths. */
pf_err pf_draw_paths(pf_fst *fst, const pf_randgen_options *options, uint64_t seed, uint64_t record, size_t count,
    pf_answer *out);

/* Draws permutations that satisfy constraints, all with the same probability: by the constraint itself where its class has a draw()
 * (con.h), else through the automaton, whose paths are counted. One thread at a time. */
typedef struct pf_space_drawer pf_space_drawer;

/* Of all of `n_con` constraints at `length` positions; of the options `max_states` and `progress` with `self` are used. The strings
 * must outlive it. *out belongs to the caller; NULL after an error. PF_EARG, PF_ELIMIT, PF_ENOMEM. */
pf_err pf_space_drawer_new(const char *const *con, size_t n_con, unsigned length, const pf_randgen_options *options,
                           pf_space_drawer **out);
void pf_space_drawer_free(pf_space_drawer *drawer); /* NULL is accepted */

/* `count` permutations, one after the other: `length` positions each, from 0, are written to `orders`. The same state of `random`
 * gives the same permutations, however many are drawn at a time. Errors of drawing. */
pf_err pf_space_drawer_draw(pf_space_drawer *drawer, gmp_randstate_t random, size_t count, unsigned *orders);

/* Does it draw through the automaton? Then *states and *arcs of it were counted. */
bool pf_space_drawer_counted(const pf_space_drawer *drawer, uint64_t *states, uint64_t *arcs);

#ifdef __cplusplus
}
#endif
#endif
