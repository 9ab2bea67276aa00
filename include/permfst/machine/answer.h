/* The answer of a search: paths, best first (those drawn at random are in no order), and what is known about them.
 *
 * What is asked of an answer is O(paths), or O(1); words are O(their length), and what is made of a machine O(arcs). */
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
    uint32_t *tree; /* of an itg order, where the order does not tell it: codes, below; or NULL */
    size_t codes;
} pf_path;

/* The tree over the moves of a path, which are its arcs with an input. The codes are those of its parts: a part comes before its
 * own two parts, and of these the one that is visited first comes before the other. A part of one move has no code; the unit of
 * PF_TREE_BEFORE and PF_TREE_AFTER has none either. Any other part has one: PF_TREE_KINDS x (moves of the part visited first; for
 * leaves 0) + its kind. */
enum {
    PF_TREE_RUN,    /* a leaf: positions that are visited in their order */
    PF_TREE_UNIT,   /* a leaf: a translation unit of several words */
    PF_TREE_NODE,   /* two neighbouring parts */
    PF_TREE_BEFORE, /* a unit of two runs, and then the part that is between these */
    PF_TREE_AFTER,  /* a part, and then the unit of two runs that is around it */
    PF_TREE_KINDS
};

enum { PF_WHY_BYTES = 240 };

/* What a pass over the levels of a layered machine has done at one of them. */
typedef struct {
    unsigned pass, level;        /* from 1; from 0, the start */
    uint64_t states, hypotheses; /* that are kept */
    uint64_t dropped;            /* hypotheses, by the beam or the threshold */
    double bound;                /* no path that the pass has still to find, or has dropped up to here,
        costs less; -INFINITY: nothing is
                                    proven */
} pf_level_work;

typedef struct {
    pf_arc_type type;
    PF_VEC(pf_path) paths;
    double bound;           /* no path that is missing among `paths` costs less: -INFINITY where nothing is proven, INFINITY where
                               no path is missing. Where as many paths were found as were asked for, it is at most the last
                               one's cost */
    uint64_t states, arcs;  /* states expanded, arcs relaxed */
    pf_fst *lattice;        /* if one was asked for and there is a path; owned */
    const char *search;     /* the method: "levels", "A*", ...; NULL if it is not known, as for an answer that was read */
    char why[PF_WHY_BYTES]; /* why it was taken, where it was to be chosen and there was a choice; else "" */
    PF_VEC(pf_level_work) profile; /* if one was asked for: the levels of all passes, one pass after the other */
    bool stopped;           /* a limit ended the search: paths may be missing, from the bound on */
    bool out_of_memory;     /* ... and that limit was the memory, which nobody has set */
    bool compared;          /* with a reference, such as a person's order: */
    double reference;       /* the least cost of a path with its words; INFINITY: there is none */
    pf_symtab *isyms, *osyms; /* one reference each, or NULL */
} pf_answer; /* all zero: no path */

/* The certificate of a list. A path of rank r, from 1, is proven if no path that is missing costs less than it does. How many
 * paths are proven? They are the first ones of the list. */
size_t pf_answer_proven(const pf_answer *answer);

/* Are all paths proven, and does the list end where the search was asked to end it? Where there are no paths: is it proven that
 * there is none? */
bool pf_answer_optimal(const pf_answer *answer);

/* The most by which a path of the list can cost more than the path that belongs at its rank. INFINITY: nothing is proven. */
double pf_answer_gap(const pf_answer *answer);

/* What is proven of an answer, in words: "optimal"; "first 3 of 50 optimal, gap <= 1.730000"; "gap <= 1.730000"; "complete up to
 * cost 21.400000" (all paths listed are proven, and more were asked for); or "not proven optimal". The result may be in `words`. */
enum { PF_PROOF_BYTES = 80 };
const char *pf_answer_proof(const pf_answer *answer, char words[PF_PROOF_BYTES]);

/* The verdict on an answer that was compared with a reference. The reference costs as much as the best path found, which is proven
 * to be the best or not; or nearly as much, so that the difference may come from rounding (a tie: PF_TIE of the cost); or more, so
 * that the model prefers another path; or less, so that the search has missed it; or it is not a path of the automaton. */
#define PF_TIE 1e-6
typedef enum {
    PF_REFERENCE_BEST, PF_REFERENCE_BEST_FOUND, PF_REFERENCE_TIE, PF_MODEL_ERROR, PF_SEARCH_ERROR, PF_NOT_ADMITTED, PF_VERDICTS
} pf_verdict;
pf_verdict pf_answer_verdict(const pf_answer *answer);
const char *pf_verdict_name(pf_verdict verdict); /* "best", "best found", "tie", "model error", "search error", "not admitted" */

void pf_answer_free(pf_answer *answer); /* what it has; not the struct */

/* The bytes of its paths, its lattice and its profile. O(paths). */
uint64_t pf_answer_bytes(const pf_answer *answer);

/* Adds a path with a copy of its arcs; cost is computed here. O(arcs). PF_ENOMEM. */
pf_err pf_answer_add(pf_answer *answer, const pf_arc *arc, size_t count, float final);

/* The paths as an automaton in fstshortestpath's layout: one path is a chain with states numbered backwards; several
 * leave the start by one epsilon arc each, in order, and end in one final state. *out belongs to the
 * caller. O(arcs). PF_ENOMEM. */
pf_err pf_answer_fst(const pf_answer *answer, pf_fst **out);

/* A machine of one path only, as an answer of one path; PF_EINPUT when it branches or has a cycle. */
pf_err pf_answer_from_linear(pf_fst *fst, pf_answer *out);

#ifdef __cplusplus
}
#endif
#endif
