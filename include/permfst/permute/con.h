/* Constraints: which positions may be visited next.
 *
 * A constraint narrows the *set* of positions that may come next. Its state is the coverage b and, for some, extra
 * bytes x of its own. A new constraint is one file con_X.c with one pf_con_class, and one line in con_table.c.
 *
 * Contracts, tested for every entry of the table:
 *   - narrow() takes out positions one by one on their own account: what it leaves of a set is what it leaves of all
 *     uncovered positions, within that set. So a conjunction is one narrow() after the other, the costly ones on few
 *     positions.
 *   - What is left leads to live states only: every state that is reached can still be completed. A combination that
 *     cannot promise it is wrapped in a completion test (con_live.c).
 *   - advance() writes all the bytes whose number it returns, so that equal bytes mean equal states.
 *   - Walking the automaton gives exactly the permutations for which member() holds, each once.
 *
 * Positions are 0..n-1, in the order in which they are visited. */
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
    bool first_gap;   /* the first uncovered position is allowed at every state, so conjunctions of these are live */
    bool live;        /* no state is a dead end; else con_live.c takes the dead ends away */
    bool may_be_empty; /* a difference is inside */
    bool looks_ahead;  /* a completion test is around it */
    char *spec;        /* what messages call it: as it was written, an alias for what it stands for; NULL: not known */
    void *data;       /* of the class, ended by its free() */
} pf_con;

/* What is known of a constraint at a length in closed form. Start with pf_con_size_init, end with pf_con_size_clear. */
typedef struct {
    bool machine, count;        /* which of these are known */
    mpz_t states, arcs, paths;
} pf_con_size;

typedef struct pf_con_class {
    const char *name;   /* "ibm" */
    const char *params; /* ":L", or "" */
    const char *help;   /* "any of the first L uncovered positions" */
    bool first_gap;     /* as in pf_con, for all parameters */
    bool dead_ends;     /* not live on its own */
    unsigned early;     /* a parameter of n - early or more is no limit: the constraint is "none" then */
    bool beside_itg;    /* itg and any number of these together have no dead ends */
    const struct pf_con_class *inverse; /* the class of the inverse permutations, with the same parameter; NULL: not known */

    /* Reads parameters; cls, n, nw, first_gap, live and room = 0 are set. PF_EARG. NULL: takes none. */
    pf_err (*init)(pf_con *con, const pf_params *params);
    void (*free)(pf_con *con); /* NULL: nothing to give back */

    /* For a name that stands for others: writes the specification of what it stands for, at most `room` bytes with the NUL.
     * Then narrow() and what goes with it are not there. */
    void (*alias)(const pf_con *con, char *spec, size_t room);

    /* Writes the extra bytes of the start state to x (con->room bytes are there); returns how many. NULL: none. */
    size_t (*start)(const pf_con *con, unsigned char *x);

    /* Takes out of `set`, uncovered positions, those that may not be visited from (b, x). May fail only where a completion
     * test runs past its limit. */
    pf_err (*narrow)(const pf_con *con, const pf_cover *b, const unsigned char *x, pf_cover *set);

    /* Writes to `to` the extra bytes after visiting j, which narrow() leaves in, from (b, x), b without j; returns how many.
     * NULL: none. The bytes must tell their own length (see extent). */
    size_t (*advance)(const pf_con *con, const pf_cover *b, const unsigned char *x, unsigned j, unsigned char *to);

    /* How many extra bytes begin at x; NULL: con->room, always. */
    size_t (*extent)(const pf_con *con, const unsigned char *x);

    /* May a permutation end in these extra bytes? NULL: yes, whatever they are. Only a difference says no. */
    bool (*accepts)(const pf_con *con, const unsigned char *x);

    /* The definition, slowly and without states: for tests and explanations. p[t] is the t-th position visited. */
    bool (*member)(const pf_con *con, const unsigned *p);

    /* Closed forms at con->n. NULL: none is known. */
    void (*size)(const pf_con *con, pf_con_size *size);

    /* The least parameter that admits p, a permutation of n positions: false if none does. O(n log n) or less. `room` is
     * scratch for 2n + 2 numbers. NULL: the class has no parameter of this kind. */
    bool (*least)(const unsigned *p, unsigned n, unsigned *room, uint64_t *param);

    /* Why p[t] is not allowed at (b, x) after p[0..t-1], in words for people, who count positions and steps from `base`: at
     * most `room` bytes with the NUL. They stand behind the positions that are allowed. NULL: it allows all, or is a
     * combination. */
    void (*why)(const pf_con *con, const pf_cover *b, const unsigned char *x, const unsigned *p, unsigned t, unsigned base,
                char *words, size_t room);

    /* Draws a member uniformly into p[0..n-1], whatever the length; what the draws of a constraint share is made by the
     * first. PF_ENOMEM. NULL: only through the automaton (ops/randgen.h). */
    pf_err (*draw)(const pf_con *con, gmp_randstate_t random, unsigned *p);

    /* How many states a completion test inside has visited. NULL: there is none. */
    uint64_t (*probes)(const pf_con *con);

    /* Of a combination: its parts, borrowed, and how many. NULL: it is of the table. */
    pf_con *const *(*parts)(const pf_con *con, size_t *n);
} pf_con_class;

/* The table: entry i, or NULL past the last. */
const pf_con_class *pf_con_at(size_t i);

/* A constraint from its specification for n positions. *out is freed by pf_con_free.
 *
 *   SPACE = TERM | SPACE "|" TERM | SPACE "-" TERM     union and difference, from the left
 *   TERM  = ATOM | TERM "+" ATOM                       intersection
 *   ATOM  = "(" SPACE ")" | "inverse:" ATOM | a name of the table with its values, "ibm:4"
 *
 * It has no dead ends: where that is not known of a combination, narrow() looks ahead (pf_con_probes counts the cost).
 * PF_EARG: an unknown name (the message lists the valid ones), a parameter out of range, no such inverse; an empty
 * difference, or crossing zones. PF_ELIMIT: the completion test. */
pf_err pf_con_new(const char *spec, unsigned n, pf_con **out);

/* The same as it stands, dead ends included: for a search that remembers where it was. An empty difference is no error. */
pf_err pf_con_plain(const char *spec, unsigned n, pf_con **out);

/* Checks a specification without a length. PF_EARG. */
pf_err pf_con_check(const char *spec);

/* The conjunction of `count` specifications; count = 0 is "none". Else as pf_con_new. */
pf_err pf_con_all(const char *const *spec, size_t count, unsigned n, pf_con **out);

/* The same of constraints, which it owns from now on, also when this fails. */
pf_err pf_con_and(pf_con **parts, size_t count, unsigned n, pf_con **out);

void pf_con_free(pf_con *con);

/* How many states completion tests have visited so far. */
static inline uint64_t pf_con_probes(const pf_con *con) { return con->cls->probes ? con->cls->probes(con) : 0; }

/* Fills in what is known in closed form. */
void pf_con_size_init(pf_con_size *size);
void pf_con_size_clear(pf_con_size *size);
static inline void pf_con_size_of(const pf_con *con, pf_con_size *size) {
    if (con->cls->size) con->cls->size(con, size);
}

/* out = the positions that may be visited from (b, x). Errors as narrow(). */
static inline pf_err pf_con_allowed(const pf_con *con, const pf_cover *b, const unsigned char *x, pf_cover *out) {
    pf_cover_uncovered(b, con->n, out);
    return con->cls->narrow(con, b, x, out);
}

/* Convenience for callers that may meet NULL functions. */
static inline size_t pf_con_start(const pf_con *con, unsigned char *x) {
    return con->cls->start ? con->cls->start(con, x) : 0;
}
static inline size_t pf_con_advance(const pf_con *con, const pf_cover *b, const unsigned char *x, unsigned j,
                                    unsigned char *to) {
    return con->cls->advance ? con->cls->advance(con, b, x, j, to) : 0;
}
static inline bool pf_con_accepts(const pf_con *con, const unsigned char *x) {
    return !con->cls->accepts || con->cls->accepts(con, x);
}
static inline size_t pf_con_extent(const pf_con *con, const unsigned char *x) {
    return con->cls->extent ? con->cls->extent(con, x) : con->room;
}

#ifdef __cplusplus
}
#endif
#endif
