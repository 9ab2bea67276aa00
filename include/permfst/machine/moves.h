/* All moves of a space, in flat arrays, for sentences of one length.
 *
 * Which positions may be visited next does not depend on words. So the sentences of a corpus that have the same length and the same
 * constraint share one table of states and moves, and whoever searches or expands it needs neither keys nor hashing. States are
 * numbered level by level (a level has covered equally many positions); the moves of a state stand together, by position. They are
 * made where constraints are known (fst/permute/moves.c). Sizes and bytes are O(parts of the space); a store is O(1). */
#ifndef PF_MACHINE_MOVES_H
#define PF_MACHINE_MOVES_H

#include <permfst/base/err.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pf_con; /* a constraint, of permute/con.h */
struct pf_wm;  /* a weight model, of permute/wm.h */

/* Arrivals that are worked on together. */
typedef enum {
    PF_ARRIVAL_ROW, /* a row of one state */
    PF_ARRIVAL_ONE, /* one arrival */
    PF_ARRIVAL_FULL /* the one at a full state */
} pf_arrival_kind;

typedef struct {
    uint32_t first, count; /* arrivals */
    uint32_t move;         /* of the state: where its moves begin */
    uint32_t next;         /* of a row with `on`: which arrival has the same position as the first one, in the row to which that
                              position leads */
    uint16_t moves;        /* how many; of a full state, those to rows */
    uint16_t position;     /* of the first arrival */
    uint16_t last;         /* of a row: the position from which those full states are arrived at that lead to it;
                              PF_NO_POSITION: none does */
    uint16_t on;           /* of such a row: the position where these go on, or PF_NO_POSITION */
    pf_arrival_kind kind;
} pf_arrival_group;

#define PF_NO_POSITION UINT16_MAX

/* The arrivals at the states of a table: pairs of a state and the position visited last before it. A model that knows only the
 * last position tells no more apart. Where many moves lead to a state, it has a row of arrivals: one for each position from the
 * first one to the last one, whether any move makes it or not, and some more, so that both ends are multiples of
 * PF_ARRIVAL_CHUNK. Rows are worked on in vectors. Moves to another state have an arrival each. Arrivals are numbered level by
 * level from the last one, in each level first the rows; groups stand in the same order.
 *
 * A state that one move leads to is full if all of its moves lead to rows, but for the last one perhaps, which goes on to another
 * full state: there the same positions lead to rows, and after any of these the space is as if it had been visited before going on.
 * So it is under ibm:4 where three positions are left out: one of these comes next, or the first position after those visited. A
 * path goes on along full states until it visits a position that was left out. So what comes after all full states can be read off
 * the rows, and full states that other full states lead to are in no group. Where moves cost something, no state is full.
 *
 * Where the states are all sets of positions, as in free order, all moves are there, and they cost nothing, the number of an
 * arrival says what it is: position * subsets + the positions of the state, as bits. Then there are no groups. No move makes the
 * arrivals whose position is not in their state. */
typedef struct {
    uint32_t *of;    /* of each move */
    uint32_t count;  /* all of them */
    pf_arrival_group *group;
    uint32_t groups;
    uint16_t *full;   /* of each state: how many of its moves lead to rows, if it is full; else 0. NULL: no state is full */
    uint32_t subsets; /* what stands between two positions, at least as many as there are sets; 0: not numbered so */
} pf_arrivals;

enum {
    PF_ARRIVAL_CHUNK = 8,
    PF_SUBSETS_FROM = 5, PF_SUBSETS_TO = 18 /* with so many positions, arrivals may be numbered by sets */
};

typedef struct {
    unsigned n;         /* positions */
    uint32_t states;    /* state 0 is the start; the last one has covered everything */
    uint32_t *level;    /* n + 2: where the states of each level begin, and the end */
    uint32_t *first;    /* states + 1: where the moves of each state begin, and the end */
    uint16_t *position; /* of each move */
    uint32_t *to;       /* of each move: a state of the next level */
    double *cost;       /* of each move; NULL: no move costs anything */
    uint64_t *follows;  /* n + 1 sets of (n + 63) / 64 words: which positions can be visited right after each position; and
                           first */
    pf_arrivals arrivals;
} pf_moves;

/* The tables that were made so far, by length and constraint. Threads may share it: they make different tables at the same time. If
 * several need the same one, the first makes it, and the others wait. */
typedef struct pf_moves_store pf_moves_store;

/* An empty store, which keeps up to `most_bytes` of tables that nobody uses. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_moves_store_new(uint64_t most_bytes, pf_moves_store **out);
void pf_moves_store_free(pf_moves_store *store); /* no table is in use; NULL is accepted */

/* How far a table is made. */
typedef struct {
    uint32_t most;               /* moves */
    bool (*expired)(void *self); /* is the time over? NULL: it never is */
    void *self;
} pf_moves_limits;

/* The table of a constraint and a weight model, made when it is first asked for; in use until it is given back. *out is NULL where
 * there is none: it would have more than `most` moves, a completion test is needed, or a weight model has a table of its own for
 * each sentence; and where the time is over before the table is made, which is begun again when it is next asked for. O(1) where
 * the table is there; else O(moves). PF_ENOMEM. */
pf_err pf_moves_take(pf_moves_store *store, const struct pf_con *con, const struct pf_wm *wm, const pf_moves_limits *limits,
                     const pf_moves **out);
void pf_moves_give_back(pf_moves_store *store, const pf_moves *moves); /* NULL is accepted */

/* What is known of a table in closed form, before it is made. */
typedef struct {
    bool known;
    double states, moves; /* how many */
    bool costs;           /* may moves cost anything? */
} pf_moves_size;

pf_moves_size pf_moves_size_of(const struct pf_con *con, const struct pf_wm *wm);

/* The bytes that a table takes. */
uint64_t pf_moves_bytes(const pf_moves *moves);

#ifdef __cplusplus
}
#endif
#endif
