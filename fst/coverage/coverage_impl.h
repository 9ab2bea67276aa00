/* The order that an alignment asks for, as the families see it. Private to this folder. */
#ifndef PF_COVERAGE_COVERAGE_IMPL_H
#define PF_COVERAGE_COVERAGE_IMPL_H

#include <permfst/coverage/coverage.h>

#define PFI_FREE UINT32_MAX /* has no link */

/* Aligned words are counted from 0 by position, too: i is the i-th of them. */
typedef struct pfi_order {
    unsigned n, k, m;       /* source words, those with links, target words */
    unsigned *chain;        /* k: the aligned words in the order in which they must be visited */
    unsigned *turn;         /* n: where a word is in the chain; PFI_FREE */
    unsigned *dense;        /* k: the chain as an order of the aligned words alone, 0..k-1 */
    unsigned *unit;         /* k: the unit of the i-th aligned word: target words that share a source word, by their first */
    unsigned *first, *last; /* n: the targets of a word; PFI_FREE */
    unsigned *free;         /* n - k: the words without links, by position */
    unsigned *room;         /* scratch: 4 n + 2 m + 8 numbers */
} pfi_order;

struct pf_coverage {
    pfi_order o;
    pf_place place;
    PF_VEC(unsigned) numbers; /* all of the above */
};

/* The families; cf. pf_coverage_family. */
typedef bool pfi_coverage_least(const pfi_order *o, unsigned *param);
pfi_coverage_least pfi_coverage_no_crossing, pfi_coverage_unfolding, pfi_coverage_itg_baseline, pfi_coverage_itg_extended,
    pfi_coverage_itg, pfi_coverage_ibm, pfi_coverage_inverse_ibm, pfi_coverage_local, pfi_coverage_mj,
    pfi_coverage_displacement, pfi_coverage_distortion, pfi_coverage_itg_span;

/* A constraint or an automaton searched; cf. pf_coverage_reaches. */
pf_err pfi_coverage_search(const pfi_order *o, const char *spec, uint64_t limit, pf_reach *out);

#endif
