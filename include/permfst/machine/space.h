/* What a search can know of the space of a permutation automaton (pf_fst_space) and of its weights before it walks there.
 *
 * It is told where constraints and weight models are known (fst/permute/space.c). Moves and steps of a walk cost what the parts
 * of the space do (permute/walk.h); what is asked is O(parts of the space). */
#ifndef PF_MACHINE_SPACE_H
#define PF_MACHINE_SPACE_H

#include <permfst/base/err.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pf_con; /* a constraint, of permute/con.h */
struct pf_wm;  /* a weight model, of permute/wm.h */

/* How many positions it orders. */
unsigned pf_space_length(const struct pf_con *space);

/* Which positions its permutations visit at step t < length: none outside *least .. *most. O(parts of the space). */
void pf_space_range(const struct pf_con *space, unsigned t, unsigned *least, unsigned *most);

/* With each permutation that visits a position before one to its left, does it have the one in which the two have changed
 * places? */
bool pf_space_sorts(const struct pf_con *space);

/* What it costs by itself to visit position j right after `last` (the length: at the start). What weights say of more than two such
 * positions is left out. */
double pf_space_follow(const struct pf_wm *weights, unsigned last, unsigned j);

/* Is that all that moves cost? */
bool pf_space_follow_is_all(const struct pf_wm *weights);

/* One permutation, step by step. Where a space needs a completion test, the walk goes without: it may come to a dead end. */
typedef struct pf_space_walk pf_space_walk;

/* The walk stands nowhere yet. Borrows the space. *out is freed by pf_space_walk_free. PF_ENOMEM. */
pf_err pf_space_walk_new(const struct pf_con *space, pf_space_walk **out);
void pf_space_walk_free(pf_space_walk *walk); /* NULL is accepted */

/* Goes where nothing is covered. */
void pf_space_walk_start(pf_space_walk *walk);

/* The positions that may be visited next, (length + 63) / 64 words, until the walk goes on. */
const uint64_t *pf_space_walk_moves(pf_space_walk *walk);

/* Visits one of them. */
void pf_space_walk_visit(pf_space_walk *walk, unsigned position);

/* May a permutation end here? */
bool pf_space_walk_ends(const pf_space_walk *walk);


#ifdef __cplusplus
}
#endif
#endif
