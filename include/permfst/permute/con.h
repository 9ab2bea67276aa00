/* Constraints: which positions may be visited next.
 *
 * A constraint narrows the *set* of positions that may be visited next. Its state is the coverage and, for some classes,
 * extra bytes. A new constraint is one file con_X.c with one pf_con_class, and one line in con_table.c.
 *
 * Contracts. The law tests hold every entry of the table to them, and a build with --enable-checks every expansion (walk.h):
 *   - narrow() judges each position by itself: whether a position stays in a set does not depend on what else is in the set.
 *     So a conjunction is one narrow() after the other, and the costly ones see few positions.
 *   - Every move that is left leads to a state that can be completed. A combination that cannot promise this is wrapped in
 *     a completion test (con_live.c).
 *   - advance() writes all the bytes that it counts in its result, so that equal states have equal bytes.
 *   - The paths of the automaton are exactly the permutations for which member() holds, each once.
 *
 * Positions are 0..n-1, in the order in which they are visited. Making one is O(length of the specification), and O(length) for
 * each part; what is asked is O(parts), of coverages O(parts x nw). */
#ifndef PF_PERMUTE_CON_H
#define PF_PERMUTE_CON_H

#include <permfst/base/cover.h>
#include <permfst/base/err.h>
#include <permfst/base/params.h>

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pf_con_class;

typedef struct pf_con {
    const struct pf_con_class *cls;
    unsigned n, nw;   /* positions; words of a coverage */
    uint64_t param;   /* the constraint's number, where it has one */
    size_t room;      /* most bytes of extra state */
    unsigned depth;   /* of the tree of combinations; 0: it is not a combination */
    bool first_gap;   /* the first uncovered position is allowed at every state, so conjunctions of such constraints are live */
    bool live;        /* no state is a dead end; otherwise con_live.c takes the dead ends away */
    bool may_be_empty; /* it contains a difference */
    bool looks_ahead;  /* it is a completion test around another constraint */
    char *spec;       /* its name in messages: as it was written, also where an alias was; NULL: not known */
    void *data;       /* belongs to the class; its free() ends it */
} pf_con;

/* What is known of a constraint at a length in closed form. Start with pf_con_size_init, end with pf_con_size_clear. */
typedef struct {
    bool machine; /* states and arcs are known */
    bool count;   /* paths is known */
    mpz_t states, arcs, paths;
} pf_con_size;

/* A coverage as it is seen from the first uncovered position: position `gap` + i is covered if bit i is set. All positions before
 * `gap` are covered, and none from gap + 64 on; bit 0 is not set. */
typedef struct {
    unsigned gap, room; /* room: positions from the gap to the end */
    unsigned extra;     /* what the extra bytes say, as a number; 0 for all constraints but those that say otherwise */
    uint64_t bits;
} pf_con_view;

/* How far the positions that are covered can be from the first uncovered one, as it follows from a constraint alone: all of them
 * are before gap + window, at most `gaps` positions before the last one are uncovered (the first one included), and at most
 * `ahead` of them are after the gap. UINT_MAX: no limit. */
typedef struct {
    unsigned window, gaps, ahead;
} pf_con_reach;

typedef struct pf_con_class {
    const char *name;   /* "ibm" */
    const char *params; /* ":L", or "" */
    const char *help;   /* "any of the first L uncovered positions" */
    bool first_gap;     /* as in pf_con, for all parameters */
    bool dead_ends;     /* it has dead ends of its own */
    bool sorts;         /* where a permutation visits j before i < j, it also has the one in which i and j have changed places; of a
                           combination: if its parts do */
    unsigned slack;     /* a parameter of n - slack or more is no limit: then the constraint is "none" */
    bool beside_itg;    /* the conjunction of itg and any number of these has no dead ends */
    const struct pf_con_class *inverse; /* the class of the inverse permutations, with the same parameter; NULL: not known */

    /* Reads parameters; cls, n, nw, first_gap, live and room = 0 are set. PF_EARG. NULL: takes none. */
    pf_err (*init)(pf_con *con, const pf_params *params);

    /* The same of a class whose parameters are one text of any length: all that follows the colon. */
    pf_err (*read)(pf_con *con, const char *text, size_t length);
    void (*free)(pf_con *con); /* NULL: there is nothing to free */

    /* For an alias: writes the specification that it stands for, at most `room` bytes with the NUL. Such a class has no
     * narrow() and no functions that go with it. */
    void (*alias)(const pf_con *con, char *spec, size_t room);

    /* Writes the extra bytes of the start state to `extra` (con->room bytes are there); returns how many. NULL: none. */
    size_t (*start)(const pf_con *con, unsigned char *extra);

    /* Takes out of `set`, a set of uncovered positions, those that may not be visited from (covered, extra). Only a
     * completion test that reaches its limit may fail. */
    pf_err (*narrow)(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *set);

    /* Writes to `to` the extra bytes of the state after visiting `position` from (covered, extra), and returns how many.
     * `covered` does not have it yet; narrow() allows it. NULL: none. The bytes tell their own length (see extent). */
    size_t (*advance)(const pf_con *con, const pf_cover *covered, const unsigned char *extra, unsigned position,
        unsigned char *to);

    /* How many extra bytes begin at `extra`; NULL: con->room, always. */
    size_t (*extent)(const pf_con *con, const unsigned char *extra);

    /* May a permutation end at a state with these extra bytes? NULL: always. Only a difference may say no. */
    bool (*accepts)(const pf_con *con, const unsigned char *extra);

    /* The definition, slowly and without states: for tests and explanations. permutation[t] is the t-th position visited. */
    bool (*member)(const pf_con *con, const unsigned *permutation);

    /* Closed forms at con->n. NULL: none is known. */
    void (*size)(const pf_con *con, pf_con_size *size);

    /* The least parameter that admits a permutation of `length` positions; false if none does. `scratch` has room for 2 length + 2
     * numbers. O(length log length) or less. NULL: the class has no parameter of this kind. */
    bool (*least)(const unsigned *permutation, unsigned length, unsigned *scratch, uint64_t *param);

    /* Writes for people why permutation[t] is not allowed at (covered, extra), the state before step t: at most `room`
     * bytes with the NUL. The words follow a list of the positions that are allowed; positions and steps count from
     * `base`. NULL: the class allows all positions, or is a combination. */
    void (*why)(const pf_con *con, const pf_cover *covered, const unsigned char *extra, const unsigned *permutation,
        unsigned t, unsigned base, char *words, size_t room);

    /* Draws a member uniformly into permutation[0..n-1]. The first draw makes what all draws share. PF_ENOMEM. NULL:
     * members are drawn through the automaton (ops/randgen.h). */
    pf_err (*draw)(const pf_con *con, gmp_randstate_t random, unsigned *permutation);

    /* What the constraint says of the nodes of an itg order's tree, where it can be told node by node. May the positions
     * j .. k-1 be visited, as one block, right before i .. j-1? NULL: that depends on more than i, j and k. */
    bool (*inverts)(const pf_con *con, unsigned i, unsigned j, unsigned k);

    /* Narrows least .. most, positions: no permutation of the constraint visits one outside at step t, counted from 0.
     * NULL: any position can be visited at any step. */
    void (*range)(const pf_con *con, unsigned t, unsigned *least, unsigned *most);

    /* The positions begin .. end-1 are visited without a break. NULL: there are no such positions. */
    void (*together)(const pf_con *con, unsigned *begin, unsigned *end);

    /* How many states its completion test has visited. NULL: it has none. */
    uint64_t (*probes)(const pf_con *con);

    /* The same rule for views, which need no memory that grows with the length. All positions that are allowed from a view: bits,
     * of which those of covered positions, and of positions past the end, mean nothing. NULL: it cannot be told from a view, and
     * none of the functions of views is there. It may be asked only for states whose coverage and moves have such a view. */
    uint64_t (*view_allows)(const pf_con *con, const pf_con_view *view);

    /* Where there are extra bytes, their number at the start, and after position gap + move of `view` was visited, which has led
     * to `next`, where positions are uncovered. Equal bytes have equal numbers, below 64, in the same view. NULL: it has no extra
     * bytes. */
    unsigned (*view_start)(const pf_con *con);
    unsigned (*view_extra)(const pf_con *con, const pf_con_view *view, unsigned move, const pf_con_view *next);

    /* Narrows the reach. NULL: it narrows nothing. */
    void (*view_reach)(const pf_con *con, pf_con_reach *reach);

    /* The parts of a combination, borrowed, and how many they are. NULL: it is not a combination. */
    pf_con *const *(*parts)(const pf_con *con, size_t *count);
} pf_con_class;

/* The table: entry i, or NULL past the last. */
const pf_con_class *pf_con_at(size_t i);

/* Makes a constraint of a specification for `length` positions, 65535 at most. *out is freed by pf_con_free.
 *
 *   SPACE = TERM | SPACE "|" TERM | SPACE "-" TERM     union and difference, from the left
 *   TERM  = ATOM | TERM "+" ATOM                       intersection
 *   ATOM  = "(" SPACE ")" | "inverse:" ATOM | a name of the table with its values, "ibm:4"
 *
 * The constraint has no dead ends. Where a combination is not known to be free of them, narrow() looks ahead
 * (pf_con_probes counts the cost). PF_EARG: an unknown name (the message lists the valid ones), a parameter out of range, an
 * inverse that is not known, an empty difference, zones that cross, or more than PF_SPEC_BYTES bytes or 32 levels, where a
 * chain of '|' and '-' has a level for each. PF_ELIMIT: the completion test needs too many states. */
pf_err pf_con_new(const char *spec, unsigned length, pf_con **out);

/* The conjunction of `count` specifications without a completion test: it may have dead ends. For a search that remembers where it
 * was. An empty difference is not an error. Otherwise as pf_con_new. */
pf_err pf_con_plain(const char *const *spec, size_t count, unsigned length, pf_con **out);

/* Is this a specification? No length is needed: positions in it are checked against a sentence later. PF_EARG. */
pf_err pf_con_check(const char *spec);

/* The conjunction of `count` specifications; count = 0 is "none". Ownership and errors as pf_con_new. */
pf_err pf_con_all(const char *const *spec, size_t count, unsigned length, pf_con **out);

/* The same for counting: where no permutation is left, this is not an error, and *out is NULL. */
pf_err pf_con_all_if_any(const char *const *spec, size_t count, unsigned length, pf_con **out);

void pf_con_free(pf_con *con); /* NULL is accepted */

/* With each permutation that visits a position before one to its left, does it have the one in which the two have changed
 * places? */
bool pf_con_sorts(const pf_con *con);

/* The constraint without the completion test that may be around it; borrowed. */
const pf_con *pf_con_inner(const pf_con *con);

/* How many states its completion test has visited so far. */
static inline uint64_t pf_con_probes(const pf_con *con) { return con->cls->probes ? con->cls->probes(con) : 0; }

/* Fills in what is known in closed form. */
void pf_con_size_init(pf_con_size *size);
void pf_con_size_clear(pf_con_size *size);
static inline void pf_con_size_of(const pf_con *con, pf_con_size *size) {
    if (con->cls->size) con->cls->size(con, size);
}

/* out = the positions that may be visited from (covered, extra). Errors as narrow(). */
static inline pf_err pf_con_allowed(const pf_con *con, const pf_cover *covered, const unsigned char *extra, pf_cover *out) {
    pf_cover_uncovered(covered, con->n, out);
    return con->cls->narrow(con, covered, extra, out);
}

/* Which positions permutations visit at step t < n: none outside *least .. *most. O(parts). */
static inline void pf_con_range(const pf_con *con, unsigned t, unsigned *least, unsigned *most) {
    *least = 0;
    *most = con->n - 1;
    if (con->cls->range) con->cls->range(con, t, least, most);
}

/* The functions of a class that may be NULL. */
static inline size_t pf_con_start(const pf_con *con, unsigned char *extra) {
    return con->cls->start ? con->cls->start(con, extra) : 0;
}
static inline size_t pf_con_advance(const pf_con *con, const pf_cover *covered, const unsigned char *extra,
    unsigned position, unsigned char *to) {
    return con->cls->advance ? con->cls->advance(con, covered, extra, position, to) : 0;
}
static inline bool pf_con_accepts(const pf_con *con, const unsigned char *extra) {
    return !con->cls->accepts || con->cls->accepts(con, extra);
}
static inline size_t pf_con_extent(const pf_con *con, const unsigned char *extra) {
    return con->cls->extent ? con->cls->extent(con, extra) : con->room;
}

#ifdef __cplusplus
}
#endif
#endif
