/* Private: a walk through the states of a permutation automaton, a constraint with a weight model. The key of a state is that
 * of the constraint (walk.h), then the weight model's bytes. */
#ifndef PF_PERMUTE_PERM_WALK_IMPL_H
#define PF_PERMUTE_PERM_WALK_IMPL_H

#include <permfst/permute/walk.h>
#include <permfst/permute/wm.h>

typedef struct {
    pf_con_walk con;             /* stands at the state */
    const pf_wm *wm;
    const unsigned char *wm_extra; /* the weight model's bytes, in con.key */
    bool nonnegative;            /* no cost is below 0 */
    unsigned count;              /* of the moves, con.moves */
    double *cost;                /* of each move, ascending by position */
} pfi_perm_walk;

/* Both are borrowed. The constraint has no dead ends. PF_ENOMEM, when pfi_perm_walk_free is still to be called. */
pf_err pfi_perm_walk_init(pfi_perm_walk *walk, const pf_con *con, const pf_wm *wm);
void pfi_perm_walk_free(pfi_perm_walk *walk);

/* Bytes of every key, or 0 where they differ. */
size_t pfi_perm_walk_fixed(const pfi_perm_walk *walk);

/* The most bytes that a key has. */
size_t pfi_perm_walk_room(const pfi_perm_walk *walk);

/* Goes to the start state, whose key is then con.key; returns its length. */
size_t pfi_perm_walk_start(pfi_perm_walk *walk);

/* Writes what comes after the coverage in the state that covers everything; returns the length of its key. */
size_t pfi_perm_walk_end(const pfi_perm_walk *walk, unsigned char *to);

/* Goes to the state of this key, and finds its moves and their costs. Errors as narrow(). */
pf_err pfi_perm_walk_load(pfi_perm_walk *walk, const void *key, size_t length);

/* Writes the key of the state after visiting `position`, to memory of malloc; returns its length. Where every position is covered,
 * what came before matters no more: these are one state. */
static inline size_t pfi_perm_walk_step(const pfi_perm_walk *walk, unsigned position, unsigned char *to) {
    const pf_con_walk *con = &walk->con;
    const pf_wm *wm = walk->wm;
    size_t length = con->cover_bytes;
    pf_con_walk_put(con, position, to);
    if (con->covered + 1 == con->con->n) return pfi_perm_walk_end(walk, to);
    length += pf_con_walk_advance(con, position, to + length);
    if (wm->room) wm->cls->advance(wm, pf_con_walk_cover(con), walk->wm_extra, position, to + length);
    return length + wm->room;
}

#endif
