/* Constraints: which positions may be visited next.
 *
 * A constraint narrows the *set* of positions that may come next. Its state is the coverage b and, for some, extra
 * bytes x of its own. A new constraint is one file con_X.c with one pf_con_class, and one line in con_table.c.
 *
 * Contracts, tested for every entry of the table:
 *   - narrow() takes out positions one by one on their own account: what it leaves of a set is what it leaves of all
 *     uncovered positions, within that set. So a conjunction is one narrow() after the other, the costly ones on few
 *     positions.
 *   - What is left leads to live states only: every state that is reached can still be completed. A conjunction that
 *     cannot promise it is wrapped in a completion test (con_live.c).
 *   - advance() writes all the bytes whose number it returns, so that equal bytes mean equal states.
 *   - Walking the automaton gives exactly the permutations for which member() holds, each once.
 *
 * Positions are 0..n-1, in the order in which they are visited. */
#ifndef PF_PERMUTE_CON_H
#define PF_PERMUTE_CON_H

#include "base/cover.h"
#include "base/err.h"
#include "base/params.h"

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
    void *data;       /* of the class, ended by its free() */
} pf_con;

/* What a constraint is known to give at a length, in closed form; any entry may be -1: not known. */
typedef struct {
    double states, arcs, paths; /* exact up to 2^53, then rounded */
} pf_con_size;

typedef struct pf_con_class {
    const char *name;   /* "ibm" */
    const char *params; /* ":L", or "" */
    const char *help;   /* "any of the first L uncovered positions" */
    bool first_gap;     /* the first uncovered position is allowed at every state (so conjunctions of these are live) */

    /* Reads parameters; cls, n, nw and room = 0 are set. PF_EARG. NULL: takes none. */
    pf_err (*init)(pf_con *con, const pf_params *params);
    void (*free)(pf_con *con); /* NULL: nothing to give back */

    /* Writes the extra bytes of the start state to x (con->room bytes are there); returns how many. NULL: none. */
    size_t (*start)(const pf_con *con, unsigned char *x);

    /* Takes out of `set`, uncovered positions, those that may not be visited from (b, x). May fail only where a completion
     * test runs past its limit. */
    pf_err (*narrow)(const pf_con *con, const pf_cover *b, const unsigned char *x, pf_cover *set);

    /* Writes to `to` the extra bytes after visiting j from (b, x), b without j; returns how many. NULL: none.
     * The bytes must tell their own length (see extent). */
    size_t (*advance)(const pf_con *con, const pf_cover *b, const unsigned char *x, unsigned j, unsigned char *to);

    /* How many extra bytes begin at x; NULL: con->room, always. */
    size_t (*extent)(const pf_con *con, const unsigned char *x);

    /* The definition, slowly and without states: for tests and explanations. p[t] is the t-th position visited. */
    bool (*member)(const pf_con *con, const unsigned *p);

    /* Closed forms at con->n; NULL: none is known. */
    pf_con_size (*size)(const pf_con *con);
} pf_con_class;

/* The table: entry i, or NULL past the last. */
const pf_con_class *pf_con_at(size_t i);

/* A constraint from its specification ("ibm:4") for n positions. *out is freed by pf_con_free.
 * PF_EARG: an unknown name (the message lists the valid ones) or a parameter out of range. */
pf_err pf_con_new(const char *spec, unsigned n, pf_con **out);

/* The conjunction of `count` constraints, which it owns from now on, also when this fails; count = 0 is "none".
 * Where a combination is not known to be free of dead ends, narrow() looks ahead (pf_con_probes counts the cost). */
pf_err pf_con_and(pf_con **parts, size_t count, unsigned n, pf_con **out);

void pf_con_free(pf_con *con);

/* Does this constraint need the completion test, and how many states has the test visited so far? */
bool pf_con_looks_ahead(const pf_con *con);
uint64_t pf_con_probes(const pf_con *con);

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
static inline size_t pf_con_extent(const pf_con *con, const unsigned char *x) {
    return con->cls->extent ? con->cls->extent(con, x) : con->room;
}

#ifdef __cplusplus
}
#endif
#endif
