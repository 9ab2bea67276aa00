/* The answer of a search: paths, best first (those drawn at random are in no order), and what is known about them. */
#ifndef PF_MACHINE_ANSWER_H
#define PF_MACHINE_ANSWER_H

#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double cost;    /* sum of the arcs' weights and the final one, in double, from start to end */
    pf_arc *arc;    /* n arcs; `to` is not used */
    size_t n;
    float final;
} pf_path;

typedef struct {
    pf_arc_type type;
    PF_VEC(pf_path) paths;
    double bound;           /* no path that was searched for costs less; -INFINITY where nothing is proven */
    uint64_t states, arcs;  /* states expanded, arcs relaxed */
    pf_fst *lattice;        /* if one was asked for and there is a path; owned */
    const char *search;     /* the method: "levels", "A*", ...; NULL if it is not known, as for an answer that was read */
    bool stopped;           /* a limit ended the search: there may be better paths, down to the bound */
    bool out_of_memory;     /* ... and that limit was the memory, which nobody has set */
    bool compared;          /* with a reference, such as a person's order: */
    double reference;       /* the least cost of a path with its words; INFINITY: there is none */
    pf_symtab *isyms, *osyms; /* one reference each, or NULL */
} pf_answer; /* all zero: no path */

/* Is it proven that the first path is a best one, or, where there are no paths, that there is none? How much less can a best
 * path cost? INFINITY: nothing is proven. */
bool pf_answer_optimal(const pf_answer *answer);
double pf_answer_gap(const pf_answer *answer);

/* What is proven of an answer, in words: "optimal", "gap <= 1.730000" or "not proven optimal". The result may be in `words`. */
enum { PF_PROOF_BYTES = 40 };
const char *pf_answer_proof(const pf_answer *answer, char words[PF_PROOF_BYTES]);

/* The verdict on an answer that was compared with a reference. The reference costs as much as the best path found; or more, so
 * that the model prefers another path; or less, so that the search has missed it; or it is no path of the automaton. */
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
