/* Draws at random: paths of a record, or permutations of a space at a length. The verb of permrandgen. Random numbers come from
 * the caller's generator (pf_randgen_seed).
 *
 * A draw costs as much as the draw() of the space (permute/con.h), or as a draw of ops/randgen.h. */
#ifndef PF_VERBS_DRAW_H
#define PF_VERBS_DRAW_H

#include <permfst/ops/randgen.h>
#include <permfst/ops/records.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Draws `count` paths of a machine as pf_randgen_paths does, with random numbers that follow from a seed and the number of the
 * record. The options `order` and `con` are those of the machine's own space (pf_fst_space). Ownership, errors and costs are those
 * of pf_randgen_new and pf_randgen_paths. */
pf_err pf_draw_paths(pf_fst *fst, const pf_randgen_options *options, uint64_t seed, uint64_t record, size_t count,
    pf_answer *out);

/* Steps of records (ops/records.h), whose `self` is a pf_record_drawer: paths of each record, as an answer. One that failed has an
 * answer without paths. */
typedef struct {
    pf_randgen_options how; /* its `self` is that of the records: their call */
    uint64_t seed;
    size_t count; /* paths of a record */
    void (*done)(void *call, const pf_answer *answer,
                 uint64_t record); /* of one that did not fail, in order. NULL: nobody is told */
    uint64_t without_path; /* records so far */
} pf_record_drawer;
extern const pf_record_steps pf_record_drawer_steps;

/* Draws permutations that satisfy constraints, all with the same probability: by the constraint itself where its class has a draw()
 * (con.h), else through the automaton, whose paths are counted. One thread at a time. */
typedef struct pf_space_drawer pf_space_drawer;

/* Makes a drawer of permutations of `length` positions that satisfy all of `n_con` constraints, whose strings must outlive it. It
 * uses `max_states` and `progress` with `self` of the options. *out belongs to the caller; NULL after an error. PF_EARG: no such
 * constraint; PF_ELIMIT: max_states; PF_ENOMEM. O(length), or as pf_randgen_new where paths have to be counted. */
pf_err pf_space_drawer_new(const char *const *con, size_t n_con, unsigned length, const pf_randgen_options *options,
                           pf_space_drawer **out);
void pf_space_drawer_free(pf_space_drawer *drawer); /* NULL is accepted */

/* Draws `count` permutations and writes them to `orders`, one after the other: `length` positions each, from 0. The same state of
 * `random` gives the same permutations, however many are drawn at a time. Errors of drawing. `count` draws. */
pf_err pf_space_drawer_draw(pf_space_drawer *drawer, gmp_randstate_t random, size_t count, unsigned *orders);

/* Draws the same permutations and writes a line for each of them, with positions from 1. PF_ENOMEM; errors of drawing and of the
 * writer. `count` draws. */
pf_err pf_space_drawer_write(pf_space_drawer *drawer, gmp_randstate_t random, size_t count, pf_writer *writer);

/* Does it draw through the automaton? Then *states and *arcs of it were counted. O(1). */
bool pf_space_drawer_counted(const pf_space_drawer *drawer, uint64_t *states, uint64_t *arcs);

#ifdef __cplusplus
}
#endif
#endif
