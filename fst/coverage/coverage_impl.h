/* The order that an alignment asks for, as the families see it. Private to this folder.
 *
 * Names: an aligned word is a source word with links; the chain is the aligned words in the order in which they must be visited;
 * a cluster is a set of target words that share source words. */
#ifndef PF_COVERAGE_COVERAGE_IMPL_H
#define PF_COVERAGE_COVERAGE_IMPL_H

#include <permfst/coverage/coverage.h>

#define PFI_FREE UINT32_MAX /* instead of a number: the word has no link */

/* All arrays by position are those of source words. "The i-th aligned word" counts aligned words by position, from 0. */
typedef struct pfi_order {
    unsigned sources, aligned, targets; /* source words, those with links, target words */
    unsigned *chain;        /* `aligned` numbers: positions, in the order in which they must be visited */
    unsigned *turn;         /* by position: where the word is in the chain, or PFI_FREE */
    unsigned *dense;        /* the chain as an order of the aligned words alone: a permutation of 0..aligned - 1 */
    unsigned *cluster;      /* of the i-th aligned word; clusters are numbered by their first target word */
    unsigned *first, *last; /* by position: the first and the last target of the word, or PFI_FREE */
    unsigned *unlinked;     /* the positions without links, ascending */
    unsigned *scratch;      /* 4 sources + 2 targets + 8 numbers */
} pfi_order;

struct pf_coverage {
    pfi_order order;
    pf_place place;
    PF_VEC(unsigned) numbers; /* the arrays of `order` */
    const pf_marks *marks;    /* NULL: none */
};

/* The names of the directions in lines. */
extern const char *const pfi_coverage_directions[];

/* The families; see pf_coverage_family. */
typedef bool pfi_coverage_least(const pfi_order *order, unsigned *param);
pfi_coverage_least pfi_coverage_no_crossing, pfi_coverage_unfolding, pfi_coverage_itg_baseline, pfi_coverage_itg_extended,
    pfi_coverage_itg, pfi_coverage_ibm, pfi_coverage_inverse_ibm, pfi_coverage_local, pfi_coverage_mj,
    pfi_coverage_displacement, pfi_coverage_distortion, pfi_coverage_itg_span;

/* A mark of a sentence, in numbers from 1. */
typedef struct {
    bool wall, unit;          /* neither: a zone */
    unsigned at, first, last; /* the wall is after the word `at` of the zone; UINT32_MAX: to the end of the sentence */
} pfi_mark_parts;
pfi_mark_parts pfi_mark_take_apart(const pf_mark *mark);

/* Do marks allow an order that the alignment asks for, where nothing else is asked? */
bool pfi_coverage_marks(const pfi_order *order, const pf_marks *marks);

/* Searches a constraint, with the marks; see pf_coverage_reaches. */
pf_err pfi_coverage_search(const pf_coverage *coverage, const char *spec, uint64_t limit, pf_reach *out);

#endif
