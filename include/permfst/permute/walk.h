/* Walking through the states of a constraint.
 *
 * A state is bytes: its coverage, then the constraint's extra bytes (con.h). They are its key: equal keys, equal states. A walk
 * stands at one state, of which it has a copy. It finds the moves that there are, tells whether a permutation may end there,
 * and writes the key of the state after a move. It remembers no other states: a search keeps the keys that it has met in a
 * table of its own (base/statetab.h).
 *
 * All that goes through a constraint goes through here: the permutation automaton, counting, comparing and explaining spaces,
 * the completion test, and the coverage of alignments. With --enable-checks each expansion is held to what con.h promises. A
 * step and the moves of a state are O(parts x nw), with what narrow() of each part costs (con.h); what is asked of the walk is
 * O(1), or O(nw) for a position. */
#ifndef PF_PERMUTE_WALK_H
#define PF_PERMUTE_WALK_H

#include <permfst/permute/con.h>

#include <assert.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const pf_con *con;    /* borrowed */
    size_t cover_bytes;   /* of a coverage */
    unsigned char *key;   /* the state: coverage, extra bytes, and what the caller keeps with them */
    unsigned char *after; /* scratch of the same size */
    unsigned covered;     /* positions */
    pf_cover *moves;      /* what pf_con_walk_expand has found */
} pf_con_walk;

/* A walk that stands nowhere yet. The caller may keep `beside` bytes of its own after the constraint's in each key.
 * PF_ENOMEM, when pf_con_walk_free is still to be called. */
pf_err pf_con_walk_init(pf_con_walk *walk, const pf_con *con, size_t beside);
void pf_con_walk_free(pf_con_walk *walk);

static inline const pf_cover *pf_con_walk_cover(const pf_con_walk *walk) {
    return (const pf_cover *)(const void *)walk->key;
}
static inline const unsigned char *pf_con_walk_extra(const pf_con_walk *walk) { return walk->key + walk->cover_bytes; }

/* The most bytes that a key of this constraint has, without the caller's. */
static inline size_t pf_con_walk_room(const pf_con_walk *walk) { return walk->cover_bytes + walk->con->room; }

/* Have all keys that many bytes? */
static inline bool pf_con_walk_fixed(const pf_con_walk *walk) { return !walk->con->cls->extent || !walk->con->room; }

/* Goes to the start state; returns the length of its key. */
size_t pf_con_walk_start(pf_con_walk *walk);

/* Goes to the state of a key that a walk has written, with what the caller put after it: `length` bytes in all. */
static inline void pf_con_walk_load(pf_con_walk *walk, const void *key, size_t length) {
    memcpy(walk->key, key, length);
    walk->covered = pf_cover_count(pf_con_walk_cover(walk), walk->con->nw);
    assert(walk->covered <= walk->con->n);
}

/* Goes to the state of a coverage and extra bytes. */
void pf_con_walk_at(pf_con_walk *walk, const void *cover, const unsigned char *extra);

/* Takes out of `set`, uncovered positions, those that may not be visited next. Errors as narrow() (con.h). */
static inline pf_err pf_con_walk_narrow(const pf_con_walk *walk, pf_cover *set) {
    return walk->con->cls->narrow(walk->con, pf_con_walk_cover(walk), pf_con_walk_extra(walk), set);
}

/* Finds the moves from this state: none where everything is covered. Errors as narrow(). */
pf_err pf_con_walk_expand(pf_con_walk *walk);

/* The smallest move >= `position`, or one past all positions. */
static inline unsigned pf_con_walk_next(const pf_con_walk *walk, unsigned position) {
    return pf_cover_next(walk->moves, walk->con->nw, position);
}

/* May `position`, which is uncovered, be visited next? Cheaper than finding all moves, which it forgets. Errors as narrow(). */
pf_err pf_con_walk_allows(pf_con_walk *walk, unsigned position, bool *allowed);

/* May a permutation end here? */
static inline bool pf_con_walk_ends(const pf_con_walk *walk) {
    return walk->covered == walk->con->n && pf_con_accepts(walk->con, pf_con_walk_extra(walk));
}

/* Writes the extra bytes of the state after visiting `position`, which is allowed; returns how many. */
static inline size_t pf_con_walk_advance(const pf_con_walk *walk, unsigned position, unsigned char *to) {
    const pf_cover *cover = pf_con_walk_cover(walk);
    assert(position < walk->con->n && !pf_cover_has(cover, position));
    size_t length = pf_con_advance(walk->con, cover, pf_con_walk_extra(walk), position, to);
    assert(length <= walk->con->room);
    return length;
}

/* Writes the coverage of that state. */
static inline void pf_con_walk_put(const pf_con_walk *walk, unsigned position, unsigned char *to) {
    memcpy(to, walk->key, walk->cover_bytes);
    pf_cover_put((pf_cover *)(void *)to, position);
}

/* Writes its key, to memory that is aligned as malloc aligns; returns the length. */
static inline size_t pf_con_walk_step(const pf_con_walk *walk, unsigned position, unsigned char *to) {
    pf_con_walk_put(walk, position, to);
    return walk->cover_bytes + pf_con_walk_advance(walk, position, to + walk->cover_bytes);
}

/* Goes there. What the caller keeps in the key is lost. */
void pf_con_walk_visit(pf_con_walk *walk, unsigned position);

#ifdef __cplusplus
}
#endif
#endif
