/* The answer of a search: paths in order, best first, and what is known about them. */
#ifndef PF_MACHINE_ANSWER_H
#define PF_MACHINE_ANSWER_H

#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double cost;    /* double sum of the arcs' weights and the final one, start to end */
    pf_arc *arc;    /* n arcs; `to` is not used */
    size_t n;
    float final;
} pf_path;

typedef struct {
    pf_arc_type type;
    PF_VEC(pf_path) paths;
    double bound;           /* no path that was searched for costs less; -INFINITY where nothing is proven */
    uint64_t states, arcs;  /* states expanded, arcs relaxed */
    pf_fst *lattice;        /* where one was wanted and there is a path; owned */
    const char *search;     /* how: "levels", "A*", ...; NULL where that is not known, as in what was read */
    bool stopped;           /* a limit has ended the search: better paths may be there, down to the bound */
    bool compared;          /* with a reference, such as a person's order: */
    double reference;       /* the least cost of a path with its words; INFINITY: there is none */
    pf_symtab *isyms, *osyms; /* one reference each, or NULL */
} pf_answer; /* all zero: no path */

/* Is the first path proven to be a best one, or having none that there is none? How much less may a best one cost? INFINITY:
 * nothing is proven. */
bool pf_answer_optimal(const pf_answer *answer);
double pf_answer_gap(const pf_answer *answer);

/* How a compared answer stands to its reference: the reference costs as much as the best path found; costs more, so that
 * preferring another is the model's doing; costs less, so that the search has missed it; or is no path at all. */
typedef enum { PF_REFERENCE_BEST, PF_MODEL_ERROR, PF_SEARCH_ERROR, PF_NOT_ADMITTED, PF_VERDICTS } pf_verdict;
pf_verdict pf_answer_verdict(const pf_answer *answer);
const char *pf_verdict_name(pf_verdict verdict); /* "best", "model error", "search error", "not admitted" */

void pf_answer_free(pf_answer *answer);

/* Adds a path with a copy of its arcs; cost is computed here. */
pf_err pf_answer_add(pf_answer *answer, const pf_arc *arc, size_t n, float final);

/* The paths as an automaton in fstshortestpath's layout: one path is a chain with states numbered backwards; several
 * leave the start by one epsilon arc each, in order, and end in one final state. *out belongs to the caller. */
pf_err pf_answer_fst(const pf_answer *answer, pf_fst **out);

/* A machine of one path only, as an answer of one path; PF_EINPUT when it branches or has a cycle. */
pf_err pf_answer_from_linear(pf_fst *fst, pf_answer *out);

#ifdef __cplusplus
}
#endif
#endif
