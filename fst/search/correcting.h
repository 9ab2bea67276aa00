/* The order in which best paths grow where weights may be negative and there are cycles. Private to the searches. */
#ifndef PF_SEARCH_CORRECTING_H
#define PF_SEARCH_CORRECTING_H

#include <permfst/search/best.h>

typedef struct {
    PF_VEC(pf_state) order; /* the states that can be reached: each after the state before it on its best path */
    PF_VEC(pf_arc) cycle;   /* the arcs of a cycle of negative cost, in order; none: there is no such cycle */
} pfi_correcting;

/* Expands the whole machine. With a cycle there is no order. O(states x arcs) at worst. PF_ELIMIT: the options' limits of states
 * and time. *out is freed by pfi_correcting_free, also after an error. */
pf_err pfi_correcting_run(pf_fst *fst, const pf_best_options *options, pfi_correcting *out);
void pfi_correcting_free(pfi_correcting *correcting);

#endif
